package main

import (
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/store"
)

func newDryRun(o *output) *cobra.Command {
	p, asked := &place{}, &library.Asked{Mode: store.Dry}
	cmd := &cobra.Command{
		Use:   "dry-run NAME|FILE",
		Short: "Rehearse a workflow without acting",
		Long: `Rehearses a stored workflow, or a file: that is compiled and rehearsed without being stored.

Tools that only read are called. Tools that act are not: they are answered with made-up values that their schemas allow, and
marked as simulated. So no consent is needed, and the output may differ from that of a real run.

Exit codes: 0 it completed, 1 it failed or does not compile, 2 it was not started, 3 a gate refused it, 130 it was
interrupted.`,
		Example: `  runlace dry-run weekly-report --input week=12
  runlace dry-run reports/weekly.py --inputs-schema schema.json --input week=12`,
		Args:              exactly(1, "one workflow's name, or one file"),
		ValidArgsFunction: p.completeWorkflows(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked.Ask(args[0])
			return runAsked(cmd, o, p, asked)
		},
	}
	runFlags(cmd, p, asked)
	return cmd
}
