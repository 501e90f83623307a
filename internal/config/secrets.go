package config

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/runlace/runlace/internal/jsonc"
)

// Export is a secret that was found in a connector's settings: the environment variable that takes its place, and where it stood. Its
// value is in memory only. It does not come out in JSON, nor with any verb of package fmt.
type Export struct {
	Var       string `json:"var"`
	Connector string `json:"connector"`
	Key       string `json:"key"`             // in the connector's settings, as in env.API_KEY or args[2]
	Where     string `json:"where,omitempty"` // in the file that it was found in, as in mcpServers.docs.env.API_KEY
	Source    string `json:"source,omitempty"`
	Reason    string `json:"reason"` // why it is taken for a secret, or what it is

	value func() string
}

// Value returns the secret itself, or "" where there is none yet, as for a question that an editor asks its user.
func (e Export) Value() string {
	if e.value == nil {
		return ""
	}
	return e.value()
}

// WithValue returns e as one whose value is known, as of a variable that stands elsewhere in the file.
func (e Export) WithValue(value string) Export {
	e.value = func() string { return value }
	return e
}

// Instruction is the line that tells the user what to do. It has no value.
func (e Export) Instruction() string {
	where := e.Where
	if where == "" {
		where = "connectors." + e.Connector + "." + e.Key
	}
	if e.Source != "" {
		where += " of " + e.Source
	}
	if e.value == nil {
		return fmt.Sprintf("export %s=...   # %s (%s)", e.Var, e.Reason, where)
	}
	return fmt.Sprintf("export %s=...   # the value is in %s", e.Var, where)
}

// LiftSecrets returns the connector with references in place of the secrets in it, and what to export. Secrets are:
//
//   - values whose name says so: *TOKEN*, *KEY*, *SECRET*, *PASSWORD*, *CREDENTIAL* and such in env, headers, query parameters,
//     NAME=value arguments, what follows an option such as --api-key, and keys of JSON in a value;
//   - the password in a URL, or a user name that is a token;
//   - text that has the form of a well-known token, or of a private key;
//   - long random text.
//
// What is around a secret stays: "Bearer x" becomes "Bearer ${VAR}". A default that is a secret is taken out of its reference. The
// variables are called RUNLACE_<CONNECTOR>_<NAME>, where alias, if it is not empty, stands for the connector's name.
//
// It errs on the side of finding too much: that costs the user an export, the other a leak.
func LiftSecrets(c Connector, alias string) (Connector, []Export) {
	if alias == "" {
		alias = c.Name
	}
	l := &lifter{connector: c.Name, prefix: "RUNLACE_" + screaming(alias, "CONNECTOR") + "_", vars: map[string]string{}, values: map[string]string{}}
	for _, r := range c.References() {
		l.vars[r.Var] = "\x00" // not to be taken for something else
	}
	// What takes the place of a secret may part the text so that more of it is seen, as in a URL in a connection string.
	for range 8 {
		before := len(l.exports)
		if c = l.connectorTexts(c); len(l.exports) == before {
			break
		}
	}
	return c, l.exports
}

// connectorTexts goes through all texts once.
func (l *lifter) connectorTexts(c Connector) Connector {
	option := "" // the option before this argument, if a secret follows it
	out, _ := c.each(func(key, value string) (string, error) {
		label := key[strings.IndexByte(key, '.')+1:]
		switch {
		case key == "command", key == "cwd", key == "envFile":
			return l.text(key, "SECRET", value, false), nil
		case key == "url":
			return l.text(key, "URL", value, false), nil
		case strings.HasPrefix(key, "args["):
			before := option
			option = ""
			if m := optionForm.FindStringSubmatch(value); m != nil {
				option = m[1]
				return value, nil
			}
			if before != "" && nameKind(before) != notSecret {
				return l.named(key, before, before, value), nil
			}
			if before == "" || len(before) == 1 {
				before = "SECRET"
			}
			return l.text(key, before, value, true), nil
		}
		return l.named(key, label, label, value), nil
	})
	return out
}

// LiteralSecrets returns the secrets in the connector's settings.
func (c Connector) LiteralSecrets() []Export {
	_, found := LiftSecrets(c, "")
	return found
}

