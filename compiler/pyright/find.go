package pyright

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/runlace/runlace/internal/fault"
)

// Variable names the environment variable that says which pyright to use: its package folder, a node_modules folder with it, or
// its program pyright-langserver.
const Variable = "RUNLACE_PYRIGHT"

//go:embed npm/package.json
var manifest []byte

//go:embed npm/package-lock.json
var lock []byte

// Version is the version that Install installs.
var Version = func() string {
	var m struct {
		Dependencies struct{ Pyright string }
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		panic(err)
	}
	return m.Dependencies.Pyright
}()

// Command starts a language server.
type Command struct {
	Path string
	Args []string
	From string // what led to it: RUNLACE_PYRIGHT, the home, or PATH
	Dir  string // pyright's package folder, if that is known
}

const script = "langserver.index.js"

// Find looks for pyright: where RUNLACE_PYRIGHT says, in dir, in which Install installs it, then on PATH. It looks at files only.
func Find(dir string) (Command, error) {
	if where := os.Getenv(Variable); where != "" {
		c, err := at(where)
		if err != nil {
			return c, fault.New("checker-missing", "%s is %s, where there is no pyright", Variable, where).WithDetail(err).
				WithHint("correct or unset %s; without it, run: %s", Variable, InstallCommand(dir))
		}
		c.From = Variable
		return c, nil
	}
	if dir != "" {
		var c Command
		folder, err := filepath.Abs(filepath.Join(dir, "node_modules", "pyright"))
		if err == nil {
			c, err = inFolder(folder)
		}
		if err == nil {
			c.From = "home"
			return c, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return c, missing(dir, "pyright, which checks a workflow's types, cannot be started", err)
		}
	}
	path, err := exec.LookPath("pyright-langserver")
	if err != nil {
		return Command{}, missing(dir, "pyright, which checks a workflow's types, is not installed", nil)
	}
	c, err := ofProgram(path)
	if err != nil {
		return c, missing(dir, "pyright, which checks a workflow's types, cannot be started", err)
	}
	c.From = "PATH"
	return c, nil
}

// at finds the server from what a user would give.
func at(where string) (Command, error) {
	where, err := filepath.Abs(where) // the server is started elsewhere
	if err != nil {
		return Command{}, err
	}
	st, err := os.Stat(where)
	if err != nil {
		return Command{}, err
	}
	if !st.IsDir() {
		return ofProgram(where)
	}
	var first error
	for _, below := range []string{"", "pyright", filepath.Join("node_modules", "pyright")} {
		c, err := inFolder(filepath.Join(where, below))
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return c, err
		}
		first = errors.Join(first, err)
	}
	return Command{}, first
}

// ofProgram takes pyright-langserver, or pyright beside which it lies. npm's program is a link to a script, or on Windows a file
// beside the folder with it: the script is started without a shell in between, which would outlive it.
func ofProgram(path string) (Command, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Command{}, err
	}
	for _, dir := range []string{filepath.Dir(real), filepath.Join(filepath.Dir(real), "node_modules", "pyright"), filepath.Join(filepath.Dir(real), "..", "pyright")} {
		if c, err := inFolder(dir); err == nil {
			return c, nil
		}
	}
	name := filepath.Base(path)
	if base, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name); base == "pyright" {
		path = filepath.Join(filepath.Dir(path), "pyright-langserver"+ext)
	}
	if path, err = exec.LookPath(path); err != nil {
		return Command{}, err
	}
	return Command{Path: path, Args: []string{"--stdio"}}, nil
}

func inFolder(dir string) (Command, error) {
	file := filepath.Join(dir, script)
	if _, err := os.Stat(file); err != nil {
		return Command{}, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return Command{}, fmt.Errorf("it needs Node.js, and there is no program node on PATH")
	}
	return Command{Path: node, Args: []string{file, "--stdio"}, Dir: dir}, nil
}

// Version reads the version of the pyright that a command starts, "" if that is not known.
func (c Command) Version() string {
	b, err := os.ReadFile(filepath.Join(c.Dir, "package.json"))
	if c.Dir == "" || err != nil {
		return ""
	}
	var p struct{ Version string }
	_ = json.Unmarshal(b, &p)
	return p.Version
}

func missing(dir, message string, err error) error {
	f := fault.New("checker-missing", "%s", message).WithDetail(err)
	if _, none := exec.LookPath("node"); none != nil {
		return f.WithHint("install Node.js 18 or later, which brings node and npm, then run: %s", InstallCommand(dir))
	}
	return f.WithHint("run: %s", InstallCommand(dir))
}

// InstallCommand is what a person types to install pyright where Find looks.
func InstallCommand(dir string) string {
	if dir == "" {
		return "npm install --global pyright@" + Version
	}
	if strings.ContainsAny(dir, " \t'\"$&()") {
		dir = `"` + dir + `"`
	}
	return fmt.Sprintf("npm install --prefix %s pyright@%s", dir, Version)
}

// Install installs the pinned pyright into dir with npm, by the lock file in this package. What was there is replaced at the end,
// so that a failure changes nothing.
func Install(ctx context.Context, dir string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return missing(dir, "pyright, which checks a workflow's types, cannot be installed: there is no program npm on PATH", nil)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".pyright-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	for name, text := range map[string][]byte{"package.json": manifest, "package-lock.json": lock} {
		if err := os.WriteFile(filepath.Join(fresh, name), text, 0o600); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = fresh
	out, err := cmd.CombinedOutput()
	if err == nil {
		_, err = os.Stat(filepath.Join(fresh, "node_modules", "pyright", script))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		text := strings.TrimSpace(string(out))
		return fault.New("checker-missing", "npm could not install pyright %s", Version).
			WithDetail(fmt.Errorf("%w\n%s", err, text)).
			WithHint("see what npm says above, or run: %s", InstallCommand(dir))
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}

// environment is what the server needs of ours. Nothing secret is among it, and nothing that changes how node behaves.
func environment() []string {
	keep := []string{"PATH", "HOME", "TMPDIR", "LANG"}
	if goruntime.GOOS == "windows" {
		keep = append(keep, "SystemRoot", "SystemDrive", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT")
	}
	var env []string
	for _, name := range keep {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
