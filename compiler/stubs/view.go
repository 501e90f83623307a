package stubs

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// kind is the kind of a node.
type kind uint8

const (
	kAny kind = iota
	kNever
	kNull
	kBool
	kInt
	kFloat
	kStr
	kLiteral
	kList
	kRecord
	kMap
	kUnion
)

// node is what a schema means: one place of the table.
type node struct {
	kind    kind
	allowed []*ordered.Value // the values of enum and const that are of this kind; nil where every value is
	item    *node            // of a list: what follows prefix; nil if nothing does
	prefix  []*node
	hold    *node // of a list: what it has to contain
	fields  []*field
	value   *node // of a record or a map: what is under the keys that are not declared
	closed  bool  // no other keys than those
	empty   bool  // of a map: that no keys are declared was said explicitly
	alts    []*node

	all    []*ordered.Value // the schemas that hold at once: facts for the stand-in
	hint   string           // the schema's own name
	path   []string         // where it is, in words for a name
	doc    string
	reason string // of any: why
	output bool   // in a result

	cut     bool // over the budget: written as Json, and not looked into
	renames bool // there is a key below that is called otherwise in Python
	height  int  // of the smallest value
	class   int
}

// field is a declared key of a record.
type field struct {
	wire, python string
	node         *node
	required     bool
	schemas      []*ordered.Value // what is said of it, for documentation
}

// maxNodes bounds the table of one schema. The largest that real servers send have some thousands.
const maxNodes = 20_000

// builder makes the nodes of one schema.
type builder struct {
	doc      *schema.Document
	ids      map[*ordered.Value]int
	memo     map[string]*node
	nodes    []*node
	output   bool
	raw      bool // keys stay as they are: inputs and outputs of workflows
	problem  func(Problem)
	tooLarge bool
	prefix   []string // of the names of definitions
}

func newBuilder(doc *schema.Document, output bool, problem func(Problem)) *builder {
	return &builder{doc: doc, ids: map[*ordered.Value]int{}, memo: map[string]*node{}, output: output, problem: problem}
}

// root resolves the whole schema.
func (b *builder) root(path []string) *node {
	n := b.build([]*ordered.Value{b.doc.Root}, path)
	b.nameFields()
	b.limit(n)
	b.markRenames()
	heights(b.nodes)
	return n
}

func (b *builder) new(path []string) *node {
	n := &node{path: path, output: b.output}
	b.nodes = append(b.nodes, n)
	return n
}

func (b *builder) report(list []*ordered.Value, code, format string, args ...any) {
	p := Problem{Code: code, Message: fmt.Sprintf(format, args...), Side: "input"}
	if b.output {
		p.Side = "output"
	}
	for _, s := range list {
		if where, ok := b.doc.Where[s]; ok {
			p.Where = where
			break
		}
	}
	b.problem(p)
}

func (b *builder) id(s *ordered.Value) int {
	id, ok := b.ids[s]
	if !ok {
		id = len(b.ids)
		b.ids[s] = id
	}
	return id
}

// consumed says which unions of which schemas have been chosen from.
type consumed []string

// build resolves schemas that hold at once.
func (b *builder) build(list []*ordered.Value, path []string) *node {
	hint := ""
	for _, s := range list {
		if hint = b.ownName(s); hint != "" {
			break
		}
	}
	return b.resolve(b.all(list), nil, path, hint)
}

// all is the schemas that hold where those in list do, without those that only lead to another.
func (b *builder) all(list []*ordered.Value) []*ordered.Value {
	all := b.doc.All(list)
	out := slices.DeleteFunc(slices.Clone(all), func(s *ordered.Value) bool {
		return s.Has("$ref") && !slices.ContainsFunc(s.Members, func(m ordered.Member) bool {
			return m.Key != "$ref" && m.Key != "title" && m.Key != "description" && m.Key != "deprecated" && m.Key != "examples"
		})
	})
	if len(out) == 0 {
		return all
	}
	return out
}

// ownName is the name under which a schema refers to its definition.
func (b *builder) ownName(s *ordered.Value) string {
	if name := schema.RefName(s); name != "" {
		return name
	}
	if all := s.Get("allOf"); all != nil && len(all.Items) == 1 && !s.Has("properties") {
		return schema.RefName(all.Items[0])
	}
	return ""
}

