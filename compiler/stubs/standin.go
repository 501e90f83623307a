package stubs

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// endless is the height of a node that no finite value fits.
const endless = 1 << 20

// heights computes how deep the smallest value of each node is.
func heights(nodes []*node) {
	for _, n := range nodes {
		n.height = endless
	}
	for changed := true; changed; {
		changed = false
		for i := len(nodes) - 1; i >= 0; i-- {
			n := nodes[i]
			h := 0
			switch n.kind {
			case kUnion:
				h = endless
				for _, alt := range n.alts {
					h = min(h, alt.height)
				}
			case kRecord:
				for _, f := range n.fields {
					if f.required {
						h = max(h, f.node.height+1)
					}
				}
			case kList:
				if least(n.all, "minItems") > 0 {
					for i := range least(n.all, "minItems") {
						if c := n.at(i); c != nil {
							h = max(h, c.height+1)
						}
						if i > len(n.prefix) {
							break
						}
					}
				}
			case kNever:
				h = endless
			}
			if h = min(h, endless); h < n.height {
				n.height = h
				changed = true
			}
		}
	}
}

// at returns what a list holds at an index; nil if nothing is said.
func (n *node) at(i int) *node {
	if i < len(n.prefix) {
		return n.prefix[i]
	}
	return n.item
}

func least(all []*ordered.Value, key string) int {
	n := 0
	for _, s := range all {
		if v, ok := s.Get(key).Small(1 << 16); ok {
			n = max(n, v)
		}
	}
	return n
}

func greatest(all []*ordered.Value, key string) int {
	n := 1 << 30
	for _, s := range all {
		if v, ok := s.Get(key).Small(1 << 16); ok {
			n = min(n, v)
		}
	}
	return n
}

type standIn struct {
	value json.RawMessage
	valid bool
}

// StandIn is an answer for a rehearsal, as the tool itself would send it: valid by the output schema, and dull on purpose. The default, else the
// first allowed value, else the plainest one of the type; every declared key; one item in a list. The same each time. A tool without
// output schema answers null, or as it was observed to.
func (x *Method) StandIn() json.RawMessage { return x.standIn().value }

// StandInValid reports whether the stand-in fits the output schema. It does unless nothing could, or the schema has conditions that
// a search does not find a way through.
func (x *Method) StandInValid() bool { return x.standIn().valid }

func (x *Method) makeStandIn() standIn {
	if x.result == nil {
		return standIn{json.RawMessage("null"), true}
	}
	text := x.Tool.OutputSchema
	if x.observed {
		text = x.Tool.Observed
	}
	v, err := schema.Compile(text)
	if err != nil {
		return standIn{json.RawMessage("null"), false}
	}
	return search(x.result, v)
}

// search makes values of a node until one is valid: first with everything that is optional, then with only what is required. What
// an error points at is chosen otherwise or left out.
func search(n *node, v *schema.Validator) standIn {
	var first json.RawMessage
	for _, lean := range []bool{false, true} {
		m := &maker{choices: map[string]int{}, lean: lean}
		for tries, made := 0, 0; tries < 200 && made < mostMade; tries++ {
			m.options = map[string]int{}
			m.count, m.size = 0, 0
			value := m.make(n, "", 0)
			errs := v.ValidateValue(value)
			if len(errs) == 0 {
				return standIn{value.JSON(), true}
			}
			if first == nil {
				first = value.JSON()
			}
			made += m.count
			if !m.otherwise(errs) {
				break
			}
		}
	}
	return standIn{first, false}
}

// maker makes one value. At each place of the value there may be options; choices says which to take.
type maker struct {
	choices map[string]int // by place; the key of an optional key's place ends with ?
	options map[string]int // how many there were
	lean    bool           // only what is required
	count   int
	size    int // of texts
	salt    int
	stack   []*node
}

// Limits of stand-ins: they are to be read, and cost nothing.
const (
	standInDepth = 12
	standInSize  = 3000    // values, after which there is only what is required
	mostBytes    = 4 << 20 // of text, after which lists end
	mostMade     = 200_000 // values, in all tries
)

func (m *maker) option(place string, n int) int {
	m.options[place] = n
	return min(m.choices[place], n-1)
}

