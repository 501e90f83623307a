package project

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/fault"
)

// Case is what a workflow is given, and what is expected of it.
//
//	inputs: {week: 12}
//	seed: 1                               # of all randomness
//	at: 2026-01-01T00:00:00Z              # when the run's clock starts
//	probe: false                          # the workflow may depend on the order of keys and on how long tools take
//	answers:                              # of reads, in the order of the calls
//	  - call: files.read_text_file        # or {connector: a.b, tool: c}
//	    arguments: {path: a.txt}          # spelled as the tool has them
//	    result: {content: text}           # or result_file: CASE/1.json; or error: {code: tool-error, message: …}
//	    elapsed: 12ms                     # how far the clock moves; default: not at all
//	acts:                                 # that are expected, in order
//	  - call: files.write_file
//	    arguments: {path: b.txt, content: text}
//	    result: {…}                       # what the workflow sees; default: a stand-in made of the output schema
//	output: {lines: 1}                    # or error: {code: workflow-failed, line: 12, message: …}
//	fail: [{step: 3, error: {code: tool-error, message: down}}]  # or timeout: true, malformed: true, result: {…}
type Case struct {
	Workflow, Name string
	File           string // absolute
	Inputs         json.RawMessage
	Seed           uint64
	At             time.Time
	Probe          bool
	Answers, Acts  []Call
	Output         json.RawMessage  // nil where a failure is expected, and where nothing is said
	Failure        *hostfuncs.Error // expected
	Line           int              // of the workflow, where the failure is expected; 0: not said
	Fails          []Fail
	Warnings       []string // what a recording says of itself in the comment at the top; only to be written

	Text               []byte       // all that the case is made of: its file, and those beside it
	AtInputs, AtResult report.Place // where its file has the inputs, and the output or the error
}

// Call is a call of a tool: a recorded read with its answer, or an act.
type Call struct {
	At        report.Place
	Tool      catalog.Key
	Arguments json.RawMessage  // in wire spelling, as the result
	Result    json.RawMessage  // nil: of an act that is answered with a stand-in
	Err       *hostfuncs.Error // in place of Result
	Elapsed   time.Duration

	ResultFile string // beside the case, that has Result; empty: the case has it
}

// Fail is a step that is made to fail.
type Fail struct {
	At                 report.Place
	Step               int // from 1
	Err                *hostfuncs.Error
	Timeout, Malformed bool
	Result             json.RawMessage
}

// DefaultSeed is the seed of a case that names none.
const DefaultSeed = 1

// DefaultAt is when the clock of a case starts that does not say when.
func DefaultAt() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// caseKeys are the keys of a case.
var caseKeys = []string{"inputs", "seed", "at", "probe", "answers", "acts", "output", "error", "fail"}

