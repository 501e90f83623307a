package stubs

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/internal/words"
)

// Problem is something about a tool that its server's schema does not allow to be typed, or that had to be changed.
type Problem struct {
	Tool    string `json:"tool"`
	Side    string `json:"side"`  // input, output or name
	Where   string `json:"where"` // JSON pointer into that schema
	Code    string `json:"code"`
	Message string `json:"message"`
}

// RunTime is the code of what no type says and is checked when the tool is called.
const RunTime = "run-time"

// Loss reports whether something is typed less precisely than it could be if the server's schema were better, or could not be used. What
// is not a loss is worth knowing: a name that had to change, a condition that is checked when the tool is called.
func (p Problem) Loss() bool {
	switch p.Code {
	case "renamed", "no-output-schema", "observed", RunTime, schema.Legacy:
		return false
	}
	return true
}

func (p Problem) String() string {
	return fmt.Sprintf("%s %s%s: %s (%s)", p.Tool, p.Side, p.Where, p.Message, p.Code)
}

// Connector is one connector's tools, as Python sees them.
type Connector struct {
	Name string // as configured
	Attr string // of ctx

	class    string
	module   *module
	methods  []*Method // by name on the wire
	byPython map[string]*Method
	byWire   map[string]*Method
	problems []Problem
}

// Method is a tool.
type Method struct {
	Tool   catalog.Tool
	Python string // the method's name

	parameters []*parameter // of all signatures, in the schema's order
	signatures []*signature
	arguments  *node // the whole input
	result     *node // nil if nothing is said
	observed   bool  // result was learned, and is not declared
	problems   []Problem
	input      *schema.Document
	standIn    func() standIn
}

// Build makes a connector that stands alone, so that its attribute cannot collide with another's. See [BuildAll].
func Build(connector string, tools []catalog.Tool) *Connector {
	return build(connector, catalog.Identifier(catalog.Connector, connector), tools)
}

// BuildAll makes all connectors of a user, with attributes that differ.
func BuildAll(tools map[string][]catalog.Tool) []*Connector {
	var names []string
	for name := range tools {
		names = append(names, name)
	}
	slices.Sort(names)
	attrs := catalog.NewNames(catalog.Connector, names)
	out := make([]*Connector, len(names))
	for i, name := range names {
		out[i] = build(name, attrs.Python(name), tools[name])
	}
	return out
}

func build(name, attr string, tools []catalog.Tool) *Connector {
	c := &Connector{Name: name, Attr: attr, class: className(attr), byPython: map[string]*Method{}, byWire: map[string]*Method{}}
	tools = slices.Clone(tools)
	slices.SortStableFunc(tools, func(a, b catalog.Tool) int { return strings.Compare(a.Name, b.Name) })
	var wires []string
	for _, t := range tools {
		wires = append(wires, t.Name)
	}
	names := catalog.NewNames(catalog.Method, wires)
	for _, t := range tools {
		if c.byWire[t.Name] != nil {
			c.problems = append(c.problems, Problem{t.Name, "name", "", "duplicate", "the server lists this tool twice; the first counts"})
			continue
		}
		m := newMethod(t, names.Python(t.Name))
		if slices.Contains(names.Collided(), t.Name) {
			m.problems = append(m.problems, Problem{t.Name, "name", "", "renamed", fmt.Sprintf("several tools would be called %s; this one is %s", catalog.Identifier(catalog.Method, t.Name), m.Python)})
		}
		c.methods = append(c.methods, m)
		c.byPython[m.Python], c.byWire[t.Name] = m, m
	}
	reserved := []string{c.class}
	for _, m := range c.methods {
		reserved = append(reserved, m.Python)
	}
	c.module = newModule(reserved...)
	for _, m := range c.methods {
		c.module.add("", m.roots()...)
	}
	return c
}

// className is the name of a connector's class, which the names that its module imports cannot take away: connectors may be called any.
func className(attr string) string {
	name := camel(attr)
	if slices.Contains(typingNames, name) {
		name = "T" + name
	}
	return name
}

// roots are the nodes that a method's signatures are made of.
func (x *Method) roots() []*node {
	var roots []*node
	for _, s := range x.signatures {
		for _, p := range s.parameters {
			roots = append(roots, p.nodes...)
		}
		if s.extra != nil {
			roots = append(roots, s.extra)
		}
	}
	if x.result != nil {
		roots = append(roots, x.result)
	}
	return roots
}

