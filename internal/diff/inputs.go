package diff

import (
	"slices"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// inputs proves the claim for inputs, whose defaults are filled in on the top level before they are validated. A key with a default can be
// left out even if it is required, and what is filled in has to be allowed.
func (p *prover) inputs(root facts) []finding {
	was, is := defaults(p.a), defaults(p.b)
	if len(was) == 0 && len(is) == 0 {
		return p.prove(root, p.b.Root, nil)
	}
	if slices.EqualFunc(was, is, func(x, y ordered.Member) bool { return x.Key == y.Key && x.Value.Equal(y.Value) }) && p.equal(p.a.Root, p.b.Root) {
		return nil
	}
	// If both schemas look at each key on its own, then so can the proof: what holds of a key that was given holds without the ones that were filled in.
	before, ok := relaxed(p.a, was)
	now, too := relaxed(p.b, is)
	if !ok || !too {
		text := "has defaults beside conditions on several keys at once, which cannot be compared"
		return p.say(nil, "default", text, text)
	}
	found := p.prove(of(p.a, append(before, only[isObject])...), all(now), nil)
	f := of(p.b, p.b.Root)
	for _, d := range is {
		if !f.at(d.Key).possible(d.Value) {
			text := "has the default " + short(d.Value) + ", which its own schema does not allow"
			found = append(found, finding{path: []string{d.Key}, keyword: "default", text: text, without: d.Key})
		}
	}
	return found
}

// defaults are those that are filled in, by key.
func defaults(d *document) (list []ordered.Member) {
	for _, s := range d.All([]*ordered.Value{d.Root}) {
		for _, m := range s.Get("properties").Entries() {
			for _, x := range d.All([]*ordered.Value{m.Value}) {
				if v := x.Get("default"); v != nil && !slices.ContainsFunc(list, func(x ordered.Member) bool { return x.Key == m.Key }) {
					list = append(list, ordered.Member{Key: m.Key, Value: v})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b ordered.Member) int { return slices.Compare([]byte(a.Key), []byte(b.Key)) })
	return list
}

// relaxed are the schemas of the root without the required keys that have a default; false if they look at more than one key at a time.
func relaxed(d *document, filled []ordered.Member) (list []*ordered.Value, ok bool) {
	for _, s := range d.All([]*ordered.Value{d.Root}) {
		if s.Kind != ordered.Object {
			list = append(list, s)
			continue
		}
		out := ordered.NewObject()
		for _, m := range asserted(s) {
			switch m.Key {
			case "$ref", "allOf":
			case "type", "properties", "patternProperties", "additionalProperties":
				out.Set(m.Key, m.Value)
			case "required":
				var keys []*ordered.Value
				for _, key := range m.Value.Items {
					if !slices.ContainsFunc(filled, func(f ordered.Member) bool { return f.Key == key.Str() }) {
						keys = append(keys, key)
					}
				}
				out.Set(m.Key, ordered.NewArray(keys...))
			default:
				return nil, false
			}
		}
		list = append(list, out)
	}
	return list, true
}

// all is a schema that demands what several demand.
func all(list []*ordered.Value) *ordered.Value {
	s := ordered.NewObject()
	s.Set("allOf", ordered.NewArray(list...))
	return s
}
