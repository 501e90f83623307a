package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// errInDoubt ends a run: an act was sent, and nobody knows whether it happened.
var errInDoubt = errors.New("engine: an act is in doubt")

// dispatcher answers the calls of one run.
type dispatcher struct {
	attempt  *attempt
	journal  *store.Journal // nil: a rehearsal of a source that is not stored
	sessions map[string]*connector.Session
	methods  map[string]*target // by "attr.method"
	seq      int
	steps    []Step
	lost     *connector.Error // why the run is over, after errInDoubt
}

// target is a tool that the version may call.
type target struct {
	use    use
	method *stubs.Method
}

func newDispatcher(a *attempt, sessions map[string]*connector.Session) *dispatcher {
	d := &dispatcher{attempt: a, sessions: sessions, methods: map[string]*target{}}
	for _, u := range a.uses {
		d.methods[u.python] = &target{u, u.connector.Stubs.Tool(u.pin.Tool)}
	}
	return d
}

// call is the one function that every call of a workflow goes through. The limits on calls and sizes have been kept by then.
func (d *dispatcher) call(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	if c.IsModel() {
		return failed("no-model-configured", "no model is configured for ctx.ai", nil, 0), nil
	}
	t := d.methods[c.Connector+"."+c.Tool]
	if t == nil {
		return failed("unknown-tool", fmt.Sprintf("ctx.%s.%s is not among the tools that this version was compiled with", c.Connector, c.Tool), nil, 0), nil
	}
	wire, err := t.method.ArgumentsToWire(c.Arguments)
	if err != nil {
		return failed("invalid-arguments", err.Error(), nil, 0), nil
	}
	step := store.NewStep{Seq: d.seq + 1, Connector: t.use.pin.Connector, Tool: t.use.pin.Tool, Risk: t.use.risk, Arguments: wire}
	act := t.use.risk != store.ReadOnly
	if wrong := t.method.CheckArguments(wire); len(wrong) > 0 {
		return d.answered(step, invalidArguments(t, wrong), false)
	}
	if act && d.attempt.request.Mode == store.Dry {
		return d.answered(step, hostfuncs.Answer{Value: t.method.ResultToPython(t.method.StandIn())}, true)
	}
	if act && !d.attempt.consented() {
		// The gate has let the run through without it: a fault of ours, and still nothing is sent.
		return hostfuncs.Answer{}, fmt.Errorf("engine: %s.%s would act without consent", step.Connector, step.Tool)
	}
	return d.send(ctx, t, step, act)
}

// answered journals a step that is answered without being sent.
func (d *dispatcher) answered(n store.NewStep, a hostfuncs.Answer, simulated bool) (hostfuncs.Answer, error) {
	d.begin(n, simulated)
	o := store.Outcome{State: store.StepOK, Result: a.Value}
	if a.Err != nil {
		o = store.Outcome{State: store.StepError, Error: errorJSON(a.Err)}
	}
	if d.journal != nil {
		if err := d.journal.Answered(n, o, simulated); err != nil {
			return hostfuncs.Answer{}, err
		}
	}
	d.end(o.State, a.Err, 0)
	return a, nil
}

// send journals the intent, sends the call, and journals what came of it.
func (d *dispatcher) send(ctx context.Context, t *target, n store.NewStep, act bool) (hostfuncs.Answer, error) {
	s := d.sessions[n.Connector]
	if s == nil {
		return hostfuncs.Answer{}, fmt.Errorf("engine: connector %s is not open", n.Connector)
	}
	if d.journal != nil {
		if err := d.journal.Intent(n, act); err != nil {
			return hostfuncs.Answer{}, err
		}
	}
	d.begin(n, false)
	start := time.Now()
	result, err := s.Call(ctx, n.Tool, n.Arguments)
	took := time.Since(start).Truncate(time.Microsecond)

	answer, raw := d.outcome(t, result, err, took)
	o := store.Outcome{State: store.StepOK, Result: raw, Elapsed: took}
	if answer.Err != nil {
		o.State, o.Result, o.Error = store.StepError, nil, errorJSON(answer.Err)
	}
	lost := (*connector.Error)(nil)
	doubt := act && errors.As(err, &lost) && lost.Outcome == connector.Unknown
	if doubt {
		o.State, d.lost = store.StepInDoubt, lost
	}
	if d.journal != nil {
		if err := d.journal.Outcome(n.Seq, o); err != nil && !errors.Is(err, store.ErrNotJSON) {
			return hostfuncs.Answer{}, err
		}
	}
	d.end(o.State, answer.Err, took)
	if doubt {
		return hostfuncs.Answer{}, errInDoubt
	}
	return answer, nil
}

