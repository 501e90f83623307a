package diff

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// usual are values that schemas often tell apart.
var usual = func() (list []*ordered.Value) {
	for _, text := range []string{`null`, `true`, `0`, `1`, `-1`, `0.5`, `1000000`, `"text"`, `""`, `"2026-01-31"`, `[]`, `[null]`, `[0,0]`, `{}`, `{"key":null}`} {
		v, err := ordered.Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		list = append(list, v)
	}
	return list
}()

// sized is a value of some size.
func sized(kind types, n int) []*ordered.Value {
	switch {
	case n < 0:
		return nil
	case kind == isString:
		return []*ordered.Value{ordered.NewString(strings.Repeat("x", n))}
	case kind == isArray:
		var lists []*ordered.Value
		for _, item := range usual[:10] {
			lists = append(lists, ordered.NewArray(slices.Repeat([]*ordered.Value{item}, n)...))
		}
		different := make([]*ordered.Value, n)
		for i := range different {
			different[i] = ordered.NewInt(i)
		}
		return append(lists, ordered.NewArray(different...))
	default:
		o := ordered.NewObject()
		for i := range n {
			o.Set("key_"+strconv.Itoa(i), ordered.NewInt(i))
		}
		return []*ordered.Value{o}
	}
}

// The search for an example ends after so many tries, and after so many values inside of values.
const (
	mostTries   = 300
	mostSamples = 3000
)

// example looks for a value that a allows and b does not, and that shows a finding; nil if it finds none.
func (p *prover) example(f finding, root facts, shows func(*ordered.Value) bool) *ordered.Value {
	tries := 0
	p.samples = 0
	try := func(v *ordered.Value) bool {
		if v == nil || tries >= mostTries {
			return false
		}
		tries++
		return shows(v)
	}
	if f.without != "" {
		parent := f.path[:len(f.path)-1]
		for _, lean := range []bool{true, false} {
			v := p.embed(root, parent, func(here facts) *ordered.Value {
				return without(p.sample(here, lean, 8), f.without)
			})
			if try(v) {
				return v
			}
		}
		return nil
	}
	made := func(here facts) []*ordered.Value {
		list := slices.Clone(f.candidates)
		for _, lean := range []bool{false, true} {
			list = append(list, p.sample(here, lean, 8))
		}
		if choice := here.choice(); choice != nil {
			for _, a := range choice.Items {
				list = append(list, p.sample(here.and(a, choice), true, 8))
			}
		}
		return append(list, usual...)
	}
	var list []*ordered.Value
	p.embed(root, f.path, func(here facts) *ordered.Value {
		list = made(here)
		return list[0]
	})
	for _, inner := range list {
		if v := p.embed(root, f.path, func(facts) *ordered.Value { return inner }); try(v) {
			return v
		}
	}
	return nil
}

func without(v *ordered.Value, key string) *ordered.Value {
	if !v.Is(ordered.Object) {
		v = ordered.NewObject()
	}
	out := ordered.NewObject()
	for _, m := range v.Members {
		if m.Key != key {
			out.Set(m.Key, m.Value)
		}
	}
	return out
}

// embed makes a value with another one at a path inside of it.
func (p *prover) embed(f facts, path []string, inner func(facts) *ordered.Value) *ordered.Value {
	if len(path) == 0 {
		return inner(f)
	}
	key := path[0]
	if i, err := strconv.Atoi(key); key == anyItem || err == nil && f.types()&isArray != 0 && f.types()&isObject == 0 {
		v := p.sample(f, true, 8)
		if !v.Is(ordered.Array) {
			v = ordered.NewArray()
		}
		items := slices.Clone(v.Items)
		for len(items) <= i {
			items = append(items, p.sample(f.item(len(items)), true, 8))
		}
		items[i] = p.embed(f.item(i), path[1:], inner)
		return ordered.NewArray(items...)
	}
	name := key
	for n := 0; key == anyKey && (n == 0 || f.declares(name)); n++ {
		name = fmt.Sprintf("other_%d", n)
	}
	out := without(p.sample(f, true, 8), name)
	out.Set(name, p.embed(f.at(name), path[1:], inner))
	return out
}

// sample makes a value that the facts allow, as far as it is easy: with lean, one without what is optional.
func (p *prover) sample(f facts, lean bool, depth int) *ordered.Value {
	if p.samples++; p.samples > mostSamples {
		depth = 0
	}
	var list []*ordered.Value
	if values, ok := f.listed(); ok {
		list = append(list, values[:min(len(values), 20)]...)
	}
	for _, s := range f.list {
		if d := s.Get("default"); d != nil {
			list = append(list, d)
		}
		if e := s.Get("examples"); e.Is(ordered.Array) {
			list = append(list, e.Items[:min(len(e.Items), 3)]...)
		}
	}
	t := f.types()
	if t&isObject != 0 && depth > 0 {
		list = append(list, p.object(f, lean, depth))
	}
	if t&isArray != 0 && depth > 0 {
		var items []*ordered.Value
		for i := 0; small(f.count("minItems", 1)) > i && i < 100; i++ {
			items = append(items, p.sample(f.item(i), lean, depth-1))
		}
		if len(items) == 0 && !lean {
			items = append(items, p.sample(f.item(0), lean, depth-1))
		}
		list = append(list, ordered.NewArray(items...))
	}
	if t&isString != 0 {
		list = append(list, spelled(f)...)
	}
	if t&isNumber != 0 {
		for _, sign := range []int{1, -1} {
			if b := f.bound(sign); b != nil {
				list = append(list, numeral(b.value))
			}
		}
	}
	list = append(list, usual...)
	for _, v := range list {
		if f.possible(v) {
			return v
		}
	}
	return &ordered.Value{}
}

func (p *prover) object(f facts, lean bool, depth int) *ordered.Value {
	out := ordered.NewObject()
	for _, key := range f.names() {
		if f.requires(key) || !lean && !f.at(key).never() {
			out.Set(key, p.sample(f.at(key), lean, depth-1))
		}
	}
	for _, s := range f.list {
		for _, key := range s.Get("required").Texts() {
			if !out.Has(key) {
				out.Set(key, p.sample(f.at(key), lean, depth-1))
			}
		}
	}
	return out
}

// spelled are texts of the formats and lengths that the facts ask for.
func spelled(f facts) (list []*ordered.Value) {
	for _, s := range f.list {
		if text, ok := formatted[s.Get("format").Str()]; ok {
			list = append(list, ordered.NewString(text))
		}
	}
	if n := f.count("minLength", 1); n != nil {
		list = append(list, ordered.NewString(strings.Repeat("x", small(n))))
	}
	return append(list, ordered.NewString("text"))
}

// formatted are texts of the formats that are asserted.
var formatted = map[string]string{
	"date-time": "2026-01-31T09:30:00Z", "date": "2026-01-31", "time": "09:30:00Z", "duration": "P1D", "email": "a@example.com", "hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "uuid": "12345678-1234-4234-8234-123456789abc", "json-pointer": "/a",
}

// small is a number of things, cut off where nobody counts any more.
func small(r *big.Rat) int {
	if r == nil {
		return 0
	}
	n, _ := r.Float64()
	return int(min(n, 1000))
}
