package home

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/runlace/runlace/internal/fault"
)

func TestOpen(t *testing.T) {
	user := t.TempDir()
	t.Setenv("HOME", user)
	t.Setenv("USERPROFILE", user)
	work := t.TempDir()
	t.Chdir(work)
	work, _ = os.Getwd()
	for _, c := range []struct{ flag, variable, want string }{
		{"", "", filepath.Join(user, ".runlace")},
		{"", "~/lace", filepath.Join(user, "lace")},
		{"", filepath.Join(user, "v"), filepath.Join(user, "v")},
		{"rel", filepath.Join(user, "v"), filepath.Join(work, "rel")},
		{"~", "", user},
		{"~other/x", "", filepath.Join(work, "~other", "x")},
	} {
		t.Setenv(Variable, c.variable)
		h, err := Open(c.flag)
		if err != nil || h.Dir != c.want {
			t.Errorf("Open(%q) with %q: %v, %v", c.flag, c.variable, h, err)
		}
	}
	if entries, _ := os.ReadDir(user); len(entries) != 0 {
		t.Errorf("Open made something: %v", entries)
	}
	file := filepath.Join(work, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); fault.Of(err).Code != "bad-home" {
		t.Errorf("a file is no home: %v", err)
	}
}

func TestPaths(t *testing.T) {
	h := Home{filepath.FromSlash("/h")}
	got := []string{h.Config(), h.Policy(), h.Database(), h.Types(), h.Workflows(), h.Pyright(), h.Workflow("weekly-report_2", "a1b2")}
	want := []string{"/h/config.json", "/h/policy.yaml", "/h/runlace.db", "/h/runlace_types", "/h/workflows", "/h/pyright", "/h/workflows/weekly-report_2/a1b2.py"}
	for i := range want {
		want[i] = filepath.FromSlash(want[i])
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A path never leaves the folder, and different names never share one.
func TestWorkflowStaysInside(t *testing.T) {
	h := Home{t.TempDir()}
	seen := map[string]string{}
	for _, name := range []string{"", ".", "..", "../escape", "a/b", `a\b`, "/etc/passwd", "C:", "a\x00b", "a\n", "nul", "COM1", "nul.txt", "%00", "ü", "a.b", ".a", "a."} {
		p := h.Workflow(name, name)
		rel, err := filepath.Rel(h.Workflows(), p)
		if err != nil || strings.HasPrefix(rel, "..") || strings.Count(rel, string(filepath.Separator)) != 1 {
			t.Errorf("%q: %s", name, p)
		}
		if other, ok := seen[p]; ok {
			t.Errorf("%q and %q are both %s", name, other, p)
		}
		seen[p] = name
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "weekly-report": true, "0_x": true, strings.Repeat("a", 63): true,
		"": false, "A": false, "-a": false, "_a": false, "a b": false, "a.b": false, "../a": false, "a\n": false, "nul": false, "com1": false, strings.Repeat("a", 64): false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		} else if err != nil && fault.Of(err).Code != "bad-name" {
			t.Errorf("%q: %v", name, fault.Of(err).Code)
		}
	}
}

func TestEnsure(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permissions of this kind")
	}
	perm := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	h := Home{filepath.Join(t.TempDir(), "a", "b")}
	for range 2 {
		if err := h.Ensure(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{h.Dir, h.Types(), h.Workflows()} {
		if perm(dir) != 0o700 {
			t.Errorf("%s: %v", dir, perm(dir))
		}
	}
	if err := os.Chmod(h.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil || perm(h.Dir) != 0o700 {
		t.Errorf("a home of ours is closed: %v, %v", perm(h.Dir), err)
	}
	other := Home{t.TempDir()}
	os.Chmod(other.Dir, 0o755)
	os.WriteFile(filepath.Join(other.Dir, "go.mod"), nil, 0o644)
	if err := other.Ensure(); err != nil || perm(other.Dir) != 0o755 || perm(other.Types()) != 0o700 {
		t.Errorf("a folder of others is left open: %v, %v", perm(other.Dir), err)
	}
}

// makeDatabase makes a database with a connection that stays open, so that its log stays too.
func makeDatabase(t *testing.T, path string, statements ...string) *sqlite3.Conn {
	t.Helper()
	db, err := sqlite3.Open("file:" + filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
	return db
}

var oldSchema = []string{
	`PRAGMA journal_mode = wal`,
	`CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)`,
	`CREATE TABLE connectors (name TEXT PRIMARY KEY)`,
	`CREATE TABLE tools (id TEXT PRIMARY KEY)`,
	`CREATE TABLE workflows (id TEXT PRIMARY KEY)`,
	`CREATE TABLE workflow_versions (id TEXT PRIMARY KEY)`,
	`CREATE TABLE runs (id TEXT PRIMARY KEY)`,
	`CREATE TABLE steps (id TEXT PRIMARY KEY)`,
	`CREATE TABLE queue_lock (id TEXT PRIMARY KEY)`,
	`INSERT INTO meta VALUES ('schema_version', '11')`,
}

func TestOldHome(t *testing.T) {
	cases := map[string]struct {
		statements []string
		live       bool // somebody has it open, so that its pages are in the log
		old        bool
	}{
		"closed":              {oldSchema, false, true},
		"in use":              {oldSchema, true, true},
		"ours":                {append([]string{`PRAGMA application_id = 1380730947`}, oldSchema...), false, false},
		"ours, in use":        {append([]string{`PRAGMA application_id = 1380730947`}, oldSchema...), true, false},
		"ours, set in log":    {append(oldSchema[:len(oldSchema):len(oldSchema)], `PRAGMA application_id = 1380730947`), true, false},
		"no schema version":   {oldSchema[:len(oldSchema)-1], false, false},
		"of another program":  {[]string{`CREATE TABLE meta (key, value)`}, false, false},
		"without any content": {[]string{`PRAGMA journal_mode = wal`}, false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a # b?c%20")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			h := Home{dir}
			plain := filepath.Join(t.TempDir(), "runlace.db") // whose path needs no escapes
			db := makeDatabase(t, plain, c.statements...)
			if !c.live {
				db.Close()
			} else {
				defer db.Close()
			}
			for _, suffix := range []string{"", "-wal"} {
				if err := copyFile(h.Database()+suffix, plain+suffix); err != nil {
					t.Fatal(err)
				}
			}
			before := listing(t, dir)
			_, err := Open(dir)
			if c.old != (err != nil) || err != nil && fault.Of(err).Code != "old-home" {
				t.Errorf("%v", err)
			}
			if c.old && !strings.Contains(fault.Of(err).Hint, "runlace init --home") {
				t.Errorf("hint: %s", fault.Of(err).Hint)
			}
			if d := cmp.Diff(before, listing(t, dir)); d != "" {
				t.Errorf("the home is not left as it was: %s", d)
			}
		})
	}
}

func TestNotOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runlace.db")
	for _, content := range []string{"", "short", magic, magic + strings.Repeat("\x00", 84), strings.Repeat("text ", 100)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if old, _ := IsOld(path); old {
			t.Errorf("%.20q is old", content)
		}
		if _, err := Open(filepath.Dir(path)); err != nil {
			t.Errorf("%.20q: it is for the store to refuse: %v", content, err)
		}
	}
	if old, err := IsOld(path + ".missing"); old || err != nil {
		t.Error(old, err)
	}
}

func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		info, _ := e.Info()
		files[e.Name()] = fmt.Sprint(len(b), info.ModTime(), info.Mode())
	}
	return files
}
