package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/mcpserver"
)

// drain is the process that drains the queue of a home.
func drain(t testing.TB, e *engine.Engine) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	held, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- e.Drain(ctx, engine.DrainOptions{What: "a test", Poll: 20 * time.Millisecond, Held: func() { close(held) }, Report: func(err error) { t.Error(err) }})
	}()
	<-held
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// served are the two ways in which a run is executed.
func servedBoth(t *testing.T, do func(t *testing.T, l *lab, executed string)) {
	t.Helper()
	for _, executed := range []string{engine.Inline, engine.Queued} {
		t.Run(executed, func(t *testing.T) {
			l := newLabWith(t, engine.Options{}, mcpserver.Options{Queue: executed == engine.Queued})
			if executed == engine.Queued {
				drain(t, l.engine)
			}
			do(t, l, executed)
		})
	}
}

// finished asks for a run until it is.
func (c *client) finished(id string) answer {
	c.t.Helper()
	var a answer
	until(c.t, func() bool {
		a = c.call("get_run", `{"run_id":"`+id+`"}`)
		return a.get("finished") == "true"
	})
	return a
}

const threeSteps = `a = ctx.lab.add(a=1, b=2)["sum"]
    print("so far", a)
    ctx.lab.note(text=f"it is {a}")
    try:
        ctx.lab.fail(message="no", data={})
    except Exception as e:
        print(e)
    return {"a": a}`

// A caller waits for as long as it says, and gets the same object whoever executes the run.
func TestWait(t *testing.T) {
	results := map[string]map[string]any{}
	servedBoth(t, func(t *testing.T, l *lab, executed string) {
		c := l.stdio("")
		c.create("three", body(threeSteps), none).want("ok", "true")
		c.create("waits", body("ctx.lab.slow(ms=1500)", "return 1"), none).want("ok", "true")

		whole := c.call("run_workflow", `{"workflow_id":"three","confirm":true}`).want("ok", "true", "finished", "true", "executed", executed, "output", `{"a":3}`)
		at := c.call("run_workflow", `{"workflow_id":"three","confirm":true,"wait":60}`).want("ok", "true", "finished", "true", "executed", executed)
		later := c.call("run_workflow", `{"workflow_id":"three","confirm":true,"wait":0}`).want("executed", executed)
		end := c.finished(later.get("run_id")).want("status", "completed", "output", `{"a":3}`)
		results[executed+" whole"], results[executed+" waited"], results[executed+" later"] = plain(t, whole), plain(t, at), plain(t, end)

		c.call("run_workflow", `{"workflow_id":"waits","wait":0}`).want("finished", "false", "error", "", "output", "null")
		part := c.call("run_workflow", `{"workflow_id":"waits","wait":0.2}`).want("finished", "false", "executed", executed)
		if part.isError {
			t.Error("a run that is under way is no error")
		}
		c.finished(part.get("run_id")).want("status", "completed", "output", "1")
		c.call("run_workflow", `{"workflow_id":"waits"}`).want("finished", "true", "output", "1")
		c.call("dry_run_workflow", `{"workflow_id":"three","wait":30}`).want("finished", "true", "dry_run", "true", "simulated.0.tool", "note")
	})
	for name, got := range results {
		if want := results[engine.Inline+" whole"]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s differs:\n%v\nfrom\n%v", name, got, want)
		}
	}
}

// plain is a run without what is different in every run. Fuel is the same only for the same seed, clock and durations.
func plain(t testing.TB, a answer) map[string]any {
	t.Helper()
	var run map[string]any
	check(t, json.Unmarshal(a.raw, &run))
	for _, k := range []string{"run_id", "workflow_id", "seed", "started_at", "duration_ms", "executed", "fuel"} {
		delete(run, k)
	}
	steps, _ := run["steps"].([]any)
	if len(steps) != 3 {
		t.Errorf("%d steps: %s", len(steps), a.raw)
	}
	for _, s := range steps {
		step, _ := s.(map[string]any)
		delete(step, "step_id")
		delete(step, "duration_ms")
	}
	return run
}

