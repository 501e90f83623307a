// Package mcpserver gives the engine to agents, as an MCP server on stdio or on HTTP.
//
//	s := mcpserver.New(engine, mcpserver.Options{Version: "1.0"})
//	err := s.Stdio(ctx, os.Stdin, os.Stdout)
//	err := s.HTTP(ctx, listener, mcpserver.Access{Token: token})
//
// The tools are one table, in tools.go. What goes wrong is a result with isError and an object in structured content: ok false, code,
// error, hint, and what else the caller needs. Arguments are validated by the tool's input schema, all errors at once, and reach the
// engine digit by digit. A call that takes long tells of its progress if the client asked for it, and ends when the client cancels it.
package mcpserver

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/store"
)

// Engine is what of [engine.Engine] is served.
type Engine interface {
	Create(context.Context, engine.Workflow) (*engine.Created, error)
	Edit(context.Context, engine.Edit) (*engine.Created, error)
	Run(context.Context, engine.Request) (*engine.Run, error)
	Resume(context.Context, string, engine.ResumeOptions) (*engine.Run, error)
	GetRun(id string) (*engine.Run, error)
	Wait(ctx context.Context, id string, most time.Duration) (*engine.Run, error)
	Enqueue(ctx context.Context, id string) (*engine.Run, error)
	WantsPerson() bool
	Cancel(ctx context.Context, id, why string) (*engine.Run, error)
	Drain(ctx context.Context, o engine.DrainOptions) error
	Target(connector string) string
	Replay(ctx context.Context, id string, with *engine.Workflow) (*engine.Replay, error)
	Approvals(run string) ([]store.Approval, error)
	Approve(ctx context.Context, id, digest, note string) (*engine.Run, error)
	Reject(id, digest, reason string) (*engine.Run, error)
	GetStep(run string, seq int) (*engine.StepDetail, error)
	Skill() (*engine.Skill, error)
	Tools(connector string, tools []string) (*engine.ToolsText, error)
	Drift(store.Version) ([]engine.Drift, error)
	Catalogue() (*engine.Catalogue, error)
	Store() *store.Store
	Warm(context.Context) error
}

// Options of a server.
type Options struct {
	Version string        // of Runlace
	Setup   setup.Options // for add_connector
	// Queue leaves runs to the queue, which somebody has to drain: see [engine.Engine.Drain]. Else a run is executed by the call that asks for it.
	Queue bool
	// Unattended says that nobody sits in front of the clients: what needs a person is never asked there.
	Unattended bool
}

// Server serves one engine to any number of clients.
type Server struct {
	engine  Engine
	options Options
	mcp     *mcp.Server
	ctx     context.Context // ends all calls
	cancel  context.CancelCauseFunc
	key     [32]byte // signs what clients hand back
	calls   sync.WaitGroup
	warm    sync.Once
}

const instructions = `Runlace runs workflows: Python programs that call the user's MCP tools, checked before they are stored and run without a model.
Use it for work that has many steps, much data, or will be repeated.

The loop:
1. get_skill: how to write a workflow, and which tools there are.
2. get_tools: the exact signatures of those that you will call.
3. create_workflow: refused code comes back with line numbers and hints. Correct it and call again; edit_workflow changes one place.
4. dry_run_workflow: a rehearsal in which nothing acts.
5. run_workflow: for real. A workflow that acts is refused until confirm is true. Set it only after the user has agreed to the list in side_effects.
   Where the operator wants a person's word, the run waits instead (awaiting_approval): tell the user to approve it; you cannot.
6. get_run and get_step: what happened, step by step.

A failure has ok false, a code, an error and a hint that says what to do.`

// New makes a server.
func New(e Engine, o Options) *Server {
	s := &Server{engine: e, options: o}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	_, _ = rand.Read(s.key[:])
	s.mcp = mcp.NewServer(
		&mcp.Implementation{Name: "runlace", Title: "Runlace", Description: "Workflows in Python over your MCP tools", Version: o.Version},
		&mcp.ServerOptions{
			Instructions: instructions,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { // the list is that of this binary
				c.TTLMs, c.CacheScope = int(time.Hour/time.Millisecond), "public"
			},
		})
	for _, t := range tools {
		s.add(t)
	}
	return s
}

func (s *Server) add(t tool) {
	validator, err := schema.Compile(json.RawMessage(t.input))
	if err != nil {
		panic(fmt.Sprintf("mcpserver: input schema of %s: %v", t.name, err))
	}
	var shape struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(t.input), &shape); err != nil {
		panic(fmt.Sprintf("mcpserver: input schema of %s: %v", t.name, err))
	}
	types := map[string]string{}
	for name, p := range shape.Properties {
		types[name] = p.Type
	}
	definition := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: compact(t.input), OutputSchema: compact(t.output),
		Annotations: &mcp.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.hints.readOnly, DestructiveHint: &t.hints.destructive,
			IdempotentHint: t.hints.idempotent, OpenWorldHint: &t.hints.openWorld,
		},
	}
	s.mcp.AddTool(definition, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.calls.Add(1)
		defer s.calls.Done()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
		c := &call{types: types, validator: validator, raw: req.Params.Arguments, request: req}
		c.progress = startProgress(ctx, req)
		a, err := t.handle(s, ctx, c)
		c.progress.stop()
		if a.ask != nil && err == nil {
			return a.ask, nil
		}
		return result(a, err), nil
	})
}

