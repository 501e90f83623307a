package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/mcpserver"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/store"
)

func TestMain(m *testing.M) { connectortest.Main(m) }

// lab is a server over an engine with one connector, called lab, that is the fixture.
type lab struct {
	t      testing.TB
	engine *engine.Engine
	server *mcpserver.Server
	home   home.Home
	acts   string
	setup  setup.Options
}

func newLab(t testing.TB, flags ...string) *lab {
	t.Helper()
	return newLabWith(t, engine.Options{}, mcpserver.Options{}, flags...)
}

// newLabWith is a lab with some options of the engine and of the server.
func newLabWith(t testing.TB, e engine.Options, o mcpserver.Options, flags ...string) *lab {
	t.Helper()
	t.Setenv(pyright.Variable, filepath.Join(connectortest.Modules(t), ".bin", "pyright"))
	dir := t.TempDir()
	l := &lab{t: t, acts: filepath.Join(dir, "acts")}
	var err error
	l.home, err = home.Open(filepath.Join(dir, "home"))
	check(t, err)
	env := home.NewEnv(os.Environ())
	options := setup.Options{Home: l.home, Env: env}
	s, err := setup.Create(options)
	check(t, err)
	c := connectortest.Fixture(t, append([]string{"-acts", l.acts}, flags...)...)
	c.Name = "lab"
	added, err := s.Add(t.Context(), c)
	check(t, err)
	check(t, s.Close())
	if added.Connected != 1 {
		t.Fatalf("the fixture is not connected: %+v", added.Servers)
	}
	e.Home, e.Env, e.CacheDir = l.home, env, os.Getenv("RUNLACE_CACHE")
	l.engine, err = engine.Open(context.Background(), e)
	check(t, err)
	o.Version, o.Setup, l.setup = "test", options, options
	l.server = mcpserver.New(l.engine, o)
	t.Cleanup(func() {
		l.server.Close()
		if err := l.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (l *lab) acted() int {
	b, err := os.ReadFile(l.acts)
	if err != nil && !os.IsNotExist(err) {
		l.t.Fatal(err)
	}
	return bytes.Count(b, []byte("\n"))
}

// client is an agent.
type client struct {
	*mcp.ClientSession
	t       testing.TB
	outputs map[string]json.RawMessage // schemas by tool
	mu      sync.Mutex
	told    []string // of progress
}

// The ways to a server, each with the revision of the protocol that is spoken.
var ways = map[string]func(*lab) *client{
	"stdio":      func(l *lab) *client { return l.stdio("") },
	"stdio-2025": func(l *lab) *client { return l.stdio("2025-11-25") },
	"http":       func(l *lab) *client { return l.http("") },
	"http-2025":  func(l *lab) *client { return l.http("2025-11-25") },
}

func (l *lab) stdio(version string) *client {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- l.server.Stdio(ctx, in, out) }()
	l.t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				l.t.Error(err)
			}
		case <-time.After(20 * time.Second):
			l.t.Error("the server does not end")
		}
	})
	return l.connect(&mcp.IOTransport{Reader: fromServer, Writer: toServer}, version)
}

func (l *lab) http(version string) *client {
	h := httptest.NewServer(l.server.Handler(mcpserver.Access{}))
	l.t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return l.connect(&mcp.StreamableClientTransport{Endpoint: h.URL + mcpserver.Path}, version)
}

func (l *lab) connect(transport mcp.Transport, version string, more ...func(*mcp.ClientOptions)) *client {
	l.t.Helper()
	c := &client{t: l.t, outputs: map[string]json.RawMessage{}}
	options := &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.told = append(c.told, r.Params.Message)
		},
	}
	for _, m := range more {
		m(options)
	}
	made := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, options)
	var err error
	c.ClientSession, err = made.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	check(l.t, err)
	l.t.Cleanup(func() { _ = c.Close() })
	list, err := c.ListTools(context.Background(), nil)
	check(l.t, err)
	for _, t := range list.Tools {
		c.outputs[t.Name], err = json.Marshal(t.OutputSchema)
		check(l.t, err)
	}
	return c
}

// answer is the structured content of a result.
type answer struct {
	t       testing.TB
	raw     json.RawMessage
	isError bool
}