// outcome makes the workflow's answer of what a call came to, and the form of it that is journaled.
func (d *dispatcher) outcome(t *target, r connector.Result, err error, took time.Duration) (hostfuncs.Answer, json.RawMessage) {
	if err != nil {
		f := (*fault.Error)(nil)
		if errors.As(err, &f) {
			return failed(f.Code, err.Error()+lastWords(err), lastLines(err), took), nil
		}
		return failed("tool-error", err.Error(), nil, took), nil
	}
	value := unwrap(r)
	if r.IsError {
		return failed("tool-error", errorText(r), r.Structured, took), nil
	}
	return hostfuncs.Answer{Value: t.method.ResultToPython(value), Elapsed: took}, value
}

// told is how many of a server's last lines go into a message.
const told = 5

// lastWords are the last lines that a lost server wrote to its standard error, for a message.
func lastWords(err error) string {
	lost := (*connector.Error)(nil)
	if !errors.As(err, &lost) || len(lost.Stderr) == 0 {
		return ""
	}
	return "; its last words: " + strings.Join(lost.Stderr[max(0, len(lost.Stderr)-told):], " / ")
}

// lastLines are all of them, as an error's data.
func lastLines(err error) json.RawMessage {
	lost := (*connector.Error)(nil)
	if !errors.As(err, &lost) || len(lost.Stderr) == 0 {
		return nil
	}
	b, _ := json.Marshal(map[string][]string{"stderr": lost.Stderr}) // strings can always be written
	return b
}

func failed(code, message string, data json.RawMessage, took time.Duration) hostfuncs.Answer {
	return hostfuncs.Answer{Err: &hostfuncs.Error{Code: code, Message: message, Data: data}, Elapsed: took}
}

func invalidArguments(t *target, wrong []schema.FieldError) hostfuncs.Answer {
	data, _ := json.Marshal(wrong)
	return failed("invalid-arguments", fmt.Sprintf("the arguments of ctx.%s are not what the tool takes: %s", t.use.python, fields(wrong)), data, 0)
}

func errorJSON(e *hostfuncs.Error) json.RawMessage {
	b, err := json.Marshal(e)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"code": e.Code, "message": e.Message})
	}
	return b
}

func (d *dispatcher) begin(n store.NewStep, simulated bool) {
	d.seq = n.Seq
	d.steps = append(d.steps, Step{Seq: n.Seq, Connector: n.Connector, Tool: n.Tool, Risk: n.Risk, State: store.StepIntent, Simulated: simulated})
	d.attempt.observe(Event{Kind: "step", Seq: n.Seq, Connector: n.Connector, Tool: n.Tool, Simulated: simulated})
}

func (d *dispatcher) end(state store.StepState, failure *hostfuncs.Error, took time.Duration) {
	s := &d.steps[len(d.steps)-1]
	s.State, s.DurationMS = state, took.Milliseconds()
	e := Event{Kind: "stepped", Seq: s.Seq, Connector: s.Connector, Tool: s.Tool, Simulated: s.Simulated, State: string(state), Elapsed: took}
	if failure != nil {
		s.Error, e.Code = errorJSON(&hostfuncs.Error{Code: failure.Code, Message: failure.Message}), failure.Code
	}
	d.attempt.observe(e)
}

func (a *attempt) observe(e Event) {
	if a.request.Observe != nil {
		a.request.Observe(e)
	}
}

