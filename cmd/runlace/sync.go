package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/setup"
)

func newSync(o *output) *cobra.Command {
	var p place
	var timeout time.Duration
	var empty bool
	cmd := &cobra.Command{
		Use:   "sync [CONNECTOR...]",
		Short: "Ask the servers for their tools again, and say what changed",
		Long: `Asks all servers for their tools, or only those that are named, and says which tools were added, removed and changed, how they
changed, and which workflows will not run because of that. A server that does not answer keeps the tools that it had.

Exit codes: 0 all workflows run as they are, 1 some do not, 2 it could not be done. Servers that do not answer do not fail it.`,
		Example: `  runlace sync
  runlace sync github --timeout 90s`,
		ValidArgsFunction: p.completeConnectors(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, done, err := p.opening(o, timeout)
			defer done()
			if err != nil {
				return err
			}
			s, err := setup.Open(opts)
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }()
			r, err := s.Sync(cmd.Context(), args, empty)
			done()
			if err != nil {
				return err
			}
			return printSync(o, r)
		},
	}
	cmd.Flags().BoolVar(&empty, "accept-empty", false, "believe a server that had tools and now says that it has none")
	timeoutFlag(cmd, &timeout)
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func printSync(o *output, r *discovery.Report) error {
	failed := r.Stubs.Err()
	if failed == nil {
		failed = setup.Affected(r)
	}
	if o.json {
		out, exit := outcomeOf(failed)
		return o.last(struct {
			outcome
			*discovery.Report
		}{out, r}, exit)
	}
	err := errors.Join(printServers(o, r), printChanges(o, r.Changes))
	if err != nil {
		return err
	}
	printNotes(o, r)
	printWorkflows(o, r)
	if failed == nil && r.Checked > 0 {
		o.note("no workflow is affected, of %d", r.Checked)
	}
	return failed
}
