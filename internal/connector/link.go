package connector

import (
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is one connection, of the protocol's session. A process has one for its life. Over HTTP a server that was started anew, or
// that keeps a session for a limited time, knows it no longer; then the connector's [Session] gets another link.
type link struct {
	tap    *tap
	web    *web // nil for a process
	client *mcp.ClientSession
	server Server
	end    context.CancelCauseFunc

	probed, probeTimedOut atomic.Bool

	over   chan struct{} // closed when the connection has ended, and err is set
	err    error
	closed chan struct{} // closed when it has been closed by us; nil before
}

// connect makes a connection and sets it. With an error it returns what there is of the link, closed.
func (s *Session) connect(ctx context.Context, how attempt) (*link, error) {
	life, end := context.WithCancelCause(s.life)
	l := &link{end: end, over: make(chan struct{})}
	var transport mcp.Transport
	if s.stdio != nil {
		l.tap, transport = s.stdio.tap, s.stdio
	} else {
		origin, _ := url.Parse(s.entry.URL) // prepare has looked at it
		l.tap = newTap(s.opts.MaxMessage)
		l.web = newWeb(life, l.tap, origin, s.entry.Headers, s.opts)
		transport = &mcp.StreamableClientTransport{Endpoint: s.entry.URL, HTTPClient: l.web.client(), MaxEventSize: -1}
		if s.entry.Transport == "sse" {
			transport = &mcp.SSEClientTransport{Endpoint: s.entry.URL, HTTPClient: l.web.client(), MaxEventSize: -1}
		}
	}
	o := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ProgressNotificationHandler: s.progress,
	}
	if s.opts.ToolsChanged != nil {
		// With the newest protocol, this opens subscriptions/listen.
		o.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { s.changes.tell() }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "runlace", Title: "Runlace", Version: s.opts.Version}, o)
	client.AddReceivingMiddleware(s.refuse)
	client.AddSendingMiddleware(func(send mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "server/discover" {
				return send(ctx, method, req)
			}
			l.probed.Store(true)
			ctx, cancel := context.WithTimeout(ctx, how.probe)
			defer cancel()
			res, err := send(ctx, method, req)
			if err != nil && ctx.Err() != nil {
				l.probeTimedOut.Store(true)
			}
			return res, err
		}
	})
	interrupt := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	cs, err := client.Connect(life, transport, &mcp.ClientSessionOptions{ProtocolVersion: how.protocol})
	if !interrupt() && err == nil {
		err = context.Cause(ctx)
	}
	l.client = cs
	if err != nil {
		end(err)
		close(l.over)
		l.close()
		return l, err
	}
	if r := cs.InitializeResult(); r != nil {
		l.server = Server{Protocol: r.ProtocolVersion, Instructions: r.Instructions}
		if i := r.ServerInfo; i != nil {
			l.server.Name, l.server.Title, l.server.Version = i.Name, i.Title, i.Version
		}
	}
	go func() {
		l.err = cs.Wait()
		close(l.over)
	}()
	s.link.Store(l)
	return l, nil
}

// close says goodbye, which may take a while: wait waits for it. It is called once.
func (l *link) close() {
	l.closed = make(chan struct{})
	go func() {
		defer close(l.closed)
		if l.client != nil {
			_ = l.client.Close()
		}
		if l.web != nil {
			l.web.base.CloseIdleConnections()
		}
	}()
}

func (l *link) wait(patience time.Duration) {
	select {
	case <-l.closed:
	case <-time.After(patience):
	}
}

// live returns the link that a request is to take. One over HTTP that has ended is made anew.
func (s *Session) live(ctx context.Context) (*link, *Error) {
	select {
	case <-s.lost:
		return nil, s.gone(nil)
	default:
	}
	l := s.link.Load()
	if l.web == nil {
		return l, nil
	}
	select {
	case <-l.over:
		return s.renew(ctx, l)
	default:
		return l, nil
	}
}

// renew replaces a link over HTTP. When that fails, the next request tries again.
func (s *Session) renew(ctx context.Context, old *link) (*link, *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.OpenTimeout, errSlow)
	defer cancel()
	defer context.AfterFunc(s.calls, cancel)()
	select {
	case s.linking <- struct{}{}:
		defer func() { <-s.linking }()
	case <-ctx.Done():
		return nil, s.fail(CodeCancelled, NotSent, ctx.Err(), "opening it anew was given up")
	}
	if s.closing.Load() {
		return nil, s.fail(CodeLost, NotSent, nil, "it was closed")
	}
	if l := s.link.Load(); l != old {
		return l, nil // somebody else did it
	}
	how := attempt{probe: s.opts.ProbeTimeout}
	if old.server.Protocol <= legacyProtocol {
		how.protocol = legacyProtocol
	}
	l, err := s.connect(ctx, how)
	if err != nil {
		s.former.Go(func() { l.wait(2 * time.Second) })
		e := s.unopened(ctx, l, err)
		if e.Fault.Code == CodeCancelled {
			return nil, e
		}
		return nil, s.fail(CodeLost, NotSent, err, "%s, and could not be opened anew: %s", s.ended(old), e.bare(s.name))
	}
	s.former.Go(func() {
		old.close()
		old.wait(2 * time.Second)
		old.end(errClosed)
		old.wait(2 * time.Second)
	})
	return l, nil
}

// broken reports whether the next request has to open the connection anew.
func (s *Session) broken() bool {
	select {
	case <-s.link.Load().over:
		return true
	default:
		return false
	}
}

// once runs do on a link, and again on another one when the first turns out to be one that the server does not know: a request that
// was refused for that has not been executed.
func (s *Session) once(ctx context.Context, do func(*link) *Error) *Error {
	l, e := s.live(ctx)
	if e != nil {
		return e
	}
	if e = do(l); e == nil || !e.expired {
		return e
	}
	if l, e = s.renew(ctx, l); e != nil {
		return e
	}
	return do(l)
}

// ended says why a link over HTTP has ended.
func (s *Session) ended(l *link) string {
	select {
	case <-l.over:
	default:
		return "it no longer knows the session"
	}
	st, _ := l.web.lastStatus()
	switch {
	case errors.Is(l.err, mcp.ErrSessionMissing):
		return "it no longer knows the session: it may have been started anew"
	case st != nil && l.err != nil && !isTransport(l.err):
		return "it answers with " + st.Error()
	case l.err != nil && !errors.Is(l.err, io.EOF):
		return "the connection broke: " + plain(l.err)
	}
	return "it ended the connection"
}

// What a server may ask of a client in the middle of a call. Nobody is there to answer: a refusal lets the server go on, where silence
// would let it wait.
var foreign = []string{"elicitation/create", "sampling/createMessage", "roots/list"}

// question is the last request of the server's that was refused.
type question struct {
	method string
	at     time.Time
}

func (s *Session) refuse(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if !slices.Contains(foreign, method) {
			return next(ctx, method, req)
		}
		s.asked.Store(&question{method, time.Now()})
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + " is not supported: nobody is there to answer"}
	}
}