// Cancelling ends a run wherever it stands, and gives its connector back: the server hears of it, and the next run works.
func TestCancelRun(t *testing.T) {
	servedBoth(t, func(t *testing.T, l *lab, executed string) {
		c := l.stdio("")
		c.create("hangs", body("return ctx.lab.hang()"), none).want("ok", "true")
		c.create("cancelled", body("return ctx.lab.cancelled()"), none).want("ok", "true")
		c.create("acts", body(`return ctx.lab.note(text="x")`), none).want("ok", "true")
		c.create("in-doubt", body(`return ctx.lab.act_slow(ms=60000)`), none).want("ok", "true")

		id := c.call("run_workflow", `{"workflow_id":"hangs","wait":0}`).get("run_id")
		until(t, func() bool { return c.call("get_run", `{"run_id":"`+id+`"}`).get("steps.0.state") == "intent" })
		start := time.Now()
		c.call("cancel_run", `{"run_id":"`+id+`","reason":"enough"}`).want("ok", "true", "status", "cancelled", "finished", "true")
		t.Logf("cancelled a running run in %v", time.Since(start))
		c.call("run_workflow", `{"workflow_id":"cancelled","wait":20}`).want("ok", "true")
		if heard := c.call("run_workflow", `{"workflow_id":"cancelled"}`).get("output"); !strings.Contains(heard, "[") || strings.Contains(heard, "[]") {
			t.Errorf("the server has not heard of it: %s", heard)
		}
		c.call("cancel_run", `{"run_id":"`+id+`"}`).want("code", "already-over")
		c.call("resume_run", `{"run_id":"`+id+`"}`).want("code", "not-resumable")

		// An act that was cut off is in doubt, and cancelling does not make it undone.
		id = c.call("run_workflow", `{"workflow_id":"in-doubt","confirm":true,"wait":0}`).get("run_id")
		until(t, func() bool { return l.acted() == 1 })
		c.call("cancel_run", `{"run_id":"`+id+`"}`).want("code", "in-doubt", "status", "in_doubt", "finished", "true")
		c.call("resume_run", `{"run_id":"`+id+`"}`).want("code", "in-doubt")
		if l.acted() != 1 {
			t.Errorf("%d acts", l.acted())
		}

		check(t, os.WriteFile(l.home.Policy(), []byte("approval:\n  lab: human\n"), 0o600))
		id = c.call("run_workflow", `{"workflow_id":"acts"}`).want("code", "awaiting-approval").get("run_id")
		c.call("cancel_run", `{"run_id":"`+id+`"}`).want("ok", "true", "status", "cancelled", "approval.state", "withdrawn")
	})
	t.Run("in the queue", func(t *testing.T) {
		l := newLabWith(t, engine.Options{}, mcpserver.Options{Queue: true}) // which nobody drains
		c := l.stdio("")
		c.create("plain", body("return 1"), none).want("ok", "true")
		id := c.call("run_workflow", `{"workflow_id":"plain","wait":0}`).want("status", "queued", "executed", "queued").get("run_id")
		c.call("cancel_run", `{"run_id":"`+id+`"}`).want("ok", "true", "status", "cancelled")
		drain(t, l.engine)
		c.call("run_workflow", `{"workflow_id":"plain"}`).want("ok", "true")
		c.call("get_run", `{"run_id":"`+id+`"}`).want("status", "cancelled", "output", "null")
	})
}

// A run in the background of a server on stdio ends with it, interrupted, and goes on in the next one.
func TestBackground(t *testing.T) {
	l := newLab(t)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- l.server.Stdio(context.Background(), in, out) }()
	c := l.connect(&mcp.IOTransport{Reader: fromServer, Writer: toServer}, "")
	c.create("acts", body(`ctx.lab.note(text="once")`, "ctx.lab.slow(ms=2000)", `ctx.lab.note(text="twice")`, "return 2"), none).want("ok", "true")
	id := c.call("run_workflow", `{"workflow_id":"acts","confirm":true,"wait":0}`).get("run_id")
	until(t, func() bool { return c.call("get_run", `{"run_id":"`+id+`"}`).get("steps.1.tool") == "slow" })
	check(t, toServer.Close())
	t.Cleanup(func() { _ = out.Close() })
	check(t, <-ended)

	l.server = mcpserver.New(l.engine, mcpserver.Options{})
	next := l.stdio("")
	next.call("get_run", `{"run_id":"`+id+`"}`).want("status", "interrupted", "code", "interrupted", "finished", "true")
	next.call("list_runs", `{"status":["interrupted"]}`).want("runs.0.run_id", id)
	next.call("resume_run", `{"run_id":"`+id+`"}`).want("ok", "true", "output", "2", "executed", "inline")
	if l.acted() != 2 {
		t.Errorf("%d acts", l.acted())
	}
}

