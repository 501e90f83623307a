package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
	Odd        []string        // what about it is not as MCP has it
}

// Call calls a tool. The arguments are a JSON object and are sent as they are; nil stands for an empty one. A tool that reports a
// failure of its own is a Result with IsError, not an error.
func (s *Session) Call(ctx context.Context, tool string, arguments json.RawMessage) (Result, error) {
	arguments, e := s.arguments(arguments)
	if e != nil {
		return Result{}, e
	}
	var res Result
	r := &request{method: "tools/call", tool: tool, arguments: arguments}
	ask := func(l *link) (e *Error) {
		res, e = s.call(ctx, l, r)
		return e
	}
	for round := 1; ; round++ {
		e := s.once(ctx, ask)
		if e != nil && e.RPC != nil && e.RPC.Code == mcp.CodeHeaderMismatch && s.stdio == nil {
			// An argument belongs into a header, which the SDK knows from the list of tools. The server has not acted.
			if _, err := s.List(ctx); err == nil {
				e = s.once(ctx, ask)
			}
		}
		switch {
		case e == nil:
			return res, nil
		case e.questions == nil:
			if e.Fault.Code == CodeToolMissing {
				s.changes.tell()
			}
			return Result{}, e
		case s.opts.Input == nil:
			return Result{}, e
		case round > s.opts.InputRounds:
			return Result{}, s.fail(CodeInputRequired, Answered, nil, "the tool has asked for input %d times, and asks again", s.opts.InputRounds)
		}
		answers, err := s.opts.Input(ctx, tool, e.questions)
		if err != nil {
			return Result{}, s.fail(CodeInputRequired, Answered, err, "%s: %v", e.bare(s.name), err)
		}
		r = &request{method: r.method, tool: tool, arguments: arguments, more: map[string]json.RawMessage{"inputResponses": answers}}
		if e.state != nil {
			r.more["requestState"] = e.state
		}
	}
}

