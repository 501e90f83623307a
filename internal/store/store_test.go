package store

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/runlace/runlace/internal/fault"
)

// clock is a clock that moves by a second each time it is read.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(time.Second)
	return c.t
}

func newClock() *clock {
	return &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600))}
}

func open(t testing.TB, path string, o Options) *Store {
	t.Helper()
	if o.Now == nil {
		o.Now = newClock().now
	}
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func temp(t testing.TB, o Options) *Store {
	return open(t, filepath.Join(t.TempDir(), "home", "runlace.db"), o)
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func code(err error) string {
	if err == nil {
		return ""
	}
	return fault.Of(err).Code
}

func wantCode(t *testing.T, err error, want string) {
	t.Helper()
	if code(err) != want {
		t.Errorf("%v has the code %q, want %q", err, code(err), want)
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var testPins = []Pin{
	{Connector: "files", Tool: "write-file", Risk: SideEffect, Digest: "d2", InputSchema: raw(`{"type":"object"}`), Annotations: raw(`{}`)},
	{Connector: "files", Tool: "read_file", Risk: ReadOnly, Digest: "d1", InputSchema: raw(`{"type":"object"}`), OutputSchema: raw(`true`)},
}

func save(t testing.TB, s *Store, name, code string) Saved {
	t.Helper()
	return must[Saved](t)(s.SaveVersion(NewVersion{Name: name, Description: "about " + name, Code: code, Inputs: raw(`{"type":"object"}`), Pins: testPins,
		Program: &Program{Guest: "g1", Code: []byte("\x00\xff" + code), Fuel: 7}}))
}

func start(t testing.TB, s *Store, version string, mode Mode) *Journal {
	t.Helper()
	return must[*Journal](t)(s.StartRun(NewRun{Version: version, Mode: mode, Seed: 1<<64 - 1, Guest: "g1", Inputs: raw(`{"n": 1.0}`)}))
}

func read(seq int) NewStep {
	return NewStep{Seq: seq, Connector: "files", Tool: "read_file", Risk: ReadOnly, Arguments: raw(`{"path": "a"}`)}
}

func act(seq int) NewStep {
	return NewStep{Seq: seq, Connector: "files", Tool: "write-file", Risk: SideEffect, Arguments: raw(`{"path": "a"}`)}
}

var answered = Outcome{State: StepOK, Result: raw(`{"id": 1915883588174806058, "x": 1.50}`), Elapsed: 1234567}

func undamaged(t *testing.T, s *Store) {
	t.Helper()
	if damage := must[string](t)(s.Check()); damage != "" {
		t.Errorf("the database is damaged: %s", damage)
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows files have the permissions of their folder")
	}
	s := temp(t, Options{})
	saved := save(t, s, "report", "code")
	dir := filepath.Dir(s.Path())
	want := map[string]os.FileMode{
		dir: 0o700, s.Path(): 0o600, s.Path() + "-wal": 0o600, s.Path() + "-shm": 0o600,
		filepath.Join(dir, "workflows"): 0o700, filepath.Join(dir, "workflows", "report"): 0o700, saved.File: 0o600,
	}
	for path, mode := range want {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm() != mode {
			t.Errorf("%s has the mode %o, want %o", path, fi.Mode().Perm(), mode)
		}
	}
	if saved.FileError != nil || saved.File != filepath.Join(dir, "workflows", "report", saved.Version+".py") {
		t.Errorf("%+v", saved)
	}
}

func TestPragmas(t *testing.T) {
	s := temp(t, Options{Busy: 3 * time.Second})
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "3000", "application_id": fmt.Sprint(applicationID), "user_version": fmt.Sprint(len(migrations)),
	} {
		got := ""
		ok(t, s.view(func(c *conn) error {
			_, err := c.one(func(r row) { got = r.text(0) }, "PRAGMA "+pragma)
			return err
		}))
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
	// What a commit waits for is chosen for each.
	for _, durable := range []bool{true, false, true} {
		mode := 0
		ok(t, s.update(durable, func(c *conn) error {
			_, err := c.one(func(r row) { mode = r.int(0) }, "PRAGMA synchronous")
			return err
		}))
		if want := map[bool]int{true: 2, false: 1}[durable]; mode != want {
			t.Errorf("synchronous is %d, want %d", mode, want)
		}
	}
}

// The header says whose the database is even while everything is still in the log: home.IsOld and Look depend on it.
func TestHeader(t *testing.T) {
	s := temp(t, Options{})
	b := must[[]byte](t)(os.ReadFile(s.Path()))
	if len(b) < 100 || binary.BigEndian.Uint32(b[offsetID:]) != applicationID {
		t.Errorf("the header of %d bytes does not have our id", len(b))
	}
	if kind := must[Kind](t)(Look(s.Path())); kind != Ours {
		t.Errorf("it is %s", kind)
	}
}

// snapshot is all that is in a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	ok(t, err)
	for _, e := range entries {
		if e.IsDir() {
			files[e.Name()] = "folder"
			continue
		}
		fi, err := e.Info()
		ok(t, err)
		files[e.Name()] = fmt.Sprint(fi.Mode(), fi.ModTime().UnixNano(), string(must[[]byte](t)(os.ReadFile(filepath.Join(dir, e.Name())))))
	}
	return files
}

const oldSchema = `CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT); INSERT INTO meta VALUES('schema_version', '11');
	CREATE TABLE connectors(name TEXT); CREATE TABLE tools(id INTEGER); CREATE TABLE workflows(id TEXT); CREATE TABLE workflow_versions(id TEXT);
	CREATE TABLE runs(id TEXT); CREATE TABLE steps(id TEXT); CREATE TABLE queue_lock(id TEXT)`

func TestForeignDatabases(t *testing.T) {
	write := func(name, pragma, schema string, crash bool) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			at := dir
			if crash { // its process died: the tables are in the log only
				at = t.TempDir()
			}
			db := must[*sql.DB](t)(sql.Open("sqlite3", "file:"+filepath.Join(at, "runlace.db")))
			db.SetMaxOpenConns(1)
			for _, q := range []string{pragma, schema} {
				if _, err := db.Exec(q); err != nil {
					t.Fatal(err)
				}
			}
			if crash {
				for _, f := range []string{"runlace.db", "runlace.db-wal"} {
					ok(t, os.WriteFile(filepath.Join(dir, f), must[[]byte](t)(os.ReadFile(filepath.Join(at, f))), 0o644))
				}
			}
			ok(t, db.Close())
		}
	}
	bytes := func(b string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			ok(t, os.WriteFile(filepath.Join(dir, "runlace.db"), []byte(b), 0o644))
		}
	}
	tests := []struct {
		name string
		make func(t *testing.T, dir string)
		want string
		kind Kind
	}{
		{"old", write("old", "PRAGMA journal_mode=WAL", oldSchema, false), "old-home", Old},
		{"old, not in WAL mode", write("old", "PRAGMA journal_mode=DELETE", oldSchema, false), "old-home", Old},
		{"old, after a crash", write("old", "PRAGMA journal_mode=WAL", oldSchema, true), "old-home", Old},
		{"foreign", write("foreign", "PRAGMA journal_mode=WAL", "CREATE TABLE meta(key TEXT, value TEXT)", false), "bad-database", Foreign},
		{"foreign with an id", write("foreign", "PRAGMA application_id=77", "CREATE TABLE x(y)", false), "bad-database", Foreign},
		{"text", bytes("this is a text and no database"), "bad-database", Foreign},
		{"long text", bytes(strings.Repeat("this is a text and no database", 1000)), "bad-database", Foreign},
		{"damaged", bytes("SQLite format 3\x00" + strings.Repeat("x", 5000)), "bad-database", Foreign},
		{"newer", write("newer", fmt.Sprintf("PRAGMA application_id=%d", applicationID),
			fmt.Sprintf("CREATE TABLE workflows(x); PRAGMA user_version=%d", len(migrations)+1), false), "newer-database", Ours},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			test.make(t, dir)
			before := snapshot(t, dir)
			path := filepath.Join(dir, "runlace.db")
			if kind := must[Kind](t)(Look(path)); kind != test.kind {
				t.Errorf("it is %s, want %s", kind, test.kind)
			}
			if s, err := Open(path, Options{}); err == nil {
				t.Fatal(s.Close())
			} else {
				wantCode(t, err, test.want)
			}
			after := snapshot(t, dir)
			if test.want == "newer-database" {
				for _, files := range []map[string]string{before, after} { // its mode is made private
					files["runlace.db"] = files["runlace.db"][strings.Index(files["runlace.db"], "SQLite"):]
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("it was changed: %.500s", diff)
			}
		})
	}
	if kind := must[Kind](t)(Look(filepath.Join(t.TempDir(), "none"))); kind != Missing {
		t.Errorf("nothing is %s", kind)
	}
	_, err := Open(t.TempDir(), Options{})
	wantCode(t, err, "store-unavailable")
}

func TestMigrationsAreWholeOrNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runlace.db")
	s := open(t, path, Options{})
	save(t, s, "report", "code")
	ok(t, s.Close())
	connect := func() *conn { return must[*conn](t)(s.connect()) }
	tables := func(c *conn) (names string) {
		_, err := c.one(func(r row) { names = r.text(0) }, "SELECT group_concat(name) FROM sqlite_schema WHERE name LIKE 'extra%'")
		ok(t, err)
		return names
	}
	more := func(steps ...string) []string { return append(append([]string{}, migrations...), steps...) }

	c := connect()
	if err := c.migrate(more("CREATE TABLE extra1(x)", "CREATE TABLE extra2(x); CREATE TABLE extra2(x)")); err == nil {
		t.Error("a broken migration succeeded")
	}
	if got, v := tables(c), must[int](t)(c.version(more("", ""))); got != "extra1" || v != len(migrations)+1 {
		t.Errorf("after a broken migration there are %s, and the schema is %d", got, v)
	}
	ok(t, c.close())
	c = connect()
	if err := c.migrate(more("CREATE TABLE extra1(x)", "DELETE FROM workflows; CREATE TABLE extra2(x)")); err == nil || !strings.Contains(err.Error(), "references") {
		t.Errorf("a migration that breaks references: %v", err)
	}
	ok(t, c.close())
	// Several processes at once.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c, err := s.connect()
			if err == nil {
				err = errors.Join(c.migrate(more("CREATE TABLE extra1(x)", "CREATE TABLE extra2(x)", "CREATE TABLE extra3(x)")), c.close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c = connect()
	if got := tables(c); got != "extra1,extra2,extra3" {
		t.Errorf("there are %s", got)
	}
	ok(t, c.close())
	_, err := Open(path, Options{})
	wantCode(t, err, "newer-database")
}

func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "runlace.db")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := Open(path, Options{})
			if err == nil {
				_, err = s.SaveVersion(NewVersion{Name: fmt.Sprint("w", i), Code: "c", Inputs: raw("{}")})
				err = errors.Join(err, s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := open(t, path, Options{})
	if n := len(must[[]Workflow](t)(s.Workflows())); n != 8 {
		t.Errorf("%d workflows", n)
	}
}

func TestPathsWithOddNames(t *testing.T) {
	for _, name := range []string{"a b", "a%20b", "a?b#c", "ä", "a&mode=ro"} {
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue
		}
		path := filepath.Join(t.TempDir(), name, "run lace?.db")
		s := open(t, path, Options{})
		save(t, s, "report", "code")
		ok(t, s.Close())
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		open(t, path, Options{})
	}
}