// Where another process of the home drains the queue, a run that this one has put there may be executed by either, once.
func TestBothTakeIt(t *testing.T) {
	l := newLab(t)
	other, err := engine.Open(t.Context(), engine.Options{Home: l.home, Env: home.NewEnv(os.Environ()), CacheDir: os.Getenv("RUNLACE_CACHE")})
	check(t, err)
	t.Cleanup(func() { _ = other.Close() })
	drain(t, other)
	c := l.stdio("")
	c.create("acts", body(`return ctx.lab.note(text=str(ctx.inputs["n"]))["noted"]`), `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`).want("ok", "true")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			c.call("run_workflow", fmt.Sprintf(`{"workflow_id":"acts","inputs":{"n":%d},"confirm":true,"wait":60}`, n)).want("ok", "true", "output", fmt.Sprint(n))
		})
	}
	all.Wait()
	if l.acted() != 20 {
		t.Errorf("%d acts", l.acted())
	}
}

// Forty calls at once, each with its own answer.
func TestFortyAtOnce(t *testing.T) {
	servedBoth(t, func(t *testing.T, l *lab, executed string) {
		c := l.http("")
		c.create("plain", body(`return ctx.lab.add(a=ctx.inputs["n"], b=1)["sum"]`), `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`).want("ok", "true")
		var all sync.WaitGroup
		for n := range 40 {
			all.Go(func() {
				c.call("run_workflow", fmt.Sprintf(`{"workflow_id":"plain","inputs":{"n":%d}}`, n)).want("output", fmt.Sprint(n+1), "executed", executed)
			})
		}
		all.Wait()
	})
}

