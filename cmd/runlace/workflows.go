package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
)

func newWorkflows(o *output) *cobra.Command {
	p := &place{}
	cmd := &cobra.Command{
		Use:     "workflows",
		Short:   "List the stored workflows",
		Long:    `Lists the stored workflows by name: the latest version, how many there are, how the last real run ended, and what it does.`,
		Example: `  runlace workflows`,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			list, err := e.Store().Workflows()
			if err != nil {
				return err
			}
			if o.json {
				return o.object(map[string]any{"workflows": append([]store.Workflow{}, list...)})
			}
			if len(list) == 0 {
				o.note("there are no workflows yet: runlace create FILE stores one")
				return nil
			}
			w := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "NAME\tVERSION\tVERSIONS\tLAST RUN\tDESCRIPTION")
			for _, f := range list {
				last := "-"
				if f.LastRun != nil {
					last = string(f.LastRun.Status) + " " + when(f.LastRun.At)
				}
				_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", f.Name, f.Latest, f.Versions, last, term.Text(o.stdout, f.Description))
			}
			return writeError(w.Flush())
		},
	}
	p.homeFlag(cmd)
	return cmd
}
