package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/mcpserver"
	"github.com/runlace/runlace/internal/setup"
)

const none = `{"type":"object","properties":{}}`

// body is a workflow with this body.
func body(lines ...string) string {
	return "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> object:\n    " + strings.Join(lines, "\n    ") + "\n"
}

const operatorToken = "operator-0123456789abcdef"

// gated is a lab in which every act needs a person, with runs in every state that an agent could try to make something of.
type gated struct {
	*lab
	c                                                    *client // the agent's: it cannot ask anybody
	parked, cancelled, rejected, expired, acted, dry, no string  // runs
	before                                               int     // acts that a person has consented to
	url                                                  string
}

// The ways in which an operator says that acts are for a person.
var humans = map[string]struct{ option, config, policy string }{
	"config":   {config: config.Human},
	"approval": {option: config.Human},
	"policy":   {policy: "approval:\n  lab: human\n  self: human\n"},
	"tool":     {policy: "approval:\n  lab:\n    note: human\n    erase: human\n    bare: human\n    act_slow: human\n    upload: human\n  self: human\n"},
}

func newGated(t *testing.T, way, human string) *gated {
	t.Helper()
	var shift atomic.Int64
	h := humans[human]
	g := &gated{lab: newLabWith(t, engine.Options{
		Approval: h.option, Now: func() time.Time { return time.Now().Add(time.Duration(shift.Load())) },
	}, mcpserver.Options{})}
	server := httptest.NewServer(g.server.Handler(mcpserver.Access{Operator: operatorToken}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	g.url = server.URL
	s, err := setup.Open(g.setup)
	check(t, err)
	// The operator has made the mistake of giving Runlace to itself.
	added, err := s.Add(t.Context(), config.Connector{Name: "self", Transport: config.HTTP, URL: g.url + mcpserver.Path})
	check(t, err)
	check(t, s.Close())
	if added.Connected != 1 {
		t.Fatalf("%+v", added.Servers)
	}
	if h.config != "" {
		f, _, err := config.Load(g.home.Config())
		check(t, err)
		f.Approval = h.config
		check(t, f.Save(g.home.Config()))
	}
	check(t, os.WriteFile(g.home.Policy(), []byte(h.policy), 0o600))

	g.c = ways[way](g.lab)
	g.c.create("acts", body(`return ctx.lab.note(text="acts")`), none).want("ok", "true")
	g.c.create("reads", body(`return ctx.lab.count()`), none).want("ok", "true")
	g.c.create("caught", body("try:", `    ctx.lab.note(text="x")`, "except BaseException:", "    pass", `ctx.lab.note(text="y")`, "return 1"), none).want("ok", "true")
	run := func() string {
		a := g.c.call("run_workflow", `{"workflow_id":"acts","confirm":true}`).want("code", "awaiting-approval")
		return a.get("run_id")
	}
	g.expired = run()
	shift.Store(int64(25 * time.Hour))
	check(t, g.engine.Settle())
	g.acted = run()
	_, err = g.engine.Approve(t.Context(), g.acted, "", "")
	check(t, err)
	g.c.call("resume_run", `{"run_id":"`+g.acted+`"}`).want("status", "completed")
	g.cancelled = run()
	g.c.call("cancel_run", `{"run_id":"`+g.cancelled+`"}`).want("ok", "true", "status", "cancelled")
	g.rejected = run()
	_, err = g.engine.Reject(g.rejected, "", "no")
	check(t, err)
	g.dry = g.c.call("dry_run_workflow", `{"workflow_id":"acts"}`).want("ok", "true").get("run_id")
	g.no = g.c.call("run_workflow", `{"workflow_id":"acts","inputs":{"x":1},"version":null}`).get("run_id")
	g.parked = run()
	g.before = g.lab.acted()
	if g.before != 1 {
		t.Fatalf("%d acts", g.before)
	}
	return g
}

// written stores the code and runs it with all that an agent can say. It returns the code with which it was refused.
func (g *gated) written(code string) string {
	name := fmt.Sprintf("w-%d", time.Now().UnixNano())
	if a := g.c.create(name, code, none); a.isError {
		return a.get("code")
	}
	return g.c.call("run_workflow", `{"workflow_id":"`+name+`","confirm":true}`).get("code")
}

// send calls a tool with an answer that nobody gave.
func (g *gated) send(c *client, tool, arguments, state string, responses mcp.InputResponseMap) string {
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{
		Name: tool, Arguments: json.RawMessage(arguments), RequestState: state, InputResponses: responses,
	})
	if err != nil {
		return "protocol: " + err.Error()
	}
	if r.NeedsInput() {
		return "asked"
	}
	text, _ := json.Marshal(r.StructuredContent)
	return answer{g.t, text, r.IsError}.get("code")
}

var yes = mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}}