// otherwise changes the choice that has most to do with an error. It reports false if there is none left.
func (m *maker) otherwise(errs []schema.FieldError) bool {
	next := func(place string) bool {
		if m.choices[place]+1 >= m.options[place] {
			return false
		}
		m.choices[place]++
		for other := range m.choices { // what lies below is another value now
			inside := strings.TrimRight(place, "|") + "/"
			if !strings.HasSuffix(place, "?") && (strings.HasPrefix(other, inside) || strings.HasPrefix(other, place+"|")) {
				delete(m.choices, other)
			}
		}
		return true
	}
	for _, e := range errs {
		for i := len(e.Path); i >= 0; i-- {
			place := placeOf(e.Path[:i])
			if e.Code == "additionalProperties" && next(place+"?") {
				return true
			}
			// A condition on the whole: leave out what can be left out, the last first.
			var below []string
			for other := range m.options {
				if rest, ok := strings.CutPrefix(other, place+"/"); ok && strings.HasSuffix(rest, "?") && !strings.Contains(rest, "/") {
					below = append(below, other)
				}
			}
			slices.Sort(below)
			slices.Reverse(below)
			if i == len(e.Path) && whole[e.Code] && slices.ContainsFunc(below, next) {
				return true
			}
			for _, in := range []string{"|||", "||", "|", "", "?"} { // the innermost alternative first
				if next(place + in) {
					return true
				}
			}
		}
	}
	return false
}

// whole are the keywords whose error may be that something is there.
var whole = map[string]bool{"not": true, "maxProperties": true, "dependentRequired": true, "schema": true, "then": true, "else": true}

func placeOf(path []string) string {
	place := ""
	for _, key := range path {
		place += "/" + schema.EscapePointer(key)
	}
	return place
}

var null = &ordered.Value{}

func (m *maker) make(n *node, place string, depth int) *ordered.Value {
	m.count++
	lean := m.lean || depth > standInDepth || m.count > standInSize || slices.Contains(m.stack, n)
	if depth > 200 || m.count > 20*standInSize {
		return null
	}
	m.stack = append(m.stack, n)
	defer func() { m.stack = m.stack[:len(m.stack)-1] }()

	var fixed []*ordered.Value // defaults, and values that are listed
	if m.salt == 0 {
		for _, s := range n.all {
			if d := s.Get("default"); d != nil {
				fixed = append(fixed, d)
				break
			}
		}
	}
	if n.kind == kUnion {
		alts := m.order(n, lean)
		i := m.option(place, len(fixed)+len(alts))
		if i < len(fixed) {
			return fixed[i]
		}
		return m.inner(alts[i-len(fixed)], place+"|", depth, lean)
	}
	return m.pick(n, place, depth, lean, fixed)
}

// inner makes a value of one alternative, at the same place.
func (m *maker) inner(n *node, place string, depth int, lean bool) *ordered.Value {
	if n.kind == kUnion {
		return m.make(n, place, depth+1)
	}
	was := m.lean
	m.lean = lean
	defer func() { m.lean = was }()
	m.stack = append(m.stack, n)
	defer func() { m.stack = m.stack[:len(m.stack)-1] }()
	return m.pick(n, place, depth, lean, nil)
}

// order lists alternatives: those that end first, null last.
func (m *maker) order(n *node, lean bool) []*node {
	alts := slices.Clone(n.alts)
	slices.SortStableFunc(alts, func(a, b *node) int {
		rank := func(n *node) int {
			r := 0
			if lean || n.height >= endless {
				r = n.height * 4
			}
			if isNull(n) {
				r += 2
			} else if slices.Contains(m.stack, n) {
				r++
			}
			return r
		}
		return rank(a) - rank(b)
	})
	return alts
}

func isNull(n *node) bool {
	return n.kind == kNull || n.kind == kLiteral && len(n.allowed) == 1 && n.allowed[0].Kind == ordered.Null
}

func (m *maker) pick(n *node, place string, depth int, lean bool, fixed []*ordered.Value) *ordered.Value {
	allowed := slices.Clone(n.allowed)
	if len(allowed) > 1 {
		slices.SortStableFunc(allowed, func(a, b *ordered.Value) int {
			rank := map[bool]int{true: 1}
			return rank[a.Kind == ordered.Null] - rank[b.Kind == ordered.Null]
		})
	}
	if m.salt > 0 && len(allowed) > 0 {
		allowed = []*ordered.Value{allowed[m.salt%len(allowed)]}
	}
	fixed = append(fixed, allowed...)
	if len(n.allowed) > 0 {
		return fixed[m.option(place, len(fixed))]
	}
	var made []*ordered.Value
	switch n.kind {
	case kStr:
		for _, t := range texts(n.all, m.salt) {
			m.size += len(t)
			made = append(made, ordered.NewString(t))
		}
	case kInt, kFloat:
		made = append(made, &ordered.Value{Kind: ordered.Number, Text: number(n.all, n.kind == kInt, m.salt)})
		if n.kind == kFloat && m.salt == 0 {
			made = append(made, &ordered.Value{Kind: ordered.Number, Text: halfway(n.all)})
		}
	case kBool:
		made = append(made, ordered.NewBool(m.salt%2 == 1), ordered.NewBool(m.salt%2 == 0))
	case kAny:
		made = append(made, null)
		if m.salt > 0 {
			made[0] = ordered.NewInt(m.salt)
		}
		made = append(made, ordered.NewString(""), ordered.NewInt(1), ordered.NewObject(), ordered.NewArray(), ordered.NewBool(false))
	case kList, kRecord, kMap:
		i := m.option(place, len(fixed)+2)
		if i < len(fixed) {
			return fixed[i]
		}
		if i > len(fixed) && n.kind != kMap { // the second try is the lean one
			lean = true
		}
		if n.kind == kList {
			return m.list(n, place, depth, lean)
		}
		return m.object(n, place, depth, lean)
	}
	made = append(fixed, made...)
	if len(made) == 0 {
		return null
	}
	return made[m.option(place, len(made))]
}

