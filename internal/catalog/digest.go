package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// Digest identifies what a workflow depends on in a tool: SHA-256, in hex, over the canonical JSON of the input schema, the output schema and
// the effective hints, with wording removed. Orders that mean nothing (of keys, of required, of types and enums) do not count.
func Digest(t Tool) string {
	o := ordered.NewObject()
	o.Set("inputSchema", wordless(t.InputSchema))
	o.Set("outputSchema", wordless(t.OutputSchema))
	hints, err := json.Marshal(t.Annotations.Effective())
	if err != nil {
		panic(err) // four booleans
	}
	h, err := ordered.Parse(hints)
	if err != nil {
		panic(err)
	}
	o.Set("hints", h)
	sum := sha256.Sum256(o.Canonical())
	return hex.EncodeToString(sum[:])
}

// wordless returns a schema without wording. What is no JSON is a text, so that it has a digest too.
func wordless(raw json.RawMessage) *ordered.Value {
	if len(bytes.TrimSpace(raw)) == 0 {
		return &ordered.Value{}
	}
	v, err := ordered.Parse(raw)
	if err != nil {
		return ordered.NewString("not JSON: " + string(raw))
	}
	return strip(v)
}

// strip removes wording from a schema. In a map of schemas the keys are names: a property may be called description.
func strip(s *ordered.Value) *ordered.Value {
	switch s.Kind {
	case ordered.Array: // a list of schemas
		items := make([]*ordered.Value, len(s.Items))
		for i, item := range s.Items {
			items[i] = strip(item)
		}
		return ordered.NewArray(items...)
	case ordered.Object:
	default:
		return s
	}
	out := ordered.NewObject()
	for _, m := range s.Members {
		switch m.Key {
		case "title", "description", "examples", "example", "$comment", "$schema":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies", "dependentRequired":
			if !m.Value.Is(ordered.Object) {
				out.Set(m.Key, m.Value)
				continue
			}
			schemas := ordered.NewObject()
			for _, p := range m.Value.Members {
				if p.Value.Is(ordered.Array) {
					schemas.Set(p.Key, sorted(p.Value))
				} else {
					schemas.Set(p.Key, strip(p.Value))
				}
			}
			out.Set(m.Key, schemas)
		case "required", "enum", "type":
			out.Set(m.Key, sorted(m.Value))
		case "const", "default":
			out.Set(m.Key, m.Value)
		default:
			out.Set(m.Key, strip(m.Value))
		}
	}
	return out
}

// sorted returns a list whose order means nothing in an order of its own.
func sorted(v *ordered.Value) *ordered.Value {
	if !v.Is(ordered.Array) {
		return v
	}
	items := slices.Clone(v.Items)
	slices.SortFunc(items, func(a, b *ordered.Value) int { return cmp.Compare(string(a.Canonical()), string(b.Canonical())) })
	return ordered.NewArray(items...)
}

// Change is one thing that is different about a tool.
type Change struct {
	Where string `json:"where"` // as in arguments.filter.state, result.items[], hints
	What  string `json:"what"`
}

func (c Change) String() string { return c.Where + ": " + c.What }

// Diff says what changed between a tool as it was pinned and as it is now; nothing if their digests are the same.
func Diff(pinned, now Tool) []Change {
	var d differ
	a, b := pinned.Annotations.Effective(), now.Annotations.Effective()
	d.hint("read-only", a.ReadOnly, b.ReadOnly)
	d.hint("destructive", a.Destructive, b.Destructive)
	d.hint("idempotent", a.Idempotent, b.Idempotent)
	d.hint("open world", a.OpenWorld, b.OpenWorld)
	d.schema("arguments", wordless(pinned.InputSchema), wordless(now.InputSchema))
	d.schema("result", wordless(pinned.OutputSchema), wordless(now.OutputSchema))
	return d.changes
}

type differ struct{ changes []Change }

func (d *differ) add(where string, what ...string) {
	d.changes = append(d.changes, Change{where, strings.Join(what, " ")})
}

func (d *differ) hint(name string, was, is bool) {
	words := map[bool]string{true: "", false: "not "}
	if was != is {
		d.add("hints", "was", words[was]+name+", is now", words[is]+name)
	}
}

