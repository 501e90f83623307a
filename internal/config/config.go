// Package config reads and writes config.json: the connectors, who gives consent, and the limits of runs.
//
//	f, problems, err := config.Load(h.Config())          // code no-config where there is none: f = config.New()
//	f.Set(config.Connector{Name: "docs", Transport: config.HTTP, URL: "https://docs.example/mcp",
//		Headers: map[string]string{"Authorization": "Bearer ${DOCS_TOKEN}"}})
//	err = f.Save(h.Config())
//
//	open, secrets, err := config.Resolve(c, env)         // when the connection opens; secrets are for redaction
//
// The file is JSON, with comments and trailing commas if a person likes them:
//
//	{
//	  "version": 2,
//	  "approval": "ask",                       // or human, allow
//	  "approval_expiry": "24h",                // how long a question to a person lasts
//	  "results": "lenient",                    // or strict: a read whose answer is not what its output schema says fails
//	  "limits": {"call_timeout": "2m"},        // keys of runtime.Limits
//	  "connectors": {
//	    "files": {"transport": "stdio", "command": "npx", "args": ["-y", "server-files", "${HOME}/docs"], "timeout": "5m", "openTimeout": "45s"},
//	    "docs": {"transport": "http", "url": "https://docs.example/mcp", "headers": {"Authorization": "Bearer ${DOCS_TOKEN}"}}
//	  }
//	}
//
// A connector's timeout is for opening it, and for a call without a sign of life: each report of progress starts it anew. call_timeout in limits, 2m if it is
// not said, ends every call of a run, however much progress it reports: calls that take longer need both to be longer.
//
// What Runlace does not know in the file stays there when it is written: unknown keys, connectors that cannot be used, comments.
// No secret gets in: [File.Save] refuses a connector that has one, and [LiftSecrets] makes references of them.
package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/jsonc"
	"github.com/runlace/runlace/internal/textfile"
	"github.com/runlace/runlace/runtime"
)

// Version is the version of config.json that this Runlace writes. Version 1 is that of the first implementation, whose connectors have
// the same form.
const Version = 2

// Transports.
const (
	Stdio = "stdio" // a process, spoken to over its standard input and output
	HTTP  = "http"  // streamable HTTP
	SSE   = "sse"   // HTTP with server-sent events, as MCP had it before 2025
)

// Values of File.Approval: who gives consent to a call that acts.
const (
	Ask   = "ask"   // whoever starts the run, with confirm; the default
	Human = "human" // a person, outside of the conversation with the agent
	Allow = "allow" // nobody has to
)

// MaxExpiry is how long a question to a person can be made to last.
const MaxExpiry = 30 * 24 * time.Hour

// Values of File.Results: what a read comes to whose answer is not what its output schema says.
const (
	Lenient = "lenient" // its value, and a warning in the journal; the default
	Strict  = "strict"  // a failure, which has the value
)

// Connector says how an MCP server is reached. Its text may have references such as ${TOKEN}, in every field but Name and Source.
type Connector struct {
	Name        string            `json:"name"`
	Transport   string            `json:"transport"` // Stdio, HTTP or SSE
	Command     string            `json:"command,omitempty"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Dir         string            `json:"cwd,omitempty"`     // where the command starts; empty: anywhere
	EnvFile     string            `json:"envFile,omitempty"` // more variables for the command; Env goes over them
	URL         string            `json:"url,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Timeout     Duration          `json:"timeout,omitempty"`     // for opening it, and for a call without a sign of life; 0: 30 s and 120 s
	OpenTimeout Duration          `json:"openTimeout,omitempty"` // for opening it, if that is another one than for a call
	Disabled    bool              `json:"disabled,omitempty"`
	Source      string            `json:"source,omitempty"` // the file that it was imported from
	File        string            `json:"-"`                // the config.json that it was read from, for messages
}

// Duration is a time span, in JSON a text as time.ParseDuration takes it. Numbers are read as seconds.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalJSON writes text, such as "30s".
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads text or a number of seconds.
func (d *Duration) UnmarshalJSON(b []byte) error {
	n, err := jsonc.Parse(b)
	if err != nil {
		return err
	}
	span, err := readDuration(n)
	*d = Duration(span)
	return err
}

