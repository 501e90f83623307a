package main

import (
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/setup"
)

func newSync(o *output) *cobra.Command {
	var p place
	var timeout time.Duration
	var empty []string
	cmd := &cobra.Command{
		Use:   "sync [CONNECTOR...]",
		Short: "Ask the servers for their tools again, and say what changed",
		Long: `Asks all servers for their tools, or only those that are named, and says which tools were added, removed and changed,
how they changed, which workflows will not run because of that and what to do about it, and how much of the tools is
typed loosely, and why. A server that does not answer keeps the tools that it had, and so does one that had tools and
says that it has none, unless --accept-empty names it.

With --json, changes has every difference as a JSON pointer into the tool's definition with what stood there and stands
there now, and digests has the digest of each tool before and now. runlace drift --live tells the same and stores
nothing.

Exit codes: 0 all workflows run as they are, 1 some do not, or a server that was named did not answer, 2 it could not be
done, as when a setting is missing or a server is not believed. Without names, servers that do not answer do not fail
it: workflows run with the rest.`,
		Example: `  runlace sync
  runlace sync github --timeout 90s
  runlace sync --accept-empty tracker --json`,
		ValidArgsFunction: p.completeConnectors(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := asking(&p, o, timeout, setup.Open, func(s *setup.Setup) (*discovery.Report, error) { return s.Sync(cmd.Context(), args, empty) })
			if err != nil {
				return err
			}
			return printSync(o, r, args)
		},
	}
	cmd.Flags().StringArrayVar(&empty, "accept-empty", nil, "believe the server of this `CONNECTOR` if it had tools and now says that it has none; repeatable")
	_ = cmd.RegisterFlagCompletionFunc("accept-empty", p.completeConnectors(true))
	timeoutFlag(cmd, &timeout)
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func printSync(o *output, r *discovery.Report, named []string) error {
	failed := r.Stubs.Err()
	if failed == nil {
		failed = setup.Affected(r.Workflows, r.Checked)
	}
	for _, s := range r.Servers {
		if failed == nil && slices.Contains(named, s.Name) {
			failed = s.Err()
		}
	}
	if o.json {
		out, exit := outcomeOf(failed)
		return o.last(struct {
			outcome
			*discovery.Report
		}{out, r}, exit)
	}
	err := errors.Join(printServers(o, r), printTyping(o, r.Servers), printChanges(o, r.Changes))
	if err != nil {
		return err
	}
	printNotes(o, r)
	printWorkflows(o, r.Workflows)
	if len(r.Workflows) == 0 && r.Checked > 0 {
		o.note("no workflow is affected, of %d", r.Checked)
	}
	return failed
}
