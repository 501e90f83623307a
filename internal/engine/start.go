package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// errCancelled is why the context of a run ends that somebody has cancelled.
var errCancelled = errors.New("engine: the run was cancelled")

// ErrLeaving, as the cause for which the context of a run ends, says that the process is about to end: the run is interrupted then, not cancelled, and can
// be resumed.
var ErrLeaving = errors.New("engine: the process that runs it is about to end")

// left tells whether a run ends because its process or its caller goes away, and not because somebody has cancelled the run or its time is over.
func left(ctx context.Context) bool {
	why := context.Cause(ctx)
	return why != nil && !errors.Is(why, errCancelled) && !errors.Is(why, context.DeadlineExceeded)
}

// start opens the connectors, runs the program, and brings the run to its end.
func (a *attempt) start(ctx context.Context, p *runtime.Program) error {
	e := a.engine
	names := a.connectors()
	for _, n := range names {
		a.observe(Event{Kind: "opening", Connector: n})
	}
	open := e.open(ctx, names)
	defer open.release()
	for _, n := range names {
		if err := open.failed[n]; err != nil {
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
	d := newDispatcher(a, open.sessions)
	if a.stored && a.journal == nil {
		j, err := e.store.StartRun(a.newRun())
		if err != nil {
			return err
		}
		a.journal = j
	}
	if a.journal != nil {
		run := a.journal.Run()
		d.journal, d.blobs, d.run = a.journal, a.journal, run.ID
		a.result.ID, a.at = run.ID, run.StartedAt
		if a.resumed {
			d.record, d.behind = e.recordOf(run.ID), true
		}
		var end func()
		ctx, end = e.hold(ctx, a.journal)
		defer end()
	}
	a.observe(Event{Kind: "started"})
	start := e.options.Now()
	guest, err := e.theGuest(ctx)
	if err != nil {
		a.abandon(d, err)
		return err
	}
	res, err := guest.Run(ctx, p, runtime.Job{Inputs: a.inputs, Seed: a.seed, At: a.at, Limits: a.limits, Host: d.host})
	a.result.Duration = e.options.Now().Sub(start)
	a.result.DurationMS = a.result.Duration.Milliseconds()
	a.result.Steps = append(a.result.Steps, d.steps...)
	park, diff := (*parkedError)(nil), (*Difference)(nil)
	switch {
	case errors.As(err, &park):
		return a.parkStep(d, res, park)
	case errors.As(err, &diff):
		return a.leave(d, diff)
	case err != nil && !errors.Is(err, errInDoubt):
		return a.stopped(d, err)
	}
	// Also when it was the run's own end (its time limit, an interruption) that cut the act off.
	return a.stopped(d, a.finish(d, res, d.lost != nil, left(ctx)))
}

// hold keeps a run this process's until the function that it returns is called: it renews the lease, and ends the run's context when somebody
// has asked for its end.
func (e *Engine) hold(ctx context.Context, j *store.Journal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	id := j.Run().ID
	e.liveMu.Lock()
	e.live[id] = cancel
	e.liveMu.Unlock()
	stop := e.watch(ctx, j, cancel)
	return ctx, func() {
		stop()
		cancel(nil)
		e.liveMu.Lock()
		delete(e.live, id)
		e.liveMu.Unlock()
	}
}

// tick does what hold has to do from time to time, until the function that it returns is called.
func (e *Engine) tick(_ context.Context, j *store.Journal, cancel context.CancelCauseFunc) (stop func()) {
	const beat, look = 10 * time.Second, 200 * time.Millisecond
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		beats, looks := time.NewTicker(beat), time.NewTicker(look)
		defer beats.Stop()
		defer looks.Stop()
		for {
			select {
			case <-done:
				return
			case <-beats.C:
				if errors.Is(j.Beat(), store.ErrLost) {
					cancel(errCancelled)
					return
				}
			case <-looks.C:
				if asked, err := j.CancelRequested(); err == nil && asked {
					cancel(errCancelled)
					return
				}
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// stopped is what becomes of a run after an error that is not its own. If the store is what fails, as with a full disk, the run comes to rest as soon as that can
// be written, and can be resumed then: what has been done is in the journal, or in doubt.
func (a *attempt) stopped(d *dispatcher, why error) error {
	f := (*fault.Error)(nil)
	if why == nil || d.journal == nil || !errors.As(why, &f) || f.Code != "store-unavailable" && f.Code != "store-busy" {
		if why != nil {
			a.abandon(d, why)
		}
		return why
	}
	a.engine.rest(d.journal)
	a.result.Status = store.Interrupted
	a.fail(fault.New("journal-unwritable", "the journal of run %s cannot be written, so that it was stopped: %s", d.run, f.Message).WithDetail(why).
		WithHint("make room, or repair the disk; then: runlace resume %s", d.run))
	return nil
}

// rest ends a run's stay in this process, now or when the store can be written again.
func (e *Engine) rest(j *store.Journal) {
	if err := j.Finish(store.Finish{Status: store.Interrupted}); err == nil || errors.Is(err, store.ErrLost) {
		return
	}
	e.liveMu.Lock()
	defer e.liveMu.Unlock()
	e.unrested = append(e.unrested, j)
}

// retryRest tries again what rest could not write.
func (e *Engine) retryRest() {
	e.liveMu.Lock()
	list := e.unrested
	e.unrested = nil
	e.liveMu.Unlock()
	for _, j := range list {
		e.rest(j)
	}
}

// abandon ends the run in the journal after an error that is not the run's.
func (a *attempt) abandon(d *dispatcher, why error) {
	if d.journal == nil || errors.Is(why, store.ErrLost) {
		return
	}
	failure, _ := json.Marshal(map[string]string{"code": "internal", "message": why.Error()})
	_ = d.journal.Finish(store.Finish{Status: store.Failed, Error: failure, Duration: a.result.Duration}) // the error that led here is the one to report
}

// leave gives a run back that cannot be continued as it was: it calls something else than what is recorded.
func (a *attempt) leave(d *dispatcher, diff *Difference) error {
	f := fault.New("resume-differs", "the run does not do what it did before: %s", diff.Error())
	a.fail(f)
	if d.journal == nil {
		return diff
	}
	failure, err := a.failureJSON()
	if err != nil {
		return err
	}
	return d.journal.Finish(store.Finish{Status: store.Interrupted, Error: failure, Duration: a.result.Duration})
}

// parkStep parks a run at a step that waits for a person.
func (a *attempt) parkStep(d *dispatcher, res *runtime.Result, p *parkedError) error {
	end := store.Finish{Status: store.AwaitingApproval, Ask: &p.ask, Duration: a.result.Duration}
	if res != nil {
		end.Log, end.Fuel, end.MemoryBytes, end.Calls = res.Log, res.Fuel, res.MemoryBytes, res.Calls
	}
	run := d.journal.Run()
	if secret, err := a.engine.hidesSecret(run.ID); err != nil {
		return err
	} else if secret != nil {
		a.fail(secret)
		failure, err := a.failureJSON()
		if err != nil {
			return err
		}
		return d.journal.Finish(store.Finish{Status: store.Failed, Gate: gateConsent, Error: failure, Log: end.Log, Fuel: end.Fuel, Duration: end.Duration})
	}
	if err := d.journal.Finish(end); err != nil {
		return err
	}
	a.parked(run.ID)
	a.engine.at("parked", run.ID, p.ask.Seq)
	if p.declined {
		_, err := a.engine.store.Reject(run.ID, p.ask.Digest, "refused in the client")
		return err
	}
	return nil
}

// hidesSecret says why a run cannot be taken up again: what it was given or answered contained a secret, which the journal does not have.
func (e *Engine) hidesSecret(id string) (*fault.Error, error) {
	run, err := e.store.Run(id)
	if err != nil {
		return nil, err
	}
	if run.Redacted && bytes.Contains(run.Inputs, []byte(store.Redacted)) {
		return fault.New("secret-in-journal", "the inputs of run %s contained the value of a secret, which the journal does not keep", id), nil
	}
	steps, err := e.store.Steps(id)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if s.Redacted {
			return fault.New("secret-in-journal", "step %d of run %s contained the value of a secret, which the journal does not keep", s.Seq, id), nil
		}
	}
	return nil, nil
}

// finish is the last gate, and writes the run's end.
func (a *attempt) finish(d *dispatcher, res *runtime.Result, doubt, leaving bool) error {
	r := a.result
	r.Log, r.Fuel = res.Log, res.Fuel
	for _, s := range d.steps {
		if s.Simulated {
			r.Simulated = append(r.Simulated, ToolUse{Connector: s.Connector, Tool: s.Tool, Risk: s.Risk})
		}
	}
	end := store.Finish{
		Status: store.Completed, Output: res.Output, Log: res.Log, Fuel: res.Fuel, MemoryBytes: res.MemoryBytes, Calls: res.Calls, Duration: r.Duration,
	}
	switch {
	case doubt:
		end.Status = store.InDoubt
		a.fail(fault.New("in-doubt", "an act was sent, and nobody knows whether it happened: %s", d.lost.Error()+lastWords(d.lost)))
	case res.Err != nil:
		end.Status = store.Failed
		if res.Err.Code == runtime.CodeCancelled {
			end.Status = store.Cancelled
			if leaving && d.journal != nil {
				end.Status = store.Interrupted
			}
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
			a.fail(fault.New("invalid-output", invalidOutput, fields(wrong)))
		}
	}
	r.Status = end.Status
	r.OK = end.Status == store.Completed
	if r.Fault != nil && end.Status != store.Interrupted { // which is no failure of the run: it goes on later
		var err error
		if end.Error, err = a.failureJSON(); err != nil {
			return err
		}
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

// invalidOutput is the message of an output that is not as it is declared.
const invalidOutput = "what the workflow returned is not what it declares: %s"
