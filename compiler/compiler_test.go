package compiler

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/runtime"
)

var update = flag.Bool("update", false, "write the golden files")

// shared is one engine and one checker for all tests.
var shared struct {
	engine  *runtime.Engine
	checker *pyright.Checker
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := func() int {
		var err error
		if shared.engine, err = runtime.Open(context.Background(), runtime.Config{}); err != nil {
			fmt.Println(err)
			return 1
		}
		defer func() { _ = shared.engine.Close() }()
		if shared.checker, err = openChecker(); err != nil {
			fmt.Printf("%v: npm ci --prefix testdata/servers\n", err)
			return 1
		}
		defer func() { _ = shared.checker.Close() }()
		return m.Run()
	}()
	os.Exit(code)
}

func openChecker() (*pyright.Checker, error) {
	if err := os.Setenv(pyright.Variable, "../testdata/servers"); err != nil {
		return nil, err
	}
	if _, err := pyright.Find(""); err != nil {
		return nil, err
	}
	return pyright.New(pyright.In(""), pyright.Options{Timeout: time.Minute}), nil
}

func newCompiler() *Compiler { return New(shared.engine, shared.checker) }

// fixture is a catalog whose stubs were written by hand.
func fixture(t testing.TB) Catalog {
	t.Helper()
	stub := func(name string) func() string {
		b, err := os.ReadFile("testdata/stubs/" + name + ".pyi")
		if err != nil {
			t.Fatal(err)
		}
		return func() string { return string(b) }
	}
	digest := func(tool string) string { return strings.Repeat(tool[:1], 64) }
	return Catalog{Model: true, Connectors: []Connector{
		{Name: "gmail", Attr: "gmail", Class: "Gmail", Stub: stub("gmail"), Methods: []Method{
			{"search_messages", "search-messages", ReadOnly, digest("search"), []string{"query", "max_results"}, nil},
			{"send_email", "send-email", SideEffect, digest("send"), []string{"to", "subject", "body", "from_"}, nil},
		}},
		{Name: "CRM", Attr: "crm", Class: "Crm", Stub: stub("crm"), Methods: []Method{
			{"find_contact", "find_contact", ReadOnly, digest("find"), []string{"email", "kind", "limit"}, nil},
			{"search", "search", ReadOnly, digest("search"), []string{"query"}, nil},
			{"ping", "ping", ReadOnly, digest("ping"), nil, nil},
		}},
		{Name: "filesystem", Attr: "filesystem", Class: "Filesystem", Stub: stub("filesystem"), Methods: []Method{
			{"list_directory", "list_directory", ReadOnly, digest("list"), []string{"path"}, nil},
			{"read_text_file", "read_text_file", ReadOnly, digest("read"), []string{"path", "head", "tail"}, nil},
			{"write_file", "write_file", SideEffect, digest("write"), []string{"path", "content"}, nil},
		}},
	}}
}