// call calls a tool. Whatever the answer is, it fits the tool's output schema, and the text is the same object.
func (c *client) call(tool, arguments string) answer {
	c.t.Helper()
	a, err := c.try(context.Background(), tool, arguments)
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return a
}

func (c *client) try(ctx context.Context, tool, arguments string) (answer, error) {
	c.t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}
	params.SetProgressToken("token-" + tool)
	r, err := c.CallTool(ctx, params)
	if err != nil {
		return answer{}, err
	}
	text := r.Content[0].(*mcp.TextContent).Text
	structured, err := json.Marshal(r.StructuredContent)
	check(c.t, err)
	if !same(structured, []byte(text)) {
		c.t.Errorf("%s: the text is not the structured content:\n%s\n%s", tool, text, structured)
	}
	if errs := schema.Validate(c.outputs[tool], json.RawMessage(text)); len(errs) > 0 {
		c.t.Errorf("%s: the answer does not fit its schema: %v\n%s", tool, errs, text)
	}
	a := answer{c.t, json.RawMessage(text), r.IsError}
	if a.get("ok") != fmt.Sprint(!r.IsError) && tool != "get_run" && a.get("finished") != "false" {
		c.t.Errorf("%s: isError is %v: %s", tool, r.IsError, text)
	}
	return a, nil
}

func same(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}

// get follows a path of keys and indices. Texts come without quotes.
func (a answer) get(path string) string {
	value := a.raw
	for _, key := range strings.Split(path, ".") {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		var i int
		if json.Unmarshal(value, &object) == nil {
			value = object[key]
		} else if _, err := fmt.Sscan(key, &i); err == nil && json.Unmarshal(value, &list) == nil && i < len(list) {
			value = list[i]
		} else {
			return ""
		}
	}
	var text *string
	if json.Unmarshal(value, &text) == nil && text != nil {
		return *text
	}
	return string(value)
}

// want checks values by path.
func (a answer) want(pairs ...string) answer {
	a.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := a.get(pairs[i]); got != pairs[i+1] {
			a.t.Errorf("%s is %s, want %s in\n%s", pairs[i], got, pairs[i+1], a.raw)
		}
	}
	return a
}

