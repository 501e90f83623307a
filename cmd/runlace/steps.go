package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/execfile"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/term"
)

func newSteps(o *output) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "steps",
		Short:   "Look at the steps of a run",
		Long:    `Looks at the steps of a run, each of which is one call of a tool. runlace runs show lists them.`,
		Example: `  runlace steps show run_0123456789ab 1`,
		Args:    exactly(0, "show, a run and a number"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStepsShow(o))
	return cmd
}

func newStepsShow(o *output) *cobra.Command {
	p := &place{}
	full := false
	cmd := &cobra.Command{
		Use:   "show RUN SEQ|STEP_ID",
		Short: "Show what a step sent and got",
		Long: `Shows what a step sent and got, as it was on the wire. Long lists and texts are cut, and it is said where; --full prints all
of it, as it is in the journal. A step is named by its run and its number, or by its id, which runs show --json has.`,
		Example: `  runlace steps show run_0123456789ab 1
  runlace steps show run_0123456789ab 1 --full --json
  runlace steps show st_0123456789ab`,
		Args:              between(1, 2, "a run's id and the number of a step, or a step's id"),
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			run, seq, err := library.FindStep(e.Store(), args)
			if err != nil {
				return err
			}
			step, err := library.Step(e, run, seq, full)
			if err != nil {
				return err
			}
			if o.json {
				return o.object(step)
			}
			state := string(step.State)
			if step.Simulated {
				state += ", simulated"
			}
			took := term.Duration(time.Duration(step.DurationMS) * time.Millisecond)
			var b strings.Builder
			fmt.Fprintf(&b, "%s.%s  %s, %s, %s\n", step.Connector, step.Tool, step.Risk, state, took)
			if len(step.Error) > 0 {
				fmt.Fprintf(&b, "\nError:\n%s\n", execfile.Indent(step.Error))
			}
			for _, w := range step.Warnings {
				fmt.Fprintf(&b, "\nWarning: %s\n", w)
			}
			fmt.Fprintf(&b, "\nSent:\n%s\n\nGot:\n%s", execfile.Indent(step.Arguments), execfile.Indent(step.Result))
			if err := o.line("%s", term.Text(o.stdout, b.String())); err != nil {
				return err
			}
			for _, t := range step.Trimmed {
				o.note("cut: %s", t)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "cut nothing")
	p.homeFlag(cmd)
	return cmd
}