// TestVectors: a workflow good_... compiles, a workflow refused_... has the problems that its comments mark, and no other.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	c := newCompiler()
	marker := regexp.MustCompile(`# ! (.*)`)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, catalog := Source{Name: "vector"}, fixture(t)
			golden := -1
			for i, f := range a.Files {
				switch f.Name {
				case "workflow.py":
					s.Code = string(f.Data)
				case "inputs.json":
					s.Inputs = f.Data
				case "outputs.json":
					s.Outputs = f.Data
				case "model":
					catalog.Model = false
				case "problems", "compiled":
					golden = i
				}
			}
			compiled, problems, err := c.Compile(context.Background(), s, catalog)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for i, line := range strings.Split(s.Code, "\n") {
				if m := marker.FindStringSubmatch(line); m != nil {
					for _, code := range strings.Fields(m[1]) {
						want = append(want, fmt.Sprintf("%d %s", i+1, code))
					}
				}
			}
			var text strings.Builder
			for _, p := range problems {
				got = append(got, fmt.Sprintf("%d %s", p.Line, p.Code))
				fmt.Fprintf(&text, "%d:%d %s %s\n    %s\n    %s\n", p.Line, p.Column, p.Stage, p.Code, p.Message, p.Hint)
			}
			slices.Sort(want)
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("marked -, found +\n%s", d)
			}
			if good := strings.HasPrefix(filepath.Base(file), "good_"); good != (compiled != nil) || good != (len(problems) == 0) {
				t.Fatalf("%+v\n%s", compiled, text.String())
			} else if good {
				b, err := json.MarshalIndent(map[string]any{"pins": compiled.Pins, "uses_ai": compiled.UsesAI, "version": compiled.Version, "warnings": compiled.Warnings}, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				text.WriteString(string(b) + "\n")
				if compiled.Program == nil || compiled.Program.Build != shared.engine.Build() {
					t.Error("no program")
				}
			}
			if *update {
				a.Files[golden].Data = []byte(text.String())
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(a.Files[golden].Data), text.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

const trivial = "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> dict[str, object]:\n    return {}\n"

func TestValidate(t *testing.T) {
	c := newCompiler()
	for name, want := range map[string]string{
		"report": "", "a": "", "0-x_y": "", "": "bad-name", "../escape": "bad-name", "Report": "bad-name", "x\n": "bad-name", "-x": "bad-name",
		strings.Repeat("x", 64): "bad-name",
	} {
		_, problems, err := c.Compile(context.Background(), Source{Name: name, Code: trivial}, Catalog{})
		if err != nil || (want == "") != (len(problems) == 0) || want != "" && (problems[0].Code != want || problems[0].Stage != StageValidate) {
			t.Errorf("%q: %v %v", name, problems, err)
		}
	}
	for schema, ok := range map[string]bool{
		"": true, "null": true, "{}": true, " {\"type\":\"object\"} ": true, `{"type":["object","null"]}`: true, `{"$ref":"#/$defs/x"}`: true,
		"[]": false, "{": false, "1": false, `{"type":"string"}`: false, "{} {}": false,
	} {
		_, problems, err := c.Compile(context.Background(), Source{Name: "x", Code: trivial, Inputs: json.RawMessage(schema)}, Catalog{})
		if err != nil || ok != (len(problems) == 0) {
			t.Errorf("%s: %v %v", schema, problems, err)
		}
	}
	_, problems, _ := c.Compile(context.Background(), Source{Name: "X", Inputs: json.RawMessage("1"), Outputs: json.RawMessage("2")}, Catalog{})
	if len(problems) != 3 {
		t.Errorf("not all at once: %v", problems)
	}
}

// TestVersion: what a version's address depends on.
func TestVersion(t *testing.T) {
	c := newCompiler()
	code := strings.Replace(trivial, "return {}", "return {\"x\": ctx.crm.search(query=\"x\")}", 1)
	base := Source{Name: "x", Code: code, Inputs: json.RawMessage(`{"type": "object", "properties": {"a": {}, "b": {}}}`)}
	version := func(s Source, catalog Catalog) string {
		t.Helper()
		compiled, problems, err := c.Compile(context.Background(), s, catalog)
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		if len(compiled.Version) != 16 || !strings.HasPrefix(compiled.Digest, compiled.Version) {
			t.Error(compiled.Version, compiled.Digest)
		}
		return compiled.Version
	}
	first := version(base, fixture(t))
	same := base
	same.Name, same.Inputs, same.Outputs = "y", json.RawMessage(`{"properties":{"b":{},"a":{}},"type":"object"}`), json.RawMessage("null")
	if version(same, fixture(t)) != first {
		t.Error("the spelling of a schema counts")
	}
	seen := map[string]string{first: "base"}
	differs := func(what string, s Source, catalog Catalog) {
		t.Helper()
		v := version(s, catalog)
		if seen[v] != "" {
			t.Errorf("%s is %s", what, seen[v])
		}
		seen[v] = what
	}
	s := base
	s.Code += "\n"
	differs("code", s, fixture(t))
	s = base
	s.Inputs = nil
	differs("inputs", s, fixture(t))
	s = base
	s.Outputs = json.RawMessage("{}")
	s.Code = strings.NewReplacer("Ctx\n", "Ctx, Output\n", "dict[str, object]", "Output").Replace(s.Code)
	differs("outputs", s, fixture(t))
	drifted := fixture(t)
	drifted.Connectors[1].Methods[1].Digest = strings.Repeat("0", 64)
	differs("a tool's digest", base, drifted)
	risky := fixture(t)
	risky.Connectors[1].Methods[1].Risk = SideEffect
	differs("a tool's risk", base, risky)
	renamed := fixture(t)
	renamed.Connectors[1].Name = "crm-2"
	differs("a connector's name", base, renamed)
	other := fixture(t)
	other.Connectors[0].Methods[0].Digest = strings.Repeat("0", 64)
	if version(base, other) != first {
		t.Error("a tool that is not called counts")
	}
}

func TestMany(t *testing.T) {
	c := newCompiler()
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			parameter := []string{"query", "qeury"}[i%2]
			code := fmt.Sprintf("%s\nN%d = 1\n", strings.Replace(trivial, "return {}", fmt.Sprintf("return {\"x\": ctx.crm.search(%s=\"%d\")}", parameter, i), 1), i)
			compiled, problems, err := c.Compile(context.Background(), Source{Name: "x", Code: code}, fixture(t))
			if err != nil || (i%2 == 0) != (compiled != nil) || (i%2 == 1) != (len(problems) == 1) {
				t.Errorf("%d: %v %v", i, problems, err)
			}
		})
	}
	wg.Wait()
}

