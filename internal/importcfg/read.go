package importcfg

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/jsonc"
	"github.com/runlace/runlace/internal/textfile"
)

// Read returns the servers of a file, in its order: those that are taken and those that are skipped. Its name says whether it is JSON,
// TOML or YAML; whose form it has is recognised by what is in it (see [reader.document]). A file that is not there has the code
// no-such-file, one that cannot be read or is not in the format of its name the code bad-config. Nothing is ever written.
func Read(m Machine, path string) ([]Entry, error) {
	full, err := home.Expand(path)
	if err == nil {
		full, err = filepath.Abs(full)
	}
	if err != nil {
		return nil, fault.New("no-such-file", "there is no file %s", path).WithDetail(err)
	}
	text, err := textfile.Read(full)
	switch {
	case errors.Is(err, fs.ErrNotExist) && path == "-":
		return nil, fault.New("no-such-file", "there is no file -, and standard input is not read here").
			WithHint("name a file: the end of its name says whether it is JSON, TOML or YAML")
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New("no-such-file", "there is no file %s", path).WithHint("check the path")
	case errors.Is(err, textfile.ErrNotText):
		return nil, fault.New("bad-config", "%s cannot be read", path).WithDetail(err).WithHint("write it in UTF-8, if it is a file with MCP servers")
	case err != nil:
		return nil, fault.New("bad-config", "%s cannot be read", path).WithDetail(err).WithHint("check what the path leads to, and its permissions")
	}
	return parse(m, full, text)
}

// parse is [Read] for a text.
func parse(m Machine, path string, text []byte) ([]Entry, error) {
	doc, note, err := document(path, text)
	if err != nil {
		e := fault.New("bad-config", "%s: %v", path, err)
		if f := format(path); f != "JSON" {
			e = e.WithHint("correct it, or give it another name if it is not %s", f)
		}
		return nil, e
	}
	if doc.Exists() && !doc.IsNull() && !doc.IsObject() {
		return nil, fault.New("bad-config", "%s has %s, and not an object", path, doc.Kind())
	}
	r := &reader{m: m, path: path, inputs: map[string]jsonc.Node{}}
	r.client, r.folder = clientOf(m, path)
	r.document(doc)
	if note != "" {
		r.whole("", note)
	}
	return r.entries, nil
}

type reader struct {
	m       Machine
	client  string // whose file it is, where that is known
	path    string
	folder  string // of the project that the file belongs to; empty for a file of the user
	inputs  map[string]jsonc.Node
	entries []Entry
}

// whole is for what is not taken of a file besides its entries.
func (r *reader) whole(where, reason string) {
	r.entries = append(r.entries, Entry{Name: "(all)", Source: r.path, Where: printable(where), Skipped: printable(reason)})
}

// document looks for the sections in which clients keep their servers. There may be several in one file.
func (r *reader) document(doc jsonc.Node) {
	if schema, _ := doc.Get("$schema").Text(); r.client == "" && strings.Contains(schema, "opencode") {
		r.client = "opencode"
	}
	mcp := doc.Get("mcp")
	for _, n := range []jsonc.Node{doc, mcp} {
		for _, input := range n.Get("inputs").Elements() {
			if id, ok := input.Get("id").Text(); ok {
				r.inputs[id] = input
			}
		}
	}

	// Most clients. Gemini CLI says in mcp which of them are not to be started, Claude Code in the project which are off there.
	r.section("mcpServers", doc.Get("mcpServers"), r.folder, r.notStarted(doc, mcp))
	for _, p := range doc.Get("projects").Members() {
		off := append(p.Value.Get("disabledMcpServers").Elements(), p.Value.Get("disabledMcpjsonServers").Elements()...)
		r.section("projects."+p.Name+".mcpServers", p.Value.Get("mcpServers"), p.Name, listed(off))
	}

	// VS Code: in its own file, and in its settings.
	r.section("servers", doc.Get("servers"), r.folder, nil)
	r.mcp(mcp)

	// Zed, Codex, Continue before its file became YAML, Runlace.
	r.section("context_servers", doc.Get("context_servers"), r.folder, nil)
	r.section("mcp_servers", doc.Get("mcp_servers"), r.folder, nil)
	r.section("experimental.modelContextProtocolServers", doc.Get("experimental").Get("modelContextProtocolServers"), r.folder, nil)
	r.section("connectors", doc.Get("connectors"), "", nil)

	// Goose. In JSON, extensions are something else.
	if format(r.path) == "YAML" {
		if r.client == "" && doc.Get("extensions").Exists() {
			r.client = "Goose"
		}
		r.section("extensions", doc.Get("extensions"), r.folder, nil)
	}
}

