package mcpserver_test

import (
	"context"
	"io"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/mcpserver"
	"github.com/runlace/runlace/internal/store"
)

// user sits in front of a client, and answers what is asked there.
type user struct {
	mu      sync.Mutex
	asked   []string // messages
	answers []*mcp.ElicitResult
	leave   chan struct{} // closed: the user goes home without having answered
}

var (
	accepts  = &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}
	disagree = &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": false}}
	declines = &mcp.ElicitResult{Action: "decline"}
	closes   = &mcp.ElicitResult{Action: "cancel"}
	empty    = &mcp.ElicitResult{Action: "accept"}
)

func (u *user) answer(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, r.Params.Message)
	if len(u.answers) == 0 {
		select { // at lunch
		case <-ctx.Done():
		case <-u.leave:
		}
		return nil, context.Canceled
	}
	next := u.answers[0]
	u.answers = u.answers[1:]
	return next, nil
}

func (u *user) questions() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.asked)
}

// Clients that can ask their users, by transport and revision.
var askingWays = []string{"stdio 2025-06-18", "stdio 2025-11-25", "stdio 2026-07-28", "http 2025-06-18", "http 2025-11-25", "http 2026-07-28"}

// asking connects a client that puts questions to this user.
func (l *lab) asking(way string, u *user) *client {
	l.t.Helper()
	transport, version, _ := strings.Cut(way, " ")
	can := func(o *mcp.ClientOptions) { o.ElicitationHandler = u.answer }
	if transport == "stdio" {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- l.server.Stdio(ctx, in, out) }()
		l.t.Cleanup(func() {
			cancel()
			<-ended
		})
		return l.connect(&mcp.IOTransport{Reader: fromServer, Writer: toServer}, version, can)
	}
	h := httptest.NewServer(l.server.Handler(mcpserver.Access{}))
	l.t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return l.connect(&mcp.StreamableClientTransport{Endpoint: h.URL + mcpserver.Path}, version, can)
}

// human is a lab in which every act needs a person, with a workflow that acts once.
func newHuman(t testing.TB, o mcpserver.Options) *lab {
	t.Helper()
	l := newLabWith(t, engine.Options{Approval: config.Human}, o)
	l.stdio("").create("acts", body(`return ctx.lab.note(text=str(ctx.inputs["who"]))["noted"]`),
		`{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}`).want("ok", "true")
	return l
}

const acts = `{"workflow_id":"acts","inputs":{"who":"Ada"}}`

// A client that can ask its user does, in the form of its revision. Only the word itself lets a run act.
func TestAsked(t *testing.T) {
	l, did := newHuman(t, mcpserver.Options{}), 0
	for _, x := range []struct {
		name   string
		says   *mcp.ElicitResult
		status string
		code   string
		acts   int
	}{
		{"yes", accepts, "completed", "", 1},
		{"no", declines, "rejected", "rejected", 0},
		{"yes to the form, no in it", disagree, "rejected", "rejected", 0},
		{"closed", closes, "awaiting_approval", "awaiting-approval", 0},
		{"sent as it came", empty, "awaiting_approval", "awaiting-approval", 0},
	} {
		for _, way := range askingWays {
			t.Run(x.name+" "+way, func(t *testing.T) {
				u := &user{answers: []*mcp.ElicitResult{x.says}}
				c := l.asking(way, u)
				a := c.call("run_workflow", acts).want("status", x.status, "code", x.code)
				did += x.acts
				if asked := u.questions(); len(asked) != 1 || l.acted() != did {
					t.Errorf("%d questions, %d acts instead of %d", len(asked), l.acted(), did)
				}
				switch x.status {
				case "completed":
					a.want("output", "Ada", "approval.state", "approved", "approval.note", "given in the client")
				case "awaiting_approval":
					// It is asked once more when the agent resumes it, and can be approved elsewhere at any time.
					u.mu.Lock()
					u.answers = append(u.answers, closes, accepts)
					u.mu.Unlock()
					c.call("resume_run", `{"run_id":"`+a.get("run_id")+`"}`).want("code", "awaiting-approval")
					c.call("resume_run", `{"run_id":"`+a.get("run_id")+`"}`).want("ok", "true", "output", "Ada")
					did++
				}
			})
		}
	}
}

// The question says all that a person needs: the tool, the inputs, the version, and what the rehearsal saw.
func TestCard(t *testing.T) {
	l := newHuman(t, mcpserver.Options{})
	u := &user{answers: []*mcp.ElicitResult{closes, closes, accepts}}
	c := l.asking("stdio 2025-11-25", u)
	c.call("run_workflow", acts)
	dry := c.call("dry_run_workflow", acts).want("ok", "true")
	run := c.call("run_workflow", `{"workflow_id":"acts","inputs":{"who":"Ada"},"confirm":true}`)
	asked := u.questions()
	if len(asked) != 2 || !strings.Contains(asked[0], "There was no dry run on these inputs.") {
		t.Fatalf("%q", asked)
	}
	for _, want := range []string{
		"The workflow acts (version " + dry.get("version") + ") wants to act:\n- lab.note -> ", `Inputs: {"who":"Ada"}`,
		"The dry run " + dry.get("run_id") + " on the same inputs would have made 1 of these calls:\n- lab.note {\"text\":\"Ada\"}", "Run " + run.get("run_id") + " waits until ",
	} {
		if !strings.Contains(asked[1], want) {
			t.Errorf("the question does not say %q:\n%s", want, asked[1])
		}
	}
	// What comes from an agent cannot add lines to it, nor turn them around.
	c.call("run_workflow", `{"workflow_id":"acts","inputs":{"who":"x\nRun 1 waits until never.\u202e`+strings.Repeat("y", 900)+`"}}`).want("ok", "true")
	last := u.questions()[2]
	if strings.Contains(last, "\nRun 1 waits") || strings.Contains(last, "\u202e") || !strings.Contains(last, "… (cut: it has 9") || len(last) > 2000 {
		t.Errorf("%q", last)
	}
}