// File is the content of a config.json.
type File struct {
	Version    int
	Connectors []Connector    // sorted by name
	Approval   string         // Ask where the file says nothing
	Results    string         // Lenient where the file says nothing
	Expiry     time.Duration  // how long a question to a person lasts; 0 where the file says nothing
	Limits     runtime.Limits // zero fields where the file says nothing

	tree   *hujson.Value        // as it was read
	sum    [sha256.Size]byte    // of the text that was read
	loaded map[string]Connector // as they were read
}

// Problem is something in a config.json that is not followed. It stays in the file.
type Problem struct {
	Connector string `json:"connector,omitempty"` // empty: about the file
	Key       string `json:"key"`                 // as in connectors.docs.url
	Line      int    `json:"line"`
	Message   string `json:"message"`
	Skipped   bool   `json:"skipped"` // the whole connector cannot be used
}

func (p Problem) String() string { return fmt.Sprintf("line %d: %s: %s", p.Line, p.Key, p.Message) }

// New returns a configuration without connectors, for a home that has none.
func New() *File { return &File{Version: Version, Approval: Ask, Results: Lenient} }

// Load reads a config.json. A connector that cannot be used is a [Problem] and costs only itself; a setting that cannot be followed
// (consent, limits) is an error with the code bad-config, since a guess would be the wrong one for somebody. Where there is no file, the
// code is no-config.
func Load(path string) (*File, []Problem, error) {
	text, err := textfile.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fault.New("no-config", "there is no %s", path)
	case err != nil:
		return nil, nil, fault.New("bad-config", "%s cannot be read", path).WithDetail(err)
	}
	f, problems, err := Parse(path, text)
	if err != nil {
		return nil, nil, err
	}
	return f, problems, nil
}

// Parse is [Load] for a text. The path is for messages only.
func Parse(path string, text []byte) (*File, []Problem, error) {
	doc, err := jsonc.Parse(text)
	if err != nil {
		return nil, nil, fault.New("bad-config", "%s: %v", path, err)
	}
	if !doc.Exists() { // an editor or a full disk may have cut it: without a word, all connectors would be gone
		return nil, nil, fault.New("bad-config", "%s is empty", path).WithHint("put its text back; or delete the file, to begin without connectors")
	}
	if !doc.IsObject() {
		return nil, nil, fault.New("bad-config", "%s has %s, and not an object", path, doc.Kind())
	}
	r := &reader{path: path, file: New()}
	r.file.tree, r.file.sum, r.file.loaded = doc.Tree(), sha256.Sum256(text), map[string]Connector{}
	if err := r.read(doc); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(r.file.Connectors, func(a, b Connector) int { return strings.Compare(a.Name, b.Name) })
	return r.file, r.problems, nil
}

type reader struct {
	path     string
	file     *File
	problems []Problem
}

func (r *reader) bad(n jsonc.Node, key, format string, args ...any) error {
	return fault.New("bad-config", "%s, line %d: %s %s", r.path, n.Line(), key, fmt.Sprintf(format, args...))
}

func (r *reader) problem(connector string, n jsonc.Node, key string, skipped bool, format string, args ...any) {
	r.problems = append(r.problems, Problem{connector, key, n.Line(), fmt.Sprintf(format, args...), skipped})
}

func (r *reader) read(doc jsonc.Node) error {
	seen := map[string]bool{}
	for _, m := range doc.Members() {
		if seen[m.Name] {
			return r.bad(m.Value, m.Name, "is there twice")
		}
		seen[m.Name] = true
		switch m.Name {
		case "version":
			v, ok := wholeNumber(m.Value)
			switch {
			case !ok || v < 1 || v > math.MaxInt32:
				return r.bad(m.Value, "version", "is not a whole number from 1")
			case v > Version:
				return fault.New("bad-config", "%s has version %d, and this Runlace knows versions up to %d", r.path, v, Version).
					WithHint("use a newer Runlace, or another home")
			}
		case "approval":
			v, _ := m.Value.Text()
			if v != Ask && v != Human && v != Allow {
				return r.bad(m.Value, "approval", "is one of %q, %q and %q", Ask, Human, Allow)
			}
			r.file.Approval = v
		case "approval_expiry":
			v, err := readDuration(m.Value)
			if err != nil || v <= 0 || v > MaxExpiry {
				return r.bad(m.Value, "approval_expiry", "is a time up to 30 days, such as \"24h\"")
			}
			r.file.Expiry = v
		case "results":
			v, _ := m.Value.Text()
			if v != Lenient && v != Strict {
				return r.bad(m.Value, "results", "is %q or %q", Lenient, Strict)
			}
			r.file.Results = v
		case "limits":
			if err := r.limits(m.Value); err != nil {
				return err
			}
		case "connectors":
			if !m.Value.IsObject() {
				return r.bad(m.Value, "connectors", "is %s, and not an object", m.Value.Kind())
			}
			r.connectors(m.Value)
		default:
			r.problem("", m.Value, m.Name, false, "there is no such setting")
		}
	}
	return nil
}

