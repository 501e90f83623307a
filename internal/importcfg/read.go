package importcfg

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/jsonc"
	"github.com/runlace/runlace/internal/textfile"
)

// Export is a variable that the user has to set. See [config.Export].
type Export = config.Export

// Entry is one server of a file.
type Entry struct {
	Name      string
	Connector config.Connector // without secrets; of no use if the entry is skipped
	Skipped   string           // why the entry is not taken; empty: it is
	Source    string           // the file
	Where     string           // in the file, as in mcpServers.github
	Notes     []string         // what of the entry is not followed, and what was changed
	Exports   []Export

	raw   func() config.Connector // with secrets: a function, so that nothing can print it
	print [sha256.Size]byte       // of raw
	taken string                  // the name that Merge gave it
	asked []Export                // variables for what an editor asks its user
}

// Read returns the servers of a file, in its order: those that are taken and those that are skipped. The form is recognised by what is
// in the file: mcpServers (also in the projects of Claude Code), servers (VS Code, with inputs), or connectors (Runlace). A file that is
// not there has the code no-such-file, one that cannot be read or is no JSON the code bad-config.
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
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New("no-such-file", "there is no file %s", path)
	case err != nil:
		return nil, fault.New("bad-config", "%s cannot be read", path).WithDetail(err)
	}
	return parse(m, full, text)
}

// parse is [Read] for a text.
func parse(m Machine, path string, text []byte) ([]Entry, error) {
	doc, err := jsonc.Parse(text)
	if err != nil {
		return nil, fault.New("bad-config", "%s: %v", path, err)
	}
	if doc.Exists() && !doc.IsObject() {
		return nil, fault.New("bad-config", "%s has %s, and not an object", path, doc.Kind())
	}
	r := &reader{m: m, path: path, inputs: map[string]jsonc.Node{}}
	folder := r.projectFolder()
	for _, n := range []jsonc.Node{doc, doc.Get("mcp")} {
		for _, input := range n.Get("inputs").Elements() {
			if id, ok := input.Get("id").Text(); ok {
				r.inputs[id] = input
			}
		}
	}
	r.servers("mcpServers", doc.Get("mcpServers"), folder, nil)
	for _, p := range doc.Get("projects").Members() {
		off := append(p.Value.Get("disabledMcpServers").Elements(), p.Value.Get("disabledMcpjsonServers").Elements()...)
		r.servers("projects."+p.Name+".mcpServers", p.Value.Get("mcpServers"), p.Name, off)
	}
	r.servers("servers", doc.Get("servers"), folder, nil)
	r.servers("mcp.servers", doc.Get("mcp").Get("servers"), folder, nil)
	r.servers("connectors", doc.Get("connectors"), "", nil)
	return r.entries, nil
}

type reader struct {
	m       Machine
	path    string
	inputs  map[string]jsonc.Node
	entries []Entry
}

// projectFolder is the folder that a file of a project belongs to; empty for a file of the user.
func (r *reader) projectFolder() string {
	dir := filepath.Dir(r.path)
	switch filepath.Base(dir) {
	case ".vscode", ".cursor":
		dir = filepath.Dir(dir)
	default:
		if filepath.Base(r.path) != ".mcp.json" {
			return ""
		}
	}
	if r.m.Home != "" && filepath.Clean(dir) == filepath.Clean(r.m.Home) && filepath.Base(r.path) != ".mcp.json" {
		return ""
	}
	return dir
}

// servers reads an object of servers. A folder makes them those of a project.
func (r *reader) servers(where string, n jsonc.Node, folder string, off []jsonc.Node) {
	if !n.Exists() || n.IsNull() {
		return
	}
	if !n.IsObject() {
		r.entries = append(r.entries, Entry{Name: "(all)", Source: r.path, Where: printable(where), Skipped: printable(fmt.Sprintf("%s is %s, and not an object", where, n.Kind()))})
		return
	}
	members := n.Members()
	last := map[string]int{}
	for i, m := range members {
		last[m.Name] = i
	}
	for i, m := range members {
		e := Entry{Name: printable(m.Name), Source: r.path, Where: printable(where + "." + m.Name)}
		if last[m.Name] != i {
			e.Skipped = "the name occurs again further down in the file, and the last one counts"
			r.entries = append(r.entries, e)
			continue
		}
		s := &server{reader: r, entry: &e, node: m.Value, folder: folder}
		for _, o := range off {
			if name, _ := o.Text(); name == m.Name {
				s.c.Disabled = true
			}
		}
		s.read(m.Name)
		r.entries = append(r.entries, e)
	}
}