// settingsOfMCP are what stands in mcp besides servers: in VS Code's settings, in Gemini CLI's, in opencode's.
var settingsOfMCP = []string{"servers", "inputs", "allowed", "excluded", "serverCommand", "discovery", "enabled", "gallery", "access", "autostart", "timeout", "oauth"}

// mcp reads the section mcp: VS Code's settings and the second version of opencode have mcp.servers, the first version has the servers
// in mcp itself.
func (r *reader) mcp(mcp jsonc.Node) {
	servers := mcp.Get("servers")
	isServer := func(n jsonc.Node) bool {
		_, typed := n.Get("type").Text()
		return typed || n.Get("command").IsList()
	}
	if servers.Exists() && !isServer(servers) {
		r.section("mcp.servers", servers, r.folder, nil)
	}
	r.members("mcp", mcp.Members(), r.folder, nil, func(m jsonc.Member) bool {
		if slices.Contains(settingsOfMCP, m.Name) {
			return isServer(m.Value)
		}
		return r.client == "opencode" || m.Value.IsObject()
	})
}

// listed is the test whether a name is in a list.
func listed(names []jsonc.Node) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(names, func(n jsonc.Node) bool { s, _ := n.Text(); return s == name })
	}
}

// notStarted tells which servers of mcpServers the file itself, or the settings of Claude Code beside it, switch off.
func (r *reader) notStarted(doc, mcp jsonc.Node) func(string) bool {
	excluded := listed(mcp.Get("excluded").Elements())
	allowed := func(string) bool { return true }
	if l := mcp.Get("allowed"); l.IsList() {
		allowed = listed(l.Elements())
	}
	off := listed(doc.Get("disabledMcpServers").Elements())
	declined := r.declined()
	return func(name string) bool { return excluded(name) || !allowed(name) || off(name) || declined(name) }
}

// declined tells which servers of a project's .mcp.json the user has switched off in Claude Code, which writes that into files beside it
// and into its own. A file that cannot be read says nothing.
func (r *reader) declined() func(string) bool {
	if filepath.Base(r.path) != ".mcp.json" || r.folder == "" {
		return func(string) bool { return false }
	}
	var names []jsonc.Node
	read := func(parts ...string) jsonc.Node {
		text, err := textfile.Read(filepath.Join(parts...))
		if err != nil {
			return jsonc.Node{}
		}
		doc, _ := jsonc.Parse(text)
		return doc
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		names = append(names, read(r.folder, ".claude", name).Get("disabledMcpjsonServers").Elements()...)
	}
	for _, s := range Places(r.m) {
		if s.Client == "Claude Code" && filepath.Base(s.Path) == ".claude.json" {
			names = append(names, read(s.Path).Get("projects").Get(r.folder).Get("disabledMcpjsonServers").Elements()...)
		}
	}
	return listed(names)
}

// section reads an object of servers, or a list of servers that have their name in them. A folder makes them those of a project.
func (r *reader) section(where string, n jsonc.Node, folder string, off func(string) bool) {
	switch {
	case !n.Exists() || n.IsNull():
	case n.IsObject():
		r.members(where, n.Members(), folder, off, func(jsonc.Member) bool { return true })
	case n.IsList():
		for i, e := range n.Elements() {
			r.element(fmt.Sprintf("%s[%d]", where, i), i, e, folder, off)
		}
	default:
		r.whole(where, fmt.Sprintf("%s is %s, and not an object", where, n.Kind()))
	}
}

func (r *reader) members(where string, members []jsonc.Member, folder string, off func(string) bool, wanted func(jsonc.Member) bool) {
	last := map[string]int{}
	for i, m := range members {
		last[m.Name] = i
	}
	for i, m := range members {
		switch {
		case !wanted(m):
		case last[m.Name] != i:
			r.entries = append(r.entries, Entry{Name: printable(m.Name), Source: r.path, Where: printable(where + "." + m.Name),
				Skipped: "the name occurs again further down in the file, and the last one counts"})
		default:
			r.entry(m.Name, where+"."+m.Name, m.Value, folder, off)
		}
	}
}

// element reads a server in a list. One without a name is called after its client.
func (r *reader) element(where string, i int, n jsonc.Node, folder string, off func(string) bool) {
	name, ok := n.Get("name").Text()
	if !ok {
		if name = fmt.Sprintf("server_%d", i+1); r.client != "" {
			name = fmt.Sprintf("%s_%d", strings.ToLower(strings.ReplaceAll(r.client, " ", "_")), i+1)
		}
	}
	r.entry(name, where, n, folder, off)
}

func (r *reader) entry(name, where string, n jsonc.Node, folder string, off func(string) bool) {
	e := Entry{Name: printable(name), Source: r.path, Where: printable(where)}
	s := &server{reader: r, entry: &e, node: n, folder: folder}
	s.c.Disabled = off != nil && off(name)
	s.read(name)
	r.entries = append(r.entries, e)
}
