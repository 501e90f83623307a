package connector

import (
	"context"
	"sync"

	"github.com/runlace/runlace/internal/config"
)

// Pool keeps one session of each connector, for all the runs of a process. A session that was lost is opened anew for whoever
// asks next; who has it already has lost it, or, over HTTP, opens it anew with its next call.
type Pool struct {
	resolve func(name string) (config.Connector, Options, error)
	life    context.Context
	end     context.CancelFunc

	mu      sync.Mutex
	entries map[string]*entry
	all     sync.WaitGroup // of openings and closings
	closed  bool
}

type entry struct {
	ready   chan struct{} // closed when session or err is set
	session *Session
	err     error
	users   int
	dropped bool // closes with its last user
}

// NewPool makes a pool. Resolve is asked for a connector's entry each time that it is opened, so that it sees a changed
// configuration and changed variables.
func NewPool(resolve func(name string) (config.Connector, Options, error)) *Pool {
	p := &Pool{resolve: resolve, entries: map[string]*entry{}}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Get returns a connector's session, and a function to be called when it is no longer used. It waits as long as ctx allows;
// an opening that somebody waits for no longer is still finished, for the next one.
func (p *Pool) Get(ctx context.Context, name string) (*Session, func(), error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, nil, (&Session{name: name}).fail(CodeCancelled, NotSent, errClosed, "all connectors are closed")
	}
	e := p.entries[name]
	if e != nil && e.over() {
		p.drop(name, e)
		e = nil
	}
	if e == nil {
		e = &entry{ready: make(chan struct{})}
		p.entries[name] = e
		p.all.Add(1)
		go p.open(name, e)
	}
	e.users++
	p.mu.Unlock()
	release := sync.OnceFunc(func() { p.release(e) })
	select {
	case <-e.ready:
	case <-ctx.Done():
		release()
		return nil, nil, (&Session{name: name}).fail(CodeCancelled, NotSent, ctx.Err(), "opening it was given up")
	}
	if e.err != nil {
		release()
		return nil, nil, e.err
	}
	return e.session, release, nil
}

// Set is the sessions of one run.
type Set struct {
	Sessions map[string]*Session
	Failed   map[string]error // the connectors that could not be opened
	release  []func()
}

// OpenAll opens these connectors, all at once. The Set has to be released also when some of them failed.
func (p *Pool) OpenAll(ctx context.Context, names []string) *Set {
	set := &Set{Sessions: map[string]*Session{}, Failed: map[string]error{}}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			s, release, err := p.Get(ctx, name)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				set.Failed[name] = err
				return
			}
			set.Sessions[name] = s
			set.release = append(set.release, release)
		})
	}
	all.Wait()
	return set
}

// Release says that the run is over.
func (s *Set) Release() {
	for _, f := range s.release {
		f()
	}
	s.release = nil
}

// Forget closes a connector's session when its last user is done, and opens it anew for the next: its entry has changed.
func (p *Pool) Forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.entries[name]; e != nil {
		p.drop(name, e)
	}
}

// Close closes all sessions, also those that are in use, and waits for it.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.end()
	for name, e := range p.entries {
		e.users = 0
		p.drop(name, e)
	}
	p.mu.Unlock()
	p.all.Wait()
}

// open runs once for each entry.
func (p *Pool) open(name string, e *entry) {
	defer p.all.Done()
	c, o, err := p.resolve(name)
	var s *Session
	if err == nil {
		c.Name = name
		s, err = Open(p.life, c, o)
	}
	p.mu.Lock()
	e.session, e.err = s, err
	close(e.ready)
	if err != nil && p.entries[name] == e {
		delete(p.entries, name) // the next one tries again
	}
	p.finish(e)
	p.mu.Unlock()
}

// over reports whether the session was lost, or its connection is broken: the next one is to see the present configuration.
func (e *entry) over() bool {
	select {
	case <-e.ready:
	default:
		return false
	}
	if e.session == nil {
		return true
	}
	select {
	case <-e.session.Lost():
		return true
	default:
		return e.session.broken()
	}
}

func (p *Pool) drop(name string, e *entry) {
	delete(p.entries, name)
	e.dropped = true
	p.finish(e)
}

func (p *Pool) release(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.users > 0 {
		e.users--
	}
	p.finish(e)
}

// finish closes an entry's session when nobody has it and nobody can get it.
func (p *Pool) finish(e *entry) {
	select {
	case <-e.ready:
	default:
		return
	}
	if s := e.session; e.dropped && e.users == 0 && s != nil {
		e.session = nil
		p.all.Add(1)
		go func() {
			defer p.all.Done()
			_ = s.Close()
		}()
	}
}