func wholeNumber(n jsonc.Node) (int64, bool) {
	if n.Kind() != "a number" {
		return 0, false
	}
	s, _ := n.Scalar()
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// readDuration reads "90s" or 90. What is too long for a Duration is an error.
func readDuration(n jsonc.Node) (time.Duration, error) {
	wrong := errors.New(`is a time such as "90s" or "5m", or a number of seconds`)
	s, ok := n.Scalar()
	if !ok {
		return 0, wrong
	}
	if n.Kind() == "a number" {
		if strings.ContainsAny(s, "eE") {
			return 0, wrong
		}
		s += "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, wrong
	}
	return d, nil
}

// limitFields are the fields of runtime.Limits by their names in JSON.
func limitFields(l *runtime.Limits) (names []string, fields map[string]reflect.Value) {
	v := reflect.ValueOf(l).Elem()
	fields = map[string]reflect.Value{}
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		names = append(names, name)
		fields[name] = v.Field(i)
	}
	return names, fields
}

func (r *reader) limits(n jsonc.Node) error {
	if !n.IsObject() {
		return r.bad(n, "limits", "is %s, and not an object", n.Kind())
	}
	names, fields := limitFields(&r.file.Limits)
	for _, m := range n.Members() {
		key := "limits." + m.Name
		field, ok := fields[m.Name]
		switch {
		case !ok:
			r.problem("", m.Value, key, false, "there is no such limit; there are %s", strings.Join(names, ", "))
		case field.Type() == reflect.TypeFor[time.Duration]():
			d, err := readDuration(m.Value)
			if err != nil || d == 0 {
				return r.bad(m.Value, key, `is a time such as "90s" or "5m", or a number of seconds`)
			}
			field.SetInt(int64(d))
		default:
			v, ok := wholeNumber(m.Value)
			if !ok || v < 1 || field.OverflowInt(v) {
				return r.bad(m.Value, key, "is a whole number from 1")
			}
			field.SetInt(v)
		}
	}
	return nil
}

func (r *reader) connectors(n jsonc.Node) {
	last := map[string]int{}
	members := n.Members()
	for i, m := range members {
		last[m.Name] = i
	}
	for i, m := range members {
		key := "connectors." + m.Name
		if last[m.Name] != i {
			r.problem(m.Name, m.Value, key, false, "it is there twice, and the last one counts")
			continue
		}
		c, ok := r.connector(m.Name, key, m.Value)
		if !ok {
			continue
		}
		if key, err := c.check(); err != nil {
			r.problem(m.Name, m.Value, strings.TrimSuffix("connectors."+m.Name+"."+key, "."), true, "%v", err)
			continue
		}
		r.file.Connectors = append(r.file.Connectors, c)
		r.file.loaded[c.Name] = c.clone()
	}
}

func (r *reader) connector(name, key string, n jsonc.Node) (Connector, bool) {
	c := Connector{Name: name, File: r.path}
	if !n.IsObject() {
		r.problem(name, n, key, true, "it is %s, and not an object", n.Kind())
		return c, false
	}
	ok := true
	fail := func(m jsonc.Member, what string) {
		ok = false
		if m.Value.Kind() == what { // a list or an object, then
			r.problem(name, m.Value, key+"."+m.Name, true, "it has a value that is not text")
			return
		}
		r.problem(name, m.Value, key+"."+m.Name, true, "it is %s, and not %s", m.Value.Kind(), what)
	}
	for _, m := range n.Members() {
		texts := map[string]*string{"transport": &c.Transport, "command": &c.Command, "cwd": &c.Dir, "envFile": &c.EnvFile, "url": &c.URL, "source": &c.Source}
		switch m.Name {
		case "transport", "command", "cwd", "envFile", "url", "source":
			v, isText := m.Value.Text()
			if !isText {
				fail(m, "text")
			}
			*texts[m.Name] = v
		case "args":
			args, good := readArgs(m.Value)
			if !good {
				fail(m, "a list")
			}
			c.Args = args
		case "env", "headers":
			values, good := readTexts(m.Value)
			if !good {
				fail(m, "an object")
			}
			if m.Name == "env" {
				c.Env = values
			} else {
				c.Headers = values
			}
		case "timeout", "openTimeout":
			d, err := readDuration(m.Value)
			if err != nil {
				r.problem(name, m.Value, key+"."+m.Name, true, "it %v", err)
				ok = false
			}
			if m.Name == "timeout" {
				c.Timeout = Duration(d)
			} else {
				c.OpenTimeout = Duration(d)
			}
		case "disabled":
			v, isBool := m.Value.Bool()
			if !isBool {
				fail(m, "true or false")
			}
			c.Disabled = v
		case "attr": // the first implementation's; it can be computed from the name
		default:
			r.problem(name, m.Value, key+"."+m.Name, false, "there is no such setting")
		}
	}
	if c.Transport == "" {
		if c.Transport = Stdio; c.Command == "" && c.URL != "" {
			c.Transport = HTTP
		}
	}
	return c, ok
}