func (d *differ) schema(where string, was, is *ordered.Value) {
	if was.Equal(is) {
		return
	}
	switch {
	case was.Kind == ordered.Null:
		d.add(where, "has a schema now")
		return
	case is.Kind == ordered.Null:
		d.add(where, "has no schema any more")
		return
	case was.Kind != ordered.Object || is.Kind != ordered.Object:
		d.add(where, "was", brief(was)+", is now", brief(is))
		return
	}
	requiredWas, requiredIs := texts(was.Get("required")), texts(is.Get("required"))
	var keys []string
	for _, s := range []*ordered.Value{was, is} {
		for _, m := range s.Members {
			if !slices.Contains(keys, m.Key) {
				keys = append(keys, m.Key)
			}
		}
	}
	for _, key := range keys {
		a, b := was.Get(key), is.Get(key)
		switch {
		case key == "required" && (was.Has("properties") || is.Has("properties")):
			d.required(where, was, is, requiredWas, requiredIs)
		case key == "properties" && objects(a, b):
			d.properties(where, a, b, requiredIs)
		case key == "items" && a != nil && b != nil && objects(a, b):
			d.schema(where+"[]", a, b)
		case key == "additionalProperties" && a != nil && b != nil && objects(a, b):
			d.schema(where+".*", a, b)
		case (key == "$defs" || key == "definitions" || key == "patternProperties") && objects(a, b):
			d.named(where, key, a, b)
		case key == "enum" && a.Is(ordered.Array) && b.Is(ordered.Array):
			d.list(where, "allowed value", a, b)
		default:
			d.keyword(where, key, a, b)
		}
	}
}

func objects(a, b *ordered.Value) bool {
	return (a == nil || a.Is(ordered.Object)) && (b == nil || b.Is(ordered.Object)) && (a != nil || b != nil)
}

func texts(v *ordered.Value) []string {
	var out []string
	if v.Is(ordered.Array) {
		for _, item := range v.Items {
			out = append(out, item.Str())
		}
	}
	return out
}

func (d *differ) required(where string, was, is *ordered.Value, a, b []string) {
	for _, key := range a {
		if !slices.Contains(b, key) && (is.Get("properties").Has(key) || !was.Get("properties").Has(key)) {
			d.add(where+"."+key, "was required, is now optional")
		}
	}
	for _, key := range b {
		if !slices.Contains(a, key) && (was.Get("properties").Has(key) || !is.Get("properties").Has(key)) {
			d.add(where+"."+key, "was optional, is now required")
		}
	}
}

func (d *differ) properties(where string, a, b *ordered.Value, required []string) {
	for _, m := range a.Entries() {
		if other := b.Get(m.Key); other == nil {
			d.add(where+"."+m.Key, "is gone")
		} else {
			d.schema(where+"."+m.Key, m.Value, other)
		}
	}
	for _, m := range b.Entries() {
		if a.Has(m.Key) {
			continue
		}
		if slices.Contains(required, m.Key) {
			d.add(where+"."+m.Key, "is new and required:", brief(m.Value))
		} else {
			d.add(where+"."+m.Key, "is new:", brief(m.Value))
		}
	}
}

func (d *differ) named(where, home string, a, b *ordered.Value) {
	for _, m := range a.Entries() {
		if other := b.Get(m.Key); other == nil {
			d.add(where+" "+home+"."+m.Key, "is gone")
		} else {
			d.schema(where+" "+home+"."+m.Key, m.Value, other)
		}
	}
	for _, m := range b.Entries() {
		if !a.Has(m.Key) {
			d.add(where+" "+home+"."+m.Key, "is new:", brief(m.Value))
		}
	}
}

func (d *differ) list(where, what string, a, b *ordered.Value) {
	for _, v := range a.Items {
		if !slices.ContainsFunc(b.Items, v.Equal) {
			d.add(where, what, brief(v), "is gone")
		}
	}
	for _, v := range b.Items {
		if !slices.ContainsFunc(a.Items, v.Equal) {
			d.add(where, what, brief(v), "is new")
		}
	}
}

func (d *differ) keyword(where, key string, a, b *ordered.Value) {
	switch {
	case a == nil:
		d.add(where, key, "is new:", brief(b))
	case b == nil:
		d.add(where, key, brief(a), "is gone")
	case !a.Equal(b):
		d.add(where, key, "was", brief(a)+", is now", brief(b))
	}
}

// brief is a schema or a value in few words.
func brief(v *ordered.Value) string {
	if t := v.Get("type"); v.Is(ordered.Object) && t != nil {
		if t.Is(ordered.String) && (len(v.Members) == 1 || t.Text == "object" || t.Text == "array") {
			return t.Text
		}
	}
	return short(string(v.JSON()))
}

func short(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}
