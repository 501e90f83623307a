package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/compiler"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/runtime"
)

// workflow is a workflow of a project, in the terms of a check.
type workflow struct {
	compiler.Source
	file      string // workflow.py, as findings have it
	settings  string // workflow.yaml, likewise
	text      []byte // of both
	scenarios []*scenario
	outputs   *schema.Validator // nil: nothing is declared
	defined   int               // the line of run
}

var definition = regexp.MustCompile(`(?m)^def\s+run\b`)

// prepare computes what the checks need.
func (w *workflow) prepare() {
	w.defined = 1
	if at := definition.FindStringIndex(w.Code); at != nil {
		w.defined = 1 + strings.Count(w.Code[:at[0]], "\n")
	}
	if len(w.Outputs) > 0 {
		w.outputs, _ = schema.Compile(w.Outputs) // one that cannot be read is the compiler's to refuse
	}
}

// code is a line of the workflow's code.
func (w *workflow) code(line int) report.Place { return report.Place{File: w.file, Line: line} }

// compile compiles a workflow against the lock. A problem is a finding; an error is not the workflow's doing.
func (k *kit) compile(ctx context.Context, w *workflow) (*compiled, error) {
	out, problems, err := k.compiler.Compile(ctx, w.Source, k.catalog)
	if err != nil {
		return nil, err
	}
	c := &compiled{}
	for _, p := range problems {
		c.Findings = append(c.Findings, k.problem(w, p))
	}
	if out == nil {
		return c, nil
	}
	for _, p := range out.Pins {
		c.Tools = append(c.Tools, tool{p.Connector, p.Tool})
	}
	c.Code, c.Fuel = out.Program.Code, out.Program.Fuel
	return c, nil
}

var attribute = regexp.MustCompile(`Cannot access attribute "(\w+)" for class "(\w+)\*?"`)

// problem is a problem of the compiler as a finding. A connector or a tool that the lock lacks, and that is like none in it, is not taken for
// misspelled.
func (k *kit) problem(w *workflow, p compiler.Problem) report.Finding {
	at := report.Place{File: w.file, Line: p.Line, Column: p.Column}
	if p.Stage == compiler.StageValidate {
		at = report.Place{File: w.settings, Line: 1}
	}
	f := report.Finding{Place: at, Code: p.Code, Message: p.Message, Hint: p.Hint, Workflow: w.Name}
	if name, ok := k.unlocked(p); ok {
		f = report.New("not-in-lock", at, "runlace.lock has no %s", name)
		f.Workflow = w.Name
		if rest := strings.TrimSpace(strings.TrimPrefix(p.Hint, ".")); rest != "" {
			f.Hint += ". " + rest
		}
	}
	return f
}

// unlocked tells whether a problem is a tool that the lock may just not have yet.
func (k *kit) unlocked(p compiler.Problem) (string, bool) {
	if strings.HasPrefix(p.Hint, "write ") { // there is one of nearly that name
		return "", false
	}
	if p.Code == "unknown-connector" {
		return "connector as in: " + p.Message, true
	}
	m := attribute.FindStringSubmatch(p.Message)
	if m == nil || p.Code != "reportAttributeAccessIssue" {
		return "", false
	}
	if m[2] == "Ctx" {
		return "connector " + m[1], true
	}
	i := slices.IndexFunc(k.catalog.Connectors, func(c compiler.Connector) bool { return c.Class == m[2] })
	if i < 0 {
		return "", false
	}
	return fmt.Sprintf("tool %s of the connector %s", m[1], k.catalog.Connectors[i].Name), true
}

// rehearseCase runs a case, as often as there is something to learn from it.
func (k *kit) rehearseCase(ctx context.Context, w *workflow, p *runtime.Program, s *scenario, chaos bool) (*rehearsed, *run, error) {
	c := &comparison{workflow: w, scenario: s}
	if wrong := w.wrongInputs(s); len(wrong) > 0 {
		c.find("invalid-inputs", s.AtInputs, "the case's inputs are not what the workflow declares: %s", fields(wrong))
		return &rehearsed{Findings: c.findings}, nil, nil
	}
	r, err := k.rehearse(ctx, p, s, twist{fails: s.failures()})
	if limit := (*runtime.LimitError)(nil); errors.As(err, &limit) {
		c.find("bad-config", report.Place{File: w.settings, Line: 1}, "a limit is out of range: %s", strings.TrimPrefix(limit.Error(), "runtime: "))
		return &rehearsed{Findings: c.findings}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c.compare(r)
	out := &rehearsed{Fuel: r.result.Fuel, Calls: r.result.Calls}
	if r.missing == nil && !limited(r) {
		if err := k.again(ctx, c, p, r); err != nil {
			return nil, nil, err
		}
	}
	out.Findings = c.findings
	if chaos && len(c.findings) == 0 {
		if out.Trials, err = k.chaos(ctx, w, p, s, r); err != nil {
			return nil, nil, err
		}
	}
	return out, r, nil
}

// again runs a case once more as it is, and then with what a server may do otherwise without saying anything else.
func (k *kit) again(ctx context.Context, c *comparison, p *runtime.Program, r *run) error {
	s := c.scenario
	second, err := k.rehearse(ctx, p, s, twist{fails: s.failures()})
	if err != nil {
		return err
	}
	c.repeats(r, second)
	if !s.Probe || len(c.findings) > 0 {
		return nil
	}
	if s.turns() {
		other, err := k.rehearse(ctx, p, s, twist{fails: s.failures(), turned: true})
		if err != nil {
			return err
		}
		c.inAnyOrder(r, other)
	}
	if len(r.steps) > 0 {
		other, err := k.rehearse(ctx, p, s, twist{fails: s.failures(), slower: true})
		if err != nil {
			return err
		}
		c.atAnySpeed(r, other)
	}
	return nil
}

// turns tells whether anything that the run is given has an order of keys.
func (s *scenario) turns() bool {
	return turns(s.Inputs) || slices.ContainsFunc(slices.Concat(s.Answers, s.Acts), func(c project.Call) bool { return turns(c.Result) })
}

// limited tells whether a run was ended by a limit, which takes its time, and again each time.
func limited(r *run) bool {
	if r.result.Err == nil {
		return false
	}
	switch r.result.Err.Code {
	case runtime.CodeCPULimit, runtime.CodeMemoryLimit, runtime.CodeTimeout:
		return true
	}
	return false
}

// completed are inputs as a run gets them: with the values that the schema has for what is left out.
func (w *workflow) completed(inputs json.RawMessage) json.RawMessage {
	if !bytes.Contains(w.Inputs, []byte(`"default"`)) {
		return inputs
	}
	v, err := schema.Compile(w.Inputs)
	if err != nil {
		return inputs // the compiler's to refuse
	}
	return v.Defaults(inputs)
}

func (w *workflow) wrongInputs(s *scenario) []schema.FieldError {
	if len(w.Inputs) == 0 {
		return nil
	}
	v, err := schema.Compile(w.Inputs)
	if err != nil {
		return nil // the compiler's to refuse
	}
	return v.Validate(s.Inputs)
}
