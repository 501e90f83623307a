package stubs

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/catalog"
)

var update = flag.Bool("update", false, "write the golden files anew")

// vectors are lists of tools by the name of their file. good_ says that everything is typed, degraded_ that something cannot be.
func vectors(t testing.TB) map[string][]catalog.Tool {
	t.Helper()
	files, err := filepath.Glob("testdata/vectors/*.json")
	if err != nil || len(files) < 15 {
		t.Fatal(files, err)
	}
	out := map[string][]catalog.Tool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tools []catalog.Tool
		if err := json.Unmarshal(b, &tools); err != nil {
			t.Fatal(file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, tool := range tools {
			out[name] = append(out[name], catalog.New(name, tool))
		}
	}
	return out
}

func TestGolden(t *testing.T) {
	for name, tools := range vectors(t) {
		c := Build(name, tools)
		var b strings.Builder
		b.WriteString(c.Stub())
		degraded := false
		for i, p := range c.Problems() {
			if i == 0 {
				b.WriteString("\n# Problems:\n")
			}
			fmt.Fprintf(&b, "# %s\n", oneLine(p.String()))
			degraded = degraded || p.Loss()
		}
		if want := strings.HasPrefix(name, "degraded_"); degraded != want {
			t.Errorf("%s: degraded is %v: %v", name, degraded, c.Problems())
		}
		file := "testdata/vectors/" + name + ".pyi"
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got; -update writes it)\n%s", file, diff)
		}
	}
}

// Stand-ins of all vectors are valid, and translation there and back is the identity.
func TestVectors(t *testing.T) {
	for _, tools := range vectors(t) {
		for _, m := range Build("x", tools).Methods() {
			check(t, m)
		}
	}
}

func TestStubOfSome(t *testing.T) {
	c := Build("x", vectors(t)["good_references"])
	one := c.Stub("third")
	if !strings.Contains(one, "def third(") || strings.Contains(one, "def refs(") || strings.Contains(one, "another") {
		t.Error(one)
	}
	if c.Method("nothing") != nil || c.Tool("refs").Python != "refs" {
		t.Error("methods are found by their names")
	}
}

func TestTranslateArguments(t *testing.T) {
	for _, c := range []struct{ tool, python, wire string }{
		{"class", `{"from_":"a","type_":"b","self":"c","nested":{"class_":1,"class__":2,"class___":3,"class____":4,"deep":[{"import_":{"x":{"None_":1,"other_":2}}}]}}`,
			`{"from":"a","type":"b","self":"c","nested":{"class":1,"class_":2,"class__":3,"class___":4,"deep":[{"import":{"x":{"None":1,"other_":2}}}]}}`},
		{"class", `{"from_":1915883588174806058,"list":[1.50,-0.0,1e400]}`, `{"from":1915883588174806058,"list":[1.50,-0.0,1e400]}`},
		{"class", `{"nested":5,"from_":null}`, `{"nested":5,"from":null}`},
	} {
		m := Build("x", vectors(t)["good_reserved_words"]).Tool(c.tool)
		wire, err := m.ArgumentsToWire(json.RawMessage(c.python))
		if err != nil || string(wire) != c.wire {
			t.Errorf("%s was sent as\n%s, not\n%s (%v)", c.python, wire, c.wire, err)
		}
		if back, err := m.ArgumentsToPython(wire); err != nil || string(back) != c.python {
			t.Errorf("%s came back as %s (%v)", c.python, back, err)
		}
	}
	m := Build("x", vectors(t)["good_reserved_words"]).Tool("class")
	for _, twice := range []string{`{"from":1,"from_":2}`, `{"nested":{"import":1,"deep":[{"import":1,"import_":2}]}}`} {
		if wire, err := m.ArgumentsToWire(json.RawMessage(twice)); err == nil {
			t.Errorf("%s was sent as %s", twice, wire)
		}
	}
	if got := string(m.ResultToPython(json.RawMessage(`{"type":"a","items":[{"from":1,"str":2,"extra":{"from":1}}],"from":1}`))); got != `{"type_":"a","items":[{"from_":1,"str":2,"extra":{"from":1}}],"from":1}` {
		t.Error(got)
	}
	if got := string(m.ResultToPython(json.RawMessage(`"text"`))); got != `"text"` {
		t.Error(got)
	}
	e := Build("x", vectors(t)["good_unspellable_keys"]).Tool("send-email")
	wire, err := e.ArgumentsToWire(json.RawMessage(`{"content_type":"a","StartTime_lt":"b","cik_A":"c","headers":{"content-type":"x","class_":"y"}}`))
	if err != nil || string(wire) != `{"content-type":"a","StartTime<":"b","cik_A":"c","headers":{"content-type":"x","class":"y"}}` {
		t.Error(string(wire), err)
	}
}

