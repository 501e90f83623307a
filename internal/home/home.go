// Package home says where Runlace keeps things on a machine, and which variables a connector's configuration may refer to.
//
// A home is a folder: ~/.runlace, or $RUNLACE_HOME, or what --home says.
//
//	h, err := home.Open(flag)     // flag is the value of --home; creates nothing
//	if err := h.Ensure(); err != nil { ... }   // makes the folders, before the first write
//	f, problems, err := config.Load(h.Config())
//
//	~/.runlace/
//	  config.json       connectors, consent, limits                (package config)
//	  policy.yaml       risk of tools, as the operator sees it     (package policy)
//	  runlace.db        workflows, versions, runs, steps           (package store)
//	  auth/tokens.json  logins at MCP servers                      (package auth)
//	  runlace_types/    stubs of the connectors
//	  workflows/NAME/VERSION.py
//	  pyright/          the typechecker, when Runlace installed it
//
// Folders are 0700 and files 0600. A home that was made by the Python program of the same name is not opened: the error has the code
// old-home, and nothing in the folder is touched.
//
// [LoadEnv] takes the process's environment and the files of --env-file together; see [Env].
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/runlace/runlace/internal/fault"
)

const (
	// Variable is the environment variable that moves the home.
	Variable = "RUNLACE_HOME"
	// CacheVariable is the environment variable that moves the cache.
	CacheVariable = "RUNLACE_CACHE"
)

// Cache returns the folder for what can be made again at any time: the compiled sandbox. It is the value of RUNLACE_CACHE;
// empty means the default of package runtime, a folder runlace in the user's cache folder (on Linux, $XDG_CACHE_HOME or
// ~/.cache).
func Cache() string { return os.Getenv(CacheVariable) }

// Home is a home that may not exist yet.
type Home struct {
	Dir string // absolute
}

// Open returns the home in dir, or if that is empty in $RUNLACE_HOME, or else in ~/.runlace. It creates nothing. A home of the first
// implementation is refused with the code old-home, and a path that cannot be a home with bad-home.
func Open(dir string) (Home, error) {
	h, err := find(dir)
	if err != nil {
		return Home{}, err
	}
	switch info, err := os.Stat(h.Dir); {
	case errors.Is(err, fs.ErrNotExist):
		return h, nil
	case err != nil:
		return Home{}, fault.New("bad-home", "the home %s cannot be looked at", h.Dir).WithDetail(err)
	case !info.IsDir():
		return Home{}, fault.New("bad-home", "the home %s is not a folder", h.Dir)
	}
	old, err := IsOld(h.Database())
	switch {
	case errors.Is(err, fs.ErrPermission):
		return Home{}, fault.New("bad-home", "the home %s may not be read", h.Dir).WithDetail(err)
	case err != nil:
		return h, nil // a database that cannot be made out is for package store to refuse
	case old:
		return Home{}, oldHome(h)
	}
	return h, nil
}

func oldHome(h Home) error {
	e := fault.New("old-home", "%s was made by the first implementation of Runlace, in Python, and is left as it is", h.Dir)
	instead := h.Dir + "-2"
	if _, err := os.Stat(h.Config()); err != nil {
		return e.WithHint("choose another folder, as in runlace init --home %s, and set %s to it", Quote(instead), Variable)
	}
	return e.WithHint("choose another folder and set %s to it; this brings the connectors along: runlace init --home %s --from %s",
		Variable, Quote(instead), Quote(h.Config()))
}

func find(dir string) (Home, error) {
	what := "--home"
	if dir == "" {
		dir, what = os.Getenv(Variable), Variable
	}
	if dir == "" {
		dir, what = filepath.Join("~", ".runlace"), "the default home"
	}
	path, err := Expand(dir)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return Home{}, fault.New("bad-home", "%s cannot be made out: %s", what, dir).WithDetail(err)
	}
	return Home{path}, nil
}

// Expand returns path with a leading ~ or ~/ as the user's home folder. Shells do so, but not after an equals sign or in a file.
func Expand(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path, nil
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(user, rest), nil
}

var plain = regexp.MustCompile(`^[\w@%+=:,./~\\-]+$`)

// Quote returns a word as a shell takes it, for hints that have a command in them.
func Quote(word string) string {
	switch {
	case plain.MatchString(word) && (runtime.GOOS == "windows" || !strings.Contains(word, `\`)):
		return word
	case runtime.GOOS == "windows":
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Config is the path of config.json.
func (h Home) Config() string { return filepath.Join(h.Dir, "config.json") }

// Policy is the path of policy.yaml.
func (h Home) Policy() string { return filepath.Join(h.Dir, "policy.yaml") }

// Database is the path of runlace.db.
func (h Home) Database() string { return filepath.Join(h.Dir, "runlace.db") }

// OperatorToken is the file with the token of a person's requests to a server on HTTP.
func (h Home) OperatorToken() string { return filepath.Join(h.Dir, "operator-token") }

// Types is the folder of the stubs.
func (h Home) Types() string { return filepath.Join(h.Dir, "runlace_types") }

// Workflows is the folder of the workflows' sources.
func (h Home) Workflows() string { return filepath.Join(h.Dir, "workflows") }

// Workflow is the path of a version's source. Whatever the name and the version are, it lies two folders below [Home.Workflows]: what
// is not a letter, a digit, a hyphen, an underscore or an inner dot is escaped. Names that [CheckName] accepts are not changed by that.
func (h Home) Workflow(name, version string) string {
	return filepath.Join(h.Workflows(), segment(name), segment(version)+".py")
}

// Pyright is the folder in which the typechecker is installed.
func (h Home) Pyright() string { return filepath.Join(h.Dir, "pyright") }

// segment makes one file name of any text.
func segment(s string) string {
	if s == "" {
		return "%00" // which stands for no text that could be given: a file name has no NUL
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.' && i > 0 && i < len(s)-1:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if reserved.MatchString(b.String()) {
		return "%" + b.String()
	}
	return b.String()
}

var (
	// reserved are the names that Windows does not have as files, whatever the extension.
	reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
)

// CheckName says what is wrong with a workflow's name, with the code bad-name. A name is also a folder, on every system.
func CheckName(name string) error {
	switch {
	case !nameRule.MatchString(name) || strings.HasSuffix(name, "\n"):
		return fault.New("bad-name", "%q cannot be the name of a workflow", name)
	case reserved.MatchString(name):
		return fault.New("bad-name", "%s cannot be the name of a workflow: Windows keeps it for a device", name)
	}
	return nil
}

// Ensure makes the folders of the home, for the owner only. A home that exists is closed to others as well, but not any folder that
// --home names: only one that is empty or has something of ours in it.
func (h Home) Ensure() error {
	ours := true
	if entries, err := os.ReadDir(h.Dir); err == nil && len(entries) > 0 {
		ours = false
		for _, path := range []string{h.Config(), h.Database(), h.Workflows(), h.Types()} {
			if _, err := os.Lstat(path); err == nil {
				ours = true
			}
		}
	}
	for _, dir := range []string{h.Dir, h.Types(), h.Workflows()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fault.New("bad-home", "the folder %s cannot be made", dir).WithDetail(err)
		}
		if dir == h.Dir && !ours {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			if err := os.Chmod(dir, 0o700); err != nil {
				return fault.New("bad-home", "the folder %s can be read by others, and that cannot be changed", dir).WithDetail(err)
			}
		}
	}
	return nil
}

// fileURI is for SQLite, which takes a URI with parameters.
func fileURI(path, query string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/Users/...
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query}).String()
}
