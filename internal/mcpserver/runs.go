package mcpserver

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/inputs"
	"github.com/runlace/runlace/internal/store"
)

func (s *Server) runWorkflow(ctx context.Context, c *call, mode store.Mode) (answer, error) {
	var a struct {
		Workflow string `json:"workflow_id"`
		Inputs   json.RawMessage
		Version  string
		Confirm  bool
		Wait     *float64
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	if a.Inputs != nil {
		if _, err := inputs.Parse(a.Inputs); err != nil {
			return answer{}, fault.New("bad-input", "inputs: %v", err)
		}
	}
	h, err := s.answered(c)
	if err != nil {
		return answer{}, err
	}
	if h != nil {
		run, err := s.engine.GetRun(h.run)
		if err != nil {
			return answer{}, err
		}
		if run.DryRun != (mode == store.Dry) || run.Name != a.Workflow && run.WorkflowID != a.Workflow {
			return answer{}, fault.New("unasked-answer", "the call brings an answer that is about run %s of the workflow %s", run.ID, run.Name)
		}
		return s.afterAnswer(ctx, c, h, run, waitFor(a.Wait))
	}
	request := engine.Request{Workflow: a.Workflow, Version: a.Version, Inputs: a.Inputs, Mode: mode, Confirm: a.Confirm, Observe: c.observe}
	request.Queue = s.options.Queue || a.Wait != nil
	run, err := s.engine.Run(ctx, request)
	if err != nil {
		return answer{}, err
	}
	if request.Queue && (run.Status == store.Queued || run.Status == store.Running) { // who drains the queue may have been faster than the answer
		if run, err = s.queued(ctx, c, run.ID, waitFor(a.Wait)); err != nil {
			return answer{}, err
		}
	}
	return s.told(ctx, c, run, waitFor(a.Wait))
}

// forEver is a wait that has no end.
const forEver = time.Duration(-1)

func waitFor(seconds *float64) time.Duration {
	if seconds == nil {
		return forEver
	}
	return time.Duration(math.Min(*seconds, 1e9) * float64(time.Second))
}

// queued waits for a run that is in the queue. Where nobody drains it, this process takes the run up itself, and goes on with it when the caller has
// stopped waiting.
func (s *Server) queued(ctx context.Context, c *call, id string, wait time.Duration) (*engine.Run, error) {
	if s.options.Queue {
		return s.waited(ctx, id, wait)
	}
	start, done := time.Now(), make(chan error, 1)
	s.calls.Go(func() {
		_, err := s.engine.Resume(s.ctx, id, engine.ResumeOptions{Observe: c.observer()})
		done <- err
	})
	var end <-chan time.Time
	if wait >= 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		end = t.C
	}
	select {
	case err := <-done:
		if err != nil && fault.Of(err).Code == "still-running" { // another process of this home drains the queue, and was faster
			if wait >= 0 {
				wait = max(0, wait-time.Since(start))
			}
			return s.waited(ctx, id, wait)
		}
		if err != nil {
			return nil, err
		}
	case <-end:
	case <-ctx.Done():
		if wait == forEver { // the caller has hung up on the run that it was waiting for
			_, _ = s.engine.Cancel(context.WithoutCancel(ctx), id, "the client has cancelled its call")
		}
	}
	run, err := s.engine.GetRun(id)
	if err == nil {
		run.Executed = engine.Inline
	}
	return run, err
}

// waited waits for a run that the process has which drains the queue.
func (s *Server) waited(ctx context.Context, id string, wait time.Duration) (*engine.Run, error) {
	run, err := s.engine.Wait(ctx, id, wait)
	if err == nil {
		run.Executed = engine.Queued
	}
	return run, err
}

// observer tells the client of steps; nil if there is no client to tell.
func (c *call) observer() func(engine.Event) {
	if c == nil {
		return nil
	}
	return c.observe
}

// told is a run as the caller gets it. If it waits for a person and the client can ask one, the question comes first.
func (s *Server) told(ctx context.Context, c *call, run *engine.Run, wait time.Duration) (answer, error) {
	if run.Status == store.AwaitingApproval {
		if a, asked, err := s.ask(ctx, c, run, wait); asked || err != nil {
			return a, err
		}
	}
	waits := run.Status == store.Queued || run.Status == store.Running // which is no failure
	return answer{value: journaled(run), failed: !run.OK && !waits}, nil
}

// resumed takes a run up, where the queue is drained or here.
func (s *Server) resumed(ctx context.Context, c *call, id string, wait time.Duration) (answer, error) {
	run, err := s.queued(ctx, c, id, wait)
	if err != nil {
		return answer{}, err
	}
	return s.told(ctx, c, run, wait)
}