// Field fault 32: what has a default may be left out, whatever required says; and it is not sent in the server's place.
func TestRequiredWithDefault(t *testing.T) {
	m := Build("x", vectors(t)["good_documentation"]).Tool("documented")
	if errs := m.CheckArguments(json.RawMessage(`{}`)); errs != nil {
		t.Error(errs)
	}
	if !strings.Contains(Build("x", vectors(t)["good_documentation"]).Stub(), "limit: int = ...") {
		t.Error("limit has a default, and is required in the stub")
	}
	if errs := m.CheckArguments(json.RawMessage(`{"limit":0,"tags":[]}`)); len(errs) != 2 {
		t.Error(errs)
	}
}

func TestStandInsHonour(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"type":"string"}`, `""`}, {`{"type":"integer"}`, `1`}, {`{"type":"number"}`, `1`}, {`{"type":"boolean"}`, `false`}, {`{"type":"null"}`, `null`},
		{`{"type":["null","string"]}`, `""`}, {`{"anyOf":[{"type":"null"},{"type":"integer"}]}`, `1`}, {`{"enum":[null,"b","c"]}`, `"b"`}, {`{"const":{"a":[1]}}`, `{"a":[1]}`},
		{`{"type":"string","default":"x"}`, `"x"`}, {`{"type":"string","default":5}`, `""`}, {`{"type":"integer","minimum":10,"multipleOf":7}`, `14`},
		{`{"type":"integer","maximum":-3}`, `-3`}, {`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":1.5}`, `1.25`}, {`{"type":"integer","exclusiveMinimum":5}`, `6`},
		{`{"type":"integer","minimum":9007199254740993}`, `9007199254740993`}, {`{"type":"number","multipleOf":0.25,"minimum":0.3}`, `1`}, {`{"type":"number","multipleOf":0.3}`, `0.3`},
		{`{"type":"string","minLength":3}`, `"xxx"`}, {`{"type":"string","pattern":"^[A-Z]{2}-\\d+$"}`, `"AA-0"`}, {`{"type":"string","pattern":"^(foo|bar)$"}`, `"foo"`},
		{`{"type":"string","pattern":"^\\d{3,}$","minLength":5}`, `"00000"`}, {`{"type":"string","format":"date-time"}`, `"1970-01-01T00:00:00Z"`},
		{`{"type":"string","format":"uuid"}`, `"00000000-0000-0000-0000-000000000000"`}, {`{"type":"string","format":"email"}`, `"name@example.com"`}, {`{"type":"string","format":"uri"}`, `"https://example.com/"`},
		{`{"type":"array","items":{"type":"integer"}}`, `[1]`}, {`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`, `[1,2,3]`},
		{`{"type":"array","items":{"enum":["a","b"]},"minItems":2,"uniqueItems":true}`, `["a","b"]`}, {`{"type":"array","maxItems":0}`, `[]`}, {`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`, `["",1]`},
		{`{"type":"array","items":{"type":"integer"},"contains":{"minimum":5},"minItems":2}`, `[5,1]`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"]}`, `{"a":"","b":1}`}, {`{"type":"object","additionalProperties":{"type":"integer"},"minProperties":2}`, `{"key1":1,"key2":1}`},
		{`{"type":"object","patternProperties":{"^x-\\d$":{"type":"string"}},"additionalProperties":false,"minProperties":1}`, `{"x-0":""}`},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1.5`}, {`{"oneOf":[{"type":"number"},{"type":"integer"},{"type":"string"}]}`, `1.5`},
		{`{"type":"object","properties":{"a":{},"b":{"type":"string"}},"not":{"required":["b"]}}`, `{"a":null}`},
		{`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"maxProperties":1}`, `{"a":1}`},
		{`{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/T"},"kids":{"type":"array","items":{"$ref":"#/$defs/T"}}},"required":["kids"]}}}`, `{"v":1,"kids":[{"kids":[]}]}`},
		{`{"type":"object","properties":{"me":{"$ref":"#"},"a":{"type":"string"}}}`, `{"a":""}`},
		{`{"if":{"properties":{"k":{"const":"a"}}},"then":{"required":["z"]},"type":"object","properties":{"k":{"enum":["a","b"]},"z":{"type":"integer","minimum":3}}}`, `{"k":"a","z":3}`},
	} {
		m := Build("x", []catalog.Tool{{Name: "t", OutputSchema: json.RawMessage(c.schema)}}).Tool("t")
		if got := string(m.StandIn()); got != c.want || !m.StandInValid() {
			t.Errorf("%s is answered with %s, not %s (valid: %v)", c.schema, got, c.want, m.StandInValid())
		}
	}
	m := Build("x", []catalog.Tool{{Name: "t", OutputSchema: json.RawMessage(`false`)}}).Tool("t")
	if m.StandInValid() {
		t.Error("nothing fits false")
	}
}

