package catalog

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Field faults 112 and 113: the four defaults.
func TestEffectiveHints(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		a    Annotations
		want Hints
		risk Risk
	}{
		{Annotations{}, Hints{false, true, false, true}, SideEffect},
		{Annotations{ReadOnlyHint: &yes}, Hints{true, true, false, true}, ReadOnly},
		{Annotations{ReadOnlyHint: &no, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &no}, Hints{false, false, true, false}, SideEffect},
		{Annotations{DestructiveHint: &no}, Hints{false, false, false, true}, SideEffect},
	} {
		if got := c.a.Effective(); got != c.want || RiskOf(c.a) != c.risk {
			t.Errorf("%+v: %+v, %s", c.a, got, RiskOf(c.a))
		}
	}
}

// Only the server's own hint makes a tool read-only, and the owner's policy may say otherwise (internal/policy); a name never does.
func TestFieldFault115_names_never_decide(t *testing.T) {
	yes := true
	for _, name := range []string{"get_everything", "get_and_delete", "list", "search", "read_file"} {
		if tool := New("x", Tool{Name: name}); tool.Risk != SideEffect || tool.Connector != "x" || tool.Digest == "" {
			t.Errorf("%+v", tool)
		}
		if tool := New("x", Tool{Name: name, Annotations: Annotations{DestructiveHint: &yes}}); tool.Risk != SideEffect {
			t.Errorf("%+v", tool)
		}
	}
	if Stricter(ReadOnly, SideEffect) != SideEffect || Stricter(SideEffect, ReadOnly) != SideEffect || Stricter(ReadOnly, ReadOnly) != ReadOnly {
		t.Error("the stricter of two risks is to act")
	}
}

func TestIdentifier(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		wire, want string
	}{
		{Method, "get-sum", "get_sum"}, {Method, "2cool", "n2cool"}, {Method, "class", "class_"}, {Method, "__init__", "init"}, {Method, "type", "type_"},
		{Method, "API-post.search", "API_post_search"}, {Method, "查询", "查询"}, {Method, "café", "café"}, {Method, "a--b", "a_b"}, {Method, "a__b", "a__b"},
		{Method, "print", "print"}, {Method, "🚀", "tool_" + suffix("🚀", 6)}, {Method, "", "tool_" + suffix("", 6)}, {Method, "ﬁnd", "find"}, {Method, "ai", "ai"},
		{Connector, "Google Sheets", "Google_Sheets"}, {Connector, "ai", "ai_"}, {Connector, "inputs", "inputs_"}, {Connector, "my.server", "my_server"}, {Connector, "---", "connector_" + suffix("---", 6)},
		{Parameter, "from", "from_"}, {Parameter, "cik-A", "cik_A"}, {Parameter, "self", "self"}, {Parameter, "name", "name"}, {Parameter, "_meta", "_meta"}, {Parameter, "_", "_"},
		{Parameter, "__typename", "typename"}, {Parameter, "$filter", "filter"}, {Parameter, "@odata.type", "odata_type"}, {Parameter, "StartTime<", "StartTime_lt"},
		{Parameter, "+1", "plus_1"}, {Parameter, "-1", "n1"}, {Parameter, "match", "match_"}, {Parameter, "None", "None_"}, {Parameter, "日本", "日本"},
	} {
		if got := Identifier(c.kind, c.wire); got != c.want {
			t.Errorf("%q is called %q, not %q", c.wire, got, c.want)
		}
	}
	if long := strings.Repeat("x", 500); Identifier(Method, long) != long {
		t.Error("a long name was cut")
	}
}

// Field faults 64, 67 and 68.
func TestCollisions(t *testing.T) {
	n := NewNames(Method, []string{"read-only", "read_only", "a b", "a-b", "class", "class_", "工具!", "工具?", "!", "?"})
	if n.Python("read_only") != "read_only" || n.Python("class_") != "class_" {
		t.Error("an exact name was not kept")
	}
	for _, c := range [][2]string{{"read-only", "read_only_"}, {"a b", "a_b_"}, {"a-b", "a_b_"}, {"class", "class_"}, {"工具!", "工具_"}, {"工具?", "工具_"}} {
		if got := n.Python(c[0]); got != c[1]+suffix(c[0], 4) {
			t.Errorf("%s is called %s", c[0], got)
		}
	}
	if diff := cmp.Diff([]string{"a b", "a-b", "class", "read-only", "工具!", "工具?"}, n.Collided()); diff != "" {
		t.Error(diff)
	}
	if w, ok := n.Resolve("read_only"); !ok || w != "read_only" {
		t.Error("the name on the wire goes first")
	}
	if w, ok := n.Resolve(n.Python("read-only")); !ok || w != "read-only" {
		t.Error(w)
	}
}

