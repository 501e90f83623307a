package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// recordOf reads the steps of a run one at a time: together they may be large.
func (e *Engine) recordOf(run string) *record {
	return &record{step: func(seq int) (store.Step, bool, error) {
		s, err := e.store.Step(run, seq)
		if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == "unknown-step" {
			return s, false, nil
		}
		return s, err == nil, err
	}}
}

// ResumeOptions say how to take a run up again.
type ResumeOptions struct {
	Person  Person      // asks whoever is there; may be nil
	Observe func(Event) // as in Request
}

// Resume continues a run that was interrupted, or one that is in the queue: what the journal has is answered from it, the rest is live. An act in doubt
// stops it, unless the policy says that the tool may be called again.
func (e *Engine) Resume(ctx context.Context, id string, o ResumeOptions) (*Run, error) {
	if _, err := e.resumable(ctx, id); err != nil {
		return nil, err
	}
	j, err := e.store.Adopt(id, e.build())
	if moved := (*store.TransitionError)(nil); errors.As(err, &moved) {
		return nil, fault.New("still-running", "another process was faster: run %s is %s", id, moved.From)
	}
	if err != nil {
		return nil, err
	}
	if err := e.takeUp(ctx, j, o); err != nil {
		return nil, err
	}
	r, err := e.GetRun(id)
	if r != nil {
		r.Executed = Inline
	}
	return r, err
}

// Enqueue puts a run that could be resumed into the queue, for the process that drains it.
func (e *Engine) Enqueue(ctx context.Context, id string) (*Run, error) {
	run, err := e.resumable(ctx, id)
	if err != nil {
		return nil, err
	}
	if run.Status != store.Queued {
		_, err := e.store.Move(id, store.Queued, nil)
		if moved := (*store.TransitionError)(nil); errors.As(err, &moved) {
			return nil, fault.New("still-running", "another process was faster: run %s is %s", id, moved.From)
		}
		if err != nil {
			return nil, err
		}
	}
	return e.GetRun(id)
}

// resumable returns a run that may be taken up again, or says why it may not.
func (e *Engine) resumable(ctx context.Context, id string) (run store.Run, err error) {
	if err := e.Settle(); err != nil {
		return run, err
	}
	if run, err = e.store.Run(id); err != nil {
		return run, err
	}
	if run.Status == store.InDoubt {
		if err := e.clearDoubts(run); err != nil {
			return run, err
		}
		if run, err = e.store.Run(id); err != nil {
			return run, err
		}
	}
	switch run.Status {
	case store.Interrupted, store.Queued:
	case store.AwaitingApproval:
		return run, awaiting(id)
	case store.Running:
		return run, fault.New("still-running", "run %s is running, in process %d on %s", id, run.Executor.PID, run.Executor.Host)
	default:
		return run, fault.New("not-resumable", "run %s is %s, which is its end", id, run.Status)
	}
	if secret, err := e.hidesSecret(id); err != nil || secret != nil {
		return run, errors.Join(err, asError(secret))
	}
	a, _, err := e.attemptOf(ctx, run)
	if err != nil {
		return run, err
	}
	if drift := a.drifted(); drift != nil {
		return run, drift // it stays as it is: the tools may come back
	}
	return run, nil
}

// asError makes an error of a fault, or nil of none.
func asError(f *fault.Error) error {
	if f == nil {
		return nil
	}
	return f
}

// takeUp brings a run that this process has adopted to its next end, through all gates anew.
func (e *Engine) takeUp(ctx context.Context, j *store.Journal, o ResumeOptions) error {
	run := j.Run()
	e.at("claimed", run.ID, 0)
	a, program, err := e.attemptOf(ctx, run)
	if err == nil {
		a.journal, a.resumed = j, run.Steps > 0
		a.request.Person, a.request.Observe = o.Person, o.Observe
		if a.answers, err = e.store.Approvals(run.ID); err == nil {
			return a.pass(ctx, program)
		}
	}
	failure, _ := json.Marshal(map[string]string{"code": "internal", "message": err.Error()})
	return errors.Join(err, j.Finish(store.Finish{Status: store.Failed, Error: failure}))
}

