package project

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// tree writes files below a folder of the test, by path.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if _, err := Replace(filepath.Join(dir, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// value reads the value of a: in a YAML text.
func value(text string) (json.RawMessage, []report.Finding) {
	var found []report.Finding
	n := document{"x.yaml", &found}.read([]byte(text))
	if n == nil {
		return nil, found
	}
	return n.get("a").json(), found
}

// What YAML says is read as JSON says it: numbers keep their digits, and words stay words.
func TestReadsValues(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"1.50", `1.50`},
		{"12345678901234567890.000000000000000000010", `12345678901234567890.000000000000000000010`},
		{"1e400", `1e400`},
		{"-0", `-0`},
		{"1E+2", `1E+2`},
		{"007", `"007"`},
		{"0x10", `"0x10"`},
		{"1_000", `"1_000"`},
		{"+1", `"+1"`},
		{`"1"`, `"1"`},
		{"'1.0'", `"1.0"`},
		{"true", `true`},
		{"yes", `"yes"`},
		{"no", `"no"`},
		{"null", `null`},
		{"~", `null`},
		{"", `null`},
		{"2026-01-01", `"2026-01-01"`},
		{"2026-01-01T00:00:00Z", `"2026-01-01T00:00:00Z"`},
		{"12:30:00", `"12:30:00"`},
		{"[1, {b: c}, []]", `[1,{"b":"c"},[]]`},
		{"|\n  one\n  two\n", `"one\ntwo\n"`},
		{">-\n  one\n  two\n", `"one two"`},
		{"\n- b\n- c: 1\n  d: 2\n", `["b",{"c":1,"d":2}]`},
		{`{"b": "\u00e9\n"}`, `{"b":"é\n"}`},
		{"{1: one, true: two}", `{"1":"one","true":"two"}`},
	} {
		t.Run(c.yaml, func(t *testing.T) {
			got, found := value("a: " + c.yaml)
			if len(found) > 0 || string(got) != c.want {
				t.Errorf("%s, want %s; %v", got, c.want, found)
			}
		})
	}
}

// What JSON does not have, or what could be read in two ways, is a finding with its place.
func TestRefusesInFiles(t *testing.T) {
	for _, c := range []struct {
		name, yaml   string
		line, column int
		says         string
	}{
		{"an anchor", "a: &x 1\n", 1, 4, "anchors"},
		{"an alias", "b: 1\na: *x\n", 2, 0, ""},
		{"a merge", "a:\n  <<: {c: d}\n", 2, 3, "merge"},
		{"a tag", "a: !!str 1\n", 1, 4, "tags"},
		{"infinity", "a: .inf\n", 1, 4, "numbers that JSON does not have"},
		{"no number", "a: .nan\n", 1, 4, "numbers that JSON does not have"},
		{"a key twice", "a: 1\nb: 2\na: 3\n", 3, 1, ""},
		{"a key twice in a line", "a: {b: 1, b: 2}\n", 1, 11, ""},
		{"a second document", "a: 1\n---\nb: 2\n", 3, 0, "second document"},
		{"no YAML", "a: [1\n", 1, 0, "this is not YAML"},
		{"a tabulator", "a:\n\tb: 1\n", 2, 0, "this is not YAML"},
		{"too deep", "a: " + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), 1, 0, "nested more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, found := value(c.yaml)
			if len(found) == 0 || found[0].Code != "bad-project" || found[0].File != "x.yaml" || found[0].Line != c.line ||
				c.column > 0 && found[0].Column != c.column || !strings.Contains(found[0].Message, c.says) {
				t.Errorf("%+v", found)
			}
		})
	}
}

const (
	aLock = `{
  "version": 1,
  "connectors": [
    {
      "name": "files",
      "attr": "files",
      "server": {"name": "fs", "version": "1"},
      "tools": [
        {"name": "read", "python": "read", "risk": "read_only", "digest": "d", "annotations": {"readOnlyHint": true}, "input_schema": {"type": "object"}},
        {"name": "write", "python": "write", "risk": "side_effect", "digest": "e", "annotations": {}, "input_schema": {"type": "object"}}
      ]
    }
  ]
}
`
	aCase = `inputs: {n: 1.50}
seed: 18446744073709551615
at: 2026-02-03T04:05:06.789+01:00
probe: false
answers:
  - call: files.read
    arguments: {path: a}
    result_file: one/1.json
    elapsed: 12ms
  - {call: {connector: a.b, tool: c.d}, error: {code: tool-error, message: down, data: {x: 1}}}
acts:
  - {call: files.write, arguments: {}}
fail: [{step: 3, timeout: true}]
error: {code: workflow-failed, line: 12}
`
)