// printable makes a text one line for a terminal: a file may come from anywhere.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if runes := []rune(s); len(runes) > 300 {
		return string(runes[:300]) + "..."
	}
	return s
}

// server reads one entry.
type server struct {
	*reader
	entry  *Entry
	node   jsonc.Node
	folder string
	c      config.Connector
}

func (s *server) skip(format string, args ...any) {
	if s.entry.Skipped == "" {
		s.entry.Skipped = printable(fmt.Sprintf(format, args...))
	}
}

func (s *server) note(format string, args ...any) {
	s.entry.Notes = append(s.entry.Notes, printable(fmt.Sprintf(format, args...)))
}

func (s *server) read(name string) {
	s.c.Name, s.c.Source = s.entry.Name, s.path
	if err := config.CheckName(name); err != nil {
		s.skip("%v", err)
		return
	}
	if !s.node.IsObject() {
		s.skip("it is %s, and not an object", s.node.Kind())
		return
	}
	transport, explicit := s.fields()
	if s.entry.Skipped != "" {
		return
	}
	s.transport(transport, explicit)
	if s.entry.Skipped != "" {
		return
	}
	s.dialect()
	if s.entry.Skipped != "" {
		return
	}
	if why := isRunlace(s.c); why != "" {
		s.skip("%s", why)
		return
	}
	s.place()
	for _, err := range []error{s.c.Check(), s.c.CheckReferences()} {
		if err != nil {
			s.skip("%s", strings.TrimLeft(strings.TrimPrefix(err.Error(), "connector "+strconv.Quote(s.c.Name)), ",: "))
			return
		}
	}
	raw, asked := s.c, s.entry.asked
	s.entry.raw = func() config.Connector { return raw }
	s.entry.asked = asked
	s.entry.print = fingerprint(raw)
	s.entry.lift(s.entry.Name)
	if left := s.entry.Connector.LiteralSecrets(); len(left) > 0 { // text that is put together in a way that nobody thought of
		s.skip("there is a secret in %s that cannot be told from what is around it; put the whole value into a variable", left[0].Key)
		s.entry.Connector, s.entry.Exports = config.Connector{}, nil
	}
}

// lift fills in Connector and Exports, with variables that are called after the alias.
func (e *Entry) lift(alias string) {
	c, exports := config.LiftSecrets(e.raw(), alias)
	e.Connector = c
	e.Exports = slices.Concat(exports, e.asked)
	for i := range e.Exports {
		e.Exports[i].Source, e.Exports[i].Connector = e.Source, c.Name
		if e.Exports[i].Where == "" {
			e.Exports[i].Where = printable(e.Where + "." + e.Exports[i].Key)
		}
	}
}

// fingerprint tells whether two entries are the same server, secrets included. It is kept in memory only.
func fingerprint(c config.Connector) [sha256.Size]byte {
	c.Name, c.Source, c.Disabled, c.Timeout = "", "", false, 0
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts, a bool and a Duration
	}
	return sha256.Sum256(b)
}

// quiet are keys that say nothing about how a server is reached.
var quiet = []string{"name", "description", "gallery", "version", "attr", "source", "icon", "title"}

