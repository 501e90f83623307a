package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/execfile"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
)

func newRun(o *output) *cobra.Command {
	p, asked := &place{}, &library.Asked{Mode: store.Live}
	cmd := &cobra.Command{
		Use:   "run NAME|FILE",
		Short: "Run a workflow",
		Long: `Runs a stored workflow, or a file: that is stored first, as a version of the workflow that the file is named after, or
--name.

A workflow with tools that act is refused, and they are listed, until --confirm gives consent. runlace dry-run rehearses it
without acting. The output goes to standard output, everything else to standard error. Every step is in the journal: runlace
runs show.

Exit codes: 0 the run completed, 1 it failed, 2 it was not started, 3 a gate refused it, 4 it waits, 5 an act is in doubt,
130 it was interrupted.`,
		Example: `  runlace run weekly-report --input week=12
  runlace run weekly-report --inputs inputs.json --confirm
  runlace run reports/weekly.py --name weekly-report --inputs-schema schema.json`,
		Args:              exactly(1, "one workflow's name, or one file"),
		ValidArgsFunction: p.completeWorkflows(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked.Ask(args[0])
			return runAsked(cmd, o, p, asked)
		},
	}
	runFlags(cmd, p, asked)
	cmd.Flags().BoolVar(&asked.Confirm, "confirm", false, "consent to what the workflow's tools do")
	return cmd
}

// runFlags are what run and dry-run have in common.
func runFlags(cmd *cobra.Command, p *place, a *library.Asked) {
	f := cmd.Flags()
	f.StringArrayVar(&a.Input, "input", nil, "an input as `NAME=VALUE`, repeatable; the value is JSON, or else text; goes over --inputs")
	f.StringVar(&a.InputFile, "inputs", "", "a `FILE` with the inputs, one JSON object; - is standard input")
	f.StringVar(&a.Version, "version", "", "the `VERSION` to run (default: the latest)")
	f.StringVar(&a.Seed, "seed", "", "the `NUMBER` that all randomness of the run comes from (default: random)")
	f.StringVar(&a.At, "at", "", "the `TIME` that the run's clock starts with, in RFC 3339 (default: now)")
	f.Int64Var(&a.Fuel, "fuel", 0, "limit on the instructions that the run executes, in `UNITS` of about one (default: as config.json says)")
	f.Int64Var(&a.MemoryMiB, "memory", 0, "limit on the run's memory in `MIB`, interpreter included (default: as config.json says)")
	f.DurationVar(&a.Timeout, "timeout", 0, "limit on the wall clock, a `DURATION` as in 90s or 5m (default: as config.json says)")
	sourceFlags(cmd, &a.Source)
	p.homeFlag(cmd)
	p.envFlag(cmd)
}

// sourceFlags say of a file what is not in it.
func sourceFlags(cmd *cobra.Command, s *library.Source) {
	f := cmd.Flags()
	f.StringVar(&s.Name, "name", "", "the workflow's `NAME` (default: the file's)")
	f.StringVar(&s.Description, "description", "", "what the workflow does, in a `SENTENCE`")
	f.StringVar(&s.Inputs, "inputs-schema", "", "the JSON Schema of the inputs, or a `FILE` with it (default: the one that the workflow has, or any object)")
	f.StringVar(&s.Outputs, "outputs-schema", "", "the JSON Schema of the output, or a `FILE` with it (default: the one that the workflow has, or any value)")
}

func runAsked(cmd *cobra.Command, o *output, p *place, asked *library.Asked) error {
	progress, live := term.NewProgress(o.stderr), term.NewLive(o.stderr)
	defer progress.Done()
	e, err := p.engine(cmd, o, func(options *engine.Options) { options.Progress = progress.Step })
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	asked.Stored = func(c *engine.Created) { progress.Done(); noteCreated(o, c) }
	asked.Observe = func(ev engine.Event) { progress.Done(); showEvent(live, ev) }
	run, err := asked.Run(cmd.Context(), given.In{Stdin: os.Stdin}, e)
	live.Done()
	progress.Done()
	if err != nil {
		return err
	}
	exit := 0
	if run.Fault != nil {
		exit = run.Fault.Exit
	}
	if o.json {
		return o.last(run, exit)
	}
	return printRun(o, run, asked.File, exit)
}

// showEvent shows a person what a run does.
func showEvent(live *term.Live, e engine.Event) {
	simulated := ""
	if e.Simulated {
		simulated = ", simulated"
	}
	switch e.Kind {
	case "opening":
		live.Now("connecting %s ...", e.Connector)
	case "step":
		live.Now("%4d  %s.%s ...", e.Seq, e.Connector, e.Tool)
	case "stepped":
		said := "  " + term.Duration(e.Elapsed)
		if e.Simulated {
			said = ""
		}
		if e.Code != "" {
			simulated += ", " + e.Code
		}
		live.Line("%4d  %s.%s%s  %s%s", e.Seq, e.Connector, e.Tool, said, e.State, simulated)
	}
}

// printRun prints the output, and on standard error what else there is to say.
func printRun(o *output, r *engine.Run, file string, exit int) error {
	o.text(r.Log)
	if r.OK {
		if err := o.line("%s", execfile.Indent(r.Output)); err != nil {
			return err
		}
	}
	if r.Detail != nil && strings.Contains(r.Detail.Traceback, "Traceback") {
		o.text(r.Detail.Traceback)
	}
	printProblems(o, file, r.Problems)
	for _, e := range r.Errors {
		o.note("  %s", e)
	}
	for _, d := range r.Drift {
		o.note("  %s.%s: %s", d.Connector, d.Tool, strings.Join(d.Changes, "; "))
	}
	for _, t := range r.SideEffects {
		o.note("  acts: %s.%s", t.Connector, t.Tool)
	}
	if r.OK {
		o.note("completed in %s", summary(r))
		return nil
	}
	place := ""
	if r.Detail != nil && r.Detail.Line > 0 {
		place = fmt.Sprintf(" at line %d", r.Detail.Line)
	}
	word := "failed"
	switch exit {
	case fault.ExitRefused:
		word = "refused"
	case fault.ExitInterrupted:
		word = "interrupted"
	case fault.ExitUsage:
		word = "not started"
	}
	if r.Status == store.InDoubt {
		word = "in doubt"
	}
	o.note("%s: %s%s: %s", word, r.Code, place, r.Error)
	if r.Hint != "" {
		o.note("hint: %s", r.Hint)
	}
	if r.ID != "" {
		o.note("%s", summary(r))
	}
	return exitWith(exit)
}

// summary is what a run was, in a line.
func summary(r *engine.Run) string {
	steps := fmt.Sprintf("%d steps", len(r.Steps))
	if len(r.Steps) == 1 {
		steps = "1 step"
	}
	parts := []string{term.Duration(r.Duration), steps}
	if r.Duration == 0 && r.DurationMS == 0 {
		parts = parts[1:]
	}
	if r.DryRun {
		simulated := 0
		for _, s := range r.Steps {
			if s.Simulated {
				simulated++
			}
		}
		parts[len(parts)-1] += fmt.Sprintf(" (%d simulated)", simulated)
	}
	if r.Fuel > 0 {
		parts = append(parts, term.Count(r.Fuel)+" fuel")
	}
	if r.ID != "" {
		parts = append(parts, "run "+r.ID)
	}
	return strings.Join(parts, ", ")
}

// when writes a time for a person, in their own zone.
func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
