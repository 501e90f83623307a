package diff

import (
	"cmp"
	"slices"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// annotations are the keywords that allow and forbid nothing. A format that is not asserted is one too.
var annotations = map[string]bool{
	"title": true, "description": true, "$comment": true, "default": true, "examples": true, "deprecated": true, "readOnly": true, "writeOnly": true,
	"contentEncoding": true, "contentMediaType": true,
}

// asserted are a schema's members that allow or forbid something.
func asserted(s *ordered.Value) []ordered.Member {
	var out []ordered.Member
	for _, m := range s.Entries() {
		if !annotations[m.Key] && (m.Key != "format" || schema.Asserted(m.Value.Str())) {
			out = append(out, m)
		}
	}
	return out
}

type pair struct{ a, b *ordered.Value }

// same compares schemas of two documents as they are written, references followed. Two that are the same allow the same values.
type same struct {
	a, b *schema.Document
	seen map[pair]bool
}

func (e *same) schema(x, y *ordered.Value) bool {
	if x == nil || y == nil || x.Kind != y.Kind {
		return x == y
	}
	if x.Kind != ordered.Object {
		return x.Equal(y)
	}
	if e.seen[pair{x, y}] {
		return true
	}
	e.seen[pair{x, y}] = true
	p, q := asserted(x), asserted(y)
	if len(p) != len(q) {
		return false
	}
	for _, m := range p {
		if !e.keyword(m.Key, m.Value, y.Get(m.Key)) {
			return false
		}
	}
	return true
}

func (e *same) keyword(key string, x, y *ordered.Value) bool {
	if y == nil {
		return false
	}
	switch key {
	case "$ref":
		return e.schema(e.a.Defs[ref(x)], e.b.Defs[ref(y)])
	case "properties", "patternProperties", "dependentSchemas":
		if len(x.Members) != len(y.Members) {
			return false
		}
		for _, m := range x.Members {
			if !y.Has(m.Key) || !e.schema(m.Value, y.Get(m.Key)) {
				return false
			}
		}
		return true
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return slices.EqualFunc(x.Items, y.Items, e.schema)
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items":
		return e.schema(x, y)
	case "required", "enum", "type":
		return unordered(x).Equal(unordered(y))
	default:
		return x.Equal(y)
	}
}

// ref is the name in the value of a $ref.
func ref(v *ordered.Value) string {
	s := ordered.NewObject()
	s.Set("$ref", v)
	return schema.RefName(s)
}

// unordered is a list whose order and repetitions mean nothing.
func unordered(v *ordered.Value) *ordered.Value {
	if !v.Is(ordered.Array) {
		return v
	}
	items := slices.Clone(v.Items)
	slices.SortFunc(items, func(a, b *ordered.Value) int { return cmp.Compare(string(a.Canonical()), string(b.Canonical())) })
	return ordered.NewArray(slices.CompactFunc(items, func(a, b *ordered.Value) bool { return a.Equal(b) })...)
}
