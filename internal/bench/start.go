package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

// Names of rows that the targets look for.
const (
	rowFirst    = "to the first line of the workflow"
	rowTrivial  = "trivial workflow, start to close"
	rowAmong    = "  the same between 40-line ones"
	rowForty    = "40-line workflow, start to close"
	rowCompiled = "40-line workflow, compiled each time"
)

// answered is a host that answers every call at once, as the peers' stub does.
func answered(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	return hostfuncs.Answer{Value: json.RawMessage(`{"found": true, "n": 2}`)}, nil
}

// start compares a fresh interpreter in this process with a fresh process of each peer. The peers import the modules
// that a workflow may import, which the guest has in its image.
func (b *bench) start() error {
	w, err := b.loadWorkflows()
	if err != nil {
		return err
	}
	if err := b.agree(w); err != nil {
		return err
	}
	// An interpreter that a large workflow has used is more work to restore, even after a small one.
	small, err := runtime.Open(b.ctx, runtime.Config{CacheDir: b.cache()})
	if err != nil {
		return err
	}
	defer small.Close()
	rounds, runs := b.samples(20, 5), b.samples(50, 20)
	guest := []struct {
		name string
		do   func() (time.Duration, error)
		samples
	}{
		{rowFirst, func() (time.Duration, error) { return b.firstLine(small, w) }, nil},
		{rowTrivial, func() (time.Duration, error) { return timed(func() error { return b.do(small, w.trivial, nil) }) }, nil},
		{rowAmong, func() (time.Duration, error) { return timed(func() error { return b.do(b.engine, w.trivial, nil) }) }, nil},
		{rowForty, func() (time.Duration, error) { return timed(func() error { return b.do(b.engine, w.forty, w.inputs) }) }, nil},
		{rowCompiled, func() (time.Duration, error) {
			return timed(func() error {
				p, err := b.engine.Compile(b.ctx, w.forty.Source, runtime.Limits{})
				if err != nil {
					return err
				}
				return b.do(b.engine, p, w.inputs)
			})
		}, nil},
	}
	native := map[string]*processTimes{}
	for _, p := range b.peers {
		native[p.Name] = &processTimes{}
	}
	for round := -1; round < rounds; round++ { // the first round is to warm up
		for _, p := range b.peers {
			t, err := b.processes(p, w)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Path, err)
			}
			if round >= 0 {
				native[p.Name].add(t)
			}
		}
		for i := range guest {
			for range runs {
				d, err := guest[i].do()
				if err != nil {
					return fmt.Errorf("%s: %w", guest[i].name, err)
				}
				if round >= 0 {
					guest[i].samples = append(guest[i].samples, d.Seconds())
				}
			}
		}
	}
	for _, g := range guest {
		b.report.times("start", g.name, g.samples)
	}
	b.report.note("Times of a process: its median, divided by the guest's for the same work. The processes import what a workflow may import; " +
		"guest and processes give the same output.")
	for _, p := range b.peers {
		t := native[p.Name]
		b.report.times("start", p.Name+" -I "+rowFirst, t.first).against(b.report.row("start", rowFirst))
		b.report.times("start", p.Name+" -I trivial workflow, to exit", t.trivial).against(b.report.row("start", rowTrivial))
		b.report.times("start", p.Name+" -I 40-line workflow, to exit", t.forty).against(b.report.row("start", rowForty))
	}
	return nil
}

// workflows are the workflows that are run, compiled, and their inputs.
type workflows struct {
	first, trivial, forty *runtime.Program
	inputs                []byte // of forty
}

func (b *bench) loadWorkflows() (w workflows, err error) {
	for _, f := range []struct {
		name string
		to   **runtime.Program
	}{{"first.py", &w.first}, {"trivial.py", &w.trivial}, {"forty.py", &w.forty}} {
		if *f.to, err = b.compile(b.engine, b.testdata("workflows", f.name)); err != nil {
			return w, err
		}
	}
	if w.inputs, err = os.ReadFile(b.testdata("workflows", "forty.json")); err != nil {
		return w, err
	}
	var c bytes.Buffer
	err = json.Compact(&c, w.inputs)
	w.inputs = c.Bytes()
	return w, err
}

// do runs a program in a fresh interpreter.
func (b *bench) do(e *runtime.Engine, p *runtime.Program, inputs []byte) error {
	_, err := b.output(e, p, runtime.Job{Inputs: inputs, Seed: 1, Host: answered})
	return err
}

func (b *bench) output(e *runtime.Engine, p *runtime.Program, job runtime.Job) ([]byte, error) {
	r, err := e.Run(b.ctx, p, job)
	switch {
	case err != nil:
		return nil, err
	case r.Err != nil:
		return nil, r.Err
	}
	return r.Output, nil
}

// firstLine is the time from before there is an interpreter until the workflow's first line calls the host.
func (b *bench) firstLine(e *runtime.Engine, w workflows) (d time.Duration, err error) {
	start := time.Now()
	_, err = b.output(e, w.first, runtime.Job{Seed: 1, Host: func(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
		d = time.Since(start)
		return answered(ctx, c)
	}})
	return d, err
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// processTimes are what the processes of one peer took.
type processTimes struct{ first, trivial, forty samples }

func (t *processTimes) add(u processTimes) {
	t.first = append(t.first, u.first...)
	t.trivial = append(t.trivial, u.trivial...)
	t.forty = append(t.forty, u.forty...)
}

// processes starts one process of each kind.
func (b *bench) processes(p *peer, w workflows) (t processTimes, err error) {
	first, err := firstByte(p.once(b.ctx, b.testdata("workflows", "first.py"), []byte("{}")))
	if err != nil {
		return t, err
	}
	t.first = samples{first.Seconds()}
	for _, c := range []struct {
		to      *samples
		command *exec.Cmd
	}{
		{&t.trivial, p.once(b.ctx, b.testdata("workflows", "trivial.py"), []byte("{}"))},
		{&t.forty, p.once(b.ctx, b.testdata("workflows", "forty.py"), w.inputs)},
	} {
		start := time.Now()
		if _, err := c.command.Output(); err != nil {
			return t, explained(err)
		}
		c.to.took(start)
	}
	return t, nil
}

// firstByte starts a process, and returns the time until its first byte of output.
func firstByte(c *exec.Cmd) (time.Duration, error) {
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := c.Start(); err != nil {
		return 0, err
	}
	var one [1]byte
	_, err = out.Read(one[:])
	d := time.Since(start)
	return d, errors.Join(err, c.Wait())
}

// explained adds what a process wrote to standard error.
func explained(err error) error {
	if e := (*exec.ExitError)(nil); errors.As(err, &e) && len(e.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(e.Stderr))
	}
	return err
}

// agree checks that guest and peers do the same work.
func (b *bench) agree(w workflows) error {
	out, err := b.output(b.engine, w.forty, runtime.Job{Inputs: w.inputs, Seed: 1, Host: answered})
	if err != nil {
		return err
	}
	for _, p := range b.peers {
		native, err := p.once(b.ctx, b.testdata("workflows", "forty.py"), w.inputs).Output()
		if err != nil {
			return fmt.Errorf("%s: %w", p.Path, explained(err))
		}
		if !sameJSON(out, native) {
			return fmt.Errorf("the 40-line workflow gives %s in the guest and %s in %s", out, native, p.Path)
		}
	}
	return nil
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