func quote(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

const wrong = `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    total = ctx.lab.add(a=ctx.inputs["n"], bee=3)
    ctx.lab.note(text="the sum is " + str(total["sum"]))
    return {"sum": total["sum"]}
`

func (c *client) create(name, code, inputs string) answer {
	c.t.Helper()
	return c.call("create_workflow", fmt.Sprintf(`{"name":%s,"description":"a test","code":%s,"inputs_schema":%s}`, quote(name), quote(code), inputs))
}

// The main job: learn, create, be refused, correct, rehearse, be refused, run, read the journal.
func TestLoop(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			c := way(l)
			skill := c.call("get_skill", `{}`)
			if !strings.Contains(string(skill.raw), `"call":"ctx.lab.add(...)"`) || !strings.Contains(skill.get("skill"), "def run(ctx") {
				t.Errorf("%s", skill.raw)
			}
			tools := c.call("get_tools", `{"connector":"lab","tools":["add","note"]}`)
			if types := tools.get("types"); !strings.Contains(types, "def add(self, *, a: int, b: int)") || strings.Contains(types, "def echo") {
				t.Errorf("%s", types)
			}

			const schemas = `"inputs_schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false},
				"outputs_schema":{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`
			refused := c.call("create_workflow", `{"name":"sum","description":"Adds","code":`+quote(wrong)+`,`+schemas+`}`)
			refused.want("ok", "false", "stage", "typecheck", "code", "reportCallIssue", "errors.0.line", "5")
			if !strings.Contains(string(refused.raw), "b=") {
				t.Errorf("no hint: %s", refused.raw)
			}
			right := strings.Replace(wrong, "bee=3", "bb=3", 1)
			c.call("create_workflow", `{"name":"sum","description":"Adds","code":`+quote(right)+`,`+schemas+`}`).want("ok", "false")
			right = strings.Replace(wrong, "bee=3", "b=2", 1)
			first := c.call("create_workflow", `{"name":"sum","description":"Adds","code":`+quote(right)+`,`+schemas+`}`).want("ok", "true", "new", "true")
			edited := c.call("edit_workflow", `{"name":"sum","old_string":"b=2","new_string":"b=3"}`).want("ok", "true", "tools_used.1.tool", "note")
			if edited.get("version") == first.get("version") || edited.get("workflow_id") != first.get("workflow_id") {
				t.Errorf("%s", edited.raw)
			}

			dry := c.call("dry_run_workflow", `{"workflow_id":"sum","inputs":{"n":4}}`)
			dry.want("ok", "true", "status", "completed", "finished", "true", "dry_run", "true", "output", `{"sum":7}`, "simulated.0.tool", "note", "steps.1.simulated", "true")
			if l.acted() != 0 {
				t.Error("a dry run acted")
			}
			c.call("run_workflow", `{"workflow_id":"sum","inputs":{"n":4}}`).
				want("code", "needs-confirmation", "status", "failed", "side_effects.0.tool", "note", "output", "null", "steps", "[]")
			c.call("run_workflow", `{"workflow_id":"sum","inputs":{"n":"4"},"confirm":true}`).want("code", "invalid-inputs", "errors.0.field", "n")
			if l.acted() != 0 {
				t.Error("a refused run acted")
			}
			run := c.call("run_workflow", `{"workflow_id":`+quote(first.get("workflow_id"))+`,"inputs":{"n":4},"confirm":true}`).
				want("ok", "true", "output", `{"sum":7}`, "steps.0.tool", "add", "steps.1.state", "ok")
			if l.acted() != 1 {
				t.Errorf("%d acts", l.acted())
			}
			id := run.get("run_id")
			c.call("get_run", `{"run_id":`+quote(id)+`}`).want("ok", "true", "output", `{"sum":7}`, "steps.1.connector", "lab", "steps.1.payload", "")
			c.call("get_step", `{"run_id":`+quote(id)+`,"seq":2}`).want("payload", `{"text":"the sum is 7"}`, "result.noted", "the sum is 7", "trimmed", "[]")
			c.call("list_workflows", `{}`).want("workflows.0.name", "sum", "workflows.0.versions", "2", "workflows.0.last_run.run_id", id)
			c.call("get_workflow", `{"workflow":"sum"}`).want("is_latest", "true", "drift", "[]", "versions.0.version", first.get("version"), "tools_used.0.tool", "add")
			old := c.call("get_workflow", `{"workflow":"sum","version":`+quote(first.get("version"))+`}`).want("is_latest", "false")
			if !strings.Contains(old.get("code"), "b=2") {
				t.Errorf("%s", old.raw)
			}
		})
	}
}

func TestListOfTools(t *testing.T) {
	l := newLab(t)
	c := l.stdio("")
	list, err := c.ListTools(t.Context(), nil)
	check(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		b, err := json.Marshal(tool)
		check(t, err)
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if !bytes.Contains(b, []byte(`"`+hint+`":`)) {
				t.Errorf("%s does not say %s", tool.Name, hint)
			}
		}
		if tool.Title == "" || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s: %s", tool.Name, b)
		}
	}
	want := []string{
		"add_connector", "cancel_run", "create_workflow", "dry_run_workflow", "edit_workflow", "get_run", "get_skill", "get_step", "get_tools", "get_workflow",
		"list_runs", "list_workflows", "replay_run", "resume_run", "run_workflow",
	}
	if !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
	b, err := json.Marshal(list.Tools)
	check(t, err)
	if tokens := len(b) / 4; tokens > 3700 {
		t.Errorf("the list costs about %d tokens", tokens)
	} else {
		t.Logf("the list costs about %d tokens", tokens)
	}
	again, err := l.http("2025-11-25").ListTools(t.Context(), nil)
	check(t, err)
	if other, err := json.Marshal(again.Tools); err != nil || !bytes.Equal(b, other) {
		t.Errorf("another client has another list: %s", other)
	}
	if i := c.InitializeResult(); !strings.Contains(i.Instructions, "dry_run_workflow") || i.ServerInfo.Title == "" {
		t.Errorf("%+v", i)
	}
}

