package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/setup"
)

func newTools(o *output) *cobra.Command {
	var p place
	var problems bool
	cmd := &cobra.Command{
		Use:   "tools [CONNECTOR]",
		Short: "List the tools that workflows can call",
		Long: `Lists the tools of all connectors, or of one, with what they may do and what they are for, as they were when their servers were
last asked. A tool that is read_only only reads; any other is a side_effect, which a run needs consent for.

With --problems it lists instead what about the tools could not be understood, and what became of it.`,
		Example: `  runlace tools
  runlace tools github --json
  runlace tools --problems`,
		Args:              between(0, 1, "one connector, or none"),
		ValidArgsFunction: p.completeConnectors(false),
		RunE: func(_ *cobra.Command, args []string) error {
			h, env, err := p.open(o)
			if err != nil {
				return err
			}
			s, err := setup.Open(setup.Options{Home: h, Env: env})
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }()
			l, err := s.Tools(append(args, "")[0])
			if err != nil {
				return err
			}
			return printTools(o, l, problems, s.Warnings())
		},
	}
	cmd.Flags().BoolVar(&problems, "problems", false, "list what about the tools could not be understood")
	p.homeFlag(cmd)
	return cmd
}

func printTools(o *output, l *discovery.Listing, problems bool, warnings []string) error {
	if o.json {
		return o.object(struct {
			*discovery.Listing
			Warnings []string `json:"warnings"`
		}{l, append([]string{}, warnings...)})
	}
	for _, w := range warnings {
		o.note("warning: %s", w)
	}
	if problems {
		return printIssues(o, l)
	}
	if len(l.Tools) == 0 {
		o.note("no tools")
		o.note("hint: runlace sync asks the servers for them")
		return nil
	}
	rows := [][]string{{"TOOL", "RISK", "DESCRIPTION"}, {"----", "----", "-----------"}}
	stale := map[string]bool{}
	for _, t := range l.Tools {
		description := t.Description
		if r := []rune(description); len(r) > 80 {
			description = string(r[:79]) + "…"
		}
		rows = append(rows, []string{t.Connector + "." + t.Tool, t.Risk, description})
		if t.Stale && !stale[t.Connector] {
			stale[t.Connector] = true
			o.note("warning: %s did not answer when it was last asked; these are the tools that it had before", t.Connector)
		}
	}
	if err := printTable(o, rows); err != nil {
		return err
	}
	if n := len(l.Problems); n > 0 {
		o.note("%s on how they are typed: runlace tools --problems", counted(n, "remark"))
	}
	return nil
}

func printIssues(o *output, l *discovery.Listing) error {
	var err error
	for _, x := range l.Problems {
		name := x.Connector
		if x.Tool != "" {
			name += "." + x.Tool
		}
		if x.Where != "" {
			name += " (" + x.Where + ")"
		}
		word := ""
		if x.Skipped {
			word = "skipped: "
		}
		err = errors.Join(err, o.line("%s: %s%s", name, word, x.Message))
	}
	if len(l.Problems) == 0 {
		o.note("no problems")
	}
	return err
}