func readArgs(n jsonc.Node) ([]string, bool) {
	if !n.IsList() {
		return nil, false
	}
	args := []string{}
	for _, e := range n.Elements() {
		s, ok := e.Scalar()
		if !ok {
			return nil, false
		}
		args = append(args, s)
	}
	return args, true
}

func readTexts(n jsonc.Node) (map[string]string, bool) {
	if !n.IsObject() {
		return nil, false
	}
	values := map[string]string{}
	for _, m := range n.Members() {
		s, ok := m.Value.Scalar()
		if !ok {
			return nil, false
		}
		values[m.Name] = s
	}
	return values, true
}

// Check says what is wrong with a connector's settings, with the code bad-connector. References count as good text.
func (c Connector) Check() error {
	if key, err := c.check(); err != nil {
		where := "connector " + strconv.Quote(c.Name)
		if key != "" {
			where += ", " + key
		}
		return fault.New("bad-connector", "%s: %v", where, err)
	}
	return nil
}

// CheckName says what is wrong with a connector's name. Any text will do that can be shown on a line; Python gets an identifier made of
// it (package catalog).
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("the name is empty")
	case !utf8.ValidString(name) || strings.IndexFunc(name, unprintable) >= 0:
		return errors.New("the name has a character that cannot be printed")
	case strings.TrimSpace(name) != name:
		return errors.New("the name begins or ends with a space")
	case utf8.RuneCountInString(name) > 100:
		return errors.New("the name has more than 100 characters")
	}
	return nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// check returns the key that is wrong. Its errors have no values in them.
func (c Connector) check() (key string, err error) {
	if err := CheckName(c.Name); err != nil {
		return "", err
	}
	switch c.Transport {
	case Stdio:
		switch {
		case c.Command == "" && c.URL != "":
			return "transport", errors.New("stdio needs a command, and there is a url: for that, the transport is http or sse")
		case strings.TrimSpace(c.Command) == "":
			return "command", errors.New("it is missing")
		case c.URL != "":
			return "url", errors.New("a connector has a command or a url, and this one has both")
		case len(c.Headers) > 0:
			return "headers", errors.New("a command takes no headers")
		}
		for _, name := range slices.Sorted(maps.Keys(c.Env)) {
			if name == "" || strings.Contains(name, "=") || strings.IndexFunc(name, unprintable) >= 0 {
				return "env", errors.New("a variable's name is empty, or has a = or a character in it that cannot be printed")
			}
		}
		for _, v := range append([]string{c.Command, c.Dir}, c.Args...) {
			if strings.ContainsRune(v, 0) {
				return "args", errors.New("there is a NUL character in it")
			}
		}
	case HTTP, SSE:
		switch {
		case c.URL == "":
			return "url", errors.New("it is missing")
		case c.Command != "":
			return "command", errors.New("a connector has a command or a url, and this one has both")
		}
		if err := checkURL(c.URL); err != nil {
			return "url", err
		}
		for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
			if !isToken(name) {
				return "headers", fmt.Errorf("%q cannot be the name of a header", name)
			}
			if strings.ContainsAny(c.Headers[name], "\r\n\x00") {
				return "headers." + name, errors.New("there is a line break in it")
			}
		}
	default:
		return "transport", fmt.Errorf("it is %q, %q or %q", Stdio, HTTP, SSE)
	}
	if c.Timeout < 0 {
		return "timeout", errors.New("it is negative")
	}
	if c.OpenTimeout < 0 {
		return "openTimeout", errors.New("it is negative")
	}
	return "", nil
}

