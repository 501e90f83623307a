package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/setup"
)

func newDrift(o *output) *cobra.Command {
	var p place
	var timeout time.Duration
	var live bool
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Compare the tools with those that workflows were made with",
		Long: `Compares each tool that a workflow uses, in its latest version, with the tool as it was when the servers were last
asked, and says which workflows will not run, why, and what to do. No server is asked, and nothing is changed.

With --live it asks the servers, and compares all tools with what is stored: what runlace sync would add, remove and
change, and which workflows would not run then. Nothing is stored.

With --json, digests has each tool with its digest before and now, and whether it is the same, added, removed or
changed.

Exit codes: 0 all workflows run as they are, 1 some do not, or with --live a server did not answer, 2 it could not be
done.`,
		Example: `  runlace drift
  runlace drift --live --json`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := asking(&p, o, timeout, setup.Open, func(s *setup.Setup) (*discovery.Drift, error) { return s.Drift(cmd.Context(), live) })
			if err != nil {
				return err
			}
			return printDrift(o, d)
		},
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask the servers, and compare with what they say now")
	timeoutFlag(cmd, &timeout)
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func printDrift(o *output, d *discovery.Drift) error {
	failed := setup.Affected(d.Workflows, d.Checked)
	if failed == nil {
		failed = d.Unanswered()
	}
	if o.json {
		out, exit := outcomeOf(failed)
		return o.last(struct {
			outcome
			*discovery.Drift
		}{out, d}, exit)
	}
	if err := printChanges(o, d.Changes); err != nil {
		return err
	}
	for _, s := range d.Servers {
		if s.Status != discovery.Connected {
			o.note("warning: %s was not compared: %s: %s", s.Name, s.Status, s.Detail)
		}
	}
	for _, name := range d.Stale {
		o.note("warning: %s did not answer when it was last asked; its tools are those that it had before", name)
	}
	printWorkflows(o, d.Workflows)
	c := d.Changes
	var err error
	if len(c.Added)+len(c.Removed)+len(c.Changed) == 0 {
		err = o.line("no drift: %s compared", tools(len(d.Digests)))
	}
	switch {
	case d.Checked == 0:
		o.note("there are no workflows yet")
	case len(d.Workflows) == 0:
		o.note("no workflow is affected, of %d", d.Checked)
	}
	return errors.Join(err, failed)
}
