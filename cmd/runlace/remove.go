package main

import (
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/setup"
)

func newRemove(o *output) *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Take an MCP server out of the configuration",
		Long: `Takes a connector out of the configuration, and forgets its tools. Workflows that use them stay stored and will not run; it says
which those are.`,
		Example:           `  runlace remove github`,
		Args:              exactly(1, "one name"),
		ValidArgsFunction: p.completeConnectors(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := asking(&p, o, 1, setup.Open, func(s *setup.Setup) (*setup.Changed, error) { return s.Remove(cmd.Context(), args[0]) })
			if err != nil {
				return err
			}
			if o.json {
				out, _ := outcomeOf(nil)
				return o.object(struct {
					outcome
					*setup.Changed
				}{out, r})
			}
			if err := o.line("- %s (%s)", r.Name, tools(len(r.Changes.Removed))); err != nil {
				return err
			}
			for _, w := range r.Warnings {
				o.note("warning: %s", w)
			}
			printWorkflows(o, r.Workflows)
			return nil
		},
	}
	p.homeFlag(cmd)
	return cmd
}
