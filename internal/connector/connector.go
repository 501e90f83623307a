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
// Arguments and results are JSON as it is on the wire: no number is rounded, no key is dropped, no block is unknown.
//
// All errors are an [*Error]. Its Outcome says whether the call may have happened.
package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

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
	// An entry's own timeout goes before both.
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

	// Stderr is told each line of the server's standard error, without secrets.
	Stderr func(line string)
	// ToolsChanged is told that the server announces another list of tools.
	ToolsChanged func()
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
	if o.Version == "" {
		o.Version = "dev"
	}
	return o
}

// Session is an open connection. It may be used from many goroutines.
type Session struct {
	name   string
	opts   Options
	redact *Redactor
	tap    *tap
	client *mcp.ClientSession
	server Server

	process *process // nil over HTTP
	stdio   *stdio   // nil over HTTP
	web     *web     // nil for a process
	stderr  *ring
	noise   *ring

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
	watched chan struct{} // the goroutine that waits for the loss has ended
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
	s := &Session{name: c.Name, opts: o, redact: NewRedactor(o.Secrets), stopped: make(chan struct{}), lost: make(chan struct{}),
		watched: make(chan struct{}), tap: &tap{limit: o.MaxMessage, pending: map[int64]*request{}}}
	s.stderr = &ring{redact: s.redact, tell: o.Stderr}
	s.noise = &ring{redact: s.redact}
	s.life, s.end = context.WithCancelCause(context.Background())
	s.calls, s.hush = context.WithCancel(s.life)
	transport, err := s.transport(c)
	if err != nil {
		s.end(errClosed)
		return nil, nil, err
	}
	var probed, probeTimedOut atomic.Bool
	co := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ProgressNotificationHandler: s.progress,
	}
	if o.ToolsChanged != nil {
		co.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { o.ToolsChanged() }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "runlace", Title: "Runlace", Version: o.Version}, co)
	client.AddSendingMiddleware(func(send mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "server/discover" {
				return send(ctx, method, req)
			}
			probed.Store(true)
			ctx, cancel := context.WithTimeout(ctx, how.probe)
			defer cancel()
			res, err := send(ctx, method, req)
			if err != nil && ctx.Err() != nil {
				probeTimedOut.Store(true)
			}
			return res, err
		}
	})
	interrupt := context.AfterFunc(ctx, func() { s.end(context.Cause(ctx)) })
	cs, cerr := client.Connect(s.life, transport, &mcp.ClientSessionOptions{ProtocolVersion: how.protocol})
	if !interrupt() && cerr == nil {
		cerr = context.Cause(ctx)
	}
	if cerr != nil {
		e := s.unopened(ctx, cerr)
		s.closing.Store(true)
		s.end(cerr)
		close(s.watched)
		s.stop(cs)
		if ctx.Err() == nil && how.protocol == "" && probed.Load() {
			switch {
			case s.process != nil && s.process.ended() != "" && wire(cerr) == nil:
				// Some servers end when the first message is not initialize.
				next = &attempt{protocol: legacyProtocol}
			case probeTimedOut.Load() && wire(cerr) != nil:
				// It was slow to start, and knows only server/discover.
				next = &attempt{probe: o.OpenTimeout}
			}
		}
		return nil, next, e
	}
	s.client = cs
	if r := cs.InitializeResult(); r != nil {
		s.server = Server{Protocol: r.ProtocolVersion, Instructions: r.Instructions}
		if i := r.ServerInfo; i != nil {
			s.server.Name, s.server.Title, s.server.Version = i.Name, i.Title, i.Version
		}
	}
	go s.watch()
	return s, nil, nil
}

// transport starts the process or prepares the HTTP client.
func (s *Session) transport(c config.Connector) (mcp.Transport, *Error) {
	switch c.Transport {
	case "stdio":
		env := environment(c.Env)
		path := find(c.Command, c.Dir, env)
		if path == "" {
			return nil, s.fail(CodeUnreachable, NotSent, nil, "there is no command %s", c.Command)
		}
		p, err := start(path, append([]string{c.Command}, c.Args...), env, c.Dir)
		if err != nil {
			return nil, s.fail(CodeUnreachable, NotSent, err, "its command cannot be started: %v", err)
		}
		s.process = p
		go s.stderr.drain(p.stderr)
		s.stdio = newStdio(s.tap, p.stdout, p.stdin, s.noise)
		return s.stdio, nil
	case "http", "sse":
		u, err := url.Parse(c.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, s.fail(CodeUnreachable, NotSent, nil, "its url is not an http or https address")
		}
		s.web = newWeb(s.life, s.tap, u, c.Headers)
		if c.Transport == "sse" {
			return &mcp.SSEClientTransport{Endpoint: c.URL, HTTPClient: s.web.client(), MaxEventSize: -1}, nil
		}
		return &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: s.web.client(), MaxEventSize: -1}, nil
	}
	return nil, s.fail(CodeUnreachable, NotSent, nil, "%q is not a transport: stdio, http and sse are", c.Transport)
}