// One to one, independent of the order, and every name can be written in Python.
func TestNamesProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("abAB_-. /12<>+éß日🚀\u0301ﬁ")
	words := []string{"class", "type", "from", "match", "ai", "inputs", "_", "__x", ""}
	for range 2000 {
		var wires []string
		for range 1 + r.IntN(12) {
			w := words[r.IntN(len(words))]
			for range r.IntN(5) {
				w += string(alphabet[r.IntN(len(alphabet))])
			}
			wires = append(wires, w)
		}
		kind := Kind(r.IntN(3))
		n := NewNames(kind, wires)
		r.Shuffle(len(wires), func(i, j int) { wires[i], wires[j] = wires[j], wires[i] })
		again := NewNames(kind, wires)
		seen := map[string]string{}
		for _, w := range wires {
			p := n.Python(w)
			if other, twice := seen[p]; twice && other != w {
				t.Fatalf("%q and %q are both %s", other, w, p)
			}
			seen[p] = w
			if back, ok := n.Wire(p); !ok || back != w || again.Python(w) != p {
				t.Fatalf("%q is %s, which is %q, %s", w, p, back, again.Python(w))
			}
			if !IsIdentifier(p) || IsKeyword(p) || strings.HasPrefix(p, "__") || kind != Parameter && p[0] == '_' {
				t.Fatalf("%q is called %q", w, p)
			}
			if kind == Connector && slices.Contains(taken, p) {
				t.Fatalf("%q is called %q", w, p)
			}
		}
	}
}

func tool(in, out string) Tool {
	return New("c", Tool{Name: "t", InputSchema: json.RawMessage(in), OutputSchema: json.RawMessage(out)})
}

func TestDigestIgnoresWording(t *testing.T) {
	base := tool(`{"type":"object","title":"A","properties":{"description":{"type":"string","description":"x","examples":["a"]},"n":{"enum":[1,2]}},"required":["a","b"]}`, ``)
	for _, same := range []string{
		`{"required":["b","a"],"properties":{"n":{"enum":[2,1.0],"$comment":"z"},"description":{"description":"y","type":"string"}},"type":"object","description":"B"}`,
	} {
		if tool(same, ``).Digest != base.Digest {
			t.Errorf("%s has another digest", same)
		}
	}
	for _, other := range []string{
		`{"type":"object","properties":{"n":{"enum":[1,2]}},"required":["a","b"]}`, // the property called description
		`{"type":"object","properties":{"description":{"type":"string"},"n":{"enum":[1,2,3]}},"required":["a","b"]}`,
		`{"type":"object","properties":{"description":{"type":"string"},"n":{"enum":[1,2],"default":1}},"required":["a","b"]}`,
	} {
		if tool(other, ``).Digest == base.Digest {
			t.Errorf("%s has the same digest", other)
		}
	}
	if tool(``, `null`).Digest != tool(`null`, ``).Digest {
		t.Error("a missing schema and null are the same")
	}
	if tool(`{"a`, ``).Digest == tool(`{"b`, ``).Digest {
		t.Error("what is no JSON has a digest too")
	}
	yes, no := true, false
	reads := Tool{Name: "t", Annotations: Annotations{ReadOnlyHint: &yes, Title: "A"}}
	acts := Tool{Name: "t", Annotations: Annotations{ReadOnlyHint: &no, Title: "B"}}
	if Digest(reads) == Digest(acts) || Digest(acts) != Digest(Tool{Name: "t"}) {
		t.Error("the effective hints are in the digest, and their title is not")
	}
}

