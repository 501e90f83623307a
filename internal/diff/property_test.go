package diff

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/schema"
)

// generator makes schemas and values of a small world, so that they often have to do with each other.
type generator struct{ *rand.Rand }

func pick[T any](g generator, list ...T) T { return list[g.IntN(len(list))] }

func (g generator) key() string { return pick(g, "a", "b", "c", "ab") }

func (g generator) value(depth int) any {
	n := 10
	if depth <= 0 {
		n = 8
	}
	switch g.IntN(n) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2, 3:
		return pick(g, 0, 1, 2, 3, -1, 10)
	case 4:
		return pick(g, 0.5, 1.5, 2.0)
	case 5, 6, 7:
		return pick(g, "", "a", "b", "ab", "abc", "2026-01-31")
	case 8:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for range g.IntN(4) {
			object[g.key()] = g.value(depth - 1)
		}
		return object
	}
}

func (g generator) schema(depth int) any {
	switch g.IntN(20) {
	case 0:
		return g.IntN(3) > 0
	case 1:
		return map[string]any{"$ref": "#/$defs/" + pick(g, "P", "Q")}
	}
	s := map[string]any{}
	if g.IntN(3) > 0 {
		s["type"] = pick[any](g, "object", "array", "string", "integer", "number", "boolean", "null", "object", "object", []string{"string", "null"}, []string{"integer", "string"}, []string{"object", "null"})
	}
	for range g.IntN(4) {
		g.keyword(s, depth)
	}
	return s
}

func (g generator) schemas(depth int) map[string]any {
	m := map[string]any{}
	for range 1 + g.IntN(3) {
		m[g.key()] = g.schema(depth - 1)
	}
	return m
}

func (g generator) list(depth int) (list []any) {
	for range 1 + g.IntN(3) {
		list = append(list, g.schema(depth-1))
	}
	return list
}

func (g generator) keys() []string {
	keys := []string{}
	for _, k := range []string{"a", "b", "c"} {
		if g.IntN(2) == 0 {
			keys = append(keys, k)
		}
	}
	return keys
}

func (g generator) keyword(s map[string]any, depth int) {
	n := 20
	if depth > 0 {
		n = 42
	}
	switch g.IntN(n) {
	case 0:
		s["minimum"] = pick[any](g, 0, 1, 1.5)
	case 1:
		s["maximum"] = pick[any](g, 1, 2, 2.5)
	case 2:
		s["exclusiveMinimum"] = pick[any](g, 0, 0.5, 1)
	case 3:
		s["exclusiveMaximum"] = pick[any](g, 2, 2.5, 3)
	case 4:
		s["multipleOf"] = pick[any](g, 1, 2, 0.5)
	case 5:
		s["minLength"] = g.IntN(3)
	case 6:
		s["maxLength"] = g.IntN(4)
	case 7:
		s["pattern"] = pick(g, "^a", "b", "^a*$")
	case 8:
		s["format"] = pick(g, "date", "uri")
	case 9, 10, 11:
		s["required"] = g.keys()
	case 12, 13:
		list := []any{}
		for range 1 + g.IntN(3) {
			list = append(list, g.value(1))
		}
		s["enum"] = list
	case 14:
		s["const"] = g.value(1)
	case 15:
		s["minItems"] = g.IntN(3)
	case 16:
		s["maxItems"] = g.IntN(3)
	case 17:
		s["uniqueItems"] = true
	case 18:
		s[pick(g, "minProperties", "maxProperties")] = g.IntN(3)
	case 19:
		s["dependentRequired"] = map[string]any{g.key(): g.keys()}
	case 20, 21, 22, 23, 24:
		s["properties"] = g.schemas(depth)
	case 25:
		s["patternProperties"] = map[string]any{pick(g, "^a", "b"): g.schema(depth - 1)}
	case 26, 27:
		s["additionalProperties"] = pick(g, false, g.schema(depth-1))
	case 28:
		s["propertyNames"] = g.schema(0)
	case 29, 30:
		s["items"] = g.schema(depth - 1)
	case 31:
		s["prefixItems"] = g.list(depth)
	case 32:
		s["contains"] = g.schema(depth - 1)
	case 33, 34:
		s["anyOf"] = g.list(depth)
	case 35, 36:
		s["oneOf"] = g.list(depth)
	case 37:
		s["allOf"] = g.list(depth)
	case 38:
		s["not"] = g.schema(depth - 1)
	case 39:
		s["if"] = g.schema(depth - 1)
		s[pick(g, "then", "else")] = g.schema(depth - 1)
	case 40:
		s["dependentSchemas"] = map[string]any{g.key(): g.schema(depth - 1)}
	case 41:
		s[pick(g, "unevaluatedProperties", "unevaluatedItems")] = g.schema(0)
	}
}