// start opens the connectors, runs the program, and brings the run to its end.
func (a *attempt) start(ctx context.Context, p *runtime.Program) error {
	e := a.engine
	names := a.connectors()
	for _, n := range names {
		a.observe(Event{Kind: "opening", Connector: n})
	}
	set := e.pool.OpenAll(ctx, names)
	defer set.Release()
	for _, n := range names {
		if err := set.Failed[n]; err != nil {
			f := (*fault.Error)(nil)
			if !errors.As(err, &f) {
				f = fault.New("connector-unreachable", "%s", err.Error())
			}
			told := *f
			told.Message += lastWords(err)
			return a.refuse(gateConnectors, &told)
		}
		a.observe(Event{Kind: "opened", Connector: n})
	}
	d := newDispatcher(a, set.Sessions)
	if a.stored {
		j, err := e.store.StartRun(a.newRun())
		if err != nil {
			return err
		}
		d.journal, a.result.ID = j, j.Run().ID
		defer beat(j)()
	}
	a.observe(Event{Kind: "started"})
	start := time.Now()
	res, err := e.sandboxDone.Run(ctx, p, runtime.Job{Inputs: a.inputs, Seed: a.seed, At: a.at, Limits: a.limits, Host: d.call})
	a.result.Duration = time.Since(start)
	a.result.DurationMS = a.result.Duration.Milliseconds()
	a.result.Steps = append(a.result.Steps, d.steps...)
	if err != nil && !errors.Is(err, errInDoubt) {
		a.abandon(d, err)
		return err
	}
	// Also when it was the run's own end (its time limit, an interruption) that cut the act off.
	return a.finish(d, res, d.lost != nil)
}

// beat renews the hold on a run until the function that it returns is called.
func beat(j *store.Journal) func() {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(10 * time.Second)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				if j.Beat() != nil {
					return
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// abandon ends the run in the journal after an error that is not the run's.
func (a *attempt) abandon(d *dispatcher, why error) {
	if d.journal == nil {
		return
	}
	failure, _ := json.Marshal(map[string]string{"code": "internal", "message": why.Error()})
	_ = d.journal.Finish(store.Finish{Status: store.Failed, Error: failure}) // the error that led here is the one to report
}

// finish is the last gate, and writes the run's end.
func (a *attempt) finish(d *dispatcher, res *runtime.Result, doubt bool) error {
	r := a.result
	r.Log, r.Fuel = res.Log, res.Fuel
	for _, s := range d.steps {
		if s.Simulated {
			r.Simulated = append(r.Simulated, ToolUse{Connector: s.Connector, Tool: s.Tool, Risk: s.Risk})
		}
	}
	end := store.Finish{Status: store.Completed, Output: res.Output, Log: res.Log, Fuel: res.Fuel, MemoryBytes: res.MemoryBytes, Calls: res.Calls}
	switch {
	case doubt:
		end.Status = store.InDoubt
		a.fail(fault.New("in-doubt", "an act was sent, and nobody knows whether it happened: %s", d.lost.Error()+lastWords(d.lost)))
	case res.Err != nil:
		end.Status = store.Failed
		if res.Err.Code == runtime.CodeCancelled {
			end.Status = store.Cancelled
		}
		r.Detail = res.Err
		a.fail(runFault(res.Err))
	default:
		r.Output = res.Output
		wrong, err := a.wrongOutput(res.Output)
		if err != nil {
			return err
		}
		if len(wrong) > 0 {
			end.Status, end.Gate, r.Errors = store.Failed, gateOutput, wrong
			a.fail(fault.New("invalid-output", "what the workflow returned is not what it declares: %s", fields(wrong)))
		}
	}
	r.Status = end.Status
	r.OK = end.Status == store.Completed
	if r.Fault != nil {
		end.Error, _ = json.Marshal(map[string]any{"code": r.Code, "message": r.Error, "detail": r.Detail, "errors": r.Errors})
	}
	if d.journal == nil {
		return nil
	}
	return d.journal.Finish(end)
}

// wrongOutput is what is wrong with an output by the schema that is declared for it, if one is.
func (a *attempt) wrongOutput(output json.RawMessage) ([]schema.FieldError, error) {
	if len(a.version.Outputs) == 0 {
		return nil, nil
	}
	v, err := schema.Compile(a.version.Outputs)
	if err != nil {
		return nil, err
	}
	return v.Validate(output), nil
}

// runFault is the failure of a run in the user's terms: a limit, a lost connector, or the workflow itself.
func runFault(e *runtime.Error) *fault.Error {
	switch e.Code {
	case runtime.CodeException, runtime.CodeToolError, runtime.CodeImportRefused, runtime.CodeOutputInvalid, runtime.CodeExit, runtime.CodeMissingRun:
		code := "workflow-failed"
		var data struct{ Code string }
		if json.Unmarshal(e.Data, &data) == nil && data.Code == connector.CodeLost {
			code = connector.CodeLost
		}
		return fault.New(code, "%s", e.Message)
	}
	return fault.New(e.Code, "%s", e.Message)
}
