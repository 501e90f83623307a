package main

import (
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/library"
)

func newExport(o *output) *cobra.Command {
	var p place
	var version string
	var force bool
	cmd := &cobra.Command{
		Use:   "export NAME DIR",
		Short: "Write a stored workflow into a project",
		Long: `Writes a version of a stored workflow into the project that DIR is in, as the folder of a workflow; where there is no project, DIR
becomes one. What runlace push makes of that folder is the same version again. Files that are there already and say something else
are overwritten only with --force; limits, comments and cases stay even then.

runlace runs export is another command: it writes runs.`,
		Example: `  runlace export weekly-report .
  runlace export weekly-report flows --version 3f9a0c1d --force`,
		Args:              exactly(2, "a workflow's name and a folder"),
		ValidArgsFunction: p.completeWorkflows(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, func(*engine.Options) {})
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			m, v, err := library.ExportWorkflow(e.Store(), args[0], version, args[1], force)
			if err != nil {
				return err
			}
			return printMade(o, m, "wrote "+v.Name+" "+v.Version+" to "+shownPath(m.Dir))
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "the `VERSION` to write (default: the latest)")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite code and schemas that are there and say something else")
	p.homeFlag(cmd)
	return cmd
}