// fields reads what has a place in a Connector.
func (s *server) fields() (transport string, explicit bool) {
	seen := map[string]bool{}
	text := func(m jsonc.Member, to *string) {
		switch v, ok := m.Value.Text(); {
		case ok:
			*to = v
		case !m.Value.IsNull():
			s.skip("%s is %s, and not text", m.Name, m.Value.Kind())
		}
	}
	for _, m := range s.node.Members() {
		if seen[m.Name] {
			s.note("%s is there twice, and the last one counts", m.Name)
		}
		seen[m.Name] = true
		switch m.Name {
		case "type", "transport", "transportType":
			if v, ok := m.Value.Text(); ok {
				transport, explicit = v, true
				continue
			}
			if inner, ok := m.Value.Get("type").Text(); ok { // {"transport": {"type": "http", "url": ...}}
				transport, explicit = inner, true
				for _, k := range m.Value.Members() {
					switch k.Name {
					case "url":
						text(k, &s.c.URL)
					case "headers":
						s.c.Headers = s.texts(k)
					}
				}
				continue
			}
			if !m.Value.IsNull() {
				s.skip("%s is %s, and not text", m.Name, m.Value.Kind())
			}
		case "command":
			if m.Value.IsList() { // command and arguments in one
				if args := s.list(m); len(args) > 0 {
					s.c.Command, s.c.Args = args[0], append(args[1:], s.c.Args...)
				}
				continue
			}
			text(m, &s.c.Command)
		case "args":
			if !m.Value.IsNull() {
				s.c.Args = append(s.c.Args, s.list(m)...)
			}
		case "env":
			s.c.Env = s.texts(m)
		case "headers", "requestInit":
			if m.Name == "requestInit" {
				m = jsonc.Member{Name: "requestInit.headers", Value: m.Value.Get("headers")}
			}
			s.c.Headers = s.texts(m)
		case "url", "serverUrl", "httpUrl", "serverURL":
			text(m, &s.c.URL)
			if m.Name == "httpUrl" && !explicit {
				transport = config.HTTP
			}
		case "cwd", "workingDirectory":
			text(m, &s.c.Dir)
		case "envFile":
			text(m, &s.c.EnvFile)
		case "timeout":
			s.timeout(m.Value)
		case "disabled":
			if v, ok := m.Value.Bool(); ok {
				s.c.Disabled = s.c.Disabled || v
			}
		case "enabled", "isActive":
			if v, ok := m.Value.Bool(); ok {
				s.c.Disabled = s.c.Disabled || !v
			}
		case "bearerTokenEnvVar", "bearer_token_env_var":
			v, _ := m.Value.Text()
			if !variableForm.MatchString(v) {
				s.skip("%s is not the name of a variable", m.Name)
				continue
			}
			if s.c.Headers == nil {
				s.c.Headers = map[string]string{}
			}
			s.c.Headers["Authorization"] = "Bearer ${" + v + "}"
		case "oauth", "auth", "authorization", "headersHelper":
			if !m.Value.IsNull() {
				s.note("%s is not followed: only fixed headers are", m.Name)
			}
		default:
			if !slices.Contains(quiet, m.Name) {
				s.note("%s is not followed", shown(m.Name))
			}
		}
	}
	return transport, explicit
}

// shown is a key for a message: a key may hold anything.
func shown(key string) string {
	if len(key) > 40 || config.CheckName(key) != nil {
		return "a key"
	}
	return key
}

func (s *server) list(m jsonc.Member) []string {
	if !m.Value.IsList() {
		s.skip("%s is %s, and not a list", m.Name, m.Value.Kind())
		return nil
	}
	var args []string
	for i, e := range m.Value.Elements() {
		v, ok := e.Scalar()
		if !ok {
			s.skip("%s[%d] is %s, and not text", m.Name, i, e.Kind())
			return nil
		}
		args = append(args, v)
	}
	return args
}

