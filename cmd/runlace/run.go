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
without acting. Where the operator wants a person's consent, that person is asked if they sit at this terminal; else the run
waits for them, and runlace approvals shows it.

With --queue it is left to the process that drains the queue (runlace serve --http), and with --wait its end is waited for.

The output goes to standard output, everything else to standard error. Every step is in the journal: runlace runs show.

Exit codes: 0 the run completed, or was left to the queue, 1 it failed, 2 it was not started, 3 a gate refused it, 4 it waits,
or is not over yet, 5 an act is in doubt, 130 it was interrupted.`,
		Example: `  runlace run weekly-report --input week=12
  runlace run weekly-report --inputs inputs.json --confirm
  runlace run weekly-report --input week=12 --confirm --queue --wait 10m
  runlace run reports/weekly.py --name weekly-report --inputs-schema schema.json`,
		Args:              exactly(1, "one workflow's name, or one file"),
		ValidArgsFunction: p.completeWorkflows(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked.Ask(args[0])
			return runAsked(cmd, o, p, asked)
		},
	}
	runFlags(cmd, p, asked)
	cmd.Flags().BoolVar(&asked.Queue, "queue", false, "leave it to the process that drains the queue")
	cmd.Flags().DurationVar(&asked.Wait, "wait", 0, "with --queue: wait for its end, for a `DURATION` at most")
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
	return withEngine(cmd, o, p, func(e *engine.Engine, w *watch) error {
		asked.Stored = func(c *engine.Created) { w.done(); noteCreated(o, c) }
		asked.Observe, asked.Person = w.observe, o.person(e, w.done)
		run, err := asked.Run(cmd.Context(), given.In{Stdin: os.Stdin}, e)
		w.done()
		if err != nil {
			return err
		}
		if asked.Wait > 0 && !run.OK && run.Fault == nil {
			if !o.json {
				o.note("it is %s, and goes on", run.Status)
			}
			return o.unfinished(run)
		}
		return o.run(run, asked.File)
	})
}

// unfinished prints a run that was waited for and is not over.
func (o *output) unfinished(r *engine.Run) error {
	if o.json {
		return o.last(r, fault.ExitWaiting)
	}
	o.note("hint: runlace runs show %s --follow", r.ID)
	return exitWith(fault.ExitWaiting)
}

// runExit is the exit code that tells how a run stands. One that is on its way is not a failure.
func runExit(r *engine.Run) int {
	if r.Fault != nil {
		return r.Fault.Exit
	}
	return 0
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
	if r.Fault == nil {
		o.note("%s: run %s", r.Status, r.ID)
		o.note("hint: runlace runs show %s --follow", r.ID)
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
	case fault.ExitWaiting:
		word = "waits"
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
	parts := []string{term.Duration(r.Duration), steps(len(r.Steps))}
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
