package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/internal/words"
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

// strip removes wording from a schema, and puts it into the form that the digest is of: lists whose order means nothing are sorted, and the name of the
// dialect is no part of it.
func strip(s *ordered.Value) *ordered.Value {
	return unworded(s, sorted, func(key string) bool { return key == "$schema" })
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
	Where   string          `json:"where"`            // as in arguments.filter.state, result.items[], hints
	Pointer string          `json:"pointer"`          // the same as a JSON pointer into the definition, as in /inputSchema/properties/filter
	What    string          `json:"what"`             // in words
	Before  json.RawMessage `json:"before,omitempty"` // nothing: it was not there
	Now     json.RawMessage `json:"now,omitempty"`    // nothing: it is gone
}

// String is the change as a sentence: parameter `limit` became required.
func (c Change) String() string {
	if c.Where == "hints" {
		return c.What
	}
	noun, rest := "parameter", strings.TrimPrefix(c.Where, "arguments")
	if rest == c.Where {
		noun, rest = "result", strings.TrimPrefix(c.Where, "result")
	}
	switch {
	case rest != "":
		noun += " `" + strings.TrimLeft(rest, ". ") + "`"
	case noun == "parameter":
		noun = "the arguments"
	default:
		noun = "the result"
	}
	for _, verb := range []string{"is ", "was ", "has ", "became "} {
		if strings.HasPrefix(c.What, verb) {
			return noun + " " + c.What
		}
	}
	return noun + ": " + c.What
}

// Diff says what changed between a tool as it was pinned and as it is now; nothing if their digests are the same.
func Diff(pinned, now Tool) []Change {
	var d differ
	a, b := pinned.Annotations.Effective(), now.Annotations.Effective()
	d.hint("readOnlyHint", "turns from acting to read-only", "turns from read-only to acting", a.ReadOnly, b.ReadOnly)
	d.hint("destructiveHint", "may destroy now", "does not destroy any more", a.Destructive, b.Destructive)
	d.hint("idempotentHint", "may be repeated now", "may not be repeated any more", a.Idempotent, b.Idempotent)
	d.hint("openWorldHint", "reaches beyond its own data now", "keeps to its own data now", a.OpenWorld, b.OpenWorld)
	d.schema(at{"arguments", "/inputSchema"}, wordless(pinned.InputSchema), wordless(now.InputSchema))
	d.schema(at{"result", "/outputSchema"}, wordless(pinned.OutputSchema), wordless(now.OutputSchema))
	return d.changes
}

// at is a place in a tool's definition: for people, and as a JSON pointer.
type at struct{ where, pointer string }

func (p at) in(where string, keys ...string) at {
	p.where += where
	for _, k := range keys {
		p.pointer += "/" + schema.EscapePointer(k)
	}
	return p
}

type differ struct{ changes []Change }

// add notes a change of what stands at a place; nil is what was not there, or is not any more.
func (d *differ) add(p at, before, now *ordered.Value, what ...string) {
	c := Change{Where: p.where, Pointer: p.pointer, What: strings.Join(what, " ")}
	if before != nil {
		c.Before = before.JSON()
	}
	if now != nil {
		c.Now = now.JSON()
	}
	d.changes = append(d.changes, c)
}

func (d *differ) hint(name, on, off string, was, is bool) {
	what := map[bool]string{true: on, false: off}
	if was != is {
		d.add(at{"hints", "/annotations/" + name}, ordered.NewBool(was), ordered.NewBool(is), what[is])
	}
}