func TestClose(t *testing.T) {
	s := temp(t, Options{})
	saved := save(t, s, "report", "code")
	j := start(t, s, saved.VersionID, Live)
	must[[]Workflow](t)(s.Workflows())
	ok(t, s.Close())
	ok(t, s.Close())
	if _, err := os.Stat(s.Path() + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
	if _, err := s.Workflows(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := j.Intent(read(1), false); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := s.RemoveConnector("x"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestBusy(t *testing.T) {
	s := temp(t, Options{Busy: 50 * time.Millisecond})
	saved := save(t, s, "report", "code")
	j := start(t, s, saved.VersionID, Live)
	other := must[*conn](t)(s.connect())
	ok(t, other.begin())
	wantCode(t, j.Intent(act(1), true), "store-busy")
	_, err := s.SaveVersion(NewVersion{Name: "other", Code: "c", Inputs: raw("{}")})
	wantCode(t, err, "store-busy")
	if n := len(must[[]Workflow](t)(s.Workflows())); n != 1 {
		t.Errorf("reading does not wait: %d workflows", n)
	}
	other.rollback()
	ok(t, other.close())
	ok(t, j.Intent(act(1), true))
}

func TestTimesAndIDs(t *testing.T) {
	s := temp(t, Options{Random: bytes.NewReader(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7}, 100))})
	saved := save(t, s, "report", "code")
	j := start(t, s, saved.VersionID, Live)
	ok(t, j.Intent(read(1), false))
	st := must[Step](t)(s.Step(j.Run().ID, 1))
	for id, pattern := range map[string]string{saved.WorkflowID: "wf", saved.VersionID: "wv", j.Run().ID: "run", st.ID: "st"} {
		if !regexp.MustCompile("^" + pattern + "_[0-9a-f]{12}$").MatchString(id) {
			t.Errorf("%s is not an id", id)
		}
	}
	text := ""
	ok(t, s.view(func(c *conn) error {
		_, err := c.one(func(r row) { text = r.text(0) }, "SELECT created_at FROM workflows")
		return err
	}))
	if !regexp.MustCompile(`^2026-03-01T11:00:\d\d\.123Z$`).MatchString(text) {
		t.Errorf("%s is not UTC in milliseconds", text)
	}
	if at := j.Run().StartedAt; !at.Equal(at.Truncate(time.Millisecond)) || at.Location() != time.UTC {
		t.Errorf("a run starts at %v", at)
	}
	if byID := must[Step](t)(s.StepByID(st.ID)); byID.Seq != 1 || byID.Run != j.Run().ID {
		t.Errorf("%+v", byID)
	}
}

// An id that is taken is made anew.
func TestIDCollision(t *testing.T) {
	same := bytes.Repeat([]byte{9}, 6)
	s := temp(t, Options{Random: bytes.NewReader(bytes.Join([][]byte{bytes.Repeat([]byte{1}, 18), same, same, bytes.Repeat([]byte{8}, 6)}, nil))})
	saved := save(t, s, "report", "code")
	a, b := start(t, s, saved.VersionID, Live), start(t, s, saved.VersionID, Live)
	if a.Run().ID != "run_090909090909" || b.Run().ID != "run_080808080808" {
		t.Errorf("%s, %s", a.Run().ID, b.Run().ID)
	}
}
