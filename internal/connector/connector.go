// Package connector talks to MCP servers: it starts them or connects to them, lists their tools, calls them, and ends them.
//
//	c, secrets, err := config.Resolve(entry, env)
//	s, err := connector.Open(ctx, c, connector.Options{Secrets: secrets})
//	defer s.Close()
//	tools, err := s.Tools(ctx)
//	result, err := s.Call(ctx, "read_file", json.RawMessage(`{"path": "notes.txt"}`))
//
// A process that serves many runs opens its connectors through a [Pool], which keeps one session of each.
//
// What a server does wrong costs the call its own time limit, and nothing else: a line on standard output that is no message is
// skipped and counted, standard error is always read and its last lines are put into errors, a message over the limit fails the
// call that it answers, and a process ends with everything that it started, also when Runlace is killed.
//
// A connection over HTTP that the server no longer knows is opened anew, and a call is repeated only when the server refused it for that:
// then it has not been executed. Who fetches tokens does it in [Options.Authorize] and [Options.Challenge]; the package knows nothing of
// them. What a server asks of its client in the middle of a call is refused, since nobody is there; see [Options.Input] for the rest.
//
// Arguments and results are JSON as it is on the wire: no number is rounded, no key is dropped, no block is unknown.
//
// All errors are an [*Error]. Its Outcome says whether the call may have happened.
package connector

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/runlace/runlace/internal/config"
)

// Options are how a connector is used. The zero value of each field stands for its default.
type Options struct {
	// Secrets are values that never appear in an error or a line of standard error.
	Secrets []string

	// OpenTimeout is for starting the server, connecting and agreeing on a protocol version, and again for listing its tools.
	// 30 s: a server that its package manager has to fetch first takes that long.
	OpenTimeout time.Duration
	// CallTimeout is for a call without a sign of life; a progress notification starts it anew. 120 s.
	// An entry's own timeouts go before both.
	CallTimeout time.Duration
	// CallCeiling is for a call however much progress it reports. 1 h: whoever calls has a limit for the run.
	CallCeiling time.Duration
	// ProbeTimeout is for server/discover, which servers of the newest protocol answer at once, and others may not answer at all.
	// 3 s for a process and 10 s over HTTP.
	ProbeTimeout time.Duration
	// StopGrace is how long a process may take to end after its standard input was closed, and again after SIGTERM. 1 s.
	StopGrace time.Duration
	// MaxMessage is the limit of a message's size. 16 MiB: twice what an argument or a result may have.
	MaxMessage int
	// MaxList is the limit of a list of tools, all pages together. 64 MiB: the largest that was seen has 2.
	MaxList int

	// Authorize is called for each HTTP request to the entry's own host, also for each repetition, when the entry's headers are in
	// place: it may set others, as Authorization. With an error the request is not sent; a [*fault.Error] in it keeps its code.
	// It may be called from many goroutines.
	Authorize func(context.Context, *http.Request) error
	// Challenge is called once for a request of the entry's own host that is answered with HTTP status 401 or 403, before the
	// answer's body is read; the body is closed for it. With retry the request is sent once more, through Authorize again: a request
	// that was refused has not been executed. Without, or when the repetition is refused too, the answer stands. An error of it is
	// handled as one of Authorize.
	Challenge func(context.Context, *http.Response) (retry bool, err error)

	// Stderr is told each line of the server's standard error, without secrets and behind the connector's name: "name: line".
	Stderr func(line string)
	// ToolsChanged is told that the server has another list of tools: it announced that, or does not know a tool that was called.
	// Many announcements in a short time are one, and it is never called twice at once.
	ToolsChanged func()
	// Input answers what a tool asks for before it goes on: the questions are the inputRequests of its answer, the answers become
	// the inputResponses of the call's repetition, both JSON objects with the same keys. nil stands for nobody being there: such a
	// call fails at once, with the code input-required.
	Input func(ctx context.Context, tool string, questions json.RawMessage) (answers json.RawMessage, err error)
	// InputRounds is how often a tool may ask in one call. 8.
	InputRounds int
	// Version is Runlace's own version, as the server is told.
	Version string
}