type broken struct{ err error }

func (b broken) Check(context.Context, pyright.Project) ([]pyright.Diagnostic, error) {
	return nil, b.err
}

// TestCheckerErrors: what is not the workflow's fault is an error, not a problem.
func TestCheckerErrors(t *testing.T) {
	want := fault.New("typecheck-timeout", "slow")
	c := New(shared.engine, broken{want})
	compiled, problems, err := c.Compile(context.Background(), Source{Name: "x", Code: trivial}, Catalog{})
	if compiled != nil || problems != nil || !errors.Is(err, want) {
		t.Error(compiled, problems, err)
	}
	// A workflow that lint refuses does not need the checker.
	if _, problems, err := c.Compile(context.Background(), Source{Name: "x", Code: "open"}, Catalog{}); len(problems) == 0 || err != nil {
		t.Error(problems, err)
	}
}

func TestWarm(t *testing.T) {
	c := newCompiler()
	compiled, problems, err := c.Compile(context.Background(), Source{Name: "warm", Code: warm}, Catalog{})
	if err != nil || compiled == nil {
		t.Errorf("%v %v", problems, err)
	}
	if err := c.Warm(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestRuns: what was compiled runs.
func TestRuns(t *testing.T) {
	compiled, problems, err := newCompiler().Compile(context.Background(), Source{Name: "x", Code: trivial}, Catalog{})
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	r, err := shared.engine.Run(context.Background(), compiled.Program, runtime.Job{})
	if err != nil || r.Err != nil || string(r.Output) != "{}" {
		t.Errorf("%+v %v", r, err)
	}
}

// TestEveryCodeIsExplained: what the goldens show has an entry in the table.
func TestEveryCodeIsExplained(t *testing.T) {
	files, err := filepath.Glob("testdata/refused_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?m)^\d+:\d+ \w+ (\S+)$`)
	seen := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pattern.FindAllStringSubmatch(string(b), -1) {
			seen[m[1]] = true
			if _, ok := fault.Lookup(m[1]); !ok {
				t.Errorf("%s has the code %s, which is not in the table", file, m[1])
			}
		}
	}
	for _, code := range []string{"unknown-tool", "unknown-connector", "no-model-configured", "ai-schema-not-an-object", "reportCallIssue"} {
		if !seen[code] {
			t.Errorf("no vector has the code %s", code)
		}
	}
}

// BenchmarkWarm compiles a workflow of forty lines, each time another one, as an agent does that edits it.
func BenchmarkWarm(b *testing.B) {
	c, catalog := newCompiler(), fixture(b)
	a, err := txtar.ParseFile("testdata/good_everything.txtar")
	if err != nil {
		b.Fatal(err)
	}
	s := Source{Name: "bench", Inputs: a.Files[1].Data, Outputs: a.Files[2].Data}
	if err := c.Warm(context.Background()); err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	for b.Loop() {
		s.Code = fmt.Sprintf("%s# %d\n", a.Files[0].Data, len(times))
		start := time.Now()
		if _, problems, err := c.Compile(context.Background(), s, catalog); err != nil || len(problems) > 0 {
			b.Fatal(problems, err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms/p99")
}

// BenchmarkFirst is the first compilation of a process that has opened its engine: it compiles the lint and starts pyright.
func BenchmarkFirst(b *testing.B) {
	a, err := txtar.ParseFile("testdata/good_everything.txtar")
	if err != nil {
		b.Fatal(err)
	}
	s := Source{Name: "bench", Code: string(a.Files[0].Data), Inputs: a.Files[1].Data, Outputs: a.Files[2].Data}
	for b.Loop() {
		checker, err := openChecker()
		if err != nil {
			b.Fatal(err)
		}
		if _, problems, err := New(shared.engine, checker).Compile(context.Background(), s, fixture(b)); err != nil || len(problems) > 0 {
			b.Fatal(problems, err)
		}
		b.StopTimer()
		_ = checker.Close()
		b.StartTimer()
	}
}
