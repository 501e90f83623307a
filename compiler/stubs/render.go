package stubs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/internal/words"
)

// module writes the types of one file.
type module struct {
	classes classes
	names   map[int]string // of classes that have one
	used    map[string]bool
	next    map[string]int // the number to try for a name that is taken
	alias   map[int]bool   // classes that are type aliases: cycles without a record, and large unions

	// While writing:
	imports   map[string]bool
	qualified map[string]bool // the modules under which qualified names are
	shadow    map[string]bool
	json      bool // whether something was cut
	bare      bool // inside of such a dict, where names stand for themselves
	extended  bool // whether a TypedDict takes keys that it does not declare
}

// builtinNames are what annotations are made of.
var (
	builtinNames = []string{"str", "int", "float", "bool", "list", "dict", "object"}
	typingNames  = []string{"Any", "Literal", "Never", "NotRequired", "TypedDict", "overload"}
)

func newModule(reserved ...string) *module {
	m := &module{classes: classes{ids: map[string]int{}}, names: map[int]string{}, used: map[string]bool{}, next: map[string]int{}, alias: map[int]bool{}, imports: map[string]bool{}, qualified: map[string]bool{}}
	for _, list := range [][]string{builtinNames, typingNames, reserved, {"None", "True", "False"}} {
		for _, name := range list {
			m.used[name] = true
		}
	}
	return m
}

// add puts the types below roots into the module, and names them.
func (m *module) add(prefix string, roots ...*node) {
	m.classes.place(roots)
	const opened, done = 1, 2
	state := map[int]int{}
	var aliases, records []*node
	var walk func(*node)
	walk = func(n *node) {
		n = m.classes.of(n)
		if n.cut {
			return
		}
		if n.loops() { // has no text of its own
			for _, c := range n.flat() {
				walk(c)
			}
			return
		}
		switch state[n.class] {
		case opened: // a cycle without a record: it needs a name
			if !m.alias[n.class] {
				m.alias[n.class] = true
				aliases = append(aliases, n)
			}
			return
		case done:
			return
		}
		if n.kind == kRecord { // its name breaks all cycles: what is below begins anew
			m.name(n, prefix)
			state[n.class] = done
			records = append(records, n)
			return
		}
		state[n.class] = opened
		if n.kind == kUnion && n.deservesName() {
			m.alias[n.class] = true
			m.name(n, prefix)
		}
		for _, c := range n.children() {
			walk(c)
		}
		state[n.class] = done
	}
	for _, r := range roots {
		walk(r)
		for len(records) > 0 {
			n := records[0]
			records = records[1:]
			for _, c := range n.children() {
				walk(c)
			}
		}
	}
	for _, n := range aliases {
		m.name(n, prefix)
	}
}

// deservesName reports whether a union is easier to read under a name: one of objects that has a name in the schema, or that is long.
func (n *node) deservesName() bool {
	if n.cut {
		return false
	}
	records := 0
	for _, alt := range n.flat() {
		switch alt.kind {
		case kAny:
			return false
		case kRecord:
			records++
		}
	}
	return records >= 4 || records >= 2 && n.hint != ""
}

// loops reports whether a union is among its own alternatives.
func (n *node) loops() bool {
	if n.kind != kUnion {
		return false
	}
	seen := map[*node]bool{}
	var walk func(*node) bool
	walk = func(u *node) bool {
		if u.kind != kUnion || seen[u] {
			return false
		}
		seen[u] = true
		for _, alt := range u.alts {
			if alt == n || walk(alt) {
				return true
			}
		}
		return false
	}
	return walk(n)
}

func (m *module) name(n *node, prefix string) {
	if m.names[n.class] != "" {
		return
	}
	base := camel(n.path...)
	if n.hint != "" {
		base = camel(prefix, n.hint)
	}
	name := base
	for i := max(2, m.next[base]); m.used[name]; i++ {
		name = fmt.Sprintf("%s%d", base, i)
		m.next[base] = i + 1
	}
	m.used[name] = true
	m.names[n.class] = name
}

// builtin and typing write a name of Python's, qualified where something else has that name.
func (m *module) builtin(name string) string {
	if m.shadow[name] {
		m.qualified["builtins"] = true
		return "_builtins." + name
	}
	return name
}

