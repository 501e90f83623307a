package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/execfile"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
)

func newRuns(o *output) *cobra.Command {
	p := &place{}
	var filter library.Filter
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs, newest first",
		Long: `Lists the runs that are in the journal, newest first: those that completed or failed, and those that a gate refused. runlace
runs show prints one of them.`,
		Example: `  runlace runs
  runlace runs --workflow weekly-report --status failed --limit 10`,
		Args: exactly(0, "no arguments, or show and a run"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			list, err := filter.Runs(e.Store())
			if err != nil {
				return err
			}
			if o.json {
				return o.object(map[string]any{"runs": list})
			}
			return printRuns(o, list)
		},
	}
	f := cmd.Flags()
	f.StringVar(&filter.Workflow, "workflow", "", "only runs of this workflow, by `NAME` or id")
	f.StringArrayVar(&filter.Statuses, "status", nil, "only runs of this `STATUS`, repeatable: "+strings.Join(library.Statuses(), ", "))
	f.StringArrayVar(&filter.Modes, "mode", nil, "only runs of this `MODE`, repeatable: "+strings.Join(library.Modes(), ", "))
	f.StringVar(&filter.Before, "before", "", "only runs that were made before this `RUN`")
	f.IntVar(&filter.Limit, "limit", 50, "how `MANY` at most")
	_ = cmd.RegisterFlagCompletionFunc("workflow", p.completeWorkflows(false))
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(library.Statuses(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(library.Modes(), cobra.ShellCompDirectiveNoFileComp))
	p.homeFlag(cmd)
	cmd.AddCommand(newRunsShow(o))
	return cmd
}

func printRuns(o *output, list []store.Run) error {
	if len(list) == 0 {
		o.note("there are no such runs")
		return nil
	}
	w := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "RUN\tWORKFLOW\tMODE\tSTATUS\tSTEPS\tMADE\tTOOK")
	for _, r := range list {
		took := "-"
		if !r.FinishedAt.IsZero() {
			took = term.Duration(r.FinishedAt.Sub(r.CreatedAt))
		}
		status := string(r.Status)
		if r.Gate != "" {
			status += " (" + r.Gate + ")"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", r.ID, r.Workflow, r.Mode, status, r.Steps, when(r.CreatedAt), took)
	}
	return writeError(w.Flush())
}

func newRunsShow(o *output) *cobra.Command {
	p := &place{}
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a run: how it ended, its steps, its output",
		Long: `Shows a run from the journal: how it ended, its steps without their data, its log and its output. runlace steps show prints
what a step sent and got.`,
		Example:           `  runlace runs show run_0123456789ab`,
		Args:              exactly(1, "one run's id"),
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			run, err := e.GetRun(args[0])
			if err != nil {
				return err
			}
			if o.json {
				return o.object(run)
			}
			return printStored(o, run)
		},
	}
	p.homeFlag(cmd)
	return cmd
}

func printStored(o *output, r *engine.Run) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, version %s\n", r.ID, r.Name, r.Version)
	fmt.Fprintf(&b, "%s  %s, %s, seed %d\n", r.Status, r.Mode, summary(r), r.Seed)
	if r.Error != "" {
		fmt.Fprintf(&b, "%s: %s\n", r.Code, r.Error)
	}
	for _, t := range r.SideEffects {
		fmt.Fprintf(&b, "  acts: %s.%s\n", t.Connector, t.Tool)
	}
	if len(r.Steps) > 0 {
		b.WriteString("\nSteps:\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, s := range r.Steps {
			state := string(s.State)
			if s.Simulated {
				state += ", simulated"
			}
			_, _ = fmt.Fprintf(w, "  %d\t%s.%s\t%s\t%s\t%s\n", s.Seq, s.Connector, s.Tool, s.Risk, term.Duration(time.Duration(s.DurationMS)*time.Millisecond), state)
			if len(s.Error) > 0 {
				_, _ = fmt.Fprintf(w, "  \t%s\n", s.Error)
			}
		}
		_ = w.Flush()
	}
	if r.Detail != nil && r.Detail.Traceback != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSuffix(r.Detail.Traceback, "\n"))
	}
	if r.Log != "" {
		fmt.Fprintf(&b, "\nLog:\n%s\n", strings.TrimSuffix(r.Log, "\n"))
	}
	fmt.Fprintf(&b, "\nOutput:\n%s", execfile.Indent(r.Output))
	return o.line("%s", term.Text(o.stdout, b.String()))
}