// compact takes the white space out of a schema.
func compact(text string) json.RawMessage {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(fmt.Sprintf("mcpserver: %v in %s", err, text))
	}
	b, _ := json.Marshal(v)
	return b
}

// failure is the structured content of what went wrong.
type failure struct {
	OK     bool                `json:"ok"`
	Code   string              `json:"code"`
	Error  string              `json:"error"`
	Hint   string              `json:"hint,omitempty"`
	Detail string              `json:"detail,omitempty"`
	Errors []schema.FieldError `json:"errors,omitempty"`
}

func failed(e *fault.Error) failure {
	return failure{Code: e.Code, Error: e.Message, Hint: e.Hint, Detail: e.Detail}
}

// result makes the result of a call. Text has the same object, for clients that do not read structured content.
func result(a answer, err error) *mcp.CallToolResult {
	if err != nil {
		f := failed(fault.Of(err))
		if e := (*argumentsError)(nil); errors.As(err, &e) {
			f.Errors = e.errors
		}
		a = answer{value: f, failed: true}
	}
	b, err := encode(a.value)
	if err != nil {
		a.failed = true
		b, _ = encode(failed(fault.Of(fmt.Errorf("the answer cannot be written: %w", err))))
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(b)}},
		StructuredContent: b,
		IsError:           a.failed,
	}
}

func encode(v any) (json.RawMessage, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n")), err
}

// call is one call of a tool.
type call struct {
	raw       json.RawMessage
	types     map[string]string // of the arguments, as the schema has them
	validator *schema.Validator
	request   *mcp.CallToolRequest
	progress  *progress
}

// argumentsError says what is wrong with the arguments.
type argumentsError struct {
	fault  *fault.Error
	errors []schema.FieldError
}

func (e *argumentsError) Error() string { return e.fault.Message }
func (e *argumentsError) Unwrap() error { return e.fault }

// arguments validates the arguments and puts them into v, whose fields bear their names.
func (c *call) arguments(v any) error {
	given := map[string]json.RawMessage{}
	if len(c.raw) > 0 && string(c.raw) != "null" {
		if err := json.Unmarshal(c.raw, &given); err != nil {
			return fault.New("bad-arguments", "the arguments are not an object: %v", err)
		}
	}
	var errs []schema.FieldError
	for name, value := range given {
		kind, known := c.types[name]
		switch {
		case !known:
			errs = append(errs, schema.FieldError{Field: name, Code: "additionalProperties", Message: "is not an argument of this tool"})
		case string(value) == "null": // which clients send for what they leave out
			delete(given, name)
		case kind == "object" || kind == "array":
			given[name] = unquoted(value)
		}
	}
	whole, err := json.Marshal(given)
	if err != nil {
		return err
	}
	errs = append(errs, c.validator.Validate(whole)...)
	if len(errs) > 0 {
		var text []string
		for _, e := range errs {
			text = append(text, e.String())
		}
		return &argumentsError{fault.New("bad-arguments", "%s", strings.Join(text, "; ")), errs}
	}
	return json.Unmarshal(whole, v)
}

// unquoted takes a container that a model wrote as a string out of it. No container is a string, so that nothing else is meant.
func unquoted(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	}
	return value
}

// observe tells the client of a step.
func (c *call) observe(e engine.Event) {
	what := ""
	switch e.Kind {
	case "opening":
		what = "connecting " + e.Connector
	case "opened":
		what = "connected " + e.Connector
	case "step":
		what = fmt.Sprintf("step %d: %s.%s", e.Seq, e.Connector, e.Tool)
	case "stepped":
		what = fmt.Sprintf("step %d: %s.%s %s", e.Seq, e.Connector, e.Tool, e.State)
		if e.Simulated {
			what += ", simulated"
		}
	default:
		return
	}
	c.progress.tell(what)
}

// Stdio serves one client, until it closes its end or ctx is done.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	// A read of standard input cannot be ended, and closing the connection would wait for it.
	r, w := io.Pipe()
	go func() {
		_ = w.CloseWithError(s.messages(in, w))
	}()
	ended := make(chan error, 1)
	go func() {
		ended <- s.mcp.Run(ctx, &mcp.IOTransport{Reader: r, Writer: nopCloser{out}, MaxLineLength: maxMessage})
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done(): // calls that are under way end first: the connection would wait for them
		s.cancel(engine.ErrLeaving)
		select {
		case err = <-ended:
		case <-time.After(5 * time.Second):
		}
	}
	s.Close()
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// messages copies the lines of in that are messages. One that is none costs itself, and not the connection with all that is
// running: it is answered as JSON-RPC says where that is possible, and that is nowhere, since it has no id.
func (s *Server) messages(in io.Reader, w io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > maxMessage {
			return fmt.Errorf("a message of more than %d MiB", maxMessage>>20)
		}
		if message(line) {
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// message tells whether a line is one of JSON-RPC, or several.
func message(line []byte) bool {
	var one struct {
		Version string `json:"jsonrpc"`
	}
	if json.Unmarshal(line, &one) == nil {
		return one.Version == "2.0"
	}
	var several []json.RawMessage
	return json.Unmarshal(line, &several) == nil && len(several) > 0
}

// maxMessage bounds a message of a client: the largest inputs or code, and their escapes.
const maxMessage = 32 << 20

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Close ends all calls and waits for them, but not for ever.
func (s *Server) Close() {
	s.cancel(engine.ErrLeaving)
	done := make(chan struct{})
	go func() {
		s.calls.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
	}
}
