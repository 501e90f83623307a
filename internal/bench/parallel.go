package main

import (
	"context"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

const (
	manyRuns    = 32
	rowLiveRun  = "memory of each live run beyond the first"
	rowLiveSet  = "  with the image's pages counted again for each run"
	lastOfForty = 4 // the last host call of the 40-line workflow
)

// parallel measures the throughput of the 40-line workflow, and what live runs weigh.
func (b *bench) parallel() error {
	w, err := b.loadWorkflows()
	if err != nil {
		return err
	}
	width := []int{1, 2, manyRuns}
	rates := make([]samples, len(width))
	slice := time.Duration(b.samples(700, 200)) * time.Millisecond
	for round := -1; round < b.samples(5, 3); round++ {
		for i, n := range width {
			rate, err := b.throughput(w, n, slice)
			if err != nil {
				return err
			}
			if round >= 0 {
				rates[i] = append(rates[i], rate)
			}
		}
	}
	for i, n := range width {
		r := b.report.add("parallel", fmt.Sprintf("40-line workflow, %d at once", n), "runs/s", rates[i])
		if i > 0 {
			r.against(b.report.row("parallel", "40-line workflow, 1 at once"))
		}
	}
	return b.liveRuns(w)
}

// throughput is how many runs n goroutines complete in a second.
func (b *bench) throughput(w workflows, n int, slice time.Duration) (float64, error) {
	var wait sync.WaitGroup
	var count atomic.Int64
	var failed atomic.Pointer[error]
	start := time.Now()
	for range n {
		wait.Go(func() {
			for time.Since(start) < slice {
				if err := b.do(b.engine, w.forty, w.inputs); err != nil {
					failed.Store(&err)
					return
				}
				count.Add(1)
			}
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(count.Load()) / time.Since(start).Seconds(), nil
}

// liveRuns measures the memory that runs take while each waits in the last host call of the 40-line workflow.
func (b *bench) liveRuns(w workflows) error {
	var one, many resident
	arrived, leave := make(chan struct{}), make(chan struct{})
	failed := make(chan error, manyRuns)
	host := func(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
		if c.Seq == lastOfForty {
			arrived <- struct{}{}
			<-leave
		}
		return answered(ctx, c)
	}
	// An engine of its own: the other one keeps instances for later runs, which would count for nothing here.
	e, err := runtime.Open(b.ctx, runtime.Config{CacheDir: b.cache()})
	if err != nil {
		return err
	}
	defer e.Close()
	var wait sync.WaitGroup
	for i := range manyRuns {
		wait.Go(func() {
			r, err := e.Run(b.ctx, w.forty, runtime.Job{Inputs: w.inputs, Seed: uint64(i), Host: host})
			switch {
			case err != nil:
				failed <- err
			case r.Err != nil:
				failed <- r.Err
			}
		})
		select {
		case <-arrived:
		case err := <-failed:
			close(leave)
			return err
		}
		if i == 0 {
			one, err = residentNow()
			if err != nil {
				b.report.note("memory of live runs is not measured: %v", err)
				break
			}
		}
	}
	if err == nil {
		many, err = residentNow()
	}
	close(leave)
	wait.Wait()
	if err != nil {
		return nil // noted above
	}
	each := func(one, many int64) samples { return samples{float64(many-one) / (manyRuns - 1) / mib} }
	b.report.add("parallel", rowLiveRun, "MiB", each(one.own, many.own))
	b.report.add("parallel", rowLiveSet, "MiB", each(one.set, many.set))
	b.report.note("Memory of live runs: 40-line workflows in their last host call; what the process's proportional set size grows by. " +
		"The resident set size counts a page of the image once for each run that has read it, though it is there once.")
	return nil
}

const mib = 1 << 20

// resident is this process's memory in bytes: its resident set, in which a page counts as often as it is mapped, and its
// proportional set, in which it counts once.
type resident struct{ set, own int64 }

// residentNow measures after garbage has gone.
func residentNow() (resident, error) {
	goruntime.GC()
	debug.FreeOSMemory()
	return readResident()
}
