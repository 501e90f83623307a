package diff

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/runlace/runlace/internal/schema/ordered"
)

func (p *prover) required(f facts, v *ordered.Value, path []string) (found []finding) {
	if f.types()&isObject == 0 {
		return nil
	}
	for _, key := range v.Texts() {
		if f.requires(key) {
			continue
		}
		text := "is required now"
		switch {
		case p.outputs && !f.declares(key) && p.loose == 0:
			found = append(found, gone(deeper(path, key)))
			continue
		case p.outputs:
			text = "can be missing now"
		case !f.declares(key):
			text = "is new and required"
		}
		found = append(found, finding{path: deeper(path, key), keyword: "required", text: text, without: key})
	}
	return found
}

// gone is an output that is not declared any more. Also where it was optional, callers that read it have lost it.
func gone(path []string) finding {
	return finding{path: path, keyword: "gone", text: "is gone", certain: true}
}

func (p *prover) properties(f facts, v *ordered.Value, path []string) (found []finding) {
	if f.types()&isObject == 0 {
		return nil
	}
	for _, m := range v.Members {
		here, at := f.at(m.Key), deeper(path, m.Key)
		switch {
		case isFalse(m.Value) && !f.declares(m.Key) && here.never():
		case p.outputs && p.loose == 0 && !f.requires(m.Key) && (!f.declares(m.Key) || here.never()) && !isFalse(m.Value):
			found = append(found, gone(at))
		default:
			found = append(found, p.prove(here, m.Value, at)...)
		}
	}
	return found
}

func (p *prover) patternProperties(f facts, v *ordered.Value, path []string) (found []finding) {
	if f.types()&isObject == 0 {
		return nil
	}
	for _, m := range v.Members {
		for _, key := range f.names() {
			if matches(m.Key, key) {
				found = append(found, p.prove(f.at(key), m.Value, deeper(path, key))...)
			}
		}
		found = append(found, p.undeclared(f, m.Value, func(s *ordered.Value) *ordered.Value { return s.Get("patternProperties").Get(m.Key) }, nil, path)...)
	}
	return found
}

func (p *prover) additional(f facts, s, v *ordered.Value, path []string) (found []finding) {
	if f.types()&isObject == 0 {
		return nil
	}
	covered := func(key string) bool { return s.Get("properties").Has(key) || len(patterns(s, key)) > 0 }
	for _, key := range f.names() {
		if !covered(key) && !f.at(key).never() {
			if isFalse(v) {
				found = append(found, p.say(deeper(path, key), "additionalProperties", "is not known any more", "is new, and keys that are not declared were excluded")...)
			} else {
				found = append(found, p.prove(f.at(key), v, deeper(path, key))...)
			}
		}
	}
	skip := s.Get("patternProperties")
	return append(found, p.undeclared(f, v, nil, skip, path)...)
}

// undeclared proves a claim about the values under keys that f does not declare by name. known gives a fact's schema for exactly these keys,
// if there is one; keys that match one of the patterns in skip are not meant.
func (p *prover) undeclared(f facts, b *ordered.Value, known func(*ordered.Value) *ordered.Value, skip *ordered.Value, path []string) []finding {
	at := deeper(path, anyKey)
	var best []finding
	try := func(options []facts) bool {
		var found []finding
		for _, o := range options {
			found = append(found, p.prove(o, b, at)...)
		}
		if best == nil || len(found) < len(best) {
			best = append([]finding{}, found...)
		}
		return len(found) == 0
	}
	for _, s := range f.list {
		if known != nil {
			if x := known(s); x != nil && try([]facts{of(f.doc, x)}) {
				return nil
			}
		}
		more := s.Get("additionalProperties")
		if more == nil {
			continue
		}
		options := []facts{of(f.doc, more)}
		for _, m := range s.Get("patternProperties").Entries() {
			if !skip.Has(m.Key) {
				options = append(options, of(f.doc, m.Value))
			}
		}
		if try(options) {
			return nil
		}
	}
	if best == nil && try([]facts{of(f.doc)}) {
		return nil
	}
	if isFalse(b) {
		return p.say(at, "additionalProperties", "are not accepted any more", "are possible now, and were excluded", usual...)
	}
	return best
}

func (p *prover) propertyNames(f facts, v *ordered.Value, path []string) []finding {
	if f.types()&isObject == 0 {
		return nil
	}
	name := ordered.NewObject()
	name.Set("type", ordered.NewString("string"))
	for _, s := range f.list {
		if n := s.Get("propertyNames"); n != nil && len(p.prove(of(f.doc, n, name), v, path)) == 0 {
			return nil
		}
	}
	if f.closed() && !slices.ContainsFunc(f.names(), func(key string) bool { return !f.at(key).never() && !p.b.allows(v, ordered.NewString(key), false) }) {
		return nil
	}
	return p.say(path, "propertyNames", "may not have every key any more", "can have keys now that it could not have")
}

// items proves what a schema demands of the items: those of prefixItems, or all that come after them.
func (p *prover) items(f facts, s *ordered.Value, keyword string, path []string) (found []finding) {
	if f.types()&isArray == 0 {
		return nil
	}
	own := 0
	prefix := s.Get("prefixItems")
	if prefix != nil {
		own = len(prefix.Items)
	}
	most := f.count("maxItems", -1)
	possible := func(i int) bool { return most == nil || most.Cmp(big.NewRat(int64(i), 1)) > 0 }
	if keyword == "prefixItems" {
		for i, item := range prefix.Items {
			if possible(i) {
				found = append(found, p.prove(f.item(i), item, deeper(path, fmt.Sprint(i)))...)
			}
		}
		return found
	}
	last := max(own, f.prefix())
	for i := own; i < last; i++ {
		if possible(i) {
			found = append(found, p.prove(f.item(i), s.Get(keyword), deeper(path, fmt.Sprint(i)))...)
		}
	}
	if possible(last) {
		at := anyItem
		if last > 0 {
			at = fmt.Sprint(last)
		}
		found = append(found, p.prove(f.item(last), s.Get(keyword), deeper(path, at))...)
	}
	return found
}

func (p *prover) dependentRequired(f facts, v *ordered.Value, path []string) (found []finding) {
	if f.types()&isObject == 0 {
		return nil
	}
	for _, m := range v.Members {
		if f.at(m.Key).never() {
			continue
		}
		for _, key := range m.Value.Texts() {
			if !f.requires(key) && !slices.ContainsFunc(f.list, func(s *ordered.Value) bool {
				return slices.Contains(s.Get("dependentRequired").Get(m.Key).Texts(), key)
			}) {
				found = append(found, p.say(deeper(path, key), "dependentRequired", "is required now beside `"+m.Key+"`", "can be missing now beside `"+m.Key+"`")...)
			}
		}
	}
	return found
}

func (p *prover) dependentSchemas(f facts, v *ordered.Value, path []string) (found []finding) {
	if f.types()&isObject == 0 {
		return nil
	}
	for _, m := range v.Members {
		if f.at(m.Key).never() || slices.ContainsFunc(f.list, func(s *ordered.Value) bool { return p.equal(s.Get("dependentSchemas").Get(m.Key), m.Value) }) {
			continue
		}
		found = append(found, p.prove(f, m.Value, path)...)
	}
	return found
}
