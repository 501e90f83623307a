package importcfg

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// Whose a file is, and which project it belongs to, is told by where it lies, also for a file that the user names.
func TestClientOf(t *testing.T) {
	for path, want := range map[string][2]string{
		"/home/ada/.claude.json":                          {"Claude Code", ""},
		"/home/ada/.cursor/mcp.json":                      {"Cursor", ""},
		"/home/ada/.config/opencode/opencode.json":        {"opencode", ""},
		"/home/ada/.continue/mcpServers/x.yaml":           {"Continue", ""},
		"/home/ada/.gemini/../.gemini/settings.json":      {"Gemini CLI", ""},
		"/home/ada/.mcp.json":                             {"Claude Code", "/home/ada"},
		"/work/shop/.mcp.json":                            {"Claude Code", "/work/shop"},
		"/src/a [b]/.cursor/mcp.json":                     {"Cursor", "/src/a [b]"},
		"/src/a/.codex/config.toml":                       {"Codex", "/src/a"},
		"/src/a/opencode.jsonc":                           {"opencode", "/src/a"},
		"/src/a/.continue/mcpServers/play wright.yml":     {"Continue", "/src/a"},
		"/src/a/.continue/mcpServers/deep/er.yaml":        {"", ""},
		"/src/a/.junie/mcp/mcp.json":                      {"JetBrains Junie", "/src/a"},
		"/src/a/.air/mcp.json":                            {"JetBrains Air", "/src/a"},
		"/tmp/mcp.json":                                   {"", ""},
		"/mcp.json":                                       {"", ""},
		"/home/ada/.config/Code/User/profiles/1/mcp.json": {"VS Code", ""},
	} {
		client, folder := clientOf(machine(), filepath.FromSlash(path))
		if client != want[0] || filepath.ToSlash(folder) != want[1] {
			t.Errorf("%s: %s, %s", path, client, folder)
		}
	}
}

func TestGlobbedSources(t *testing.T) {
	m := Machine{OS: "linux", Home: t.TempDir(), Dir: t.TempDir(), Env: home.NewEnv(nil)}
	user := put(t, "", m.Home, ".continue", "mcpServers", "a.yaml")
	project := put(t, "", m.Dir, ".continue", "mcpServers", "b.yml")
	other := put(t, "{}", m.Dir, ".continue", "mcpServers", "c.json")
	put(t, "", m.Home, ".continue", "mcpServers", "notes.txt")
	want := []Source{{"Continue", user, false}, {"Continue", project, true}, {"Continue", other, true}}
	if d := cmp.Diff(want, Sources(m)); d != "" {
		t.Error(d)
	}
}

// A byte order mark is no part of a file: UTF-16 with one is decoded, and what is neither is refused with a word.
func TestByteOrderMarks(t *testing.T) {
	wide := func(s string, first, second int) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
			pair := [2]byte{byte(u), byte(u >> 8)}
			b.WriteByte(pair[first])
			b.WriteByte(pair[second])
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"a.json": "{\"mcpServers\": {\"é\": {\"command\": \"x\"},},} // c\r\n",
		"a.toml": "[mcp_servers.\"é\"]\r\ncommand = 'x'\r\n",
		"a.yaml": "mcpServers:\r\n  é:\r\n    command: x\r\n",
	} {
		for form, written := range map[string]string{"plain": text, "utf-8": "\ufeff" + text, "utf-16le": wide(text, 0, 1), "utf-16be": wide(text, 1, 0)} {
			entries, err := Read(machine(), put(t, written, t.TempDir(), name))
			if err != nil || len(entries) != 1 || entries[0].Name != "é" || entries[0].Connector.Command != "x" {
				t.Errorf("%s as %s: %+v, %v", name, form, entries, err)
			}
		}
		bare := wide(text, 0, 1)[2:]
		if _, err := Read(machine(), put(t, bare, t.TempDir(), name)); fault.Of(err) == nil || fault.Of(err).Code != "bad-config" {
			t.Errorf("%s as UTF-16 without a mark: %v", name, err)
		}
	}
}
