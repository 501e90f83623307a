package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newCreate(o *output) *cobra.Command {
	p, source := &place{}, &library.Source{}
	cmd := &cobra.Command{
		Use:   "create FILE",
		Short: "Check a workflow and store it as a version",
		Long: `Checks a workflow's code against the tools of the connectors, and stores it as an immutable version, which is the latest from
then on. Code that does not pass is not stored: each problem is printed as FILE:LINE:COLUMN: CODE message, with a hint. FILE
may be - for standard input, with --name.

If there is a workflow of that name, what is not given stays as its latest version has it. The answer is the name and the
version.`,
		Example: `  runlace create reports/weekly.py --name weekly-report --description 'Sums up a week' --inputs-schema schema.json
  runlace create weekly.py --inputs-schema '{"type": "object", "properties": {"week": {"type": "integer"}}, "required": ["week"]}'`,
		Args: exactly(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			source.File = args[0]
			progress := term.NewProgress(o.stderr)
			defer progress.Done()
			e, err := p.engine(cmd, o, func(options *engine.Options) { options.Progress = progress.Step })
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			w, err := source.Read(cmd.Context(), given.In{Stdin: os.Stdin}, e.Store())
			if err != nil {
				return err
			}
			created, err := e.Create(cmd.Context(), w)
			if err != nil {
				return err
			}
			progress.Done()
			return printCreated(o, created, args[0])
		},
	}
	sourceFlags(cmd, source)
	p.homeFlag(cmd)
	return cmd
}

// printCreated says what came of a workflow that was handed in.
func printCreated(o *output, c *engine.Created, file string) error {
	exit := 0
	if !c.OK {
		exit = fault.ExitFailed
	}
	if o.json {
		return o.last(c, exit)
	}
	if !c.OK {
		printProblems(o, file, c.Errors)
		o.note("nothing was stored: %s in stage %s", words.Counted(len(c.Errors), "problem"), c.Stage)
		return exitWith(exit)
	}
	if err := o.line("%s %s", c.Name, c.Version); err != nil {
		return err
	}
	noteCreated(o, c)
	return nil
}

func noteCreated(o *output, c *engine.Created) {
	if o.json {
		return
	}
	for _, w := range c.Warnings {
		o.note("warning: %s", w)
	}
	if c.New {
		o.note("stored %s as version %s", c.Name, c.Version)
	} else {
		o.note("%s has this version already: %s", c.Name, c.Version)
	}
}

// printProblems prints what the compiler refused, in the form that editors understand.
func printProblems(o *output, file string, problems []engine.Problem) {
	if file == "-" {
		file = "standard input"
	}
	for _, p := range problems {
		place := file
		if place != "" && p.Line > 0 {
			place += fmt.Sprintf(":%d:%d", p.Line, max(p.Column, 1))
		}
		if place != "" {
			place += ": "
		}
		o.note("%s%s %s", place, p.Code, p.Message)
		if p.Hint != "" {
			o.note("  hint: %s", p.Hint)
		}
	}
}