// What goes wrong has a code, and what the caller needs to go on.
func TestFailures(t *testing.T) {
	l := newLab(t)
	c := l.stdio("")
	c.create("plain", "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> int:\n    return ctx.lab.add(a=1, b=1)[\"sum\"]\n", `{"type":"object","properties":{}}`).want("ok", "true")
	run := c.call("run_workflow", `{"workflow_id":"plain"}`).want("ok", "true", "output", "2")
	for _, x := range []struct{ tool, arguments, code, more string }{
		{"get_tools", `{}`, "bad-arguments", `"field":"connector"`},
		{"get_tools", `{"connector":3}`, "bad-arguments", `"field":"connector"`},
		{"get_tools", `{"connector":"lab","tool":["add"]}`, "bad-arguments", `"field":"tool"`},
		{"get_tools", `{"connector":"none"}`, "unknown-connector", `lab`},
		{"get_tools", `{"connector":"lab","tools":["none"]}`, "unknown-tool", `none`},
		{"create_workflow", `{"name":"X","description":"","code":"","inputs_schema":{}}`, "bad-name", `"stage":"validate"`},
		{"create_workflow", `{"name":"x","description":"","code":"","inputs_schema":null}`, "bad-arguments", `"field":"inputs_schema"`},
		{"create_workflow", `{"name":"x","description":"","code":"import os","inputs_schema":{"type":"object"}}`, "missing-run", `forbidden-import`},
		{"edit_workflow", `{"name":"none","old_string":"a","new_string":"b"}`, "unknown-workflow", `"stage":"edit"`},
		{"edit_workflow", `{"name":"plain","old_string":"a","new_string":"b"}`, "not-unique", `"stage":"edit"`},
		{"edit_workflow", `{"name":"plain","old_string":"xyz","new_string":"b"}`, "no-match", `"stage":"edit"`},
		{"get_workflow", `{"workflow":"none"}`, "unknown-workflow", ``},
		{"get_workflow", `{"workflow":"plain","version":"beef"}`, "unknown-version", run.get("version")},
		{"run_workflow", `{"workflow_id":"none"}`, "unknown-workflow", ``},
		{"run_workflow", `{"workflow_id":"plain","version":"beef"}`, "unknown-version", ``},
		{"run_workflow", `{"workflow_id":"plain","inputs":[]}`, "bad-arguments", `"field":"inputs"`},
		{"get_run", `{"run_id":"run_0"}`, "unknown-run", ``},
		{"get_step", `{"run_id":"run_0","seq":1}`, "unknown-run", ``},
		{"get_step", `{"run_id":` + quote(run.get("run_id")) + `,"seq":7}`, "unknown-step", `"steps":[1]`},
		{"get_step", `{"run_id":` + quote(run.get("run_id")) + `,"seq":0}`, "bad-arguments", `"field":"seq"`},
		{"add_connector", `{"name":"x","url":"file:///etc"}`, "bad-connector", ``},
		{"add_connector", `{"name":"x","url":"https://x.example","transport":"stdio"}`, "bad-arguments", ``},
		{"add_connector", `{"name":"x","url":"https://x.example","headers":{"Authorization":"Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}`, "literal-secret", `${`},
	} {
		a := c.call(x.tool, x.arguments).want("ok", "false", "code", x.code)
		if !a.isError || a.get("error") == "" || a.get("hint") == "" || !strings.Contains(string(a.raw), x.more) {
			t.Errorf("%s %s: %v %s", x.tool, x.arguments, a.isError, a.raw)
		}
		if strings.Contains(string(a.raw), "ghp_abc") {
			t.Errorf("a secret is repeated: %s", a.raw)
		}
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("a tool that is not there was called")
	}
}

