package setup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/importcfg"
)

// imported takes a file over and asks its servers.
func imported(t *testing.T, o Options, name, text string) (*Setup, *Initialized) {
	t.Helper()
	s := create(t, o)
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "FIXTURE", filepath.ToSlash(connectortest.Binary(t)))), 0o600); err != nil {
		t.Fatal(err)
	}
	i, err := s.Import(t.Context(), Sources{From: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Discover(t.Context(), i, true)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

func find(t *testing.T, r *Initialized, name string) discovery.Server {
	t.Helper()
	i := slices.IndexFunc(r.Servers, func(s discovery.Server) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no server %s in %+v", name, r.Servers)
	}
	return r.Servers[i]
}

// about is what the fixture says about itself.
type about struct {
	Dir  string
	Args []string
	Env  []string
}

// ask opens a connector as a run does, and asks the fixture about itself.
func ask(t *testing.T, s *Setup, name string) about {
	t.Helper()
	c, ok := s.config.Find(name)
	if !ok {
		t.Fatalf("no connector %s", name)
	}
	c, secrets, err := config.Resolve(c, s.options.Env)
	if err != nil {
		t.Fatal(err)
	}
	session, err := connector.Open(t.Context(), c, connector.Options{Secrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	result, err := session.Call(t.Context(), "about", json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	var block struct{ Text string }
	var a about
	if len(result.Content) != 1 || json.Unmarshal(result.Content[0], &block) != nil || json.Unmarshal([]byte(block.Text), &a) != nil {
		t.Fatalf("%s", result.Content)
	}
	return a
}

func TestFieldFault74_DisplayNameWithASpace(t *testing.T) {
	_, r := imported(t, options(t), "config.yaml", "mcpServers:\n  - name: Google Sheets\n    command: FIXTURE\n    args: [-only, echo]\n")
	if s := find(t, r, "Google Sheets"); s.Status != discovery.Connected || s.Tools != 1 {
		t.Errorf("%+v", s)
	}
	if id := catalog.Identifier(catalog.Connector, "Google Sheets"); id != "Google_Sheets" {
		t.Errorf("Python writes it as %s", id)
	}
}

func TestFieldFault155_OnlyThatConnectorIsOff(t *testing.T) {
	s, r := imported(t, options(t), "mcp.json", `{"mcpServers": {
		"waits": {"url": "https://docs.example/mcp", "headers": {"Authorization": "Bearer ${FIELD_FAULT_155}"}},
		"works": {"command": "FIXTURE", "args": ["-only", "echo"]}}}`)
	waits, works := find(t, r, "waits"), find(t, r, "works")
	if waits.Status != discovery.Skipped || waits.Code != "unset-variable" || !strings.Contains(waits.Detail, "FIELD_FAULT_155 is not set (in connectors.waits.headers.Authorization of "+s.options.Home.Config()) {
		t.Errorf("%+v", waits)
	}
	if works.Status != discovery.Connected || works.Tools != 1 {
		t.Errorf("%+v", works)
	}
}

// A cloned folder names a command and a secret: nothing of it is started before the user says that it is trusted.
func TestFieldFault160_ProjectFilesNeedTrust(t *testing.T) {
	o := options(t)
	dir, marker := t.TempDir(), filepath.Join(t.TempDir(), "acts")
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "none"))
	t.Chdir(t.TempDir())
	text := `{"mcpServers": {"cloned": {"command": "FIXTURE", "args": ["-only", "echo", "-child", "MARKER"], "env": {"K": "${PATH}"}}}}`
	text = strings.NewReplacer("FIXTURE", filepath.ToSlash(connectortest.Binary(t)), "MARKER", filepath.ToSlash(marker)).Replace(text)
	if err := os.WriteFile(".mcp.json", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := create(t, o)
	started := func() bool { _, err := os.Stat(marker); return err == nil }
	for name, src := range map[string]Sources{
		"yes":     {Yes: true},
		"nobody":  {},
		"refused": {Ask: func(importcfg.Source, []importcfg.Entry) (bool, error) { return false, nil }},
	} {
		if i, err := s.Import(t.Context(), src); fault.Of(err) == nil || i != nil || started() {
			t.Errorf("%s: %v, %v, started: %v", name, i, err, started())
		}
	}
	i, err := s.Import(t.Context(), Sources{Trust: true, Yes: true})
	if err != nil || !slices.Equal(i.Imported, []string{"cloned"}) || started() {
		t.Fatalf("%+v, %v", i, err)
	}
	r, err := s.Discover(t.Context(), i, true)
	if err != nil {
		t.Fatal(err)
	}
	if cloned := find(t, r, "cloned"); cloned.Status != discovery.Connected || !started() {
		t.Errorf("%+v, started: %v", cloned, started())
	}
}

// Arguments reach the program as they stand in the file; on Windows package cmdline writes them for cmd.exe.
func TestFieldFault166_ArgumentsReachTheProgram(t *testing.T) {
	args := []string{`C:\Work Dir\A & B`, "100%", "%PATH%", `say "hi"`, "a'b", "", `C:\Dir\`, "$HOME", "*"}
	list, err := json.Marshal(append([]string{"-only", "about", "--"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := imported(t, options(t), "mcp.json", `{"mcpServers": {"a": {"command": "FIXTURE", "args": `+string(list)+`}}}`)
	if got := ask(t, s, "a").Args; len(got) < len(args) || !slices.Equal(got[len(got)-len(args):], args) {
		t.Errorf("the program gets %q", got)
	}
}

// Where a server starts, its variables from a file, and its own times are honoured when it runs.
func TestSettingsAtRunTime(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "server.env"), []byte("# comment\nexport FROM_FILE=\"a b # c\"\nBOTH=file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, _ := json.Marshal(dir)
	s, _ := imported(t, options(t), "mcp.json", `{"mcpServers": {
		"a": {"command": "FIXTURE", "args": ["-only", "about"], "cwd": `+string(folder)+`, "envFile": "`+filepath.ToSlash(filepath.Join(dir, "server.env"))+`", "env": {"BOTH": "own"}}}}`)
	a := ask(t, s, "a")
	if !slices.Contains(a.Env, "FROM_FILE=a b # c") || !slices.Contains(a.Env, "BOTH=own") || filepath.Base(a.Dir) != filepath.Base(dir) {
		t.Errorf("%+v", a)
	}
	_, r := imported(t, options(t), "config.toml", "[mcp_servers.slow]\ncommand = 'FIXTURE'\nargs = ['-hang-start']\nstartup_timeout_sec = 0.3\ntool_timeout_sec = 600\n")
	if slow := find(t, r, "slow"); slow.Code != "call-timeout" && slow.Code != "connector-unreachable" || !strings.Contains(slow.Detail, "within 300ms") {
		t.Errorf("%+v", slow)
	}
}
