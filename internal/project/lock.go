package project

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/jsonc"
)

// Lock has the tools that the workflows of a project use, as their servers describe them, without what is only said to readers.
type Lock struct {
	Connectors []Locked // by name
	file       string
}

// Locked is a connector of the lock.
type Locked struct {
	Name   string
	Attr   string         // of ctx
	Server Server         // what it is
	Tools  []catalog.Tool // by name; the risk is what the project's policy says, else what the server says
	python map[string]string
	blocks []byte // as it stands in the file
	places map[string]report.Place
}

// Server is the program behind a connector, by its own word.
type Server struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Tools are all tools, in order.
func (l *Lock) Tools() (all []catalog.Tool) {
	if l == nil {
		return nil
	}
	for _, c := range l.Connectors {
		all = append(all, c.Tools...)
	}
	return all
}

// ByConnector are the tools of each connector.
func (l *Lock) ByConnector() map[string][]catalog.Tool {
	out := map[string][]catalog.Tool{}
	if l != nil {
		for _, c := range l.Connectors {
			out[c.Name] = c.Tools
		}
	}
	return out
}

// Find finds a connector by its name, nil if it is not there.
func (l *Lock) Find(connector string) *Locked {
	if l == nil {
		return nil
	}
	for i := range l.Connectors {
		if l.Connectors[i].Name == connector {
			return &l.Connectors[i]
		}
	}
	return nil
}

// Place is where the lock has a tool.
func (l *Lock) Place(k catalog.Key) report.Place {
	if c := l.Find(k.Connector); c != nil {
		return c.places[k.Tool]
	}
	return report.Place{}
}

// Block is the text of a connector in the file: what depends on it has not changed as long as this has not.
func (c *Locked) Block() []byte { return c.blocks }

// Python is how a workflow spells a tool, as the lock has it.
func (c *Locked) Python(tool string) string { return c.python[tool] }

// The lock, as it stands in the file.
type (
	lockJSON struct {
		Version    int             `json:"version"`
		Connectors []connectorJSON `json:"connectors"`
	}
	connectorJSON struct {
		Name   string     `json:"name"`
		Attr   string     `json:"attr"`
		Server Server     `json:"server"`
		Tools  []toolJSON `json:"tools"`
	}
	toolJSON struct {
		Name         string              `json:"name"`
		Python       string              `json:"python"`
		Risk         catalog.Risk        `json:"risk"`
		Digest       string              `json:"digest"`
		Annotations  catalog.Annotations `json:"annotations"`
		InputSchema  json.RawMessage     `json:"input_schema,omitempty"`
		OutputSchema json.RawMessage     `json:"output_schema,omitempty"`
		Observed     json.RawMessage     `json:"observed,omitempty"`
	}
)

func (p *Project) readLock() error {
	file := filepath.Join(p.Dir, LockFile)
	d := document{file, &p.Findings}
	text, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a project without tools needs none; a tool that is used is not in it
	}
	if err != nil {
		return err
	}
	tree, err := jsonc.Parse(text)
	if e := (*jsonc.Error)(nil); errors.As(err, &e) {
		d.wrong(report.Place{File: file, Line: e.Line, Column: e.Column}, "this is not JSON: %s", e.Reason)
		return nil
	}
	var version int
	if !tree.IsObject() || json.Unmarshal(tree.Get("version").JSON(), &version) != nil || version != 1 {
		d.wrong(report.Place{File: file, Line: 1}, "the version of a lock is 1, and this has %s", cmp.Or(string(tree.Get("version").JSON()), "none"))
		return nil
	}
	l := &Lock{file: file}
	from := len(p.Findings)
	for _, n := range d.elements(tree, "connectors") {
		p.readLocked(d, l, n)
	}
	if len(p.Findings) == from {
		p.Lock = l
	}
	return nil
}

// elements are those of a list of the lock.
func (d document) elements(n jsonc.Node, key string) []jsonc.Node {
	list := n.Get(key)
	if !list.IsList() {
		d.wrong(report.Place{File: d.file, Line: max(n.Line(), 1)}, "this is no lock: %s is a list, and not %s", key, list.Kind())
	}
	return list.Elements()
}