func (m *module) typing(name string) string {
	if m.shadow[name] {
		m.qualified["typing"] = true
		return "_typing." + name
	}
	m.imports[name] = true
	return name
}

// expr writes the type of a node. inside says that it stands in a container, where object would refuse what is fine.
func (m *module) expr(n *node, inside bool) string {
	n = m.classes.of(n)
	if m.names[n.class] != "" {
		return strings.Join(m.named(n), " | ")
	}
	return m.inline(n, inside)
}

// named is the type of a class that has a name. Arguments that say what is under further keys may also be a dict that was put together key by key.
func (m *module) named(n *node) []string {
	parts := []string{m.names[n.class]}
	if n.kind == kRecord && !n.output && n.value != nil && n.value.reason != open && !m.bare {
		below := []*node{n.value}
		for _, f := range n.fields {
			below = append(below, f.node)
		}
		m.bare = true
		parts = append(parts, m.builtin("dict")+"["+m.builtin("str")+", "+m.union(below, true)+"]")
		m.bare = false
	}
	return parts
}

func (m *module) inline(n *node, inside bool) string {
	if n.cut {
		m.json = true
		return m.jsonName()
	}
	switch n.kind {
	case kNever:
		return m.typing("Never")
	case kNull:
		return "None"
	case kBool:
		return m.builtin("bool")
	case kInt:
		return m.builtin("int")
	case kFloat:
		return m.builtin("float")
	case kStr:
		return m.builtin("str")
	case kLiteral:
		return m.union([]*node{n}, inside)
	case kList:
		items := slices.Clone(n.prefix)
		if n.item != nil {
			items = append(items, n.item)
		}
		if len(items) == 0 {
			return m.builtin("list") + "[" + m.typing("Never") + "]"
		}
		return m.builtin("list") + "[" + m.union(items, true) + "]"
	case kMap:
		return m.builtin("dict") + "[" + m.builtin("str") + ", " + m.union([]*node{n.value}, true) + "]"
	case kUnion:
		return m.union(n.alts, inside)
	default:
		return m.unknown(n.output || inside)
	}
}

// jsonName is the name of the alias for what was cut.
func (m *module) jsonName() string {
	name := "Json"
	for m.used[name] {
		name += "_"
	}
	return name
}

func (m *module) unknown(any bool) string {
	if any {
		return m.typing("Any")
	}
	return m.builtin("object")
}

// union writes the union of nodes: literals in one Literal, nothing twice, None last, and nothing but Any if that is among them.
func (m *module) union(list []*node, inside bool) string {
	var parts, literals []string
	null := false
	seen := map[int]bool{}
	unknown, output := false, false
	var walk func(*node)
	walk = func(n *node) {
		n = m.classes.of(n)
		if seen[n.class] {
			return
		}
		seen[n.class] = true
		switch {
		case m.names[n.class] != "":
			parts = append(parts, m.named(n)...)
		case n.cut:
			parts = append(parts, m.inline(n, inside))
		case n.kind == kUnion:
			for _, alt := range n.alts {
				walk(alt)
			}
		case n.kind == kLiteral:
			for _, v := range n.allowed {
				if v.Kind == ordered.Null {
					null = true
				} else if i := v.Integer(); i != "" {
					literals = append(literals, i)
				} else {
					literals = append(literals, python(v))
				}
			}
		case n.kind == kNull:
			null = true
		case n.kind == kAny:
			unknown, output = true, output || n.output
		case n.kind == kNever:
		default:
			parts = append(parts, m.inline(n, inside))
		}
	}
	for _, n := range list {
		walk(n)
	}
	if unknown {
		return m.unknown(output || inside)
	}
	parts = unique(parts)
	str, boolean, whole, number := m.builtin("str"), m.builtin("bool"), m.builtin("int"), m.builtin("float")
	has := func(name string) bool { return slices.Contains(parts, name) }
	if has(number) {
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == whole })
	}
	literals = slices.DeleteFunc(unique(literals), func(l string) bool {
		switch l[0] {
		case '"':
			return has(str)
		case 'T', 'F':
			return has(boolean)
		default:
			return has(whole) || has(number)
		}
	})
	if len(literals) > 0 {
		parts = append([]string{m.typing("Literal") + "[" + strings.Join(literals, ", ") + "]"}, parts...)
	}
	if null {
		parts = append(parts, "None")
	}
	if len(parts) == 0 {
		return m.typing("Never")
	}
	return strings.Join(parts, " | ")
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// reach lists the named classes below roots, each after those that it needs where that is possible.
func (m *module) reach(roots []*node) []*node {
	var out []*node
	seen := map[int]bool{}
	var walk func(*node)
	walk = func(n *node) {
		n = m.classes.of(n)
		if seen[n.class] {
			return
		}
		seen[n.class] = true
		for _, c := range n.children() {
			walk(c)
		}
		if m.names[n.class] != "" {
			out = append(out, n)
		}
	}
	for _, r := range roots {
		walk(r)
	}
	return out
}