func (d *differ) schema(p at, was, is *ordered.Value) {
	if was.Equal(is) {
		return
	}
	switch {
	case was.Kind == ordered.Null:
		d.add(p, nil, is, "has a schema now")
		return
	case is.Kind == ordered.Null:
		d.add(p, was, nil, "has no schema any more")
		return
	case was.Kind != ordered.Object || is.Kind != ordered.Object:
		d.add(p, was, is, "was", brief(was)+", is now", brief(is))
		return
	}
	requiredWas, requiredIs := was.Get("required").Texts(), is.Get("required").Texts()
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
			d.required(p, was, is, requiredWas, requiredIs)
		case key == "properties" && objects(a, b):
			d.properties(p, a, b, requiredIs)
		case key == "items" && a != nil && b != nil && objects(a, b):
			d.schema(p.in("[]", "items"), a, b)
		case key == "additionalProperties" && a != nil && b != nil && objects(a, b):
			d.schema(p.in(".*", key), a, b)
		case (key == "$defs" || key == "definitions" || key == "patternProperties") && objects(a, b):
			d.named(p, key, a, b)
		case key == "enum" && a.Is(ordered.Array) && b.Is(ordered.Array):
			d.list(p.in("", key), "allowed value", a, b)
		default:
			d.keyword(p, key, a, b)
		}
	}
}

func objects(a, b *ordered.Value) bool {
	return (a == nil || a.Is(ordered.Object)) && (b == nil || b.Is(ordered.Object)) && (a != nil || b != nil)
}

func (d *differ) required(p at, was, is *ordered.Value, a, b []string) {
	place := func(key string) at { return p.in("."+key, "required") }
	yes, no := ordered.NewBool(true), ordered.NewBool(false)
	for _, key := range a {
		if !slices.Contains(b, key) && (is.Get("properties").Has(key) || !was.Get("properties").Has(key)) {
			d.add(place(key), yes, no, "became optional")
		}
	}
	for _, key := range b {
		if !slices.Contains(a, key) && (was.Get("properties").Has(key) || !is.Get("properties").Has(key)) {
			d.add(place(key), no, yes, "became required")
		}
	}
}

func (d *differ) properties(p at, a, b *ordered.Value, required []string) {
	for _, m := range a.Entries() {
		if other := b.Get(m.Key); other == nil {
			d.add(p.in("."+m.Key, "properties", m.Key), m.Value, nil, "is gone")
		} else {
			d.schema(p.in("."+m.Key, "properties", m.Key), m.Value, other)
		}
	}
	for _, m := range b.Entries() {
		if a.Has(m.Key) {
			continue
		}
		what := "is new:"
		if slices.Contains(required, m.Key) {
			what = "is new and required:"
		}
		d.add(p.in("."+m.Key, "properties", m.Key), nil, m.Value, what, brief(m.Value))
	}
}

func (d *differ) named(p at, home string, a, b *ordered.Value) {
	for _, m := range a.Entries() {
		if other := b.Get(m.Key); other == nil {
			d.add(p.in(" "+home+"."+m.Key, home, m.Key), m.Value, nil, "is gone")
		} else {
			d.schema(p.in(" "+home+"."+m.Key, home, m.Key), m.Value, other)
		}
	}
	for _, m := range b.Entries() {
		if !a.Has(m.Key) {
			d.add(p.in(" "+home+"."+m.Key, home, m.Key), nil, m.Value, "is new:", brief(m.Value))
		}
	}
}

func (d *differ) list(p at, what string, a, b *ordered.Value) {
	for _, v := range a.Items {
		if !slices.ContainsFunc(b.Items, v.Equal) {
			d.add(p, v, nil, what, brief(v), "is gone")
		}
	}
	for _, v := range b.Items {
		if !slices.ContainsFunc(a.Items, v.Equal) {
			d.add(p, nil, v, what, brief(v), "is new")
		}
	}
}

func (d *differ) keyword(p at, key string, a, b *ordered.Value) {
	p = p.in("", key)
	switch {
	case a == nil:
		d.add(p, nil, b, key, "is new:", brief(b))
	case b == nil:
		d.add(p, a, nil, key, brief(a), "is gone")
	case !a.Equal(b):
		d.add(p, a, b, key, "was", brief(a)+", is now", brief(b))
	}
}

// brief is a schema or a value in few words.
func brief(v *ordered.Value) string {
	if t := v.Get("type"); v.Is(ordered.Object) && t != nil {
		if t.Is(ordered.String) && (len(v.Members) == 1 || t.Text == "object" || t.Text == "array") {
			return t.Text
		}
	}
	return words.Cut(string(v.JSON()), 100)
}
