package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/content"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/internal/store"
)

// errInDoubt ends a run: an act was sent, and nobody knows whether it happened.
var errInDoubt = errors.New("engine: an act is in doubt")

// parkedError ends a run's stay in this process: a step waits for a person. The workflow cannot catch it.
type parkedError struct {
	ask      store.Ask
	declined bool // the person has been asked at once, and refused
}

func (*parkedError) Error() string { return "engine: a step waits for a person's consent" }

// dispatcher answers the calls of one run.
type dispatcher struct {
	attempt  *attempt
	journal  *store.Journal // nil: a rehearsal of a source that is not stored, or a replay
	record   *record        // what the journal has of the run; nil: nothing
	sessions map[string]caller
	targets  map[string]*target // by "attr.method"
	blobs    content.Blobs
	run      string // its id
	seq      int
	steps    []Step
	behind   bool             // the clock has not caught up with the time that the run was parked
	lost     *connector.Error // why the run is over, after errInDoubt
}

func newDispatcher(a *attempt, sessions map[string]caller) *dispatcher {
	d := &dispatcher{attempt: a, sessions: sessions, targets: map[string]*target{}, blobs: &content.Memory{}}
	methods := a.engine.methods(a.version)
	for _, u := range a.uses {
		d.targets[u.python] = &target{u, methods[u.python].method}
	}
	return d
}

// host answers what a workflow asks for: as call does, and a failure of a tool has the tool's name.
func (d *dispatcher) host(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	a, err := d.call(ctx, c)
	if t := d.targets[c.Connector+"."+c.Tool]; a.Err != nil && t != nil {
		named := *a.Err
		named.Tool = t.use.pin.Connector + "." + t.use.pin.Tool
		a.Err = &named
	}
	return a, err
}

// call is the one function that every call of a workflow goes through. The limits on calls and sizes have been kept by then.
func (d *dispatcher) call(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	switch {
	case c.Media:
		data, failure := content.Read(c.Arguments, d.blobs)
		return hostfuncs.Answer{Bytes: data, Err: failure}, nil
	case c.IsModel():
		return failed("no-model-configured", "no model is configured for ctx.ai", nil, 0), nil
	}
	t := d.targets[c.Connector+"."+c.Tool]
	if t == nil {
		return failed("unknown-tool", fmt.Sprintf("ctx.%s.%s is not among the tools that this version was compiled with", c.Connector, c.Tool), nil, 0), nil
	}
	wire, err := t.method.ArgumentsToWire(c.Arguments)
	if err != nil {
		return failed("invalid-arguments", err.Error(), nil, 0), nil
	}
	step := store.NewStep{Seq: d.seq + 1, Connector: t.use.pin.Connector, Tool: t.use.pin.Tool, Risk: t.use.risk, Arguments: wire, Clock: c.Clock}
	if d.record != nil {
		a, answered, err := d.recorded(t, &step, c)
		if answered || err != nil {
			return a, err
		}
	} else {
		d.fillKey(t, &step)
	}
	act := t.use.risk != store.ReadOnly
	// What the schema speaks of is what is on the wire: bytes in place of handles. The journal keeps the handles.
	sent, failure := content.Fill(step.Arguments, d.blobs)
	if failure != nil {
		return d.answered(t, step, hostfuncs.Answer{Err: failure}, nil, false)
	}
	if wrong := t.method.CheckArguments(sent); len(wrong) > 0 {
		return d.answered(t, step, invalidArguments(t, wrong), nil, false)
	}
	if act && d.attempt.request.Mode == store.Dry {
		value := t.method.StandIn()
		return d.answered(t, step, hostfuncs.Answer{Value: t.method.ResultToPython(value)}, value, true)
	}
	if act {
		if err := d.mayAct(ctx, t, step); err != nil {
			return hostfuncs.Answer{}, err
		}
	}
	return d.send(ctx, t, step, sent, act)
}

// mayAct is the gate before each act. A run that came here without consent where it was needed before is a fault of ours, and still nothing is sent.
func (d *dispatcher) mayAct(ctx context.Context, t *target, n store.NewStep) error {
	a := d.attempt
	use := toolUse(t.use)
	switch t.use.approval {
	case policy.Allow:
		return nil
	case policy.Ask:
		if a.request.Confirm || a.covered(use) {
			return nil
		}
	case policy.Human:
		if a.covered(use) {
			return nil
		}
	case policy.Each:
		return d.approveStep(ctx, use, n)
	}
	return fmt.Errorf("engine: %s.%s would act without consent", n.Connector, n.Tool)
}

