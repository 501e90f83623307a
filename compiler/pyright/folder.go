package pyright

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// FileDiagnostic is an error in a file of a package.
type FileDiagnostic struct {
	File    string `json:"file"` // relative to the package's folder
	Line    int    `json:"line"` // from 1
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
}

// CheckFolder returns the errors in a package of stubs, runlace_types, that lies in dir. It is a process of its own, which looks at
// all files at once, and takes a second or more. Errors are those of [Checker.Check].
func CheckFolder(ctx context.Context, c Command, dir string) ([]FileDiagnostic, error) {
	root, err := os.MkdirTemp("", "runlace-pyright-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(root) }()
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	copied := filepath.Join(root, "runlace_types")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text := strings.Replace(config, `"include": ["workflow.py"]`, `"include": ["runlace_types"]`, 1)
	if err := os.WriteFile(filepath.Join(root, "pyrightconfig.json"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	path, args := c.once()
	cmd := exec.CommandContext(limited, path, append(args, "--outputjson", "-p", root)...)
	cmd.Dir, cmd.Env = root, environment()
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	cmd.Cancel = func() error { kill(cmd); return nil }
	stderr := &tail{}
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if limited.Err() != nil {
		return nil, fault.New("typecheck-timeout", "the check of the stubs took longer than 2 minutes")
	}
	var report struct {
		Diagnostics []struct {
			File     string
			Severity string
			Message  string
			Rule     string
			Range    struct{ Start struct{ Line int } }
		} `json:"generalDiagnostics"`
	}
	if parse := json.Unmarshal(out, &report); parse != nil { // it exits with 1 where it finds something
		return nil, fault.New("checker-failed", "pyright could not check the stubs").WithDetail(fmt.Errorf("%w %s", errors.Join(err, parse), stderr))
	}
	found := []FileDiagnostic{}
	for _, d := range report.Diagnostics {
		if d.Severity != "error" {
			continue
		}
		file, err := filepath.Rel(copied, d.File)
		if err != nil {
			file = d.File
		}
		found = append(found, FileDiagnostic{File: filepath.ToSlash(file), Line: d.Range.Start.Line + 1, Rule: d.Rule, Message: oneLine(d.Message)})
	}
	slices.SortFunc(found, func(a, b FileDiagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
	})
	return found, nil
}

// once is the command that checks and ends.
func (c Command) once() (string, []string) {
	if c.Dir != "" {
		return c.Path, []string{filepath.Join(c.Dir, "index.js")}
	}
	name := filepath.Base(c.Path)
	return filepath.Join(filepath.Dir(c.Path), strings.Replace(name, "pyright-langserver", "pyright", 1)), nil
}
