package importcfg

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/config"
)

var (
	variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	kindForm     = regexp.MustCompile(`^[A-Za-z.]{1,30}$`)
	bracesForm   = regexp.MustCompile(`\$\{([^{}]*)\}`)
	dollarForm   = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*)`)
	gooseForm    = regexp.MustCompile(`\$(?:\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}|([A-Za-z_][A-Za-z0-9_]*))`)
	opencodeForm = regexp.MustCompile(`\{(env|file):([^{}]*)\}`)
	continueForm = regexp.MustCompile(`\$\{\{\s*(\w+)\.([^{}]*?)\s*\}\}`)
)

// dialect writes the references that only one client has as ones that Runlace has, or as what they stand for.
func (s *server) dialect() {
	change := func(key, value string) string {
		value = s.theirs(key, value)
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
	s.unfilled()
}

// theirs writes the forms of references that only one program has as ones that all have.
func (s *server) theirs(key, value string) string {
	value = continueForm.ReplaceAllStringFunc(value, func(whole string) string {
		m := continueForm.FindStringSubmatch(whole)
		if m[1] != "secrets" && m[1] != "inputs" {
			s.skip("%s has a ${{ ... }} that only Continue can fill in", key)
			return whole
		}
		return s.kept(key, m[2][strings.LastIndexByte(m[2], '/')+1:], "Continue keeps it among its "+m[1])
	})
	switch s.client {
	case "Gemini CLI":
		return dollarForm.ReplaceAllString(value, "${$1}")
	case "Goose": // fills in what it sends, and starts commands as they stand
		if key == "url" || strings.HasPrefix(key, "headers.") {
			return s.filled(key, value)
		}
	case "opencode":
		return opencodeForm.ReplaceAllStringFunc(value, func(whole string) string {
			m := opencodeForm.FindStringSubmatch(whole)
			if m[1] == "env" && variableForm.MatchString(m[2]) {
				return "${" + m[2] + "}"
			}
			s.skip("%s has {%s:...}, which only opencode can fill in; put the value into a variable, and {env:NAME} in its place", key, m[1])
			return whole
		})
	}
	return value
}

// filled writes the $NAME and ${NAME} of Goose, which stand for the entry's own envs and env_keys, as references.
func (s *server) filled(key, value string) string {
	return gooseForm.ReplaceAllStringFunc(value, func(whole string) string {
		m := gooseForm.FindStringSubmatch(whole)
		name := m[1] + m[2]
		v, ok := s.envs[name]
		switch {
		case !ok && key == "url": // a $ has a meaning of its own there
			return whole
		case !ok:
			s.note("%s refers to %s, which is not among the entry's envs and env_keys: it is taken from the environment", shown(key), name)
		case v != "${"+name+"}": // else it is in the keyring, and asked for
			return "${" + s.lifted(name, v) + "}"
		default:
			s.kept("env."+name, name, "Goose keeps it in its keyring")
		}
		return "${" + name + "}"
	})
}

// lifted makes a variable of one of the entry's own, and returns its name: the same, unless another entry has another value for it.
func (s *server) lifted(name, value string) string {
	v := name
	for _, e := range s.entries {
		if slices.ContainsFunc(e.asked, func(x Export) bool { return x.Var == name && x.Value() != value }) {
			v = config.VariableName(s.entry.Name, name)
		}
	}
	if !slices.ContainsFunc(s.entry.asked, func(x Export) bool { return x.Var == v }) {
		e := Export{Var: v, Connector: s.entry.Name, Key: "envs." + name, Reason: "its value is in the entry's envs"}
		s.entry.asked = append(s.entry.asked, e.WithValue(value))
	}
	return v
}

// unfilled says which of an entry's envs nothing refers to, where there is no process that would get them.
func (s *server) unfilled() {
	var idle []string
	for _, name := range slices.Sorted(maps.Keys(s.envs)) {
		own := func(x Export) bool { return x.Key == "envs."+name || x.Key == "env."+name }
		refers := func(r config.Reference) bool {
			return slices.ContainsFunc(s.entry.asked, func(x Export) bool { return own(x) && x.Var == r.Var })
		}
		if !slices.ContainsFunc(s.c.References(), refers) {
			idle = append(idle, shown(name))
			s.entry.asked = slices.DeleteFunc(s.entry.asked, own)
		}
	}
	if len(idle) > 0 {
		s.note("envs are not followed but where a header refers to them: a url has no process for %s", strings.Join(idle, ", "))
	}
}

// kept makes a variable of what another program keeps in a place of its own, as its keyring.
func (s *server) kept(key, name, why string) string {
	v := name
	if !variableForm.MatchString(v) {
		v = config.VariableName(s.entry.Name, name)
	}
	if !slices.ContainsFunc(s.entry.asked, func(e Export) bool { return e.Var == v }) {
		s.entry.asked = append(s.entry.asked, Export{Var: v, Connector: s.entry.Name, Key: key, Reason: why})
	}
	return "${" + v + "}"
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
