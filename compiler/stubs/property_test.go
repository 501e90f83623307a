package stubs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// check checks what has to hold for every tool.
func check(t *testing.T, m *Method) {
	t.Helper()
	if m.result != nil {
		wire := m.StandIn()
		if m.StandInValid() != (m.CheckResult(wire) == nil) {
			t.Errorf("%s: %s is valid or not, and says otherwise", m.Tool.OutputSchema, wire)
		}
		if back := m.ResultToWire(m.ResultToPython(wire)); string(back) != string(wire) {
			t.Errorf("%s: %s came back as %s", m.Tool.OutputSchema, wire, back)
		}
	}
	for _, lean := range []bool{false, true} {
		maker := &maker{choices: map[string]int{}, options: map[string]int{}, lean: lean}
		if arguments := maker.make(m.arguments, "", 0); arguments.Kind == ordered.Object {
			roundTrip(t, m, arguments.JSON())
		}
	}
}

// generator makes schemas that some value fits, of all kinds that stand-ins are to honour.
type generator struct {
	r    *rand.Rand
	defs int
}

var keys = []string{"a", "b", "class", "class_", "class__", "type", "from", "from_", "content-type", "int", "list", "str", "", "日本", "__x", "self", "x y", "None"}

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) object(depth int) string {
	var props, required []string
	seen := map[string]bool{}
	for range g.r.IntN(5) {
		k := g.pick(keys...)
		if seen[k] {
			continue
		}
		seen[k] = true
		q := string(ordered.NewString(k).JSON())
		sub := g.schema(depth - 1)
		props = append(props, q+":"+sub)
		if g.r.IntN(2) == 0 && !strings.Contains(sub, "$ref") {
			required = append(required, q)
		}
	}
	s := `"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(required, ",") + `]`
	switch g.r.IntN(5) {
	case 0:
		s += `,"additionalProperties":false`
	case 1:
		s += `,"additionalProperties":` + g.schema(depth-1)
	}
	return `{` + s + `}`
}

func (g *generator) schema(depth int) string {
	if depth <= 0 {
		return g.pick(`{"type":"string"}`, `{"type":"integer"}`, `{"type":"boolean"}`, `{"enum":["a",1,null]}`, `{"const":"x"}`, `{}`, `{"type":["string","null"]}`, `{"type":"number"}`)
	}
	switch g.r.IntN(19) {
	case 0:
		return fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, g.r.IntN(4), 4+g.r.IntN(4))
	case 1:
		return `{"type":"string","pattern":` + g.pick(`"^[a-z]+$"`, `"\\d{2,4}"`, `"^(a|b)*c?$"`, `"[^\\s]"`, `"^\\u0041.$"`) + `}`
	case 2:
		return `{"type":"string","format":"` + g.pick("date-time", "date", "time", "duration", "uuid", "uri", "email", "ipv4", "ipv6", "hostname", "json-pointer", "odd") + `"}`
	case 3:
		low := g.r.IntN(40) - 20
		return fmt.Sprintf(`{"type":"%s","%s":%d,"maximum":%d}`, g.pick("integer", "number"), g.pick("minimum", "exclusiveMinimum"), low, low+1+g.r.IntN(9))
	case 4:
		return `{"type":"` + g.pick("integer", "number") + `","multipleOf":` + g.pick("3", "0.5", "7") + `}`
	case 5:
		return `{"type":"array","items":` + g.schema(depth-1) + `}`
	case 6:
		return `{"type":"array","items":` + g.pick(`{"type":"integer"}`, `{"type":"string"}`, `{"enum":["a","b","c",4]}`, `{"type":"object","properties":{"class":{"type":"string"}},"required":["class"]}`) + `,"minItems":` + g.pick("0", "2", "4") + `,"uniqueItems":true}`
	case 7:
		return `{"type":"array","prefixItems":[` + g.schema(depth-1) + `,` + g.schema(depth-1) + `]` + g.pick(``, `,"items":false`, `,"items":`+g.schema(depth-1)) + `}`
	case 8:
		return `{"anyOf":[` + g.schema(depth-1) + `,` + g.schema(depth-1) + `,` + g.schema(0) + `]}`
	case 9:
		return `{"oneOf":[{"type":"null"},` + g.object(depth) + `]}`
	case 10:
		return `{"type":"object","additionalProperties":` + g.schema(depth-1) + g.pick(``, `,"minProperties":2`) + `}`
	case 11:
		return `{"allOf":[` + g.object(depth-1) + `,{"type":"object","properties":{"merged":` + g.schema(depth-1) + `}}]}`
	case 14:
		return `{"enum":[{"class":1,"a":[]},[1,"a",{"from":null}],"x",1.5]}`
	case 15:
		return `{"type":["string","null","object"],"properties":{"class":` + g.schema(depth-1) + `},"not":{"type":"` + g.pick("null", "object", "string") + `"}}`
	case 16:
		return `{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"type":` + g.schema(depth-1) + `},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"b"},"from":` + g.schema(depth-1) + `},"required":["kind"]}]}`
	case 17:
		return `{"type":"object","properties":{"a":` + g.schema(depth-1) + `},"additionalProperties":true}`
	case 12, 13:
		if g.defs > 0 {
			return fmt.Sprintf(`{"$ref":"#/$defs/D%d"}`, g.r.IntN(g.defs))
		}
	}
	return g.object(depth)
}

// document makes a schema with definitions that refer to each other.
func (g *generator) document() string {
	g.defs = g.r.IntN(4)
	var defs []string
	for i := range g.defs {
		def := g.object(2)
		if g.r.IntN(3) == 0 {
			def = fmt.Sprintf(`{"anyOf":[%s,%s,{"type":"string"}]}`, def, g.object(1))
		}
		defs = append(defs, fmt.Sprintf(`"D%d":%s`, i, def))
	}
	body := g.object(3)
	return body[:len(body)-1] + `,"$defs":{` + strings.Join(defs, ",") + `}}`
}

// impossible marks schemas that no value fits: they merge by allOf what closes itself against the other.
func impossible(s string) bool { return strings.Contains(s, `"allOf"`) }

func TestProperties(t *testing.T) {
	g := newGenerator(7)
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	invalid := 0
	for range rounds {
		in, out := g.document(), g.document()
		c := Build("x", []catalog.Tool{{Name: "t", InputSchema: json.RawMessage(in), OutputSchema: json.RawMessage(out)}})
		m := c.Tool("t")
		if !m.StandInValid() {
			if !impossible(out) {
				t.Errorf("%s\nis answered with %s: %v", out, m.StandIn(), m.CheckResult(m.StandIn()))
			}
			invalid++
		}
		check(t, m)
		// Values that know nothing of the schema, but its keys.
		for range 5 {
			v := g.value(4).JSON()
			if back := m.ResultToWire(m.ResultToPython(v)); string(back) != string(v) {
				t.Fatalf("%s\n%s came back as %s", out, v, back)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d schemas fit no value that was found", invalid, rounds)
	if invalid > rounds/20 {
		t.Error("too many")
	}
}

// Whatever a server calls its tools and a user the server, each tool has one Python name that leads back to it.
func TestNamesRoundTrip(t *testing.T) {
	g := newGenerator(5)
	parts := append([]string{"read", "-", "_", " ", "/", ".", "!", "查询", "é", "2", "ai", "media", "🚀", "__"}, keys...)
	name := func() string {
		s := ""
		for range 1 + g.r.IntN(3) {
			s += g.pick(parts...)
		}
		return s
	}
	for range 300 {
		all := map[string][]catalog.Tool{}
		for range 1 + g.r.IntN(5) {
			connector := name()
			for range 1 + g.r.IntN(8) {
				all[connector] = append(all[connector], catalog.Tool{Name: name()})
			}
		}
		attrs := map[string]string{}
		for _, c := range BuildAll(all) {
			if other, twice := attrs[c.Attr]; twice || !catalog.IsIdentifier(c.Attr) || catalog.IsKeyword(c.Attr) {
				t.Fatalf("%q and %q are both ctx.%s", other, c.Name, c.Attr)
			}
			attrs[c.Attr] = c.Name
			for _, tool := range all[c.Name] {
				m := c.Tool(tool.Name)
				if m == nil || m.Tool.Name != tool.Name || c.Method(m.Python) != m {
					t.Fatalf("%q of %q does not come back", tool.Name, c.Name)
				}
			}
		}
		if len(attrs) != len(all) {
			t.Fatalf("%d of %d connectors are left", len(attrs), len(all))
		}
	}
}

func (g *generator) value(depth int) *ordered.Value {
	switch {
	case depth > 0 && g.r.IntN(3) > 0:
		o := ordered.NewObject()
		for range g.r.IntN(6) {
			o.Set(g.pick(keys...), g.value(depth-1))
		}
		return o
	case depth > 0 && g.r.IntN(3) == 0:
		return ordered.NewArray(g.value(depth-1), g.value(depth-1))
	default:
		return ordered.NewInt(g.r.IntN(100))
	}
}

func FuzzBuild(f *testing.F) {
	g := newGenerator(1)
	for range 20 {
		f.Add(g.document(), `{"type":"object"}`, "tool-name")
	}
	f.Add(`{"anyOf":[{"$ref":"#"},{"allOf":[{"$ref":"#/anyOf/0"}]}]}`, `{"oneOf":[true,false]}`, "class")
	f.Fuzz(func(t *testing.T, in, out, name string) {
		c := Build(name, []catalog.Tool{{Name: name, Description: name, InputSchema: json.RawMessage(in), OutputSchema: json.RawMessage(out)}})
		text := c.Stub()
		m := c.Tool(name)
		if !strings.Contains(text, "def "+m.Python+"(") {
			t.Fatalf("%q has no method", name)
		}
		if _, err := schema.Read(json.RawMessage(out)); err == nil {
			check(t, m)
		}
	})
}

func newGenerator(seed uint64) *generator { return &generator{r: rand.New(rand.NewPCG(seed, 11))} }
