package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/words"
)

func newRunsExport(o *output) *cobra.Command {
	p := &place{}
	var filter library.Filter
	file := ""
	cmd := &cobra.Command{
		Use:   "export [RUN...]",
		Short: "Write runs with all that the journal has of them, as JSON lines",
		Long: `Writes runs with all that the journal has of them as JSON lines, one object in each: {"type":"run", ...}, then its steps in order,
{"type":"step", ...}, with all that was sent and answered, then what persons were asked, {"type":"approval", ...}. Without a run
it is all that the filters select, oldest first. The same journal gives the same bytes. Secrets are left out as the journal
leaves them out.

With --json standard output has the counts, so that it needs --output.`,
		Example: `  runlace runs export run_0123456789ab
  runlace runs export --since 30d --status completed --output runs.jsonl`,
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.json && file == "" {
				return fault.New("bad-usage", "standard output cannot have both the lines and the one object of --json").WithHint("add --output FILE, or leave --json out")
			}
			e, err := p.engine(cmd, o, tolerant)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			if file != "" {
				n, err := filter.ExportFile(e.Store(), args, file)
				if err != nil {
					return err
				}
				if o.json {
					return o.object(n)
				}
				o.note("wrote %s with %s to %s", words.Counted(n.Runs, "run"), steps(n.Steps), file)
				return nil
			}
			_, err = filter.Export(e.Store(), args, o.stdout)
			if w := (*library.WriteError)(nil); errors.As(err, &w) {
				return writeError(w.Err)
			}
			return err
		},
	}
	filterFlags(cmd, p, &filter)
	cmd.Flags().StringVarP(&file, "output", "o", "", "the `FILE` to write, which its owner alone can read (default: standard output)")
	_ = cmd.MarkFlagFilename("output", "jsonl")
	p.homeFlag(cmd)
	return cmd
}