func aProject() map[string]string {
	return map[string]string{
		File:     "version: 1\nconnectors: {files: {note: here}}\nworkflows: [workflows, more/of them]\nlimits: {calls: 10, fuel: 5000000000}\npolicy: {risk: {files: {write: read_only}}}\n",
		LockFile: aLock, "workflows/one/workflow.py": "def run(ctx): pass\n", "more/of them/two/workflow.py": "def run(ctx): pass\n", "workflows/not-one/notes.txt": "",
		"workflows/one/workflow.yaml":    "description: first\ninputs: {type: object}\nlimits: {calls: 20, call_timeout: 2m}\n",
		"workflows/one/cases/one.yaml":   aCase,
		"workflows/one/cases/one/1.json": "{\"content\": 1.50}\n",
		"workflows/one/cases/two.yaml":   "\ufeff# nothing but its end\noutput: null\n",
	}
}

func TestLoad(t *testing.T) {
	dir := tree(t, aProject())
	p, err := Load(filepath.Join(dir, "workflows", "one", "cases"))
	if err != nil || len(p.Findings) > 0 {
		t.Fatal(err, p.Findings)
	}
	if p.Dir != dir || !slices.Equal(p.Connectors, []string{"files"}) || p.Limits.Calls != 10 || len(p.Workflows) != 2 {
		t.Errorf("%+v", p)
	}
	one, two := p.Workflows[0], p.Workflows[1]
	if one.Name != "one" || one.Description != "first" || string(one.Inputs) != `{"type":"object"}` || one.Outputs != nil || len(one.Cases) != 2 {
		t.Errorf("%+v", one)
	}
	if one.Limits.Calls != 20 || one.Limits.Fuel != 5_000_000_000 || one.Limits.CallTimeout != 2*time.Minute || two.Limits != p.Limits {
		t.Errorf("%+v, %+v", one.Limits, two.Limits)
	}
	tools := p.Lock.ByConnector()["files"]
	if len(tools) != 2 || tools[0].Risk != catalog.ReadOnly || tools[1].Risk != catalog.ReadOnly || p.Lock.Place(tools[1].Key()).Line != 10 || p.Lock.Find("files").Python("write") != "write" {
		t.Errorf("%+v", tools)
	}
	c := one.Cases[0]
	want := &Case{
		Workflow: "one", Name: "one", File: one.CaseFile("one"), Inputs: json.RawMessage(`{"n":1.50}`), Seed: 1<<64 - 1,
		At: time.Date(2026, 2, 3, 3, 5, 6, 789_000_000, time.UTC),
		Answers: []Call{
			{
				Tool: catalog.Key{Connector: "files", Tool: "read"}, Arguments: json.RawMessage(`{"path":"a"}`), Result: json.RawMessage("{\"content\": 1.50}\n"),
				ResultFile: "one/1.json", Elapsed: 12 * time.Millisecond,
			},
			{
				Tool: catalog.Key{Connector: "a.b", Tool: "c.d"}, Arguments: json.RawMessage("{}"),
				Err: &hostfuncs.Error{Code: "tool-error", Message: "down", Data: json.RawMessage(`{"x":1}`)},
			},
		},
		Acts:    []Call{{Tool: catalog.Key{Connector: "files", Tool: "write"}, Arguments: json.RawMessage("{}")}},
		Fails:   []Fail{{Step: 3, Timeout: true}},
		Failure: &hostfuncs.Error{Code: "workflow-failed"}, Line: 12, Text: []byte(aCase + "\x00{\"content\": 1.50}\n"),
	}
	if d := cmp.Diff(want, c, cmp.FilterValues(func(report.Place, report.Place) bool { return true }, cmp.Ignore())); d != "" {
		t.Error(d)
	}
	if c.AtInputs.Line != 1 || c.AtResult.Line != 14 || c.Answers[1].At.Line != 10 || c.Fails[0].At.Line != 13 {
		t.Errorf("%v, %v, %v, %v", c.AtInputs, c.AtResult, c.Answers[1].At, c.Fails[0].At)
	}
	if d := one.Cases[1]; d.Seed != DefaultSeed || !d.At.Equal(DefaultAt()) || !d.Probe || string(d.Inputs) != "{}" || string(d.Output) != "null" {
		t.Errorf("%+v", d)
	}
}

