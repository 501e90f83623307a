package lint

import (
	"context"
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

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/runtime"
)

var update = flag.Bool("update", false, "write the golden files")

var engine = sync.OnceValues(func() (*runtime.Engine, error) { return runtime.Open(context.Background(), runtime.Config{}) })

var linter = sync.OnceValues(func() (*Linter, error) {
	e, err := engine()
	if err != nil {
		return nil, err
	}
	return New(e), nil
})

var connectors = map[string][]string{
	"crm":        {"find_contact", "search"},
	"filesystem": {"list_directory", "read_text_file", "write_file"},
	"gmail":      {"search", "send_email"},
}

func check(t *testing.T, s Source) *Report {
	t.Helper()
	l, err := linter()
	if err != nil {
		t.Fatal(err)
	}
	p, r, err := l.Lint(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) == 0 && p == nil {
		t.Error("neither a program nor a problem")
	}
	return r
}

func vector(t *testing.T, file string) (string, *Report) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), check(t, Source{Code: string(b), Outputs: strings.HasPrefix(string(b), "# outputs\n"), Connectors: connectors})
}

// TestVectors: a file good_... has no problem, a file refused_... has those that its comments mark, and no other.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.py")
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	marker := regexp.MustCompile(`# ! (.*)`)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			source, r := vector(t, file)
			var want, got []string
			for i, line := range strings.Split(source, "\n") {
				if m := marker.FindStringSubmatch(line); m != nil {
					for _, code := range strings.Fields(m[1]) {
						want = append(want, fmt.Sprintf("%d %s", i+1, code))
					}
				}
			}
			var golden strings.Builder
			for _, p := range r.Problems {
				got = append(got, fmt.Sprintf("%d %s", p.Line, p.Code))
				fmt.Fprintf(&golden, "%d:%d %s\n    %s\n    %s\n", p.Line, p.Column, p.Code, p.Message, p.Hint)
			}
			slices.Sort(want)
			sorted := slices.Sorted(slices.Values(got))
			if d := cmp.Diff(want, sorted); d != "" {
				t.Errorf("marked -, found +\n%s", d)
			}
			if good := strings.HasPrefix(filepath.Base(file), "good_"); good != (len(r.Problems) == 0) {
				t.Errorf("%d problems", len(r.Problems))
			} else if good {
				return
			}
			compare(t, strings.TrimSuffix(file, ".py")+".golden", golden.String())
		})
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

// TestCodes: each code has vectors, is in the table of fault, and shares its messages with no other.
func TestCodes(t *testing.T) {
	messages := map[string]string{}
	for _, code := range Codes {
		if _, ok := fault.Lookup(code); !ok {
			t.Errorf("%s is not in the table", code)
		}
		if strings.HasPrefix(code, "source-too-") { // made in TestTooMuch
			continue
		}
		refused, _ := filepath.Glob("testdata/refused_" + code + "*.golden")
		good, _ := filepath.Glob("testdata/good_" + code + "*.py")
		if len(refused) == 0 || len(good) == 0 && code != "syntax-error" && code != "missing-run" {
			t.Errorf("%s has the vectors %v %v", code, refused, good)
		}
		for _, file := range refused {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(b), "\n")
			for i := 0; i+2 < len(lines); i += 3 {
				_, c, _ := strings.Cut(lines[i], " ")
				if other := messages[lines[i+1]]; other != "" && other != c {
					t.Errorf("%s and %s have the message %s", c, other, lines[i+1])
				}
				messages[lines[i+1]] = c
				if !slices.Contains(Codes, c) {
					t.Errorf("%s has the code %s", file, c)
				}
			}
		}
	}
}