func TestDiffIsReadable(t *testing.T) {
	yes := true
	was := tool(`{"type":"object","properties":{"owner":{"type":"string"},"page":{"type":"integer","maximum":100},"state":{"enum":["open","closed"]},"old":{"type":"string"},
		"filter":{"type":"object","properties":{"a":{"type":"string"}}}},"required":["owner"]}`, `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}}}}}}`)
	was.Annotations.ReadOnlyHint = &yes
	now := tool(`{"type":"object","properties":{"owner":{"type":"string"},"page":{"type":"number","maximum":50},"state":{"enum":["open","all"]},"repo":{"type":"string"},"sort":{"type":"string"},
		"filter":{"type":"object","properties":{"a":{"type":"integer"}}}},"required":["repo","page"]}`, `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}}}}}}`)
	var got []string
	for _, c := range Diff(was, now) {
		got = append(got, c.String())
	}
	want := []string{
		"turns from read-only to acting",
		"parameter `page`: maximum was 100, is now 50", "parameter `page`: type was \"integer\", is now \"number\"",
		"parameter `state`: allowed value \"closed\" is gone", "parameter `state`: allowed value \"all\" is new",
		"parameter `old` is gone", "parameter `filter.a`: type was \"string\", is now \"integer\"",
		"parameter `repo` is new and required: string", "parameter `sort` is new: string",
		"parameter `owner` became optional", "parameter `page` became required",
		"result `items[].id`: type was \"integer\", is now \"string\"",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d := Diff(was, was); d != nil {
		t.Error(d)
	}
	if d := Diff(tool(`{}`, ``), tool(`{}`, `{"type":"object"}`)); len(d) != 1 || d[0].String() != "the result has a schema now" {
		t.Error(d)
	}
}

// A change says where it is, and what stood there and stands there now, for programs.
func TestDiffForPrograms(t *testing.T) {
	yes, no := true, false
	was := tool(`{"type":"object","properties":{"a/b":{"type":"string"},"limit":{"type":"integer"}}}`, ``)
	now := tool(`{"type":"object","properties":{"a/b":{"type":["string","null"]},"limit":{"type":"integer"}},"required":["limit"]}`, ``)
	was.Annotations, now.Annotations = Annotations{ReadOnlyHint: &yes}, Annotations{ReadOnlyHint: &no}
	got, err := json.Marshal(Diff(was, now))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"where":"hints","pointer":"/annotations/readOnlyHint","what":"turns from read-only to acting","before":true,"now":false},` +
		`{"where":"arguments.a/b","pointer":"/inputSchema/properties/a~1b/type","what":"type was \"string\", is now [\"null\",\"string\"]","before":"string","now":["null","string"]},` +
		`{"where":"arguments.limit","pointer":"/inputSchema/required","what":"became required","before":false,"now":true}]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// Whenever digests differ there is something to say.
func TestDiffSaysSomething(t *testing.T) {
	schemas := []string{``, `{}`, `true`, `{"type":"object"}`, `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"null"}]}`, `{"required":["a"]}`, `{"properties":{"a":{}}}`,
		`{"properties":{"a":{}},"required":["a"]}`, `{"properties":{"a":{}},"required":["b"]}`, `{"items":true}`, `{"items":{}}`, `{"$defs":{"a":{}}}`, `{"$defs":{"a":{"type":"string"}}}`, `{"x":1}`, `{"enum":[1]}`, `{"enum":[1,2]}`, `{"const":1}`}
	for _, a := range schemas {
		for _, b := range schemas {
			x, y := tool(a, ``), tool(b, ``)
			if (x.Digest != y.Digest) != (len(Diff(x, y)) > 0) {
				t.Errorf("%s and %s: %v", a, b, Diff(x, y))
			}
		}
	}
}

func TestCompare(t *testing.T) {
	a, b, c := tool(`{}`, ``), tool(`{}`, ``), tool(`{"type":"object"}`, ``)
	b.Name, c.Name = "b", "t"
	got := Compare([]Tool{a, b}, []Tool{c, New("c", Tool{Name: "new"})})
	want := Changes{Added: []Key{{"c", "new"}}, Removed: []Key{{"c", "b"}}, Changed: []ToolChanges{{Key{"c", "t"},
		[]Change{{"arguments", "/inputSchema/type", `type is new: "object"`, nil, json.RawMessage(`"object"`)}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