func newMethod(t catalog.Tool, python string) *Method {
	m := &Method{Tool: t, Python: python}
	m.standIn = sync.OnceValue(m.makeStandIn)
	seen := map[Problem]bool{}
	report := func(p Problem) {
		p.Tool = t.Name
		if !seen[p] {
			seen[p] = true
			m.problems = append(m.problems, p)
		}
	}
	read := func(raw []byte, side string) *schema.Document {
		doc, err := schema.Read(raw)
		if err != nil {
			report(Problem{Side: side, Code: schema.NotSchema, Message: "the schema is not JSON: " + err.Error()})
			doc, _ = schema.Read(nil) // nothing is fine
		}
		for _, n := range doc.Notes {
			report(Problem{Side: side, Where: n.Where, Code: n.Code, Message: n.Message})
		}
		return doc
	}
	in := read(t.InputSchema, "input")
	m.input = in
	untyped := func(p Problem) {
		if p.Where != "" || p.Code != "free-form" && (p.Code != "no-type" || !unsaid(t.InputSchema)) { // said below
			report(p)
		}
	}
	m.arguments = newBuilder(in, false, untyped).root([]string{python})
	m.takeArguments(report)
	if missing(t.OutputSchema) && !missing(t.Observed) {
		report(Problem{Side: "output", Code: "observed", Message: "the result is typed by what the tool was observed to answer; the server does not say what it returns"})
		b := newBuilder(read(t.Observed, "output"), true, report)
		b.raw = true // so that a workflow reads the same keys before and after something was learned
		m.result, m.observed = b.root([]string{python, "Output"}), true
		return m
	}
	if missing(t.OutputSchema) {
		report(Problem{Side: "output", Code: "no-output-schema", Message: "the server does not say what the tool returns"})
		return m
	}
	out := read(t.OutputSchema, "output")
	m.result = newBuilder(out, true, report).root([]string{python, "Output"})
	return m
}

// unsaid reports whether there is no schema at all.
func unsaid(raw []byte) bool {
	v, err := ordered.Parse(raw)
	return err != nil || v.Kind == ordered.Null
}

// missing reports whether a schema says nothing.
func missing(raw []byte) bool {
	v, err := ordered.Parse(raw)
	return err != nil || v.Kind == ordered.Null || v.Kind == ordered.Object && len(v.Members) == 0
}

// most is how many overloads are readable.
const most = 6

// takeArguments makes parameters of the input's records.
func (x *Method) takeArguments(report func(Problem)) {
	var records, maps []*node
	for _, n := range x.arguments.flat() {
		switch n.kind {
		case kRecord:
			records = append(records, n)
		case kMap:
			maps = append(maps, n)
			if !n.empty && n.value.reason != "" && (n.value.reason != "free-form" || speaks(n.all)) {
				report(Problem{Side: "input", Code: n.value.reason, Message: "the schema does not say which arguments there are"})
			}
		case kAny:
			if unsaid(x.Tool.InputSchema) {
				report(Problem{Side: "input", Code: "no-input-schema", Message: "the server sends no input schema: taken as a tool without arguments"})
			} else {
				maps = append(maps, n)
			}
		default:
			report(Problem{Side: "input", Code: "not-an-object", Message: "arguments are an object, and the schema allows something else"})
		}
	}
	byWire := map[string]*parameter{}
	needed := map[string]int{} // in how many records
	for _, r := range records {
		for _, f := range r.fields {
			if requires(f) {
				needed[f.wire]++
			}
			p := byWire[f.wire]
			if p == nil {
				p = &parameter{wire: f.wire}
				byWire[f.wire] = p
				x.parameters = append(x.parameters, p)
			}
			if !slices.Contains(p.nodes, f.node) {
				p.nodes = append(p.nodes, f.node)
			}
			p.schemas = append(p.schemas, f.schemas...)
		}
	}
	var wires []string
	for _, p := range x.parameters {
		wires = append(wires, p.wire)
		p.required = len(maps) == 0 && needed[p.wire] == len(records)
	}
	names := catalog.NewNames(catalog.Parameter, wires)
	for _, p := range x.parameters {
		p.python = names.Python(p.wire)
	}
	var extra *node
	for _, n := range append(slices.Clone(maps), records...) {
		switch {
		case n.kind == kRecord && n.value != nil && n.value.reason != open, n.kind == kMap && !n.empty:
			extra = n.value
		case n.kind == kAny:
			extra = n
		}
	}
	extraName := "extra"
	for slices.ContainsFunc(x.parameters, func(p *parameter) bool { return p.python == extraName }) {
		extraName += "_"
	}
	if len(x.parameters) > mostParameters {
		report(Problem{Side: "input", Code: schema.TooLarge, Message: fmt.Sprintf("the tool has %d parameters; the stub shows %d, and takes the others as they are", len(x.parameters), mostParameters)})
	}
	if len(records) == 1 && len(maps) == 0 && extra == nil {
		x.signatures = x.oneOfRequired(records[0], extraName)
	}
	if x.signatures != nil {
		return
	}
	if len(records) < 2 || len(records) > most || len(maps) > 0 || extra != nil {
		x.signatures = []*signature{{x.parameters, extra, extraName}}
		return
	}
	for _, r := range records {
		s := &signature{extraName: extraName}
		for _, f := range r.fields {
			s.parameters = append(s.parameters, &parameter{wire: f.wire, python: names.Python(f.wire), nodes: []*node{f.node}, required: requires(f), schemas: f.schemas})
		}
		x.signatures = append(x.signatures, s)
	}
}