func (b *builder) resolve(all []*ordered.Value, done consumed, path []string, hint string) *node {
	parts := make([]string, 0, len(all)+len(done))
	for _, s := range all {
		if !s.Is(ordered.Bool) || !s.True {
			parts = append(parts, strconv.Itoa(b.id(s)))
		}
	}
	sort.Strings(parts)
	done = slices.DeleteFunc(slices.Clone(done), func(d string) bool { // of schemas that are not here any more
		id, _, _ := strings.Cut(d, " ")
		_, here := slices.BinarySearch(parts, id)
		return !here
	})
	key := strings.Join(append(parts, done...), " ")
	if n, ok := b.memo[key]; ok && len(parts) > 0 {
		return n
	}
	if hint != "" { // what is below is named after the definition, not after the place where it was met first
		path = append(slices.Clone(b.prefix), hint)
	}
	n := b.new(path)
	n.all, n.hint = all, hint
	b.memo[key] = n
	if len(b.nodes) > maxNodes {
		n.reason = schema.TooLarge
		if !b.tooLarge {
			b.tooLarge = true
			b.report(all, schema.TooLarge, "the schema has more than %d parts; the rest is not typed", maxNodes)
		}
		return n
	}
	n.doc = firstText(all, "description")
	for _, s := range all {
		if s.Is(ordered.Bool) && !s.True {
			n.kind = kNever
			return n
		}
	}
	done = b.bound(all, done)
	owner, keyword, choices := b.choice(all, done)
	if owner == nil {
		b.leaf(n)
		return n
	}
	rest := slices.Clone(all)
	if bare(owner, keyword) { // it says nothing of the alternatives that they do not say
		rest = slices.DeleteFunc(rest, func(s *ordered.Value) bool { return s == owner })
	}
	done = append(slices.Clone(done), strconv.Itoa(b.id(owner))+" "+keyword)
	sort.Strings(done)
	n.kind = kUnion
	marks := b.marks(choices)
	for i, c := range choices {
		own, where := b.ownName(c), path
		if own == "" && marks != nil {
			where = append(slices.Clone(path), marks[i]...)
		}
		if len(choices) == 1 && own == "" {
			own = hint
		}
		alt := b.resolve(b.all(append(slices.Clone(rest), c)), done, where, own)
		if alt != n && !slices.Contains(n.alts, alt) {
			n.alts = append(n.alts, alt)
		}
	}
	if len(n.alts) == 0 {
		n.kind, n.reason = kAny, "circular"
		b.report(all, "circular", "the schema refers only to itself")
	}
	return n
}

// mostAlternatives bounds the product of unions that hold at once.
const mostAlternatives = 64

// bound gives up unions whose product with the others would be too large: the type is then wider than the schema.
func (b *builder) bound(all []*ordered.Value, done consumed) consumed {
	product := 1
	for _, s := range all {
		for _, keyword := range []string{"anyOf", "oneOf"} {
			list, entry := s.Get(keyword), strconv.Itoa(b.id(s))+" "+keyword
			if list == nil || slices.Contains(done, entry) || b.conditionsOnly(list.Items) {
				continue
			}
			if product > 1 && product*len(list.Items) > mostAlternatives {
				b.report(all, "too-many-alternatives", "several unions hold at once, with more than %d combinations; the type leaves some of them out of account", mostAlternatives)
				done = append(slices.Clone(done), entry)
				continue
			}
			product *= len(list.Items)
		}
	}
	sort.Strings(done)
	return done
}

// bare reports whether a schema is a union and nothing besides.
func bare(s *ordered.Value, keyword string) bool {
	return !slices.ContainsFunc(s.Members, func(m ordered.Member) bool {
		switch m.Key {
		case keyword, "title", "description", "default", "examples", "deprecated", "$comment":
			return false
		}
		return true
	})
}

