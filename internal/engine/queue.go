package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
)

// queueLease is the task of draining the queue, which one process of a home has.
const queueLease = "queue"

// DrainOptions say how to drain the queue.
type DrainOptions struct {
	What    string        // this process, for people
	Workers int           // runs at a time; 0: 4
	Poll    time.Duration // how often to look into an empty queue; 0: 200 ms
	Held    func()        // called once the queue is this process's; may be nil
	Report  func(error)   // told of what went wrong with one run; may be nil
}

const (
	defaultWorkers = 4
	defaultPoll    = 200 * time.Millisecond
	leaseBeat      = 10 * time.Second
	maxClaims      = 5 // how often a run that is interrupted again and again is taken up by itself
)

// Drain takes runs from the queue and runs them until ctx is done, then waits for those that it has. They are interrupted, and the next process takes them
// up. One process of a home drains; in another, Drain returns at once with the code lease-held, which says who has it.
func (e *Engine) Drain(ctx context.Context, o DrainOptions) error {
	if o.Workers <= 0 {
		o.Workers = defaultWorkers
	}
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if err := e.store.Hold(queueLease, o.What, e.gone); err != nil {
		return err
	}
	defer func() { _ = e.store.Release(queueLease) }() // it runs out by itself
	if o.Held != nil {
		o.Held()
	}
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	var wg sync.WaitGroup
	wg.Go(func() { lost(e.keepLease(ctx, o)) })
	for range o.Workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				worked, err := e.work(ctx)
				if err != nil {
					o.Report(err)
				}
				if !worked {
					pause(ctx, o.Poll)
				}
			}
		})
	}
	wg.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, store.ErrLost) {
		return fmt.Errorf("engine: another process drains the queue now: %w", cause)
	}
	return nil
}

// keepLease renews the lease, and does what a process that runs for days has to do from time to time. It returns when ctx is done or the lease is lost.
func (e *Engine) keepLease(ctx context.Context, o DrainOptions) error {
	beat := time.NewTicker(leaseBeat)
	defer beat.Stop()
	for {
		if err := e.Settle(); err != nil {
			o.Report(err)
		}
		if err := e.requeue(); err != nil {
			o.Report(err)
		}
		wait := time.NewTimer(time.Second)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				wait.Stop()
				return nil
			case <-beat.C:
				if err := e.store.Renew(queueLease); errors.Is(err, store.ErrLost) {
					wait.Stop()
					return err
				}
			case <-wait.C:
				waiting = false
			}
		}
	}
}

// requeue puts runs back that came from the queue and whose process has gone.
func (e *Engine) requeue() error {
	runs, err := e.store.Runs(store.RunFilter{Statuses: []store.RunStatus{store.Interrupted}, Limit: 1000})
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.QueuedAt.IsZero() || r.Claims >= maxClaims || len(r.Error) > 0 {
			continue
		}
		if secret, err := e.hidesSecret(r.ID); err != nil || secret != nil {
			continue // for runlace resume to explain
		}
		if _, err := e.store.Move(r.ID, store.Queued, nil); err != nil && !errors.As(err, new(*store.TransitionError)) {
			return err
		}
	}
	return nil
}

// work takes one run from the queue and brings it to its end. It reports whether there was one.
func (e *Engine) work(ctx context.Context) (bool, error) {
	if _, err := e.theGuest(ctx); err != nil {
		return false, err
	}
	j, err := e.store.Claim(e.build())
	if err != nil || j == nil {
		return false, err
	}
	// The run outlives ctx for as long as it takes to stop it.
	run, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(ErrLeaving) })()
	if err := e.takeUp(run, j, ResumeOptions{}); err != nil {
		return true, fmt.Errorf("run %s: %w", j.Run().ID, err)
	}
	return true, nil
}

// Drainer tells which process drains the queue; false if none does.
func (e *Engine) Drainer() (store.Lease, bool, error) { return e.store.Lease(queueLease) }

// Wait waits until a run is over or waits for a person, at most for a time; a negative time is for ever. It returns the run as it is then.
func (e *Engine) Wait(ctx context.Context, id string, most time.Duration) (*Run, error) {
	var end <-chan time.Time
	if most >= 0 {
		t := time.NewTimer(most)
		defer t.Stop()
		end = t.C
	}
	const settle = time.Second
	settled := time.Time{}
	for look := 5 * time.Millisecond; ; look = min(2*look, 100*time.Millisecond) {
		if time.Since(settled) >= settle {
			if err := e.Settle(); err != nil {
				return nil, err
			}
			settled = time.Now()
		}
		run, err := e.store.Run(id)
		if err != nil {
			return nil, err
		}
		if run.Status != store.Queued && run.Status != store.Running {
			return e.GetRun(id)
		}
		select {
		case <-ctx.Done():
			return e.GetRun(id)
		case <-end:
			return e.GetRun(id)
		case <-time.After(look):
		}
	}
}

// Cancel ends a run, wherever it stands: in the queue, parked, or running in any process. One that is running has ended when Cancel returns, unless its
// process does not listen for a second; then it is still running.
func (e *Engine) Cancel(ctx context.Context, id, why string) (*Run, error) {
	if err := e.Settle(); err != nil {
		return nil, err
	}
	run, err := e.store.Cancel(id, why)
	if moved := (*store.TransitionError)(nil); errors.As(err, &moved) {
		return nil, fault.New("already-over", "run %s is %s", id, moved.From)
	}
	if err != nil {
		return nil, err
	}
	if run.Status != store.Running {
		return e.GetRun(id)
	}
	e.liveMu.Lock()
	stop := e.live[id]
	e.liveMu.Unlock()
	if stop != nil {
		stop(errCancelled)
	}
	return e.Wait(ctx, id, time.Second)
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