// IsSecretName reports whether a value of that name is to be treated as a secret.
func IsSecretName(name string) bool { return nameKind(name) != notSecret }

var (
	optionForm  = regexp.MustCompile(`^--?([A-Za-z][\w.-]*)$`)
	schemeForm  = regexp.MustCompile(`^((?i:bearer|basic|token|apikey|api-key|bot|digest|key) +)(\S.*)$`)
	headerForm  = regexp.MustCompile(`(?s)^([A-Za-z][A-Za-z0-9-]+)(:\s*)([^\s/\\].*)$`)
	commandLine = regexp.MustCompile(`\s(\S+\s+-|-|\w+=)`) // A=b command --option
	assignForm  = regexp.MustCompile(`(?s)^(-{0,2})([A-Za-z_][\w.-]*)=(.+)$`)
	// settingForm is for settings within a text: connection strings, command lines.
	settingForm = regexp.MustCompile(`(?:--?([A-Za-z][\w.-]*)(?:\s*=\s*|\s+)|([A-Za-z_][\w.-]*)\s*=\s*)("[^"]*"|'[^']*'|[^\s;&"',]+)`)
	urlForm     = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*)://[^\s"'<>]+`)
)

type lifter struct {
	connector, prefix string
	vars              map[string]string // variable -> value
	values            map[string]string // value -> variable
	exports           []Export
}

// ref returns the reference that takes the place of value.
func (l *lifter) ref(key, label, value, reason string) string {
	if v, ok := l.values[value]; ok {
		return "${" + v + "}"
	}
	name := l.prefix + screaming(label, "SECRET")
	unique := name
	for n := 2; ; n++ {
		if _, taken := l.vars[unique]; !taken {
			break
		}
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	l.add(Export{Var: unique, Key: key, Reason: reason}, value)
	return "${" + unique + "}"
}

func (l *lifter) add(e Export, value string) {
	l.vars[e.Var], l.values[value] = value, e.Var
	e.Connector = l.connector
	e.value = func() string { return value }
	l.exports = append(l.exports, e)
}

// named handles the value of something that has a name.
func (l *lifter) named(key, label, name, value string) string {
	kind := nameKind(name)
	if parts, err := split(value); err == nil && len(parts) > 0 && strings.Contains(value, "${") {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(l.part(key, label, kind, name, p))
		}
		return b.String()
	}
	if kind == notSecret || harmless(name, value) || kind == maybeSecret && !couldBeSecret(value) {
		return l.text(key, label, value, false)
	}
	reason := "the name " + name + " says that it is a secret"
	if m := schemeForm.FindStringSubmatch(value); m != nil {
		return m[1] + l.ref(key, label, m[2], reason)
	}
	if urlForm.FindString(value) == value { // the address of something secret, not the secret
		return l.text(key, label, value, false)
	}
	if lifted := l.text(key, label, value, false); lifted != value && strings.HasPrefix(strings.TrimSpace(value), "{") {
		return lifted
	} else if lifted != value {
		// Found by its form as well; the whole of it goes, since its name says so.
		l.undo(lifted)
	}
	return l.ref(key, label, value, reason)
}

// undo forgets the exports that only occur in text.
func (l *lifter) undo(text string) {
	for i := len(l.exports) - 1; i >= 0; i-- {
		e := l.exports[i]
		if !strings.Contains(text, "${"+e.Var+"}") {
			return
		}
		delete(l.values, e.Value())
		delete(l.vars, e.Var)
		l.exports = l.exports[:i]
	}
}

// part handles a stretch of a text that has references.
func (l *lifter) part(key, label string, kind secrecy, name string, p part) string {
	switch {
	case !p.isReference():
		return l.text(key, label, p.text, false)
	case p.Default == "":
		return p.text
	case LooksSecret(p.Default), (kind == isSecret || nameKind(p.Var) == isSecret) && !harmless(name, p.Default):
		if _, ok := l.values[p.Default]; !ok {
			l.add(Export{Var: p.Var, Key: key, Reason: "a default of a secret"}, p.Default)
		}
		return "${" + p.Var + "}"
	}
	return p.text
}

