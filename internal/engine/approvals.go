package engine

import (
	"context"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

// Approvals lists the questions that wait for a person, oldest first; of a run, all that it has asked.
func (e *Engine) Approvals(run string) ([]store.Approval, error) {
	if err := e.Settle(); err != nil {
		return nil, err
	}
	return e.store.Approvals(run)
}

// Approve gives a person's consent to what a run waits with, and puts the run into the queue: the process that drains it takes it up, or
// [Engine.Resume]. Drift and the policy are looked at again first. With a digest, that of the question that the person has seen, consent to
// anything else is refused. A note is kept with it.
func (e *Engine) Approve(ctx context.Context, id, digest, note string) (*Run, error) {
	if err := e.Settle(); err != nil {
		return nil, err
	}
	run, err := e.store.Run(id)
	if err != nil {
		return nil, err
	}
	if run.Status == store.AwaitingApproval {
		if err := e.look(ctx, run); err != nil {
			return nil, err
		}
	}
	if _, err := e.store.Approve(id, digest, note); err != nil {
		return nil, err
	}
	e.at("approved", id, 0)
	return e.GetRun(id)
}

// look goes through the gates that have to hold when consent is given: a run whose tools have drifted ends, and one for which the policy wants more
// asks anew.
func (e *Engine) look(ctx context.Context, run store.Run) error {
	pending, err := e.store.Approval(run.ID)
	if err != nil {
		return err
	}
	a, _, err := e.attemptOf(ctx, run)
	if err != nil {
		return err
	}
	if a, err = e.lookAgain(ctx, a, run); err != nil {
		return err
	}
	if drift := a.drifted(); drift != nil {
		a.fail(drift)
		failure, err := a.failureJSON()
		if err != nil {
			return err
		}
		if _, err := e.store.Move(run.ID, store.Failed, failure); err != nil {
			return err
		}
		return drift
	}
	acts := a.actsWith(policy.Human, policy.Ask)
	if pending.Seq != 0 { // it is for one step, whose arguments do not change
		acts = usesOf(pending.Acts)
	}
	ask, err := a.ask(acts, pending.Seq, pending.Arguments)
	if err != nil {
		return err
	}
	if ask.Digest == pending.Digest || len(usesOf(ask.Acts)) == 0 {
		return nil
	}
	if err := e.store.AskAgain(run.ID, ask); err != nil {
		return err
	}
	return fault.New("approval-stale", "what run %s needs consent for has changed: %s", run.ID, toolNames(usesOf(ask.Acts)))
}

// lookAgain asks the servers of a run for their tools as they are now: a run may have waited for days. A server that does not answer keeps what is known of
// it; whether it can be reached is another gate's question.
func (e *Engine) lookAgain(ctx context.Context, a *attempt, run store.Run) (*attempt, error) {
	if e.script != nil {
		return a, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, name := range a.connectors() {
		all.Go(func() { _, _ = e.refresh.Refresh(ctx, name) })
	}
	all.Wait()
	again, _, err := e.attemptOf(context.WithoutCancel(ctx), run)
	return again, err
}

// lookTimeout bounds the question to the servers when a person approves.
const lookTimeout = 15 * time.Second

// Reject refuses what a run waits with, and ends it.
func (e *Engine) Reject(id, digest, reason string) (*Run, error) {
	if err := e.Settle(); err != nil {
		return nil, err
	}
	if _, err := e.store.Reject(id, digest, reason); err != nil {
		return nil, err
	}
	return e.GetRun(id)
}

// approvalOf is the question that a run waits with or has asked last; nil if it never asked.
func (e *Engine) approvalOf(id string) (*store.Approval, error) {
	list, err := e.store.Approvals(id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	last := list[0]
	for _, a := range list {
		if a.State == store.ApprovalPending || last.State != store.ApprovalPending {
			last = a
		}
	}
	return &last, nil
}
