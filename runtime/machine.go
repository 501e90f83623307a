package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/runlace/runlace/hostfuncs"
)

// run is the host's side of one run. Host functions find it in the context that the guest was called with. It is the
// hostfuncs.Machine of its session.
type run struct {
	slot     *slot
	ctx      context.Context
	closing  func() bool // whether the engine is being closed
	meter    meter
	clock    clock
	random   random
	session  hostfuncs.Session
	source   string // of the workflow
	walking  bool   // the guest is telling its frames
	unwound  bool   // the guest did not return from its entry point
	maxError int    // bytes of the guest's error report
}

type runKey struct{}

func runOf(ctx context.Context) *run { return ctx.Value(runKey{}).(*run) }

// Charge implements hostfuncs.Machine.
func (r *run) Charge(units int64) error { return r.meter.charge(units) }

// OutOfFuel implements hostfuncs.Machine.
func (r *run) OutOfFuel() error {
	if r.walking {
		return errWalk
	}
	if err := r.meter.refill(); err != nil {
		return err
	}
	return r.Interrupted()
}

// Interrupted implements hostfuncs.Machine.
func (r *run) Interrupted() error {
	if r.ctx.Err() == nil {
		return nil
	}
	switch {
	case r.closing():
		return ErrClosed
	case errors.Is(r.ctx.Err(), context.DeadlineExceeded):
		return &hostfuncs.Stop{Code: CodeTimeout, Message: "the run took longer than its time limit on the wall clock"}
	default:
		return &hostfuncs.Stop{Code: CodeCancelled, Message: "the run was cancelled"}
	}
}

// Advance implements hostfuncs.Machine.
func (r *run) Advance(d time.Duration) { r.clock.advance(int64(d)) }

// Elapsed implements hostfuncs.Machine.
func (r *run) Elapsed() time.Duration { return time.Duration(r.clock.elapsed) }

// Line implements hostfuncs.Machine.
func (r *run) Line() int { return lineOf(r.where()) }