func (s *server) texts(m jsonc.Member) map[string]string {
	if !m.Value.Exists() || m.Value.IsNull() {
		return nil
	}
	if !m.Value.IsObject() {
		s.skip("%s is %s, and not an object", m.Name, m.Value.Kind())
		return nil
	}
	values := map[string]string{}
	for _, v := range m.Value.Members() {
		t, ok := v.Value.Scalar()
		switch {
		case v.Value.IsNull():
			s.note("%s.%s is null, and left out", m.Name, shown(v.Name))
		case !ok:
			s.skip("%s.%s is %s, and not text", m.Name, shown(v.Name), v.Value.Kind())
		default:
			values[v.Name] = t
		}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

// timeout reads a number of seconds or milliseconds: clients differ, and nobody waits for a quarter of an hour or less than a second.
func (s *server) timeout(n jsonc.Node) {
	t, _ := n.Scalar()
	v, err := strconv.ParseFloat(t, 64)
	span := time.Duration(0)
	switch d, parseErr := time.ParseDuration(t); {
	case n.IsNull():
		return
	case err == nil && v >= 1000 && v < 1e9:
		span = time.Duration(v * float64(time.Millisecond))
		s.note("timeout %s is taken for milliseconds", t)
	case err == nil && v > 0 && v < 1000:
		span = time.Duration(math.Round(v * float64(time.Second)))
		if s.path != "" && n.Kind() == "a number" {
			s.note("timeout %s is taken for seconds", t)
		}
	case err != nil && parseErr == nil && d > 0:
		span = d
	default:
		s.note("timeout is not followed: it is no time")
		return
	}
	s.c.Timeout = config.Duration(span)
}

// transport decides by what is said, or else by what is there.
func (s *server) transport(said string, explicit bool) {
	known := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(said))
	want := ""
	switch known {
	case "stdio", "local", "process", "command":
		want = config.Stdio
	case "http", "streamablehttp", "httpstream", "streamable", "streaminghttp", "remote":
		want = config.HTTP
	case "sse", "httpsse":
		want = config.SSE
	case "ws", "wss", "websocket":
		s.skip("WebSocket is not supported: stdio, streamable HTTP and SSE are")
		return
	case "":
	default:
		if explicit {
			s.note("the transport %s is not known; it goes by what else is there", shown(said))
		}
	}
	command, url := s.c.Command != "", s.c.URL != ""
	switch {
	case !command && !url:
		s.skip("there is neither a command nor a url")
		return
	case want == config.Stdio && !command:
		s.note("it says stdio, and has a url only; the url is used")
		want = config.HTTP
	case (want == config.HTTP || want == config.SSE) && !url:
		s.note("it says %s, and has a command only; the command is used", want)
		want = config.Stdio
	case want == "" && command:
		want = config.Stdio
	case want == "":
		want = config.HTTP
		if isSSE(s.c.URL) {
			want = config.SSE
			s.note("the url ends in /sse, so that it is taken for the older transport; ask its provider for a streamable HTTP address")
		}
	}
	s.c.Transport = want
	if want == config.Stdio {
		if url {
			s.note("it has a command and a url; the command is used")
		}
		if len(s.c.Headers) > 0 {
			s.note("headers are not followed: a command takes none")
		}
		s.c.URL, s.c.Headers = "", nil
		return
	}
	if command {
		s.note("it has a command and a url; the url is used")
	}
	if len(s.c.Env) > 0 {
		s.note("env is not followed: a url has no process")
	}
	s.c.Command, s.c.Args, s.c.Env, s.c.EnvFile, s.c.Dir = "", nil, nil, "", ""
}

func isSSE(url string) bool {
	url, _, _ = strings.Cut(url, "?")
	return strings.HasSuffix(strings.TrimSuffix(url, "/"), "/sse")
}

var (
	variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	kindForm     = regexp.MustCompile(`^[A-Za-z.]{1,30}$`)
	bracesForm   = regexp.MustCompile(`\$\{([^{}]*)\}`)
)

// dialect writes the references that only one client has as ones that Runlace has, or as what they stand for.
func (s *server) dialect() {
	change := func(key, value string) string {
		return bracesForm.ReplaceAllStringFunc(value, func(whole string) string {
			return s.variable(key, whole, whole[2:len(whole)-1])
		})
	}
	c := &s.c
	c.Command = change("command", c.Command)
	for i := range c.Args {
		c.Args[i] = change(fmt.Sprintf("args[%d]", i), c.Args[i])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		c.Env[name] = change("env."+name, c.Env[name])
	}
	c.Dir, c.EnvFile, c.URL = change("cwd", c.Dir), change("envFile", c.EnvFile), change("url", c.URL)
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		c.Headers[name] = change("headers."+name, c.Headers[name])
	}
}

// editorOnly are what VS Code and its kin put in of what is open in a window.
var editorOnly = []string{"file", "fileBasename", "fileBasenameNoExtension", "fileDirname", "fileDirnameBasename", "fileExtname", "fileWorkspaceFolder",
	"relativeFile", "relativeFileDirname", "lineNumber", "columnNumber", "selectedText", "execPath", "extensionInstallFolder", "defaultBuildTask"}

