package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/importcfg"
)

func TestMain(m *testing.M) { connectortest.Main(m) }

func options(t *testing.T) Options {
	t.Helper()
	t.Setenv(pyright.Variable, filepath.Join(t.TempDir(), "nowhere")) // other tests check stubs
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Options{Home: h, Env: home.NewEnv([]string{"PATH=" + os.Getenv("PATH")})}
}

func create(t *testing.T, o Options) *Setup {
	t.Helper()
	s, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "FIXTURE", filepath.ToSlash(connectortest.Binary(t)))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Secrets that are only in the imported file serve for the first connection, and are written nowhere.
func TestImportedSecret(t *testing.T) {
	const secret = "tok-77ab13cd55ef9024"
	o := options(t)
	s := create(t, o)
	path := file(t, `{"mcpServers": {"a": {"command": "FIXTURE", "args": ["-only", "echo"], "env": {"A_TOKEN": "`+secret+`"}}}}`)
	imported, err := s.Import(t.Context(), Sources{From: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Discover(t.Context(), imported, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.Connected != 1 || len(r.Exports) != 1 || r.Exports[0].Var != "RUNLACE_A_A_TOKEN" || !r.Created {
		t.Errorf("%+v", r)
	}
	err = filepath.WalkDir(o.Home.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), secret) {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// Without it the next discovery has to do without the server.
	report, err := s.Sync(t.Context(), nil, nil)
	if err != nil || report.Servers[0].Code != "unset-variable" || !report.Servers[0].Stale {
		t.Errorf("%+v, %v", report, err)
	}
}

// What is configured stays, and why something is not taken is said.
func TestImportMerges(t *testing.T) {
	o := options(t)
	s := create(t, o)
	if err := o.Home.Ensure(); err != nil {
		t.Fatal(err)
	}
	text := `{"version": 2, // mine
	"connectors": {
		"a": {"transport": "stdio", "command": "mine"},
		"same": {"transport": "stdio", "command": "FIXTURE", "args": []},
		"broken": {"transport": "stdio"}}}`
	text = strings.ReplaceAll(text, "FIXTURE", filepath.ToSlash(connectortest.Binary(t)))
	if err := os.WriteFile(o.Home.Config(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s = create(t, o)
	path := file(t, `{"mcpServers": {"a": {"command": "theirs"}, "same": {"command": "FIXTURE"}, "broken": {"command": "FIXTURE"}, "new": {"command": "FIXTURE"}}}`)
	r, err := s.Import(t.Context(), Sources{From: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Imported, []string{"new"}) || r.Created || !slices.Equal(r.Kept, []string{"a", "same"}) {
		t.Errorf("%+v", r.Initialized)
	}
	reasons := map[string]string{}
	for _, x := range r.Skipped {
		reasons[x.Name] = x.Reason
	}
	for name, want := range map[string]string{"a": "other settings", "same": "it is configured already", "broken": "cannot be used"} {
		if !strings.Contains(reasons[name], want) {
			t.Errorf("%s: %q", name, reasons[name])
		}
	}
	got, err := os.ReadFile(o.Home.Config())
	if err != nil || !strings.Contains(string(got), "// mine") || !strings.Contains(string(got), `"mine"`) || !strings.Contains(string(got), `"broken"`) {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := s.Remove(t.Context(), "broken"); !errors.Is(err, fault.New("bad-config", "")) {
		t.Errorf("error %v", err)
	}
}

// Nothing is taken without a word, and what was asked is followed.
func TestSources(t *testing.T) {
	o := options(t)
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Chdir(t.TempDir())
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := create(t, o)
	if _, err := s.Import(t.Context(), Sources{Yes: true}); !errors.Is(err, fault.New("nothing-to-import", "")) {
		t.Errorf("error %v", err)
	}
	write(filepath.Join(dir, ".claude.json"), "{ this is not JSON")
	if _, err := s.Import(t.Context(), Sources{Yes: true}); !errors.Is(err, fault.New("nothing-to-import", "")) || !strings.Contains(err.Error(), ".claude.json") {
		t.Errorf("error %v", err)
	}
	write(filepath.Join(dir, ".cursor", "mcp.json"), `{"mcpServers": {"a": {"command": "a"}}}`)
	write(".mcp.json", `{"mcpServers": {"b": {"command": "b"}}}`)
	if _, err := s.Import(t.Context(), Sources{}); !errors.Is(err, fault.New("bad-usage", "")) {
		t.Errorf("error %v", err)
	}
	no := func(importcfg.Source, []importcfg.Entry) (bool, error) { return false, nil }
	if _, err := s.Import(t.Context(), Sources{Ask: no}); !errors.Is(err, fault.New("nothing-to-import", "")) || !strings.Contains(err.Error(), "selected") {
		t.Errorf("error %v", err)
	}
	asked := 0
	r, err := s.Import(t.Context(), Sources{Ask: func(f importcfg.Source, entries []importcfg.Entry) (bool, error) {
		asked++
		return !f.Project && len(entries) == 1, nil
	}})
	if err != nil || asked != 2 || !slices.Equal(r.Imported, []string{"a"}) || len(r.Sources) != 3 {
		t.Errorf("asked %d times: %+v, %v", asked, r, err)
	}
	if r, err = s.Import(t.Context(), Sources{Yes: true}); err != nil || len(r.Imported) != 0 || !r.Sources[2].Untrusted {
		t.Errorf("a file of the folder is not the user's: %+v, %v", r, err)
	}
	if r, err = s.Import(t.Context(), Sources{Yes: true, Trust: true}); err != nil || !slices.Equal(r.Imported, []string{"b"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestEntry(t *testing.T) {
	c, err := Entry{Name: "a", URL: "https://example.com", Headers: []string{"X-A:  b: c "}, Transport: "sse"}.Connector()
	if err != nil || c.Transport != config.SSE || c.Headers["X-A"] != "b: c" {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = Entry{Name: "a", Command: "x", Env: []string{"A=b=c"}}.Connector()
	if err != nil || c.Transport != config.Stdio || c.Env["A"] != "b=c" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err = (Entry{Name: "a\nb", Command: "x"}).Connector(); err == nil {
		t.Error("a name of two lines")
	}
}