func TestListRuns(t *testing.T) {
	l := newLab(t)
	c := l.stdio("")
	c.create("plain", body("return 1"), none).want("ok", "true")
	c.create("fails", body("raise ValueError('x')"), none).want("ok", "true")
	var ids []string
	for _, name := range []string{"plain", "fails", "plain"} {
		ids = append(ids, c.call("run_workflow", `{"workflow_id":"`+name+`"}`).get("run_id"))
	}
	for _, x := range []struct {
		filter string
		want   []int
	}{
		{`{}`, []int{2, 1, 0}},
		{`{"limit":2}`, []int{2, 1}},
		{`{"workflow":"plain"}`, []int{2, 0}},
		{`{"status":["failed"]}`, []int{1}},
		{`{"status":["failed","completed"],"limit":1}`, []int{2}},
		{`{"status":["in_doubt"]}`, nil},
		{`{"before":"` + ids[1] + `"}`, []int{0}},
	} {
		a := c.call("list_runs", x.filter)
		var list struct {
			Runs []struct {
				RunID string `json:"run_id"`
			}
		}
		check(t, json.Unmarshal(a.raw, &list))
		var got, want []string
		for _, r := range list.Runs {
			got = append(got, r.RunID)
		}
		for _, i := range x.want {
			want = append(want, ids[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", x.filter, got, want)
		}
	}
	c.call("list_runs", `{"status":["failed"]}`).want("runs.0.code", "workflow-failed", "runs.0.name", "fails")
}

func TestReplayRun(t *testing.T) {
	l := newLab(t)
	c := l.stdio("")
	c.create("three", body(threeSteps), none).want("ok", "true")
	id := c.call("run_workflow", `{"workflow_id":"three","confirm":true}`).want("ok", "true").get("run_id")
	c.call("replay_run", `{"run_id":"`+id+`"}`).want("ok", "true", "identical", "true", "complete", "true", "steps", "3", "fuel_compared", "true")
	if l.acted() != 1 {
		t.Errorf("%d acts", l.acted())
	}
}

// An answer that is too large for an agent is cut, and says how to get the rest.
func TestLargeAnswers(t *testing.T) {
	l := newLab(t)
	c := l.stdio("")
	for name, x := range map[string]struct {
		code, inputs string
		more         []string
		kept         func(a answer) bool
	}{
		"whole": {"return ['x' * 100] * 500", `{}`, nil, func(a answer) bool { return strings.Count(a.get("output"), "x") == 50_000 }},
		"list": {"return [{'id': i, 'text': 'x' * 1000} for i in range(500)]", `{}`, []string{"output: kept 2 of 500 items", "output[0].text: kept 300 of 1000 characters"},
			func(a answer) bool { return a.get("output.1.id") == "1" }},
		"text":   {"return 'x' * 1_000_000", `{}`, []string{"output: kept 300 of 1000000 characters"}, func(a answer) bool { return len(a.get("output")) == 300 }},
		"keys":   {"return {str(i): i for i in range(50_000)}", `{}`, []string{"output: left out, since it has"}, func(a answer) bool { return a.get("output") == "null" }},
		"log":    {"print('y' * 500_000)\n    print('the end')\n    return 1", `{}`, []string{"log: kept the last 10000 of 500009 characters"}, func(a answer) bool { return strings.HasSuffix(a.get("log"), "the end\n") }},
		"inputs": {"return 1", `{"big":"` + strings.Repeat("z", 900_000) + `"}`, []string{"inputs: cut, since they have 900010 bytes"}, func(a answer) bool { return len(a.get("inputs.big")) == 300 }},
		"steps": {"for i in range(1000):\n        ctx.lab.add(a=i, b=1)\n    return 1", `{}`, []string{"steps: kept the first and the last 100 of 1000"},
			func(a answer) bool { return a.get("steps.99.seq") == "100" && a.get("steps.100.seq") == "901" }},
	} {
		c.create("large-"+name, body(x.code), `{"type":"object"}`).want("ok", "true")
		run := c.call("run_workflow", `{"workflow_id":"large-`+name+`","inputs":`+x.inputs+`}`).want("ok", "true")
		for _, a := range []answer{run, c.call("get_run", `{"run_id":"`+run.get("run_id")+`"}`)} {
			if len(a.raw) > 80_000 || !x.kept(a) {
				t.Errorf("%s: %d bytes: %.300s", name, len(a.raw), a.raw)
			}
			said := a.get("output_trimmed")
			for _, m := range x.more {
				if !strings.Contains(said, m) {
					t.Errorf("%s does not say %q: %.600s", name, m, said)
				}
			}
			if (len(x.more) > 0) != strings.Contains(said, "all of it: runlace runs show "+run.get("run_id")+" --json") {
				t.Errorf("%s: %s", name, said)
			}
		}
	}
}

// What a person may do over HTTP: each route, each refusal with its code and status.
func TestOperator(t *testing.T) {
	l := newLabWith(t, engine.Options{Approval: config.Human}, mcpserver.Options{})
	c := l.stdio("")
	c.create("acts", body(`return ctx.lab.note(text="x")["noted"]`), none).want("ok", "true")
	handler := l.server.Handler(mcpserver.Access{Operator: operatorToken})
	send := func(method, path, text string) (int, answer) {
		r := httptest.NewRequest(method, mcpserver.OperatorPath+path, strings.NewReader(text))
		r.Host = "localhost"
		r.Header.Set("Authorization", "Bearer "+operatorToken)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if !json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %s", method, path, w.Body)
		}
		return w.Code, answer{t: t, raw: w.Body.Bytes()}
	}
	park := func() string {
		return c.call("run_workflow", `{"workflow_id":"acts"}`).want("code", "awaiting-approval").get("run_id")
	}
	yes, no, over, stale := park(), park(), park(), park()
	status, list := send("GET", "approvals", "")
	list.want("ok", "true", "approvals.0.run_id", yes, "approvals.3.run_id", stale, "approvals.0.side_effects.0.tool", "note", "approvals.0.inputs", "{}")
	if status != http.StatusOK {
		t.Error(status)
	}
	digest := list.get("approvals.0.digest")
	for _, x := range []struct {
		method, path, text string
		status             int
		want               []string
	}{
		{"GET", "runs/" + yes, "", 200, []string{"status", "awaiting_approval", "approval.digest", digest, "finished", "false"}},
		{"GET", "runs/run_0", "", 404, []string{"code", "unknown-run"}},
		{"POST", "runs/run_0/approve", "", 404, []string{"code", "unknown-run"}},
		{"POST", "runs/" + yes + "/approve", `{"note":"I have not looked"}`, 400, []string{"code", "bad-input"}},
		{"POST", "runs/" + yes + "/approve", "yes", 400, []string{"code", "bad-input"}},
		{"POST", "runs/" + yes + "/approve", "[]", 400, []string{"code", "bad-input"}},
		{"POST", "runs/" + yes + "/approve", "{} {}", 400, []string{"code", "bad-input"}},
		{"POST", "runs/" + yes + "/approve", `{"digset":"` + digest + `"}`, 400, []string{"code", "bad-input"}},
		{"POST", "runs/" + yes + "/approve", `{"note":"` + strings.Repeat("x", 70_000) + `"}`, 413, []string{"code", "bad-input"}},
		{"POST", "runs/" + yes + "/approve", `{"digest":"0123456789abcdef"}`, 409, []string{"code", "approval-stale"}},
		{"POST", "runs/" + yes + "/reject", `{"digest":"0123456789abcdef"}`, 409, []string{"code", "approval-stale"}},
		{"GET", "runs/" + yes + "/approve", "", 404, []string{"code", "bad-usage"}},
		{"POST", "approvals", "", 404, []string{"code", "bad-usage"}},
		{"DELETE", "runs/" + yes, "", 404, []string{"code", "bad-usage"}},
		{"GET", "", "", 404, []string{"code", "bad-usage"}},
		{"POST", "runs/" + yes + "/approve", `{"digest":"` + digest + `","note":"looks good"}`, 200, []string{"approval.state", "approved", "approval.note", "looks good"}},
		{"POST", "runs/" + yes + "/approve", `{"digest":"` + digest + `"}`, 409, []string{"code", "already-approved"}},
		{"POST", "runs/" + yes + "/reject", ``, 409, []string{"code", "already-approved"}},
		{"POST", "runs/" + no + "/reject", `{"reason":"not today"}`, 200, []string{"status", "rejected", "code", "rejected", "approval.state", "rejected"}},
		{"POST", "runs/" + no + "/approve", ``, 409, []string{"code", "already-rejected"}},
		{"POST", "runs/" + no + "/cancel", ``, 409, []string{"code", "already-over"}},
		{"POST", "runs/" + over + "/cancel", `{"reason":"enough"}`, 200, []string{"status", "cancelled", "error", "enough"}},
		{"POST", "runs/" + over + "/approve", ``, 409, []string{"code", "not-awaiting-approval"}},
	} {
		status, a := send(x.method, x.path, x.text)
		if a.want(x.want...); status != x.status {
			t.Errorf("%s %s %.80s: %d, want %d: %s", x.method, x.path, x.text, status, x.status, a.raw)
		}
		if a.get("code") != "" && (a.get("error") == "" || a.get("hint") == "") {
			t.Errorf("%s", a.raw)
		}
	}
	// What was approved is taken up without anybody's further doing, once.
	c.finished(yes).want("status", "completed", "output", "x")
	if l.acted() != 1 {
		t.Errorf("%d acts", l.acted())
	}
	// Tools that have changed since end the run at the moment of the yes.
	check(t, os.WriteFile(l.home.Policy(), []byte("approval:\n  lab:\n    note: each\n"), 0o600))
	send("POST", "runs/"+stale+"/approve", `{"digest":"`+digest+`"}`)
	if l.acted() != 1 {
		t.Errorf("%d acts", l.acted())
	}
}

// An answer that comes too late says so, and the run has ended.
func TestOperatorLate(t *testing.T) {
	l := newLabWith(t, engine.Options{Approval: config.Human, ApprovalExpiry: time.Second}, mcpserver.Options{})
	c := l.stdio("")
	c.create("acts", body(`return ctx.lab.note(text="x")`), none).want("ok", "true")
	id := c.call("run_workflow", `{"workflow_id":"acts"}`).want("code", "awaiting-approval").get("run_id")
	until(t, func() bool {
		return l.engine.Settle() == nil && c.call("get_run", `{"run_id":"`+id+`"}`).get("status") == "expired"
	})
	r := httptest.NewRequest("POST", mcpserver.OperatorPath+"runs/"+id+"/approve", nil)
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer "+operatorToken)
	w := httptest.NewRecorder()
	l.server.Handler(mcpserver.Access{Operator: operatorToken}).ServeHTTP(w, r)
	if w.Code != 409 || !strings.Contains(w.Body.String(), `"code":"approval-expired"`) || l.acted() != 0 {
		t.Errorf("%d %s, %d acts", w.Code, w.Body, l.acted())
	}
	c.call("resume_run", `{"run_id":"`+id+`"}`).want("code", "not-resumable")
}
