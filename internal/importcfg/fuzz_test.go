package importcfg

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
)

// sound is what has to be true of every file, whatever is in it: no crash, every entry is taken or has a reason, what is taken can be
// saved, no secret that has a telling name is in it. It returns the names of the entries, or nil for a file that cannot be read.
func sound(t *testing.T, path, text string) map[string]bool {
	t.Helper()
	entries, err := parse(machine(), path, []byte(text))
	if err != nil {
		if fault.Of(err).Code != "bad-config" {
			t.Fatal(err)
		}
		return nil
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name] = true
		if e.Skipped == "" && e.Connector.Name == "" {
			t.Fatalf("%q is neither taken nor skipped", e.Name)
		}
	}
	m := Merge(entries)
	if len(m.Connectors)+len(m.Skipped) != len(entries) {
		t.Fatalf("%d entries, %d taken, %d skipped", len(entries), len(m.Connectors), len(m.Skipped))
	}
	for _, s := range m.Skipped {
		if s.Skipped == "" {
			t.Fatal("no reason")
		}
	}
	file := config.New()
	for _, c := range m.Connectors {
		if file.Set(c) {
			t.Fatalf("%q is there twice", c.Name)
		}
	}
	for _, c := range m.Connectors { // as Save does, which would wait for the disk
		if err := errors.Join(c.Check(), c.CheckReferences()); err != nil || len(c.LiteralSecrets()) > 0 {
			t.Fatalf("%v, %v in %+v of %q", err, c.LiteralSecrets(), c, text)
		}
	}
	return names
}

// lost reports which of the servers that another reader of the format finds has no entry.
func lost(t *testing.T, names map[string]bool, section any, text string) {
	t.Helper()
	servers, ok := section.(map[string]any)
	if !ok || names == nil {
		return
	}
	for name := range servers {
		if !names[printable(name)] {
			t.Fatalf("%q has no entry in %q", name, text)
		}
	}
}

func addFiles(f *testing.F, kind string) {
	for _, file := range clientFiles(f) {
		if format(file) != kind {
			continue
		}
		if text, err := readFile(file); err == nil {
			f.Add(text)
		}
	}
}

func FuzzRead(f *testing.F) {
	addFiles(f, "JSON")
	f.Add(`{"servers": {"a": {"url": "https://${input:x}/", "headers": {"A": "${env:B}${C:-d}${"}}}, "inputs": [{"id": "x", "default": "}"}]}`)
	f.Add(`{"mcpServers": {"sh": {"command": "sh", "args": ["-c", "exec"]}, "e": {"command": "env", "args": ["A=b"]}, "go": {"command": "go", "args": ["run"]}}}`)
	f.Add(`{"mcpServers": {"a": {"transport": {"transport": {"type": "sse"}}, "config": {"config": {"cmd": ["x"]}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		names := sound(t, "/work/shop/.vscode/mcp.json", text)
		var doc map[string]any
		if json.Unmarshal([]byte(text), &doc) == nil {
			for _, section := range []string{"mcpServers", "servers", "context_servers", "mcp_servers", "connectors"} {
				lost(t, names, doc[section], text)
			}
		}
		for _, path := range []string{"/home/ada/.gemini/settings.json", "/work/shop/opencode.json"} {
			sound(t, path, text)
		}
	})
}

func FuzzTOML(f *testing.F) {
	addFiles(f, "TOML")
	f.Add("mcp_servers.a.command = 'x'\nmcp_servers.\"b.c\".url = \"https://x\"\n[[mcp_servers.d]]\nk = 1979-05-27T07:32:00Z\nf = [inf, -nan, 1e400]")
	f.Fuzz(func(t *testing.T, text string) {
		names := sound(t, "/home/ada/.codex/config.toml", text)
		doc := map[string]any{}
		if names != nil {
			if _, err := toml.Decode(text, &doc); err != nil {
				t.Fatalf("%v, and it was read: %q", err, text)
			}
			lost(t, names, doc["mcp_servers"], text)
		}
	})
}

func FuzzYAML(f *testing.F) {
	addFiles(f, "YAML")
	f.Add("extensions: &a\n  x: {type: stdio, cmd: !!str 1, args: [*a, 0x1F, .inf]}\n  <<: [*a, {y: {uri: 'https://x'}}]\n---\nb: 1")
	f.Add("a: &a [*a]\nmcpServers: *a")
	f.Fuzz(func(t *testing.T, text string) {
		names := sound(t, "/home/ada/.config/goose/config.yaml", text)
		sound(t, "/home/ada/.continue/config.yaml", text)
		if names == nil || strings.ContainsAny(text, "*&<!?") { // what another reader has other names for
			return
		}
		var doc struct {
			Extensions map[string]any `yaml:"extensions"`
		}
		if yaml.Unmarshal([]byte(text), &doc) == nil {
			lost(t, names, doc.Extensions, text)
		}
	})
}

// A file that would take a parser's stack or a machine's memory is refused, and so is what is in no format at all.
func TestHostileFiles(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		bomb += string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(i-1)+",", 9) + "]\n"
	}
	for name, c := range map[string]struct{ path, text string }{
		"yaml brackets":  {"x.yaml", "a: " + strings.Repeat("[", 500_000)},
		"yaml dashes":    {"x.yaml", strings.Repeat("- ", 500_000) + "a"},
		"yaml levels":    {"x.yaml", strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000)},
		"yaml bomb":      {"x.yaml", bomb},
		"yaml itself":    {"x.yaml", "a: &a\n  b: *a\nextensions: *a\n"},
		"yaml large":     {"x.yaml", "a: " + strings.Repeat("x", maxText)},
		"yaml broken":    {"x.yaml", "a: [hunter2\nb: }"},
		"toml brackets":  {"x.toml", "a = " + strings.Repeat("[", 500_000)},
		"toml levels":    {"x.toml", "a = " + strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000)},
		"toml dots":      {"x.toml", strings.Repeat("a.", 500_000) + "a = 1"},
		"toml broken":    {"x.toml", "a = hunter2"},
		"toml twice":     {"x.toml", "[mcp_servers.a]\ncommand='x'\n[mcp_servers.a]\ncommand='hunter2'"},
		"json as toml":   {"x.toml", `{"mcpServers": {}}`},
		"a list of yaml": {"x.yaml", "- a\n- b"},
	} {
		entries, err := parse(machine(), filepath.Join("/tmp", c.path), []byte(c.text))
		if fault.Of(err) == nil || fault.Of(err).Code != "bad-config" || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %v", name, entries, err)
		}
	}
	if _, err := parse(machine(), "/x.toml", []byte("a = 1\nb = 'hunter2")); err == nil || !strings.Contains(err.Error(), "line 2, column ") {
		t.Errorf("the place is missing: %v", err)
	}
	if _, err := parse(machine(), "/x.yaml", []byte("a: 1\nb: [hunter2")); err == nil || !strings.Contains(err.Error(), "line ") {
		t.Errorf("the place is missing: %v", err)
	}
}
