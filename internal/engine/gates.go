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
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/store"
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
	result  *Run
}

// use is a pinned tool as the run sees it.
type use struct {
	pin       store.Pin
	connector *Connector // nil: not in the catalogue any more
	tool      *catalog.Tool
	risk      store.Risk // as pinned, or stricter by today's policy
	python    string
}

// Run takes a request through the gates and runs it. A run that was refused or failed is a Run that is not OK; an error is what is
// not the run's doing.
func (e *Engine) Run(ctx context.Context, r Request) (*Run, error) {
	if r.Mode == "" {
		r.Mode = store.Live
	}
	if r.Mode != store.Live && r.Mode != store.Dry {
		return nil, fmt.Errorf("engine: a request cannot have mode %q", r.Mode)
	}
	a := &attempt{engine: e, request: r, seed: newSeed(), at: time.Now().UTC().Truncate(time.Millisecond)}
	if r.Seed != nil {
		a.seed = *r.Seed
	}
	if !r.At.IsZero() {
		a.at = r.At.UTC().Truncate(time.Millisecond)
	}
	f, _, _ := e.settings.now()
	a.limits = withLimits(r.Limits, f.Limits)
	a.result = &Run{Mode: r.Mode, DryRun: r.Mode == store.Dry, Seed: a.seed, Status: store.Failed, Steps: []Step{}, Output: json.RawMessage("null"), StartedAt: a.at}

	defer a.redact()
	program, err := a.find(ctx)
	if err != nil || a.result.Fault != nil {
		return a.result, err
	}
	for _, gate := range []func(context.Context) error{a.checkInputs, a.checkDrift, a.checkConsent} {
		if err := gate(ctx); err != nil || a.result.Fault != nil {
			return a.result, err
		}
	}
	return a.result, a.start(ctx, program)
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
			a.fail(fault.New("does-not-compile", "the workflow does not pass %s: %d problems", created.Stage, len(created.Errors)))
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
	sb, err := e.sandboxEngine(ctx)
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
	c, err := a.engine.Catalogue()
	if err != nil {
		return err
	}
	_, _, policy := a.engine.settings.now()
	for _, p := range a.version.Pins {
		u := use{pin: p, risk: p.Risk, python: p.Python}
		if u.connector = c.byName[p.Connector]; u.connector != nil {
			u.tool = u.connector.Tool(p.Tool)
		}
		_, method, _ := strings.Cut(p.Python, ".")
		u.risk = store.Risk(policy.Tighten(p.Connector, p.Tool, method, catalog.Risk(p.Risk)))
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
	for _, u := range a.uses {
		if d := driftOf(u.pin, u.tool); d != nil {
			a.result.Drift = append(a.result.Drift, *d)
		}
	}
	if len(a.result.Drift) == 0 {
		return nil
	}
	var names []string
	for _, d := range a.result.Drift {
		names = append(names, d.Connector+"."+d.Tool+" ("+strings.Join(d.Changes, "; ")+")")
	}
	return a.refuse(gateDrift, fault.New("schema-drift", "tools have changed since the version was made: %s", strings.Join(names, ", ")))
}

// acts are the tools of the version that act.
func (a *attempt) acts() []ToolUse {
	var out []ToolUse
	for _, u := range a.uses {
		if u.risk != store.ReadOnly {
			out = append(out, ToolUse{u.pin.Connector, u.pin.Tool, u.risk, u.pin.Digest})
		}
	}
	return out
}

func (a *attempt) checkConsent(context.Context) error {
	acts := a.acts()
	if a.request.Mode == store.Dry || len(acts) == 0 || a.consented() {
		return nil
	}
	a.result.SideEffects = acts
	var names []string
	for _, t := range acts {
		names = append(names, t.Connector+"."+t.Tool)
	}
	if a.engine.Approval() == config.Human {
		return a.refuse(gateConsent, fault.New("needs-person", "the run acts, and only a person may consent to that: %s", strings.Join(names, ", ")))
	}
	return a.refuse(gateConsent, fault.New("needs-confirmation", "the run acts, and nobody has consented to that: %s", strings.Join(names, ", ")))
}

// consented tells whether acts may be sent. The dispatcher asks it again before each of them.
func (a *attempt) consented() bool {
	switch a.engine.Approval() {
	case config.Allow:
		return true
	case config.Human:
		return false
	default:
		return a.request.Confirm
	}
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
	failure, err := json.Marshal(map[string]any{"code": f.Code, "message": f.Message, "errors": a.result.Errors, "drift": a.result.Drift, "side_effects": a.result.SideEffects})
	if err != nil {
		return err
	}
	run, err := a.engine.store.RefuseRun(a.newRun(), gate, failure)
	if err != nil {
		return err
	}
	a.result.ID, a.result.Status = run.ID, run.Status
	return nil
}

func (a *attempt) newRun() store.NewRun {
	limits, _ := json.Marshal(a.limits) // plain numbers
	inputs := a.inputs
	if !json.Valid(inputs) {
		inputs = nil
	}
	build := ""
	if a.engine.sandboxDone != nil {
		build = a.engine.sandboxDone.Build()
	}
	return store.NewRun{
		Version: a.version.ID, Mode: a.request.Mode, Inputs: inputs, Seed: a.seed, Guest: build, Limits: limits,
		Confirmed: a.request.Confirm, StartedAt: a.at,
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
	t := catalog.Tool{Connector: p.Connector, Name: p.Tool, InputSchema: p.InputSchema, OutputSchema: p.OutputSchema, Risk: catalog.Risk(p.Risk), Digest: p.Digest}
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