// oneOfRequired makes overloads of a schema that says: this key, or that one. nil if it does not.
func (x *Method) oneOfRequired(r *node, extraName string) []*signature {
	var choices []*ordered.Value
	for _, s := range r.all {
		for _, keyword := range []string{"anyOf", "oneOf"} {
			if list := s.Get(keyword); list != nil && onlyRequire(list.Items) {
				if choices != nil || len(list.Items) > most {
					return nil
				}
				choices = list.Items
			}
		}
	}
	if len(x.parameters) > mostParameters {
		return nil
	}
	var out []*signature
	for _, c := range choices {
		s := &signature{extraName: extraName}
		more := false
		for i, f := range r.fields {
			p := *x.parameters[i]
			if !p.required && slices.ContainsFunc(c.Get("required").Items, ordered.NewString(p.wire).Equal) {
				p.required = !slices.ContainsFunc(f.schemas, func(s *ordered.Value) bool { return s.Has("default") })
				more = more || p.required
			}
			s.parameters = append(s.parameters, &p)
		}
		if !more { // a call that the others would refuse
			return nil
		}
		out = append(out, s)
	}
	return out
}

// onlyRequire reports whether each of several alternatives says just which keys it needs.
func onlyRequire(list []*ordered.Value) bool {
	return len(list) > 1 && !slices.ContainsFunc(list, func(s *ordered.Value) bool {
		return !s.Has("required") || slices.ContainsFunc(s.Members, func(m ordered.Member) bool {
			return !slices.Contains([]string{"required", "title", "description", "type", "not"}, m.Key)
		})
	})
}

// speaks reports whether schemas say something of keys that they do not declare. One that is silent is that of a tool without arguments, as most
// servers write it.
func speaks(all []*ordered.Value) bool {
	return slices.ContainsFunc(all, func(s *ordered.Value) bool {
		return s.Has("additionalProperties") || s.Has("patternProperties") || s.Has("unevaluatedProperties")
	})
}

// requires reports whether a call needs a key. One with a default does not, even if the schema says so as well.
func requires(f *field) bool {
	return f.required && !slices.ContainsFunc(f.schemas, func(s *ordered.Value) bool { return s.Has("default") })
}

// Methods returns the methods in the order of their names on the wire.
func (c *Connector) Methods() []*Method { return c.methods }

// Method returns a method by its Python name; nil if there is none.
func (c *Connector) Method(python string) *Method { return c.byPython[python] }

// Tool returns a method by its name on the wire; nil if there is none.
func (c *Connector) Tool(wire string) *Method { return c.byWire[wire] }

// Problems says what about the tools could not be typed or had to be changed.
func (c *Connector) Problems() []Problem {
	out := slices.Clone(c.problems)
	for _, m := range c.methods {
		out = append(out, m.problems...)
	}
	return out
}

// Problems says what about the tool could not be typed or had to be changed.
func (x *Method) Problems() []Problem { return x.problems }

// Stub is the text of the connector's file: all tools, or only those that are named, by either name.
func (c *Connector) Stub(only ...string) string {
	methods := c.methods
	if len(only) > 0 {
		methods = nil
		for _, m := range c.methods {
			if slices.Contains(only, m.Tool.Name) || slices.Contains(only, m.Python) {
				methods = append(methods, m)
			}
		}
	}
	m := *c.module // names are the same in every text
	m.imports, m.qualified, m.shadow = map[string]bool{}, map[string]bool{}, nil
	var types, class strings.Builder
	var roots []*node
	for _, x := range methods {
		roots = append(roots, x.roots()...)
	}
	for _, n := range m.reach(roots) {
		types.WriteString("\n")
		m.declare(&types, n)
	}
	m.shadow = map[string]bool{}
	for _, x := range c.methods {
		m.shadow[x.Python] = true
	}
	fmt.Fprintf(&class, "\nclass %s:\n", c.class)
	for i, x := range methods {
		if i > 0 {
			class.WriteString("\n")
		}
		m.method(&class, x)
	}
	if len(methods) == 0 {
		class.WriteString("    pass\n")
	}
	var b strings.Builder
	b.WriteString("# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.\n")
	fmt.Fprintf(&b, "# Connector: %s\n", oneLine(c.Name))
	losses(&b, methods)
	m.head(&b)
	b.WriteString(types.String())
	b.WriteString(class.String())
	return b.String()
}

// mostLosses is how many losses the head of a stub lists. runlace tools --problems lists all.
const mostLosses = 10

// losses writes what of the methods is not typed, and why.
func losses(b *strings.Builder, methods []*Method) {
	n := 0
	for _, m := range methods {
		for _, p := range m.problems {
			if !p.Loss() {
				continue
			}
			if n++; n == 1 {
				b.WriteString("# Not typed in full:\n")
			}
			if n <= mostLosses {
				fmt.Fprintf(b, "#   %s\n", words.Cut(oneLine(p.String()), 200))
			}
		}
	}
	if n > mostLosses {
		fmt.Fprintf(b, "#   and %d more: runlace tools --problems\n", n-mostLosses)
	}
}
