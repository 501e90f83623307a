// Package importcfg takes the MCP servers over that the user's other programs know: Claude Code, Claude Desktop, Cursor, VS Code,
// Windsurf, Codex, Gemini CLI, Zed, opencode, Goose, LM Studio, Continue, JetBrains' and Open WebUI, and other homes of Runlace.
//
//	m := importcfg.Here(env)
//	var entries []importcfg.Entry
//	for _, s := range importcfg.Sources(m) {       // the files that are there; importcfg.Places has all that were looked for
//		found, err := importcfg.Read(m, s.Path)    // a broken file costs only itself
//		entries = append(entries, found...)
//	}
//	merged := importcfg.Merge(entries)
//	for _, c := range merged.Connectors { file.Set(c) }
//	for _, s := range merged.Skipped { fmt.Println(s.Name, s.Skipped) }   // every entry that was not taken has a reason
//	for _, e := range merged.Exports { fmt.Println(e.Instruction()) }     // what the user has to export
//
// The files are only read. Secrets in them are not copied: references take their place, and an [Export] says which variable to set and
// where its value stands. A first connection can do without the export: [Merged.Env] gives the values to this process alone.
//
// Files of a project ([Source.Project]) come with whatever was cloned: ask before starting what is in them. Reading starts nothing and
// expands nothing.
//
// Files may be JSON (with comments, trailing commas and a byte order mark), TOML or YAML: all of them become one kind of tree
// (formats.go), in which the sections of all clients are looked for (read.go), whose entries are read by one reader (entry.go, fields.go),
// which then writes what is special to a client as what Runlace has (variables.go).
package importcfg

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/home"
)

// Machine is where the files are looked for.
type Machine struct {
	OS   string // as runtime.GOOS
	Home string // the user's home folder
	Dir  string // the project, which is the current folder
	Env  home.Env
}

// Here returns the machine that this process runs on.
func Here(env home.Env) Machine {
	m := Machine{OS: runtime.GOOS, Env: env}
	m.Home, _ = os.UserHomeDir() // without one, only the project's files are looked for
	m.Dir, _ = os.Getwd()
	return m
}

// Source is a file in which a client keeps its MCP servers.
type Source struct {
	Client  string `json:"client"`
	Path    string `json:"path"`
	Project bool   `json:"project"` // it belongs to the current folder, and not to the user
}

// projectFiles are where clients keep the servers of a project, as seen from its folder. Each follows the page of the client's
// documentation that is named here by its title.
var projectFiles = []Source{
	{Client: "Claude Code", Path: ".mcp.json"},                   // "Connect Claude Code to tools via MCP"; JetBrains Air takes it too
	{Client: "Cursor", Path: ".cursor/mcp.json"},                 // "Model Context Protocol (MCP)", Cursor Docs
	{Client: "VS Code", Path: ".vscode/mcp.json"},                // "MCP configuration reference", VS Code documentation
	{Client: "Codex", Path: ".codex/config.toml"},                // "Model Context Protocol", Codex documentation
	{Client: "Gemini CLI", Path: ".gemini/settings.json"},        // "MCP servers with the Gemini CLI"
	{Client: "Zed", Path: ".zed/settings.json"},                  // "Model Context Protocol", Zed documentation
	{Client: "opencode", Path: "opencode.json"},                  // "MCP servers" and "Config", OpenCode documentation
	{Client: "opencode", Path: "opencode.jsonc"},                 // likewise
	{Client: "Continue", Path: ".continue/mcpServers/*.yaml"},    // "How to Set Up Model Context Protocol (MCP) in Continue"
	{Client: "Continue", Path: ".continue/mcpServers/*.yml"},     // likewise
	{Client: "Continue", Path: ".continue/mcpServers/*.json"},    // likewise: files in the form of other clients
	{Client: "JetBrains Junie", Path: ".junie/mcp/mcp.json"},     // "Model Context Protocol (MCP)", Junie Help
	{Client: "JetBrains AI Assistant", Path: ".ai/mcp/mcp.json"}, // "Model Context Protocol (MCP)", AI Assistant Help
	{Client: "JetBrains Air", Path: ".air/mcp.json"},             // "MCP servers", JetBrains Air Help
}