func (m *maker) list(n *node, place string, depth int, lean bool) *ordered.Value {
	place = strings.TrimRight(place, "|")
	low, high := least(n.all, "minItems"), greatest(n.all, "maxItems")
	hold := 0
	if n.hold != nil {
		hold = 1
		for _, s := range n.all {
			if v, ok := s.Get("minContains").Small(1 << 10); ok {
				hold = v
			}
		}
	}
	count := max(low, hold)
	if !lean {
		count = max(count, len(n.prefix), 1)
	}
	if n.item == nil {
		count = max(min(count, len(n.prefix)), low)
	}
	count = min(count, high)
	distinct := false
	for _, s := range n.all {
		distinct = distinct || s.Get("uniqueItems").Is(ordered.Bool) && s.Get("uniqueItems").True
	}
	out := []*ordered.Value{}
	salt := m.salt
	defer func() { m.salt = salt }()
	for i := range count {
		if m.count > 20*standInSize || m.size > mostBytes {
			break
		}
		child := n.at(i)
		if i >= len(n.prefix) && i < len(n.prefix)+hold || n.item == nil && i < hold {
			child = n.hold
		}
		if child == nil {
			break
		}
		if child.height >= endless && i >= low {
			break
		}
		if lean && slices.Contains(m.stack, child) && i >= low && i >= hold {
			break
		}
		m.salt = salt
		at := place + "/" + strconv.Itoa(i)
		v := m.make(child, at, depth+1)
		for try := 1; distinct && try < 20+2*count && slices.ContainsFunc(out, v.Equal); try++ {
			m.salt = salt + try
			v = m.make(child, at, depth+1)
		}
		if distinct && i >= low && slices.ContainsFunc(out, v.Equal) {
			break
		}
		out = append(out, v)
	}
	return ordered.NewArray(out...)
}

func (m *maker) object(n *node, place string, depth int, lean bool) *ordered.Value {
	place = strings.TrimRight(place, "|")
	low, high := least(n.all, "minProperties"), greatest(n.all, "maxProperties")
	need := 0
	for _, f := range n.fields {
		if f.required {
			need++
		}
	}
	out := ordered.NewObject()
	for _, f := range n.fields {
		at := place + "/" + schema.EscapePointer(f.wire)
		if !f.required {
			recursive := slices.ContainsFunc(f.node.flat(), func(c *node) bool { return slices.Contains(m.stack, c) })
			if (lean || recursive && f.node.kind != kList) && len(out.Members) >= low || f.node.height >= endless || len(out.Members)+need >= high {
				continue
			}
			if m.option(at+"?", 2) == 1 {
				continue
			}
		} else {
			need--
		}
		out.Set(f.wire, m.make(f.node, at, depth+1))
	}
	for i := 0; len(out.Members) < low && i < low+20; i++ {
		key, value := m.key(n, i)
		if key == "" || out.Has(key) {
			continue
		}
		if value == nil {
			value = n.value
		}
		if value == nil {
			out.Set(key, null)
			continue
		}
		out.Set(key, m.make(value, place+"/"+schema.EscapePointer(key), depth+1))
	}
	return out
}

// key makes the i-th key that nobody declared.
func (m *maker) key(n *node, i int) (string, *node) {
	var names []*ordered.Value
	for _, s := range n.all {
		if p := s.Get("propertyNames"); p != nil {
			names = append(names, p)
		}
		for _, p := range s.Get("patternProperties").Entries() {
			if n.closed {
				o := ordered.NewObject()
				o.Set("pattern", ordered.NewString(p.Key))
				names = append(names, o)
			}
		}
	}
	if len(names) == 0 {
		return "key" + strconv.Itoa(i+1), nil
	}
	for _, s := range names {
		if e := s.Get("enum"); e != nil {
			if i < len(e.Items) {
				return e.Items[i].Str(), nil
			}
			return "", nil
		}
	}
	if t := texts(names, i); len(t) > 0 {
		return t[0], nil
	}
	return "", nil
}