// marks are words for the alternatives of a union that has several objects: each one's title, or the value or else the key that tells it
// apart.
func (b *builder) marks(choices []*ordered.Value) [][]string {
	objects := 0
	holders := map[string]int{}
	for _, c := range choices {
		if c.Has("properties") || c.Get("type").Str() == "object" {
			objects++
		}
		for _, m := range c.Get("properties").Entries() {
			holders[m.Key]++
		}
	}
	if objects < 2 {
		return nil
	}
	marks := make([][]string, len(choices))
	for i, c := range choices {
		marks[i] = mark(c, holders)
	}
	return marks
}

const longestMark = 40

func mark(s *ordered.Value, holders map[string]int) []string {
	fits := func(text string) bool { return text != "" && len(text) <= longestMark }
	if t := s.Get("title").Str(); fits(t) {
		return []string{t}
	}
	properties := s.Get("properties").Entries()
	for _, m := range properties {
		if c := m.Value.Get("const").Str(); fits(c) {
			return []string{c}
		}
		if e := m.Value.Get("enum"); e != nil && len(e.Items) == 1 && fits(e.Items[0].Str()) {
			return []string{e.Items[0].Text}
		}
	}
	if required := s.Get("required"); required != nil {
		for _, key := range required.Items {
			if holders[key.Text] == 1 && fits(key.Text) {
				return []string{key.Text}
			}
		}
	}
	for _, m := range properties {
		if holders[m.Key] == 1 && fits(m.Key) {
			return []string{m.Key}
		}
	}
	return nil
}

// choice finds a union that is still to be chosen from.
func (b *builder) choice(all []*ordered.Value, done consumed) (owner *ordered.Value, keyword string, choices []*ordered.Value) {
	for _, s := range all {
		for _, keyword := range []string{"anyOf", "oneOf"} {
			list := s.Get(keyword)
			if list == nil || slices.Contains(done, strconv.Itoa(b.id(s))+" "+keyword) || b.conditionsOnly(list.Items) {
				continue
			}
			return s, keyword, list.Items
		}
	}
	return nil, "", nil
}

// conditionsOnly reports whether alternatives say only which keys have to be there, or nothing that a type can say.
func (b *builder) conditionsOnly(list []*ordered.Value) bool {
	for _, s := range list {
		for _, m := range s.Members {
			switch m.Key {
			case "required", "not", "title", "description", "minProperties", "maxProperties", "dependentRequired", "if", "then", "else", "pattern", "format", "minLength",
				"maxLength", "minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "propertyNames":
			case "type":
				if m.Value.Str() != "object" {
					return false
				}
			default:
				return false
			}
		}
		if s.Is(ordered.Bool) || len(s.Members) == 0 || s.Has("type") && !s.Has("required") {
			return false
		}
	}
	return true
}

// The types as bits. An integer is a number; a number may have a fraction.
const (
	bNull = 1 << iota
	bBool
	bInt
	bFraction
	bStr
	bArray
	bObject
	bAll = 1<<iota - 1
)

func bitsOf(t *ordered.Value) int {
	list := []*ordered.Value{t}
	if t.Is(ordered.Array) {
		list = t.Items
	}
	bits := 0
	for _, t := range list {
		bits |= map[string]int{"null": bNull, "boolean": bBool, "integer": bInt, "number": bInt | bFraction, "string": bStr, "array": bArray, "object": bObject}[t.Text]
	}
	return bits
}

func bitOf(v *ordered.Value) int {
	switch v.Kind {
	case ordered.Bool:
		return bBool
	case ordered.Number:
		if v.Integer() != "" {
			return bInt
		}
		return bFraction
	case ordered.String:
		return bStr
	case ordered.Array:
		return bArray
	case ordered.Object:
		return bObject
	default:
		return bNull
	}
}

// telling says which type a keyword is about.
var telling = map[string]int{
	"properties": bObject, "additionalProperties": bObject, "patternProperties": bObject, "propertyNames": bObject,
	"items": bArray, "prefixItems": bArray, "minItems": bArray, "maxItems": bArray, "uniqueItems": bArray,
	"pattern": bStr, "minLength": bStr, "maxLength": bStr, "format": bStr,
	"minimum": bInt | bFraction, "maximum": bInt | bFraction, "multipleOf": bInt | bFraction, "exclusiveMinimum": bInt | bFraction, "exclusiveMaximum": bInt | bFraction,
}

