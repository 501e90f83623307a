package observed

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/schema"
)

func schemaOf(results ...string) (string, []string) {
	var s Shape
	for _, r := range results {
		s.Add(json.RawMessage(r))
	}
	out, notes := s.Schema()
	return string(out), notes
}

func TestSchema(t *testing.T) {
	for _, c := range []struct {
		name    string
		results []string
		want    string
	}{
		{"nothing was seen", nil, `{}`},
		{"a text", []string{`"a"`, `"b"`}, `{"type":"string"}`},
		{"integers", []string{`1`, `18446744073709551616`}, `{"type":"integer"}`},
		{"a fraction makes numbers of integers", []string{`1`, `1.5`, `2`}, `{"type":"number"}`},
		{"1.0 is no integer: Python reads it as a float", []string{`1.0`}, `{"type":"number"}`},
		{"null is one of the types", []string{`null`, `"a"`}, `{"type":["string","null"]}`},
		{"only null", []string{`null`}, `{"type":"null"}`},
		{"plain types make a union", []string{`true`, `"a"`, `2`}, `{"type":["boolean","integer","string"]}`},
		{"a key is required if it was always there", []string{`{"id":1,"name":"a"}`, `{"id":2}`},
			`{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}`},
		{"values are not listed", []string{`{"state":"open"}`, `{"state":"closed"}`}, `{"type":"object","properties":{"state":{"type":"string"}},"required":["state"]}`},
		{"items of all lists are merged", []string{`[{"a":1}]`, `[]`, `[{"a":null},{"a":2}]`},
			`{"type":"array","items":{"type":"object","properties":{"a":{"type":["integer","null"]}},"required":["a"]}}`},
		{"an empty list says nothing of its items", []string{`[]`}, `{"type":"array"}`},
		{"objects, lists and others make a union", []string{`{"a":1}`, `["x"]`, `"none"`, `null`},
			`{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"array","items":{"type":"string"}},{"type":["string","null"]}]}`},
		{"an empty object", []string{`{}`}, `{"type":"object"}`},
		{"keys that are dates make a mapping", []string{`{"2026-01-01":1,"2026-01-02":2.5,"2026-01-03":null}`}, `{"type":"object","additionalProperties":{"type":["number","null"]}}`},
		{"keys that are paths make a mapping, and values are merged", []string{`{"src/a.go":{"n":1},"src/b.go":{"n":2},"c/d":{}}`},
			`{"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"integer"}}}}`},
		{"two such keys are not enough", []string{`{"1":true,"2":false}`},
			`{"type":"object","properties":{"1":{"type":"boolean"},"2":{"type":"boolean"}},"required":["1","2"]}`},
		{"values of several kinds make no mapping", []string{`{"1":true,"2":"x","3":1}`},
			`{"type":"object","properties":{"1":{"type":"boolean"},"2":{"type":"string"},"3":{"type":"integer"}},"required":["1","2","3"]}`},
		{"a record of many texts is no mapping", []string{`{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":"","k":"","l":"","m":""}`},
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"e":{"type":"string"},` +
				`"f":{"type":"string"},"g":{"type":"string"},"h":{"type":"string"},"i":{"type":"string"},"j":{"type":"string"},"k":{"type":"string"},` +
				`"l":{"type":"string"},"m":{"type":"string"}},"required":["a","b","c","d","e","f","g","h","i","j","k","l","m"]}`},
		{"keys that change from object to object make a mapping", []string{`{"ann":1,"bob":2,"cy":3,"dan":4,"eve":5}`, `{"flo":1,"gus":2,"hal":3,"ida":4}`, `{"joe":1,"kim":2,"lee":3,"mia":4}`},
			`{"type":"object","additionalProperties":{"type":"integer"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, notes := schemaOf(c.results...); got != c.want || len(notes) > 0 {
				t.Errorf("\n got %s\nwant %s\nnotes %q", got, c.want, notes)
			}
		})
	}
}

// What is too much is not looked at, and said.
func TestBounds(t *testing.T) {
	var wide []string
	for i := range mostKeys + 1 {
		wide = append(wide, fmt.Sprintf(`"key%c%d":%d`, 'a'+i%26, i, i))
	}
	var places []string
	for i := range 100 {
		var inner []string
		for j := range 100 {
			inner = append(inner, fmt.Sprintf(`"f%d":1`, j))
		}
		places = append(places, fmt.Sprintf(`"g%d":{%s}`, i, strings.Join(inner, ",")))
	}
	for _, c := range []struct{ name, result, inSchema, note string }{
		{"depth", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), `{"type":"object"}`, "nested more than 24 levels"},
		{"keys", "{" + strings.Join(wide, ",") + "}", `{"type":"object","additionalProperties":{"type":"integer"}}`, ""},
		{"places", "{" + strings.Join(places, ",") + "}", `"g99":`, "more than 2000 different places"},
		{"items", "[" + strings.Repeat("1,", 5000) + `"x"]`, `{"type":"array","items":{"type":"integer"}}`, "of a list with 5001 items, the first 2000"},
		{"bytes", `"` + strings.Repeat("x", MostBytes) + `"`, `{}`, "bytes was not looked at"},
		{"JSON", `{"a":`, `{}`, "no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, notes := schemaOf(c.result)
			if c.name == "places" { // once there is no room, an object may have any keys
				if !strings.Contains(got, `{"type":"object"}`) {
					t.Errorf("%.200s", got)
				}
			} else if !strings.Contains(got, c.inSchema) {
				t.Errorf("%.200s", got)
			}
			if c.note == "" && len(notes) > 0 || c.note != "" && (len(notes) != 1 || !strings.Contains(notes[0], c.note)) {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// Every result that a schema was made of is valid by it, and the order of the results does not matter to what is required.
func TestAcceptsWhatItHasSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	keys := []string{"a", "b", "c", "2026-01-01", "x/y", "10"}
	var value func(depth int) string
	value = func(depth int) string {
		switch n := r.IntN(9); {
		case n < 5 || depth > 4:
			return []string{"null", "true", "1", "2.5", `"t"`}[r.IntN(5)]
		case n < 7:
			var items []string
			for range r.IntN(4) {
				items = append(items, value(depth+1))
			}
			return "[" + strings.Join(items, ",") + "]"
		default:
			var members []string
			for _, k := range keys {
				if r.IntN(2) == 0 {
					members = append(members, fmt.Sprintf("%q:%s", k, value(depth+1)))
				}
			}
			return "{" + strings.Join(members, ",") + "}"
		}
	}
	for range 1500 {
		var results []string
		for range 1 + r.IntN(6) {
			results = append(results, value(0))
		}
		s, _ := schemaOf(results...)
		v, err := schema.Compile(json.RawMessage(s))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range results {
			if wrong := v.Validate(json.RawMessage(x)); len(wrong) > 0 {
				t.Fatalf("%s is not valid by %s: %v", x, s, wrong)
			}
		}
		if again, _ := schemaOf(results...); again != s {
			t.Fatalf("%s, then %s", s, again)
		}
	}
}