// unopened says why a connection could not be opened.
func (s *Session) unopened(ctx context.Context, cause error) *Error {
	if e := wire(cause); e != nil && ctx.Err() == nil {
		return s.fail(CodeUnreachable, NotSent, cause, "it refuses to be opened: %s", short(e.Message)).withStderr(s.Stderr())
	}
	if ctx.Err() == nil {
		s.settle()
	}
	lines := s.Stderr()
	switch {
	case errors.Is(context.Cause(ctx), errSlow):
		return s.fail(CodeUnreachable, NotSent, cause, "it did not answer within %s%s", s.opts.OpenTimeout, s.noticed()).withStderr(lines)
	case ctx.Err() != nil:
		return s.fail(CodeCancelled, NotSent, ctx.Err(), "opening it was given up").withStderr(lines)
	case s.process != nil:
		how := s.process.ended()
		if how == "" {
			select {
			case <-s.stdio.ended:
				how = "closed its standard output"
			default:
				return s.fail(CodeUnreachable, NotSent, cause, "it answers in a way that MCP does not have: %s%s", plain(cause), s.noticed()).withStderr(lines)
			}
		}
		return s.fail(CodeUnreachable, NotSent, cause, "its process %s before it answered%s", how, s.noticed()).withStderr(lines)
	}
	status, page := s.web.lastStatus()
	switch {
	case page != "" && !isTransport(cause):
		return s.fail(CodeUnreachable, NotSent, cause, "it answers with %s, which is not what an MCP server answers with: is the url right?", page)
	case status != nil && (status.status == 401 || status.status == 403):
		return s.fail(CodeUnauthorized, NotSent, cause, "it answers with %s", status)
	case status != nil && !isTransport(cause):
		return s.fail(CodeUnreachable, NotSent, cause, "it answers with %s", status)
	}
	return s.fail(CodeUnreachable, NotSent, cause, "it cannot be reached: %s", plain(cause))
}

// wire finds an error that the server answered with. The SDK's own errors, which have the same type, are not meant.
func wire(err error) *jsonrpc.Error {
	switch e := err.(type) {
	case nil:
		return nil
	case *jsonrpc.Error:
		switch e.Message {
		case "rejected by transport", "server is closing", "client is closing":
			return nil
		}
		return e
	case interface{ Unwrap() error }:
		return wire(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if w := wire(one); w != nil {
				return w
			}
		}
	}
	return nil
}

// noticed tells of lines on standard output that are no messages: often they are the reason.
func (s *Session) noticed() string {
	n, sample := s.Noise()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d lines on its standard output are no messages, such as: %s", n, short(sample))
}

// isTransport reports whether err comes from below HTTP.
func isTransport(err error) bool {
	u := (*url.Error)(nil)
	return errors.As(err, &u)
}