func (o Options) filled(c config.Connector) Options {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	if c.Timeout > 0 {
		o.OpenTimeout, o.CallTimeout = time.Duration(c.Timeout), time.Duration(c.Timeout)
	}
	if c.OpenTimeout > 0 {
		o.OpenTimeout = time.Duration(c.OpenTimeout)
	}
	set(&o.OpenTimeout, 30*time.Second)
	set(&o.CallTimeout, 120*time.Second)
	set(&o.CallCeiling, time.Hour)
	probe := 3 * time.Second
	if c.Transport != "stdio" {
		probe = 10 * time.Second
	}
	set(&o.ProbeTimeout, min(probe, o.OpenTimeout/3))
	set(&o.StopGrace, time.Second)
	if o.MaxMessage <= 0 {
		o.MaxMessage = 16 << 20
	}
	if o.MaxList <= 0 {
		o.MaxList = 64 << 20
	}
	if o.InputRounds <= 0 {
		o.InputRounds = 8
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	return o
}

// Session is an open connection. It may be used from many goroutines.
type Session struct {
	name   string
	entry  config.Connector
	opts   Options
	redact *Redactor
	server Server

	process *process // nil over HTTP
	stdio   *stdio   // nil over HTTP
	stderr  *ring
	noise   *ring

	linking chan struct{} // held by who sets link
	link    atomic.Pointer[link]
	former  sync.WaitGroup // links that were replaced, until they are closed
	changes *announcer
	asked   atomic.Pointer[question]

	life  context.Context // ends when everything is to stop at once
	end   context.CancelCauseFunc
	calls context.Context // ends when no call is to wait any longer
	hush  context.CancelFunc

	idle     sync.Map // progress token -> *time.Timer of the idle limit
	tokens   atomic.Int64
	closing  atomic.Bool
	stopping sync.Once
	stopped  chan struct{} // nothing is left

	lost    chan struct{} // closed when the connection is known to be lost, and why is set
	why     *Error
	losing  sync.Once
	watched chan struct{} // the goroutine that waits for the loss of a process has ended
}

// Server is what a server says about itself.
type Server struct {
	Name         string
	Title        string
	Version      string
	Protocol     string // the protocol version agreed upon
	Instructions string
}

// The last protocol version that begins with initialize.
const legacyProtocol = "2025-11-25"

var (
	errSlow   = errors.New("it did not answer in time")
	errClosed = errors.New("the connection is closed")
)

// Open starts or connects to a server, and agrees with it on a protocol version. The entry is one that [config.Resolve] returned; the
// secrets that it returned with it belong into the Options.
func Open(ctx context.Context, c config.Connector, o Options) (*Session, error) {
	o = o.filled(c)
	ctx, cancel := context.WithTimeoutCause(ctx, o.OpenTimeout, errSlow)
	defer cancel()
	how := attempt{probe: o.ProbeTimeout}
	if c.Transport == "sse" {
		how.protocol = legacyProtocol // no later one has this transport
	}
	s, next, err := open(ctx, c, o, how)
	if next != nil {
		s, _, err = open(ctx, c, o, *next)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// attempt is a way to open a session.
type attempt struct {
	protocol string        // the only one to try; "" for the newest, then initialize
	probe    time.Duration // how long to wait for the answer of server/discover
}

// open makes one attempt. When it fails in a way that another attempt may not, it returns that.
func open(ctx context.Context, c config.Connector, o Options, how attempt) (_ *Session, next *attempt, _ *Error) {
	s := &Session{name: c.Name, entry: c, opts: o, redact: NewRedactor(o.Secrets), linking: make(chan struct{}, 1), stopped: make(chan struct{}),
		lost: make(chan struct{}), watched: make(chan struct{}), changes: newAnnouncer(o.ToolsChanged)}
	s.stderr = &ring{redact: s.redact}
	if o.Stderr != nil {
		s.stderr.tell = func(line string) { o.Stderr(c.Name + ": " + line) }
	}
	s.noise = &ring{redact: s.redact}
	s.life, s.end = context.WithCancelCause(context.Background())
	s.calls, s.hush = context.WithCancel(s.life)
	if err := s.prepare(); err != nil {
		s.end(errClosed)
		return nil, nil, err
	}
	l, cause := s.connect(ctx, how)
	if cause != nil {
		e := s.unopened(ctx, l, cause)
		s.closing.Store(true)
		s.end(cause)
		close(s.watched)
		s.stop()
		l.wait(2 * time.Second)
		if ctx.Err() == nil && how.protocol == "" && l.probed.Load() {
			switch {
			case s.process != nil && s.process.ended() != "" && wire(cause) == nil:
				// Some servers end when the first message is not initialize.
				next = &attempt{protocol: legacyProtocol}
			case l.probeTimedOut.Load() && wire(cause) != nil:
				// It was slow to start, and knows only server/discover.
				next = &attempt{probe: o.OpenTimeout}
			}
		}
		return nil, next, e
	}
	s.server = l.server
	if s.process == nil {
		close(s.watched)
	} else {
		go s.watch()
	}
	return s, nil, nil
}

// prepare starts the process, or looks at the address.
func (s *Session) prepare() *Error {
	c := s.entry
	switch c.Transport {
	case "stdio":
		env := environment(c.Env)
		if why := noFolder(c.Dir); why != "" {
			return s.fail(CodeUnreachable, NotSent, nil, "the folder that its command is to start in, its cwd, %s: %s", why, c.Dir)
		}
		path := find(c.Command, c.Dir, env)
		if path == "" {
			return s.fail(CodeUnreachable, NotSent, nil, "there is no command %s", c.Command)
		}
		p, err := start(path, append([]string{c.Command}, c.Args...), env, c.Dir)
		if err != nil {
			return s.fail(CodeUnreachable, NotSent, err, "its command cannot be started: %v", err)
		}
		s.process = p
		go s.stderr.drain(p.stderr)
		s.stdio = newStdio(newTap(s.opts.MaxMessage), p.stdout, p.stdin, s.noise)
	case "http", "sse":
		if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return s.fail(CodeUnreachable, NotSent, nil, "its url is not an http or https address")
		}
	default:
		return s.fail(CodeUnreachable, NotSent, nil, "%q is not a transport: stdio, http and sse are", c.Transport)
	}
	return nil
}

// Name is the connector's name.
func (s *Session) Name() string { return s.name }

// Server is what the server says about itself.
func (s *Session) Server() Server { return s.server }

// Stderr returns the last lines of the server's standard error, without secrets.
func (s *Session) Stderr() []string { return s.stderr.last(errorLines) }

// Noise returns how many lines on standard output were no messages, and the last of them.
func (s *Session) Noise() (lines int64, sample string) {
	if s.stdio == nil {
		return 0, ""
	}
	if last := s.noise.last(1); len(last) > 0 {
		sample = last[0]
	}
	return s.stdio.skipped.Load(), sample
}

// Redact returns text without this connector's secrets.
func (s *Session) Redact(text string) string { return s.redact.String(text) }

// Lost is closed when the process has ended, or the session was closed. All further calls fail with connector-lost. A connection over
// HTTP that breaks is not lost: the next call opens it anew.
func (s *Session) Lost() <-chan struct{} { return s.lost }

// watch waits for the end of a process' connection. A connection over HTTP is opened anew when it is needed, and lost when that fails.
func (s *Session) watch() {
	defer close(s.watched)
	l := s.link.Load()
	exited := s.process.exited
wait:
	for {
		select {
		case <-l.over:
			break wait
		case <-exited:
			exited = nil
			// A program that starts another one and ends well has handed its standard output over. One that fails has not.
			if how := s.process.ended(); how == "ended by itself" {
				continue
			}
			select {
			case <-l.over:
			case <-time.After(300 * time.Millisecond):
			}
			break wait
		}
	}
	if s.closing.Load() {
		s.lose(s.fail(CodeLost, NotSent, nil, "it was closed"))
		return
	}
	s.settle()
	how := s.process.ended()
	if how == "" {
		how = "closed its standard output"
	}
	s.lose(s.fail(CodeLost, Unknown, nil, "its process %s", how).withStderr(s.Stderr()))
	go s.stop()
}

func (s *Session) lose(e *Error) {
	s.losing.Do(func() {
		s.why = e
		close(s.lost)
	})
}

// Close ends the connection, and the process with all that it started. Calls that are under way fail.
func (s *Session) Close() error {
	s.closing.Store(true)
	s.lose(s.fail(CodeLost, Unknown, nil, "it was closed"))
	s.stop()
	<-s.watched
	return nil
}

// stop frees everything, once; every caller waits until it is done.
func (s *Session) stop() {
	s.stopping.Do(func() {
		defer close(s.stopped)
		s.hush()
		s.changes.stop()
		if s.stdio != nil {
			_ = s.stdio.Close()
		}
		s.linking <- struct{}{} // no link comes after this
		l := s.link.Load()
		if l != nil {
			l.close()
		}
		if s.process != nil {
			s.process.stop(s.opts.StopGrace)
		}
		if l != nil {
			l.wait(2 * time.Second) // for a server that does not answer the goodbye
		}
		s.end(errClosed)
		if l != nil {
			l.wait(2 * time.Second)
		}
		s.former.Wait()
	})
	<-s.stopped
}