// Connectors are those that the case calls, in order of their names.
func (c *Case) Connectors() []string {
	var names []string
	for _, x := range slices.Concat(c.Answers, c.Acts) {
		names = append(names, x.Tool.Connector)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (p *Project) readCases(w *Workflow) error {
	entries, err := os.ReadDir(filepath.Join(w.Dir, CasesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.New("unreadable-file", "%s cannot be read", filepath.Join(w.Dir, CasesDir)).WithDetail(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".yml") {
			file := filepath.Join(w.Dir, CasesDir, e.Name())
			f := report.New("bad-project", report.Place{File: file, Line: 1}, "the file of a case ends in .yaml")
			f.Workflow = w.Name
			p.Findings = append(p.Findings, f)
		}
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok || e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		c, found, err := readCase(w.CaseFile(name), w.Name, name)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			w.Cases = append(w.Cases, c)
		}
		p.Findings = append(p.Findings, found...)
	}
	return nil
}

// readCase reads a case. With findings, it is as far as it could be read.
func readCase(file, workflow, name string) (*Case, []report.Finding, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, nil, err
	}
	var found []report.Finding
	r := caseReader{document: document{file, &found}, c: &Case{
		Workflow: workflow, Name: name, File: file, Seed: DefaultSeed, At: DefaultAt(), Inputs: json.RawMessage("{}"), Probe: true, Text: slices.Clone(text),
	}}
	r.readAll(r.document.read(text))
	for i := range found {
		found[i].Workflow, found[i].Case = workflow, name
	}
	return r.c, found, nil
}

type caseReader struct {
	document
	c *Case
}

func (r *caseReader) readAll(n *node) {
	c := r.c
	if n == nil {
		return
	}
	r.keys(n, "a case", caseKeys...)
	c.AtInputs, c.AtResult = n.where("inputs"), n.where("output")
	if v := n.get("inputs"); v != nil {
		if c.Inputs = v.json(); v.scalar != nil || v.list {
			r.wrong(v.at, "inputs is a mapping")
		}
	}
	if v := n.get("seed"); v != nil {
		seed, err := strconv.ParseUint(v.text(), 10, 64)
		if err != nil {
			r.wrong(v.at, "a seed is a whole number from 0")
		}
		c.Seed = seed
	}
	if v := n.get("at"); v != nil {
		at, err := time.Parse(time.RFC3339, v.text())
		if err != nil {
			r.wrong(v.at, "at is a time, as in 2026-01-31T09:30:00Z")
		}
		c.At = at.UTC()
	}
	if v := n.get("probe"); v != nil {
		c.Probe = r.flag(v)
	}
	for _, item := range r.list(n, "answers") {
		c.Answers = append(c.Answers, r.call(item, true))
	}
	for _, item := range r.list(n, "acts") {
		c.Acts = append(c.Acts, r.call(item, false))
	}
	c.Output = n.get("output").json()
	if v := n.get("error"); v != nil {
		c.AtResult = n.where("error")
		r.keys(v, "an expected error", "code", "line", "message")
		c.Failure = &hostfuncs.Error{Code: v.get("code").text(), Message: v.get("message").text()}
		if line := v.get("line"); line != nil {
			c.Line = r.positive(line, "a line")
		}
		if c.Output != nil {
			r.wrong(c.AtResult, "a case expects an output or an error, and not both")
		}
	}
	for _, item := range r.list(n, "fail") {
		c.Fails = append(c.Fails, r.fail(item))
	}
}

// list are the items under a key, which has to have a list.
func (r *caseReader) list(n *node, key string) []*node {
	v := n.get(key)
	if v != nil && !v.list {
		r.wrong(v.at, "%s is a list", key)
	}
	return v.each()
}

func (r *caseReader) flag(n *node) bool {
	switch n.text() {
	case "true":
		return true
	case "false":
		return false
	}
	r.wrong(n.at, "this is true or false")
	return true
}

func (r *caseReader) positive(n *node, what string) int {
	i, err := strconv.Atoi(n.text())
	if err != nil || i < 1 {
		r.wrong(n.at, "%s is a whole number from 1", what)
	}
	return i
}

func (r *caseReader) call(n *node, answer bool) Call {
	r.keys(n, "a call", "call", "arguments", "result", "result_file", "error", "elapsed")
	c := Call{At: n.at, Arguments: json.RawMessage("{}"), Result: n.get("result").json()}
	name := n.get("call")
	if text := name.text(); text != "" {
		c.Tool.Connector, c.Tool.Tool, _ = strings.Cut(text, ".")
	} else if name != nil {
		r.keys(name, "call", "connector", "tool")
		c.Tool = catalog.Key{Connector: name.get("connector").text(), Tool: name.get("tool").text()}
	}
	if c.Tool.Connector == "" || c.Tool.Tool == "" {
		r.wrong(n.at, "a call is written connector.tool, or {connector: …, tool: …}")
	}
	if v := n.get("arguments"); v != nil {
		if c.Arguments = v.json(); v.scalar != nil || v.list {
			r.wrong(v.at, "arguments is a mapping")
		}
	}
	if v := n.get("result_file"); v != nil {
		c.Result, c.ResultFile = r.resultFile(v), v.text()
	}
	if v := n.get("error"); v != nil {
		c.Err = r.failure(v)
	}
	given := 0
	for _, key := range []string{"result", "result_file", "error"} {
		if n.get(key) != nil {
			given++
		}
	}
	if given > 1 || answer && given == 0 {
		r.wrong(n.at, "a recorded answer has a result, a result_file or an error")
	}
	if v := n.get("elapsed"); v != nil {
		d, err := time.ParseDuration(v.text())
		if err != nil || d < 0 {
			r.wrong(v.at, "elapsed is a time span, as in 12ms")
		}
		c.Elapsed = d
	}
	return c
}

// resultFile reads a result that stands in a file beside the case.
func (r *caseReader) resultFile(n *node) json.RawMessage {
	path := filepath.FromSlash(n.text())
	text, err := []byte(nil), fs.ErrInvalid
	if filepath.IsLocal(path) {
		text, err = os.ReadFile(filepath.Join(filepath.Dir(r.file), path))
	}
	if err != nil || !json.Valid(text) {
		r.wrong(n.at, "there is no JSON file %s beside the case", n.text())
		return json.RawMessage("null")
	}
	r.c.Text = append(append(r.c.Text, 0), text...)
	return text
}

func (r *caseReader) failure(n *node) *hostfuncs.Error {
	r.keys(n, "an error", "code", "message", "data")
	if n.get("code").text() == "" {
		r.wrong(n.at, "an error has a code, as tool-error")
	}
	return &hostfuncs.Error{Code: n.get("code").text(), Message: n.get("message").text(), Data: n.get("data").json()}
}

func (r *caseReader) fail(n *node) Fail {
	r.keys(n, "a step that fails", "step", "error", "timeout", "malformed", "result")
	f := Fail{At: n.at, Result: n.get("result").json()}
	if v := n.get("step"); v != nil {
		f.Step = r.positive(v, "a step")
	} else {
		r.wrong(n.at, "a step that fails has a number: step, from 1")
	}
	if v := n.get("timeout"); v != nil {
		f.Timeout = r.flag(v)
	}
	if v := n.get("malformed"); v != nil {
		f.Malformed = r.flag(v)
	}
	if v := n.get("error"); v != nil {
		f.Err = r.failure(v)
	}
	if f.Err == nil && f.Result == nil && !f.Timeout && !f.Malformed {
		r.wrong(n.at, "a step fails with error, timeout: true, malformed: true or another result")
	}
	return f
}