// document is a schema with definitions, one of which may be recursive.
func (g generator) document(defaults bool) map[string]any {
	d, ok := g.schema(3).(map[string]any)
	if !ok {
		d = map[string]any{}
	}
	d["$defs"] = map[string]any{"P": g.schema(1), "Q": map[string]any{"type": []string{"object", "null", "integer"}, "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/Q"}, "b": g.schema(0)}}}
	if defaults {
		properties, _ := d["properties"].(map[string]any)
		if properties == nil {
			properties = g.schemas(1)
			d["properties"] = properties
		}
		for _, p := range properties {
			if p, ok := p.(map[string]any); ok && g.IntN(2) == 0 {
				p["default"] = g.value(1)
			}
		}
	}
	return d
}

// mutate returns a schema that is different in one or a few places.
func (g generator) mutate(v any, depth int) any {
	s, ok := v.(map[string]any)
	if !ok {
		return g.schema(depth)
	}
	out := map[string]any{}
	for k, x := range s {
		out[k] = x
	}
	switch g.IntN(4) {
	case 0:
		g.keyword(out, depth)
	case 1:
		for k := range out {
			if k != "$defs" {
				delete(out, k)
				break
			}
		}
	default:
		for k, x := range out {
			switch x := x.(type) {
			case map[string]any:
				switch k {
				case "properties", "patternProperties", "dependentSchemas", "$defs":
					inner := map[string]any{}
					for key, sub := range x {
						inner[key] = sub
						if g.IntN(2) == 0 {
							inner[key] = g.mutate(sub, depth-1)
						}
					}
					out[k] = inner
				case "const", "dependentRequired":
				default:
					out[k] = g.mutate(x, depth-1)
				}
			case []any:
				if k == "anyOf" || k == "oneOf" || k == "allOf" || k == "prefixItems" {
					inner := append([]any{}, x...)
					i := g.IntN(len(inner))
					inner[i] = g.mutate(inner[i], depth-1)
					out[k] = inner
				}
			}
			if g.IntN(2) == 0 {
				break
			}
		}
	}
	return out
}

// allowed are values that a schema allows, more or less, and others that are close to them.
func (g generator) allowed(raw json.RawMessage) (list []json.RawMessage) {
	d, err := read(raw)
	if err != nil {
		panic(err)
	}
	p := newProver(d, d, false)
	for _, f := range []facts{of(d, d.Root), of(d, d.Root, only[isObject]), of(d, d.Root, only[isArray])} {
		for _, lean := range []bool{true, false} {
			v := p.sample(f, lean, 5)
			list = append(list, v.JSON())
			for range 6 {
				if o, ok := v.Any().(map[string]any); ok {
					o[g.key()] = g.value(2)
					if g.IntN(3) == 0 {
						delete(o, g.key())
					}
					list = append(list, text(o))
				}
			}
		}
	}
	return list
}

