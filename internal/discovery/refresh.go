package discovery

import (
	"context"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/auth"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

// Refresher asks single servers again while a program runs: when one announces that its list of tools has changed, or whenever somebody
// wants to know. However often it is told, a server is asked once at a time, and once more if it was told meanwhile.
//
//	r := discovery.NewRefresher(discovery.Loader(h, env, s, secrets.Add, version), nil)
//	defer r.Close()
//	options.ToolsChanged = func() { r.Changed("github") }
//
// It opens a connection of its own, which no announcement of can start it again, so that a server that announces on every connection does
// no harm. Runs that are under way keep what they were started with; the next one is compared with the new list.
type Refresher struct {
	load   func() (Options, error)
	done   func(connector string, r *Report, err error)
	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu     sync.Mutex
	closed bool
	asking map[string]*asking
}

// asking is a connector that is being asked.
type asking struct{ now, next *answer }

// answer is what comes of asking once.
type answer struct {
	done   chan struct{}
	report *Report
	err    error
}

// Loader reads the configuration and the policy each time, so that a refresh follows what they say by then, with the logins of the home.
func Loader(h home.Home, env home.Env, s *store.Store, secrets func(...string), version string) func() (Options, error) {
	logins := auth.Open(h, env, secrets)
	return func() (Options, error) {
		f, problems, err := config.Load(h.Config())
		return Options{
			Home: h, Env: env, Config: f, Problems: problems, Policy: policy.Load(h.Policy()), Store: s, Secrets: secrets, Version: version,
			Session: logins.Session,
		}, err
	}
}

// NewRefresher makes a Refresher of a function that says how to ask; its Only is not used. If done is not nil, it is told what came of
// each time that a server was asked, from any goroutine.
func NewRefresher(load func() (Options, error), done func(connector string, r *Report, err error)) *Refresher {
	r := &Refresher{load: load, done: done, asking: map[string]*asking{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Close ends what is in progress and waits for it.
func (r *Refresher) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.all.Wait()
}

// Changed is told that a server has announced another list. It does not wait.
func (r *Refresher) Changed(connector string) { r.want(connector) }

// Refresh asks a server and stores what it says, see [Run]. Who asks while it is being asked waits for the time after that, all together:
// the list may have changed since the question. If ctx ends, only the waiting does.
func (r *Refresher) Refresh(ctx context.Context, connector string) (*Report, error) {
	a := r.want(connector)
	select {
	case <-a.done:
		return a.report, a.err
	case <-ctx.Done():
		return nil, fault.New("cancelled", "cancelled while %s was asked for its tools", connector)
	}
}

// want returns the answer to come.
func (r *Refresher) want(connector string) *answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := &answer{done: make(chan struct{})}
	if r.closed {
		fresh.err = fault.New("cancelled", "%s is not asked for its tools any more: the program is ending", connector)
		close(fresh.done)
		return fresh
	}
	at := r.asking[connector]
	switch {
	case at == nil:
		at = &asking{now: fresh}
		r.asking[connector] = at
		r.all.Go(func() { r.ask(connector, at) })
	case at.next == nil:
		at.next = fresh
	default:
		fresh = at.next
	}
	return fresh
}

// ask asks a server as often as somebody wants to know.
func (r *Refresher) ask(connector string, at *asking) {
	for a := at.now; a != nil; a = r.after(connector, at) {
		o, err := r.load()
		if err == nil {
			o.Only, o.Check = []string{connector}, false
			a.report, err = Run(r.ctx, o)
		}
		a.err = err
		if r.done != nil {
			r.done(connector, a.report, a.err)
		}
		close(a.done)
	}
}

// after returns the answer that is wanted next, after a pause: a server that announces without an end is not asked without an end.
func (r *Refresher) after(connector string, at *asking) *answer {
	r.mu.Lock()
	wanted := at.next != nil
	if !wanted {
		delete(r.asking, connector)
	}
	r.mu.Unlock()
	if !wanted {
		return nil
	}
	select {
	case <-r.ctx.Done():
	case <-time.After(pause):
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at.now, at.next = at.next, nil
	return at.now
}

// pause is between two times that a server is asked.
const pause = 200 * time.Millisecond