// approveStep asks a person for one step with its exact arguments, unless they have said yes to just that before.
func (d *dispatcher) approveStep(ctx context.Context, use ToolUse, n store.NewStep) error {
	a := d.attempt
	ask, err := a.ask([]ToolUse{use}, n.Seq, n.Arguments)
	if err != nil {
		return err
	}
	for _, p := range a.answers {
		if p.Seq == n.Seq && p.State == store.ApprovalApproved && p.Digest == ask.Digest {
			return nil
		}
	}
	reply, err := a.reply(ctx, ask)
	if err != nil {
		return err
	}
	if reply == Accepted {
		return d.journal.Approved(ask)
	}
	a.engine.at("park", d.run, n.Seq)
	return &parkedError{ask, reply == Declined}
}

// fillKey puts an idempotency key into an act's arguments where the policy names a parameter for it and the workflow has left it out.
func (d *dispatcher) fillKey(t *target, n *store.NewStep) {
	if d.journal == nil || t.use.risk == store.ReadOnly || d.attempt.request.Mode == store.Dry {
		return
	}
	if t.use.key != "" {
		n.Arguments, n.Key = withKey(n.Arguments, t.use.key, d.run, n.Seq)
	}
}

// withKey adds a key of run and step as the parameter, and returns the parameter; "" if the workflow has given it itself.
func withKey(arguments json.RawMessage, parameter, run string, seq int) (json.RawMessage, string) {
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil || given[parameter] != nil {
		return arguments, ""
	}
	field := append(append(quote(parameter), ':'), quote(fmt.Sprintf("runlace-%s-%d", run, seq))...)
	body := strings.TrimSpace(string(arguments))
	if len(given) == 0 {
		return json.RawMessage("{" + string(field) + "}"), parameter
	}
	return json.RawMessage(body[:len(body)-1] + "," + string(field) + "}"), parameter
}

// answered journals a step that is answered without being sent. value is the answer in wire spelling.
func (d *dispatcher) answered(t *target, n store.NewStep, a hostfuncs.Answer, value json.RawMessage, simulated bool) (hostfuncs.Answer, error) {
	d.begin(n, simulated)
	o := store.Outcome{State: store.StepOK, Result: value}
	if a.Err != nil {
		o = store.Outcome{State: store.StepError, Error: errorJSON(a.Err)}
	}
	if d.journal != nil {
		if err := d.journal.Answered(n, o, simulated); err != nil {
			return hostfuncs.Answer{}, err
		}
	}
	d.end(o, a.Err)
	return a, nil
}

// send journals the intent, sends the call, and journals what came of it.
func (d *dispatcher) send(ctx context.Context, t *target, n store.NewStep, sent json.RawMessage, act bool) (hostfuncs.Answer, error) {
	s := d.sessions[n.Connector]
	if s == nil {
		return hostfuncs.Answer{}, fmt.Errorf("engine: connector %s is not open", n.Connector)
	}
	e := d.attempt.engine
	e.at("before-intent", d.run, n.Seq)
	if err := d.intend(n, act); err != nil {
		if d.record != nil && d.record.again == n.Seq && errors.As(err, new(*store.TransitionError)) {
			// The process that had the run before was not gone after all, and has just recorded what came of the step.
			if was, _, err := d.record.step(n.Seq); err == nil && was.State.Final() {
				return d.fromRecord(t, n, was)
			}
		}
		return hostfuncs.Answer{}, err
	}
	e.at("after-intent", d.run, n.Seq)
	d.begin(n, false)
	start := e.options.Now()
	result, err := s.Call(ctx, n.Tool, sent)
	took := e.options.Now().Sub(start).Truncate(time.Microsecond)
	e.at("after-answer", d.run, n.Seq)

	answer, o := d.outcome(t, result, err, took)
	if d.behind {
		d.behind = false
		o.Paused = max(0, e.now().Sub(d.attempt.at)-n.Clock-took)
		answer.Elapsed += o.Paused
	}
	lost := (*connector.Error)(nil)
	// What could not be sent again is as much in doubt as before.
	unsure := d.record != nil && d.record.again == n.Seq && d.record.unsure
	doubt := act && errors.As(err, &lost) && (lost.Outcome == connector.Unknown || lost.Outcome == connector.NotSent && unsure)
	if doubt {
		o.State, d.lost = store.StepInDoubt, lost
	}
	// A read that is given up because the process ends stays in flight, and is repeated when the run is resumed.
	givenUp := err != nil && !act && left(ctx)
	if d.journal != nil && !givenUp {
		if err := d.journal.Outcome(n.Seq, o); err != nil && !errors.Is(err, store.ErrNotJSON) {
			return hostfuncs.Answer{}, err
		}
	}
	e.at("after-record", d.run, n.Seq)
	d.end(o, answer.Err)
	if doubt {
		return hostfuncs.Answer{}, errInDoubt
	}
	return answer, nil
}

