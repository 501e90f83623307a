package mcpserver

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
)

// What an answer shows of a run. An agent pays for every character of it, and has the answer twice: as text and as structured content.
const (
	mostOutput = 60_000 // bytes that are shown whole
	mostInputs = 10_000 //
	mostLog    = 10_000 // characters, the last
	mostSteps  = 200    // the first half and the last
)

// shownRun is a run as an answer shows it.
type shownRun struct {
	*engine.Run
	Finished      bool     `json:"finished"`
	OutputTrimmed []string `json:"output_trimmed,omitempty"` // what was cut, and how to get all of it
}

// journaled is a run with what makes it easy to read, and without what makes it too large for that.
func journaled(r *engine.Run) shownRun {
	run := *r
	shown := whole(&run)
	said := func(format string, args ...any) {
		shown.OutputTrimmed = append(shown.OutputTrimmed, fmt.Sprintf(format, args...))
	}
	if n := len(run.Output); n > mostOutput {
		value, cut := engine.Trim("output", run.Output)
		if len(value) > mostOutput {
			value, cut = []byte("null"), nil
			said("output: left out, since it has %d bytes", n)
		}
		run.Output = value
		shown.OutputTrimmed = append(shown.OutputTrimmed, cut[:min(len(cut), 20)]...)
		if more := len(cut) - 20; more > 0 {
			said("output: cut in %d more places", more)
		}
	}
	if n := len(run.Inputs); n > mostInputs {
		run.Inputs, _ = engine.Trim("inputs", run.Inputs)
		said("inputs: cut, since they have %d bytes", n)
	}
	if n := utf8.RuneCountInString(run.Log); n > mostLog {
		run.Log = string([]rune(run.Log)[n-mostLog:])
		said("log: kept the last %d of %d characters", mostLog, n)
	}
	if n := len(run.Steps); n > mostSteps {
		run.Steps = append(append([]engine.Step{}, run.Steps[:mostSteps/2]...), run.Steps[n-mostSteps/2:]...)
		said("steps: kept the first and the last %d of %d", mostSteps/2, n)
	}
	if n := len(run.Simulated); n > mostSteps {
		run.Simulated = run.Simulated[:mostSteps]
		said("simulated: kept the first %d of %d", mostSteps, n)
	}
	if a := run.Approval; a != nil && len(a.Inputs)+len(a.Arguments)+len(a.Preview) > mostInputs {
		asked := *a
		for _, v := range []*json.RawMessage{&asked.Inputs, &asked.Arguments, &asked.Preview} {
			if len(*v) > 0 {
				*v, _ = engine.Trim("approval", *v)
			}
		}
		run.Approval = &asked
		said("approval: cut; all of it: runlace approvals %s --json, which the user can run", run.ID)
	}
	if len(shown.OutputTrimmed) > 0 {
		said("all of it: runlace runs show %s --json, which the user can run; get_step shows one step", run.ID)
	}
	return shown
}

// whole is a run with all that is known of it, for a person who decides about it.
func whole(r *engine.Run) shownRun {
	if r.Steps == nil {
		r.Steps = []engine.Step{}
	}
	// Nothing more comes by itself of a run that is finished.
	return shownRun{Run: r, Finished: r.Status.Final() || r.Status == store.InDoubt || r.Status == store.Interrupted}
}