// leaf resolves schemas that hold at once and have no union left.
func (b *builder) leaf(n *node) {
	bits, typed := bAll, false
	var values []*ordered.Value
	limited := false
	for _, s := range n.all {
		if t := s.Get("type"); t != nil {
			bits &= bitsOf(t)
			typed = true
		}
		for _, list := range [][]*ordered.Value{enumOf(s), constOf(s)} {
			if list == nil {
				continue
			}
			if !limited {
				values, limited = slices.Clone(list), true
			} else {
				values = slices.DeleteFunc(values, func(v *ordered.Value) bool { return !slices.ContainsFunc(list, v.Equal) })
			}
		}
	}
	never, removed, excluded := negated(n.all)
	bits &^= removed
	if limited {
		values = slices.DeleteFunc(values, func(v *ordered.Value) bool {
			return bitOf(v)&bits == 0 || slices.ContainsFunc(excluded, v.Equal)
		})
		bits = 0
		for _, v := range values {
			bits |= bitOf(v)
		}
	} else if !typed && !never {
		inferred := 0
		for _, s := range n.all {
			for _, m := range s.Members {
				inferred |= telling[m.Key]
			}
		}
		if inferred == 0 {
			b.untyped(n)
			return
		}
		bits = inferred &^ removed
	}
	if bits == 0 || never {
		n.kind = kNever
		b.report(n.all, "impossible", "no value fits what is said here%s", conflict(n.all))
		return
	}
	b.pieces(n, bits, values, limited)
	b.conditions(n)
}

// annotations say nothing of what is valid.
var annotations = []string{"title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly"}

// says reports whether a schema has one keyword, besides annotations.
func says(s *ordered.Value, keyword string) bool {
	return s.Has(keyword) && !slices.ContainsFunc(s.Members, func(m ordered.Member) bool {
		return m.Key != keyword && !slices.Contains(annotations, m.Key)
	})
}

// negated is what the simple cases of not take away: everything, types, values.
func negated(all []*ordered.Value) (never bool, types int, values []*ordered.Value) {
	for _, s := range all {
		switch not := s.Get("not"); {
		case not == nil:
		case not.Is(ordered.Bool):
			never = never || not.True
		case says(not, "type"):
			types |= bitsOf(not.Get("type"))
		case says(not, "enum"):
			values = append(values, enumOf(not)...)
		case says(not, "const"):
			values = append(values, constOf(not)...)
		default:
			never = never || !slices.ContainsFunc(not.Members, func(m ordered.Member) bool { return !slices.Contains(annotations, m.Key) })
		}
	}
	return never, types, values
}

// conflict says which types exclude each other, if that is what is wrong.
func conflict(all []*ordered.Value) string {
	var said []string
	for _, s := range all {
		if t := s.Get("type"); t != nil && !slices.Contains(said, string(t.JSON())) {
			said = append(said, string(t.JSON()))
		}
	}
	if len(said) < 2 {
		return ""
	}
	return ": it has to be " + strings.Join(said, " and ") + " at once"
}

// conditions says which keywords are left to validation, since types cannot say them.
func (b *builder) conditions(n *node) {
	var said []string
	add := func(keyword string) {
		if !slices.Contains(said, keyword) {
			said = append(said, keyword)
		}
	}
	for _, s := range n.all {
		for _, keyword := range []string{"if", "dependentRequired", "dependentSchemas", "propertyNames", "contains"} {
			if s.Has(keyword) {
				add(keyword)
			}
		}
		for _, keyword := range []string{"anyOf", "oneOf"} {
			if list := s.Get(keyword); list != nil && b.conditionsOnly(list.Items) {
				add(keyword)
			}
		}
		if not := s.Get("not"); not.Is(ordered.Object) && !says(not, "type") && !says(not, "enum") && !says(not, "const") {
			add("not")
		}
	}
	if len(said) > 0 {
		b.report(n.all, RunTime, "no type says this; it is checked when the tool is called: %s", strings.Join(said, ", "))
	}
}