func (p *Project) readLocked(d document, l *Lock, n jsonc.Node) {
	at := report.Place{File: d.file, Line: n.Line()}
	var c connectorJSON
	if err := json.Unmarshal(without(n, "tools"), &c); err != nil || c.Name == "" || c.Attr == "" {
		d.wrong(at, "this is no connector of a lock: it has name, attr, server and tools")
		return
	}
	if l.Find(c.Name) != nil {
		d.wrong(at, "the connector %s is there twice", c.Name)
		return
	}
	x := Locked{Name: c.Name, Attr: c.Attr, Server: c.Server, Tools: []catalog.Tool{}, python: map[string]string{}, places: map[string]report.Place{}, blocks: n.JSON()}
	for _, e := range d.elements(n, "tools") {
		at := report.Place{File: d.file, Line: e.Line()}
		var t toolJSON
		if err := json.Unmarshal(e.JSON(), &t); err != nil || t.Name == "" {
			d.wrong(at, "this is no tool of a lock: it has name, python, risk, digest, annotations and schemas")
			continue
		}
		if _, twice := x.places[t.Name]; twice {
			d.wrong(at, "%s.%s is there twice", c.Name, t.Name)
			continue
		}
		if said := catalog.RiskOf(t.Annotations); t.Risk != "" && t.Risk != said {
			d.wrong(at, "the risk of %s.%s is %s in the lock, and its annotations say %s", c.Name, t.Name, t.Risk, said)
			continue
		}
		tool := catalog.Tool{
			Connector: c.Name, Name: t.Name, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Observed: t.Observed, Annotations: t.Annotations, Digest: t.Digest,
		}
		tool.Risk = p.Policy.Risk(c.Name, t.Name, t.Python, cmp.Or(t.Risk, catalog.RiskOf(t.Annotations)))
		x.Tools = append(x.Tools, tool)
		x.python[t.Name], x.places[t.Name] = t.Python, at
	}
	l.Connectors = append(l.Connectors, x)
}

// without is an object without one of its members.
func without(n jsonc.Node, name string) []byte {
	o := map[string]json.RawMessage{}
	for _, m := range n.Members() {
		if !strings.EqualFold(m.Name, name) { // as encoding/json has it
			o[m.Name] = m.Value.JSON()
		}
	}
	b, err := json.Marshal(o)
	if err != nil {
		return nil
	}
	return b
}

// Add adds a tool, as its server describes it, with its Python name.
func (c *Locked) Add(t catalog.Tool, python string) {
	t.InputSchema, t.OutputSchema, t.Observed = wordless(t.InputSchema), wordless(t.OutputSchema), wordless(t.Observed)
	t.Title, t.Description, t.Annotations.Title = "", "", ""
	if c.python == nil {
		c.python = map[string]string{}
	}
	c.python[t.Name] = python
	c.Tools = append(c.Tools, t)
}

func wordless(schema json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(schema)) == 0 {
		return nil
	}
	return catalog.Wordless(schema)
}

// JSON is the text of the file. It is the same for the same tools, one tool stands in lines of its own, and so do keywords of its schemas: branches that
// add different tools merge, but for the comma between two that are neighbors.
func (l *Lock) JSON() []byte {
	out := lockJSON{Version: 1, Connectors: []connectorJSON{}}
	for _, c := range l.Connectors {
		x := connectorJSON{Name: c.Name, Attr: c.Attr, Server: c.Server, Tools: []toolJSON{}}
		for _, t := range c.Tools {
			x.Tools = append(x.Tools, toolJSON{t.Name, c.python[t.Name], catalog.RiskOf(t.Annotations), t.Digest, t.Annotations, t.InputSchema, t.OutputSchema, t.Observed})
		}
		slices.SortFunc(x.Tools, func(a, b toolJSON) int { return strings.Compare(a.Name, b.Name) })
		out.Connectors = append(out.Connectors, x)
	}
	slices.SortFunc(out.Connectors, func(a, b connectorJSON) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		panic("project: a lock cannot be written: " + err.Error()) // schemas were parsed
	}
	return b.Bytes()
}
