package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newDelete(o *output) *cobra.Command {
	p := &place{}
	yes := false
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a workflow with all its versions",
		Long: `Deletes a workflow with all its versions, after asking; --yes answers in advance, and is needed where nobody can be asked.
What its runs did stays in the journal. It is refused while one of its runs is not over.`,
		Example: `  runlace delete weekly-report
  runlace delete weekly-report --yes`,
		Args:              exactly(1, "one workflow's name"),
		ValidArgsFunction: p.completeWorkflows(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			w, err := e.Store().Workflow(args[0])
			if err != nil {
				return err
			}
			if !yes {
				if o.json || !term.Is(os.Stdin) {
					return fault.New("bad-usage", "nobody can be asked whether %s is to be deleted", w.Name).WithHint("add --yes")
				}
				ok, err := term.Ask(cmd.Context(), os.Stdin, o.stderr, "Delete %s and its %s?", w.Name, words.Counted(w.Versions, "version"))
				if err != nil || !ok {
					return fault.New("cancelled", "%s was not deleted", w.Name)
				}
			}
			deleted, err := e.Store().Delete(w.ID)
			if err != nil {
				return err
			}
			if deleted.FileError != nil {
				o.note("warning: its files are still there: %v", deleted.FileError)
			}
			if o.json {
				return o.object(deleted)
			}
			stay := "stay"
			if deleted.Runs == 1 {
				stay = "stays"
			}
			o.note("deleted %s; %s %s in the journal", deleted.Name, words.Counted(deleted.Runs, "run"), stay)
			return nil
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	p.homeFlag(cmd)
	return cmd
}
