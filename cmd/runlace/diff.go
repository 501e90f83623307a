package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/diff"
	"github.com/runlace/runlace/internal/diff/sides"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/runtime"
)

func newDiff(o *output) *cobra.Command {
	p := &place{}
	format, folders := "", false
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two versions of a workflow, and say whether its callers break",
		Long: `Compares two versions of a workflow: what it takes, what it returns, the tools that it uses and the limits that it has, then the
code. A and B are versions, as NAME@VERSION, or NAME for the latest one; or folders of a workflow in a project, as
workflows/NAME; or one of each. What has a slash in it is a folder, and with --dir both are.

Callers break where inputs that were accepted are refused now, where an output is possible that was not before or a declared
one is gone, and where a workflow acts that did not act before, since it needs consent then. That is proved by the schemas, with
an example where there is one. Where nothing can be proved, it says so.

The tools of a folder are those of its code, as runlace.lock has them. Versions in the store have no limits of their own.

Exit codes: 0 callers do not break, 1 they break, or it cannot be told, 2 it could not be done.`,
		Example: `  runlace diff weekly-report@3f9a weekly-report
  runlace diff weekly-report workflows/weekly-report
  runlace diff ../main/workflows/weekly-report workflows/weekly-report --format github`,
		Args:              exactly(2, "two versions or folders"),
		ValidArgsFunction: p.completeWorkflows(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch format {
			case "", "text", "json", "github":
			default:
				return fault.New("bad-usage", "there is no format %s", format).WithHint("the formats are text, json, github")
			}
			o.json = format == "json" || o.json && format == ""
			f, done := p.finder(o)
			defer done()
			f.Folders = folders
			before, err := f.Find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			now, err := f.Find(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			return printDiff(o, format, diff.Compare(before, now))
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "how to write it, a `FORMAT`: text, json, github (default: text)")
	cmd.Flags().BoolVar(&folders, "dir", false, "A and B are folders, whatever they look like")
	p.homeFlag(cmd)
	return cmd
}

// finder finds sides of a comparison with what it needs for that: the home's database, or the sandbox. done closes what was opened.
func (p *place) finder(o *output) (f sides.Finder, done func()) {
	var s *store.Store
	var engine *runtime.Engine
	f.Store = func() (_ *store.Store, err error) {
		if s == nil {
			h, e := home.Open(p.dir)
			if e != nil {
				return nil, e
			}
			kind, e := store.Look(h.Database())
			if e != nil {
				return nil, e
			}
			if kind == store.Missing { // looking makes no home
				return nil, fault.New("unknown-workflow", "there are no workflows in %s", h.Dir).WithHint("write ./NAME for a folder, or name the home with --home")
			}
			s, err = store.Open(h.Database(), store.Options{})
		}
		return s, err
	}
	f.Sandbox = func(ctx context.Context) (_ *runtime.Engine, err error) {
		if engine == nil {
			waiting := term.NewProgress(o.stderr)
			engine, err = sandbox.Open(ctx, home.Cache(), waiting.Step)
			waiting.Done()
		}
		return engine, err
	}
	return f, func() {
		if s != nil {
			_ = s.Close()
		}
		if engine != nil {
			_ = engine.Close()
		}
	}
}

func printDiff(o *output, format string, r *diff.Report) error {
	exit := 0
	if r.Verdict != diff.Compatible {
		exit = fault.ExitFailed
	}
	if o.json {
		return o.last(r, exit)
	}
	text := term.Text(o.stdout, r.Text())
	if format == "github" {
		text = r.Markdown()
	}
	if _, err := io.WriteString(o.stdout, text); err != nil {
		return writeError(err)
	}
	return exitWith(exit)
}
