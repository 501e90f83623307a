package importcfg

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/home"
)

// one reads a file that has one entry.
func one(t *testing.T, path, text string) Entry {
	t.Helper()
	entries, err := parse(machine(), path, []byte(text))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	return entries[0]
}

func TestFieldFault149_UrlMeansHTTP(t *testing.T) {
	e := one(t, "/home/ada/.codex/config.toml", "[mcp_servers.docs]\nurl = \"https://docs.example/mcp\"\nbearer_token_env_var = \"DOCS_TOKEN\"\n")
	if e.Connector.Transport != config.HTTP || e.Connector.Command != "" || e.Connector.Headers["Authorization"] != "Bearer ${DOCS_TOKEN}" {
		t.Errorf("%+v", e)
	}
	// The name is read when the connection opens, and not before.
	for _, value := range []string{"first", "second"} {
		c, secrets, err := config.Resolve(e.Connector, home.NewEnv([]string{"DOCS_TOKEN=" + value}))
		if err != nil || c.Headers["Authorization"] != "Bearer "+value || !slices.Contains(secrets, value) {
			t.Errorf("%s: %v, %v", value, c.Headers, err)
		}
	}
}

func TestFieldFault151_LegacyAddressIsSaid(t *testing.T) {
	e := one(t, "/home/ada/.cursor/mcp.json", `{"mcpServers": {"old": {"url": "https://mcp.example/sse"}}}`)
	if e.Connector.Transport != config.SSE || e.Connector.Command != "" ||
		len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "older transport") || !strings.Contains(e.Notes[0], "ask its provider for a streamable HTTP address") {
		t.Errorf("%+v", e)
	}
}

func TestFieldFault152_EachEntryHasItsResult(t *testing.T) {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, `"s%02d": {"command": "server-%d"},`, i, i)
	}
	entries, err := parse(machine(), "/home/ada/.cursor/mcp.json", []byte(`{"mcpServers": {`+b.String()+`"http": {"url": "https://mcp.example/mcp"}, "bad": {"command": 7}}}`))
	if err != nil {
		t.Fatal(err)
	}
	rows := Merge(entries).Rows
	if len(rows) != 14 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		if r.Name != entries[i].Name || r.Name != "bad" && (r.Result != Taken || r.Connector != r.Name || r.Reason != "") {
			t.Errorf("%+v", r)
		}
	}
	want := Row{Name: "bad", Source: "/home/ada/.cursor/mcp.json", Where: "mcpServers.bad", Result: NotTaken, Reason: "command is a number, and not text", Notes: []string{}}
	if d := cmp.Diff(want, rows[13]); d != "" {
		t.Error(d)
	}
}

func TestFieldFault160_ReadingExpandsNothing(t *testing.T) {
	t.Setenv("DEPLOY_KEY", "hunter2-of-the-user")
	m := machine()
	m.Env = home.NewEnv(os.Environ())
	for path, text := range map[string]string{
		"/work/shop/.mcp.json":             `{"mcpServers": {"x": {"command": "sh", "args": ["-c", "echo ${DEPLOY_KEY}"], "env": {"K": "${DEPLOY_KEY}"}}}}`,
		"/work/shop/.codex/config.toml":    "[mcp_servers.x]\nurl = 'https://x.example'\nbearer_token_env_var = 'DEPLOY_KEY'",
		"/work/shop/.gemini/settings.json": `{"mcpServers": {"x": {"command": "sh", "args": ["$DEPLOY_KEY"]}}}`,
		"/work/shop/opencode.json":         `{"mcp": {"x": {"type": "local", "command": ["sh", "{env:DEPLOY_KEY}"]}}}`,
	} {
		entries, err := parse(m, path, []byte(text))
		if err != nil || len(entries) != 1 || entries[0].Skipped != "" {
			t.Fatalf("%s: %v, %v", path, entries, err)
		}
		if all := fmt.Sprintf("%+v %+v", entries, Merge(entries)); strings.Contains(all, "hunter2") || !strings.Contains(all, "${DEPLOY_KEY}") {
			t.Errorf("%s: %s", path, all)
		}
	}
	for _, s := range Places(m) {
		if s.Project != strings.HasPrefix(s.Path, m.Dir+string(filepath.Separator)) {
			t.Errorf("%s: whose is it?", s.Path)
		}
	}
}

// Reading writes nothing: every byte and the time of each client's file stay as they are.
func TestFieldFault161_OtherFilesAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	m := Machine{OS: "linux", Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "project"), Env: home.NewEnv(nil)}
	then := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	want := map[string]string{}
	for _, file := range clientFiles(t) {
		text, err := readFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path := put(t, text, m.Home, filepath.Base(file))
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		want[path] = text
	}
	for path := range want {
		entries, err := Read(m, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		Merge(entries)
	}
	for path, text := range want {
		info, err := os.Stat(path)
		if got, _ := readFile(path); err != nil || got != text || !info.ModTime().Equal(then) {
			t.Errorf("%s was written: %v", path, err)
		}
	}
	files, err := os.ReadDir(m.Home)
	if err != nil || len(files) != len(want) {
		t.Errorf("%d files, %v", len(files), err)
	}
}