// declare writes the definition of a named class.
func (m *module) declare(b *strings.Builder, n *node) {
	name := m.names[n.class]
	if n.kind != kRecord {
		fmt.Fprintf(b, "type %s = %s\n", name, m.inline(n, false))
		return
	}
	plain := true
	shadow := map[string]bool{}
	for _, f := range n.fields {
		plain = plain && plainField(f.python)
		shadow[f.python] = true
	}
	if plain {
		for _, c := range m.reach([]*node{n}) { // a field with the name of a type
			if c != n && shadow[m.names[c.class]] {
				plain = false
			}
		}
		if shadow[name] {
			plain = false
		}
	}
	if !plain {
		extra := m.extraItems(n)
		fmt.Fprintf(b, "%s = %s(%s, {\n", name, m.typing("TypedDict"), quote(name))
		for _, f := range n.fields {
			fmt.Fprintf(b, "    %s: %s,%s\n", quote(f.python), m.fieldType(f), comment(f))
		}
		b.WriteString("}" + extra + ")\n")
		return
	}
	base := m.typing("TypedDict") + m.extraItems(n)
	m.shadow = shadow
	fmt.Fprintf(b, "class %s(%s):\n", name, base)
	if n.doc != "" {
		m.docstring(b, "    ", docText(strings.TrimSpace(n.doc)))
	}
	for _, f := range n.fields {
		fmt.Fprintf(b, "    %s: %s%s\n", f.python, m.fieldType(f), comment(f))
	}
	if len(n.fields) == 0 && n.doc == "" {
		b.WriteString("    pass\n")
	}
	m.shadow = nil
}

// extraItems says what is under the keys that a record does not declare.
//
// https://peps.python.org/pep-0728/
func (m *module) extraItems(n *node) string {
	if n.value == nil {
		return ""
	}
	m.extended = true
	return ", extra_items=" + m.union([]*node{n.value}, true)
}

func (m *module) fieldType(f *field) string {
	t := m.expr(f.node, false)
	if !f.required {
		t = m.typing("NotRequired") + "[" + t + "]"
	}
	return t
}

func comment(f *field) string {
	if c := fieldComment(f); c != "" {
		return "  # " + c
	}
	return ""
}

// fieldComment says what the type of a field does not.
func fieldComment(f *field) string {
	var parts []string
	if f.python != f.wire {
		parts = append(parts, "JSON key "+quote(f.wire))
	}
	parts = append(parts, facts(f.schemas)...)
	if d := oneLine(firstText(f.schemas, "description")); d != "" {
		parts = append(parts, words.Cut(d, 300))
	}
	return strings.Join(parts, "; ")
}

func (m *module) docstring(b *strings.Builder, indent, text string) {
	if before, ok := strings.CutSuffix(text, `"`); ok && (len(before)-len(strings.TrimRight(before, `\`)))%2 == 0 { // and it is not escaped
		text = before + `\"`
	}
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s\"\"\"%s\"\"\"\n", indent, lines[0])
		return
	}
	fmt.Fprintf(b, "%s\"\"\"\n", indent)
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	fmt.Fprintf(b, "%s\"\"\"\n", indent)
}

