// Package importcfg takes the MCP servers over that the user's other programs know: Claude Code, Claude Desktop, Cursor, VS Code and
// Windsurf, and other homes of Runlace.
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
// Files of a project ([Source.Project]) come with whatever was cloned: ask before starting what is in them.
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

// Places returns all files that are looked for, the user's before the project's. A pattern stands for the files that match it.
func Places(m Machine) []Source {
	var all []Source
	add := func(client string, project bool, parts ...string) {
		if !slices.Contains(parts[:1], "") {
			all = append(all, Source{client, filepath.Join(parts...), project})
		}
	}
	claude := m.Home
	if dir, ok := m.Env.Lookup("CLAUDE_CONFIG_DIR"); ok && dir != "" {
		claude = dir
	}
	add("Claude Code", false, claude, ".claude.json")

	desktop, roaming := "Claude Desktop", m.config()
	add(desktop, false, roaming, "Claude", "claude_desktop_config.json")
	if m.OS == "windows" { // the packaged app has a folder of its own in place of AppData\Roaming
		add(desktop, false, m.local(), "Packages", "Claude_*", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	}

	add("Cursor", false, m.Home, ".cursor", "mcp.json")

	for _, product := range []string{"Code", "Code - Insiders", "VSCodium"} {
		name := "VS Code"
		if product != "Code" {
			name = strings.Replace(product, "Code - ", "VS Code ", 1)
		}
		add(name, false, roaming, product, "User", "mcp.json")
		add(name, false, roaming, product, "User", "profiles", "*", "mcp.json")
	}
	add("VS Code", false, m.Home, ".vscode-server", "data", "User", "mcp.json")

	add("Windsurf", false, m.Home, ".codeium", "windsurf", "mcp_config.json")

	add("Claude Code", true, m.Dir, ".mcp.json")
	add("Cursor", true, m.Dir, ".cursor", "mcp.json")
	add("VS Code", true, m.Dir, ".vscode", "mcp.json")
	return all
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
	if dir, ok := m.Env.Lookup("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return dir
	}
	return m.under(".config")
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

// glob is filepath.Glob where only a whole element may be a pattern, so that a [ in a user's folder is a [.
func glob(pattern string) ([]string, error) {
	before, after, _ := strings.Cut(pattern, "*")
	dir, prefix := filepath.Split(before)
	entries, err := os.ReadDir(filepath.Clean(dir))
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			paths = append(paths, filepath.Join(dir, e.Name()+after))
		}
	}
	return paths, err
}

func sameFile(path string, info os.FileInfo) bool {
	other, err := os.Stat(path)
	return err == nil && os.SameFile(other, info)
}
