package stubs

import (
	"encoding/json"
	"fmt"
	"maps"
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
	if !raceEnabled && took > 6*time.Second { // the target is 2 s on a machine that does nothing else
		t.Errorf("the stubs of the corpus took %v", took)
	}
	for name, text := range Files(BuildAll(all)) {
		if files[name] != text {
			t.Errorf("%s is not the same each time", name)
		}
	}
}

const raceEnabled = false

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

// How much of the corpus is not typed, and why. A number that grows is a loss to look at.
func TestCorpusShares(t *testing.T) {
	all := corpus(t)
	var total Stats
	total.Reasons = map[string]int{}
	for _, c := range BuildAll(all) {
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
		if s.ParametersUntyped+s.ResultsUntyped+s.ParametersPartly+s.ResultsPartly > 0 {
			t.Logf("%-20s %s", c.Name, s)
		}
	}
	t.Logf("%-20s %s", "all", total)
	if total.ParametersUntyped > 12 || total.ResultsUntyped > 0 {
		t.Errorf("more is untyped than was: %s", total)
	}
	known := []string{"no-type", "no-items", "free-form", "no-output-schema", "no-input-schema"}
	for _, code := range slices.Sorted(maps.Keys(total.Reasons)) {
		if !slices.Contains(known, code) {
			t.Logf("also: %s %d", code, total.Reasons[code])
		}
	}
}

func BenchmarkCorpus(b *testing.B) {
	all := corpus(b)
	for b.Loop() {
		Files(BuildAll(all))
	}
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