// head writes the imports of what was used.
func (m *module) head(b *strings.Builder) {
	any := ""
	if m.json {
		any = m.typing("Any")
	}
	for _, name := range []string{"builtins", "typing"} {
		if m.qualified[name] {
			fmt.Fprintf(b, "import %s as _%s\n", name, name)
		}
	}
	var names []string
	for name := range m.imports {
		if name != "TypedDict" || !m.extended {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		fmt.Fprintf(b, "from typing import %s\n", strings.Join(names, ", "))
	}
	if m.extended {
		b.WriteString("from typing_extensions import TypedDict\n")
	}
	if m.json {
		fmt.Fprintf(b, "\ntype %s = %s  # any JSON value: the schema is too large to be written here, and is checked when the tool is called\n", m.jsonName(), any)
	}
}

// parameter is one keyword argument of a method.
type parameter struct {
	wire, python string
	nodes        []*node // the union of them is its type
	required     bool
	schemas      []*ordered.Value
}

// signature is one way to call a method.
type signature struct {
	parameters []*parameter
	extra      *node  // the type of further arguments
	extraName  string // of the **parameter
}

// mostParameters is how many parameters a method shows. The most that a real tool has are 205. Further ones are taken as they are.
const mostParameters = 1000

// method writes a method of a connector's class.
func (m *module) method(b *strings.Builder, x *Method) {
	for i, s := range x.signatures {
		if len(x.signatures) > 1 {
			fmt.Fprintf(b, "    @%s\n", m.typing("overload"))
		}
		m.def(b, x, s)
		if i == 0 {
			b.WriteString("\n")
			m.docstring(b, "        ", x.docstring())
		} else {
			b.WriteString(" ...\n")
		}
	}
}

func (m *module) def(b *strings.Builder, x *Method, s *signature) {
	self := "self"
	names := map[string]bool{}
	for _, p := range s.parameters {
		names[p.python] = true
	}
	for names[self] {
		self = "_" + self
	}
	args := []string{self}
	if len(s.parameters) > 0 {
		args = append(args, "*")
	}
	shown := 0
	for _, required := range []bool{true, false} {
		for _, p := range s.parameters {
			if p.required != required {
				continue
			}
			if shown++; shown > mostParameters {
				continue
			}
			t := p.python + ": " + m.parameterType(p)
			if !required {
				t += " = ..."
			}
			args = append(args, t)
		}
	}
	switch {
	case s.extra != nil:
		args = append(args, "**"+s.extraName+": "+m.union([]*node{s.extra}, true))
	case shown > mostParameters:
		m.json = true
		args = append(args, "**"+s.extraName+": "+m.jsonName())
	}
	result := ""
	if x.result != nil {
		result = m.expr(x.result, false)
	} else {
		result = m.typing("Any")
	}
	line := fmt.Sprintf("    def %s(%s) -> %s:", x.Python, strings.Join(args, ", "), result)
	if len(line) <= 140 {
		b.WriteString(line)
		return
	}
	fmt.Fprintf(b, "    def %s(\n", x.Python)
	for _, a := range args {
		fmt.Fprintf(b, "        %s,\n", a)
	}
	fmt.Fprintf(b, "    ) -> %s:", result)
}

func (m *module) parameterType(p *parameter) string {
	if len(p.nodes) == 1 {
		return m.expr(p.nodes[0], false)
	}
	return m.union(p.nodes, false)
}

// docstring is what a method says of itself.
func (x *Method) docstring() string {
	var parts []string
	text := strings.TrimSpace(x.Tool.Description)
	if text == "" {
		text = x.Tool.Title
	}
	if text == "" {
		text = x.Tool.Name
	}
	parts = append(parts, docText(text))
	var args []string
	for i, p := range x.parameters {
		if i == mostParameters {
			break
		}
		var about []string
		if d := oneLine(firstText(p.schemas, "description")); d != "" {
			about = append(about, d)
		}
		if f := strings.Join(facts(p.schemas), "; "); f != "" {
			about = append(about, "("+f+")")
		}
		if p.wire != p.python {
			about = append(about, "[JSON key "+quote(p.wire)+"]")
		}
		if len(about) > 0 {
			args = append(args, "    "+p.python+": "+strings.Join(about, " "))
		}
	}
	if len(args) > 0 {
		parts = append(parts, "Args:\n"+docText(strings.Join(args, "\n")))
	}
	risk := x.Tool.Risk
	if risk == "" {
		risk = catalog.SideEffect
	}
	if x.observed {
		parts = append(parts, "Returns what the tool was observed to answer. The server does not declare it, and nothing is checked by it.")
	}
	return strings.Join(append(parts, fmt.Sprintf("(risk: %s)", risk)), "\n\n")
}
