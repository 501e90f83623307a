package importcfg

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

var update = flag.Bool("update", false, "write the golden files anew")

// machine has a home and a project that are the same on every computer.
func machine() Machine {
	return Machine{OS: "linux", Home: filepath.FromSlash("/home/ada"), Dir: filepath.FromSlash("/work/shop"), Env: home.NewEnv(nil)}
}

// show writes what came of a file, for the golden files.
func show(entries []Entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s   (%s)\n", e.Name, e.Where)
		if e.Skipped != "" {
			fmt.Fprintf(&b, "  skipped: %s\n", e.Skipped)
			continue
		}
		c := e.Connector
		c.Name, c.Source = "", ""
		j := &strings.Builder{}
		enc := json.NewEncoder(j)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c); err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "  %s", strings.Replace(j.String(), `"name":"",`, "", 1))
		for _, n := range e.Notes {
			fmt.Fprintf(&b, "  note: %s\n", n)
		}
		for _, x := range e.Exports {
			fmt.Fprintf(&b, "  %s\n", x.Instruction())
		}
	}
	return b.String()
}

// Each file in testdata is a configuration as a client writes it; what is made of it stands beside it. All secrets in them have hunter2 in
// their value.
func TestClients(t *testing.T) {
	files := clientFiles(t)
	paths := map[string]string{ // where the file lies on the machine
		"claude-code.json": "/home/ada/.claude.json", "claude-project.json": "/work/shop/.mcp.json", "claude-desktop.json": "/home/ada/.config/Claude/claude_desktop_config.json",
		"cursor.json": "/home/ada/.cursor/mcp.json", "cursor-project.json": "/work/shop/.cursor/mcp.json", "vscode.json": "/home/ada/.config/Code/User/mcp.json",
		"vscode-project.json": "/work/shop/.vscode/mcp.json", "windsurf.json": "/home/ada/.codeium/windsurf/mcp_config.json",
		"runlace-1.json": "/home/ada/.runlace/config.json", "odd.json": "/tmp/odd.json",
		"codex.toml": "/home/ada/.codex/config.toml", "codex-project.toml": "/work/shop/.codex/config.toml", "gemini.json": "/home/ada/.gemini/settings.json",
		"zed.json": "/home/ada/.config/zed/settings.json", "opencode.jsonc": "/home/ada/.config/opencode/opencode.jsonc", "opencode-project.json": "/work/shop/opencode.json",
		"goose.yaml": "/home/ada/.config/goose/config.yaml", "continue.yaml": "/home/ada/.continue/config.yaml", "continue-old.json": "/home/ada/.continue/config.json",
		"continue-block.yaml": "/work/shop/.continue/mcpServers/playwright.yaml", "lm-studio.json": "/home/ada/.lmstudio/mcp.json", "junie.json": "/work/shop/.junie/mcp/mcp.json",
		"claude-desktop-windows.json": "/home/ada/AppData/Roaming/Claude/claude_desktop_config.json",
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path := paths[filepath.Base(file)]
			if path == "" {
				t.Fatal("where does it lie?")
			}
			m := machine()
			if strings.Contains(file, "windows") {
				m.OS = "windows"
			}
			entries, err := parse(m, path, text)
			if err != nil {
				t.Fatal(err)
			}
			got := show(entries)
			all := fmt.Sprintf("%s %+v %#v", got, entries, entries)
			if strings.Contains(all, "hunter2") {
				t.Errorf("a secret got through:\n%s", got)
			}
			goldenFile := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden"
			if *update {
				if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(goldenFile)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s (go test -update writes it anew):\n%s", goldenFile, d)
			}
			for _, e := range entries {
				if (e.Skipped == "") != (e.Connector.Name != "") {
					t.Errorf("%s: neither taken nor skipped", e.Name)
				}
				if e.Skipped == "" && e.Connector.Check() != nil {
					t.Errorf("%s: %v", e.Name, e.Connector.Check())
				}
			}
			// What came of it can be saved: there is no secret in it.
			f := config.New()
			for _, c := range Merge(entries).Connectors {
				f.Set(c)
			}
			if err := f.Save(filepath.Join(t.TempDir(), "config.json")); err != nil {
				t.Error(err)
			}
		})
	}
}

