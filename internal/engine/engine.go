package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/auth"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/content"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// Options say how to open an engine.
type Options struct {
	Home     home.Home
	Env      home.Env // where references in config.json get their values
	CacheDir string   // of the sandbox; empty: the default
	Tolerant bool     // opens a home whose config.json cannot be read as well, for what needs no connector; [Engine.Warnings] says so
	Approval string   // config.Ask, Human or Allow; empty: as config.json says
	// ApprovalExpiry is how long a question to a person lasts; 0: as config.json says, else DefaultApprovalExpiry.
	ApprovalExpiry time.Duration
	Version        string            // Runlace's own, as servers are told
	Progress       func(text string) // told before what may take over a second; may be nil
	Now            func() time.Time  // the clock; nil: time.Now
}

// Engine is an opened home. It is safe for concurrent use.
type Engine struct {
	options  Options
	settings *settings
	secrets  *store.Secrets
	store    *store.Store
	pool     *connector.Pool
	logins   *auth.Store
	refresh  *discovery.Refresher

	sandboxOnce sync.Once
	sandboxDone *runtime.Engine
	sandboxErr  error

	compilerMu sync.Mutex
	compiler   *compilerParts

	catalogueMu  sync.Mutex
	catalogue    *Catalogue
	catalogueKey string

	targetsMu sync.Mutex
	targets   map[string]map[string]*target // of versions, by id

	knownMu sync.Mutex
	known   *config.File // whose secrets are known

	liveMu   sync.Mutex
	live     map[string]context.CancelCauseFunc // runs that this process has, by id
	unrested []*store.Journal                   // of runs that this process has stopped and could not say so

	// Tests put a script in the place of the sandbox, of the connectors and of what a held run's process does in time, and stop at points of a run.
	script guest
	open   func(ctx context.Context, names []string) connections
	watch  func(ctx context.Context, j *store.Journal, cancel context.CancelCauseFunc) (stop func())
	probe  func(point, run string, seq int)
}

// guest is what runs programs: the sandbox.
type guest interface {
	Run(context.Context, *runtime.Program, runtime.Job) (*runtime.Result, error)
	Compile(ctx context.Context, source string, l runtime.Limits) (*runtime.Program, error)
	Build() string
}

// connections are the open connectors of one run.
type connections struct {
	sessions map[string]caller
	failed   map[string]error
	release  func()
}

// caller is an open connector.
type caller interface {
	Call(ctx context.Context, tool string, arguments json.RawMessage) (connector.Result, error)
}

// Open opens the home. A home without config.json has the code no-config. The sandbox and the checker are opened when they
// are first needed.
func Open(ctx context.Context, o Options) (*Engine, error) {
	s, err := loadSettings(o.Home, o.Tolerant)
	if err != nil {
		return nil, err
	}
	if err := o.Home.Ensure(); err != nil {
		return nil, err
	}
	e := &Engine{options: o, settings: s, secrets: &store.Secrets{}, live: map[string]context.CancelCauseFunc{}, targets: map[string]map[string]*target{}}
	if e.options.Now == nil {
		e.options.Now = time.Now
	}
	e.open, e.watch = e.openPool, e.tick
	if e.store, err = store.Open(o.Home.Database(), store.Options{Files: o.Home.Workflows(), Redactor: e.secrets, Now: e.options.Now}); err != nil {
		return nil, err
	}
	if err := e.Settle(); err != nil {
		_ = e.store.Close()
		return nil, err
	}
	e.logins = auth.Open(o.Home, o.Env, e.secrets.Add)
	e.refresh = discovery.NewRefresher(discovery.Loader(o.Home, o.Env, e.store, e.secrets.Add, o.Version), nil)
	e.pool = connector.NewPool(e.resolve)
	s.changed = e.pool.Forget
	e.knowSecrets()
	return e, nil
}

// Close ends the connectors' processes, and closes everything.
func (e *Engine) Close() error {
	e.pool.Close()
	e.refresh.Close()
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
	if broken := e.settings.ignored(); broken != "" {
		out = append(out, broken)
	}
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
	out := connector.Options{Secrets: secrets, Version: e.options.Version, MaxMessage: content.MaxWire}
	// What is under way keeps the tools that it began with; the next run is held against the new list.
	out.ToolsChanged = func() { e.refresh.Changed(name) }
	e.logins.Session(resolved, &out)
	return resolved, out, nil
}

// theGuest opens the sandbox the first time.
func (e *Engine) theGuest(ctx context.Context) (guest, error) {
	if e.script != nil {
		return e.script, nil
	}
	return e.sandboxEngine(ctx)
}

// build is the guest's, empty as long as it is not open.
func (e *Engine) build() string {
	switch {
	case e.script != nil:
		return e.script.Build()
	case e.sandboxDone != nil:
		return e.sandboxDone.Build()
	}
	return ""
}

func (e *Engine) openPool(ctx context.Context, names []string) connections {
	set := e.pool.OpenAll(ctx, names)
	c := connections{sessions: map[string]caller{}, failed: set.Failed, release: set.Release}
	for n, s := range set.Sessions {
		c.sessions[n] = s
	}
	return c
}

// now reads the clock, in UTC and milliseconds.
func (e *Engine) now() time.Time { return e.options.Now().UTC().Truncate(time.Millisecond) }

// at lets a test stop at a point of a run.
func (e *Engine) at(point, run string, seq int) {
	if e.probe != nil {
		e.probe(point, run, seq)
	}
}

// Settle brings runs to where they stand in truth: those whose process is gone become interrupted or in doubt, and questions that nobody has answered in
// time expire with their runs. Opening an engine does it; a process that runs for days does it from time to time.
func (e *Engine) Settle() error {
	e.retryRest()
	if _, err := e.store.Settle(func(r store.Run) bool { return e.gone(r.Executor) }); err != nil {
		return err
	}
	_, err := e.store.Expire()
	return err
}

// gone tells whether a process has ended, or has not renewed its hold for so long that it must have.
func (e *Engine) gone(x store.Executor) bool {
	if !x.LeaseUntil.IsZero() && e.now().After(x.LeaseUntil) {
		return true
	}
	host, _ := os.Hostname()
	return x.Host == host && !alive(x.PID)
}

// newSeed returns 53 random bits: a number that every JSON reader keeps.
func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) >> 11
}
