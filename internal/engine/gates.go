package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/words"
	"github.com/runlace/runlace/runtime"
)

// The gates' names, as they are journaled.
const (
	gateInputs     = "inputs"
	gateDrift      = "drift"
	gateConsent    = "consent"
	gateConnectors = "connectors"
	gateOutput     = "output"
)

// attempt is one request on its way through the gates.
type attempt struct {
	engine  *Engine
	request Request
	version store.Version
	stored  bool // whether version is in the store, and the attempt therefore in the journal
	inputs  json.RawMessage
	limits  runtime.Limits
	seed    uint64
	at      time.Time
	uses    []use // the pinned tools
	strict  bool  // a read whose answer is not what its output schema says fails
	result  *Run

	journal *store.Journal   // of a run that is taken up again, and of one that has started
	resumed bool             // the run was in a process before, and has steps
	answers []store.Approval // what persons have said in this run before
	consent *store.Ask       // what a person has just consented to
}

// use is a pinned tool as the run sees it.
type use struct {
	pin       store.Pin
	connector *Connector // nil: not in the catalogue any more
	tool      *catalog.Tool
	risk      store.Risk // as pinned, or stricter by today's policy
	approval  policy.Approval
	key       string // the parameter that gets an idempotency key; empty: none
	python    string
}

// Run takes a request through the gates and runs it. A run that was refused, failed or parked is a Run that is not OK; an error is what is
// not the run's doing.
func (e *Engine) Run(ctx context.Context, r Request) (*Run, error) {
	if r.Mode == "" {
		r.Mode = store.Live
	}
	if r.Mode != store.Live && r.Mode != store.Dry {
		return nil, fmt.Errorf("engine: a request cannot have mode %q", r.Mode)
	}
	f, _, _ := e.settings.now()
	a := &attempt{engine: e, request: r, seed: newSeed(), at: e.now(), limits: withLimits(r.Limits, f.Limits)}
	if r.Seed != nil {
		a.seed = *r.Seed
	}
	if !r.At.IsZero() {
		a.at = r.At.UTC().Truncate(time.Millisecond)
	}
	a.result = newResult(a)
	program, err := a.find(ctx)
	if err == nil && a.result.Fault == nil {
		err = a.pass(ctx, program)
	}
	return a.told(err)
}

func newResult(a *attempt) *Run {
	return &Run{
		Mode: a.request.Mode, DryRun: a.request.Mode == store.Dry, Seed: a.seed, Status: store.Failed, Steps: []Step{},
		Output: json.RawMessage("null"), StartedAt: a.at,
	}
}

// pass takes an attempt through the other gates and runs it.
func (a *attempt) pass(ctx context.Context, p *runtime.Program) error {
	for _, gate := range []func(context.Context) error{a.checkInputs, a.checkDrift, a.checkConsent} {
		if err := gate(ctx); err != nil || a.result.Fault != nil {
			return err
		}
	}
	if !a.request.Queue || !a.stored {
		return a.start(ctx, p)
	}
	run, err := a.engine.store.QueueRun(a.newRun())
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == "secret-input" {
		return a.refuse(gateInputs, f)
	}
	a.result.ID = run.ID
	return err
}

// told is the run as it is told to the caller: what is in the journal, if it got there, so that it is the same however it was run.
func (a *attempt) told(err error) (*Run, error) {
	if err != nil || a.result.ID == "" || a.result.Code == "journal-unwritable" {
		a.redact()
		return a.result, err
	}
	r, err := a.engine.GetRun(a.result.ID)
	if err != nil {
		return nil, err
	}
	r.Executed = Inline
	if a.request.Queue {
		r.Executed = Queued
	}
	return r, nil
}

// redact takes resolved secrets out of what the caller is told: a server may send back what it was given.
func (a *attempt) redact() {
	s, r := a.engine.secrets, a.result
	r.Output, _ = s.JSON(r.Output)
	r.Log, _ = s.Text(r.Log)
	r.Error, _ = s.Text(r.Error)
	if r.Fault != nil {
		f := *r.Fault
		f.Message, f.Detail = r.Error, text(s, f.Detail)
		r.Fault = &f
	}
	if r.Detail != nil {
		d := *r.Detail
		d.Message, d.Traceback = text(s, d.Message), text(s, d.Traceback)
		if len(d.Data) > 0 {
			d.Data, _ = s.JSON(d.Data)
		}
		r.Detail = &d
	}
	for i := range r.Steps {
		if len(r.Steps[i].Error) > 0 {
			r.Steps[i].Error, _ = s.JSON(r.Steps[i].Error)
		}
	}
}