// Places returns all files that are looked for, the user's before the project's. A pattern stands for the files that match it.
func Places(m Machine) []Source {
	var all []Source
	add := func(client string, parts ...string) {
		if !slices.Contains(parts[:1], "") {
			all = append(all, Source{client, filepath.Join(parts...), false})
		}
	}
	claude := m.Home
	if dir, ok := m.Env.Lookup("CLAUDE_CONFIG_DIR"); ok && dir != "" {
		claude = dir
	}
	add("Claude Code", claude, ".claude.json")
	switch m.OS { // "Managed MCP configuration", Claude Code Docs
	case "windows":
		add("Claude Code", m.programs(), "ClaudeCode", "managed-mcp.json")
	case "darwin":
		add("Claude Code", "/Library/Application Support/ClaudeCode", "managed-mcp.json")
	default:
		add("Claude Code", "/etc/claude-code", "managed-mcp.json")
	}

	// "Connect to local MCP servers", Model Context Protocol documentation
	desktop, roaming := "Claude Desktop", m.config()
	add(desktop, roaming, "Claude", "claude_desktop_config.json")
	if m.OS == "windows" { // the packaged app has a folder of its own in place of AppData\Roaming
		add(desktop, m.local(), "Packages", "Claude_*", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	}

	add("Cursor", m.Home, ".cursor", "mcp.json")

	for _, product := range []string{"Code", "Code - Insiders", "VSCodium"} {
		name := "VS Code"
		if product != "Code" {
			name = strings.Replace(product, "Code - ", "VS Code ", 1)
		}
		add(name, roaming, product, "User", "mcp.json")
		add(name, roaming, product, "User", "profiles", "*", "mcp.json")
	}
	add("VS Code", m.Home, ".vscode-server", "data", "User", "mcp.json")

	// "Cascade MCP Integration", Windsurf Docs; the second is that of its plugin for JetBrains IDEs
	add("Windsurf", m.Home, ".codeium", "windsurf", "mcp_config.json")
	add("Windsurf", m.Home, ".codeium", "mcp_config.json")

	codex := m.under(".codex")
	if dir, ok := m.Env.Lookup("CODEX_HOME"); ok && dir != "" {
		codex = dir
	}
	add("Codex", codex, "config.toml")

	add("Gemini CLI", m.Home, ".gemini", "settings.json")

	if m.OS == "windows" { // "Configuring Zed", Zed documentation; "Configuration Files", goose documentation
		add("Zed", roaming, "Zed", "settings.json")
		add("Goose", roaming, "Block", "goose", "config", "config.yaml")
	} else {
		add("Zed", m.xdg(), "zed", "settings.json")
		add("Goose", m.xdg(), "goose", "config.yaml")
	}

	for _, name := range []string{"opencode.json", "opencode.jsonc", "config.json"} {
		add("opencode", m.xdg(), "opencode", name)
	}

	// "Use MCP Servers", LM Studio Docs; the second is where it was in older versions
	add("LM Studio", m.Home, ".lmstudio", "mcp.json")
	add("LM Studio", m.Home, ".cache", "lm-studio", "mcp.json")

	// "config.yaml Reference" and "config.json Reference (Deprecated)", Continue documentation
	for _, name := range []string{"config.yaml", "config.json", "mcpServers/*.yaml", "mcpServers/*.yml", "mcpServers/*.json"} {
		add("Continue", m.Home, ".continue", filepath.FromSlash(name))
	}

	add("JetBrains Junie", m.Home, ".junie", "mcp", "mcp.json")

	if m.Dir != "" {
		for _, f := range projectFiles {
			all = append(all, Source{f.Client, filepath.Join(m.Dir, filepath.FromSlash(f.Path)), true})
		}
	}
	return all
}

// clientOf returns the client that keeps its servers in a file of this path, and the folder of the project that the file belongs to.
// Both are empty where the path does not tell, the folder also for a file of the user.
func clientOf(m Machine, path string) (client, folder string) {
	path = filepath.Clean(path)
	for _, s := range Places(m) {
		if !s.Project && matches(s.Path, path) {
			return s.Client, ""
		}
	}
	for _, f := range projectFiles {
		depth := strings.Count(f.Path, "/") + 1
		folder = path
		for range depth {
			folder = filepath.Dir(folder)
		}
		if matches(filepath.Join(folder, filepath.FromSlash(f.Path)), path) {
			return f.Client, folder
		}
	}
	return "", ""
}

// matches is filepath.Match where only * is special, so that a [ in a user's folder is a [.
func matches(pattern, path string) bool {
	before, after, ok := strings.Cut(pattern, "*")
	if !ok {
		return pattern == path
	}
	middle, found := strings.CutPrefix(path, before)
	if !found {
		return false
	}
	middle, found = strings.CutSuffix(middle, after)
	return found && !strings.ContainsRune(middle, filepath.Separator)
}

// config is the folder in which desktop programs keep their settings.
func (m Machine) config() string {
	switch m.OS {
	case "windows":
		if dir, ok := m.Env.Lookup("APPDATA"); ok && dir != "" {
			return dir
		}
		return m.under("AppData", "Roaming")
	case "darwin":
		return m.under("Library", "Application Support")
	}
	return m.xdg()
}

// xdg is the folder in which programs of the terminal keep their settings, on every system.
func (m Machine) xdg() string {
	if dir, ok := m.Env.Lookup("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return dir
	}
	return m.under(".config")
}

// programs is where Windows has programs for all users.
func (m Machine) programs() string {
	if dir, ok := m.Env.Lookup("PROGRAMFILES"); ok && dir != "" {
		return dir
	}
	return `C:\Program Files`
}

func (m Machine) local() string {
	if dir, ok := m.Env.Lookup("LOCALAPPDATA"); ok && dir != "" {
		return dir
	}
	return m.under("AppData", "Local")
}

func (m Machine) under(parts ...string) string {
	if m.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{m.Home}, parts...)...)
}

// Sources returns the files of [Places] that are there.
func Sources(m Machine) []Source {
	var found []Source
	for _, s := range Places(m) {
		paths := []string{s.Path}
		if strings.Contains(s.Path, "*") {
			paths, _ = glob(s.Path)
		}
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil || info.IsDir() || slices.ContainsFunc(found, func(f Source) bool { return sameFile(f.Path, info) }) {
				continue // as where the project is the home folder
			}
			found = append(found, Source{s.Client, path, s.Project})
		}
	}
	return found
}

// glob is filepath.Glob where only * is special, so that a [ in a user's folder is a [.
func glob(pattern string) ([]string, error) {
	before, after, _ := strings.Cut(pattern, "*")
	dir, prefix := filepath.Split(before)
	suffix, rest := after, ""
	if i := strings.IndexRune(after, filepath.Separator); i >= 0 {
		suffix, rest = after[:i], after[i:]
	}
	entries, err := os.ReadDir(filepath.Clean(dir))
	var paths []string
	for _, e := range entries {
		if name := e.Name(); len(name) >= len(prefix)+len(suffix) && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			paths = append(paths, filepath.Join(dir, name+rest))
		}
	}
	return paths, err
}

func sameFile(path string, info os.FileInfo) bool {
	other, err := os.Stat(path)
	return err == nil && os.SameFile(other, info)
}
