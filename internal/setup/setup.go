// Package setup is what the commands do that change which connectors there are: init, add, remove, sync. It ties the configuration, the
// store and discovery together.
//
//	s, err := setup.Open(setup.Options{Home: h, Env: env})
//	defer s.Close()
//	report, err := s.Sync(ctx, nil, nil)
package setup

import (
	"context"
	"errors"
	"time"

	"github.com/runlace/runlace/internal/auth"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

// Options say where and how.
type Options struct {
	Home     home.Home
	Env      home.Env
	Timeout  time.Duration // of each server that has none of its own; 0: the default
	Version  string        // Runlace's own
	Progress func(discovery.Progress)
}

// Setup is an opened home.
type Setup struct {
	options  Options
	config   *config.File
	problems []config.Problem
	policy   *policy.Policy
	secrets  *store.Secrets
	store    *store.Store
}

// Open opens a home that has a configuration; else the code is no-config.
func Open(o Options) (*Setup, error) { return open(o, false) }

// Create opens a home, and makes it if there is none.
func Create(o Options) (*Setup, error) { return open(o, true) }

func open(o Options, create bool) (*Setup, error) {
	f, problems, err := config.Load(o.Home.Config())
	if create && errors.Is(err, fault.New("no-config", "")) {
		f, err = config.New(), nil
	}
	if err != nil {
		return nil, err
	}
	if err := o.Home.Ensure(); err != nil {
		return nil, err
	}
	s := &Setup{options: o, config: f, problems: problems, policy: policy.Load(o.Home.Policy()), secrets: &store.Secrets{}}
	s.store, err = store.Open(o.Home.Database(), store.Options{Files: o.Home.Workflows(), Redactor: s.secrets})
	return s, err
}

// Close closes the store.
func (s *Setup) Close() error { return s.store.Close() }

// Tools lists the tools of a connector, or of all if it is empty, without asking anybody.
func (s *Setup) Tools(connector string) (*discovery.Listing, error) {
	return discovery.List(s.config, s.problems, s.options.Home.Config(), s.policy, s.store, connector)
}

// Warnings tell what in the configuration and the policy is not followed.
func (s *Setup) Warnings() []string {
	var out []string
	for _, p := range s.problems {
		out = append(out, p.String())
	}
	return append(out, s.policy.Warnings()...)
}

// Unmatched tells which entries of policy.yaml match no connector or tool that is known, or have no effect on it.
func (s *Setup) Unmatched() ([]string, error) {
	return discovery.Unmatched(s.config, s.problems, s.policy, s.store)
}

// Sync asks the servers of these connectors, or of all, for their tools. Those of empty are believed if they have none any more.
func (s *Setup) Sync(ctx context.Context, only, empty []string) (*discovery.Report, error) {
	return s.discover(ctx, s.options.Env, only, empty...)
}

// Drift compares the tools that are stored with those that workflows were made with, or all with what their servers say now. It changes
// nothing.
func (s *Setup) Drift(ctx context.Context, live bool) (*discovery.Drift, error) {
	if !live {
		return discovery.StoredDrift(s.store)
	}
	return discovery.LiveDrift(ctx, s.asking(s.options.Env))
}

// Learn adopts types of what tools were seen to answer.
func (s *Setup) Learn(what string, o discovery.Learning) (*discovery.Learned, error) {
	return discovery.Learn(s.asking(s.options.Env), what, o)
}

func (s *Setup) discover(ctx context.Context, env home.Env, only []string, empty ...string) (*discovery.Report, error) {
	o := s.asking(env)
	o.Only, o.AcceptEmpty = only, empty
	return discovery.Run(ctx, o)
}

func (s *Setup) asking(env home.Env) discovery.Options {
	return discovery.Options{
		Home: s.options.Home, Env: env, Config: s.config, Problems: s.problems, Policy: s.policy, Store: s.store,
		Timeout: s.options.Timeout, Check: true, Version: s.options.Version, Secrets: s.secrets.Add, Progress: s.options.Progress,
		Session: auth.Open(s.options.Home, env, s.secrets.Add).Session,
	}
}

// Affected is the error about workflows that will not run as they are, nil if there are none.
func Affected(workflows []discovery.Affected, checked int) error {
	switch len(workflows) {
	case 0:
		return nil
	case 1:
		return fault.New("workflows-stale", "the workflow %s will not run as it is", workflows[0].Name)
	}
	return fault.New("workflows-stale", "%d of %d workflows will not run as they are", len(workflows), checked)
}
