package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/schema/ordered"
)

func check(t *testing.T, schema, value string, want ...string) {
	t.Helper()
	var got []string
	for _, e := range Validate(json.RawMessage(schema), json.RawMessage(value)) {
		got = append(got, e.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s by %s (-want +got)\n%s", value, schema, diff)
	}
}

func TestAllErrorsAtOnceWithRawKeys(t *testing.T) {
	const s = `{"type":"object","additionalProperties":false,"required":["to","from"],"properties":{
		"to":{"type":"array","items":{"type":"object","properties":{"email":{"type":"string"},"content-type":{"type":"integer"}}}},
		"from":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100},"mode":{"enum":["fast","full"]}}}`
	check(t, s, `{"to":[{"email":"a"},{"email":5,"content-type":"x"}],"limit":0,"mode":"slow","lmit":3}`,
		`to.1.email has to be a string, and is a number`,
		`to.1.content-type has to be an integer, and is a string`,
		`limit is 0, and has to be at least 1`,
		`mode is "slow", and has to be one of: "fast", "full"`,
		`lmit is not known (did you mean limit?); the keys here are: to, from, limit, mode`,
		`from is missing`,
	)
	check(t, s, `{"to":[],"from":"x"}`)
	check(t, s, `[]`, `the value has to be an object, and is an array`)
	check(t, s, `{"to":`, `the value is not JSON: unexpected EOF`)
}

// What is allowed is written as JSON, wherever in the schema it stands.
func TestChoicesAreJSON(t *testing.T) {
	const all = `1, 1.50, 1e21, "a", "", true, null, {"a":1}, [1,"x"]`
	enum := `{"enum":[` + all + `]}`
	for _, schema := range []string{
		enum, `{"anyOf":[` + enum + `]}`, `{"$ref":"#/$defs/E","$defs":{"E":` + enum + `}}`, `{"allOf":[{"not":{"const":9}},` + enum + `]}`,
	} {
		check(t, schema, `2`, `the value is 2, and has to be one of: `+all)
	}
	check(t, `{"properties":{"a":{"enum":["x, y"]},"b":{"enum":[1,null]}}}`, `{"a":1,"b":2}`,
		`a is 1, and has to be one of: "x, y"`, `b is 2, and has to be one of: 1, null`)
}

// The defects of the first implementation: it was lax.
func TestStrict(t *testing.T) {
	check(t, `{"type":"integer"}`, `"5"`, `the value has to be an integer, and is a string`)
	check(t, `{"type":"integer"}`, `true`, `the value has to be an integer, and is a boolean`)
	check(t, `{"type":"integer"}`, `5.0`)
	check(t, `{"type":"integer"}`, `5.5`, `the value has to be an integer, and is a number`)
	check(t, `{"type":"boolean"}`, `1`, `the value has to be a boolean, and is a number`)
	check(t, `{"type":"string","format":"date-time"}`, `"yesterday"`, `the value is "yesterday", which is not of the format date-time`)
	check(t, `{"type":"string","format":"x-unknown"}`, `"yesterday"`)
	check(t, `{"type":"string","contentEncoding":"base64"}`, `"!"`)
	check(t, `{"type":"string","pattern":"^\\d+\\/x$"}`, `"1/y"`, `the value is "1/y", which does not match the pattern ^\d+/x$`)
	check(t, `{"properties":{"a":{"type":"null"}},"required":["a"]}`, `{}`, `a is missing`)
	check(t, `{"properties":{"a":{"default":1}},"required":["a"]}`, `{}`, `a is missing`)
	check(t, `{"not":{"type":"string"}}`, `""`, `the value is what the schema excludes`)
	check(t, `false`, `1`, `the value may not be given`)
	check(t, `{"uniqueItems":true}`, `[1,1.0]`, `the value array items at indices 0 and 1 are not unique`)
	check(t, `{"propertyNames":{"pattern":"^x"}}`, `{"y":1}`, `y as a key is "y", which does not match the pattern ^x`)
	check(t, `{"if":{"properties":{"mode":{"const":"fast"}},"required":["mode"]},"then":{"properties":{"size":{"maximum":10}}}}`, `{"mode":"fast","size":11}`, `size is 11, and has to be at most 10`)
}

func TestUnions(t *testing.T) {
	const s = `{"anyOf":[{"type":"string"},{"type":"null"}]}`
	check(t, s, `5`, `the value has to be a string or null, and is a number`)
	const d = `{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind","x"]},
		{"type":"object","properties":{"kind":{"const":"b"},"y":{"type":"integer"}},"required":["kind","y"]}]}`
	check(t, d, `{"kind":"b","y":"no"}`, `y has to be an integer, and is a string`)
	check(t, d, `{"kind":"c"}`, `the value fits none of the 2 forms that are allowed: kind is "c", and not the one value that is allowed, x is missing; or kind is "c", and not the one value that is allowed, y is missing`)
	check(t, `{"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]}`, `{}`, `a is missing`)
	check(t, `{"oneOf":[{"type":"integer"},{"type":"number"},{"type":"string"}]}`, `1`, `the value fits more than one of the forms of which it has to fit one`)
}

// Field fault 43: digits survive; and numbers that would take all memory are refused before anything computes with them.
func TestNumbers(t *testing.T) {
	check(t, `{"const":1915883588174806058}`, `1915883588174806058`)
	check(t, `{"const":1915883588174806058}`, `1915883588174806000`, `the value is 1915883588174806000, and not the one value that is allowed`)
	check(t, `{"maximum":18446744073709551615}`, `18446744073709551616`, `the value is 18446744073709551616, and has to be at most 18446744073709551615`)
	check(t, `{"multipleOf":0.01}`, `0.07`)
	check(t, `{"type":"number"}`, `[1e999999999]`, `0 has an exponent over 5000`)
	check(t, `{"maximum":1e999999999}`, `5`)
}

func notes(t *testing.T, schema string) (*Document, string) {
	t.Helper()
	d, err := Read(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, n := range d.Notes {
		codes = append(codes, n.Where+" "+n.Code)
	}
	return d, strings.Join(codes, ", ")
}

func TestOldDraftsAndDialects(t *testing.T) {
	check(t, `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}`, `["a","b",3]`,
		`1 has to be an integer, and is a string`, `2 is one item too many`)
	check(t, `{"minimum":3,"exclusiveMinimum":true}`, `3`, `the value is 3, and has to be above 3`)
	check(t, `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"a":1,"c":1}`, `the value lacks keys that others of its keys need: {"a":["b"]}`, `d is missing`)
	check(t, `{"type":"string","enum":["a"],"nullable":true}`, `null`)
	check(t, `{"$ref":"#/definitions/S","nullable":true,"definitions":{"S":{"type":"string"}}}`, `null`)
	check(t, `{"properties":{"a":{"type":"string","required":true}}}`, `{}`, `a is missing`)
	check(t, `{"type":"object","properties":{"a":{"type":"any"}}}`, `{"a":1}`)
}

// Field faults 8, 34, 38, 44, 47 and their kind: nothing makes a schema unusable, and everything that is not used is named.
func TestLenient(t *testing.T) {
	for schema, want := range map[string]string{
		`null`: "", ``: "", `true`: "", `{"type":"object","required":null}`: "/required bad-keyword",
		`{"type":{"type":"string"}}`: "/type bad-keyword", `{"items":true}`: "", `{"type":"string","enum":null}`: "/enum bad-keyword",
		`{"enum":[]}`: "/enum bad-keyword", `{"type":"strng"}`: "/type bad-keyword", `[1]`: " not-a-schema",
		`{"properties":{"a":5}}`:                                          "/properties/a not-a-schema",
		`{"$ref":"#/$defs/Gone"}`:                                         "/$ref unresolved-ref",
		`{"$ref":"https://example.com/x.json"}`:                           "/$ref external-ref",
		`{"pattern":"^(?=x)"}`:                                            "/pattern unsupported-pattern",
		`{"pattern":"[\\u4e00-\\u9fa5]"}`:                                 "",
		`{"properties":{},"required":["x"]}`:                              "/required required-unknown",
		`{"type":"object","query":{"type":"string"}}`:                     "/query misplaced-key",
		`{"patternProperties":{"(?!x)":{}},"additionalProperties":false}`: "/patternProperties/(?!x) unsupported-pattern",
		`{"minLength":"3","maxLength":-1,"minimum":"1"}`:                  "/minLength bad-keyword, /maxLength bad-keyword, /minimum bad-keyword",
		`{"properties":[],"allOf":{},"anyOf":[]}`:                         "/properties bad-keyword, /allOf bad-keyword, /anyOf bad-keyword",
	} {
		if _, got := notes(t, schema); got != want {
			t.Errorf("%s: notes %q, not %q", schema, got, want)
		}
		if _, err := Compile(json.RawMessage(schema)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	check(t, `{"patternProperties":{"(?!x)":{}},"additionalProperties":false}`, `{"y":1}`)
	check(t, `{"properties":{},"required":["x"],"additionalProperties":false}`, `{}`)
	if _, err := Compile(json.RawMessage(`{`)); err == nil {
		t.Error("half a schema was read")
	}
}

// Field faults 16 to 29.
func TestReferences(t *testing.T) {
	for _, s := range []string{
		`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"string"}}}`,
		`{"$ref":"#/$defs/a%20b","$defs":{"a b":{"type":"string"}}}`,
		`{"$ref":"#/definitions/S","definitions":{"S":{"type":"string"}}}`,
		`{"$ref":"#/definitions/S","$defs":{"S":{"type":"string"}}}`,
		`{"$ref":"#S","$defs":{"x":{"$anchor":"S","type":"string"}}}`,
		`{"$id":"https://e.com/root.json","$ref":"inner.json#/$defs/S","$defs":{"x":{"$id":"inner.json","$defs":{"S":{"type":"string"}}}}}`,
		`{"$ref":"#/components/schemas/S","components":{"schemas":{"S":{"type":"string"}}}}`,
		`{"$ref":"#/properties/a","properties":{"a":{"type":"string"}}}`,
		`{"$id":"https://e.com/x","$ref":"https://e.com/x#/$defs/S","$defs":{"S":{"type":"string"}}}`,
		`{"allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"string"}}}`,
	} {
		check(t, s, `""`)
		check(t, s, `1`, `the value has to be a string, and is a number`)
	}
	tree := `{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}},"required":["name"]}`
	check(t, tree, `{"name":"a","children":[{"name":"b","children":[{"children":[]}]}]}`, `children.0.children.0.name is missing`)
	check(t, `{"$ref":"#/$defs/A","$defs":{"A":{"allOf":[{"$ref":"#/$defs/B"}]},"B":{"allOf":[{"$ref":"#/$defs/A"}]}}}`, `1`)
	check(t, `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`, `1`)
	check(t, `{"$ref":"#/$defs/S","maxLength":2,"$defs":{"S":{"type":"string"}}}`, `"abc"`, `the value has to be at most 2 characters`)
	d, codes := notes(t, `{"properties":{"a":{"$ref":"#/$defs/X"},"b":{"$ref":"#/$defs/X"},"c":{"$ref":"#/x/X"}},"$defs":{"X":{}},"x":{"X":{}}}`)
	if diff := cmp.Diff([]string{"X", "X_2"}, d.Names); diff != "" || codes != "" {
		t.Error(diff, codes)
	}
}

func TestDefaults(t *testing.T) {
	v, err := Compile(json.RawMessage(`{"allOf":[{"$ref":"#/$defs/P"}],"properties":{"limit":{"default":20},"tags":{"type":"array"},"o":{"properties":{"x":{"default":1}}}},"$defs":{"P":{"properties":{"page":{"default":1.50}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(v.Defaults(json.RawMessage(`{"o":{},"z":10000000000000000001}`))), `{"o":{},"z":10000000000000000001,"limit":20,"page":1.50}`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	for _, same := range []string{`{"limit":null,"page":0}`, `[1]`, `{`} {
		if got := string(v.Defaults(json.RawMessage(same))); got != same {
			t.Errorf("%s became %s", same, got)
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	s := json.RawMessage(`{"patternProperties":{"^a":{"type":"string","pattern":"^x"}}}`)
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if errs := Validate(s, json.RawMessage(`{"a":"y","b":1}`)); len(errs) != 1 {
				t.Error(errs)
			}
		})
	}
	group.Wait()
}

// A schema that is too large allows what is beyond the limit, and says so.
func TestTooLarge(t *testing.T) {
	deep := strings.Repeat(`{"items":`, maxDepth+50) + `{"type":"string"}` + strings.Repeat(`}`, maxDepth+50)
	if _, got := notes(t, deep); !strings.Contains(got, TooLarge) {
		t.Error(got)
	}
	var wide strings.Builder
	for i := range maxSchemas + 10 {
		fmt.Fprintf(&wide, `,"p%d":{"type":"string"}`, i)
	}
	if _, got := notes(t, `{"properties":{`+wide.String()[1:]+`}}`); !strings.Contains(got, TooLarge) {
		t.Error(got)
	}
}

func TestNearest(t *testing.T) {
	for _, c := range [][2]string{{"onwer", "owner"}, {"Owner", "owner"}, {"xyz", ""}, {"reop", "repo"}} {
		if got := Nearest(c[0], []string{"owner", "repo", "state"}); got != c[1] {
			t.Errorf("%s: %q", c[0], got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/X"}},"$defs":{"X":{"items":[{}]}}}`, `{"a":[1]}`)
	f.Add(`{"anyOf":[{"not":{}},{"nullable":true,"$ref":"#"}],"required":[1,null]}`, `null`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		v, err := Compile(json.RawMessage(schema))
		if err != nil {
			if _, bad := ordered.Parse([]byte(schema)); bad == nil && strings.TrimSpace(schema) != "" {
				t.Fatalf("a schema that is JSON was not compiled: %v", err)
			}
			return
		}
		v.Validate(json.RawMessage(value))
	})
}
