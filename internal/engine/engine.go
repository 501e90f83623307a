package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"os"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// Options say how to open an engine.
type Options struct {
	Home     home.Home
	Env      home.Env          // where references in config.json get their values
	CacheDir string            // of the sandbox; empty: the default
	Approval string            // config.Ask, Human or Allow; empty: as config.json says
	Version  string            // Runlace's own, as servers are told
	Progress func(text string) // told before what may take over a second; may be nil
}

// Engine is an opened home. It is safe for concurrent use.
type Engine struct {
	options  Options
	settings *settings
	secrets  *store.Secrets
	store    *store.Store
	pool     *connector.Pool

	sandboxOnce sync.Once
	sandboxDone *runtime.Engine
	sandboxErr  error

	compilerMu sync.Mutex
	compiler   *compilerParts

	catalogueMu  sync.Mutex
	catalogue    *Catalogue
	catalogueKey string
}

// Open opens the home. A home without config.json has the code no-config. The sandbox and the checker are opened when they
// are first needed.
func Open(ctx context.Context, o Options) (*Engine, error) {
	s, err := loadSettings(o.Home)
	if err != nil {
		return nil, err
	}
	if err := o.Home.Ensure(); err != nil {
		return nil, err
	}
	e := &Engine{options: o, settings: s, secrets: &store.Secrets{}}
	if e.store, err = store.Open(o.Home.Database(), store.Options{Files: o.Home.Workflows(), Redactor: e.secrets}); err != nil {
		return nil, err
	}
	if _, err := e.store.Settle(gone); err != nil {
		_ = e.store.Close()
		return nil, err
	}
	e.pool = connector.NewPool(e.resolve)
	s.changed = e.pool.Forget
	return e, nil
}

// Close ends the connectors' processes, and closes everything.
func (e *Engine) Close() error {
	e.pool.Close()
	e.closeCompiler()
	e.sandboxOnce.Do(func() { e.sandboxErr = runtime.ErrClosed })
	if e.sandboxDone != nil {
		_ = e.sandboxDone.Close()
	}
	return e.store.Close()
}

// Store is the home's database.
func (e *Engine) Store() *store.Store { return e.store }

// Approval says who gives consent to acts.
func (e *Engine) Approval() string {
	if e.options.Approval != "" {
		return e.options.Approval
	}
	f, _, _ := e.settings.now()
	return f.Approval
}

// Warnings tell what in config.json and policy.yaml is not followed.
func (e *Engine) Warnings() []string {
	_, problems, pol := e.settings.now()
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return append(out, pol.Warnings()...)
}

func (e *Engine) progress(text string) {
	if e.options.Progress != nil {
		e.options.Progress(text)
	}
}

// sandboxEngine opens the sandbox the first time.
func (e *Engine) sandboxEngine(ctx context.Context) (*runtime.Engine, error) {
	e.sandboxOnce.Do(func() {
		e.sandboxDone, e.sandboxErr = sandbox.Open(context.WithoutCancel(ctx), e.options.CacheDir, e.progress)
	})
	return e.sandboxDone, e.sandboxErr
}

// resolve gives the pool a connector with its variables' values.
func (e *Engine) resolve(name string) (config.Connector, connector.Options, error) {
	f, problems, _ := e.settings.now()
	c, ok := f.Find(name)
	if !ok {
		for _, p := range problems {
			if p.Connector == name && p.Skipped {
				return c, connector.Options{}, fault.New("bad-connector", "the connector %s cannot be used as it is configured: %s", name, p)
			}
		}
		return c, connector.Options{}, fault.New("unknown-connector", "there is no connector %s in %s", name, e.options.Home.Config())
	}
	resolved, secrets, err := config.Resolve(c, e.options.Env)
	if err != nil {
		return c, connector.Options{}, err
	}
	e.secrets.Add(secrets...)
	return resolved, connector.Options{Secrets: secrets, Version: e.options.Version}, nil
}

// gone tells whether the process of a run that is running has ended. Only of this machine's can it be told; for others the
// lease decides.
func gone(r store.Run) bool {
	host, _ := os.Hostname()
	if r.Executor.Host != host {
		return !r.Executor.LeaseUntil.IsZero() && time.Now().After(r.Executor.LeaseUntil)
	}
	return !alive(r.Executor.PID)
}

// newSeed returns 53 random bits: a number that every JSON reader keeps.
func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) >> 11
}
