package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// Replay is what came of executing a run once more on the answers that are in the journal. Nothing is sent, and nothing is written.
type Replay struct {
	RunID      string          `json:"run_id"`
	Name       string          `json:"name"`
	Version    string          `json:"version"`
	Status     store.RunStatus `json:"status"` // of the run, as recorded
	Identical  bool            `json:"identical"`
	Complete   bool            `json:"complete"` // false: the record ends before the run does, so that only the calls could be compared
	Steps      int             `json:"steps"`    // that agree
	Recorded   int             `json:"recorded"` // steps in the journal
	Guest      string          `json:"guest"`    // the build of the guest in which the run was recorded
	GuestNow   string          `json:"guest_now"`
	FuelTold   bool            `json:"fuel_compared"` // false: another guest, or another workflow
	Fuel       int64           `json:"fuel"`
	Difference *Difference     `json:"difference,omitempty"` // the first
	Changed    bool            `json:"changed_workflow,omitempty"`
	Problems   []Problem       `json:"problems,omitempty"` // of a changed workflow that does not compile
	Note       string          `json:"note,omitempty"`
	Calls      []ReplayedCall  `json:"calls"`
	Output     json.RawMessage `json:"output"`
	Log        string          `json:"log,omitempty"`
}

// ReplayedCall is a call that agrees with the record.
type ReplayedCall struct {
	Seq       int             `json:"seq"`
	Connector string          `json:"connector"`
	Tool      string          `json:"tool"`
	State     store.StepState `json:"state"`
}

// Replay executes a run once more and compares it with the journal: every call with its arguments and the clock, how it ended, the output, the log, the fuel
// and the memory. With a source, it is that workflow which is executed on the old run's answers; then it tells up to which step they agree.
func (e *Engine) Replay(ctx context.Context, id string, with *Workflow) (*Replay, error) {
	run, err := e.store.Run(id)
	if err != nil {
		return nil, err
	}
	switch {
	case run.Status == store.Running:
		return nil, fault.New("still-running", "run %s is running, in process %d on %s", id, run.Executor.PID, run.Executor.Host)
	case run.Gate != "" && run.Gate != gateOutput && run.Steps == 0, run.StartedAt.IsZero(), run.Steps == 0 && !executed(run):
		return nil, fault.New("never-ran", "run %s is %s, and the workflow was never executed in it", id, run.Status)
	}
	if secret, err := e.hidesSecret(id); err != nil || secret != nil {
		return nil, errors.Join(err, asError(secret))
	}
	a, program, err := e.attemptOf(ctx, run)
	if err != nil {
		return nil, err
	}
	r := &Replay{
		RunID: id, Name: a.version.Name, Version: a.version.Version, Status: run.Status, Recorded: run.Steps, Guest: run.Guest, GuestNow: e.build(),
		Calls: []ReplayedCall{}, Changed: with != nil,
	}
	r.FuelTold = with == nil && run.Guest == r.GuestNow
	if with != nil {
		c, created, err := e.compile(ctx, *with)
		if err != nil {
			return nil, err
		}
		if c == nil {
			r.Problems = created.Errors
			return r, nil
		}
		program = c.program
		a.version = store.Version{Name: a.version.Name, Version: a.version.Version, Code: c.code, Inputs: c.inputs, Outputs: c.outputs, Pins: c.pins}
		a.uses = nil
		if err := a.bind(); err != nil {
			return nil, err
		}
	}
	return r, e.replay(ctx, a, program, run, r)
}

// executed tells whether the guest has run in a run that made no calls.
func executed(run store.Run) bool { return run.Fuel > 0 || run.Log != "" || len(run.Output) > 0 }

func (e *Engine) replay(ctx context.Context, a *attempt, p *runtime.Program, run store.Run, r *Replay) error {
	d := newDispatcher(a, nil)
	d.run, d.record, d.blobs = run.ID, e.recordOf(run.ID), runBlobs{e.store, run.ID}
	d.record.replay = true
	// The wall clock is no part of the record: the machine that replays may be slower.
	a.limits.Timeout, a.limits.CallTimeout = 0, 0
	g, err := e.theGuest(ctx)
	if err != nil {
		return err
	}
	res, err := g.Run(ctx, p, runtime.Job{Inputs: run.Inputs, Seed: run.Seed, At: run.StartedAt, Limits: a.limits, Host: d.host})
	for _, s := range d.steps {
		r.Calls = append(r.Calls, ReplayedCall{s.Seq, s.Connector, s.Tool, s.State})
	}
	r.Steps = len(r.Calls)
	diff := (*Difference)(nil)
	switch {
	case errors.As(err, &diff) && diff.What == DiffExtra && cutOff(run):
		r.Identical, r.Note = true, fmt.Sprintf("the run ended from outside (%s) before the call that comes next", run.Status)
		return nil
	case errors.As(err, &diff):
		r.Difference = e.clean(diff)
		return nil
	case errors.Is(err, errRecordEnds):
		r.Identical, r.Note = true, fmt.Sprintf("the run was %s while step %d was on its way: the record ends there", run.Status, r.Steps+1)
		return nil
	case err != nil:
		return err
	}
	if res.Err != nil && res.Err.Code == runtime.CodeCancelled && ctx.Err() != nil {
		return fault.New("cancelled", "the replay was cancelled")
	}
	r.Fuel, r.Log, r.Output = res.Fuel, text(e.secrets, res.Log), json.RawMessage("null")
	if res.Err == nil {
		r.Output, _ = e.secrets.JSON(res.Output)
	}
	if r.Steps < r.Recorded {
		was, _, err := d.record.step(r.Steps + 1)
		if err != nil {
			return err
		}
		r.Difference = &Difference{What: DiffMissing, Seq: was.Seq, Recorded: callJSON(was.Connector, was.Tool, was.Arguments)}
		return nil
	}
	if cutOff(run) {
		r.Identical, r.Note = true, fmt.Sprintf("the run ended from outside (%s), so that only its calls could be compared", run.Status)
		return nil
	}
	r.Complete = true
	r.Difference = e.compareEnd(a, run, res, r)
	r.Identical = r.Difference == nil
	return nil
}