func text(s *store.Secrets, t string) string {
	t, _ = s.Text(t)
	return t
}

// find is the first gate: the workflow and the version exist. Of a source it makes a version that is not stored.
func (a *attempt) find(ctx context.Context) (*runtime.Program, error) {
	e := a.engine
	if a.request.Source != nil {
		if a.request.Mode != store.Dry {
			return nil, errors.New("engine: only a stored version can act")
		}
		c, created, err := e.compile(ctx, *a.request.Source)
		if err != nil {
			return nil, err
		}
		a.result.Name = a.request.Source.Name
		if c == nil {
			a.result.Problems = created.Errors
			a.fail(fault.New("does-not-compile", "the workflow does not pass %s: %s", created.Stage, words.Counted(len(created.Errors), "problem")))
			return nil, nil
		}
		a.version = store.Version{Name: a.request.Source.Name, Code: c.code, Inputs: c.inputs, Outputs: c.outputs, Pins: c.pins}
		return c.program, a.bind()
	}
	v, err := e.store.Version(a.request.Workflow, a.request.Version)
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		a.fail(f)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a.version, a.stored = v, true
	a.result.WorkflowID, a.result.Name, a.result.Version = v.WorkflowID, v.Name, v.Version
	p, err := e.program(ctx, v)
	if err != nil {
		return nil, err
	}
	return p, a.bind()
}