func enumOf(s *ordered.Value) []*ordered.Value {
	if e := s.Get("enum"); e != nil {
		return e.Items
	}
	return nil
}

func constOf(s *ordered.Value) []*ordered.Value {
	if s.Has("const") {
		return []*ordered.Value{s.Get("const")}
	}
	return nil
}

// untyped says why nothing is known of a node.
func (b *builder) untyped(n *node) {
	n.reason = "no-type"
	for _, s := range n.all {
		where, ok := b.doc.Where[s]
		for _, note := range b.doc.Notes {
			if ok && (note.Where == where || strings.HasPrefix(note.Where, where+"/") && strings.Count(note.Where, "/") == strings.Count(where, "/")+1) {
				n.reason = note.Code // said there
				return
			}
		}
		if s.Has("not") || s.Has("if") {
			n.reason = "no-positive-type"
		}
	}
	if len(n.all) > 0 && !slices.ContainsFunc(n.all, func(s *ordered.Value) bool { return !s.Has("$ref") && !s.Has("allOf") }) {
		n.reason = "circular"
		b.report(n.all, n.reason, "the schema refers only to itself")
		return
	}
	b.report(n.all, n.reason, "the schema does not say which type this is")
}

// pieces makes of n one node for each type in bits.
func (b *builder) pieces(n *node, bits int, values []*ordered.Value, limited bool) {
	var parts []*node
	of := func(bit int) []*ordered.Value {
		if !limited {
			return nil
		}
		var out []*ordered.Value
		for _, v := range values {
			if bitOf(v)&bit != 0 {
				out = append(out, v)
			}
		}
		return out
	}
	part := func(k kind, bit int) *node {
		p := &node{kind: k, all: n.all, path: n.path, hint: n.hint, doc: n.doc, output: n.output, allowed: of(bit)}
		parts = append(parts, p)
		return p
	}
	if limited && len(values) > mostValues { // the type alone
		b.report(n.all, schema.TooLarge, "there are %d values; the type leaves them out, and they are checked when the tool is called", len(values))
	} else if limited { // Literal holds text, whole numbers, booleans and None
		if composed := of(bArray | bObject); len(composed) <= mostComposed {
			for _, v := range composed {
				p := b.exact(v, n.path)
				p.all, p.doc, p.allowed = n.all, n.doc, []*ordered.Value{v}
				parts = append(parts, p)
			}
			bits &^= bArray | bObject
		}
		if spelled := of(bStr | bInt | bBool | bNull); len(spelled) > 0 {
			part(kLiteral, bStr|bInt|bBool|bNull)
			bits &^= bStr | bInt | bBool | bNull
		}
	}
	if bits&bArray != 0 {
		b.list(part(kList, bArray))
	}
	if bits&bObject != 0 {
		b.object(part(kRecord, bObject))
	}
	if bits&bStr != 0 {
		part(kStr, bStr)
	}
	switch {
	case bits&bFraction != 0:
		part(kFloat, bInt|bFraction)
	case bits&bInt != 0:
		part(kInt, bInt)
	}
	if bits&bBool != 0 {
		part(kBool, bBool)
	}
	if bits&bNull != 0 {
		part(kNull, bNull)
	}
	if len(parts) == 1 {
		*n = *parts[0]
		return
	}
	n.kind, n.alts = kUnion, parts
	b.nodes = append(b.nodes, parts...)
}

const (
	mostValues   = 1000 // that are written in one Literal
	mostComposed = 20   // objects and lists among the values of an enum that get a type each
)

// exact is the type of one value.
func (b *builder) exact(v *ordered.Value, path []string) *node {
	n := b.new(path)
	switch v.Kind {
	case ordered.Object:
		n.kind, n.closed = kRecord, true
		for _, m := range v.Members {
			n.fields = append(n.fields, &field{wire: m.Key, required: true, node: b.exact(m.Value, append(slices.Clone(path), m.Key))})
		}
	case ordered.Array:
		n.kind = kList
		for i, item := range v.Items {
			n.prefix = append(n.prefix, b.exact(item, append(slices.Clone(path), "Item"+strconv.Itoa(i+1))))
		}
	default:
		n.kind, n.allowed = kLiteral, []*ordered.Value{v}
		if bitOf(v) == bFraction {
			n.kind = kFloat
		}
	}
	return n
}