// cutOff tells whether a run ended, or paused, for a reason outside of it.
func cutOff(run store.Run) bool {
	switch run.Status {
	case store.Completed:
		return false
	case store.Failed:
		f := failure{}
		_ = json.Unmarshal(run.Error, &f) // what cannot be read was not written by us
		return f.Code == runtime.CodeTimeout || f.Code == "internal" || run.Gate != "" && run.Gate != gateOutput
	}
	return true
}

// compareEnd compares all that is known when a run is over.
func (e *Engine) compareEnd(a *attempt, run store.Run, res *runtime.Result, r *Replay) *Difference {
	differ := func(what string, recorded, now json.RawMessage) *Difference {
		if string(recorded) == string(now) {
			return nil
		}
		return &Difference{What: what, Recorded: recorded, Now: now}
	}
	number := func(n int64) json.RawMessage { return json.RawMessage(strconv.FormatInt(n, 10)) }
	then, now := outcomeThen(run), e.outcomeNow(a, res)
	output := json.RawMessage("null")
	if len(run.Output) > 0 {
		output = run.Output
	}
	checks := []*Difference{differ(DiffOutcome, then, now), differ(DiffOutput, output, r.Output), differ(DiffLog, quote(run.Log), quote(r.Log))}
	if r.FuelTold {
		checks = append(checks, differ(DiffFuel, number(run.Fuel), number(res.Fuel)), differ(DiffMemory, number(run.MemoryBytes), number(res.MemoryBytes)))
	}
	for _, d := range checks {
		if d != nil {
			if res.Err != nil {
				d.Line = res.Err.Line
			}
			return d
		}
	}
	return nil
}

// outcome is how a run ended, as far as it is the workflow's doing.
type outcome struct {
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
	Type    string `json:"type,omitempty"`
	Line    int    `json:"line,omitempty"`
}

func (o outcome) json() json.RawMessage {
	b, _ := json.Marshal(o) // plain text and a number
	return b
}

func outcomeThen(run store.Run) json.RawMessage {
	if run.Status == store.Completed {
		return outcome{Code: "completed"}.json()
	}
	f := failure{}
	_ = json.Unmarshal(run.Error, &f) // what cannot be read is a difference
	o := outcome{Code: f.Code, Message: f.Message}
	if f.Detail != nil {
		o.Type, o.Line = f.Detail.Type, f.Detail.Line
	}
	return o.json()
}

func (e *Engine) outcomeNow(a *attempt, res *runtime.Result) json.RawMessage {
	if res.Err != nil {
		f := runFault(res.Err)
		return outcome{f.Code, text(e.secrets, f.Message), res.Err.Type, res.Err.Line}.json()
	}
	wrong, err := a.wrongOutput(res.Output)
	if err != nil {
		return outcome{Code: "internal", Message: err.Error()}.json()
	}
	if len(wrong) > 0 {
		return outcome{Code: "invalid-output", Message: text(e.secrets, fault.New("invalid-output", invalidOutput, fields(wrong)).Message)}.json()
	}
	return outcome{Code: "completed"}.json()
}

// clean takes secrets out of what a difference shows.
func (e *Engine) clean(d *Difference) *Difference {
	d.Recorded, _ = e.secrets.JSON(d.Recorded)
	d.Now, _ = e.secrets.JSON(d.Now)
	return d
}

// runBlobs are the media of a recorded run.
type runBlobs struct {
	store *store.Store
	run   string
}

// PutBlob implements content.Blobs. A replay receives nothing.
func (b runBlobs) PutBlob([]byte) (string, error) {
	return "", errors.New("engine: a replay keeps nothing")
}

// Blob implements content.Blobs.
func (b runBlobs) Blob(digest string) ([]byte, error) { return b.store.RunBlob(b.run, digest) }