// attemptOf is the attempt that a stored run was.
func (e *Engine) attemptOf(ctx context.Context, run store.Run) (*attempt, *runtime.Program, error) {
	v, err := e.store.VersionByID(run.VersionID)
	if err != nil {
		return nil, nil, err
	}
	mode := run.Mode
	if mode == store.Resume {
		mode = store.Live
	}
	a := &attempt{
		engine: e, version: v, stored: true, seed: run.Seed, at: run.StartedAt, inputs: run.Inputs,
		request: Request{Workflow: v.WorkflowID, Version: v.ID, Mode: mode, Confirm: run.Confirmed, Inputs: run.Inputs},
	}
	if len(run.Limits) > 0 {
		if err := json.Unmarshal(run.Limits, &a.limits); err != nil {
			return nil, nil, fmt.Errorf("engine: limits of run %s: %w", run.ID, err)
		}
	}
	a.result = newResult(a)
	a.result.ID, a.result.WorkflowID, a.result.Name, a.result.Version = run.ID, v.WorkflowID, v.Name, v.Version
	p, err := e.program(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	return a, p, a.bind()
}

// clearDoubts settles the doubts about acts that the policy allows to be called again: those that their servers call idempotent, and those that were
// sent with a key. If a doubt stays, the error says about what.
func (e *Engine) clearDoubts(run store.Run) error {
	doubts, err := e.store.InFlight(run.ID)
	if err != nil {
		return err
	}
	v, err := e.store.VersionByID(run.VersionID)
	if err != nil {
		return err
	}
	var open []string
	for _, s := range doubts {
		if s.State != store.StepInDoubt {
			continue
		}
		if !run.CancelAt.IsZero() || !e.mayResend(v, s) { // of one that is to end, nothing is sent again
			open = append(open, fmt.Sprintf("step %d, %s.%s", s.Seq, s.Connector, s.Tool))
			continue
		}
		if err := e.store.Resend(run.ID, s.Seq); err != nil {
			return err
		}
	}
	if len(open) > 0 {
		return fault.New("in-doubt", "nobody knows whether these acts of run %s happened: %s", run.ID, strings.Join(open, "; "))
	}
	return nil
}

// mayResend tells whether the policy allows an act in doubt to be sent again.
func (e *Engine) mayResend(v store.Version, s store.Step) bool {
	_, _, rules := e.settings.now()
	key, resend := rules.Idempotent(s.Connector, s.Tool)
	if s.Key != "" && s.Key == key {
		return true
	}
	for _, p := range v.Pins {
		if p.Connector == s.Connector && p.Tool == s.Tool {
			t := pinnedTool(p)
			return resend && t.Annotations.IdempotentHint != nil && *t.Annotations.IdempotentHint
		}
	}
	return false
}

// Resolution is a person's word about an act in doubt.
type Resolution struct {
	Happened bool
	Result   json.RawMessage // what it answered, if it happened and that is known; nil: null
}

// Resolve settles an act in doubt. Its run can be resumed when no other is.
func (e *Engine) Resolve(id string, seq int, r Resolution) (*Run, error) {
	if err := e.Settle(); err != nil {
		return nil, err
	}
	o := store.Outcome{State: store.StepOK, Result: r.Result}
	if r.Happened {
		if o.Result == nil {
			o.Result = json.RawMessage("null")
		}
		if !json.Valid(o.Result) {
			return nil, fault.New("invalid-json", "the result is not JSON")
		}
		o.Warnings = []string{"a person has said that it happened"}
	}
	err := e.store.Resolve(id, seq, r.Happened, o)
	if moved := (*store.TransitionError)(nil); errors.As(err, &moved) {
		if moved.From == string(store.StepInDoubt) {
			return nil, fault.New("still-running", "run %s has not come to its end yet", id)
		}
		return nil, fault.New("not-in-doubt", "step %d of run %s is not in doubt: it is %s", seq, id, moved.From)
	}
	if err != nil {
		return nil, err
	}
	return e.GetRun(id)
}
