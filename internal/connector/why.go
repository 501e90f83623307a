package connector

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// unopened says why a connection could not be opened.
func (s *Session) unopened(ctx context.Context, l *link, cause error) *Error {
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
	status, page := l.web.lastStatus()
	if e := s.denied(cause); e != nil {
		return e
	}
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
