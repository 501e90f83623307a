package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// What odd schemas of the field allow and refuse. Their types are tested in compiler/stubs under the same names.
func TestFieldFaults(t *testing.T) {
	for _, r := range []struct{ name, schema, fine, wrong, message string }{
		{"field-fault-2 root allOf with a condition", `{"type":"object","properties":{"mode":{"enum":["fast","full"]},"size":{"type":"integer"}},"allOf":[{"if":{"properties":{"mode":{"const":"fast"}},"required":["mode"]},"then":{"properties":{"size":{"maximum":10}}}}]}`,
			`{"mode":"full","size":11}`, `{"mode":"fast","size":11}`, "size is 11, and has to be at most 10"},
		{"field-fault-8 type that is an object", `{"properties":{"a":{"type":{"type":"string"}},"b":{"type":"string"}}}`, `{"a":1}`, `{"b":1}`, "b has to be a string"},
		{"field-fault-10 enum on the null branch", `{"properties":{"x":{"anyOf":[{"enum":["a","b"]},{"type":"null","enum":["a","b"]}]}}}`, `{"x":"a"}`, `{"x":null}`, "x "},
		{"field-fault-16 $defs", `{"properties":{"i":{"$ref":"#/$defs/Incident"}},"$defs":{"Incident":{"properties":{"id":{"type":"string"}}}}}`, `{"i":{"id":"a"}}`, `{"i":{"id":1}}`, "i.id has to be a string"},
		{"field-fault-17 nested resource", `{"properties":{"a":{"$ref":"#/$defs/O"},"b":{"$ref":"#/$defs/Gone"}},"$defs":{"O":{"$id":"https://e.com/o","properties":{"x":{"$ref":"#/$defs/I"}},"$defs":{"I":{"type":"integer"}}}}}`,
			`{"a":{"x":1},"b":[]}`, `{"a":{"x":"1"}}`, "a.x has to be an integer"},
		{"field-fault-19 recursive union", `{"properties":{"v":{"$ref":"#/$defs/J"}},"$defs":{"J":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/J"}}]}}}`, `{"v":[["a"],[]]}`, `{"v":[["a",[1]]]}`, "v"},
		{"field-fault-22 node that contains itself", `{"$ref":"#/$defs/N","$defs":{"N":{"properties":{"n":{"type":"integer"},"self":{"$ref":"#/$defs/N"}}}}}`, `{"self":{"self":{"n":1}}}`, `{"self":{"self":{"n":"x"}}}`, "self.self.n has to be"},
		{"field-fault-23 circle of allOf", `{"properties":{"n":{"$ref":"#/$defs/A"}},"required":["n"],"$defs":{"A":{"allOf":[{"$ref":"#/$defs/B"}]},"B":{"allOf":[{"$ref":"#/$defs/A"}]}}}`, `{"n":1}`, `{}`, "n is missing"},
		{"field-fault-28 escapes", `{"properties":{"a":{"$ref":"#/definitions/a~1b","maxLength":2},"b":{"$ref":"#/$defs/x%20y%7E0"}},"definitions":{"a/b":{"type":"string"}},"$defs":{"x y~":{"type":"integer"}}}`,
			`{"a":"ab","b":1}`, `{"a":"abc"}`, "a has to be at most 2 characters"},
		{"field-fault-29 nothing is fetched", `{"properties":{"n":{"$ref":"https://127.0.0.1:1/s.json"},"m":{"type":"null"}}}`, `{"n":{"any":1}}`, `{"m":1}`, "m has to be null"},
		{"field-fault-34 required is null", `{"properties":{"a":{"type":"string"}},"required":null}`, `{}`, `{"a":1}`, "a has to be a string"},
		{"field-fault-35 enum of integers", `{"properties":{"p":{"type":"integer","enum":[0,1,3]}}}`, `{"p":3.0}`, `{"p":2}`, "p is 2, and has to be one of: 0, 1, 3"},
		{"field-fault-37 mixed enum", `{"properties":{"x":{"type":["integer","string"],"enum":[1,"auto",true]}}}`, `{"x":"auto"}`, `{"x":true}`, "x has to be an integer or a string"},
		{"field-fault-38 enum is null", `{"properties":{"x":{"items":{"type":"string","enum":null}}}}`, `{"x":["a"]}`, `{"x":[1]}`, "x.0 has to be a string"},
		{"field-fault-41 const of 1.5 and enum with an object", `{"properties":{"x":{"const":1.5},"y":{"enum":[{"k":1}]}}}`, `{"x":1.50,"y":{"k":1.0}}`, `{"x":1.5,"y":{"k":2}}`, "y is {"},
		{"field-fault-44 items is true", `{"properties":{"x":{"type":"array","items":true}}}`, `{"x":[1,"a",null]}`, `{"x":{}}`, "x has to be an array"},
		{"field-fault-47 additionalProperties is false", `{"properties":{"x":{"type":"object","additionalProperties":false}}}`, `{"x":{}}`, `{"x":{"a":1}}`, "x.a is not known: there are no keys here"},
		{"field-fault-49 map of lists", `{"properties":{"x":{"additionalProperties":{"type":"array","items":{"type":"integer"}}}}}`, `{"x":{"a":[1],"b":[]}}`, `{"x":{"a":[1],"b":["c"]}}`, "x.b.0 has to be an integer"},
		{"field-fault-50 one pattern for any key", `{"patternProperties":{".*":{"type":"integer"}}}`, `{"a":1,"b":2}`, `{"a":1,"b":"2"}`, "b has to be an integer"},
		{"field-fault-52 prefixItems and not", `{"properties":{"p":{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false},"n":{"not":{"type":"null"}}}}`, `{"p":["a",1],"n":1}`, `{"n":null}`, "n is what the schema excludes"},
		{"field-fault-55 allOf", `{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`, `{"a":"x","b":"y"}`, `{"a":"x"}`, "b is missing"},
		{"field-fault-56 nullable, old tuple", `{"properties":{"y":{"type":"string","nullable":true},"z":{"items":[{"type":"string"},{"type":"number"}],"additionalItems":false}}}`, `{"y":null,"z":["a",1]}`, `{"z":["a",1,2]}`, "z.2 is one item too many"},
		{"field-fault-79 required const", `{"properties":{"kind":{"const":"and"}},"required":["kind"]}`, `{"kind":"and"}`, `{"kind":"or"}`, `kind is "or", and not the one value that is allowed`},
	} {
		t.Run(r.name, func(t *testing.T) {
			if errs := Validate(json.RawMessage(r.schema), json.RawMessage(r.fine)); errs != nil {
				t.Errorf("%s is refused: %v", r.fine, errs)
			}
			errs := Validate(json.RawMessage(r.schema), json.RawMessage(r.wrong))
			if len(errs) != 1 || !strings.HasPrefix(errs[0].String(), r.message) {
				t.Errorf("%s: %v, and not %q", r.wrong, errs, r.message)
			}
		})
	}
}