func (s *Server) resumeRun(ctx context.Context, c *call) (answer, error) {
	var a struct {
		Run  string `json:"run_id"`
		Wait *float64
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	h, err := s.answered(c)
	if err == nil && h != nil && h.run != a.Run {
		err = fault.New("unasked-answer", "the call brings an answer that is about run %s", h.run)
	}
	if err != nil {
		return answer{}, err
	}
	run, err := s.engine.GetRun(a.Run)
	switch {
	case err != nil:
		return answer{}, err
	case h != nil:
		return s.afterAnswer(ctx, c, h, run, waitFor(a.Wait))
	case run.Status == store.AwaitingApproval: // the question is put once more, where there is somebody to ask
		return s.told(ctx, c, run, waitFor(a.Wait))
	case s.options.Queue:
		if _, err := s.engine.Enqueue(ctx, a.Run); err != nil {
			return answer{}, err
		}
	}
	return s.resumed(ctx, c, a.Run, waitFor(a.Wait))
}

func (s *Server) getRun(_ context.Context, c *call) (answer, error) {
	id, err := c.run()
	if err != nil {
		return answer{}, err
	}
	run, err := s.engine.GetRun(id)
	if err != nil {
		return answer{}, err
	}
	return answer{value: journaled(run)}, nil
}

// run is the argument run_id.
func (c *call) run() (string, error) {
	var a struct {
		Run string `json:"run_id"`
	}
	err := c.arguments(&a)
	return a.Run, err
}

// listedRun is a run in a list.
type listedRun struct {
	RunID      string          `json:"run_id"`
	Name       string          `json:"name"`
	Version    string          `json:"version"`
	Status     store.RunStatus `json:"status"`
	Mode       store.Mode      `json:"mode"`
	Steps      int             `json:"steps"`
	Code       string          `json:"code,omitempty"`
	CreatedAt  time.Time       `json:"created_at"`
	DurationMS int64           `json:"duration_ms"`
}

func (s *Server) listRuns(_ context.Context, c *call) (answer, error) {
	var a struct {
		Workflow, Before string
		Status           []store.RunStatus
		Limit            int
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	const defaultLimit = 20
	if a.Limit == 0 {
		a.Limit = defaultLimit
	}
	runs, err := s.engine.Store().Runs(store.RunFilter{Workflow: a.Workflow, Before: a.Before, Statuses: a.Status, Limit: a.Limit})
	if err != nil {
		return answer{}, err
	}
	list := []listedRun{}
	for _, r := range runs {
		var why struct{ Code string }
		if len(r.Error) > 0 && r.Status != store.Completed {
			_ = json.Unmarshal(r.Error, &why) // it was written as JSON
		}
		list = append(list, listedRun{r.ID, r.Workflow, r.Version, r.Status, r.Mode, r.Steps, why.Code, r.CreatedAt, r.Duration.Milliseconds()})
	}
	return answer{value: map[string]any{"ok": true, "runs": list}}, nil
}

func (s *Server) cancelRun(ctx context.Context, c *call) (answer, error) {
	var a struct {
		Run    string `json:"run_id"`
		Reason string
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	if a.Reason == "" {
		a.Reason = "cancelled over MCP"
	}
	run, err := s.engine.Cancel(ctx, a.Run, a.Reason)
	if err != nil {
		return answer{}, err
	}
	told := struct {
		OK bool `json:"ok"`
		shownRun
	}{run.Status == store.Cancelled || run.Status == store.Running, journaled(run)}
	switch {
	case run.Status == store.Running:
		told.Hint = "it has been asked to end, and has not yet: look again with get_run"
	case !told.OK && told.Code == "": // it was faster
		f := fault.New("already-over", "run %s is %s", run.ID, run.Status)
		told.Code, told.Error, told.Hint = f.Code, f.Message, f.Hint
	}
	return answer{value: told, failed: !told.OK}, nil
}

func (s *Server) replayRun(ctx context.Context, c *call) (answer, error) {
	id, err := c.run()
	if err != nil {
		return answer{}, err
	}
	r, err := s.engine.Replay(ctx, id, nil)
	if err != nil {
		return answer{}, err
	}
	r.Output, r.Log, r.Calls = nil, "", nil // get_run has them; identical says that they are the same
	if d := r.Difference; d != nil {
		small := *d
		for _, side := range []*json.RawMessage{&small.Recorded, &small.Now} {
			if len(*side) > mostInputs {
				*side, _ = engine.Trim("difference", *side)
			}
		}
		r.Difference = &small
	}
	told := struct {
		OK    bool   `json:"ok"`
		Code  string `json:"code,omitempty"`
		Error string `json:"error,omitempty"`
		Hint  string `json:"hint,omitempty"`
		*engine.Replay
	}{OK: r.Identical, Replay: r}
	if r.Difference != nil {
		f := fault.New("replay-differs", "%s", r.Difference.Error())
		told.Code, told.Error, told.Hint = f.Code, f.Message, f.Hint
	}
	return answer{value: told, failed: !r.Identical}, nil
}