// clientFiles are the files of all clients in testdata.
func clientFiles(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.*")
	all = slices.DeleteFunc(all, func(f string) bool { return filepath.Ext(f) == ".golden" })
	if err != nil || len(all) == 0 {
		t.Fatal("no files", err)
	}
	return all
}

func TestPlaces(t *testing.T) {
	for _, os := range []string{"linux", "darwin", "windows"} {
		m := machine()
		m.OS = os
		if os == "windows" {
			m.Env = home.NewEnv([]string{"APPDATA=/home/ada/Roaming", "LOCALAPPDATA=/home/ada/Local"})
		}
		var b strings.Builder
		for _, s := range Places(m) {
			whose := "user"
			if s.Project {
				whose = "project"
			}
			fmt.Fprintf(&b, "%-22s %-8s %s\n", s.Client, whose, filepath.ToSlash(s.Path))
		}
		file := "testdata/places-" + os + ".golden"
		if *update {
			if err := writeFile(file, b.String()); err != nil {
				t.Fatal(err)
			}
		}
		want, err := readFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Error(d)
		}
	}
	if n := len(Places(Machine{OS: "linux", Dir: "/work", Env: home.NewEnv(nil)})); n != len(projectFiles)+1 { // and one for all users of the machine
		t.Errorf("without a home there are the project's files: %d", n)
	}
	moved := machine()
	moved.Env = home.NewEnv([]string{"CLAUDE_CONFIG_DIR=/c", "XDG_CONFIG_HOME=/x"})
	if p := Places(moved); p[0].Path != filepath.FromSlash("/c/.claude.json") || p[2].Path != filepath.FromSlash("/x/Claude/claude_desktop_config.json") {
		t.Error(p[:3])
	}
}

func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }

func readFile(path string) (string, error) {
	b, err := os.ReadFile(path)
	return string(b), err
}