func (b *builder) list(n *node) {
	var items, hold []*ordered.Value
	var prefix [][]*ordered.Value
	none, said := false, false
	for _, s := range n.all {
		if p := s.Get("prefixItems"); p != nil {
			said = true
			for i, item := range p.Items {
				if i == len(prefix) {
					prefix = append(prefix, nil)
				}
				prefix[i] = append(prefix[i], item)
			}
		}
		if item := s.Get("items"); item != nil {
			said = true
			if item.Is(ordered.Bool) {
				none = none || !item.True
			} else {
				items = append(items, item)
			}
		}
		if c := s.Get("contains"); c != nil {
			hold = append(hold, c)
		}
	}
	for i, p := range prefix {
		n.prefix = append(n.prefix, b.build(p, append(slices.Clone(n.path), "Item"+strconv.Itoa(i+1))))
	}
	for _, p := range n.prefix {
		if p != n.prefix[0] && (p.kind != n.prefix[0].kind || p.kind >= kLiteral) {
			b.report(n.all, RunTime, "the places of the list have types of their own; the type of an item is any of them, and the places are checked when the tool is called")
			break
		}
	}
	if len(items) > 0 && !none {
		n.item = b.build(items, append(slices.Clone(n.path), "Item"))
	} else if !none && len(prefix) == 0 {
		n.item = b.new(append(slices.Clone(n.path), "Item"))
		n.item.reason = "no-items"
		if said {
			n.item.reason = "no-type"
		}
		b.report(n.all, n.item.reason, "the schema does not say what the list holds")
	}
	if len(hold) > 0 {
		n.hold = b.build(append(slices.Clone(items), hold...), append(slices.Clone(n.path), "Item"))
	}
}

func (b *builder) object(n *node) {
	var keys []string
	said := map[string][]*ordered.Value{}
	required := map[string]bool{}
	var extra []*ordered.Value
	declared, untyped := false, false
	add := func(key string, s *ordered.Value) {
		if _, ok := said[key]; !ok {
			keys = append(keys, key)
		}
		if s != nil {
			said[key] = append(said[key], s)
		} else {
			said[key] = append([]*ordered.Value(nil), said[key]...)
		}
	}
	for _, s := range n.all {
		if p := s.Get("properties"); p != nil {
			declared = true
			for _, m := range p.Members {
				add(m.Key, m.Value)
			}
		}
		for _, m := range s.Get("patternProperties").Entries() {
			extra = append(extra, m.Value)
		}
		switch p := s.Get("additionalProperties"); {
		case p.Is(ordered.Bool) && !p.True:
			n.closed = true
		case p.Is(ordered.Bool):
			untyped = true
		case p != nil && len(p.Members) == 0:
			untyped = true
		case p != nil:
			extra = append(extra, p)
		}
	}
	for _, s := range n.all { // what only a condition declares may be there too
		for _, c := range b.conditional(s) {
			for _, m := range c.Get("properties").Entries() {
				if _, ok := said[m.Key]; !ok && !m.Value.Is(ordered.Bool) {
					add(m.Key, m.Value)
				}
			}
		}
	}
	for _, s := range n.all {
		if r := s.Get("required"); r != nil {
			for _, key := range r.Items {
				required[key.Text] = true
				if _, ok := said[key.Text]; !ok {
					add(key.Text, nil)
				}
			}
		}
	}
	for _, key := range keys {
		f := &field{wire: key, required: required[key], schemas: b.doc.All(said[key])}
		f.node = b.build(said[key], append(slices.Clone(n.path), key))
		n.fields = append(n.fields, f)
	}
	if len(extra) > 0 && !(n.closed && !hasPatterns(n.all)) {
		n.value = b.either(extra, append(slices.Clone(n.path), "Value"))
	} else if untyped && len(keys) > 0 && !n.closed { // said explicitly
		n.value = b.new(append(slices.Clone(n.path), "Value"))
		n.value.reason = open
	}
	if len(keys) > 0 || n.closed && n.value == nil {
		return
	}
	n.kind = kMap
	n.empty = declared && !untyped
	if n.value == nil {
		n.value = b.new(append(slices.Clone(n.path), "Value"))
		n.value.reason = "free-form"
		b.report(n.all, n.value.reason, "the schema does not say which keys the object has")
	}
}

