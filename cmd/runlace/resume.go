package main

import (
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
)

func newResume(o *output) *cobra.Command {
	p := &place{}
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Continue a run whose process has ended",
		Long: `Continues a run whose process has ended, or one that is in the queue and that no process drains. The steps that are in the journal
are answered from it, and nothing that was done is done again; then the run goes on live, through all gates anew.

A run with an act in doubt, sent and never answered, is not continued before a person has said whether it happened: runlace
resolve. Acts that policy.yaml calls idempotent, and whose servers say so too, are sent again without that.

Exit codes: 0 the run completed, 1 it failed, 2 it cannot be resumed, 3 a gate refused it, 4 it waits, 5 an act is in doubt,
130 it was interrupted.`,
		Example:           `  runlace resume run_0123456789ab`,
		Args:              exactly(1, "one run's id"),
		ValidArgsFunction: p.completeOpen,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEngine(cmd, o, p, func(e *engine.Engine, w *watch) error { return resumed(cmd, o, e, w, args[0]) })
		},
	}
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

// resumed continues a run, and tells what came of it.
func resumed(cmd *cobra.Command, o *output, e *engine.Engine, w *watch, id string) error {
	run, err := e.Resume(cmd.Context(), id, engine.ResumeOptions{Person: o.person(e, w.done), Observe: w.observe})
	w.done()
	if err != nil {
		return err
	}
	return o.run(run, "")
}

// watch shows a person what goes on while they wait.
type watch struct {
	progress *term.Progress
	live     *term.Live
}

func (w *watch) observe(e engine.Event) { w.progress.Done(); showEvent(w.live, e) }

func (w *watch) done() { w.live.Done(); w.progress.Done() }

// withEngine opens the home for a command that takes long.
func withEngine(cmd *cobra.Command, o *output, p *place, do func(*engine.Engine, *watch) error) error {
	w := &watch{term.NewProgress(o.stderr), term.NewLive(o.stderr)}
	defer w.done()
	e, err := p.engine(cmd, o, func(options *engine.Options) { options.Progress = w.progress.Step })
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	return do(e, w)
}

// run prints a run, and ends the process with its exit code.
func (o *output) run(r *engine.Run, file string) error {
	exit := runExit(r)
	if o.json {
		return o.last(r, exit)
	}
	return printRun(o, r, file, exit)
}

// completeOpen completes the first argument with the ids of runs that can be resumed or resolved.
func (p *place) completeOpen(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return p.completeRunsIn(args, store.Interrupted, store.InDoubt, store.Queued)
}
