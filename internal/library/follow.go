package library

import (
	"context"
	"time"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
)

// followed is how often a run that is followed is looked at.
const followed = 100 * time.Millisecond

// Follow calls step for each step of a run as it begins and as it ends, until the run is over or waits, or ctx is done. It returns the run as it is then.
func Follow(ctx context.Context, e *engine.Engine, id string, step func(engine.Step)) (*engine.Run, error) {
	told := []store.StepState{}
	for {
		if err := e.Settle(); err != nil {
			return nil, err
		}
		r, err := e.GetRun(id)
		if err != nil {
			return nil, err
		}
		for i, s := range r.Steps {
			if i == len(told) {
				told = append(told, "")
			}
			if told[i] != s.State {
				told[i] = s.State
				step(s)
			}
		}
		if r.Status != store.Running && r.Status != store.Queued {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return r, nil
		case <-time.After(followed):
		}
	}
}
