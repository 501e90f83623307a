package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/term"
)

func newEdit(o *output) *cobra.Command {
	p, edit := &place{}, &engine.Edit{}
	var description, inputs, outputs string
	cmd := &cobra.Command{
		Use:   "edit NAME",
		Short: "Change one place of a workflow",
		Long: `Replaces a text in the code of a workflow's latest version, its description or its schemas, checks it all, and stores the
result as a new version. --old has to be in the code exactly once. The versions before it stay as they are.

To change more, write the code into a file with runlace show NAME --code, and store that with runlace create FILE --name
NAME.`,
		Example: `  runlace edit weekly-report --old 'limit=10' --new 'limit=20'
  runlace edit weekly-report --description 'Sums up a week of orders'`,
		Args:              exactly(1, "one workflow's name"),
		ValidArgsFunction: p.completeWorkflows(false),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			edit.Name = args[0]
			if cmd.Flags().Changed("description") {
				edit.Description = &description
			}
			in := given.In{Stdin: os.Stdin}
			if edit.Inputs, err = in.JSON(cmd.Context(), "--inputs-schema", inputs); err != nil {
				return err
			}
			if edit.Outputs, err = in.JSON(cmd.Context(), "--outputs-schema", outputs); err != nil {
				return err
			}
			progress := term.NewProgress(o.stderr)
			defer progress.Done()
			e, err := p.engine(cmd, o, func(options *engine.Options) { options.Progress = progress.Step })
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			created, err := e.Edit(cmd.Context(), *edit)
			if err != nil {
				return err
			}
			progress.Done()
			return printCreated(o, created, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&edit.Old, "old", "", "the `TEXT` to replace")
	f.StringVar(&edit.New, "new", "", "the `TEXT` to put there")
	f.StringVar(&description, "description", "", "what the workflow does, in a `SENTENCE`")
	f.StringVar(&inputs, "inputs-schema", "", "another JSON Schema of the inputs, or a `FILE` with it")
	f.StringVar(&outputs, "outputs-schema", "", "another JSON Schema of the output, or a `FILE` with it")
	p.homeFlag(cmd)
	return cmd
}