// call makes one request of a call.
func (s *Session) call(ctx context.Context, l *link, proto *request) (Result, *Error) {
	r := &request{method: proto.method, tool: proto.tool, arguments: proto.arguments, more: proto.more}
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
	params := &mcp.CallToolParams{Name: r.tool, Arguments: r.arguments, Meta: mcp.Meta{"progressToken": token}}
	began := time.Now()
	_, err := l.client.CallTool(r.with(ctx), params)
	l.tap.forget(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.result != nil {
		return s.result(r.tool, r.result)
	}
	return Result{}, s.failed(ctx, l, r, err, "the call of "+r.tool, time.Since(began))
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
func (s *Session) failed(ctx context.Context, l *link, r *request, err error, what string, took time.Duration) *Error {
	outcome := NotSent
	if r.sent.Load() {
		outcome = Unknown
	}
	switch {
	case r.odd != nil:
		return s.fail(r.odd.code, Answered, err, "%s: %s", what, r.odd.message)
	case s.denied(err) != nil:
		return s.denied(err)
	case errors.Is(context.Cause(ctx), errSlow):
		asked := ""
		if q := s.asked.Load(); q != nil && time.Since(q.at) <= took {
			asked = "; it had asked for " + q.method + ", which was refused, since nobody is there to answer"
		}
		return s.fail(CodeCallTimeout, outcome, err, "%s has no answer after %s%s", what, took.Round(time.Millisecond), asked).withStderr(s.Stderr())
	case r.gone || errors.Is(err, mcp.ErrSessionMissing) && outcome == NotSent:
		e := s.fail(CodeLost, NotSent, err, "it no longer knows the session: it may have been started anew")
		e.expired = true
		return e
	case r.rpc != nil && r.status < 500 && r.status != 401 && r.status != 403:
		code := CodeCallRefused
		if r.tool != "" && unknownTool(r.tool, r.rpc.Message) {
			code = CodeToolMissing
		}
		e := s.fail(code, Answered, err, "%s was refused: %s (code %d)", what, short(r.rpc.Message), r.rpc.Code)
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
	broken := errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, mcp.ErrSessionMissing) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrClosedPipe) || ctx.Err() == nil && s.process != nil || errors.Is(context.Cause(ctx), errClosed)
	givenUp := ctx.Err()
	if broken {
		over, patience := l.over, 300*time.Millisecond // the stream of a dead server may be opened anew for longer than that
		if s.process != nil {
			over, patience = nil, 3*time.Second // what is to be said is known when the process has ended
		}
		select {
		case <-s.lost:
			return s.gone(r)
		case <-over:
			e := s.fail(CodeLost, outcome, err, "%s", s.ended(l))
			e.expired = outcome == NotSent
			return e
		case <-time.After(patience):
		}
	}
	switch {
	case errors.Is(givenUp, context.DeadlineExceeded):
		why := "the run's time limit was over"
		if cause := context.Cause(ctx); cause != context.DeadlineExceeded { // a shorter limit than the run's own
			why = cause.Error()
		}
		return s.fail(CodeCallTimeout, outcome, givenUp, "%s has no answer after %s: %s", what, took.Round(time.Millisecond), why).withStderr(s.Stderr())
	case givenUp != nil:
		return s.fail(CodeCancelled, outcome, givenUp, "%s was given up", what)
	case outcome == NotSent:
		return s.fail(CodeUnreachable, NotSent, err, "%s could not be sent: %s", what, plain(err))
	default:
		return s.fail(CodeLost, Unknown, err, "%s: the connection broke: %s", what, plain(err))
	}
}

// result reads the answer of a tool.
func (s *Session) result(tool string, raw json.RawMessage) (Result, *Error) {
	var m struct {
		Questions  json.RawMessage `json:"inputRequests"`
		State      json.RawMessage `json:"requestState"`
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
		e := s.fail(CodeInputRequired, Answered, nil, "the tool asks for input before it goes on%s", asks(m.Questions))
		e.questions, e.state = given(m.Questions), given(m.State)
		if e.questions == nil {
			e.questions = json.RawMessage("{}") // it only wants to be asked again
		}
		return Result{}, e
	}
	r := Result{Structured: m.Structured, Meta: m.Meta}
	switch string(m.IsError) {
	case "", "null", "false":
	default: // also a value of another kind: what is not clearly a success is none
		r.IsError = true
	}
	if m.Content != nil && json.Unmarshal(m.Content, &r.Content) != nil {
		r.Content = []json.RawMessage{m.Content} // not a list, and not lost
		r.Odd = append(r.Odd, "the answer's content is not a list: it is taken for one block")
	}
	if keys := unknownKeys(raw); len(keys) > 0 {
		r.Odd = append(r.Odd, "not part of the value: what the answer has under "+short(strings.Join(keys, ", "))+", which a result in MCP does not have")
	}
	if r.IsError && len(r.Content) == 1 && r.Structured == nil {
		var b struct{ Text string }
		if json.Unmarshal(r.Content[0], &b) == nil && strings.Contains(b.Text, tool) && unknownTool(tool, b.Text) {
			return Result{}, s.fail(CodeToolMissing, Answered, nil, "the call of %s was refused: %s", tool, short(b.Text))
		}
	}
	return r, nil
}

// unknownKeys are the keys of a result that MCP does not have, sorted.
func unknownKeys(raw json.RawMessage) []string {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for _, known := range []string{"content", "structuredContent", "isError", "_meta", "resultType", "inputRequests", "requestState"} {
		delete(all, known)
	}
	return slices.Sorted(maps.Keys(all))
}

// asks says what the questions of a tool are.
func asks(questions json.RawMessage) string {
	var all map[string]struct {
		Method string `json:"method"`
		Params struct {
			Message string `json:"message"`
		} `json:"params"`
	}
	if json.Unmarshal(questions, &all) != nil || len(all) == 0 {
		return ""
	}
	var texts []string
	for _, k := range slices.Sorted(maps.Keys(all)) {
		text := all[k].Method
		if m := all[k].Params.Message; m != "" {
			text += " (" + m + ")"
		}
		texts = append(texts, text)
	}
	return ": " + short(strings.Join(texts, ", "))
}

// What servers say of a tool that they do not have, in an error of the protocol or as a tool's failure, without the tool's name.
var notATool = []string{"unknown tool", "unknown tool name", "tool unknown", "no such tool", "invalid tool", "invalid tool name", "tool not found",
	"tool was not found", "tool does not exist", "tool is not available", "tool not available", "tool disabled", "tool is disabled"}

var beforeText = regexp.MustCompile(`^(?i)((mcp )?error( -?\d+)?: *)+`)

// unknownTool reports whether text says that there is no tool of that name, and nothing else.
func unknownTool(tool, text string) bool {
	text = beforeText.ReplaceAllString(strings.TrimSpace(text), "")
	if all := regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(tool)+`(\W|$)`).FindAllStringIndex(text, -1); len(all) > 0 {
		last := all[len(all)-1]
		text = text[:last[0]] + " " + text[last[1]:]
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.Contains(notATool, strings.Join(words, " "))
}

func trimmed(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}