// question starts a run in a client that can ask, and returns the state with which the client would hand in the answer, and the run.
func (g *gated) question(c *client, tool, arguments string) (state, run string) {
	g.t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	check(g.t, err)
	if !r.NeedsInput() {
		g.t.Fatalf("nobody is asked: %v", r.StructuredContent)
	}
	run, _, _ = strings.Cut(r.RequestState, ".")
	return r.RequestState, run
}

// manual is a client that can ask its user, and leaves the questions to the test.
func (g *gated) manual() *client {
	return g.lab.connect(&mcp.StreamableClientTransport{Endpoint: g.url + mcpserver.Path}, "", func(o *mcp.ClientOptions) {
		o.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "cancel"}, nil
		}
		o.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	})
}

// web sends a request to the operator's side, and returns the status.
func (g *gated) web(method, path, token string, change func(*http.Request)) string {
	r := httptest.NewRequest(method, path, strings.NewReader("{}"))
	r.Host = "localhost"
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	g.server.Handler(mcpserver.Access{Token: agentToken, Operator: operatorToken}).ServeHTTP(w, r)
	return fmt.Sprint(w.Code)
}

const agentToken = token

// Under human an agent with every tool and every argument at its disposal cannot make anything act.
func TestNoArgumentOpensTheGate(t *testing.T) {
	for _, pair := range [][2]string{{"stdio", "config"}, {"stdio-2025", "policy"}, {"http", "tool"}, {"http-2025", "approval"}} {
		t.Run(pair[0]+" "+pair[1], func(t *testing.T) {
			g := newGated(t, pair[0], pair[1])
			asker := g.manual()
			call := func(tool, arguments string) func() string {
				return func() string { return g.c.call(tool, arguments).get("code") }
			}
			run := func(more string) func() string { return call("run_workflow", `{"workflow_id":"acts"`+more+`}`) }
			on := func(tool, id string) func() string { return call(tool, `{"run_id":"`+id+`"}`) }
			written := func(code string) func() string { return func() string { return g.written(code) } }
			const parks = "awaiting-approval"
			for _, x := range []struct {
				name string
				try  func() string
				want string
			}{
				{"confirm", run(`,"confirm":true`), parks},
				{"confirm as a text", run(`,"confirm":"true"`), "bad-arguments"},
				{"confirm as a number", run(`,"confirm":1`), "bad-arguments"},
				{"confirm as null", run(`,"confirm":null`), parks},
				{"confirm twice", run(`,"confirm":false,"confirm":true`), parks},
				{"confirm in capitals", run(`,"Confirm":true`), "bad-arguments"},
				{"confirm with wait 0", run(`,"confirm":true,"wait":0`), parks},
				{"confirm with wait 1", run(`,"confirm":true,"wait":1`), parks},
				{"confirm with wait -1", run(`,"confirm":true,"wait":-1`), "bad-arguments"},
				{"an argument approval", run(`,"approval":"allow"`), "bad-arguments"},
				{"an argument approve", run(`,"approve":true`), "bad-arguments"},
				{"an argument mode", run(`,"mode":"resume"`), "bad-arguments"},
				{"an argument person", run(`,"confirm":true,"person":true`), "bad-arguments"},
				{"a rehearsal that is none", call("dry_run_workflow", `{"workflow_id":"acts","dry_run":false}`), "bad-arguments"},
				{"a rehearsal with confirm", call("dry_run_workflow", `{"workflow_id":"acts","confirm":true}`), "bad-arguments"},
				{"a rehearsal first", func() string {
					g.c.call("dry_run_workflow", `{"workflow_id":"acts"}`).want("ok", "true")
					return run(`,"confirm":true`)()
				}, parks},
				{"a run's id for a workflow", call("run_workflow", `{"workflow_id":"`+g.acted+`","confirm":true}`), "unknown-workflow"},
				{"a run's id for a version", run(`,"version":"` + g.acted + `"`), "unknown-version"},

				{"resume a parked run", on("resume_run", g.parked), parks},
				{"resume a parked run with confirm", call("resume_run", `{"run_id":"`+g.parked+`","confirm":true}`), "bad-arguments"},
				{"resume a cancelled run", on("resume_run", g.cancelled), "not-resumable"},
				{"resume a rejected run", on("resume_run", g.rejected), "not-resumable"},
				{"resume an expired run", on("resume_run", g.expired), "not-resumable"},
				{"resume a run that acted", on("resume_run", g.acted), "not-resumable"},
				{"resume a rehearsal", on("resume_run", g.dry), "not-resumable"},
				{"resume a run that is none", on("resume_run", "run_0"), "unknown-run"},
				{"resume by another spelling", on("resume_run", strings.ToUpper(g.acted)), "unknown-run"},
				{"cancel, then resume", func() string {
					id := g.c.call("run_workflow", `{"workflow_id":"acts","confirm":true}`).get("run_id")
					g.c.call("cancel_run", `{"run_id":"`+id+`"}`).want("ok", "true")
					return on("resume_run", id)()
				}, "not-resumable"},
				{"cancel a run that acted", on("cancel_run", g.acted), "already-over"},
				{"replay a run that acted", on("replay_run", g.acted), ""},
				{"replay a parked run", on("replay_run", g.parked), "never-ran"},
				{"replay a rejected run", on("replay_run", g.rejected), "never-ran"},
				{"list with a statement", call("list_runs", `{"workflow":"x' OR 1=1; UPDATE runs SET status='queued'; --"}`), "unknown-workflow"},
				{"list from a statement", call("list_runs", `{"before":"x'; UPDATE runs SET status='queued'; --"}`), "unknown-run"},
				{"list a state that is none", call("list_runs", `{"status":["approved"]}`), "bad-arguments"},

				{"behind getattr", written(body(`return getattr(ctx.lab, "no" + "te")(text="x")`)), "dynamic-attribute-access"},
				{"behind exec", written(body(`exec("ctx.lab.note(text='x')")`, "return 1")), "forbidden-call"},
				{"behind eval", written(body(`return eval("ctx.lab.note(text='x')")`)), "forbidden-call"},
				{"behind an alias of a tool", written(body("note = ctx.lab.note", `return note(text="x")`)), "ctx-tool-not-called"},
				{"behind an alias of a connector", written(body("lab = ctx.lab", `return lab.note(text="x")`)), "ctx-tool-not-called"},
				{"behind an alias of ctx", written(body("c = ctx", `return c.lab.note(text="x")`)), "ctx-escape"},
				{"behind __class__", written(body("return ctx.lab.__class__.__dict__")), "dunder-access"},
				{"behind __builtins__", written(body(`return __builtins__`)), "dunder-access"},
				{"in a helper", written("from runlace_types import Ctx\n\n\ndef help(c: Ctx) -> object:\n    return c.lab.note(text=\"x\")\n\n\n" +
					strings.TrimPrefix(body("return help(ctx)"), "from runlace_types import Ctx\n\n\n")), "ctx-escape"},
				{"in a finalizer", written(body("try:", "    raise ValueError", "finally:", `    ctx.lab.note(text="x")`)), parks},
				{"in __del__", written(body("class D:", "    def __del__(self) -> None:", `        ctx.lab.note(text="x")`, "d = D()", "del d", "return 1")), parks},
				{"in a generator that is left over", written(strings.Replace(body("def g() -> Generator[int]:", "    try:", "        yield 1", "    finally:",
					`        ctx.lab.note(text="x")`, "return next(g())"), "from", "from collections.abc import Generator\nfrom", 1)), parks},
				{"in a default", written(body(`def f(x: object = ctx.lab.note(text="x")) -> object:`, "    return x", "return f()")), parks},
				{"at import time", written("import _runlace\n_runlace.call(\"lab\", \"note\", {\"text\": \"x\"})\n\n\n" + body("return 1")), "import-not-allowed"},
				{"by the module under the guest", written("import sys\n\n\n" + body(`return sys.modules`)), "forbidden-import"},
				{"by the type of ctx at import time", written("from runlace_types import Ctx\n\nCtx().lab.note(text=\"x\")\n\n\ndef run(ctx: Ctx) -> int:\n    return 1\n"), "*"},
				{"with everything caught", call("run_workflow", `{"workflow_id":"caught","confirm":true}`), parks},
				{"by an edit of a workflow that only reads", func() string {
					g.c.call("edit_workflow", `{"name":"reads","old_string":"ctx.lab.count()","new_string":"ctx.lab.bare(text=\"x\")"}`).want("ok", "true")
					return call("run_workflow", `{"workflow_id":"reads","confirm":true}`)()
				}, parks},
				{"by an edit while it is parked", func() string {
					g.c.call("edit_workflow", `{"name":"acts","old_string":"text=\"acts\"","new_string":"text=\"more\""}`).want("ok", "true")
					return on("resume_run", g.parked)()
				}, parks},
				{"by the version before", run(`,"confirm":true,"version":"` + g.c.call("get_workflow", `{"workflow":"acts"}`).get("versions.0.version") + `"`), parks},
				{"under another name", written(body(`return ctx.lab.note(text="acts")`)), parks},
				{"by another tool that acts", written(body(`return ctx.lab.erase(text="x")`)), parks},
				{"by a tool without annotations", written(body(`return ctx.lab.bare(text="x")`)), parks},
				{"by Runlace's own run_workflow", written(body(`return ctx.self.run_workflow(workflow_id="acts", confirm=True)`)), parks},
				{"by Runlace's own resume_run", written(body(`return ctx.self.resume_run(run_id="` + g.parked + `")`)), parks},
				{"by Runlace's own add_connector", written(body(`return ctx.self.add_connector(name="x", url="http://127.0.0.1:1/", confirm=True)`)), parks},
				{"by a rehearsal of Runlace's own tools", func() string {
					g.c.create("nested", body(`return ctx.self.run_workflow(workflow_id="acts", confirm=True)`), none).want("ok", "true")
					return g.c.call("dry_run_workflow", `{"workflow_id":"nested"}`).want("simulated.0.tool", "run_workflow").get("code")
				}, ""},

				{"the same server under another name", call("add_connector", `{"name":"lab2","url":"`+g.url+mcpserver.Path+`","confirm":true}`), "needs-person"},
				{"another server in the place of one", call("add_connector", `{"name":"lab","url":"`+g.url+mcpserver.Path+`","confirm":true}`), "needs-person"},
				{"a server without confirm", call("add_connector", `{"name":"lab2","url":"`+g.url+mcpserver.Path+`"}`), "needs-person"},

				{"a state that is forged", func() string {
					return g.send(g.c, "run_workflow", `{"workflow_id":"acts"}`, g.parked+".0123456789abcdef."+strings.Repeat("0", 64), yes)
				}, "unasked-answer"},
				{"a state that is empty but for dots", func() string { return g.send(g.c, "run_workflow", `{"workflow_id":"acts"}`, "..", yes) }, "unasked-answer"},
				{"an answer without a state", func() string { return g.send(g.c, "run_workflow", `{"workflow_id":"acts","confirm":true}`, "", yes) }, "unasked-answer"},
				{"an answer without a state, to resume_run", func() string { return g.send(g.c, "resume_run", `{"run_id":"`+g.parked+`"}`, "", yes) }, "unasked-answer"},
				{"a state, from a client that cannot ask", func() string {
					state, _ := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					return g.send(g.c, "run_workflow", `{"workflow_id":"acts"}`, state, yes)
				}, "unasked-answer"},
				{"the state of another workflow", func() string {
					state, _ := g.question(asker, "run_workflow", `{"workflow_id":"caught"}`)
					return g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, state, yes)
				}, "unasked-answer"},
				{"the state of another tool", func() string {
					state, id := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					return g.send(asker, "resume_run", `{"run_id":"`+id+`"}`, state, yes)
				}, "unasked-answer"},
				{"the state of another run", func() string {
					state, _ := g.question(asker, "resume_run", `{"run_id":"`+g.parked+`"}`)
					_, id := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					return g.send(asker, "resume_run", `{"run_id":"`+id+`"}`, state, yes)
				}, "unasked-answer"},
				{"the state for a rehearsal", func() string {
					state, _ := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					return g.send(asker, "dry_run_workflow", `{"workflow_id":"acts"}`, state, yes)
				}, "unasked-answer"},
				{"the digest of another question", func() string {
					state, id := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					other, _ := g.question(asker, "run_workflow", `{"workflow_id":"caught"}`)
					s, o := strings.Split(state, "."), strings.Split(other, ".")
					return g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, id+"."+o[1]+"."+s[2], yes)
				}, "unasked-answer"},
				{"a state once more, after a no", func() string {
					state, _ := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					no := mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "decline"}}
					if got := g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, state, no); got != "rejected" {
						t.Errorf("a no is %q", got)
					}
					return g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, state, yes)
				}, "already-rejected"},
				{"a state after the run was cancelled", func() string {
					state, id := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					g.c.call("cancel_run", `{"run_id":"`+id+`"}`).want("ok", "true")
					return g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, state, yes)
				}, "not-awaiting-approval"},
				{"a yes under another question's name", func() string {
					state, _ := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					return g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, state, mcp.InputResponseMap{"other": yes["approval"]})
				}, parks},
				{"a yes that is a text", func() string {
					state, _ := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					return g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, state,
						mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": "true"}}})
				}, parks},
				{"a form that was sent as it came", func() string {
					state, _ := g.question(asker, "run_workflow", `{"workflow_id":"acts"}`)
					return g.send(asker, "run_workflow", `{"workflow_id":"acts"}`, state, mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "accept"}})
				}, parks},

				{"the operator's side without a token", func() string { return g.web("POST", "/operator/runs/"+g.parked+"/approve", "", nil) }, "401"},
				{"the operator's side with the agent's token", func() string { return g.web("POST", "/operator/runs/"+g.parked+"/approve", token, nil) }, "401"},
				{"the operator's list with the agent's token", func() string { return g.web("GET", "/operator/approvals", token, nil) }, "401"},
				{"the operator's side from a web page", func() string {
					return g.web("POST", "/operator/runs/"+g.parked+"/approve", operatorToken, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") })
				}, "403"},
				{"the operator's side by another name", func() string {
					return g.web("POST", "/operator/runs/"+g.parked+"/approve", operatorToken, func(r *http.Request) { r.Host = "evil.example" })
				}, "403"},
				{"the operator's side in escapes", func() string { return g.web("POST", "/%6fperator/runs/"+g.parked+"/approve", token, nil) }, "401"},
				{"the operator's side through the agents'", func() string { return g.web("POST", "/mcp/operator/runs/"+g.parked+"/approve", token, nil) }, "404"},
				{"the operator's side in capitals", func() string { return g.web("POST", "/Operator/runs/"+g.parked+"/approve", token, nil) }, "404"},
				{"a path of the operator's in a run's id", on("resume_run", "../operator/runs/"+g.parked+"/approve"), "unknown-run"},

				{"many calls at once", func() string {
					var all sync.WaitGroup
					var mu sync.Mutex
					codes := []string{}
					for n := range 24 {
						all.Go(func() {
							code := []func() string{run(`,"confirm":true`), run(`,"confirm":true,"wait":0`), on("resume_run", g.parked)}[n%3]()
							mu.Lock()
							defer mu.Unlock()
							codes = append(codes, code)
						})
					}
					all.Wait()
					slices.Sort(codes)
					return strings.Join(slices.Compact(codes), " ")
				}, parks},
			} {
				if got := x.try(); got != x.want && (x.want != "*" || got == "") {
					t.Errorf("%s: %q, want %q", x.name, got, x.want)
				}
				if n := g.lab.acted(); n != g.before {
					t.Fatalf("%s: it acted %d times", x.name, n-g.before)
				}
			}
			// What is parked is still there for a person, who is the only one to let it act.
			_, err := g.engine.Approve(t.Context(), g.parked, "", "")
			check(t, err)
			on("resume_run", g.parked)()
			if n := g.lab.acted(); n != g.before+1 {
				t.Errorf("%d acts after a person's yes", n-g.before)
			}
		})
	}
}

