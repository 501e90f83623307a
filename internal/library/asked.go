package library

import (
	"context"
	"encoding/json"
	"time"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/words"
	"github.com/runlace/runlace/runtime"
)

// Asked is a run as a command line asks for it.
type Asked struct {
	Source           // File is empty for a workflow that is stored
	Workflow  string // its name or id
	Version   string
	InputFile string   // --inputs
	Input     []string // --input
	Seed, At  string
	Fuel      int64
	MemoryMiB int64
	Timeout   time.Duration
	Confirm   bool
	Mode      store.Mode
	Queue     bool          // leaves it to the process that drains the queue
	Wait      time.Duration // with Queue: waits so long for its end
	Person    engine.Person
	Observe   func(engine.Event)
	Stored    func(*engine.Created) // told of the version that a file became
}

// Ask sets what is to be run: a file or a stored workflow.
func (a *Asked) Ask(what string) {
	if IsFile(what) {
		a.File = what
	} else {
		a.Workflow = what
	}
}

// Run runs it. A file is rehearsed without being stored, and stored before it is run for real.
func (a Asked) Run(ctx context.Context, in given.In, e *engine.Engine) (*engine.Run, error) {
	r := engine.Request{Workflow: a.Workflow, Version: a.Version, Mode: a.Mode, Confirm: a.Confirm, Queue: a.Queue, Person: a.Person, Observe: a.Observe}
	if err := a.numbers(&r); err != nil {
		return nil, err
	}
	if a.Wait != 0 && !a.Queue {
		return nil, fault.New("bad-usage", "--wait is for a run that is left to another process with --queue")
	}
	if a.File == "-" && a.InputFile == "-" {
		return nil, fault.New("bad-usage", "the file and the inputs cannot both come from standard input")
	}
	if a.File == "" && (a.Name != "" || a.Source.Inputs != "" || a.Outputs != "" || a.Description != "") {
		return nil, fault.New("bad-usage", "--name, --description and the schemas are for a file, and %s is a workflow that is stored", a.Workflow)
	}
	if a.File != "" && a.Version != "" {
		return nil, fault.New("bad-usage", "--version is for a workflow that is stored, and %s is a file", a.File)
	}
	var err error
	if r.Inputs, err = in.Inputs(ctx, a.InputFile, a.Input); err != nil {
		return nil, err
	}
	if a.Queue {
		if err := Drains(e); err != nil {
			return nil, err
		}
	}
	if a.File == "" {
		return a.run(ctx, e, r)
	}
	w, err := a.Read(ctx, in, e.Store())
	if err != nil {
		return nil, err
	}
	if a.Mode == store.Dry {
		r.Source = &w
		return e.Run(ctx, r)
	}
	created, err := e.Create(ctx, w)
	if err != nil {
		return nil, err
	}
	if !created.OK {
		return Refused(created, a.Mode), nil
	}
	if a.Stored != nil {
		a.Stored(created)
	}
	r.Workflow, r.Version = created.WorkflowID, created.VersionID
	return a.run(ctx, e, r)
}

// run runs it here, or in the process that drains the queue.
func (a Asked) run(ctx context.Context, e *engine.Engine, r engine.Request) (*engine.Run, error) {
	run, err := e.Run(ctx, r)
	if err != nil || !a.Queue || run.Status != store.Queued {
		return run, err
	}
	if run, err = e.Wait(ctx, run.ID, a.Wait); run != nil {
		run.Executed = engine.Queued
	}
	return run, err
}

// Drains is an error if no process drains the queue.
func Drains(e *engine.Engine) error {
	_, found, err := e.Drainer()
	if err == nil && !found {
		err = fault.New("no-drainer", "no process drains the queue, so that the run would stay in it")
	}
	return err
}

func (a Asked) numbers(r *engine.Request) error {
	if a.Seed != "" {
		seed, err := given.Seed(a.Seed)
		if err != nil {
			return err
		}
		r.Seed = &seed
	}
	if a.At != "" {
		at, err := given.Time(a.At)
		if err != nil {
			return err
		}
		r.At = at
	}
	switch {
	case a.Fuel < 0 || a.MemoryMiB < 0 || a.Timeout < 0:
		return fault.New("bad-usage", "a limit cannot be less than zero")
	case a.Wait < 0:
		return fault.New("bad-usage", "--wait cannot be less than zero")
	case a.MemoryMiB > 4095:
		return fault.New("bad-usage", "--memory is %d, and has to be 4095 MiB at most", a.MemoryMiB)
	}
	r.Limits = runtime.Limits{Fuel: a.Fuel, MemoryBytes: a.MemoryMiB << 20, Timeout: a.Timeout}
	return nil
}

// Refused is a run of a workflow that the compiler refused.
func Refused(c *engine.Created, mode store.Mode) *engine.Run {
	f := fault.New("does-not-compile", "the workflow does not pass %s: %s", c.Stage, words.Counted(len(c.Errors), "problem"))
	return &engine.Run{
		Name: c.Name, Status: store.Failed, Mode: mode, DryRun: mode == store.Dry, Code: f.Code, Error: f.Message, Hint: f.Hint, Fault: f,
		Problems: c.Errors, Output: json.RawMessage("null"), Steps: []engine.Step{},
	}
}