// plain is the core of an HTTP client's error.
func plain(err error) string {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	return short(err.Error())
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

// Lost is closed when the connection is lost, or was closed. All further calls fail with connector-lost.
func (s *Session) Lost() <-chan struct{} { return s.lost }

// watch waits for the end of the connection.
func (s *Session) watch() {
	defer close(s.watched)
	over := make(chan error, 1)
	go func() { over <- s.client.Wait() }()
	var err error
	if s.process == nil {
		err = <-over
	} else {
		exited := s.process.exited
	wait:
		for {
			select {
			case err = <-over:
				break wait
			case <-exited:
				exited = nil
				// A program that starts another one and ends well has handed its standard output over. One that fails has not.
				if how := s.process.ended(); how == "ended by itself" {
					continue
				}
				select {
				case err = <-over:
				case <-time.After(300 * time.Millisecond):
				}
				break wait
			}
		}
	}
	if s.closing.Load() {
		s.lose(s.fail(CodeLost, NotSent, nil, "it was closed"))
		return
	}
	s.settle()
	var e *Error
	if s.process != nil {
		how := s.process.ended()
		if how == "" {
			how = "closed its standard output"
		}
		e = s.fail(CodeLost, Unknown, err, "its process %s", how).withStderr(s.Stderr())
	} else {
		why := "it ended the connection"
		if errors.Is(err, mcp.ErrSessionMissing) {
			why = "it no longer knows the session: it may have been started anew"
		} else if st, _ := s.web.lastStatus(); st != nil && err != nil && !isTransport(err) {
			why = "it answers with " + st.Error()
		} else if err != nil && !errors.Is(err, io.EOF) {
			why = "the connection broke: " + plain(err)
		}
		e = s.fail(CodeLost, Unknown, err, "%s", why)
	}
	s.lose(e)
	go s.stop(s.client)
}

func (s *Session) lose(e *Error) {
	s.losing.Do(func() {
		s.why = e
		close(s.lost)
	})
}

// settle waits a moment for the end of a process whose connection has ended, so that its exit code and last words are there.
func (s *Session) settle() {
	if s.process == nil {
		return
	}
	deadline := time.After(500 * time.Millisecond)
	select {
	case <-s.process.exited:
	case <-deadline:
		return
	}
	before := int64(-1)
	for range 20 { // the last lines may still be on their way
		s.stderr.mu.Lock()
		now := s.stderr.count
		s.stderr.mu.Unlock()
		if now == before {
			return
		}
		before = now
		time.Sleep(5 * time.Millisecond)
	}
}

// Close ends the connection, and the process with all that it started. Calls that are under way fail.
func (s *Session) Close() error {
	s.closing.Store(true)
	s.lose(s.fail(CodeLost, Unknown, nil, "it was closed"))
	s.stop(s.client)
	<-s.watched
	return nil
}

// stop frees everything, once; every caller waits until it is done. The client may be nil.
func (s *Session) stop(client *mcp.ClientSession) {
	s.stopping.Do(func() {
		defer close(s.stopped)
		s.hush()
		if s.stdio != nil {
			_ = s.stdio.Close()
		}
		var closed chan struct{}
		if client != nil {
			closed = make(chan struct{})
			go func() {
				_ = client.Close()
				close(closed)
			}()
		}
		if s.process != nil {
			s.process.stop(s.opts.StopGrace)
		}
		if closed != nil {
			select {
			case <-closed:
			case <-time.After(2 * time.Second): // a server that does not answer the goodbye
			}
		}
		s.end(errClosed)
		if closed != nil {
			select {
			case <-closed:
			case <-time.After(2 * time.Second):
			}
		}
		if s.web != nil {
			s.web.base.CloseIdleConnections()
		}
	})
	<-s.stopped
}

// progress restarts the time limit of the call that a notification is about.
func (s *Session) progress(_ context.Context, n *mcp.ProgressNotificationClientRequest) {
	if t, ok := s.idle.Load(fmt.Sprint(n.Params.ProgressToken)); ok {
		t.(*time.Timer).Reset(s.opts.CallTimeout)
	}
}

// Result is what a tool answered, as it is on the wire.
type Result struct {
	Content    []json.RawMessage // the blocks, of known and unknown types
	Structured json.RawMessage   // any JSON value, also null; nil when there is none
	IsError    bool
	Meta       json.RawMessage // nil when there is none
}

// Call calls a tool. The arguments are a JSON object and are sent as they are; nil stands for an empty one. A tool that reports a
// failure of its own is a Result with IsError, not an error.
func (s *Session) Call(ctx context.Context, tool string, arguments json.RawMessage) (Result, error) {
	select {
	case <-s.lost:
		return Result{}, s.gone(nil)
	default:
	}
	arguments, e := s.arguments(arguments)
	if e != nil {
		return Result{}, e
	}
	res, err := s.call(ctx, tool, arguments)
	if e := (*Error)(nil); s.web != nil && errors.As(err, &e) && e.RPC != nil && e.RPC.Code == mcp.CodeHeaderMismatch {
		// An argument belongs into a header, which the SDK knows from the list of tools. The server has not acted.
		if _, lerr := s.List(ctx); lerr == nil {
			res, err = s.call(ctx, tool, arguments)
		}
	}
	return res, err
}

func (s *Session) call(ctx context.Context, tool string, arguments json.RawMessage) (Result, error) {
	r := &request{method: "tools/call", arguments: arguments}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(s.opts.CallTimeout, func() { cancel(errSlow) })
	defer idle.Stop()
	ceiling := time.AfterFunc(s.opts.CallCeiling, func() { cancel(errSlow) })
	defer ceiling.Stop()
	stop := context.AfterFunc(s.calls, func() { cancel(errClosed) })
	defer stop()

	token := fmt.Sprintf("runlace-%d", s.tokens.Add(1))
	s.idle.Store(token, idle)
	defer s.idle.Delete(token)
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments, Meta: mcp.Meta{"progressToken": token}}
	began := time.Now()
	_, err := s.client.CallTool(r.with(ctx), params)
	s.tap.forget(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.result != nil {
		return s.result(r.result)
	}
	return Result{}, s.failed(ctx, r, err, "the call of "+tool, time.Since(began))
}

// arguments makes them one line, which a message on standard input has to be.
func (s *Session) arguments(a json.RawMessage) (json.RawMessage, *Error) {
	if len(a) == 0 {
		return json.RawMessage("{}"), nil
	}
	out := make([]byte, 0, len(a))
	for _, c := range a {
		if c != '\n' && c != '\r' { // inside a string they are escaped, so that these are white space
			out = append(out, c)
		}
	}
	if !json.Valid(out) || len(trimmed(out)) == 0 || trimmed(out)[0] != '{' {
		return nil, s.fail("internal", NotSent, nil, "the arguments of a call are not a JSON object: %s", short(string(a)))
	}
	return out, nil
}

// gone is the error of a call on a connection that is lost. The request may be nil when it was not made.
func (s *Session) gone(r *request) *Error {
	e := *s.why
	e.Outcome = NotSent
	if r != nil && r.sent.Load() {
		e.Outcome = Unknown
	}
	return &e
}

// failed says why a request has no result. The request's lock is held.
func (s *Session) failed(ctx context.Context, r *request, err error, what string, took time.Duration) *Error {
	outcome := NotSent
	if r.sent.Load() {
		outcome = Unknown
	}
	switch {
	case r.odd != nil:
		return s.fail(r.odd.code, Answered, err, "%s: %s", what, r.odd.message)
	case errors.Is(context.Cause(ctx), errSlow):
		return s.fail(CodeCallTimeout, outcome, err, "%s has no answer after %s", what, took.Round(time.Millisecond)).withStderr(s.Stderr())
	case r.gone || errors.Is(err, mcp.ErrSessionMissing):
		return s.fail(CodeLost, NotSent, err, "it no longer knows the session: it may have been started anew")
	case r.rpc != nil && r.status < 500 && r.status != 401 && r.status != 403:
		e := s.fail(CodeCallRefused, Answered, err, "%s was refused: %s (code %d)", what, short(r.rpc.Message), r.rpc.Code)
		e.RPC = &RPCError{r.rpc.Code, s.redact.String(r.rpc.Message), s.redact.JSON(r.rpc.Data)}
		return e
	case r.status == 401 || r.status == 403:
		return s.fail(CodeUnauthorized, NotSent, err, "%s was answered with %s", what, &statusError{r.status, r.said})
	case r.status >= 400 && r.status < 500:
		return s.fail(CodeUnreachable, NotSent, err, "%s was answered with %s", what, &statusError{r.status, r.said})
	case r.status != 0:
		return s.fail(CodeUnreachable, Unknown, err, "%s was answered with %s", what, &statusError{r.status, r.said})
	case err == nil:
		return s.fail(CodeInvalid, Answered, nil, "%s was answered without a result", what)
	}
	// Whether the connection is lost is known a moment later.
	broken := errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) ||
		ctx.Err() == nil && s.process != nil || errors.Is(context.Cause(ctx), errClosed)
	if broken {
		select {
		case <-s.lost:
			return s.gone(r)
		case <-time.After(3 * time.Second):
		}
	}
	switch {
	case ctx.Err() != nil:
		return s.fail(CodeCancelled, outcome, ctx.Err(), "%s was given up", what)
	case outcome == NotSent:
		return s.fail(CodeUnreachable, NotSent, err, "%s could not be sent: %s", what, plain(err))
	default:
		return s.fail(CodeLost, Unknown, err, "%s: the connection broke: %s", what, plain(err))
	}
}

// result reads the answer of a tool.
func (s *Session) result(raw json.RawMessage) (Result, error) {
	var m struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    json.RawMessage `json:"isError"`
		Meta       json.RawMessage `json:"_meta"`
		Type       json.RawMessage `json:"resultType"`
	}
	if err := json.Unmarshal(raw, &m); err != nil || trimmed(raw)[0] != '{' {
		return Result{}, s.fail(CodeInvalid, Answered, err, "the answer is not a result: %s", short(string(raw)))
	}
	if string(m.Type) == `"input_required"` {
		return Result{}, s.fail(CodeInputRequired, Answered, nil, "the tool asks for input before it goes on")
	}
	r := Result{Structured: m.Structured, Meta: m.Meta}
	switch string(m.IsError) {
	case "", "null", "false":
	default: // also a value of another kind: what is not clearly a success is none
		r.IsError = true
	}
	if m.Content != nil && json.Unmarshal(m.Content, &r.Content) != nil {
		r.Content = []json.RawMessage{m.Content} // not a list, and not lost
	}
	return r, nil
}

func trimmed(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}