// Each file says what is wrong with it, at its line.
func TestFindings(t *testing.T) {
	const settings, one = "workflows/one/workflow.yaml", "workflows/one/cases/one.yaml"
	for _, c := range []struct {
		name, file, old, now string
		line                 int
		says, hint           string
	}{
		{"a version", File, "version: 1", "version: 2", 1, `version of a project is 1, and not "2"`, ""},
		{"a key", File, "connectors:", "connector:", 2, "no key connector", "did you mean connectors?"},
		{"connectors", File, "{files: {note: here}}", "[files]", 2, "is a mapping", ""},
		{"a connector's name", File, "files: {note", `" files": {note`, 2, "begins or ends with a space", ""},
		{"a folder outside", File, "more/of them", "../x", 3, "no folder below the project", ""},
		{"folders", File, "[workflows, more/of them]", "workflows", 3, "is a list", ""},
		{"a limit", File, "calls: 10", "call: 10", 4, "call", ""},
		{"a policy", File, "read_only", "sometimes", 5, "sometimes", ""},
		{"a lock that is no JSON", LockFile, `"name": "files",`, `"name": files,`, 5, "this is not JSON", ""},
		{"a lock of another version", LockFile, `"version": 1,`, `"version": 3,`, 1, "version of a lock is 1, and this has 3", ""},
		{"a lock that is something else", LockFile, `"tools": [`, `"tools": {}, "x": [`, 4, "tools is a list, and not an object", ""},
		{"a connector without a name", LockFile, `"name": "files"`, `"Name": 1`, 4, "no connector of a lock", ""},
		{"a tool without a name", LockFile, `"name": "write"`, `"title": "write"`, 10, "no tool of a lock", ""},
		{"a key in other letters", LockFile, `"connectors"`, `"Connectors"`, 1, "connectors is a list, and not nothing", ""},
		{"a merge that is not over", LockFile, `      "tools": [`, "<<<<<<< ours", 8, "this is not JSON", ""},
		{"an empty lock", LockFile, aLock, "", 1, "this has none", ""},
		{"a tool twice", LockFile, `"name": "write"`, `"name": "read"`, 10, "files.read is there twice", ""},
		{"a setting", settings, "inputs:", "input:", 2, "no key input", "did you mean inputs?"},
		{"a time span", settings, "2m", "soon", 3, "limits.call_timeout is a time", ""},
		{"a case's key", one, "answers:", "answer:", 5, "no key answer", "did you mean answers?"},
		{"inputs", one, "{n: 1.50}", "3", 1, "inputs is a mapping", ""},
		{"a seed", one, "18446744073709551615", "18446744073709551616", 2, "a seed is a whole number", ""},
		{"a time", one, "2026-02-03T", "2026-02-30T", 3, "at is a time", ""},
		{"a flag", one, "probe: false", "probe: no", 4, "true or false", ""},
		{"a call", one, "call: files.read", "call: read", 6, "connector.tool", ""},
		{"arguments", one, "{path: a}", "a", 7, "arguments is a mapping", ""},
		{"a file outside", one, "one/1.json", "../../workflow.py", 8, "no JSON file", ""},
		{"a file that is not there", one, "one/1.json", "one/2.json", 8, "no JSON file one/2.json", ""},
		{"a span", one, "12ms", "-12ms", 9, "elapsed is a time span", ""},
		{"an answer and an error", one, "12ms", "12ms\n    error: {code: x}", 6, "a result, a result_file or an error", ""},
		{"an error without a code", one, "code: tool-error, ", "", 10, "an error has a code", ""},
		{"acts", one, "acts:\n  - {call: files.write, arguments: {}}", "acts: {}", 11, "acts is a list", ""},
		{"a step", one, "step: 3", "step: 0", 13, "a whole number from 1", ""},
		{"a step without a failure", one, ", timeout: true", "", 13, "a step fails with", ""},
		{"two ends", one, "error: {code: workflow-failed", "output: 1\nerror: {code: workflow-failed", 15, "and not both", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := aProject()
			if !strings.Contains(files[c.file], c.old) {
				t.Fatalf("there is no %q", c.old)
			}
			files[c.file] = strings.Replace(files[c.file], c.old, c.now, 1)
			dir := tree(t, files)
			p, err := Load(dir)
			if err != nil || len(p.Findings) == 0 {
				t.Fatal(err, "nothing is found")
			}
			f := p.Findings[0]
			if f.Code != "bad-project" || f.File != filepath.Join(dir, filepath.FromSlash(c.file)) || f.Line != c.line || !strings.Contains(f.Message, c.says) ||
				c.hint != "" && f.Hint != c.hint || strings.HasPrefix(c.file, "workflows/one/") != (f.Workflow == "one") || (c.file == one) != (f.Case == "one") {
				t.Errorf("%+v", f)
			}
			if err := AsError(f); fault.Of(err).Code != "bad-project" || !strings.Contains(err.Error(), c.says) {
				t.Error(err)
			}
		})
	}
}

