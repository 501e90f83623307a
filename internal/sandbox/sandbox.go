// Package sandbox opens the sandbox on behalf of a command.
package sandbox

import (
	"context"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/runtime"
)

// Open opens the sandbox, with its cache in cacheDir (empty: the default). The first time on a machine that takes seconds, in
// which the caller may lose patience: it then gets the error cancelled at once, and what goes on in the background ends with
// the process. progress is told before a step that may take long.
func Open(ctx context.Context, cacheDir string, progress func(string)) (*runtime.Engine, error) {
	type opened struct {
		engine *runtime.Engine
		err    error
	}
	done := make(chan opened, 1)
	go func() {
		e, err := runtime.Open(ctx, runtime.Config{CacheDir: cacheDir, Progress: progress})
		done <- opened{e, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			return r.engine, nil
		}
		if ctx.Err() == nil {
			return nil, fault.New("engine-unavailable", "the sandbox cannot be set up").WithDetail(r.err)
		}
	case <-ctx.Done():
	}
	return nil, fault.New("cancelled", "cancelled before anything was run")
}