func put(t *testing.T, text string, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(path, text); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSources(t *testing.T) {
	m := Machine{OS: "windows", Home: filepath.Join(t.TempDir(), "[a]da"), Dir: t.TempDir(), Env: home.NewEnv(nil)}
	if s := Sources(m); len(s) != 0 {
		t.Error(s)
	}
	want := []Source{
		{"Claude Code", put(t, "{}", m.Home, ".claude.json"), false},
		{"Claude Desktop", put(t, "{}", m.Home, "AppData", "Local", "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json"), false},
		{"VS Code", put(t, "{}", m.Home, "AppData", "Roaming", "Code", "User", "profiles", "-1a2b", "mcp.json"), false},
		{"Windsurf", put(t, "{}", m.Home, ".codeium", "windsurf", "mcp_config.json"), false},
		{"Claude Code", put(t, "{}", m.Dir, ".mcp.json"), true},
	}
	if err := os.MkdirAll(filepath.Join(m.Dir, ".vscode", "mcp.json"), 0o700); err != nil { // a folder
		t.Fatal(err)
	}
	if d := cmp.Diff(want, Sources(m)); d != "" {
		t.Error(d)
	}
	same := Machine{OS: "linux", Home: m.Home, Dir: m.Home, Env: home.NewEnv(nil)}
	put(t, "{}", m.Home, ".cursor", "mcp.json")
	n := 0
	for _, s := range Sources(same) {
		if s.Client == "Cursor" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("a file is one source, also where the project is the home: %d", n)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	m := machine()
	for name, c := range map[string]struct{ text, code string }{
		"bad.json": {`{"mcpServers": {"a": {"env": {"T": "hunter2\q"}}}}`, "bad-config"}, "list.json": {`[]`, "bad-config"}, "binary.json": {"\x00\xff\xfe", "bad-config"}, "empty.json": {"", ""}, "other.json": {`{"a": 1}`, ""},
	} {
		entries, err := Read(m, put(t, c.text, dir, name))
		if len(entries) != 0 || err == nil && c.code != "" || err != nil && fault.Of(err).Code != c.code {
			t.Errorf("%s: %v, %v", name, entries, err)
		}
		if err != nil && (strings.Contains(fmt.Sprint(err, fault.Of(err).Detail), "hunter2") || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(m, filepath.Join(dir, "missing")); fault.Of(err).Code != "no-such-file" {
		t.Error(err)
	}
	if _, err := Read(m, dir); fault.Of(err).Code != "bad-config" {
		t.Error(err)
	}
	// UTF-16, as a Windows tool writes it
	utf16 := "\xFF\xFE"
	for _, r := range `{"mcpServers": {"a": {"command": "x"}}}` {
		utf16 += string([]byte{byte(r), 0})
	}
	path := put(t, utf16, dir, "utf16.json")
	entries, err := Read(m, path)
	if err != nil || len(entries) != 1 || entries[0].Connector.Command != "x" || entries[0].Connector.Source != path {
		t.Errorf("%v, %v", entries, err)
	}
	if b, _ := readFile(path); b != utf16 {
		t.Error("the file was written")
	}
}

// A server of a project starts in the project's folder, if it is another one elsewhere.
func TestFolder(t *testing.T) {
	project := t.TempDir()
	put(t, "", project, "server.py")
	put(t, "", project, "tools", "run")
	path := put(t, `{"mcpServers": {
		"file": {"command": "python", "args": ["server.py"]},
		"relative": {"command": "./tools/run"},
		"option": {"command": "node", "args": ["--root", "."]},
		"uv": {"command": "uv", "args": ["run", "x"]},
		"npx": {"command": "npx", "args": ["-y", "@scope/x", "/abs"]},
		"own": {"command": "./tools/run", "cwd": "tools", "envFile": ".env"}
	}}`, project, ".mcp.json")
	entries, err := Read(machine(), path)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		got[e.Name] = e.Connector.Dir
		if e.Name == "own" && e.Connector.EnvFile != filepath.Join(project, ".env") {
			t.Error(e.Connector.EnvFile)
		}
	}
	want := map[string]string{"file": project, "relative": project, "option": project, "uv": project, "npx": "", "own": filepath.Join(project, "tools")}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestIsRunlace(t *testing.T) {
	for line, want := range map[string]bool{
		"runlace serve": true, "/usr/local/bin/runlace serve": true, `C:\Tools\Runlace.EXE serve`: true, "bin/runlace-linux-amd64 serve": true, "./runlace": true,
		"go run ./cmd/runlace serve": true, "go run github.com/runlace/runlace/cmd/runlace@latest serve": true, "go -C /work run -race cmd/runlace": true, "go run ./cmd/runlace/main.go": true,
		"npx -y runlace serve": true, "uvx runlace serve": true, "uvx --from runlace runlace serve": true, "uv run --directory /x runlace serve": true, "uv tool run runlace": true, "pipx run runlace": true,
		"python -m runlace serve": true, "python3 -I -m runlace.cli": true, "env A=b runlace serve": true, "docker run -i --rm -e A=b runlace:latest": true, "docker run ghcr.io/runlace/runlace": true,
		"nice -n 5 runlace serve": true, "cmd /c runlace serve": true, "cmd /c npx runlace": true, "runlace@1.2": true,

		"npx -y server-filesystem /home/ada/runlace": false, "npx -y runlace-helper": false, "uvx mcp-server-git --repository runlace": false, "go run ./cmd/other runlace": false, "go test runlace": false,
		"python runlace": false, "node /src/runlace/server.js": false, "docker run -v runlace:/data img": false, "docker ps runlace": false, "sh": false, "env": false, "go": false, "git runlace": false,
		"/opt/runlace/other": false, "python -m other runlace": false,
	} {
		words := strings.Fields(line)
		c := config.Connector{Name: "x", Transport: config.Stdio, Command: words[0], Args: words[1:]}
		if got := isRunlace(c) != ""; got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	for _, script := range []string{"runlace serve", "exec runlace serve", "cd /x && runlace serve", "A=b runlace serve", "npx runlace"} {
		for _, shell := range []string{"sh", "/bin/bash"} {
			if isRunlace(config.Connector{Transport: config.Stdio, Command: shell, Args: []string{"-c", script}}) == "" {
				t.Errorf("%s -c %q", shell, script)
			}
		}
	}
	for _, c := range []struct {
		name, url string
		want      bool
	}{{"Runlace", "http://127.0.0.1:8000/mcp", true}, {"runlace", "http://localhost:8000/mcp", true}, {"runlace", "http://[::1]:8000/mcp", true}, {"other", "http://127.0.0.1:8000/mcp", false}, {"runlace", "https://runlace.example/mcp", false}} {
		if got := isRunlace(config.Connector{Name: c.name, Transport: config.HTTP, URL: c.url}) != ""; got != c.want {
			t.Errorf("%v", c)
		}
	}
}

func TestMerge(t *testing.T) {
	read := func(path, text string) []Entry {
		entries, err := parse(machine(), path, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	entries := read("/home/ada/.claude.json", `{"mcpServers": {
		"zoo": {"command": "z"},
		"github": {"command": "gh", "env": {"GITHUB_TOKEN": "hunter2-one"}},
		"off": {"command": "o", "disabled": true},
		"a-b": {"command": "x", "env": {"K_TOKEN": "hunter2-a"}},
		"runlace": {"command": "runlace", "args": ["serve"]}}}`)
	entries = append(entries, read("/home/ada/.cursor/mcp.json", `{"mcpServers": {
		"github": {"command": "gh", "env": {"GITHUB_TOKEN": "hunter2-two"}},
		"zoo": {"command": "z", "timeout": 60},
		"off": {"command": "o"},
		"a_b": {"command": "x", "env": {"K_TOKEN": "hunter2-b"}},
		"bad": {"type": "ws", "url": "wss://x"}}}`)...)
	entries = append(entries, read("/work/shop/.mcp.json", `{"mcpServers": {
		"github": {"command": "gh", "env": {"GITHUB_TOKEN": "hunter2-two"}},
		"github_2": {"command": "other"}}}`)...)
	m := Merge(entries)
	var got []string
	for _, c := range m.Connectors {
		got = append(got, fmt.Sprint(c.Name, " ", c.Command, " ", c.Env, " ", c.Disabled))
	}
	want := []string{
		"a-b x map[K_TOKEN:${RUNLACE_A_B_K_TOKEN}] false",
		"a_b x map[K_TOKEN:${RUNLACE_A_B_2_K_TOKEN}] false",
		"github gh map[GITHUB_TOKEN:${RUNLACE_GITHUB_GITHUB_TOKEN}] false",
		"github_2 other map[] false",
		"github_3 gh map[GITHUB_TOKEN:${RUNLACE_GITHUB_3_GITHUB_TOKEN}] false",
		"off o map[] false",
		"zoo z map[] false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = nil
	for _, s := range m.Skipped {
		got = append(got, s.Name+": "+s.Skipped)
	}
	want = []string{
		"runlace: it is Runlace itself",
		"zoo: it is the same as in /home/ada/.claude.json",
		"off: it is the same as in /home/ada/.claude.json",
		"bad: WebSocket is not supported: stdio, streamable HTTP and SSE are",
		"github: it is the same as in /home/ada/.cursor/mcp.json",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(m.Notes) != 1 || m.Notes[0].Connector != "github_3" || !strings.Contains(m.Notes[0].Text, "mcpServers.github of /home/ada/.cursor/mcp.json") {
		t.Error(m.Notes)
	}
	// The first connection can do without the export, and what the user has set goes over it.
	env := m.Env(home.NewEnv([]string{"RUNLACE_A_B_K_TOKEN=mine"}))
	for name, value := range map[string]string{"RUNLACE_A_B_K_TOKEN": "mine", "RUNLACE_A_B_2_K_TOKEN": "hunter2-b", "RUNLACE_GITHUB_GITHUB_TOKEN": "hunter2-one", "RUNLACE_GITHUB_3_GITHUB_TOKEN": "hunter2-two"} {
		if v, _ := env.Lookup(name); v != value {
			t.Errorf("%s: %q", name, v)
		}
	}
	if u := m.Unset(home.NewEnv([]string{"RUNLACE_A_B_K_TOKEN="})); len(m.Exports) != 4 || len(u) != 3 {
		t.Errorf("%d, %d", len(m.Exports), len(u))
	}
	if s := fmt.Sprintf("%+v %#v", m, m); strings.Contains(s, "hunter2") {
		t.Error("a secret is printed")
	}
	j, err := json.Marshal(m)
	if err != nil || strings.Contains(string(j), "hunter2") {
		t.Error("a secret is in the JSON", err)
	}
	again := Merge(entries)
	if d := cmp.Diff(m.Connectors, again.Connectors); d != "" {
		t.Error("it does not come out the same:", d)
	}
}
