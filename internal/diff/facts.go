package diff

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// types is a set of kinds of values. An integer is any number without a fraction.
type types uint8

const (
	isNull types = 1 << iota
	isBool
	isInteger
	isFraction
	isString
	isArray
	isObject

	isNumber = isInteger | isFraction
	isAny    = isNull | isBool | isNumber | isString | isArray | isObject
)

var typeNames = []struct {
	set  types
	name string
}{{isNull, "null"}, {isBool, "boolean"}, {isNumber, "number"}, {isInteger, "integer"}, {isFraction, "number"}, {isString, "string"}, {isArray, "array"}, {isObject, "object"}}

func (t types) String() string {
	var names []string
	for _, x := range typeNames {
		if t&x.set == x.set {
			names = append(names, x.name)
			t &^= x.set
		}
	}
	return strings.Join(names, " or ")
}

func typeOf(v *ordered.Value) types {
	switch v.Kind {
	case ordered.Null:
		return isNull
	case ordered.Bool:
		return isBool
	case ordered.Number:
		if r := v.Rat(); r != nil && r.IsInt() {
			return isInteger
		}
		return isFraction
	case ordered.String:
		return isString
	case ordered.Array:
		return isArray
	default:
		return isObject
	}
}

func typesOf(v *ordered.Value) types {
	list := []*ordered.Value{v}
	if v.Is(ordered.Array) {
		list = v.Items
	}
	var t types
	for _, item := range list {
		for _, x := range typeNames {
			if x.name == item.Str() {
				t |= x.set
				break
			}
		}
	}
	return t
}

// facts are schemas of one document that all hold of a value: an upper bound of what the value can be. Keywords that are not looked at
// make the bound wider, and never wrong.
type facts struct {
	doc   *document
	list  []*ordered.Value
	split []*ordered.Value // the alternatives of which one has been added to the list already
}

// document is a schema's document, and what has been found out about its schemas.
type document struct {
	*schema.Document
	kinds   map[*ordered.Value]types // of the alternatives of unions
	allowed map[*ordered.Value]*schema.Validator
	asked   int // bytes of the schemas in allowed
}

func read(raw json.RawMessage) (*document, error) {
	d, err := schema.Read(raw)
	return &document{Document: d, kinds: map[*ordered.Value]types{}, allowed: map[*ordered.Value]*schema.Validator{}}, err
}

// of are the facts that schemas state, with those that they refer to.
func of(doc *document, list ...*ordered.Value) facts {
	all := doc.All(list)
	return facts{doc: doc, list: slices.DeleteFunc(all, refers)}
}

// refers reports whether a schema says nothing but what the one that it refers to says.
func refers(s *ordered.Value) bool {
	return s.Is(ordered.Object) && s.Has("$ref") && len(asserted(s)) == 1
}

func (f facts) and(s *ordered.Value, split *ordered.Value) facts {
	g := of(f.doc, append(slices.Clone(f.list), s)...)
	g.split = append(slices.Clone(f.split), split)
	return g
}

// key identifies the facts.
func (f facts) key() string {
	var parts []string
	for _, s := range f.list {
		parts = append(parts, fmt.Sprintf("%p", s))
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), " ")
}

// never reports whether no value is left.
func (f facts) never() bool {
	return f.types() == 0 || slices.ContainsFunc(f.list, isFalse)
}

func isFalse(s *ordered.Value) bool { return s.Is(ordered.Bool) && !s.True }

// types are what the value can be.
func (f facts) types() types {
	t := isAny
	for _, s := range f.list {
		if isFalse(s) {
			return 0
		}
		if v := s.Get("type"); v != nil {
			t &= typesOf(v)
		}
		for _, keyword := range []string{"anyOf", "oneOf"} {
			if alternatives := s.Get(keyword); alternatives != nil {
				var some types
				for _, a := range alternatives.Items {
					some |= f.doc.typesOf(a)
				}
				t &= some
			}
		}
	}
	if values, ok := f.listed(); ok {
		var some types
		for _, v := range values {
			some |= typeOf(v)
		}
		t &= some
	}
	return t
}

// typesOf are what a value can be that a schema allows. A union that is found inside of itself is taken for anything.
func (d *document) typesOf(s *ordered.Value) types {
	t, known := d.kinds[s]
	if !known {
		d.kinds[s] = isAny
		t = of(d, s).types()
		d.kinds[s] = t
	}
	return t
}

// listed are the values of an enum or a const, if there is one.
func (f facts) listed() ([]*ordered.Value, bool) {
	for _, s := range f.list {
		if v := s.Get("const"); v != nil {
			return []*ordered.Value{v}, true
		}
	}
	for _, s := range f.list {
		if v := s.Get("enum"); v != nil {
			return v.Items, true
		}
	}
	return nil, false
}

// finite are all values that are possible, and perhaps more; false if they are not a list.
func (f facts) finite() ([]*ordered.Value, bool) {
	if values, ok := f.listed(); ok {
		return values, true
	}
	t := f.types()
	if t&^(isNull|isBool) != 0 {
		return nil, false
	}
	var values []*ordered.Value
	if t&isNull != 0 {
		values = append(values, &ordered.Value{})
	}
	if t&isBool != 0 {
		values = append(values, ordered.NewBool(true), ordered.NewBool(false))
	}
	return values, true
}