func TestWorkflowTypes(t *testing.T) {
	text, problems, err := Workflow(
		json.RawMessage(`{"type":"object","properties":{"since":{"type":"string"},"class":{"type":"integer"},"filter":{"$ref":"#/$defs/Filter"},"any":{}},"required":["since"],"$defs":{"Filter":{"type":"object","properties":{"from":{"type":"string"},"content-type":{"type":"string"}}}}}`),
		json.RawMessage(`{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}},"any":{}},"required":["rows"]}`))
	want := `# Made by Runlace. Do not edit: runlace sync writes it anew.
from typing import Any, NotRequired, TypedDict

InputsFilter = TypedDict("InputsFilter", {
    "from": NotRequired[str],
    "content-type": NotRequired[str],
})

Inputs = TypedDict("Inputs", {
    "since": str,
    "class": NotRequired[int],
    "filter": NotRequired[InputsFilter],
    "any": NotRequired[Any],
})

class OutputRowsItem(TypedDict):
    n: float

class Output(TypedDict):
    rows: list[OutputRowsItem]
    any: NotRequired[object]
`
	if diff := cmp.Diff(want, text); diff != "" || err != nil || len(problems) != 2 {
		t.Error(diff, problems, err)
	}
	for _, c := range []struct{ schema, want string }{
		{`null`, "type Output = dict[str, Any]"}, {``, "type Output = dict[str, Any]"}, {`{"type":"object"}`, "class Output(TypedDict):\n    pass"},
		{`{"type":"array","items":{"type":"string"}}`, "type Output = list[str]"}, {`{"type":"object","additionalProperties":{"type":"integer"}}`, "type Output = dict[str, int]"},
		{`{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}}}}}`, "class Output(TypedDict):\n    t: NotRequired[Output]"},
		{`{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"string"}]}`, "type Output = list[Output] | str"},
		{`{"type":["object","null"],"properties":{"a":{"type":"string"}}}`, "class Output2(TypedDict):\n    a: NotRequired[str]\n\ntype Output = Output2 | None"},
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, "class Output(TypedDict, extra_items=Any):\n    a: NotRequired[str]"},
		{`{"oneOf":[{"type":"object","properties":{"a":{"const":1}}},{"type":"object","properties":{"b":{"const":1}}},{"type":"object","properties":{"c":{"const":1}}},{"type":"object","properties":{"d":{"const":1}}}]}`, "type Output = OutputA | OutputB | OutputC | OutputD"},
	} {
		got, _, err := Types(json.RawMessage(c.schema), "Output")
		if err != nil || !strings.Contains(got, c.want+"\n") {
			t.Errorf("%s: %v\n%s", c.schema, err, got)
		}
	}
	if _, _, err := Types(json.RawMessage(`{`), "Output"); err == nil {
		t.Error("half a schema has a type")
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	tools := map[string][]catalog.Tool{"my-server": {{Name: "a"}}, "my_server": {{Name: "b"}}, "ai": {{Name: "c"}}, "inputs": nil, "Any": {{Name: "x"}}}
	cs := BuildAll(tools)
	if err := Write(dir, cs); err != nil {
		t.Fatal(err)
	}
	ctx, err := os.ReadFile(filepath.Join(dir, Package, "ctx.pyi"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"    ai: Ai\n", "    ai_: _ai_.Ai\n", "    inputs_: _inputs_.Inputs\n", "    my_server: _my_server.MyServer\n", "    my_server_"} {
		if !strings.Contains(string(ctx), want) {
			t.Errorf("ctx.pyi lacks %q:\n%s", want, ctx)
		}
	}
	before, err := os.Stat(filepath.Join(dir, Package, "connectors", "Any.pyi"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, cs[:1]); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, Package, "connectors", "*"))
	if err != nil || len(left) != 2 {
		t.Error(left, err)
	}
	if after, err := os.Stat(filepath.Join(dir, Package, "connectors", "Any.pyi")); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("a file that stays the same was written")
	}
}