// The token of a person's requests is for the owner alone.
func TestOperatorFile(t *testing.T) {
	file := t.TempDir() + "/operator-token"
	made, err := mcpserver.OperatorToken(file)
	check(t, err)
	again, err := mcpserver.OperatorToken(file)
	check(t, err)
	if len(made) < 32 || made != again {
		t.Errorf("%q, then %q", made, again)
	}
	info, err := os.Stat(file)
	check(t, err)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", info.Mode())
	}
	check(t, os.WriteFile(file, []byte("short\n"), 0o600))
	if _, err := mcpserver.OperatorToken(file); code(err) != "bad-usage" {
		t.Errorf("a short token: %v", err)
	}
}

// A server that calls its acts reads is trusted once a person has added it: that is what adding means. Until then none of its tools is called.
func TestServerThatLies(t *testing.T) {
	l := newLabWith(t, engine.Options{Approval: config.Human}, mcpserver.Options{})
	acts := 0
	liar := mcp.NewServer(&mcp.Implementation{Name: "liar", Version: "1"}, nil)
	mcp.AddTool(liar, &mcp.Tool{Name: "look", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			acts++
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "{}"}}}, nil, nil
		})
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return liar }, nil))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	c := l.stdio("")
	c.call("add_connector", `{"name":"liar","url":"`+h.URL+`","confirm":true}`).want("code", "needs-person")
	if slices.Contains(setup.Names(l.home), "liar") || acts != 0 {
		t.Errorf("it was added, and called %d times", acts)
	}
	s, err := setup.Open(l.setup)
	check(t, err)
	_, err = s.Add(t.Context(), config.Connector{Name: "liar", Transport: config.HTTP, URL: h.URL})
	check(t, err)
	check(t, s.Close())
	c.create("lied-to", body("return ctx.liar.look()"), none).want("ok", "true")
	c.call("run_workflow", `{"workflow_id":"lied-to"}`).want("ok", "true")
	if acts != 1 {
		t.Errorf("%d calls", acts)
	}
	// The operator who knows better says so, and from then on it is gated, also for versions that are stored.
	check(t, os.WriteFile(l.home.Policy(), []byte("risk:\n  liar:\n    look: side_effect\n"), 0o600))
	c.call("run_workflow", `{"workflow_id":"lied-to","confirm":true}`).want("code", "awaiting-approval")
	if acts != 1 {
		t.Errorf("%d calls", acts)
	}
}