// choice is a list of alternatives of which one has to hold, and that has not been looked at yet.
func (f facts) choice() *ordered.Value {
	for _, s := range f.list {
		for _, keyword := range []string{"anyOf", "oneOf"} {
			if a := s.Get(keyword); a != nil && !slices.Contains(f.split, a) {
				return a
			}
		}
	}
	return nil
}

// requires reports whether an object has a key for sure.
func (f facts) requires(key string) bool {
	return slices.ContainsFunc(f.list, func(s *ordered.Value) bool { return slices.Contains(s.Get("required").Texts(), key) })
}

// names are the keys that are declared.
func (f facts) names() []string {
	var keys []string
	seen := map[string]bool{}
	for _, s := range f.list {
		for _, m := range s.Get("properties").Entries() {
			if !seen[m.Key] {
				seen[m.Key] = true
				keys = append(keys, m.Key)
			}
		}
	}
	return keys
}

// declares reports whether a key is declared, by itself or by a pattern.
func (f facts) declares(key string) bool {
	return slices.ContainsFunc(f.list, func(s *ordered.Value) bool { return s.Get("properties").Has(key) || len(patterns(s, key)) > 0 })
}

// patterns are the schemas under patternProperties for a key.
func patterns(s *ordered.Value, key string) (found []*ordered.Value) {
	for _, m := range s.Get("patternProperties").Entries() {
		if matches(m.Key, key) {
			found = append(found, m.Value)
		}
	}
	return found
}

// matches reports whether a text matches a pattern. The reader of schemas lets only patterns through that compile.
func matches(pattern, text string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text)
}

// at are the facts about the value under a key, if it is there.
func (f facts) at(key string) facts {
	var list []*ordered.Value
	for _, s := range f.list {
		here := patterns(s, key)
		if p := s.Get("properties").Get(key); p != nil {
			here = append(here, p)
		}
		if len(here) == 0 {
			if more := s.Get("additionalProperties"); more != nil {
				here = append(here, more)
			}
		}
		list = append(list, here...)
	}
	return of(f.doc, list...)
}

// closed reports whether an object has no other keys than those that are declared by name.
func (f facts) closed() bool {
	return slices.ContainsFunc(f.list, func(s *ordered.Value) bool {
		return isFalse(s.Get("additionalProperties")) && len(s.Get("patternProperties").Entries()) == 0
	})
}

// item are the facts about the item at an index, if it is there. An index from [facts.prefix] on is any of the rest.
func (f facts) item(i int) facts {
	var list []*ordered.Value
	for _, s := range f.list {
		if prefix := s.Get("prefixItems"); prefix != nil && i < len(prefix.Items) {
			list = append(list, prefix.Items[i])
		} else if items := s.Get("items"); items != nil {
			list = append(list, items)
		}
	}
	return of(f.doc, list...)
}

// prefix is how many items are described one by one.
func (f facts) prefix() int {
	n := 0
	for _, s := range f.list {
		if prefix := s.Get("prefixItems"); prefix != nil {
			n = max(n, len(prefix.Items))
		}
	}
	return n
}

// bound is the end of a range.
type bound struct {
	value     *big.Rat
	exclusive bool
}

// bound is the strictest end that the facts state; sign is 1 for the lower end and -1 for the upper one.
func (f facts) bound(sign int) *bound {
	inclusive, exclusive := "minimum", "exclusiveMinimum"
	if sign < 0 {
		inclusive, exclusive = "maximum", "exclusiveMaximum"
	}
	integers := f.types()&isFraction == 0
	var best *bound
	for _, s := range f.list {
		for _, keyword := range []string{inclusive, exclusive} {
			r := rat(s.Get(keyword))
			if r == nil {
				continue
			}
			b := &bound{r, keyword == exclusive}
			if integers {
				b = b.whole(sign)
			}
			if best == nil || !best.within(b, sign) {
				best = b
			}
		}
	}
	return best
}

func rat(v *ordered.Value) *big.Rat {
	if v == nil {
		return nil
	}
	return v.Rat()
}

// whole is the same end for integers: the last one that is allowed.
func (b *bound) whole(sign int) *bound {
	if b.value.IsInt() {
		if !b.exclusive {
			return b
		}
		return &bound{value: new(big.Rat).Add(b.value, big.NewRat(int64(sign), 1))}
	}
	n := new(big.Int).Div(b.value.Num(), b.value.Denom()) // rounds down, since the denominator is positive
	if sign > 0 {
		n.Add(n, big.NewInt(1))
	}
	return &bound{value: new(big.Rat).SetInt(n)}
}

// within reports whether what b allows is allowed by other as well.
func (b *bound) within(other *bound, sign int) bool {
	c := b.value.Cmp(other.value) * sign
	return c > 0 || c == 0 && (b.exclusive || !other.exclusive)
}

// count is the strictest number of things under a keyword that bounds from below (sign 1) or above; nil: none.
func (f facts) count(keyword string, sign int) *big.Rat {
	var best *big.Rat
	for _, s := range f.list {
		if r := rat(s.Get(keyword)); r != nil && (best == nil || r.Cmp(best)*sign > 0) {
			best = r
		}
	}
	return best
}

// has reports whether a fact has a keyword with this very value.
func (f facts) has(keyword string, value *ordered.Value) bool {
	return slices.ContainsFunc(f.list, func(s *ordered.Value) bool { return s.Has(keyword) && s.Get(keyword).Equal(value) })
}
