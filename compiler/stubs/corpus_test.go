package stubs

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// corpus is tools/list of real servers from npm, by a short name of the server. Texts are removed.
func corpus(t testing.TB) map[string][]catalog.Tool {
	t.Helper()
	b, err := os.ReadFile("testdata/corpus.json.zst")
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if b, err = d.DecodeAll(b, nil); err != nil {
		t.Fatal(err)
	}
	var servers map[string]struct{ Tools []catalog.Tool }
	if err := json.Unmarshal(b, &servers); err != nil {
		t.Fatal(err)
	}
	out := map[string][]catalog.Tool{}
	for name, s := range servers {
		for _, tool := range s.Tools {
			out[name] = append(out[name], catalog.New(name, tool))
		}
	}
	return out
}

// Every tool has a method, under a name that leads back to it, and the text is the same each time.
func TestCorpusLosesNothing(t *testing.T) {
	all := corpus(t)
	start := time.Now()
	cs := BuildAll(all)
	files := Files(cs)
	took := time.Since(start)
	tools := 0
	for _, c := range cs {
		text := files["connectors/"+c.Attr+".pyi"]
		for _, tool := range all[c.Name] {
			tools++
			m := c.Tool(tool.Name)
			if m == nil || c.Method(m.Python) != m || !strings.Contains(text, "    def "+m.Python+"(") {
				t.Fatalf("%s.%s has no method", c.Name, tool.Name)
			}
			doc, err := ordered.Parse(tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range doc.Get("properties").Entries() {
				if !slices.ContainsFunc(m.parameters, func(q *parameter) bool { return q.wire == p.Key }) {
					t.Errorf("%s.%s has lost the parameter %s", c.Name, tool.Name, p.Key)
				}
			}
		}
	}
	t.Logf("%d tools of %d servers in %v", tools, len(cs), took.Round(time.Millisecond))
	if tools < 3600 {
		t.Errorf("the corpus has lost tools: %d", tools)
	}
	for name, text := range Files(BuildAll(all)) {
		if files[name] != text {
			t.Errorf("%s is not the same each time", name)
		}
	}
}

// What the tools answer in a rehearsal is valid by their own schemas.
func TestCorpusStandIns(t *testing.T) {
	n := 0
	for _, c := range BuildAll(corpus(t)) {
		for _, m := range c.Methods() {
			if m.result == nil {
				if string(m.StandIn()) != "null" {
					t.Errorf("%s.%s answers %s without an output schema", c.Name, m.Tool.Name, m.StandIn())
				}
				continue
			}
			n++
			if errs := m.CheckResult(m.StandIn()); errs != nil || !m.StandInValid() {
				t.Errorf("%s.%s: %v\n%.400s\n%.3000s", c.Name, m.Tool.Name, errs, m.StandIn(), m.Tool.OutputSchema)
			}
			if len(m.StandIn()) > 100_000 {
				t.Errorf("%s.%s: a stand-in of %d bytes", c.Name, m.Tool.Name, len(m.StandIn()))
			}
		}
	}
	t.Logf("%d stand-ins", n)
	if n < 300 {
		t.Errorf("only %d output schemas", n)
	}
}

// There and back is the identity, for arguments and results of every tool: made by the schema, full and lean.
func TestCorpusRoundTrip(t *testing.T) {
	renamed := 0
	for _, c := range BuildAll(corpus(t)) {
		for i, m := range c.Methods() {
			v, err := schema.Compile(m.Tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			for _, lean := range []bool{false, true} {
				maker := &maker{choices: map[string]int{}, options: map[string]int{}, lean: lean}
				arguments := maker.make(m.arguments, "", 0)
				if arguments.Kind != ordered.Object {
					continue
				}
				renamed += roundTrip(t, m, arguments.JSON())
			}
			if i%5 > 0 {
				continue
			}
			s := search(m.arguments, v) // minimal and full arguments are valid, so that workflows can call the tool
			if !s.valid {
				t.Errorf("%s.%s: no valid arguments were found: %v", c.Name, m.Tool.Name, v.Validate(s.value))
			}
			renamed += roundTrip(t, m, s.value)
			if m.result != nil {
				wire := m.StandIn()
				if back := m.ResultToWire(m.ResultToPython(wire)); string(back) != string(wire) {
					t.Errorf("%s.%s: %s came back as %s", c.Name, m.Tool.Name, wire, back)
				}
			}
		}
	}
	if renamed < 100 {
		t.Errorf("only %d arguments have other names in Python", renamed)
	}
}

func roundTrip(t *testing.T, m *Method, wire json.RawMessage) int {
	t.Helper()
	python, err := m.ArgumentsToPython(wire)
	if err != nil {
		t.Fatal(err)
	}
	back, err := m.ArgumentsToWire(python)
	if err != nil || string(back) != string(wire) {
		t.Errorf("%s.%s: %s came back as %s (%v)", m.Tool.Connector, m.Tool.Name, wire, back, err)
	}
	if string(python) != string(wire) {
		return 1
	}
	return 0
}

// How much of the corpus is not typed, and why; and that nothing is untyped whose schema says a type.
func TestCorpusShares(t *testing.T) {
	total := Stats{Reasons: map[string]int{}}
	for _, c := range BuildAll(corpus(t)) {
		s := c.Stats()
		total.Parameters += s.Parameters
		total.ParametersUntyped += s.ParametersUntyped
		total.ParametersPartly += s.ParametersPartly
		total.Results += s.Results
		total.ResultsUntyped += s.ResultsUntyped
		total.ResultsPartly += s.ResultsPartly
		total.NoOutputSchema += s.NoOutputSchema
		for code, n := range s.Reasons {
			total.Reasons[code] += n
		}
		t.Logf("%-20s %s", c.Name, s)
		for _, m := range c.Methods() {
			for _, n := range avoidable(m) {
				t.Errorf("%s.%s: a type is left out (%s) where the schema has one: %s", c.Name, m.Tool.Name, n.reason, ordered.NewArray(n.all...).JSON())
			}
			if problems := m.Problems(); untypedBelow(m.roots()) != "" && !slices.ContainsFunc(problems, Problem.Loss) && !speechless(m) {
				t.Errorf("%s.%s: something is not typed, and no problem says so: %v", c.Name, m.Tool.Name, problems)
			}
		}
	}
	t.Logf("%-20s %s", "all", total)
	if total.ParametersUntyped > 12 || total.ResultsUntyped > 0 {
		t.Errorf("more is untyped than was: %s", total)
	}
}

// speechless reports whether a tool takes anything since its schema is silent, as that of a tool without arguments is.
func speechless(m *Method) bool {
	return len(m.parameters) == 0 && (m.result == nil || untypedBelow([]*node{m.result}) == "")
}

// decisive are the keywords that say a type.
var decisive = []string{"type", "enum", "const", "properties", "items", "prefixItems", "patternProperties"}

// avoidable lists the nodes below a method that have no type though their schemas say one. Lists and objects that say nothing of what is in
// them have nothing in node.all of what is in them, which is looked up in their own schemas.
func avoidable(m *Method) []*node {
	var out []*node
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		says := func(all []*ordered.Value, keywords ...string) bool {
			return slices.ContainsFunc(all, func(s *ordered.Value) bool {
				return slices.ContainsFunc(keywords, func(k string) bool {
					v := s.Get(k)
					return v != nil && (!v.Is(ordered.Object) || len(v.Members) > 0) && !v.Is(ordered.Bool)
				})
			})
		}
		switch {
		case n.kind == kAny && n.reason != open && says(n.all, decisive...):
			out = append(out, n)
		case n.kind == kList && n.item != nil && n.item.kind == kAny && len(n.item.all) == 0 && says(n.all, "items", "prefixItems"):
			out = append(out, n)
		case n.value != nil && n.value.kind == kAny && len(n.value.all) == 0 && says(n.all, "additionalProperties", "patternProperties"):
			out = append(out, n)
		}
		for _, c := range n.children() {
			walk(c)
		}
	}
	for _, n := range m.roots() {
		walk(n)
	}
	return out
}

func ExampleConnector_Stub() {
	c := Build("github", []catalog.Tool{{
		Name: "get-issue", Description: "Reads an issue.", Risk: catalog.ReadOnly,
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"repo":{"type":"string"},"class":{"enum":["a","b"],"default":"a"}},"required":["repo"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"type":{"type":"string"}},"required":["id"]}`),
	}})
	fmt.Print(c.Stub())
	// Output:
	// # Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
	// # Connector: github
	// from typing import Literal, NotRequired, TypedDict
	//
	// class GetIssueOutput(TypedDict):
	//     id: int
	//     type_: NotRequired[str]  # JSON key "type"
	//
	// class Github:
	//     def get_issue(self, *, repo: str, class_: Literal["a", "b"] = ...) -> GetIssueOutput:
	//         """
	//         Reads an issue.
	//
	//         Args:
	//             class_: (default "a") [JSON key "class"]
	//
	//         (risk: read_only)
	//         """
}