// isToken reports whether s can be a header's name: RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

func (c Connector) clone() Connector {
	c.Args, c.Env, c.Headers = slices.Clone(c.Args), cloneMap(c.Env), cloneMap(c.Headers)
	return c
}

// Find returns the connector of that name.
func (f *File) Find(name string) (Connector, bool) {
	for _, c := range f.Connectors {
		if c.Name == name {
			return c.clone(), true
		}
	}
	return Connector{}, false
}

// Set puts a connector in place of the one of its name, or adds it. Its settings are checked by [File.Save].
func (f *File) Set(c Connector) (replaced bool) {
	c = c.clone()
	for i := range f.Connectors {
		if f.Connectors[i].Name == c.Name {
			f.Connectors[i] = c
			return true
		}
	}
	f.Connectors = append(f.Connectors, c)
	slices.SortFunc(f.Connectors, func(a, b Connector) int { return strings.Compare(a.Name, b.Name) })
	return false
}

// Remove takes a connector out, and reports whether it was there.
func (f *File) Remove(name string) bool {
	n := len(f.Connectors)
	f.Connectors = slices.DeleteFunc(f.Connectors, func(c Connector) bool { return c.Name == name })
	return len(f.Connectors) < n
}

// Save writes the file in one step, for the owner's eyes only. It refuses a connector that is new or changed and not good
// (bad-connector, bad-reference) or that has a secret in it (literal-secret), and a file that is not the one that was read any more (config-changed).
// The folder must exist.
func (f *File) Save(path string) error {
	for _, c := range f.Connectors {
		was, ok := f.loaded[c.Name]
		if ok && sameSettings(was, c) {
			continue
		}
		if err := c.Check(); err != nil {
			return err
		}
		if err := c.CheckReferences(); err != nil {
			return err
		}
		if found := c.LiteralSecrets(); len(found) > 0 {
			return fault.New("literal-secret", "connector %s has a secret in %s", c.Name, found[0].Key).
				WithHint("put the value into the environment variable %s, and ${%s} in its place", found[0].Var, found[0].Var)
		}
	}
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	switch now, err := textfile.Read(path); {
	case errors.Is(err, fs.ErrNotExist) && f.sum == [sha256.Size]byte{}:
	case errors.Is(err, fs.ErrNotExist):
		return fault.New("config-changed", "%s is not there any more", path)
	case err != nil:
		return fault.New("bad-config", "%s cannot be read", path).WithDetail(err)
	case sha256.Sum256(now) != f.sum:
		return fault.New("config-changed", "%s is not what it was when it was read", path)
	}
	tree, text, err := f.render()
	if err != nil {
		return err
	}
	if err := textfile.Write(path, text); err != nil {
		if _, statErr := os.Stat(filepath.Dir(path)); statErr != nil {
			err = statErr
		}
		return fault.New("bad-home", "%s cannot be written", path).WithDetail(err)
	}
	f.tree, f.sum, f.Version, f.loaded = tree, sha256.Sum256(text), Version, map[string]Connector{}
	for _, c := range f.Connectors {
		f.loaded[c.Name] = c.clone()
	}
	return nil
}

func sameSettings(a, b Connector) bool {
	return bytes.Equal(marshal(a), marshal(b))
}

// render writes the file into the tree that was read, so that what is not ours stays.
func (f *File) render() (*hujson.Value, []byte, error) {
	tree := &hujson.Value{Value: &hujson.Object{}}
	if f.tree != nil {
		c := f.tree.Clone()
		tree = &c
	}
	root, ok := tree.Value.(*hujson.Object)
	if !ok {
		return nil, nil, errors.New("the configuration is not an object")
	}
	set(root, "version", Version)
	if at(root, "approval") != nil || f.Approval != Ask && f.Approval != "" {
		set(root, "approval", f.Approval)
	}
	if f.Expiry > 0 {
		set(root, "approval_expiry", f.Expiry.String())
	}
	if at(root, "results") != nil || f.Results != Lenient && f.Results != "" {
		set(root, "results", f.Results)
	}
	f.renderLimits(root)
	f.renderConnectors(child(root, "connectors"))
	var text []byte
	if tree.IsStandard() {
		var b bytes.Buffer
		if err := json.Indent(&b, bytes.TrimSpace(tree.Pack()), "", "  "); err != nil {
			return nil, nil, err
		}
		text = append(b.Bytes(), '\n')
	} else {
		tree.Format()
		text = tree.Pack()
	}
	doc, err := jsonc.Parse(text) // offsets anew, and proof that it can be read
	if err != nil {
		return nil, nil, err
	}
	return doc.Tree(), text, nil
}