func TestTwoOfOneName(t *testing.T) {
	files := aProject()
	files["more/of them/one/workflow.py"] = "x"
	p, err := Load(tree(t, files))
	if err != nil || len(p.Findings) != 1 || p.Findings[0].Workflow != "one" || !strings.Contains(p.Findings[0].Message, "there is another workflow one") {
		t.Error(err, p.Findings)
	}
}

// A folder that is in no project, is none, or cannot be read says so. A folder below a project stands for what is in it.
func TestWhere(t *testing.T) {
	dir := tree(t, aProject())
	if _, err := Load(t.TempDir()); !errors.Is(err, fault.New("no-project", "")) {
		t.Error(err)
	}
	if _, err := Load(filepath.Join(dir, "nowhere")); !errors.Is(err, fault.New("no-project", "")) {
		t.Error(err)
	}
	for folder, want := range map[string]int{".": 2, "workflows": 1, "workflows/one/cases": 1, "more": 1, "workflows/not-one": 0} {
		p, err := Load(dir)
		if err == nil {
			err = p.Within(filepath.Join(dir, folder))
		}
		if err != nil || len(p.Workflows) != want {
			t.Errorf("%s: %d workflows, %v", folder, len(p.Workflows), err)
		}
	}
	p, w, err := LoadWorkflow(filepath.Join(dir, "workflows", "one"))
	if err != nil || w.Name != "one" || p.Lock == nil || w.Limits.Fuel != 5_000_000_000 {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := p.Workflow("three"); !errors.Is(err, fault.New("unknown-workflow", "")) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, File)); err != nil {
		t.Fatal(err)
	}
	if p, w, err := LoadWorkflow(filepath.Join(dir, "workflows", "one")); err != nil || w.Description != "first" || p.Lock != nil || len(p.Findings) > 0 {
		t.Errorf("%+v, %v", w, err)
	}
	if _, _, err := LoadWorkflow(dir); !errors.Is(err, fault.New("no-such-file", "")) {
		t.Error(err)
	}
	files := aProject()
	delete(files, LockFile)
	files[LockFile+"/x"] = "" // a folder of that name
	if _, err := Load(tree(t, files)); !errors.Is(err, fault.New("unreadable-file", "")) {
		t.Error(err)
	}
}

