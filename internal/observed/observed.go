// Package observed makes a schema of what a tool was seen to answer, for tools whose servers do not say.
//
//	var o observed.Shape
//	for _, result := range results {
//		o.Add(result)                     // JSON, as the journal has it
//	}
//	schema, notes := o.Schema()           // {"type":"object","properties":{"id":{"type":"integer"}, ...},"required":["id"]}
//
// It is nobody's word, only what was seen: a key is required if it was always there, a type is a union if there were several, null is one of
// them, and integers are numbers as soon as there was one with a fraction. Values are never listed, so that a schema says nothing that a
// user's data says. An object is a mapping only where that is clear: see [Shape.mapping]. The same results give the same schema, and notes
// tell what was too much to look at.
package observed

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// Limits of what is looked at: a schema is to be read, and a stub to be checked in milliseconds.
const (
	MostSamples = 200     // the newest ones count
	mostDepth   = 24      // of values in values, below which anything may be
	mostKeys    = 120     // of one object, from which on it is a mapping
	mostShapes  = 2000    // different places, after which anything may be
	mostItems   = 2000    // of one list: the first ones
	MostBytes   = 8 << 20 // of one result
)

// Shape is what was seen at one place. The zero value has seen nothing.
type Shape struct {
	seen     int
	nulls    int
	bools    int
	integers int
	numbers  int // with a fraction or an exponent
	texts    int
	lists    int
	objects  int

	item   *Shape   // of lists
	fields []*field // in the order in which they were seen first
	index  map[string]*field
	closed bool // it was too much to look into

	root *Shape
	// Of the root.
	shapes int
	notes  []string
}

type field struct {
	key   string
	seen  int // in how many objects
	shape *Shape
}

// Seen is how many values there were.
func (s *Shape) Seen() int { return s.seen }

// Add looks at a result. What is no JSON, or too large, is passed over, with a note.
func (s *Shape) Add(result json.RawMessage) {
	if s.root == nil {
		s.root = s
	}
	if len(result) > MostBytes {
		s.note("a result of %d bytes was not looked at", len(result))
		return
	}
	v, err := ordered.Parse(result)
	if err != nil {
		s.note("a result that is no JSON was not looked at")
		return
	}
	s.add(v, 0)
}

// note keeps a note, once.
func (s *Shape) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(s.root.notes, n) {
		s.root.notes = append(s.root.notes, n)
	}
}

func (s *Shape) below() *Shape {
	s.root.shapes++
	return &Shape{root: s.root}
}

func (s *Shape) add(v *ordered.Value, depth int) {
	s.seen++
	switch v.Kind {
	case ordered.Null:
		s.nulls++
	case ordered.Bool:
		s.bools++
	case ordered.Number:
		if strings.ContainsAny(v.Text, ".eE") {
			s.numbers++
		} else {
			s.integers++
		}
	case ordered.String:
		s.texts++
	case ordered.Array:
		s.lists++
		if s.full(depth) || len(v.Items) == 0 {
			return
		}
		if s.item == nil {
			s.item = s.below()
		}
		items := v.Items
		if len(items) > mostItems {
			s.note("of a list with %d items, the first %d were looked at", len(items), mostItems)
			items = items[:mostItems]
		}
		for _, item := range items {
			s.item.add(item, depth+1)
		}
	case ordered.Object:
		s.objects++
		if s.full(depth) {
			return
		}
		for _, m := range v.Members {
			f := s.index[m.Key]
			if f == nil {
				if s.full(depth) {
					continue
				}
				f = &field{key: m.Key, shape: s.below()}
				if s.index == nil {
					s.index = map[string]*field{}
				}
				s.index[m.Key] = f
				s.fields = append(s.fields, f)
			}
			f.seen++
			f.shape.add(m.Value, depth+1)
		}
	}
}

// full reports whether there is no more room below.
func (s *Shape) full(depth int) bool {
	switch {
	case depth >= mostDepth:
		s.note("what is nested more than %d levels deep was not looked at", mostDepth)
	case s.root.shapes >= mostShapes:
		s.note("there are more than %d different places, of which the rest was not looked at", mostShapes)
	default:
		return false
	}
	s.closed = true
	return true
}

// merge adds what another shape has seen.
func (s *Shape) merge(o *Shape) {
	s.seen += o.seen
	s.nulls += o.nulls
	s.bools += o.bools
	s.integers += o.integers
	s.numbers += o.numbers
	s.texts += o.texts
	s.lists += o.lists
	s.objects += o.objects
	s.closed = s.closed || o.closed
	if o.item != nil {
		if s.item == nil {
			s.item = &Shape{root: s.root}
		}
		s.item.merge(o.item)
	}
	for _, f := range o.fields {
		mine := s.index[f.key]
		if mine == nil {
			mine = &field{key: f.key, shape: &Shape{root: s.root}}
			if s.index == nil {
				s.index = map[string]*field{}
			}
			s.index[f.key] = mine
			s.fields = append(s.fields, mine)
		}
		mine.seen += f.seen
		mine.shape.merge(f.shape)
	}
}

