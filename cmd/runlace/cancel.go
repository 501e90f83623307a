package main

import (
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
)

func newCancel(o *output) *cobra.Command {
	p := &place{}
	reason := ""
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "End a run, wherever it stands",
		Long: `Ends a run that is running in any process, is in the queue, waits for a person, was interrupted or is in doubt. What it has done
is done. An act that is on its way when the run ends is in doubt.

Exit codes: 0 cancelled, 2 it was over already, 4 its process was asked, and has not ended it yet, 5 an act is in doubt.`,
		Example:           `  runlace cancel run_0123456789ab --reason "wrong month"`,
		Args:              exactly(1, "one run's id"),
		ValidArgsFunction: p.completeLive,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, tolerant)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			run, err := e.Cancel(cmd.Context(), args[0], reason)
			if err != nil {
				return err
			}
			exit := 0
			switch run.Status {
			case store.Cancelled:
			case store.Running:
				exit = fault.ExitWaiting
			case store.InDoubt:
				exit = fault.ExitInDoubt
			default:
				return fault.New("already-over", "run %s is %s: it ended before it could be cancelled", run.ID, run.Status)
			}
			if o.json {
				return o.last(run, exit)
			}
			switch exit {
			case fault.ExitWaiting:
				o.note("run %s was asked to end, and its process has not ended it yet", run.ID)
				o.note("hint: runlace runs show %s --follow", run.ID)
			case fault.ExitInDoubt:
				o.note("run %s is over, and an act was on its way: %s", run.ID, run.Error)
				o.note("hint: %s", run.Hint)
			default:
				o.note("cancelled: run %s of %s", run.ID, run.Name)
			}
			return exitWith(exit)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, in a `SENTENCE` that is kept with the run")
	p.homeFlag(cmd)
	return cmd
}

// completeLive completes the first argument with the ids of runs that are not over.
func (p *place) completeLive(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var open []store.RunStatus
	for _, s := range store.RunStatuses() {
		if !s.Final() {
			open = append(open, s)
		}
	}
	return p.completeRunsIn(args, open...)
}