// Where every call is to be approved, each has a question of its own with its exact arguments, and a no ends the run.
func TestAskedForEach(t *testing.T) {
	l := newLab(t)
	check(t, os.WriteFile(l.home.Policy(), []byte("approval:\n  lab:\n    note: each\n"), 0o600))
	for _, way := range askingWays {
		t.Run(way, func(t *testing.T) {
			before := l.acted()
			u := &user{answers: []*mcp.ElicitResult{accepts, accepts, accepts, accepts, declines}}
			c := l.asking(way, u)
			c.create("three", body("for i in range(3):", "    try:", `        ctx.lab.note(text=f"number {i}")`, "    except BaseException:", "        pass", "return 3"), none).want("ok", "true")
			c.call("run_workflow", `{"workflow_id":"three"}`).want("ok", "true", "output", "3")
			asked := u.questions()
			if len(asked) != 3 || l.acted() != before+3 || !strings.Contains(asked[2], `wants to act in step 3`) || !strings.Contains(asked[2], `with exactly these arguments: {"text":"number 2"}`) {
				t.Fatalf("%d acts, %q", l.acted(), asked)
			}
			c.call("run_workflow", `{"workflow_id":"three"}`).want("code", "rejected", "status", "rejected")
			if l.acted() != before+4 || len(u.questions()) != 5 {
				t.Errorf("%d acts, %d questions", l.acted(), len(u.questions()))
			}
		})
	}
}

// A client that hangs up while its user is asked leaves the run parked, for a person to approve later.
func TestHangsUp(t *testing.T) {
	l := newHuman(t, mcpserver.Options{})
	for _, way := range askingWays {
		t.Run(way, func(t *testing.T) {
			before := l.acted()
			u := &user{leave: make(chan struct{})}
			c := l.asking(way, u)
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan struct{})
			go func() {
				defer close(over)
				if a, err := c.try(ctx, "run_workflow", acts); err == nil {
					t.Errorf("it was answered: %s", a.raw)
				}
			}()
			until(t, func() bool {
				list, err := l.engine.Approvals("")
				return err == nil && len(list) == 1
			})
			time.Sleep(100 * time.Millisecond)
			cancel()
			<-over
			close(u.leave)
			list, err := l.engine.Approvals("")
			check(t, err)
			if len(list) != 1 || l.acted() != before {
				t.Fatalf("%+v, %d acts", list, l.acted())
			}
			_, err = l.engine.Approve(t.Context(), list[0].Run, list[0].Digest, "")
			check(t, err)
			l.stdio("").call("resume_run", `{"run_id":"`+list[0].Run+`"}`).want("ok", "true", "output", "Ada")
		})
	}
}

// Where nobody sits in front of the clients, nobody is asked there; nor by a call that does not want to wait.
func TestNeverAsked(t *testing.T) {
	l := newHuman(t, mcpserver.Options{Unattended: true})
	for _, way := range askingWays {
		u := &user{answers: []*mcp.ElicitResult{accepts}}
		l.asking(way, u).call("run_workflow", acts).want("code", "awaiting-approval")
		if len(u.questions()) != 0 {
			t.Errorf("%s: a user was asked", way)
		}
	}
	l = newHuman(t, mcpserver.Options{})
	u := &user{answers: []*mcp.ElicitResult{accepts}}
	l.asking("stdio 2025-11-25", u).call("run_workflow", `{"workflow_id":"acts","inputs":{"who":"Ada"},"wait":0}`).want("code", "awaiting-approval")
	if len(u.questions()) != 0 || l.acted() != 0 {
		t.Error("a user was asked by a call that does not wait")
	}
}

// The answer to a question that was settled elsewhere meanwhile says so; one to what is not asked any more is put again.
func TestOvertaken(t *testing.T) {
	l := newHuman(t, mcpserver.Options{})
	g := &gated{lab: l}
	h := httptest.NewServer(l.server.Handler(mcpserver.Access{}))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	g.url = h.URL
	c := g.manual()
	state, id := g.question(c, "run_workflow", acts)
	_, err := l.engine.Approve(t.Context(), id, "", "elsewhere")
	check(t, err)
	if got := g.send(c, "run_workflow", acts, state, yes); got != "already-approved" || l.acted() != 0 {
		t.Errorf("%q, %d acts", got, l.acted())
	}
	state, id = g.question(c, "run_workflow", acts)
	if got := g.send(c, "run_workflow", acts, state, yes); got != "" || l.acted() != 1 {
		t.Errorf("%q, %d acts", got, l.acted())
	}
	if got := g.send(c, "run_workflow", acts, state, yes); got != "already-approved" || l.acted() != 1 {
		t.Errorf("twice: %q, %d acts", got, l.acted())
	}
	if r, err := l.engine.GetRun(id); err != nil || r.Status != store.Completed {
		t.Errorf("%+v %v", r, err)
	}
	state, _ = g.question(c, "run_workflow", acts)
	check(t, os.WriteFile(l.home.Policy(), []byte("risk:\n  lab:\n    note: side_effect\napproval:\n  lab:\n    note: each\n"), 0o600))
	if got := g.send(c, "run_workflow", acts, state, yes); got != "asked" || l.acted() != 1 {
		t.Errorf("the policy wants more by now: %q, %d acts", got, l.acted())
	}
}

// until waits for something that happens elsewhere.
func until(t testing.TB, done func() bool) {
	t.Helper()
	for start := time.Now(); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Fatal("it does not happen")
		}
	}
}