func (s *server) variable(key, whole, inner string) string {
	kind, id, hasKind := strings.Cut(inner, ":")
	name, _, hasDefault := strings.Cut(inner, ":-")
	switch {
	case inner == "userHome":
		if s.m.Home != "" {
			return s.m.Home
		}
	case slices.Contains(editorOnly, inner):
		s.skip("%s has %s, which only an editor can fill in", key, whole)
		return whole
	case inner == "workspaceFolder", inner == "workspaceRoot":
		if s.folder != "" {
			return s.folder
		}
		s.skip("%s has %s, and the file belongs to no project", key, whole)
		return whole
	case inner == "workspaceFolderBasename":
		if s.folder != "" {
			return filepath.Base(s.folder)
		}
		s.skip("%s has %s, and the file belongs to no project", key, whole)
		return whole
	case inner == "pathSeparator", inner == "/":
		if s.m.OS == "windows" {
			return `\`
		}
		return "/"
	case hasDefault && variableForm.MatchString(strings.TrimPrefix(name, "env:")):
		return whole
	case hasKind && kind == "env" && variableForm.MatchString(id):
		return "${" + id + "}"
	case hasKind && kind == "input":
		return s.input(key, id)
	case variableForm.MatchString(inner):
		return whole
	}
	if !kindForm.MatchString(kind) { // it may be a part of a secret
		kind = "..."
	}
	s.skip("%s has ${%s}, which only the program can fill in that the file belongs to", key, kind)
	return whole
}

// input makes a variable of what VS Code asks its user for.
func (s *server) input(key, id string) string {
	in := s.inputs[id]
	v := config.VariableName(s.entry.Name, id)
	reference := "${" + v + "}"
	secret, _ := in.Get("password").Bool()
	if d, ok := in.Get("default").Text(); ok && d != "" && !secret && !config.IsSecretName(id) && !config.LooksSecret(d) && !strings.ContainsAny(d, "{}") {
		text := fmt.Sprintf("what VS Code asks for as %s is %s, unless %s is set", shown(id), printable(d), v)
		if !slices.Contains(s.entry.Notes, text) {
			s.note("%s", text)
		}
		return "${" + v + ":-" + d + "}"
	}
	if !slices.ContainsFunc(s.entry.asked, func(e Export) bool { return e.Var == v }) {
		what := "VS Code asks for it: " + shown(id)
		if d, ok := in.Get("description").Text(); ok && config.CheckName(d) == nil {
			what = "VS Code asks for it: " + d
		}
		s.entry.asked = append(s.entry.asked, Export{Var: v, Connector: s.entry.Name, Key: key, Reason: what})
	}
	return reference
}

// place makes paths absolute, as they are seen from the folder that the client starts the server in.
func (s *server) place() {
	base := s.folder
	if base == "" {
		base = filepath.Dir(s.path)
	}
	absolute := func(p string) string {
		if p == "" || strings.HasPrefix(p, "${") || filepath.IsAbs(p) || s.m.OS == "windows" && windowsPath.MatchString(p) {
			return p
		}
		if strings.HasPrefix(p, "~") {
			if s.m.Home != "" && (p == "~" || p[1] == '/') {
				return filepath.Join(s.m.Home, p[1:])
			}
			return p
		}
		return filepath.Join(base, p)
	}
	s.c.Dir, s.c.EnvFile = absolute(s.c.Dir), absolute(s.c.EnvFile)
	if s.c.Transport == config.Stdio && s.c.Dir == "" && s.folder != "" && needsFolder(s.c, s.folder) {
		s.c.Dir = s.folder
	}
}

var (
	windowsPath = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`)
	relative    = regexp.MustCompile(`^\.{1,2}([\\/]|$)`)
)

// projectCommands do what the folder says that they are started in.
var projectCommands = []string{"uv", "poetry", "pipenv", "pdm", "rye", "hatch", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "go", "make", "just", "task", "mise", "nix", "dotnet", "gradlew", "mvnw"}

// needsFolder reports whether a server of a project is another one elsewhere. Only then it gets the folder, so that the same server in many
// projects stays one.
func needsFolder(c config.Connector, folder string) bool {
	if slices.Contains(projectCommands, program(c.Command)) {
		return true
	}
	for i, a := range append([]string{c.Command}, c.Args...) {
		switch {
		case relative.MatchString(a):
			return true
		case a == "" || strings.HasPrefix(a, "-") || strings.HasPrefix(a, "@") || filepath.IsAbs(a) || strings.Contains(a, "${"):
		case i == 0 && !strings.ContainsAny(a, `/\`): // is looked for in PATH
		default:
			if _, err := os.Lstat(filepath.Join(folder, a)); err == nil {
				return true
			}
		}
	}
	return false
}