func TestTooMuch(t *testing.T) {
	for name, s := range map[string]string{
		"source-too-large":     strings.Repeat("x = 1\n", MaxSource/6+1),
		"source-too-complex":   "x = " + strings.Repeat("-", 100_000) + "1",
		"source-too-complex 2": "x = " + strings.Repeat("1+", 50_000) + "1",
	} {
		r := check(t, Source{Code: s})
		want, _, _ := strings.Cut(name, " ")
		if len(r.Problems) != 1 || r.Problems[0].Code != want || r.Problems[0].Line != 1 {
			t.Errorf("%s: %+v", name, r.Problems)
		}
	}
	for name, s := range map[string]string{
		"wide":   "x = [" + strings.Repeat("[1],", 20_000) + "]",
		"chain":  "x = y" + strings.Repeat(".real", 800),
		"sum":    "x = 1" + strings.Repeat(" + 1", 800),
		"dunder": "x = y" + strings.Repeat(".__class__", 800),
	} {
		start := time.Now()
		r := check(t, Source{Code: s})
		t.Logf("%s: %d problems, %v", name, len(r.Problems), time.Since(start))
		if len(r.Problems) == 0 || r.Problems[0].Code != "missing-run" {
			t.Errorf("%s: %+v", name, r.Problems[:min(2, len(r.Problems))])
		}
	}
}

// TestHostile: nothing that a source can be makes the lint itself fail.
func TestHostile(t *testing.T) {
	for _, s := range []string{
		"", "\x00", "\xff", "\ufeffdef run(ctx): pass", "# coding: latin-1\nx = 'é'", "x = '\\ud800'", "\r\rx = 1\r\n\fopen()", "x = 'é\u2028é'; open()",
		"def run(ctx):\n    return ctx.crm.search(x='\\N{DIGIT ONE}')", "x = 1e400j", "x = " + strings.Repeat("9", 5000), "if 1:\n\topen()\n        eval()",
		"from __future__ import nothing", "from __future__ import annotations\nopen", "nonlocal x", "import a.b.c as d, e.f", "lambda: (yield)", "f'{open!r:{eval}}'",
		"def f[T: open = eval, *A, **P](): ...", "type X[T: exec] = T", "class A[T](metaclass=open): __slots__ = ()", "x: open = 1", "del ().__class__", "ctx", "@ctx.a.b()\ndef run(): ...",
		"ctx.ai(schema=-1)", "ctx.ai(schema={**x})", "ctx.ai(**{})", "ctx.ai(schema={1: {}, 'properties': []})", "ctx.ai(schema={[]: 1})",
	} {
		r := check(t, Source{Code: s, Connectors: connectors})
		for _, p := range r.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" || p.Hint == "" || !slices.Contains(Codes, p.Code) {
				t.Errorf("%q: %+v", s, p)
			}
		}
	}
}

func TestCalls(t *testing.T) {
	_, r := vector(t, "testdata/good_ctx-tool-not-called.py")
	want := []Call{
		{"crm", "find_contact", Place{5, 13, 5, 60}},
		{"gmail", "send_email", Place{8, 5, 11, 6}},
		{"crm", "search", Place{12, 5, 12, 52}},
		{"crm", "search", Place{12, 26, 12, 51}},
	}
	asks := []Ask{{SchemaAbsent, Place{6, 12, 6, 40}}, {SchemaGood, Place{7, 14, 7, 110}}, {SchemaNone, Place{10, 14, 10, 55}}}
	if d := cmp.Diff(want, r.Calls) + cmp.Diff(asks, r.Asks); d != "" {
		t.Error(d)
	}
	r = check(t, Source{Code: "ctx.ai(schema=S)\nctx.ai(schema={'type': 'string'})\nctx.ai(schema={'properties': {}})\nctx.ai(schema=[])"})
	for i, want := range []SchemaKind{SchemaDynamic, SchemaBad, SchemaBad, SchemaBad} {
		if r.Asks[i].Schema != want {
			t.Errorf("%d: %s", i, r.Asks[i].Schema)
		}
	}
}

func TestMany(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			r := check(t, Source{Code: strings.Repeat("\n", i) + "open('x')"})
			if len(r.Problems) != 2 || r.Problems[0].Line != i+1 {
				t.Errorf("%d: %+v", i, r.Problems)
			}
		})
	}
	wg.Wait()
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l, err := linter()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Lint(ctx, Source{Code: "x = 1"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkLint(b *testing.B) {
	l, err := linter()
	if err != nil {
		b.Fatal(err)
	}
	code, err := os.ReadFile("../../testdata/bench/workflows/forty.py")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := l.Lint(context.Background(), Source{Code: string(code), Connectors: connectors}); err != nil {
			b.Fatal(err)
		}
	}
}