// program returns a version's bytecode for this guest, and keeps it if it had to be made.
func (e *Engine) program(ctx context.Context, v store.Version) (*runtime.Program, error) {
	sb, err := e.theGuest(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := e.store.Program(v.ID, sb.Build())
	if err != nil {
		return nil, err
	}
	if kept != nil {
		return &runtime.Program{Source: v.Code, Code: kept.Code, Build: kept.Guest, Fuel: kept.Fuel}, nil
	}
	p, err := sb.Compile(ctx, v.Code, runtime.Limits{})
	if err != nil {
		return nil, err
	}
	return p, e.store.SaveProgram(v.ID, store.Program{Guest: p.Build, Code: p.Code, Fuel: p.Fuel})
}

// bind looks the pinned tools up in the catalogue.
func (a *attempt) bind() error {
	a.engine.knowSecrets()
	c, err := a.engine.Catalogue()
	if err != nil {
		return err
	}
	f, _, rules := a.engine.settings.now()
	a.strict = f.Results == config.Strict
	approval := a.engine.Approval()
	for _, p := range a.version.Pins {
		u := use{pin: p, risk: p.Risk, python: p.Python}
		if u.connector = c.byName[p.Connector]; u.connector != nil {
			u.tool = u.connector.Tool(p.Tool)
		}
		_, method, _ := strings.Cut(p.Python, ".")
		// What the policy has made read-only is that only for as long as it says so.
		today := rules.Risk(p.Connector, p.Tool, method, catalog.RiskOf(pinnedTool(p).Annotations))
		u.risk = store.Risk(catalog.Stricter(catalog.Risk(p.Risk), today))
		u.approval = rules.Approval(p.Connector, p.Tool, approval)
		// A server ignores a parameter that it does not know, and would act twice.
		if key, _ := rules.Idempotent(p.Connector, p.Tool); key != "" && pinnedTool(p).Takes(key) {
			u.key = key
		}
		a.uses = append(a.uses, u)
	}
	return nil
}

func (a *attempt) checkInputs(context.Context) error {
	v, err := schema.Compile(a.version.Inputs)
	if err != nil {
		return err
	}
	a.inputs = a.request.Inputs
	if len(a.inputs) == 0 {
		a.inputs = json.RawMessage("{}")
	}
	if !json.Valid(a.inputs) {
		return a.refuse(gateInputs, fault.New("invalid-inputs", "the inputs are not JSON"))
	}
	a.inputs = v.Defaults(a.inputs)
	wrong := v.Validate(a.inputs)
	if len(wrong) == 0 && firstByte(a.inputs) != '{' {
		wrong = []schema.FieldError{{Code: "type", Message: "has to be an object"}}
	}
	if len(wrong) == 0 {
		return nil
	}
	a.result.Errors = wrong
	return a.refuse(gateInputs, fault.New("invalid-inputs", "the inputs are not what the workflow takes: %s", fields(wrong)))
}

func (a *attempt) checkDrift(context.Context) error {
	if f := a.drifted(); f != nil {
		return a.refuse(gateDrift, f)
	}
	return nil
}

// drifted says which tools are not what they were; nil if all are.
func (a *attempt) drifted() *fault.Error {
	a.result.Drift = nil
	var names []string
	for _, u := range a.uses {
		if d := driftOf(u.pin, u.tool); d != nil {
			a.result.Drift = append(a.result.Drift, *d)
			names = append(names, d.Connector+"."+d.Tool+" ("+strings.Join(d.Changes, "; ")+")")
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fault.New("schema-drift", "tools have changed since the version was made: %s", strings.Join(names, ", "))
}

// fail puts the fault into the result.
func (a *attempt) fail(f *fault.Error) {
	r := a.result
	r.OK, r.Fault, r.Code, r.Error, r.Hint = false, f, f.Code, f.Message, f.Hint
}

// refuse ends the attempt at a gate, and journals it.
func (a *attempt) refuse(gate string, f *fault.Error) error {
	a.fail(f)
	if !a.stored {
		return nil
	}
	failure, err := a.failureJSON()
	if err != nil {
		return err
	}
	if a.journal != nil {
		return a.journal.Finish(store.Finish{Status: store.Failed, Gate: gate, Error: failure})
	}
	run, err := a.engine.store.RefuseRun(a.newRun(), gate, failure)
	if err != nil {
		return err
	}
	a.result.ID, a.result.Status = run.ID, run.Status
	return nil
}

// failure is why a run is not OK, as it is journaled.
type failure struct {
	Code        string              `json:"code"`
	Message     string              `json:"message"`
	Hint        string              `json:"hint,omitempty"` // where it is not the code's own
	Detail      *runtime.Error      `json:"detail,omitempty"`
	Errors      []schema.FieldError `json:"errors,omitempty"`
	Drift       []Drift             `json:"drift,omitempty"`
	SideEffects []ToolUse           `json:"side_effects,omitempty"`
}

func (a *attempt) failureJSON() (json.RawMessage, error) {
	r := a.result
	f := failure{r.Code, r.Error, r.Hint, r.Detail, r.Errors, r.Drift, r.SideEffects}
	if f.Hint == fault.New(r.Code, "").Hint {
		f.Hint = ""
	}
	return json.Marshal(f)
}

func (a *attempt) newRun() store.NewRun {
	limits, _ := json.Marshal(a.limits) // plain numbers
	inputs := a.inputs
	if !json.Valid(inputs) {
		inputs = nil
	}
	return store.NewRun{
		Version: a.version.ID, Mode: a.request.Mode, Inputs: inputs, Seed: a.seed, Guest: a.engine.build(), Limits: limits,
		Confirmed: a.request.Confirm, StartedAt: a.request.At, Approved: a.consent,
	}
}

// connectors are those that the run will really call, in order.
func (a *attempt) connectors() []string {
	var names []string
	for _, u := range a.uses {
		if a.request.Mode == store.Dry && u.risk != store.ReadOnly {
			continue
		}
		if !slices.Contains(names, u.pin.Connector) {
			names = append(names, u.pin.Connector)
		}
	}
	sort.Strings(names)
	return names
}

func pinnedTool(p store.Pin) catalog.Tool {
	t := catalog.Tool{Connector: p.Connector, Name: p.Tool, InputSchema: p.InputSchema, OutputSchema: p.OutputSchema, Observed: p.Observed, Risk: catalog.Risk(p.Risk), Digest: p.Digest}
	_ = json.Unmarshal(p.Annotations, &t.Annotations) // what cannot be read is a difference
	return t
}

func fields(wrong []schema.FieldError) string {
	var out []string
	for _, w := range wrong {
		out = append(out, w.String())
	}
	return strings.Join(out, "; ")
}

func firstByte(b []byte) byte {
	for _, c := range b {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// withLimits fills in the zero fields of l.
func withLimits(l, from runtime.Limits) runtime.Limits {
	l.Fuel, l.MemoryBytes = cmp.Or(l.Fuel, from.Fuel), cmp.Or(l.MemoryBytes, from.MemoryBytes)
	l.Calls, l.ArgumentBytes, l.ResultBytes = cmp.Or(l.Calls, from.Calls), cmp.Or(l.ArgumentBytes, from.ArgumentBytes), cmp.Or(l.ResultBytes, from.ResultBytes)
	l.InputBytes, l.OutputBytes, l.LogBytes = cmp.Or(l.InputBytes, from.InputBytes), cmp.Or(l.OutputBytes, from.OutputBytes), cmp.Or(l.LogBytes, from.LogBytes)
	l.Recursion, l.Timeout, l.CallTimeout = cmp.Or(l.Recursion, from.Recursion), cmp.Or(l.Timeout, from.Timeout), cmp.Or(l.CallTimeout, from.CallTimeout)
	return l
}