func text(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// A verdict is never wrong: compatible means that no value proves the contrary, and a break has one that does.
func TestVerdictsHold(t *testing.T) {
	const pairs, values = 1200, 60
	counts := map[Verdict]int{}
	byExample, accepted := 0, 0
	for seed := range uint64(pairs) {
		g := generator{rand.New(rand.NewPCG(seed, 6))}
		defaults := seed%3 == 0
		first := g.document(defaults)
		second := any(g.document(defaults))
		if seed%4 > 0 {
			second = first
			for range 1 + g.IntN(2) {
				second = g.mutate(second, 3)
			}
		}
		before, now := text(first), text(second)
		var instances []json.RawMessage
		for range values {
			instances = append(instances, text(g.value(3)))
		}
		instances = append(instances, g.allowed(before)...)
		instances = append(instances, g.allowed(now)...)
		for part, r := range map[string]*Report{"inputs": Compare(Side{Inputs: before}, Side{Inputs: now}), "outputs": Compare(Side{Outputs: before}, Side{Outputs: now})} {
			counts[r.Verdict]++
			wide, narrow := accepting(part, before, now)
			if r.Verdict == Compatible {
				for _, v := range instances {
					if wide(v) {
						accepted++
					} else {
						continue
					}
					if !narrow(v) {
						t.Fatalf("seed %d: %s from %s to %s are called compatible, and %s is not", seed, part, before, now, v)
					}
				}
			}
			for _, x := range r.Reasons {
				if len(x.Example) == 0 {
					continue
				}
				byExample++
				if !wide(x.Example) || narrow(x.Example) {
					t.Fatalf("seed %d: %s from %s to %s: %s does not show that callers break (%s)", seed, part, before, now, x.Example, x.Message)
				}
			}
		}
	}
	t.Logf("%v, %d examples, %d values that were accepted on both sides of what is compatible", counts, byExample, accepted)
	for _, v := range []Verdict{Compatible, Unknown, Breaks} {
		if counts[v] < pairs/50 {
			t.Errorf("only %d of %d are %s, so that little was tested", counts[v], 2*pairs, v)
		}
	}
}

// accepting are what has to be wider, and what it was compared with.
func accepting(part string, before, now json.RawMessage) (wide, narrow func(json.RawMessage) bool) {
	input := func(s json.RawMessage) func(json.RawMessage) bool {
		return func(v json.RawMessage) bool {
			c, err := schema.Compile(s)
			return err == nil && strings.HasPrefix(string(v), "{") && len(c.Validate(c.Defaults(v))) == 0
		}
	}
	output := func(s json.RawMessage) func(json.RawMessage) bool {
		return func(v json.RawMessage) bool { return len(schema.Validate(s, v)) == 0 }
	}
	if part == "inputs" {
		return input(before), input(now)
	}
	return output(now), output(before)
}

// Every schema is compatible with itself, whatever it says.
func TestSameIsCompatible(t *testing.T) {
	for seed := range uint64(800) {
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		s := text(g.document(seed%2 == 0))
		side := Side{Label: "x", Inputs: s, Outputs: s}
		if r := Compare(side, side); !r.Same || r.Verdict != Compatible {
			t.Fatalf("%s: %s", s, reasons(r))
		}
	}
}

// A proof about large schemas ends.
func TestLargeSchemas(t *testing.T) {
	forms, other := []string{}, []string{}
	for i := range 60 {
		forms = append(forms, fmt.Sprintf(`{"type":"object","properties":{"k":{"const":%d},"x":{"anyOf":[{"type":"string"},{"$ref":"#"}]}},"required":["k"]}`, i))
		other = append(other, fmt.Sprintf(`{"type":"object","properties":{"k":{"const":%d},"x":{"anyOf":[{"type":"integer"},{"$ref":"#"}]}},"required":["k"]}`, 59-i))
	}
	r := outputs(`{"oneOf":[`+strings.Join(forms, ",")+`]}`, `{"oneOf":[`+strings.Join(other, ",")+`]}`)
	if r.Verdict == Compatible {
		t.Error(r.Verdict)
	}
	r = outputs(`{"anyOf":[`+strings.Join(forms, ",")+`]}`, `{"anyOf":[`+strings.Join(forms, ",")+`,{"$ref":"#"}]}`)
	t.Log(r.Verdict)
}
