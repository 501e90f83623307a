package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/execfile"
	"github.com/runlace/runlace/internal/fault"
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
		Long: `Lists the runs that are in the journal, newest first: those that completed or failed, those that are on their way or wait, and
those that a gate refused. runlace runs show prints one of them. The next page begins --before the last run of this one.`,
		Example: `  runlace runs
  runlace runs --workflow weekly-report --status failed --limit 10
  runlace runs --status awaiting_approval --status in_doubt --since 7d`,
		Args: exactly(0, "no arguments, or show and a run"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := p.engine(cmd, o, tolerant)
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
	filterFlags(cmd, p, &filter)
	cmd.Flags().IntVar(&filter.Limit, "limit", 50, "how `MANY` at most")
	p.homeFlag(cmd)
	cmd.AddCommand(newRunsShow(o), newRunsExport(o), newRunsPrune(o))
	return cmd
}

// filterFlags select runs.
func filterFlags(cmd *cobra.Command, p *place, filter *library.Filter) {
	f := cmd.Flags()
	f.StringVar(&filter.Workflow, "workflow", "", "only runs of this workflow, by `NAME` or id")
	f.StringArrayVar(&filter.Statuses, "status", nil, "only runs of this `STATUS`, repeatable: "+strings.Join(library.Statuses(), ", "))
	f.StringArrayVar(&filter.Modes, "mode", nil, "only runs of this `MODE`, repeatable: "+strings.Join(library.Modes(), ", "))
	f.StringVar(&filter.Since, "since", "", "only runs that were made since a `TIME`: a span such as 12h, 7d or 2w, or a date such as 2026-01-31")
	f.StringVar(&filter.Before, "before", "", "only runs that were made before this `RUN`")
	_ = cmd.RegisterFlagCompletionFunc("workflow", p.completeWorkflows(false))
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(library.Statuses(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(library.Modes(), cobra.ShellCompDirectiveNoFileComp))
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
	follow := false
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run: how it ended, its steps, its output",
		Long: `Shows a run from the journal: how it ended, its steps without their data, its log and its output. runlace steps show prints
what a step sent and got.

With --follow it watches a run that is not over: steps are printed as they come, until it is over or waits for a person. Ctrl-C
ends the watching, and not the run.

Exit codes: 0 shown, however the run ended, 2 there is no such run, 130 the watching was ended.`,
		Example: `  runlace runs show run_0123456789ab
  runlace runs show run_0123456789ab --follow`,
		Args:              exactly(1, "one run's id"),
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, tolerant)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			if follow {
				return followRun(cmd, o, e, args[0])
			}
			run, err := e.GetRun(args[0])
			if err != nil {
				return err
			}
			if o.json {
				return o.object(run)
			}
			return o.line("%s", term.Text(o.stdout, stored(run, true)))
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "watch it until it is over or waits")
	p.homeFlag(cmd)
	return cmd
}

// followRun prints the steps of a run as they end, and then how it ended.
func followRun(cmd *cobra.Command, o *output, e *engine.Engine, id string) error {
	live, failed := term.NewLive(o.stderr), error(nil)
	defer live.Done()
	run, err := library.Follow(cmd.Context(), e, id, func(s engine.Step) {
		switch {
		case o.json:
		case s.State == store.StepIntent:
			live.Now("%4d  %s.%s ...", s.Seq, s.Connector, s.Tool)
		default:
			live.Done()
			if err := o.line("%s", term.Text(o.stdout, followed(s))); err != nil {
				failed = err
			}
		}
	})
	live.Done()
	if err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	exit := 0
	if cmd.Context().Err() != nil && (run.Status == store.Running || run.Status == store.Queued) {
		exit = fault.ExitInterrupted
	}
	if o.json {
		return o.last(run, exit)
	}
	if exit != 0 {
		o.note("run %s is %s, and goes on", run.ID, run.Status)
		return exitWith(exit)
	}
	return o.line("%s", term.Text(o.stdout, stored(run, false)))
}

func followed(s engine.Step) string {
	line := fmt.Sprintf("%4d  %s.%s  %s  %s", s.Seq, s.Connector, s.Tool, term.Duration(time.Duration(s.DurationMS)*time.Millisecond), stateOf(s))
	if len(s.Error) > 0 {
		line += "  " + shortened(string(s.Error), 400)
	}
	return line
}

func stateOf(s engine.Step) string {
	if s.Simulated {
		return string(s.State) + ", simulated"
	}
	return string(s.State)
}

// stored is a run as text.
func stored(r *engine.Run, steps bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, version %s\n", r.ID, r.Name, r.Version)
	fmt.Fprintf(&b, "%s  %s, %s, seed %d\n", r.Status, r.Mode, summary(r), r.Seed)
	if r.Error != "" {
		fmt.Fprintf(&b, "%s: %s\n", r.Code, r.Error)
		if !r.Status.Final() {
			fmt.Fprintf(&b, "hint: %s\n", r.Hint)
		}
	}
	for _, t := range r.SideEffects {
		fmt.Fprintf(&b, "  acts: %s.%s\n", t.Connector, t.Tool)
	}
	if steps && len(r.Steps) > 0 {
		b.WriteString("\nSteps:\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, s := range r.Steps {
			_, _ = fmt.Fprintf(w, "  %d\t%s.%s\t%s\t%s\t%s\n", s.Seq, s.Connector, s.Tool, s.Risk, term.Duration(time.Duration(s.DurationMS)*time.Millisecond), stateOf(s))
			if len(s.Error) > 0 {
				_, _ = fmt.Fprintf(w, "  \t%s\n", s.Error)
			}
			for _, warning := range s.Warnings {
				_, _ = fmt.Fprintf(w, "  \twarning: %s\n", warning)
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
	return b.String()
}