// A lock that is written is read as it was, and written again is the same text. The words of schemas are not in it.
func TestLockRoundTrip(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","description":"<words>","properties":{"z":{"type":"number","maximum":1.50,"description":"words"},"a":{"const":"<&>"}}}`)
	l := &Lock{}
	for _, name := range []string{"zoo", "files"} {
		c := Locked{Name: name, Attr: name, Server: Server{"server", "1.0"}}
		for _, tool := range []string{"write.it", "read"} {
			c.Add(catalog.New(name, catalog.Tool{Name: tool, Title: "words", Description: "words", InputSchema: schema, OutputSchema: schema}), strings.ReplaceAll(tool, ".", "_"))
		}
		l.Connectors = append(l.Connectors, c)
	}
	text := l.JSON()
	if strings.Contains(string(text), "words") || !strings.Contains(string(text), "1.50") || !strings.Contains(string(text), "<&>") {
		t.Errorf("%s", text)
	}
	dir := tree(t, map[string]string{File: "version: 1\n", LockFile: string(text)})
	p, err := Load(dir)
	if err != nil || len(p.Findings) > 0 {
		t.Fatal(err, p.Findings)
	}
	if again := p.Lock.JSON(); string(again) != string(text) {
		t.Error(cmp.Diff(string(text), string(again)))
	}
	for _, tool := range p.Lock.Tools() {
		if catalog.Digest(tool) != tool.Digest {
			t.Errorf("%s: the digest is not that of its schemas", tool.Key())
		}
	}
	if slices.Reverse(l.Connectors); string(l.JSON()) != string(text) {
		t.Error("the order in which connectors were added is seen")
	}
}

// Whatever a recording says is read back as it was, and written again gives the same files.
func TestCaseRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"", "a", "1", "x: y", "a\nb\n", "ü 🚀", " # ", "files", "\u0000", "- a"}
	text := func() string { return texts[r.IntN(len(texts))] }
	var any func(int) *ordered.Value
	any = func(depth int) *ordered.Value {
		switch r.IntN(5 - min(depth, 2)) {
		case 0:
			return ordered.NewString(text())
		case 1:
			return &ordered.Value{Kind: ordered.Number, Text: []string{"1", "-1.50", "1e400", "12345678901234567890"}[r.IntN(4)]}
		case 2:
			return ordered.NewBool(r.IntN(2) == 0)
		case 3:
			return ordered.NewArray(any(depth+1), any(depth+1))
		}
		o := ordered.NewObject()
		for range r.IntN(4) {
			o.Set(text(), any(depth+1))
		}
		return o
	}
	object := func() json.RawMessage {
		o := ordered.NewObject()
		o.Set(text(), any(0))
		return o.JSON()
	}
	dir := t.TempDir()
	calls := func(acts bool) (list []Call) {
		for range r.IntN(4) {
			c := Call{Tool: catalog.Key{Connector: []string{"files", "a.b", "1"}[r.IntN(3)], Tool: "x" + text()}, Arguments: object(), Elapsed: time.Duration(r.IntN(3)) * 1234567}
			switch r.IntN(4) {
			case 0:
				c.Err = &hostfuncs.Error{Code: "tool-error", Message: text(), Data: object()}
			case 1:
				c.Result = ordered.NewString(strings.Repeat("large ", LargeResult/6+1)).JSON()
			case 2:
				if !acts {
					c.Result = any(0).JSON()
				}
			}
			if !acts && c.Err == nil && c.Result == nil {
				c.Result = json.RawMessage("null")
			}
			list = append(list, c)
		}
		return list
	}
	compact := func(c *Case) {
		for _, list := range [][]Call{c.Answers, c.Acts} {
			for i := range list {
				list[i].At, list[i].ResultFile = report.Place{}, ""
				if list[i].Result != nil {
					list[i].Result = parsed(list[i].Result).JSON()
				}
			}
		}
		c.Text, c.AtInputs, c.AtResult = nil, report.Place{}, report.Place{}
	}
	for i := range 300 {
		c := &Case{
			Workflow: "w", Name: "c", File: filepath.Join(dir, "c.yaml"), Inputs: object(), Seed: r.Uint64N(3), At: DefaultAt().Add(time.Duration(r.IntN(2)) * 1234567891), Probe: r.IntN(2) == 0,
			Answers: calls(false), Acts: calls(true),
		}
		if r.IntN(3) == 0 {
			c.Failure, c.Line = &hostfuncs.Error{Code: "workflow-failed", Message: text()}, 1+r.IntN(9)
		} else {
			c.Output = any(0).JSON()
		}
		if err := errors.Join(os.RemoveAll(c.File), os.RemoveAll(filepath.Join(dir, "c"))); err != nil {
			t.Fatal(err)
		}
		files, err := c.Write(false)
		if err != nil {
			t.Fatal(err)
		}
		back, found, err := readCase(c.File, "w", "c")
		if err != nil || len(found) > 0 {
			b, _ := os.ReadFile(c.File)
			t.Fatalf("%d: %v, %v\n%s", i, err, found, b)
		}
		text := slices.Clone(back.Text)
		again, err := back.Write(true)
		if err != nil || !slices.Equal(files, again) {
			t.Fatal(err, files, again)
		}
		if third, _, err := readCase(c.File, "w", "c"); err != nil || !slices.Equal(third.Text, text) {
			t.Fatalf("written again it is another text: %v", err)
		}
		compact(c)
		compact(back)
		if !reflect.DeepEqual(c, back) {
			t.Fatalf("%d: %s", i, cmp.Diff(c, back))
		}
	}
}

