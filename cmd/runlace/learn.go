package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newToolsLearn(o *output) *cobra.Command {
	var p place
	var l discovery.Learning
	cmd := &cobra.Command{
		Use:   "learn CONNECTOR[.TOOL]",
		Short: "Type what tools return by what they have returned",
		Long: `Makes a schema of the results that a tool has given to runs, where its server does not say what it returns, and adopts
it: the tool's result is typed by it from then on, and the stub says that this was observed. With a connector alone, it
does so for all its tools.

It is only what was seen: the results are in the journal, and the more of them there are, the better. A key that was
always there is taken as required, null as one of the types, and values are never listed. Nothing is refused by such a
type: a result that is otherwise passes with a warning. Workflows that are stored do not change, since it is no part of
what a tool is.`,
		Example: `  runlace tools learn github.search_issues --dry-run
  runlace tools learn github
  runlace tools learn github --forget`,
		Args:              exactly(1, "a connector, or CONNECTOR.TOOL"),
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
			learned, err := s.Learn(args[0], l)
			if err != nil {
				return err
			}
			return printLearned(o, learned, l)
		},
	}
	cmd.Flags().BoolVar(&l.Only, "dry-run", false, "only show what would be learned or forgotten")
	cmd.Flags().BoolVar(&l.Forget, "forget", false, "give up what was learned")
	p.homeFlag(cmd)
	return cmd
}

func printLearned(o *output, learned *discovery.Learned, l discovery.Learning) error {
	if o.json {
		out, exit := outcomeOf(nil)
		return o.last(struct {
			outcome
			*discovery.Learned
		}{out, learned}, exit)
	}
	for _, x := range learned.Tools {
		name := x.Connector + "." + x.Tool
		if x.State == discovery.LessonSkipped {
			o.note("skipped: %s: %s", name, x.Reason)
			continue
		}
		text := fmt.Sprintf("%s: %s, from %s of %s", name, x.State, words.Counted(x.Samples, "result"), words.Counted(x.Runs, "run"))
		if x.Returns != "" {
			text += ", returns " + x.Returns
		}
		if err := o.line("%s", term.Text(o.stdout, text)); err != nil {
			return err
		}
		if x.State != discovery.LessonForgotten {
			var b bytes.Buffer
			_ = json.Indent(&b, x.Schema, "  ", "  ") // it is JSON
			if err := o.line("  %s", term.Text(o.stdout, b.String())); err != nil {
				return err
			}
		}
		for _, n := range x.Notes {
			o.note("warning: %s: %s", name, n)
		}
	}
	if l.Only {
		o.note("nothing was stored")
	}
	return nil
}
