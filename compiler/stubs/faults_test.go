package stubs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// faultRow is a schema of which users of tools like this reported that it breaks something, and what is right: what the stub says, and the
// problems that are reported.
type faultRow struct {
	name     string
	in, out  string
	has      []string // of the stub
	problems string   // codes, in order; no-output-schema is left out
}

const plainInput = `{"type":"object","properties":{}}`

var faultRows = []faultRow{
	{"field-fault-1 root is a union without a type word", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}]}`, ``,
		[]string{"@overload\n    def t(self, *, a: str) -> Any:", "@overload\n    def t(self, *, b: int) -> Any: ..."}, ""},
	{"field-fault-2 root allOf with a condition", `{"type":"object","properties":{"mode":{"enum":["fast","full"]},"size":{"type":"integer"}},"allOf":[{"if":{"properties":{"mode":{"const":"fast"}}},"then":{"properties":{"size":{"maximum":10}}}}]}`, ``,
		[]string{`def t(self, *, mode: Literal["fast", "full"] = ..., size: int = ...) -> Any:`}, "run-time"},
	{"field-fault-5 null input schema", `null`, ``, []string{"def t(self) -> Any:"}, "no-input-schema"},
	{"field-fault-7 type object and nothing else", `{"type":"object"}`, ``, []string{"def t(self, **extra: Any) -> Any:"}, ""},
	{"field-fault-7 no additional properties", `{"type":"object","additionalProperties":false}`, ``, []string{"def t(self) -> Any:"}, ""},
	{"field-fault-8 type that is an object, in an output schema", plainInput, `{"type":"object","properties":{"a":{"type":{"type":"string"}},"b":{"type":"string"}}}`,
		[]string{"a: NotRequired[Any]\n    b: NotRequired[str]", "-> TOutput:"}, "bad-keyword"},
	{"field-fault-8 output schema that is no schema", plainInput, `[1]`, []string{"def t(self) -> Any:"}, "not-a-schema"},
	{"field-fault-8 output schema that is no JSON", plainInput, `{"type":`, []string{"def t(self) -> Any:"}, "no-output-schema"},
	{"field-fault-10 enum on the null branch", `{"type":"object","properties":{"x":{"anyOf":[{"enum":["a","b"]},{"type":"null","enum":["a","b"]}]}}}`, ``,
		[]string{`x: Literal["a", "b"] = ...`}, "impossible"},
	{"field-fault-10 enum of texts on an array", `{"type":"object","properties":{"x":{"type":"array","enum":["a"]},"y":{"type":"string"}}}`, ``, []string{"x: Never = ..., y: str = ..."}, "impossible"},

	{"field-fault-16 $defs", `{"type":"object","properties":{"i":{"$ref":"#/$defs/Incident"}},"$defs":{"Incident":{"type":"object","properties":{"id":{"type":"string"}}}}}`, ``,
		[]string{"class Incident(TypedDict):\n    id: NotRequired[str]", "i: Incident = ..."}, ""},
	{"field-fault-17 nested $defs of a resource", plainInput, `{"type":"object","properties":{"a":{"$ref":"#/$defs/Outer"},"b":{"$ref":"#/$defs/Gone"}},"$defs":{"Outer":{"$id":"https://e.com/o","type":"object","properties":{"x":{"$ref":"#/$defs/Inner"}},"$defs":{"Inner":{"type":"integer"}}}}}`,
		[]string{"class Outer(TypedDict):\n    x: NotRequired[int]", "a: NotRequired[Outer]\n    b: NotRequired[Any]"}, "unresolved-ref"},
	{"field-fault-17 anchors and addresses", `{"$id":"https://e.com/root","type":"object","properties":{"a":{"$ref":"#Here"},"b":{"$ref":"other#/$defs/N"},"c":{"$ref":"other#In"},"d":{"$dynamicRef":"#Here"}},"$defs":{"x":{"$anchor":"Here","type":"integer"},"y":{"$id":"other","$defs":{"N":{"type":"boolean"},"M":{"$anchor":"In","type":"null"}}}}}`, ``,
		[]string{"a: int = ..., b: bool = ..., c: None = ..., d: int = ..."}, ""},
	{"field-fault-19 recursive union", `{"type":"object","properties":{"v":{"$ref":"#/$defs/JSONValue"}},"$defs":{"JSONValue":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"array","items":{"$ref":"#/$defs/JSONValue"}}]}}}`, ``,
		[]string{"type JSONValue = str | float | list[JSONValue]\n", "v: JSONValue = ..."}, ""},
	{"field-fault-19 recursive union of objects", `{"type":"object","properties":{"q":{"$ref":"#/$defs/Query"}},"$defs":{"Query":{"oneOf":[{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/Query"}}},"required":["and"]},{"type":"object","properties":{"none":{"$ref":"#/$defs/Query"}},"required":["none"]},{"type":"string"}]}}}`, ``,
		[]string{"class QueryAnd(TypedDict):\n    and_: list[Query]", "class QueryNone(TypedDict):\n    none: Query", "type Query = QueryAnd | QueryNone | str\n", "q: Query = ..."}, ""},
	{"field-fault-20 tree", plainInput, `{"$ref":"#/$defs/Tree","$defs":{"Tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["children"]}}}`,
		[]string{"class Tree(TypedDict):\n    children: list[Tree]", "-> Tree:"}, ""},
	{"field-fault-22 node that contains itself", `{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"self":{"$ref":"#/$defs/N"}}}}}`, ``,
		[]string{"class N(TypedDict):\n    self: NotRequired[N]"}, ""},
	{"field-fault-23 circle of allOf", `{"type":"object","properties":{"n":{"$ref":"#/$defs/A"}},"$defs":{"A":{"allOf":[{"$ref":"#/$defs/B"}]},"B":{"allOf":[{"$ref":"#/$defs/A"}]}}}`, ``,
		[]string{"n: object = ..."}, "circular"},
	{"field-fault-25 filter of filters", `{"type":"object","properties":{"f":{"$ref":"#/$defs/Filter"}},"$defs":{"Filter":{"anyOf":[{"type":"object","properties":{"op":{"const":"and"},"of":{"type":"array","items":{"$ref":"#/$defs/Filter"}}}},{"type":"object","properties":{"op":{"const":"eq"},"key":{"type":"string"}}}]}}}`, ``,
		[]string{"class FilterAnd(TypedDict):", "of: NotRequired[list[Filter]]", "class FilterEq(TypedDict):", "type Filter = FilterAnd | FilterEq\n"}, ""},
	{"field-fault-26 definition two levels up", `{"type":"object","properties":{"o":{"type":"object","properties":{"i":{"type":"object","properties":{"v":{"$ref":"#/properties/o/$defs/V"}}}},"$defs":{"V":{"enum":[1,2]}}}}}`, ``,
		[]string{"v: NotRequired[Literal[1, 2]]"}, ""},
	{"field-fault-28 escapes, both homes and siblings", `{"type":"object","properties":{"a":{"$ref":"#/definitions/a~1b","maxLength":5},"b":{"$ref":"#/$defs/x%20y%7E0"},"c":{"$ref":"#/definitions/Here"}},"definitions":{"a/b":{"type":"string"}},"$defs":{"x y~":{"type":"integer"},"Here":{"type":"null"}}}`, ``,
		[]string{"a: str = ..., b: int = ...", "a: (at most 5 characters)"}, "unresolved-ref"},
	{"field-fault-29 reference to an address", `{"type":"object","properties":{"n":{"$ref":"https://example.com/s.json"}}}`, ``, []string{"# Not typed in full:\n#   t input/properties/n/$ref: ", "n: object = ..."}, "external-ref"},

	{"field-fault-34 required is null", `{"type":"object","properties":{"a":{"type":"string"}},"required":null}`, ``, []string{"a: str = ..."}, "bad-keyword"},
	{"field-fault-35 enum of integers", `{"type":"object","properties":{"phases":{"type":"integer","enum":[0,1,3]}}}`, ``, []string{"phases: Literal[0, 1, 3] = ..."}, ""},
	{"field-fault-37 mixed enum", `{"type":"object","properties":{"x":{"type":["integer","string"],"enum":[1,"auto",true,null]}}}`, ``, []string{`x: Literal[1, "auto"] = ...`}, ""},
	{"field-fault-38 enum is null", `{"type":"object","properties":{"x":{"type":"array","items":{"type":"string","enum":null}}}}`, ``, []string{"x: list[str] = ..."}, "bad-keyword"},
	{"field-fault-40 enum", `{"type":"object","properties":{"unit":{"type":"string","enum":["mm","cm","m"],"default":"mm"}}}`, ``, []string{`unit: Literal["mm", "cm", "m"] = ...`, `unit: (default "mm")`}, ""},
	{"field-fault-41 what Literal cannot hold", `{"type":"object","properties":{"x":{"const":1.5},"y":{"enum":["a",{"k":1},[1],2.5,null]},"z":{"const":{"k":[]}},"u":{"const":true}}}`, ``,
		[]string{"x: float = ...", `y: Literal["a"] | TY | list[Literal[1]] | float | None = ...`, "class TZ(TypedDict):\n    k: list[Never]", "u: Literal[True] = ...", "x: (one of 1.5)"}, ""},
	{"field-fault-44 items is true", `{"type":"object","properties":{"x":{"type":"array","items":true}}}`, ``, []string{"x: list[Any] = ..."}, "no-type"},
	{"field-fault-46 items", `{"type":"object","properties":{"x":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}}}}`, `{"type":"array","items":{"type":"integer"}}`,
		[]string{"class TXItem(TypedDict):\n    a: NotRequired[str]\n    b: NotRequired[int]", "x: list[TXItem] = ...", "-> list[int]:"}, ""},
	{"field-fault-47 additionalProperties is false", `{"type":"object","properties":{"x":{"type":"object","additionalProperties":false},"y":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}}`, ``,
		[]string{"class TX(TypedDict):\n    pass", "class TY(TypedDict):\n    a: NotRequired[str]"}, ""},
	{"field-fault-47 booleans everywhere", `{"type":"object","properties":{"a":true,"b":false,"c":{"anyOf":[{"type":"string"},false]},"d":{"allOf":[{"type":"string"},true]},"e":{"type":"array","prefixItems":[true,{"type":"string"}],"items":false,"contains":true},"f":{"type":"object","propertyNames":true,"patternProperties":{"^x":false},"unevaluatedProperties":false},"g":{"not":true},"h":{"not":false,"type":"string"},"i":{"if":true,"then":false,"else":true,"type":"string"},"j":{"type":"object","dependentSchemas":{"a":false}}},"additionalProperties":false,"$defs":{"T":true}}`, ``,
		[]string{"a: object = ...", "b: Never = ...", "c: str = ...", "d: str = ...", "g: Never = ...", "h: str = ..."}, "any"},

	{"field-fault-49 map of lists", `{"type":"object","properties":{"x":{"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}}}}`, ``, []string{"x: dict[str, list[int]] = ..."}, ""},
	{"field-fault-50 one pattern for any key", `{"type":"object","patternProperties":{".*":{"type":["string","integer"]}}}`, ``, []string{"def t(self, **extra: str | int) -> Any:"}, ""},
	{"field-fault-50 declared and further keys", plainInput, `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":{"type":"integer"}}`,
		[]string{"class TOutput(TypedDict, extra_items=int):\n    id: str"}, ""},
	{"field-fault-50 declared and any further keys", `{"type":"object","properties":{"x":{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":true}}}`, ``,
		[]string{"class TX(TypedDict, extra_items=Any):\n    id: NotRequired[str]", "x: TX = ..."}, ""},
	{"field-fault-52 keywords that no type says", `{"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]},"n":{"type":["string","null"],"not":{"type":"null"}},"m":{"type":"string","not":{"pattern":"^x"}},"c":{"type":"string","contentEncoding":"base64","deprecated":true},"k":{"type":"object","properties":{"a":{"type":"string"}},"dependentRequired":{"a":["b"]}}}}`, ``,
		[]string{"p: list[str | int] = ...", "n: str = ...", "m: str = ...", "c: str = ...", "c: (deprecated)"}, "run-time run-time run-time"},
	{"field-fault-53 title and description at the root", `{"title":"MyTool","description":"d","type":"object","properties":{"a":{"type":"string"}}}`, ``, []string{"def t(self, *, a: str = ...) -> Any:"}, ""},
	{"field-fault-55 union that shares a field", `{"type":"object","properties":{"x":{"oneOf":[{"type":"object","properties":{"s":{"type":"string"},"a":{"type":"integer"}},"required":["a"]},{"type":"object","properties":{"s":{"type":"string"},"b":{"type":"boolean"}},"required":["b"]}]}}}`, ``,
		[]string{"class TXA(TypedDict):\n    s: NotRequired[str]\n    a: int", "class TXB(TypedDict):\n    s: NotRequired[str]\n    b: bool", "x: TXA | TXB = ..."}, ""},
	{"field-fault-55 allOf merged, with a conflict", `{"type":"object","properties":{"y":{"allOf":[{"type":"object","properties":{"a":{"type":"string"},"c":{"type":"string"},"d":{"type":"number"}}},{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"d":{"type":"integer","minimum":1}},"required":["b"]}]}}}`, ``,
		[]string{"class TY(TypedDict):\n    a: NotRequired[Never]\n    c: NotRequired[str]\n    d: NotRequired[int]  # at least 1\n    b: str"}, "impossible"},
	{"field-fault-55 one key or the other", `{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"oneOf":[{"required":["id"]},{"required":["name"]}]}`, ``,
		[]string{"@overload\n    def t(self, *, id: int, name: str = ...) -> Any:", "@overload\n    def t(self, *, name: str, id: int = ...) -> Any: ..."}, "run-time"},
	{"field-fault-56 control characters, nullable and old tuples", `{"type":"object","properties":{"x":{"enum":["a\nb","\u2028","\u0000"]},"y":{"type":"string","nullable":true},"z":{"type":"array","items":[{"type":"string"},{"type":"number"}],"additionalItems":false}}}`, ``,
		[]string{`x: Literal["a\nb", "\u2028", "\x00"] = ...`, "y: str | None = ...", "z: list[str | float] = ..."}, "run-time"},
	{"field-fault-58 only a name", ``, ``, []string{"def t(self) -> Any:"}, "no-input-schema"},

	{"field-fault-79 required const", `{"type":"object","properties":{"k":{"type":"object","properties":{"kind":{"const":"and"}},"required":["kind"]}}}`, ``, []string{"class TK(TypedDict):\n    kind: Literal[\"and\"]\n"}, ""},
	{"field-fault-80 fields called as builtins", `{"type":"object","properties":{"o":{"type":"object","properties":{"int":{"type":"integer"},"list":{"type":"array","items":{"type":"integer"}},"str":{"type":"string"},"n":{"type":"integer"}}}}}`, ``,
		[]string{"import builtins as _builtins", "list: NotRequired[_builtins.list[_builtins.int]]", "n: NotRequired[_builtins.int]"}, ""},
	{"field-fault-82 reference to an enum with a default", `{"type":"object","properties":{"e":{"allOf":[{"$ref":"#/$defs/E"}],"default":"a"}},"$defs":{"E":{"enum":["a","b"],"title":"E"}}}`, ``,
		[]string{`e: Literal["a", "b"] = ...`, `e: (default "a")`}, ""},
	{"field-fault-83 field called as its type", `{"type":"object","properties":{"Condition":{"$ref":"#/$defs/Condition"}},"$defs":{"Condition":{"type":"object","properties":{"Condition":{"$ref":"#/$defs/Condition"},"Later":{"$ref":"#/$defs/Later"}}},"Later":{"type":"object","properties":{"l":{"type":"string"}}}}}`, ``,
		[]string{"Condition = TypedDict(\"Condition\", {\n    \"Condition\": NotRequired[Condition],", "Condition: Condition = ..."}, ""},
}

func (r faultRow) tool(name string) catalog.Tool {
	return catalog.Tool{Name: name, InputSchema: json.RawMessage(r.in), OutputSchema: json.RawMessage(r.out)}
}

// faultTools are the tools of all rows, for the checker.
func faultTools() []catalog.Tool {
	var tools []catalog.Tool
	for i, r := range faultRows {
		tools = append(tools, r.tool(fmt.Sprintf("row-%d", i)))
	}
	return tools
}

func TestFieldFaults(t *testing.T) {
	for _, r := range faultRows {
		t.Run(r.name, func(t *testing.T) {
			c := Build("x", []catalog.Tool{{Name: "a", InputSchema: json.RawMessage(plainInput)}, r.tool("t")})
			stub := c.Stub()
			if !strings.Contains(stub, "def a(self)") {
				t.Error("the tool beside it is lost")
			}
			oneLine := strings.Join(strings.Fields(strings.ReplaceAll(stub, ",\n", ", ")), " ")
			for _, want := range r.has {
				if !strings.Contains(stub, want) && !strings.Contains(oneLine, want) {
					t.Errorf("the stub lacks %q:\n%s", want, stub)
				}
			}
			var codes []string
			for _, p := range c.Tool("t").Problems() {
				if p.Code != "no-output-schema" || r.problems == "no-output-schema" {
					codes = append(codes, p.Code)
				}
				if p.Message == "" || p.Tool != "t" {
					t.Errorf("a problem without a reason: %+v", p)
				}
			}
			if got := strings.Join(codes, " "); got != r.problems && r.problems != "any" {
				t.Errorf("problems: %s, not %s", c.Tool("t").Problems(), r.problems)
			}
			check(t, c.Tool("t"))
		})
	}
}

func TestFieldFault4_a_tool_without_input_schema(t *testing.T) {
	var tools []catalog.Tool
	if err := json.Unmarshal([]byte(`[{"name":"plain","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},{"name":"bare"}]`), &tools); err != nil {
		t.Fatal(err)
	}
	c := Build("x", tools)
	if len(c.Methods()) != 2 || !strings.Contains(c.Stub(), "def bare(self) -> Any:") || !strings.Contains(c.Stub(), "def plain(self, *, a: str = ...)") {
		t.Error(c.Stub())
	}
	if errs := c.Tool("bare").CheckArguments(json.RawMessage(`{}`)); errs != nil {
		t.Error(errs)
	}
}

func TestFieldFault11_60_kB_of_schema(t *testing.T) {
	var tools []catalog.Tool
	for i := range 9 {
		var props []string
		for j := range 150 {
			props = append(props, fmt.Sprintf(`"field_%d":{"type":"object","properties":{"value_%d":{"type":"string","maxLength":%d}}}`, j, i*1000+j, j+1))
		}
		tools = append(tools, catalog.Tool{Name: fmt.Sprintf("tool_%d", i), InputSchema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + `}}`)})
	}
	c := Build("x", tools)
	for _, m := range c.Methods() {
		if len(m.Parameters()) != 150 || slices.ContainsFunc(m.Problems(), Problem.Loss) {
			t.Errorf("%s: %d parameters, %v", m.Python, len(m.Parameters()), m.Problems())
		}
	}
	if text := c.Stub(); strings.Contains(text, "Json") || strings.Count(text, "class ") != 9*150+1 {
		t.Error("types are missing")
	}
}

func TestFieldFault13_equal_shapes_are_written_once(t *testing.T) {
	var fields []string
	for i := range 300 {
		fields = append(fields, fmt.Sprintf(`"field_%d":{"type":"object","properties":{"id":{"type":"string"},"labels_%d":{"type":"array","items":{"type":"string"}}},"required":["id"]}`, i, i))
	}
	shape := `{"type":"object","properties":{"data":{"type":"object","properties":{` + strings.Join(fields, ",") + `}}},"required":["data"]}`
	var tools []catalog.Tool
	for i := range 240 {
		tools = append(tools, catalog.Tool{Name: fmt.Sprintf("tool_%d", i), InputSchema: json.RawMessage(plainInput), OutputSchema: json.RawMessage(shape)})
	}
	text := Build("x", tools).Stub()
	if n := strings.Count(text, "class "); n != 303 {
		t.Errorf("%d classes, not 300 for the fields, one for data, one for the result and the connector's", n)
	}
	if size := 240 * len(shape); len(text) > size/30 {
		t.Errorf("%d bytes of stub for %d bytes of schema", len(text), size)
	}
}

func TestFieldFault14_a_huge_type_is_cut(t *testing.T) {
	var fields []string
	for i := range 5000 {
		fields = append(fields, fmt.Sprintf(`"field_%d":{"type":"object","properties":{"v":{"type":"string"},"w_%d":{"type":"array","items":{"type":"integer"}}},"required":["v"]}`, i, i))
	}
	huge := `{"type":"object","properties":{` + strings.Join(fields, ",") + `},"additionalProperties":false}`
	c := Build("x", []catalog.Tool{
		{Name: "argument", InputSchema: json.RawMessage(`{"type":"object","properties":{"small":{"type":"string"},"huge":` + huge + `},"required":["small"]}`), OutputSchema: json.RawMessage(huge)},
		{Name: "root", InputSchema: json.RawMessage(huge)},
	})
	text := c.Stub()
	for _, want := range []string{"\ntype Json = Any  # any JSON value", "small: str, huge: Json = ...", "-> Json:", "**extra: Json,"} {
		if !strings.Contains(text, want) {
			t.Errorf("the stub lacks %q", want)
		}
	}
	if len(text) > 150_000 {
		t.Errorf("%d bytes of stub", len(text))
	}
	for _, m := range c.Methods() {
		if !slices.ContainsFunc(m.Problems(), func(p Problem) bool { return p.Code == schema.TooLarge }) {
			t.Errorf("%s: nothing is said: %v", m.Python, m.Problems())
		}
	}
	// What no type says any more is checked when the tool is called.
	m := c.Tool("argument")
	for arguments, want := range map[string]string{
		`{"small":"a","huge":{"field_4999":{"v":"x"}}}`: "",
		`{"small":"a","huge":{"field_4999":{"v":5}}}`:   "huge.field_4999.v has to be a string, and is a number",
		`{"small":"a","huge":{"field_x":{"v":"x"}}}`:    "huge.field_x is not known (did you mean field_0?)",
	} {
		errs := m.CheckArguments(json.RawMessage(arguments))
		if want == "" && errs != nil || want != "" && (len(errs) != 1 || !strings.HasPrefix(errs[0].String(), want)) {
			t.Errorf("%s: %v", arguments, errs)
		}
	}
	if errs := c.Tool("root").CheckArguments(json.RawMessage(`{"field_4999":{"v":5}}`)); len(errs) != 1 || errs[0].Field != "field_4999.v" {
		t.Error(errs)
	}
	if s := c.Stats(); s.Reasons[schema.TooLarge] == 0 {
		t.Error(s)
	}
}

// awkward are descriptions that must not end the text that they are written in, or change what is seen. The checker reads them in [TestPyright].
var awkward = []string{`say "hi"`, `""""`, `"""`, `\`, `a\"""`, `a\\"`, "a\x00b", "\u202eabc", "a\r\nb\rc", "\u2028", "tab\there", `\N{BULLET}`, "x\\", `"`, "'''", "# pyright: basic", "\ufeff", strings.Repeat(`"`, 9), `\"`, `\\\"`, "a\n\""}

func awkwardTools() []catalog.Tool {
	var tools []catalog.Tool
	for i, text := range awkward {
		said := string(ordered.NewString(text).JSON())
		fields := fmt.Sprintf(`{"type":"object","description":%s,"properties":{"b":{"description":%[1]s,"default":%[1]s,"enum":[%[1]s,1]},"c":{"pattern":%[1]s,"type":"string"}}}`, said)
		tools = append(tools, catalog.Tool{Name: fmt.Sprintf("awkward-%d", i), Description: text, InputSchema: json.RawMessage(`{"type":"object","properties":{"a":` + fields + `,"z":` + fields + `}}`), OutputSchema: json.RawMessage(fields)})
	}
	return tools
}

func TestFieldFault77_descriptions(t *testing.T) {
	for i, tool := range awkwardTools() {
		for _, line := range strings.Split(Build("x", []catalog.Tool{tool}).Stub(), "\n") {
			if strings.ContainsAny(line, "\x00\r\u2028\u202e\ufeff") {
				t.Errorf("%q is written as it is: %q", awkward[i], line)
			}
		}
	}
}

// Types that were learned from answers are marked, change no keys, and refuse nothing.
func TestObserved(t *testing.T) {
	observed := json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"class":{"type":"string"}},"required":["id"]}`)
	c := Build("x", []catalog.Tool{
		{Name: "learned", InputSchema: json.RawMessage(plainInput), Observed: observed},
		{Name: "declared", InputSchema: json.RawMessage(plainInput), OutputSchema: json.RawMessage(`{"type":"string"}`), Observed: observed},
		{Name: "unknown", InputSchema: json.RawMessage(plainInput)},
	})
	want := `class X:
    def declared(self) -> str:
        """
        declared

        (risk: side_effect)
        """

    def learned(self) -> LearnedOutput:
        """
        learned

        Returns what the tool was observed to answer. The server does not declare it, and nothing is checked by it.

        (risk: side_effect)
        """

    def unknown(self) -> Any:
`
	if !strings.Contains(c.Stub(), want) || !strings.Contains(c.Stub(), "LearnedOutput = TypedDict(\"LearnedOutput\", {\n    \"id\": int,\n    \"class\": NotRequired[str],\n})") {
		t.Error(cmp.Diff(want, c.Stub()))
	}
	m := c.Tool("learned")
	if errs := m.CheckResult(json.RawMessage(`"something else"`)); errs != nil {
		t.Error(errs)
	}
	if got := string(m.ResultToPython(json.RawMessage(`{"id":1,"class":"a"}`))); got != `{"id":1,"class":"a"}` {
		t.Errorf("a workflow that was written before reads other keys: %s", got)
	}
	if got := string(m.StandIn()); got != `{"id":1,"class":""}` {
		t.Error(got)
	}
	if s := c.Stats(); s.ResultsObserved != 1 || s.NoOutputSchema != 2 || s.Results != 1 {
		t.Error(s)
	}
	before, after := catalog.Tool{Name: "t"}, catalog.Tool{Name: "t", Observed: observed}
	if catalog.Digest(before) != catalog.Digest(after) {
		t.Error("learning is no drift")
	}
}