// Arguments reach the engine digit by digit; nulls are as if left out; a model may have written an object as a string.
func TestArguments(t *testing.T) {
	l := newLab(t)
	for name, way := range ways {
		c := way(l)
		const code = "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> object:\n    return ctx.inputs[\"x\"]\n"
		c.create("digits", code, `{"type":"object","properties":{"x":{}},"required":["x"]}`).want("ok", "true")
		for in, want := range map[string]string{
			`{"x":12345678901234567890123}`:      `12345678901234567890123`,
			`{"x":"<&>\u2028"}`:                  `<&>` + "\u2028",
			`"{\"x\": [1, 2.50]}"`:               `[1,2.5]`,
			`{"x":{"b":1,"a":9007199254740993}}`: `{"b":1,"a":9007199254740993}`,
		} {
			c.call("run_workflow", `{"workflow_id":"digits","version":null,"inputs":`+in+`}`).want("output", want)
		}
		c.call("run_workflow", `{"workflow_id":"digits","inputs":"{\"x\":1,\"x\":2}"}`).want("code", "bad-input")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

const waits = `from runlace_types import Ctx


def run(ctx: Ctx) -> int:
    ctx.lab.add(a=1, b=2)
    ctx.lab.slow(ms=%d)
    return 1
`

func TestProgress(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			c := way(l)
			c.create("waits", fmt.Sprintf(waits, 1500), `{"type":"object","properties":{}}`).want("ok", "true")
			c.mu.Lock()
			c.told = nil
			c.mu.Unlock()
			c.call("run_workflow", `{"workflow_id":"waits"}`).want("ok", "true")
			time.Sleep(50 * time.Millisecond)
			c.mu.Lock()
			defer c.mu.Unlock()
			if !slices.ContainsFunc(c.told, func(s string) bool { return strings.Contains(s, "step 2: lab.slow") }) {
				t.Errorf("%q", c.told)
			}
		})
	}
}

// A call that is cancelled ends its run, which the journal says.
func TestCancel(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			c := way(l)
			c.create("waits", fmt.Sprintf(waits, 60_000), `{"type":"object","properties":{}}`).want("ok", "true")
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer cancel()
			start := time.Now()
			if _, err := c.try(ctx, "run_workflow", `{"workflow_id":"waits"}`); err == nil {
				t.Fatal("it was not cancelled")
			}
			l.ended(start, store.Interrupted) // nothing is lost: it can be resumed
		})
	}
}

// ended waits until the last run has ended.
func (l *lab) ended(start time.Time, want store.RunStatus) {
	l.t.Helper()
	for time.Since(start) < 15*time.Second {
		runs, err := l.engine.Store().Runs(store.RunFilter{})
		check(l.t, err)
		if len(runs) == 1 && runs[0].Status != store.Running {
			if runs[0].Status != want {
				l.t.Errorf("%s: %s", runs[0].Status, runs[0].Error)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	l.t.Error("the run does not end")
}

// A client that goes away stops its runs, which can be resumed.
func TestGoneClient(t *testing.T) {
	l := newLab(t)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- l.server.Stdio(context.Background(), in, out) }()
	c := l.connect(&mcp.IOTransport{Reader: fromServer, Writer: toServer}, "")
	c.create("waits", fmt.Sprintf(waits, 60_000), `{"type":"object","properties":{}}`).want("ok", "true")
	go func() { _, _ = c.try(context.Background(), "run_workflow", `{"workflow_id":"waits"}`) }()
	time.Sleep(time.Second)
	start := time.Now()
	check(t, toServer.Close())
	t.Cleanup(func() { _ = out.Close() })
	select {
	case err := <-ended:
		check(t, err)
	case <-time.After(15 * time.Second):
		t.Fatal("the server does not end")
	}
	l.ended(start, store.Interrupted)
}

// A server that is told to end does so while a run is under way, which can be resumed.
func TestTerminated(t *testing.T) {
	l := newLab(t)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	ctx, terminate := context.WithCancel(context.Background())
	go func() { ended <- l.server.Stdio(ctx, in, out) }()
	c := l.connect(&mcp.IOTransport{Reader: fromServer, Writer: toServer}, "")
	c.create("waits", fmt.Sprintf(waits, 60_000), `{"type":"object","properties":{}}`).want("ok", "true")
	go func() { _, _ = c.try(context.Background(), "run_workflow", `{"workflow_id":"waits"}`) }()
	time.Sleep(time.Second)
	start := time.Now()
	terminate()
	t.Cleanup(func() { _ = out.Close() })
	select {
	case err := <-ended:
		check(t, err)
	case <-time.After(15 * time.Second):
		t.Fatal("the server does not end")
	}
	l.ended(start, store.Interrupted)
}

// A line that is no message costs itself.
func TestNoise(t *testing.T) {
	l := newLab(t)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- l.server.Stdio(context.Background(), in, out) }()
	_, err := io.WriteString(toServer, "garbage\n{}\n[]\n\n{\"jsonrpc\":\"1.0\"}\nnull\n")
	check(t, err)
	c := l.connect(&mcp.IOTransport{Reader: fromServer, Writer: toServer}, "")
	c.call("list_workflows", `{}`).want("ok", "true")
	check(t, toServer.Close())
	t.Cleanup(func() { _ = out.Close() })
	check(t, <-ended)
}

// Twenty calls at once, over one connection.
func TestAtOnce(t *testing.T) {
	l := newLab(t)
	c := l.stdio("")
	c.create("plain", "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> int:\n    return ctx.lab.add(a=ctx.inputs[\"n\"], b=1)[\"sum\"]\n",
		`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`).want("ok", "true")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			c.call("run_workflow", fmt.Sprintf(`{"workflow_id":"plain","inputs":{"n":%d}}`, n)).want("output", fmt.Sprint(n+1))
		})
	}
	all.Wait()
}