// text handles a text that has no name that would say what it is.
func (l *lifter) text(key, label, value string, argument bool) string {
	if strings.Contains(value, "${") {
		parts, err := split(value)
		if err != nil { // it cannot be resolved either, and is left out of the search only
			return l.plain(key, label, value)
		}
		if len(parts) > 1 || parts[0].isReference() {
			if argument {
				if m := assignForm.FindStringSubmatch(value); m != nil && !strings.HasPrefix(m[3], "${") {
					return m[1] + m[2] + "=" + l.named(key, m[2], m[2], m[3])
				}
			}
			return l.urls(key, label, value)
		}
	}
	if trimmed := strings.TrimSpace(value); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if lifted, ok := l.json(key, label, value); ok {
			return lifted
		}
	}
	if argument {
		if m := assignForm.FindStringSubmatch(value); m != nil && !LooksSecret(m[2]) && !(m[1] == "" && commandLine.MatchString(m[3])) { // base64 ends with = too
			return m[1] + m[2] + "=" + l.named(key, m[2], m[2], m[3])
		}
	}
	if m := headerForm.FindStringSubmatch(value); m != nil && nameKind(m[1]) != notSecret {
		return m[1] + m[2] + l.named(key, m[1], m[1], m[3])
	}
	return l.urls(key, label, value)
}

// json handles the strings in a JSON text, where each has a name.
func (l *lifter) json(key, label, value string) (string, bool) {
	doc, err := jsonc.Parse([]byte(value))
	if err != nil || !doc.Exists() {
		return "", false
	}
	tree := doc.Tree().Clone()
	var walk func(v *hujson.Value, name string)
	walk = func(v *hujson.Value, name string) {
		switch t := v.Value.(type) {
		case *hujson.Object:
			for i := range t.Members {
				walk(&t.Members[i].Value, t.Members[i].Name.Value.(hujson.Literal).String())
			}
		case *hujson.Array:
			for i := range t.Elements {
				walk(&t.Elements[i], name)
			}
		case hujson.Literal:
			if t.Kind() != '"' && (t.Kind() != '0' || nameKind(name) == notSecret) {
				return
			}
			was := t.String()
			if lifted := l.named(key, name, name, was); lifted != was {
				v.Value = hujson.String(lifted)
			}
		}
	}
	before := len(l.exports)
	walk(&tree, label)
	if len(l.exports) == before && !bytes.Contains(tree.Pack(), []byte("${"+l.prefix)) {
		return value, true
	}
	return strings.TrimSuffix(string(tree.Pack()), "\n"), true
}

// urls handles a text in which there may be URLs.
func (l *lifter) urls(key, label, value string) string {
	var b strings.Builder
	end := 0
	for _, m := range urlForm.FindAllStringIndex(value, -1) {
		b.WriteString(l.settings(key, label, value[end:m[0]]))
		b.WriteString(l.url(key, label, value[m[0]:m[1]]))
		end = m[1]
	}
	b.WriteString(l.settings(key, label, value[end:]))
	return b.String()
}

// url handles one URL, without decoding it: what is exported is what stands there.
func (l *lifter) url(key, label, value string) string {
	scheme, rest, _ := strings.Cut(value, "://")
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	authority, path := rest, ""
	slash := strings.IndexByte(rest, '/')
	if at := strings.LastIndexByte(rest, '@'); at > slash && slash >= 0 && strings.Contains(rest[:slash], ":") && !strings.HasPrefix(strings.ToLower(scheme), "http") {
		slash = at + strings.IndexByte(rest[at:]+"/", '/') // a password with a slash in it, as database drivers take it
	}
	if slash >= 0 && slash < len(rest) {
		authority, path = rest[:slash], rest[slash:]
	}
	var b strings.Builder
	b.WriteString(scheme + "://")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, password, hasPassword := strings.Cut(authority[:at], ":")
		switch {
		case LooksSecret(user), !hasPassword && len(user) >= 20 && !strings.Contains(user, "${"):
			user = l.ref(key, within(label, "USER"), user, "it is the user of a URL, and has the form of a token")
		}
		b.WriteString(user)
		if hasPassword {
			if password != "" && !isReference(password) {
				password = l.ref(key, within(label, "PASSWORD"), password, "it is the password in a URL")
			}
			b.WriteString(":" + password)
		}
		authority = authority[at:]
	}
	b.WriteString(authority)
	for i, segment := range strings.SplitAfter(path, "/") {
		if i > 0 && LooksSecret(strings.TrimSuffix(segment, "/")) && !strings.Contains(segment, "${") {
			bare := strings.TrimSuffix(segment, "/")
			segment = l.ref(key, within(label, "PATH"), bare, "it is in the path of a URL, and has the form of a token") + segment[len(bare):]
		}
		b.WriteString(segment)
	}
	if hasQuery {
		b.WriteString("?" + l.query(key, label, query))
	}
	if hasFragment {
		b.WriteString("#" + l.query(key, label, fragment))
	}
	return b.String()
}

