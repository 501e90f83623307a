package main

import (
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/words"
)

func newPush(o *output) *cobra.Command {
	var p place
	dir := "."
	cmd := &cobra.Command{
		Use:   "push DIR|NAME",
		Short: "Store workflows of a project",
		Long: `Compiles workflows of a project against the tools of the connectors, as runlace create does, and stores each as a version, which
is the latest from then on. DIR is the folder of one workflow, or of a project, with all that are in it; NAME is one of the
project that the current folder is in. What has a slash or a dot in it is always a folder.

What has not changed is not stored again. A workflow that does not compile is not stored, and the others are.

Exit codes: 0 all are stored, 1 some do not compile, 2 it could not be done.`,
		Example: `  runlace push weekly-report
  runlace push workflows/weekly-report
  runlace push . --json`,
		Args: exactly(1, "one folder, or the name of a workflow"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEngine(cmd, o, &p, func(e *engine.Engine, w *watch) error {
				list, notes, err := library.Push(cmd.Context(), e, args[0], dir)
				w.done()
				if err != nil {
					return err
				}
				return printPushed(o, list, notes)
			})
		},
	}
	dirFlag(cmd, &dir)
	p.homeFlag(cmd)
	return cmd
}

func printPushed(o *output, list []library.Pushed, notes []string) error {
	exit := 0
	for i := range list {
		list[i].Path = shownPath(list[i].Path)
		if !list[i].OK {
			exit = fault.ExitFailed
		}
	}
	if o.json {
		return o.last(struct {
			OK     bool             `json:"ok"`
			Pushed []library.Pushed `json:"pushed"`
			Notes  []string         `json:"notes,omitempty"`
		}{exit == 0, list, notes}, exit)
	}
	for _, c := range list {
		if c.OK {
			if err := o.line("%s %s", c.Name, c.Version); err != nil {
				return err
			}
			noteCreated(o, c.Created)
			continue
		}
		printProblems(o, c.Path, c.Errors)
		o.note("%s was not stored: %s in stage %s", c.Name, words.Counted(len(c.Errors), "problem"), c.Stage)
	}
	for _, n := range notes {
		o.note("%s", n)
	}
	return exitWith(exit)
}