func TestFieldFault163_PackagedDesktopApp(t *testing.T) {
	m := Machine{OS: "windows", Home: t.TempDir(), Dir: t.TempDir(), Env: home.NewEnv(nil)}
	packaged := put(t, `{"mcpServers": {"a": {"command": "a.exe"}}}`, m.Home, "AppData", "Local", "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	found := Sources(m)
	if d := cmp.Diff([]Source{{"Claude Desktop", packaged, false}}, found); d != "" {
		t.Fatal(d)
	}
	entries, err := Read(m, found[0].Path)
	if err != nil || len(entries) != 1 || entries[0].Source != packaged || Merge(entries).Rows[0].Source != packaged {
		t.Errorf("which file it was is said: %+v, %v", entries, err)
	}
	classic := put(t, `{}`, m.Home, "AppData", "Roaming", "Claude", "claude_desktop_config.json")
	if d := cmp.Diff([]Source{{"Claude Desktop", classic, false}, {"Claude Desktop", packaged, false}}, Sources(m)); d != "" {
		t.Error("both are looked at:", d)
	}
}

func TestFieldFault164_SameNameTwice(t *testing.T) {
	user, err := parse(machine(), "/home/ada/.claude.json", []byte(`{"mcpServers": {"github": {"command": "mine"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	project, err := parse(machine(), "/work/shop/.mcp.json", []byte(`{"mcpServers": {"github": {"command": "theirs"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	m := Merge(append(user, project...))
	if len(m.Connectors) != 2 || m.Connectors[0].Name != "github" || m.Connectors[0].Command != "mine" || m.Connectors[1].Name != "github_2" || m.Connectors[1].Command != "theirs" {
		t.Errorf("%+v", m.Connectors)
	}
	want := "it is called github in mcpServers.github of /work/shop/.mcp.json; another github is in mcpServers.github of /home/ada/.claude.json"
	if len(m.Notes) != 1 || m.Notes[0].Connector != "github_2" || m.Notes[0].Text != want || m.Rows[1].Connector != "github_2" {
		t.Errorf("%+v", m.Notes)
	}
}

func TestFieldFault166_ArgumentsStayWhole(t *testing.T) {
	args := []string{`C:\Work Dir\A & B`, "100%", "%PATH%", `say "hi"`, "a'b", "", `C:\Dir\`}
	for path, text := range map[string]string{
		"/x.json": `{"mcpServers": {"x": {"command": "npx.cmd", "args": ["C:\\Work Dir\\A & B", "100%", "%PATH%", "say \"hi\"", "a'b", "", "C:\\Dir\\"]}}}`,
		"/x.toml": "[mcp_servers.x]\ncommand = 'npx.cmd'\nargs = ['C:\\Work Dir\\A & B', '100%', '%PATH%', 'say \"hi\"', \"a'b\", '', 'C:\\Dir\\']",
		"/x.yaml": "extensions:\n  x:\n    cmd: npx.cmd\n    args:\n    - C:\\Work Dir\\A & B\n    - 100%\n    - '%PATH%'\n    - say \"hi\"\n    - a'b\n    - ''\n    - C:\\Dir\\\n",
	} {
		if d := cmp.Diff(args, one(t, path, text).Connector.Args); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
}

// What the user has switched off in Claude Code stays off, and what is said beside a project's file counts.
func TestDisabledElsewhere(t *testing.T) {
	dir := t.TempDir()
	m := Machine{OS: "linux", Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "project"), Env: home.NewEnv(nil)}
	path := put(t, `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}, "c": {"command": "c"}, "d": {"command": "d"}}}`, m.Dir, ".mcp.json")
	put(t, `{"disabledMcpjsonServers": ["a"]}`, m.Dir, ".claude", "settings.json")
	put(t, `{"disabledMcpjsonServers": ["b"]}`, m.Dir, ".claude", "settings.local.json")
	put(t, fmt.Sprintf(`{"projects": {%q: {"disabledMcpjsonServers": ["c"]}}}`, m.Dir), m.Home, ".claude.json")
	entries, err := Read(m, path)
	if err != nil {
		t.Fatal(err)
	}
	var off []string
	for _, e := range entries {
		if e.Connector.Disabled {
			off = append(off, e.Name)
		}
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, off); d != "" {
		t.Error(d)
	}
	e := one(t, "/home/ada/.gemini/settings.json", `{"mcp": {"allowed": ["y"]}, "mcpServers": {"x": {"command": "x"}}}`)
	if !e.Connector.Disabled {
		t.Error("it is not among the allowed")
	}
}
