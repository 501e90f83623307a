package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/execfile"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/runtime"
)

func newExec(o *output) *cobra.Command {
	opts := execfile.Defaults()
	cmd := &cobra.Command{
		Use:   "exec FILE.py",
		Short: "Run one Python file in the sandbox, without connectors",
		Long: `Runs a Python file that defines run(ctx), in the sandbox and without connectors. FILE may be - for standard input.
ctx.inputs has the inputs; what run returns is the output, printed as JSON. What the file prints goes to standard error.

A run is repeatable: the same file, inputs, --seed and --at give the same output, log and fuel on any machine. Where they are not
given, the seed is random and the time is now; --json tells which they were.

The sandbox is compiled on the first run on a machine, which takes some seconds, and kept in the user's cache folder, or in
$RUNLACE_CACHE if that is set.

Exit codes: 0 the run completed, 1 it failed, 2 it was not started, 130 it was interrupted.`,
		Example: `  runlace exec report.py --input month=2026-01 --input limit=10
  runlace exec report.py --inputs inputs.json --json
  runlace exec - --seed 1 --at 2026-01-31T09:30:00Z < report.py`,
		Args: exactly(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.File, opts.Stdin, opts.CacheDir = args[0], os.Stdin, home.Cache()
			progress := term.NewProgress(o.stderr)
			defer progress.Done()
			opts.Progress = progress.Step
			opts.Opened = func(e *runtime.Engine) {
				progress.Done()
				if c := e.CacheState(); c.State == runtime.CacheOff {
					o.note("runlace: the cache cannot be used, so that every start takes seconds: %s", c.Reason)
				}
			}
			report, err := execfile.Run(cmd.Context(), opts)
			if err != nil {
				return err
			}
			if o.json {
				return o.last(report, report.Exit())
			}
			return printReport(o, report)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&opts.Input, "input", nil, "an input as `NAME=VALUE`, repeatable; the value is JSON, or else text; goes over --inputs")
	f.StringVar(&opts.Inputs, "inputs", "", "a `FILE` with the inputs, one JSON object; - is standard input")
	f.Int64Var(&opts.Fuel, "fuel", opts.Fuel, "limit on the instructions that the run executes, in `UNITS` of about one")
	f.Int64Var(&opts.MemoryMiB, "memory", opts.MemoryMiB, "limit on the run's memory in `MIB`, interpreter included")
	f.DurationVar(&opts.Timeout, "timeout", opts.Timeout, "limit on the wall clock, a `DURATION` as in 90s or 5m")
	f.StringVar(&opts.Seed, "seed", "", "the `NUMBER` that all randomness of the run comes from (default: random)")
	f.StringVar(&opts.At, "at", "", "the `TIME` that the run's clock starts with, in RFC 3339 (default: now)")
	return cmd
}

func printReport(o *output, r *execfile.Report) error {
	o.text(r.Log)
	took := term.Duration(time.Duration(r.DurationMS * float64(time.Millisecond)))
	if r.Error == nil {
		if err := o.line("%s", execfile.Indent(r.Output)); err != nil {
			return err
		}
		o.note("completed in %s, %s fuel", took, term.Count(r.Fuel))
		return nil
	}
	if strings.Contains(r.Error.Traceback, "Traceback") { // else it has no frames, and only repeats the message
		o.text(r.Error.Traceback)
	}
	place := ""
	switch {
	case r.Error.Line > 0 && r.Error.Column > 0:
		place = fmt.Sprintf(" at line %d, column %d", r.Error.Line, r.Error.Column)
	case r.Error.Line > 0:
		place = fmt.Sprintf(" at line %d", r.Error.Line)
	}
	o.note("failed: %s%s: %s", r.Error.Code, place, r.Error.Message)
	o.note("hint: %s", r.Error.Hint)
	return exitWith(r.Exit())
}