// get_skill stays small, however much the tools say of themselves.
func TestSizeOfSkill(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	var list []map[string]any
	for i := range 74 {
		list = append(list, map[string]any{
			"tool": map[string]any{
				"name":        fmt.Sprintf("search_repository_items_%d", i),
				"description": strings.Repeat("Searches the items of a repository by text, label and state, newest first.\n\n", 6),
				"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"query": map[string]any{"type": "string"}}},
			},
			"result": map[string]any{"content": []any{}},
		})
	}
	b, err := json.Marshal(list)
	check(t, err)
	check(t, os.WriteFile(file, b, 0o600))
	var names []string
	for i := range 74 {
		names = append(names, fmt.Sprintf("search_repository_items_%d", i))
	}
	l := newLab(t, "-define", file, "-only", strings.Join(names, ","))
	a := l.stdio("").call("get_skill", `{}`)
	if n := strings.Count(string(a.raw), `"call":`); n != 74 {
		t.Errorf("%d tools", n)
	}
	// Four characters are about one token of English, and JSON and code have a few more.
	if tokens := len(a.raw) * 10 / 36; tokens > 9000 {
		t.Errorf("about %d tokens", tokens)
	}
	t.Logf("%d characters", len(a.raw))
}

// A connector that is added is there at once, for the server that is running.
func TestAddConnector(t *testing.T) {
	l := newLab(t)
	c := l.stdio("")
	other := mcp.NewServer(&mcp.Implementation{Name: "other", Version: "1"}, nil)
	mcp.AddTool(other, &mcp.Tool{Name: "shout", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in struct {
			Text string `json:"text"`
		}) (*mcp.CallToolResult, struct {
			Text string `json:"text"`
		}, error) {
			return nil, struct {
				Text string `json:"text"`
			}{strings.ToUpper(in.Text)}, nil
		})
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return other }, nil))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	ask := func(more string) answer {
		return c.call("add_connector", `{"name":"other","url":`+quote(h.URL)+`,"headers":{"X-Key":"${LAB_NOT_SET:-none}"}`+more+`}`)
	}
	ask("").want("code", "needs-confirmation", "action", "add", "connector.headers", `["X-Key"]`, "needs_env", "[]")
	if slices.Contains(setup.Names(l.home), "other") {
		t.Error("it was added without consent")
	}
	ask(`,"confirm":true`).want("ok", "true", "action", "added", "tools", "1", "attr", "other")
	ask("").want("code", "needs-confirmation", "action", "replace")
	const code = "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> str:\n    return ctx.other.shout(text=\"a\")[\"text\"]\n"
	c.create("shouts", code, `{"type":"object","properties":{}}`).want("ok", "true")
	c.call("run_workflow", `{"workflow_id":"shouts"}`).want("ok", "true", "output", "A")
	c.call("add_connector", `{"name":"down","url":"http://127.0.0.1:1/mcp","confirm":true}`).want("code", "connector-unreachable", "action", "added", "connector", "down")
	if f, _, err := config.Load(l.home.Config()); err != nil || len(f.Connectors) != 3 {
		t.Errorf("%v %v", f, err)
	}
}
