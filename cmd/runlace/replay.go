package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newReplay(o *output) *cobra.Command {
	p := &place{}
	with, verbose := "", false
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Prove a run: execute it once more on the answers that it had",
		Long: `Executes a run once more on the inputs, the seed, the start time and the answers in the journal, and compares all it does:
every call with its arguments and the clock, how it ended, the output, the log, the fuel and the memory. No server is touched,
and nothing is written. It says that both are identical, or prints the first difference: what was recorded, what it is now, and
the line of the workflow.

With --with it is the workflow in that file which is executed on the old run's answers, to see up to which step it does the same.
The fuel is not compared then, nor where the run was recorded with another build of the sandbox.

Exit codes: 0 identical, 1 it differs, 2 there is no such run, or it was never executed, 130 interrupted.`,
		Example: `  runlace replay run_0123456789ab
  runlace replay run_0123456789ab --with reports/weekly.py --verbose`,
		Args:              exactly(1, "one run's id"),
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEngine(cmd, o, p, func(e *engine.Engine, w *watch) error {
				r, err := library.Replay(cmd.Context(), given.In{Stdin: os.Stdin}, e, args[0], with)
				w.done()
				if err != nil {
					return err
				}
				exit := 0
				if r.Fault != nil {
					exit = r.Fault.Exit
				}
				if o.json {
					return o.last(r, exit)
				}
				if err := printReplay(o, r, with, verbose); err != nil {
					return err
				}
				return exitWith(exit)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&with, "with", "", "a `FILE` with the workflow to execute in place of the run's own; - is standard input")
	f.BoolVarP(&verbose, "verbose", "v", false, "print each call that agrees")
	p.homeFlag(cmd)
	return cmd
}

func printReplay(o *output, r *library.Replayed, file string, verbose bool) error {
	var b strings.Builder
	if verbose {
		for _, c := range r.Calls {
			fmt.Fprintf(&b, "%4d  %s.%s  %s\n", c.Seq, c.Connector, c.Tool, c.State)
		}
	}
	d := r.Difference
	switch {
	case len(r.Problems) > 0:
		printProblems(o, file, r.Problems)
		o.note("failed: %s: %s", r.Code, r.Error)
		return nil
	case d == nil:
		fmt.Fprintf(&b, "identical: %s", same(r))
		if err := o.line("%s", term.Text(o.stdout, b.String())); err != nil {
			return err
		}
		if r.Note != "" {
			o.note("%s", r.Note)
		}
		if !r.FuelTold && r.Complete && !r.Changed {
			o.note("the fuel was not compared: the run was recorded in the guest %s, and this is %s", r.Guest, r.GuestNow)
		}
		return nil
	}
	what := "the " + d.What
	switch d.What {
	case engine.DiffExtra:
		what = fmt.Sprintf("step %d is made now, and was not then", d.Seq)
	case engine.DiffMissing:
		what = fmt.Sprintf("step %d was made then, and is not now", d.Seq)
	case engine.DiffCall, engine.DiffArguments, engine.DiffClock:
		what = fmt.Sprintf("step %d, the %s", d.Seq, d.What)
	}
	fmt.Fprintf(&b, "differs after %s: %s\n", steps(r.Steps), what)
	fmt.Fprintf(&b, "  recorded: %s\n  now:      %s", side(d.Recorded), side(d.Now))
	for _, p := range r.Places {
		fmt.Fprintf(&b, "\n  at %s: %s, now %s", p.At, side(p.Recorded), side(p.Now))
	}
	if d.Line > 0 {
		fmt.Fprintf(&b, "\n  line %d: %s", d.Line, r.Text)
	}
	if err := o.line("%s", term.Text(o.stdout, b.String())); err != nil {
		return err
	}
	if !r.Changed {
		o.note("hint: %s", r.Hint)
	}
	return nil
}

// same is what was compared and is the same.
func same(r *library.Replayed) string {
	if !r.Complete {
		return steps(r.Steps)
	}
	parts := []string{steps(r.Steps), "output"}
	if r.FuelTold {
		return strings.Join(append(parts, "log"), ", ") + " and " + digits(r.Fuel) + " fuel"
	}
	return strings.Join(parts, ", ") + " and log"
}

func steps(n int) string { return words.Counted(n, "step") }

// side is one side of a difference.
func side(v []byte) string {
	if len(v) == 0 {
		return "nothing"
	}
	return shortened(string(v), 400)
}

// digits writes a number with all its digits, in groups of three.
func digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
