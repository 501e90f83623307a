package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/store"
)

func newResolve(o *output) *cobra.Command {
	p := &place{}
	happened, not, result := false, false, ""
	cmd := &cobra.Command{
		Use:   "resolve RUN STEP",
		Short: "Say whether an act that is in doubt happened",
		Long: `Says whether an act that is in doubt happened: it was sent, and its answer never came. Only the account that it acts on can tell;
runlace steps show prints what was sent.

With --happened the run goes on as if the act had been answered: with --result, in the form that steps show prints of other
calls of the tool, or with null if that is not known. With
--did-not-happen it is sent again when the run is resumed. The run is resumed with runlace resume when no other act is in doubt.

Exit codes: 0 settled, 2 the step is not in doubt, or there is none, 5 settled, and another act of the run is in doubt.`,
		Example: `  runlace resolve run_0123456789ab 3 --happened --result '{"id": 17}'
  runlace resolve run_0123456789ab 3 --did-not-happen`,
		Args:              exactly(2, "a run's id and the number of a step"),
		ValidArgsFunction: p.completeOpen,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case happened == not:
				return fault.New("bad-usage", "say whether it happened").WithHint("add --happened or --did-not-happen")
			case not && cmd.Flags().Changed("result"):
				return fault.New("bad-usage", "what did not happen has no result")
			}
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			run, seq, err := library.FindStep(e.Store(), args)
			if err != nil {
				return err
			}
			r := engine.Resolution{Happened: happened}
			if cmd.Flags().Changed("result") {
				r.Result = json.RawMessage(result)
			}
			settled, err := e.Resolve(run, seq, r)
			if err != nil {
				return err
			}
			exit := 0
			if settled.Status == store.InDoubt {
				exit = fault.ExitInDoubt
			}
			if o.json {
				return o.last(settled, exit)
			}
			if exit != 0 {
				o.note("step %d is settled, and another step of run %s is in doubt", seq, run)
				o.note("hint: runlace runs show %s", run)
				return exitWith(exit)
			}
			o.note("step %d is settled: run %s is %s", seq, run, settled.Status)
			if settled.Status == store.Interrupted {
				o.note("hint: runlace resume %s", run)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&happened, "happened", false, "it happened")
	f.StringVar(&result, "result", "", "with --happened: what the tool answered, as `JSON` (default: null)")
	f.BoolVar(&not, "did-not-happen", false, "it did not happen, and is to be sent again")
	p.homeFlag(cmd)
	return cmd
}
