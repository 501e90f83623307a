package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newTools(o *output) *cobra.Command {
	var p place
	var problems bool
	cmd := &cobra.Command{
		Use:   "tools [CONNECTOR]",
		Short: "List the tools that workflows can call",
		Long: `Lists the tools of all connectors, or of one, with what they may do and what they are for, as they were when their
servers were last asked. A tool that is read_only only reads; any other is a side_effect, which a run needs consent for.

With --problems it lists instead what about the tools could not be understood and what became of it: what in a server's
list is no tool, or is there twice, and each place in a schema that is typed less precisely than it could be, as a JSON
pointer into the tool's definition, with the reason. What a server does not say about its results can be learned from
runs: runlace tools learn.`,
		Example: `  runlace tools
  runlace tools github --json
  runlace tools github --problems
  runlace tools learn github.search_issues`,
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
			misspelled, err := s.Unmatched()
			if err != nil {
				return err
			}
			return printTools(o, l, problems, append(s.Warnings(), misspelled...))
		},
	}
	cmd.AddCommand(newToolsLearn(o))
	cmd.Flags().BoolVar(&problems, "problems", false, "list what about the tools could not be understood")
	p.homeFlag(cmd)
	return cmd
}

func printTools(o *output, l *discovery.Listing, problems bool, warnings []string) error {
	warnings = append([]string{}, warnings...)
	switch {
	case o.json && problems:
		return o.object(struct {
			Problems []discovery.Issue  `json:"problems"`
			Typing   []discovery.Typing `json:"typing"`
			Warnings []string           `json:"warnings"`
		}{l.Problems, l.Typing, warnings})
	case o.json:
		return o.object(struct {
			Tools    []discovery.Tool  `json:"tools"`
			Problems []discovery.Issue `json:"problems"`
			Warnings []string          `json:"warnings"`
		}{l.Tools, l.Problems, warnings})
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
		description := brief(t.Description, 80)
		rows = append(rows, []string{brief(t.Connector+"."+t.Tool, 60), t.Risk, description})
		if t.Stale && !stale[t.Connector] {
			stale[t.Connector] = true
			o.note("warning: %s did not answer when it was last asked; these are the tools that it had before", t.Connector)
		}
	}
	if err := printTable(o, rows); err != nil {
		return err
	}
	if n := len(l.Problems); n > 0 {
		o.note("%s on how they are typed: runlace tools --problems", words.Counted(n, "remark"))
	}
	return nil
}

func printIssues(o *output, l *discovery.Listing) error {
	var err error
	for _, x := range l.Problems {
		name, message := x.Connector, x.Message
		if x.Tool != "" {
			name += "." + x.Tool
		}
		if x.Pointer != "" {
			name += " " + x.Pointer
		}
		if x.Code != discovery.IssueListing {
			message += " (" + x.Code + ")"
		}
		if x.Skipped {
			message = "skipped: " + message
		}
		err = errors.Join(err, o.line("%s", term.Text(o.stdout, oneLine(name+": "+message))))
	}
	for _, t := range l.Typing {
		if text := loose(t.Stats); text != "" {
			o.note("%s: %s", t.Connector, text)
		}
	}
	if len(l.Problems) == 0 {
		o.note("no problems")
	}
	return err
}