// FuzzLock reads whatever may stand in a lock. What is read without a finding can be called, and is written as it was.
//
//	go test ./internal/project -run '^$' -fuzz FuzzLock -fuzztime 60s
func FuzzLock(f *testing.F) {
	for _, s := range []string{aLock, string((&Lock{}).JSON()), `{"version":1,"Connectors":[{"name":"x"}]}`, `{"version":1,"connectors":[{"name":"x","attr":"y","Tools":[{"name":"z"}],"tools":[null,{"name":"a","NAME":2}]}]}`,
		`{"version":1,"connectors":[{"name":"x","attr":"y","tools":[{"name":"a","input_schema":5,"output_schema":[],"annotations":null}]}],"connectors":[]}`, "[", "// x\n{}", ""} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(dir, LockFile)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &Project{Dir: dir}
		if err := p.readLock(); err != nil {
			t.Fatal(err)
		}
		for _, x := range p.Findings {
			if x.Line < 1 || x.Message == "" || strings.ContainsAny(x.Message, "\n") {
				t.Errorf("%+v", x)
			}
		}
		if (p.Lock == nil) == (len(p.Findings) == 0) {
			t.Fatal("a lock with findings, or none without")
		}
		if p.Lock == nil {
			return
		}
		stubs.BuildAll(p.Lock.ByConnector())
		once := p.Lock.JSON()
		if err := os.WriteFile(file, once, 0o600); err != nil {
			t.Fatal(err)
		}
		q := &Project{Dir: dir}
		if err := q.readLock(); err != nil || q.Lock == nil || string(q.Lock.JSON()) != string(once) {
			t.Errorf("%v, %v\n%s", err, q.Findings, once)
		}
	})
}

// FuzzRead reads whatever may stand in a file. What is read without a finding is written and read as it was; a finding has a place.
//
//	go test ./internal/project -run '^$' -fuzz FuzzRead -fuzztime 60s
func FuzzRead(f *testing.F) {
	for _, s := range []string{aCase, "a: 1", "- a\n- b: [c, {d: e}]\n", "a: |\n  b\n\n c", "&a b: *a", "? a\n: b", "{a: 1, a: 2}", "a: 1\n---\nb: 2", "\"a\\u0000\": 'b'", "a: >\n b\n", "<<: {a: b}", "%YAML 1.2\n---\na: 1\n",
		"a:\n- b\n-  - c\n   - d", "#", "\ufeff1", "a: !!binary aa", "{{", "[a: b, c]", "a: \"\n\"", "- -1e5\n- 0o7\n- 0x1\n- .5\n- 1_0", ": a", "a:\r\n  b: c\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var found []report.Finding
		d := document{"x.yaml", &found}
		n := d.read([]byte(text))
		for _, x := range found {
			if x.Line < 1 || x.Message == "" || strings.ContainsAny(x.Message, "\n") {
				t.Errorf("%+v", x)
			}
		}
		if n == nil {
			if len(found) == 0 {
				t.Error("nothing is read, and nothing is said")
			}
			return
		}
		if len(found) == 0 {
			raw := n.json()
			if !json.Valid(raw) {
				t.Fatalf("this is no JSON: %s", raw)
			}
			if e := (Entry{"a", raw}); !same(Text(e), []Entry{e}) {
				t.Errorf("%s is written as\n%s", raw, Text(e))
			}
		}
		found = nil
		r := caseReader{document: document{"x.yaml", &found}, c: &Case{}}
		r.readAll(r.read([]byte(text)))
	})
}
