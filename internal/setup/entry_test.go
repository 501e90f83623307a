package setup

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/runlace/runlace/internal/fault"
)

// What is said relative to the current folder is kept in a way that means the same from any.
func TestEntryPaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here := func(parts ...string) string {
		at, err := filepath.Abs(filepath.Join(parts...))
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for name, c := range map[string]struct{ command, dir, wantCommand, wantDir string }{
		"a program of PATH":         {"npx", "", "npx", ""},
		"a file here":               {"./serve", "", here("serve"), ""},
		"a file below":              {"bin/serve", "", here("bin", "serve"), ""},
		"a file above":              {"../serve", "", here("..", "serve"), ""},
		"a file of its own folder":  {"./serve", "sub/dir", "./serve", here("sub", "dir")},
		"the current folder":        {"npx", ".", "npx", here(".")},
		"a reference":               {"${TOOLS}/serve", "${TOOLS}/x", "${TOOLS}/serve", "${TOOLS}/x"},
		"a home":                    {"~/serve", "~/x", "~/serve", "~/x"},
		"an absolute path, cleaned": {here("x"), here("y"), here("x"), here("y")},
	} {
		got, err := Entry{Name: "x", Command: c.command, Dir: c.dir}.Connector()
		if err != nil || got.Command != c.wantCommand || got.Dir != c.wantDir {
			t.Errorf("%s on %s: %q in %q, %v", name, runtime.GOOS, got.Command, got.Dir, err)
		}
	}
}

// A name that is none is a mistake at the command line, and no bug.
func TestEntryNames(t *testing.T) {
	for _, name := range []string{"", " ", "a\nb", " a", "\xff"} {
		if _, err := (Entry{Name: name, Command: "x"}).Connector(); !errors.Is(err, fault.New("bad-usage", "")) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
