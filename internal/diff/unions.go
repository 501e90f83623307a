package diff

import (
	"slices"

	"github.com/runlace/runlace/internal/schema/ordered"
)

func (p *prover) anyOf(f facts, v *ordered.Value, path []string) []finding {
	return p.alternatives(f, v, path, func(f facts, i int) []finding { return p.prove(f, v.Items[i], path) })
}

// alternatives proves that one of the forms in v will do, by what proves it of the form i. What is found otherwise is of the form that comes nearest.
func (p *prover) alternatives(f facts, v *ordered.Value, path []string, prove func(f facts, i int) []finding) []finding {
	some := func(f facts) []finding {
		var best []finding
		for i := range v.Items {
			found := prove(f, i)
			if len(found) == 0 {
				return nil
			}
			if i == 0 || rank(found, path) < rank(best, path) {
				best = found
			}
		}
		return best
	}
	p.loose++
	defer func() { p.loose-- }()
	found := some(f)
	if len(found) == 0 || f.choice() != nil { // an alternative of it may do, one at a time
		return found
	}
	return p.byType(f, found, some)
}

// byType proves a claim for each type that a value can have, where it cannot be proved for all at once.
func (p *prover) byType(f facts, found []finding, some func(facts) []finding) []finding {
	t := f.types()
	var apart []finding
	n := 0
	for _, x := range []types{isNull, isBool, isNumber, isString, isArray, isObject} {
		if t&x == 0 {
			continue
		}
		n++
		one := f
		one.list = append(slices.Clone(f.list), only[t&x])
		apart = append(apart, some(one)...)
	}
	if n < 2 {
		return found
	}
	return distinct(apart)
}

// only are schemas of single types. They have to be the same each time: claims are told apart by their schemas.
var only = func() map[types]*ordered.Value {
	all := map[types]*ordered.Value{}
	for _, x := range typeNames {
		s := ordered.NewObject()
		s.Set("type", ordered.NewString(x.name))
		all[x.set] = s
	}
	return all
}()

// rank says how far off findings are: another type is further than a detail.
func rank(found []finding, path []string) int {
	n := len(found)
	for _, x := range found {
		if x.keyword == "type" && len(x.path) == len(path) {
			n += 1000
		}
	}
	return n
}

func (p *prover) oneOf(f facts, v *ordered.Value, path []string) []finding {
	same := func(s *ordered.Value) bool {
		x := s.Get("oneOf")
		return x != nil && slices.EqualFunc(x.Items, v.Items, p.equal)
	}
	if slices.ContainsFunc(f.list, same) {
		return nil
	}
	return p.alternatives(f, v, path, func(f facts, i int) []finding {
		found := p.prove(f, v.Items[i], path)
		if len(found) > 0 {
			return found
		}
		for j, other := range v.Items {
			if j != i && !p.apart(f, other, 8) {
				found = p.say(path, "oneOf", "may fit more than one of the forms of which it has to fit one", "may fit more than one of the forms of which it had to fit one")
			}
		}
		return found
	})
}

// apart proves that no value which f allows is allowed by b.
func (p *prover) apart(f facts, b *ordered.Value, depth int) bool {
	if p.steps++; depth == 0 || p.steps > mostSteps {
		return false
	}
	g := of(p.b, b)
	if f.types()&g.types() == 0 {
		return true
	}
	if values, ok := f.finite(); ok {
		return !slices.ContainsFunc(values, func(v *ordered.Value) bool { return p.b.allows(b, v, true) })
	}
	if values, ok := g.finite(); ok {
		return !slices.ContainsFunc(values, func(v *ordered.Value) bool { return f.possible(v) })
	}
	if f.types()&g.types() != isObject {
		return false
	}
	for _, s := range f.list {
		for _, key := range s.Get("required").Texts() {
			for _, x := range g.list {
				if value := x.Get("properties").Get(key); value != nil && p.apart(f.at(key), value, depth-1) {
					return true
				}
			}
		}
	}
	for _, s := range g.list { // a key that b demands, and that f cannot have
		for _, key := range s.Get("required").Texts() {
			if f.at(key).never() {
				return true
			}
		}
	}
	return false
}

func (p *prover) conditional(f facts, s *ordered.Value, path []string) []finding {
	condition, then, otherwise := s.Get("if"), s.Get("then"), s.Get("else")
	for _, x := range f.list {
		matching := func(key string) bool {
			return !x.Has(key) && !s.Has(key) || p.equal(x.Get(key), s.Get(key))
		}
		if p.equal(x.Get("if"), condition) && matching("then") && matching("else") {
			return nil
		}
	}
	var found []finding
	if then != nil && !p.apart(f, condition, 8) {
		found = append(found, p.prove(f, then, path)...)
	}
	if otherwise != nil && len(p.prove(f, condition, path)) > 0 {
		found = append(found, p.prove(f, otherwise, path)...)
	}
	return distinct(found)
}
