package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

// place is where a command finds its files and its variables.
type place struct {
	dir      string
	envFiles []string
}

// homeFlag adds --home, which every command has that reads or writes the home.
func (p *place) homeFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.dir, "home", "", "the `DIR` where Runlace keeps its files (default: $RUNLACE_HOME, or ~/.runlace)")
	_ = cmd.MarkFlagDirname("home")
}

// envFlag adds --env-file, which every command has that opens connections.
func (p *place) envFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&p.envFiles, "env-file", nil, "a `FILE` of lines NAME=value, for the variables that config.json refers to; repeatable")
}

// open finds the home and reads the variables. It says which variables came from files, and never their values.
func (p *place) open(o *output) (home.Home, home.Env, error) {
	env, err := home.LoadEnv(p.envFiles)
	if err != nil {
		return home.Home{}, env, err
	}
	for _, f := range env.Files() {
		o.note("%s", f)
	}
	h, err := home.Open(p.dir)
	return h, env, err
}

// engine opens the home for a command that works with workflows. Its caller closes it.
func (p *place) engine(cmd *cobra.Command, o *output, set func(*engine.Options)) (*engine.Engine, error) {
	h, env, err := p.open(o)
	if err != nil {
		return nil, err
	}
	return p.engineAt(cmd, o, h, env, set)
}

// tolerant is for commands that need no connector: they work while config.json cannot be read.
func tolerant(options *engine.Options) { options.Tolerant = true }

func (p *place) engineAt(cmd *cobra.Command, o *output, h home.Home, env home.Env, set func(*engine.Options)) (*engine.Engine, error) {
	options := engine.Options{Home: h, Env: env, CacheDir: home.Cache(), Version: version()}
	if set != nil {
		set(&options)
	}
	e, err := engine.Open(cmd.Context(), options)
	if err != nil {
		return nil, err
	}
	warnings := e.Warnings()
	if _, err := os.Stat(h.Policy()); err == nil {
		misspelled, err := e.Unmatched()
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		warnings = append(warnings, misspelled...)
	}
	for _, w := range warnings {
		o.note("warning: %s", w)
	}
	return e, nil
}

// store opens the home's database alone, for what is written when a person presses the tabulator key. Nothing there is no error.
func (p *place) store() (*store.Store, error) {
	h, err := home.Open(p.dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(h.Database()); err != nil {
		return nil, err
	}
	return store.Open(h.Database(), store.Options{})
}

// completeWorkflows completes the first argument with the names of workflows, and with files if files is true.
func (p *place) completeWorkflows(files bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []string, d cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if d = cobra.ShellCompDirectiveNoFileComp; files {
			d = cobra.ShellCompDirectiveDefault
		}
		s, err := p.store()
		if err != nil {
			return nil, d
		}
		defer func() { _ = s.Close() }()
		list, _ := s.Workflows()
		for _, w := range list {
			names = append(names, w.Name+"\t"+w.Description)
		}
		return names, d
	}
}

// completeRuns completes the first argument with the ids of the last runs.
func (p *place) completeRuns(_ *cobra.Command, args []string, _ string) (ids []string, d cobra.ShellCompDirective) {
	return p.completeRunsIn(args)
}

// completeRunsIn does so with those in some statuses; none are all.
func (p *place) completeRunsIn(args []string, statuses ...store.RunStatus) (ids []string, d cobra.ShellCompDirective) {
	if s, err := p.store(); err == nil && len(args) == 0 {
		defer func() { _ = s.Close() }()
		list, _ := s.Runs(store.RunFilter{Statuses: statuses})
		for _, r := range list {
			ids = append(ids, fmt.Sprintf("%s\t%s, %s", r.ID, r.Workflow, r.Status))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