// within names a part of what label names.
func within(label, part string) string {
	if label == "SECRET" {
		return part
	}
	return label + "_" + part
}

func (l *lifter) query(key, label, query string) string {
	pairs := strings.SplitAfter(query, "&")
	for i, pair := range pairs {
		bare := strings.TrimSuffix(pair, "&")
		name, value, ok := strings.Cut(bare, "=")
		switch kind := nameKind(name); {
		case !ok:
			bare = l.plain(key, label, bare)
		case kind == isSecret && !harmless(name, value) && !isReference(value),
			kind == maybeSecret && couldBeSecret(value) && !isReference(value):
			bare = name + "=" + l.ref(key, name, value, "it is the parameter "+name+" of a URL")
		default:
			bare = name + "=" + l.plain(key, name, value)
		}
		pairs[i] = bare + strings.TrimPrefix(pair, strings.TrimSuffix(pair, "&"))
	}
	return strings.Join(pairs, "")
}

// settings handles name=value and --name value in a text, as connection strings and command lines have them.
func (l *lifter) settings(key, label, value string) string {
	if !strings.ContainsAny(value, "= ") {
		return l.plain(key, label, value)
	}
	var b strings.Builder
	end := 0
	for _, m := range settingForm.FindAllStringSubmatchIndex(value, -1) {
		name, inner, start, stop := "", value[m[6]:m[7]], m[6], m[7]
		if m[2] >= 0 {
			name = value[m[2]:m[3]]
		} else {
			name = value[m[4]:m[5]]
		}
		if q := inner[0]; (q == '"' || q == '\'') && len(inner) > 2 {
			inner, start, stop = inner[1:len(inner)-1], start+1, stop-1
		}
		if strings.HasPrefix(inner, "-") || nameKind(name) != isSecret || harmless(name, inner) || isReference(inner) {
			continue
		}
		b.WriteString(l.plain(key, label, value[end:start]))
		b.WriteString(l.ref(key, name, inner, "the name "+name+" says that it is a secret"))
		end = stop
	}
	b.WriteString(l.plain(key, label, value[end:]))
	return b.String()
}

// plain finds tokens by their form.
func (l *lifter) plain(key, label, value string) string {
	var b strings.Builder
	for value != "" {
		before, rest := value, ""
		if m := reference.FindStringIndex(value); m != nil {
			before, rest = value[:m[0]], value[m[0]:m[1]]
			value = value[m[1]:]
		} else {
			value = ""
		}
		b.WriteString(l.tokens(key, label, before))
		b.WriteString(rest)
	}
	return b.String()
}

func (l *lifter) tokens(key, label, value string) string {
	end := 0
	var b strings.Builder
	for _, f := range findTokens(value) {
		b.WriteString(value[end:f.start])
		b.WriteString(l.ref(key, label, value[f.start:f.end], f.reason))
		end = f.end
	}
	b.WriteString(value[end:])
	return b.String()
}

func isReference(s string) bool {
	parts, err := split(s)
	return err == nil && len(parts) == 1 && parts[0].isReference() && parts[0].Default == ""
}

// screaming makes the name of an environment variable: upper case, what is no letter or digit becomes one underscore.
func screaming(s, otherwise string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z':
			b.WriteRune(r - 'a' + 'A')
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if s := strings.TrimSuffix(b.String(), "_"); s != "" {
		return s
	}
	return otherwise
}

// VariableName is the name that a variable for a connector's setting gets: RUNLACE_<CONNECTOR>_<SETTING>.
func VariableName(connector, setting string) string {
	return "RUNLACE_" + screaming(connector, "CONNECTOR") + "_" + screaming(setting, "SECRET")
}