func hasPatterns(all []*ordered.Value) bool {
	return slices.ContainsFunc(all, func(s *ordered.Value) bool { return s.Has("patternProperties") })
}

// conditional lists the schemas that hold if others do.
func (b *builder) conditional(s *ordered.Value) []*ordered.Value {
	var out []*ordered.Value
	for _, key := range []string{"then", "else"} {
		if c := s.Get(key); c != nil {
			out = append(out, c)
		}
	}
	for _, m := range s.Get("dependentSchemas").Entries() {
		out = append(out, m.Value)
	}
	return b.doc.All(out)
}

// either is the union of schemas, each on its own.
func (b *builder) either(list []*ordered.Value, path []string) *node {
	if len(list) == 1 {
		return b.build(list, path)
	}
	n := b.new(path)
	n.kind = kUnion
	for _, s := range list {
		if alt := b.build([]*ordered.Value{s}, path); !slices.Contains(n.alts, alt) {
			n.alts = append(n.alts, alt)
		}
	}
	return n
}

// open is the reason of what is under the keys of an object that may have any besides those that it declares: the schema's own word, and
// no loss.
const open = "open"

// budget is how many types, fields and values are written for one schema. The largest that real servers send takes about 1800. A type over it is
// cut where it is deepest: written as Json, and checked by the full schema when the tool is called.
const budget = 4000

// limit cuts what is over the budget, from above level by level. The keys of the root itself are parameters, which have a bound of their own.
func (b *builder) limit(root *node) {
	spent := 0
	top := map[*node]bool{}
	if !b.output && !b.raw {
		for _, n := range append(root.flat(), root) {
			top[n] = true
		}
	}
	seen := map[*node]bool{root: true}
	var first *node
	for queue := []*node{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		cost := 1 + len(n.fields) + len(n.prefix) + len(n.alts)
		if below := n.children(); len(below) > 0 && !top[n] && spent+cost > budget {
			n.cut, n.reason = true, schema.TooLarge
			if first == nil {
				first = n
			}
			continue
		}
		if !top[n] {
			spent += cost
		}
		for _, c := range n.children() {
			if !seen[c] {
				seen[c] = true
				queue = append(queue, c)
			}
		}
	}
	if first != nil && !b.tooLarge {
		b.report(first.all, schema.TooLarge, "the schema has more than %d parts: what lies deepest is written as Json, and checked by the full schema when the tool is called", budget)
	}
}

// children lists the nodes below n that are looked into.
func (n *node) children() []*node {
	if n.cut {
		return nil
	}
	out := slices.Clone(n.prefix)
	for _, f := range n.fields {
		out = append(out, f.node)
	}
	for _, c := range []*node{n.item, n.value} {
		if c != nil {
			out = append(out, c)
		}
	}
	return append(out, n.alts...)
}

// flat returns the nodes that a union is made of, without the unions in it.
func (n *node) flat() []*node {
	if n.kind != kUnion || n.cut {
		return []*node{n}
	}
	var out []*node
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.kind == kUnion && !n.cut {
			for _, alt := range n.alts {
				walk(alt)
			}
			return
		}
		out = append(out, n)
	}
	walk(n)
	return out
}

// markRenames finds the nodes with a renamed key below.
func (b *builder) markRenames() {
	for changed := true; changed; {
		changed = false
		for i := len(b.nodes) - 1; i >= 0; i-- {
			n := b.nodes[i]
			if n.renames || n.cut {
				continue
			}
			n.renames = slices.ContainsFunc(n.fields, func(f *field) bool { return f.wire != f.python }) ||
				slices.ContainsFunc(n.children(), func(c *node) bool { return c.renames })
			changed = changed || n.renames
		}
	}
}

func firstText(all []*ordered.Value, key string) string {
	for _, s := range all {
		if t := s.Get(key).Str(); t != "" {
			return t
		}
	}
	return ""
}
