package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/recorder"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
)

func newLock(o *output) *cobra.Command {
	var p place
	var timeout time.Duration
	var only bool
	cmd := &cobra.Command{
		Use:   "lock [DIR]",
		Short: "Write down the tools that a project uses",
		Long: `Asks the servers of a project's connectors for their tools, and writes those that some workflow uses into runlace.lock, with their
schemas and annotations: what runlace check compiles against. It says which tools were added, removed and changed, and how.
DIR is a folder of the project (default: the current one). Which servers they are stands in the home: see runlace add.

The same servers give the same file. What is only said to readers, as descriptions, is left out. With --check nothing is written.

Exit codes: 0 done, or nothing to do, 1 a workflow calls what is not there, or with --check the lock is not what the servers say,
2 it could not be done.`,
		Example: `  runlace lock
  runlace lock flows --check`,
		Args: between(0, 1, "one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			l, err := p.lock(cmd, o, dir, timeout)
			if err != nil {
				return err
			}
			if !only && len(l.Findings) == 0 {
				if err := l.Write(); err != nil {
					return err
				}
			}
			return printLock(o, l, only)
		},
	}
	cmd.Flags().BoolVar(&only, "check", false, "write nothing, and fail if the lock is not what the servers say")
	timeoutFlag(cmd, &timeout)
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

// lock asks the servers.
func (p *place) lock(cmd *cobra.Command, o *output, dir string, timeout time.Duration) (*recorder.Lock, error) {
	flows, err := project.Load(dir)
	if err != nil {
		return nil, err
	}
	var at home.Home
	open := func(opts setup.Options) (*setup.Setup, error) {
		at = opts.Home
		return setup.Open(opts)
	}
	return asking(p, o, timeout, open, func(s *setup.Setup) (*recorder.Lock, error) {
		progress := term.NewProgress(o.stderr)
		defer progress.Done()
		engine, err := sandbox.Open(cmd.Context(), home.Cache(), progress.Step)
		if err != nil {
			return nil, err
		}
		defer func() { _ = engine.Close() }()
		progress.Done()
		return recorder.Tools(cmd.Context(), flows, lint.New(engine), setup.Names(at), recorder.Ask(s))
	})
}

func printLock(o *output, l *recorder.Lock, only bool) error {
	var failed error
	file := shownPath(l.File)
	for i := range l.Findings {
		l.Findings[i].File = shownPath(l.Findings[i].File)
	}
	switch {
	case len(l.Findings) > 0:
		f := l.Findings[0]
		failed = fault.New("does-not-compile", "the lock was not written: %s: %s: %s", f.Place, f.Code, f.Message).WithHint("%s", f.Hint)
	case only && l.Stale:
		failed = fault.New("lock-drift", "%s is not what the servers say", file)
	}
	if o.json {
		out, exit := outcomeOf(failed)
		return o.last(struct {
			outcome
			File     string           `json:"file"`
			Written  bool             `json:"written"`
			Tools    int              `json:"tools"`
			Changes  catalog.Changes  `json:"changes"`
			Servers  []string         `json:"servers,omitempty"`
			Findings []report.Finding `json:"findings"`
		}{out, file, failed == nil && l.Stale, len(l.Now.Tools()), noNil(l.Changes), l.Servers, append([]report.Finding{}, l.Findings...)}, exit)
	}
	for _, f := range l.Findings {
		o.note("%s: %s: %s", f.Place, f.Code, f.Message)
		o.note("  hint: %s", f.Hint)
	}
	if len(l.Findings) > 0 {
		o.note("nothing was written")
		return exitWith(fault.ExitFailed)
	}
	err := printChanges(o, l.Changes)
	for _, s := range l.Servers {
		err = errors.Join(err, o.line("%s", s))
	}
	if failed == nil && err == nil {
		said := "wrote %s: %s"
		if !l.Stale {
			said = "%s is what the servers say: %s"
		}
		o.note(said, file, tools(len(l.Now.Tools())))
	}
	return errors.Join(err, failed)
}

// noNil are changes with empty lists in place of none.
func noNil(c catalog.Changes) catalog.Changes {
	return catalog.Changes{Added: append([]catalog.Key{}, c.Added...), Removed: append([]catalog.Key{}, c.Removed...), Changed: append([]catalog.ToolChanges{}, c.Changed...)}
}