// Schema is what was seen as a JSON Schema, and notes on what was not looked at.
func (s *Shape) Schema() (json.RawMessage, []string) {
	out := s.schema()
	if s.root == nil {
		return out.JSON(), nil
	}
	return out.JSON(), slices.Clone(s.root.notes)
}

func (s *Shape) schema() *ordered.Value {
	var plain []string // types without more to them
	var rest []*ordered.Value
	if s.bools > 0 {
		plain = append(plain, "boolean")
	}
	switch {
	case s.numbers > 0:
		plain = append(plain, "number")
	case s.integers > 0:
		plain = append(plain, "integer")
	}
	if s.texts > 0 {
		plain = append(plain, "string")
	}
	if s.objects > 0 {
		rest = append(rest, s.object())
	}
	if s.lists > 0 {
		list := typed("array")
		if s.item != nil {
			list.Set("items", s.item.schema())
		}
		rest = append(rest, list)
	}
	if s.nulls > 0 {
		plain = append(plain, "null")
	}
	switch {
	case len(plain)+len(rest) == 0: // nothing was seen
		return ordered.NewObject()
	case len(rest) == 0:
		return typed(plain...)
	case len(rest) == 1 && len(plain) == 0:
		return rest[0]
	}
	alternatives := rest
	if len(plain) > 0 {
		alternatives = append(alternatives, typed(plain...))
	}
	union := ordered.NewObject()
	union.Set("anyOf", ordered.NewArray(alternatives...))
	return union
}

func typed(types ...string) *ordered.Value {
	v := ordered.NewObject()
	if len(types) == 1 {
		v.Set("type", ordered.NewString(types[0]))
		return v
	}
	list := make([]*ordered.Value, len(types))
	for i, t := range types {
		list[i] = ordered.NewString(t)
	}
	v.Set("type", ordered.NewArray(list...))
	return v
}

func (s *Shape) object() *ordered.Value {
	v := typed("object")
	if s.closed {
		return v
	}
	if s.mapping() {
		all := &Shape{root: s.root}
		for _, f := range s.fields {
			all.merge(f.shape)
		}
		v.Set("additionalProperties", all.schema())
		return v
	}
	if len(s.fields) == 0 {
		return v
	}
	properties, required := ordered.NewObject(), []*ordered.Value{}
	for _, f := range s.fields {
		properties.Set(f.key, f.shape.schema())
		if f.seen == s.objects {
			required = append(required, ordered.NewString(f.key))
		}
	}
	v.Set("properties", properties)
	if len(required) > 0 {
		v.Set("required", ordered.NewArray(required...))
	}
	return v
}

// Keys that are data, and no names that somebody gave to a field.
var data = regexp.MustCompile(`^(?:` +
	`-?\d+` + // a number
	`|\d{4}-\d{2}(?:-\d{2})?(?:[T ].*)?` + // a date
	`|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-.*` + // a UUID
	`|[0-9a-f]{16,}` + // a digest
	`|.*[/\\@].*` + // a path, an address
	`|https?:.*` +
	`)$`)

// mapping reports whether the objects are clearly mappings: there are more keys than anybody names; or all keys are data (numbers, dates,
// UUIDs, paths, addresses), three at least, and their values are all of one kind; or there are twelve keys or more with values of one
// kind, in three objects or more, none of which has a key that is in all.
func (s *Shape) mapping() bool {
	if len(s.fields) > mostKeys {
		return true
	}
	kinds := map[string]bool{}
	allData, common := true, false
	for _, f := range s.fields {
		kinds[f.shape.kind()] = true
		allData = allData && data.MatchString(f.key)
		common = common || f.seen == s.objects
	}
	delete(kinds, "") // null may stand for any
	if len(kinds) > 1 {
		return false
	}
	return allData && len(s.fields) >= 3 || !common && s.objects >= 3 && len(s.fields) >= 12
}

// kind names what a shape has seen besides null.
func (s *Shape) kind() string {
	var kinds []string
	for _, k := range []struct {
		name string
		n    int
	}{{"boolean", s.bools}, {"number", s.integers + s.numbers}, {"string", s.texts}, {"array", s.lists}, {"object", s.objects}} {
		if k.n > 0 {
			kinds = append(kinds, k.name)
		}
	}
	return strings.Join(kinds, " ")
}