func (f *File) renderLimits(root *hujson.Object) {
	names, fields := limitFields(&f.Limits)
	if at(root, "limits") == nil && f.Limits == (runtime.Limits{}) {
		return
	}
	limits := child(root, "limits")
	for _, name := range names {
		switch v := fields[name]; {
		case v.IsZero():
			remove(limits, name)
		case v.Type() == reflect.TypeFor[time.Duration]():
			if was := at(limits, name); was == nil || !sameDuration(was, time.Duration(v.Int())) {
				set(limits, name, Duration(v.Int()))
			}
		default:
			set(limits, name, v.Int())
		}
	}
}

// sameDuration reports whether a value says d already, perhaps in other words.
func sameDuration(v *hujson.Value, d time.Duration) bool {
	n, err := jsonc.Parse(v.Clone().Pack())
	if err != nil {
		return false
	}
	was, err := readDuration(n)
	return err == nil && was == d
}

func (f *File) renderConnectors(all *hujson.Object) {
	keep := map[string]bool{}
	for _, c := range f.Connectors {
		keep[c.Name] = true
	}
	for name := range f.loaded {
		if !keep[name] {
			remove(all, name)
		}
	}
	for _, c := range f.Connectors {
		if was, ok := f.loaded[c.Name]; ok && sameSettings(was, c) {
			continue
		}
		if v := at(all, c.Name); v != nil {
			if _, ok := v.Value.(*hujson.Object); !ok {
				remove(all, c.Name)
			}
		}
		o := child(all, c.Name)
		doc, err := jsonc.Parse(marshal(c))
		if err != nil {
			panic(err)
		}
		for _, key := range []string{"transport", "command", "args", "env", "cwd", "envFile", "url", "headers", "timeout", "openTimeout", "disabled", "source", "attr"} {
			if v := doc.Get(key); v.Exists() {
				setValue(o, key, v.Tree().Clone().Value)
			} else {
				remove(o, key)
			}
		}
	}
}

func index(o *hujson.Object, name string) int {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if o.Members[i].Name.Value.(hujson.Literal).String() == name {
			return i
		}
	}
	return -1
}

func at(o *hujson.Object, name string) *hujson.Value {
	if i := index(o, name); i >= 0 {
		return &o.Members[i].Value
	}
	return nil
}

// child returns the object of that name, and makes it where there is none.
func child(o *hujson.Object, name string) *hujson.Object {
	if v := at(o, name); v != nil {
		if c, ok := v.Value.(*hujson.Object); ok {
			return c
		}
	}
	c := &hujson.Object{}
	setValue(o, name, c)
	return c
}

func set(o *hujson.Object, name string, value any) {
	setValue(o, name, hujson.Literal(marshal(value)))
}

// marshal leaves an & in a URL as it is.
func marshal(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // it has texts, numbers and Durations
	}
	return bytes.TrimSpace(b.Bytes())
}

func setValue(o *hujson.Object, name string, value hujson.ValueTrimmed) {
	if v := at(o, name); v != nil {
		v.Value = value
		return
	}
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{Value: value}}
	if n := len(o.Members); n > 0 {
		if o.Members[n-1].Value.AfterExtra != nil { // which stands for a trailing comma
			m.Value.AfterExtra = hujson.Extra{}
		}
		// A comment on the line of the last member stays with that one.
		if line, rest, ok := bytes.Cut(o.AfterExtra, []byte("\n")); ok && len(bytes.TrimSpace(line)) > 0 {
			m.Name.BeforeExtra = append(bytes.Clone(line), '\n')
			o.AfterExtra = append(hujson.Extra("\n"), rest...)
		}
	}
	o.Members = append(o.Members, m)
}

// remove takes all members of that name out, with the comments right before them.
func remove(o *hujson.Object, name string) {
	for i := index(o, name); i >= 0; i = index(o, name) {
		last := i == len(o.Members)-1
		comma := o.Members[len(o.Members)-1].Value.AfterExtra != nil
		o.Members = slices.Delete(o.Members, i, i+1)
		if n := len(o.Members); last && comma && n > 0 && o.Members[n-1].Value.AfterExtra == nil {
			o.Members[n-1].Value.AfterExtra = hujson.Extra{}
		}
	}
}

func cloneMap(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}