// intend journals a step that is about to be sent, for the first time or once more.
func (d *dispatcher) intend(n store.NewStep, act bool) error {
	switch {
	case d.journal == nil:
		return nil
	case d.record != nil && d.record.again == n.Seq:
		return d.journal.Again(n.Seq, act)
	}
	return d.journal.Intent(n, act)
}

// outcome makes the workflow's answer of what a call came to, and what is journaled of it.
func (d *dispatcher) outcome(t *target, r connector.Result, err error, took time.Duration) (hostfuncs.Answer, store.Outcome) {
	o := store.Outcome{State: store.StepOK, Elapsed: took}
	answer := hostfuncs.Answer{Elapsed: took}
	if err != nil {
		answer = failed("tool-error", err.Error(), nil, took)
		if f := (*fault.Error)(nil); errors.As(err, &f) {
			answer = failed(f.Code, err.Error()+lastWords(err), lastLines(err), took)
		}
	} else {
		u := content.Unwrap(r, d.rule(t), d.blobs)
		o.Result, o.Warnings, answer.Err = u.Value, u.Warnings, u.Err
		if u.Err == nil {
			o.Warnings = append(o.Warnings, t.method.Surprises(u.Value)...)
			answer.Value = t.method.ResultToPython(u.Value)
		}
	}
	if answer.Err != nil {
		o.State, o.Result, o.Error = store.StepError, nil, errorJSON(answer.Err)
	}
	return answer, o
}

// rule is what is known of a tool's results.
func (d *dispatcher) rule(t *target) content.Rule {
	rule := content.Rule{Act: t.use.risk != store.ReadOnly, Strict: d.attempt.strict}
	if len(t.use.pin.OutputSchema) > 0 {
		rule.Check = t.method.CheckResult
	}
	return rule
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
	d.attempt.observe(Event{Kind: "step", Seq: n.Seq, Connector: n.Connector, Tool: n.Tool, Simulated: simulated, Risk: n.Risk, Arguments: n.Arguments})
}

func (d *dispatcher) end(o store.Outcome, failure *hostfuncs.Error) {
	s := &d.steps[len(d.steps)-1]
	s.State, s.DurationMS, s.Warnings = o.State, o.Elapsed.Milliseconds(), o.Warnings
	e := Event{
		Kind: "stepped", Seq: s.Seq, Connector: s.Connector, Tool: s.Tool, Simulated: s.Simulated, State: string(o.State), Elapsed: o.Elapsed + o.Paused,
		Risk: s.Risk, Result: o.Result, Failure: o.Error,
	}
	if failure != nil {
		s.Error, e.Code = errorJSON(&hostfuncs.Error{Code: failure.Code, Message: failure.Message}), failure.Code
	}
	d.attempt.observe(e)
}

func (a *attempt) observe(e Event) {
	if a.request.Observe != nil {
		for _, v := range []*json.RawMessage{&e.Arguments, &e.Result, &e.Failure} {
			clean, changed := a.engine.secrets.JSON(*v)
			*v, e.Redacted = clean, e.Redacted || changed
		}
		if a.journal != nil {
			e.Run = a.journal.Run().ID
		}
		a.request.Observe(e)
	}
}

// quote writes text as JSON.
func quote(text string) json.RawMessage { return ordered.AppendString(nil, text) }
