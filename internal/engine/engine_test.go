package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

func TestMain(m *testing.M) { connectortest.Main(m) }

// lab is a home with one connector, called lab, that is the fixture.
type lab struct {
	*engine.Engine
	t    testing.TB
	home home.Home
	acts string // the file in which the fixture counts acts
}

func newLab(t testing.TB, approval string, flags ...string) *lab {
	t.Helper()
	return newLabWith(t, approval, func(*config.Connector) {}, flags...)
}

// newLabWith changes the connector's settings first.
func newLabWith(t testing.TB, approval string, change func(*config.Connector), flags ...string) *lab {
	t.Helper()
	t.Setenv(pyright.Variable, filepath.Join(connectortest.Modules(t), ".bin", "pyright"))
	dir := t.TempDir()
	h, err := home.Open(filepath.Join(dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, home: h, acts: filepath.Join(dir, "acts")}
	c := connectortest.Fixture(t, append([]string{"-acts", l.acts}, flags...)...)
	c.Name = "lab"
	change(&c)
	f := config.New()
	f.Set(c)
	if err := f.Save(h.Config()); err != nil {
		t.Fatal(err)
	}
	l.Engine, err = engine.Open(context.Background(), engine.Options{Home: h, Env: home.NewEnv(os.Environ()), CacheDir: os.Getenv("RUNLACE_CACHE"), Approval: approval})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	l.discover()
	return l
}

// discover asks the fixture for its tools.
func (l *lab) discover() { l.t.Helper(); l.discoverAll(1) }

// discoverAll asks all connectors, of which so many have to answer.
func (l *lab) discoverAll(connected int) {
	l.t.Helper()
	f, problems, err := config.Load(l.home.Config())
	if err != nil {
		l.t.Fatal(err)
	}
	r, err := discovery.Run(context.Background(), discovery.Options{
		Home: l.home, Env: home.NewEnv(os.Environ()), Config: f, Problems: problems, Policy: policy.Load(l.home.Policy()), Store: l.Store(), Secrets: func(...string) {},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	if r.Connected != connected {
		l.t.Fatalf("the fixture is not connected: %+v", r.Servers)
	}
}

func (l *lab) create(name, code string) *engine.Created {
	l.t.Helper()
	c, err := l.Create(context.Background(), engine.Workflow{
		Name: name, Code: code,
		Inputs:  json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":0,"default":1},"who":{"type":"string"}},"additionalProperties":false}`),
		Outputs: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":1000}},"required":["n"]}`),
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// must creates a workflow that has to pass.
func (l *lab) must(name, code string) {
	l.t.Helper()
	if c := l.create(name, code); !c.OK {
		l.t.Fatalf("%s does not compile: %+v", name, c.Errors)
	}
}

func (l *lab) run(r engine.Request) *engine.Run {
	l.t.Helper()
	run, err := l.Run(context.Background(), r)
	if err != nil {
		l.t.Fatal(err)
	}
	return run
}

// acted is how many acts have arrived at the fixture.
func (l *lab) acted() int {
	b, err := os.ReadFile(l.acts)
	if err != nil && !os.IsNotExist(err) {
		l.t.Fatal(err)
	}
	return bytes.Count(b, []byte("\n"))
}

const acting = `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    total = 0
    for i in range(ctx.inputs.get("n", 0)):
        total = ctx.lab.add(a=total, b=i)["sum"]
        ctx.lab.note(text=f"number {i}")
    return {"n": total}
`

// A dry run of a workflow that acts in a loop sends its reads, and not one act.
func TestDryRunSendsNoAct(t *testing.T) {
	l := newLab(t, "")
	l.must("acting", acting)
	r := l.run(engine.Request{Workflow: "acting", Mode: store.Dry, Inputs: json.RawMessage(`{"n": 5}`), Confirm: true})
	if !r.OK || string(r.Output) != `{"n":10}` {
		t.Fatalf("run: %s %s, output %s", r.Code, r.Error, r.Output)
	}
	if n := l.acted(); n != 0 {
		t.Errorf("%d acts have arrived", n)
	}
	if len(r.Simulated) != 5 || len(r.Steps) != 10 || !r.DryRun {
		t.Errorf("%d simulated of %d steps", len(r.Simulated), len(r.Steps))
	}
	for _, s := range r.Steps {
		if s.Simulated != (s.Tool == "note") || s.State != store.StepOK {
			t.Errorf("step %+v", s)
		}
	}
}

func TestConsent(t *testing.T) {
	request := engine.Request{Workflow: "acting", Mode: store.Live, Inputs: json.RawMessage(`{"n": 3}`)}
	for _, test := range []struct {
		approval string
		confirm  bool
		code     string
		exit     int
		acts     int
	}{
		{config.Ask, false, "needs-confirmation", 3, 0},
		{config.Ask, true, "", 0, 3},
		{config.Human, false, "awaiting-approval", 4, 0},
		{config.Human, true, "awaiting-approval", 4, 0},
		{config.Allow, false, "", 0, 3},
	} {
		t.Run(fmt.Sprint(test.approval, test.confirm), func(t *testing.T) {
			l := newLab(t, test.approval)
			l.must("acting", acting)
			request.Confirm = test.confirm
			r := l.run(request)
			if r.Code != test.code || l.acted() != test.acts {
				t.Errorf("%q %s, %d acts", r.Code, r.Error, l.acted())
			}
			if test.code != "" && (len(r.SideEffects) != 1 || r.SideEffects[0].Tool != "note" || r.Fault.Exit != test.exit) {
				t.Errorf("side effects %+v, exit %d", r.SideEffects, r.Fault.Exit)
			}
			again, err := l.GetRun(r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if again.Code != r.Code || len(again.Steps) != len(r.Steps) || string(again.Output) != string(r.Output) || again.Status != r.Status {
				t.Errorf("the journal has %+v", again)
			}
		})
	}
}

// What is refused has a code, says what to do, and is in the journal if there is a version to hold it against.
func TestRefusals(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("acting", acting)
	l.must("big", strings.Replace(acting, `{"n": total}`, `{"n": 5000}`, 1))
	l.must("broken", strings.Replace(acting, "total = 0", "total = 1 // ctx.inputs.get(\"n\", 0)", 1))
	for _, test := range []struct {
		name    string
		request engine.Request
		code    string
		exit    int
		stored  bool
	}{
		{"no workflow", engine.Request{Workflow: "nothing"}, "unknown-workflow", 0, false},
		{"no version", engine.Request{Workflow: "acting", Version: "ffffffff"}, "unknown-version", 0, false},
		{"input of a wrong type", engine.Request{Workflow: "acting", Inputs: json.RawMessage(`{"n": "5"}`)}, "invalid-inputs", 3, true},
		{"unknown input", engine.Request{Workflow: "acting", Inputs: json.RawMessage(`{"m": 5}`)}, "invalid-inputs", 3, true},
		{"inputs that are no object", engine.Request{Workflow: "acting", Inputs: json.RawMessage(`[1]`)}, "invalid-inputs", 3, true},
		{"output", engine.Request{Workflow: "big"}, "invalid-output", 1, true},
		{"exception", engine.Request{Workflow: "broken", Inputs: json.RawMessage(`{"n": 0}`)}, "workflow-failed", 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := l.run(test.request)
			if r.OK || r.Code != test.code || r.Hint == "" || (r.ID != "") != test.stored || test.exit != 0 && r.Fault.Exit != test.exit {
				t.Errorf("%q %q, hint %q, run %q", r.Code, r.Error, r.Hint, r.ID)
			}
		})
	}
	if r := l.run(engine.Request{Workflow: "broken", Inputs: json.RawMessage(`{"n": 0}`)}); r.Detail == nil || r.Detail.Line == 0 || r.Detail.Type != "ZeroDivisionError" {
		t.Errorf("detail %+v", r.Detail)
	}
}

// A tool that changes after a version was made refuses the version's runs, and says what changed. The same text compiles to a
// new version.
func TestDrift(t *testing.T) {
	file := filepath.Join(t.TempDir(), "drift")
	l := newLab(t, config.Allow, "-drift", "note", "-drift-file", file)
	l.must("acting", acting)
	first, _ := l.Store().Version("acting", "")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.discover()
	r := l.run(engine.Request{Workflow: "acting"})
	if r.Code != "schema-drift" || len(r.Drift) != 1 || r.Drift[0].Tool != "note" || len(r.Drift[0].Changes) == 0 {
		t.Fatalf("%q %s %+v", r.Code, r.Error, r.Drift)
	}
	if l.acted() != 0 {
		t.Error("it has acted")
	}
	t.Log(r.Error)
	if c := l.create("acting", acting); c.OK || c.Stage != "typecheck" {
		t.Errorf("the drifted tool needs another argument, and the same text compiles: %+v", c)
	}
	if v, _ := l.Store().Version("acting", ""); v.ID != first.ID {
		t.Error("a workflow that does not compile has become a version")
	}
}

// A server that dies in mid-run costs the run, with the code connector-lost and the server's last words.
func TestConnectorLost(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("dying", `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    ctx.lab.add(a=1, b=2)
    ctx.lab.die(code=3, lines=["last words", "of the server"])
    return {"n": 1}
`)
	r := l.run(engine.Request{Workflow: "dying"})
	if r.Code != "connector-lost" || r.Status != store.Failed || len(r.Steps) != 2 || r.Steps[1].State != store.StepError {
		t.Fatalf("%q %q %s %+v", r.Code, r.Error, r.Status, r.Steps)
	}
	if !strings.Contains(r.Error, "its last words: last words / of the server") {
		t.Errorf("the error does not have what the server said last: %s", r.Error)
	}
	if again := l.run(engine.Request{Workflow: "dying"}); again.Code != "connector-lost" {
		t.Errorf("the next run: %q %q", again.Code, again.Error)
	}
}

// A dying server leaves an act in doubt, which ends the run whatever the workflow would do about it.
func TestActInDoubt(t *testing.T) {
	l := newLab(t, config.Allow, "-exit-after", "1")
	l.must("doubt", `from runlace_types import Ctx, Output, ToolError


def run(ctx: Ctx) -> Output:
    ctx.lab.note(text="first")
    try:
        ctx.lab.note(text="second")
    except ToolError:
        pass
    return {"n": 1}
`)
	r := l.run(engine.Request{Workflow: "doubt"})
	if r.Code != "in-doubt" || r.Status != store.InDoubt || r.Fault.Exit != 5 || len(r.Steps) != 2 || r.Steps[1].State != store.StepInDoubt {
		t.Fatalf("%q %q %s %+v", r.Code, r.Error, r.Status, r.Steps)
	}
}

// Two hundred calls in one run, and twenty runs at once against one server.
func TestManyCalls(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("many", `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    total = 0
    for _ in range(ctx.inputs.get("n", 0)):
        total = ctx.lab.add(a=total, b=1)["sum"]
    return {"n": total}
`)
	if r := l.run(engine.Request{Workflow: "many", Inputs: json.RawMessage(`{"n": 200}`)}); string(r.Output) != `{"n":200}` || len(r.Steps) != 200 {
		t.Fatalf("%q %q %s, %d steps", r.Code, r.Error, r.Output, len(r.Steps))
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			r, err := l.Run(context.Background(), engine.Request{Workflow: "many", Inputs: json.RawMessage(`{"n": 10}`)})
			if err != nil || !r.OK || string(r.Output) != `{"n":10}` || len(r.Steps) != 10 {
				t.Errorf("%v %+v", err, r)
			}
		})
	}
	wg.Wait()
	runs, err := l.Store().Runs(store.RunFilter{Workflow: "many"})
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, r := range runs {
		steps += r.Steps
	}
	if len(runs) != 21 || steps != 400 {
		t.Errorf("the journal has %d runs and %d steps", len(runs), steps)
	}
}

// A call that the schema does not allow is not sent; the workflow may catch the error, and the journal has it.
func TestInvalidArguments(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("wrong", `from typing import Any

from runlace_types import Ctx, Output, ToolError


def run(ctx: Ctx) -> Output:
    value: Any = "one"
    try:
        ctx.lab.add(a=value, b=2)
    except ToolError as e:
        print(e.code, e.message)
    return {"n": 1}
`)
	r := l.run(engine.Request{Workflow: "wrong"})
	if !r.OK || !strings.Contains(r.Log, "invalid-arguments the arguments of ctx.lab.add are not what the tool takes: a") || len(r.Steps) != 1 || r.Steps[0].State != store.StepError {
		t.Fatalf("%q %q, log %q, steps %+v", r.Code, r.Error, r.Log, r.Steps)
	}
}

func TestEdit(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("acting", acting)
	for _, test := range []struct{ old, new, code string }{
		{"no such text", "x", "no-match"},
		{"total", "x", "not-unique"},
		{"number {i}", "number {i}", "no-change"},
		{"text=", "txt=", "reportCallIssue"},
		{"number {i}", "the number {i}", ""},
	} {
		c, err := l.Edit(context.Background(), engine.Edit{Name: "acting", Old: test.old, New: test.new})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if !c.OK {
			got = c.Errors[0].Code
		}
		if got != test.code {
			t.Errorf("%q: %q, want %q: %+v", test.old, got, test.code, c.Errors)
		}
	}
	if vs, err := l.Store().Versions("acting"); err != nil || len(vs) != 2 {
		t.Errorf("%d versions, %v", len(vs), err)
	}
}

// A source that is not stored can be rehearsed, and only that.
func TestRehearsal(t *testing.T) {
	l := newLab(t, config.Allow)
	source := &engine.Workflow{Name: "draft", Code: strings.Replace(acting, "range(ctx.inputs.get(\"n\", 0))", "range(3)", 1)}
	r := l.run(engine.Request{Source: source, Mode: store.Dry})
	if !r.OK || len(r.Simulated) != 3 || r.ID != "" || l.acted() != 0 {
		t.Errorf("%q %q %+v", r.Code, r.Error, r.Problems)
	}
	if _, err := l.Run(context.Background(), engine.Request{Source: source, Mode: store.Live, Confirm: true}); err == nil || l.acted() != 0 {
		t.Error("a source that is not stored has acted")
	}
	bad := &engine.Workflow{Name: "draft", Code: strings.Replace(source.Code, "text=", "txt=", 1)}
	if r := l.run(engine.Request{Source: bad, Mode: store.Dry}); r.Code != "does-not-compile" || len(r.Problems) == 0 || r.Problems[0].Line != 8 {
		t.Errorf("%q %+v", r.Code, r.Problems)
	}
}

// The run's own time limit, or an interruption, that cuts off an act leaves it in doubt as well.
func TestActCutOff(t *testing.T) {
	const slow = `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    ctx.lab.act_slow(ms=30000)
    return {"n": 1}
`
	l := newLab(t, config.Allow)
	l.must("slow", slow)
	check := func(t *testing.T, r *engine.Run) {
		t.Helper()
		if r.Code != "in-doubt" || r.Status != store.InDoubt || r.Fault.Exit != 5 || len(r.Steps) != 1 || r.Steps[0].State != store.StepInDoubt {
			t.Errorf("%q %q %s %+v", r.Code, r.Error, r.Status, r.Steps)
		}
		again, err := l.GetRun(r.ID)
		if err != nil || again.Code != "in-doubt" || again.Status != store.InDoubt {
			t.Errorf("the journal has %+v, %v", again, err)
		}
	}
	t.Run("time limit", func(t *testing.T) {
		check(t, l.run(engine.Request{Workflow: "slow", Limits: runtime.Limits{Timeout: 300 * time.Millisecond}}))
	})
	t.Run("interruption", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := l.Run(ctx, engine.Request{Workflow: "slow", Observe: func(e engine.Event) {
			if e.Kind == "step" {
				time.AfterFunc(300*time.Millisecond, cancel)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		check(t, r)
	})
}

// A secret that a server sends back is in no answer, as it is in no journal.
func TestSecretsAreNotTold(t *testing.T) {
	const secret = "s3cret-value-of-a-token-0123456789"
	t.Setenv("RUNLACE_TEST_LAB_TOKEN", secret)
	l := newLabWith(t, config.Allow, func(c *config.Connector) { c.Env = map[string]string{"LAB_TOKEN": "${RUNLACE_TEST_LAB_TOKEN}"} })
	c, err := l.Create(context.Background(), engine.Workflow{Name: "leak", Code: `from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    found = ctx.lab.about()
    print("found", found)
    if ctx.inputs.get("n") == 5:
        raise ValueError(str(found))
    return {"n": 1, "found": found}
`})
	if err != nil || !c.OK {
		t.Fatal(err, c)
	}
	for _, inputs := range []string{`{"n": 1}`, `{"n": 5}`} {
		r := l.run(engine.Request{Workflow: "leak", Inputs: json.RawMessage(inputs)})
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), secret) || r.Fault != nil && strings.Contains(r.Fault.Message, secret) {
			t.Errorf("inputs %s: the answer has the secret: %.300s", inputs, b)
		}
		if !strings.Contains(string(b), store.Redacted) {
			t.Errorf("inputs %s: there was nothing to redact, so that this shows nothing: %.300s", inputs, b)
		}
	}
}

// An entry that cannot be used is not one that is not there.
func TestBrokenEntry(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("acting", acting)
	if err := os.WriteFile(l.home.Config(), []byte(`{"version": 2, "connectors": {"lab": {"transport": "stdio"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := l.run(engine.Request{Workflow: "acting"}); r.Code != "bad-connector" || !strings.Contains(r.Error, "cannot be used as it is configured") {
		t.Errorf("%q %q", r.Code, r.Error)
	}
	if err := os.WriteFile(l.home.Config(), []byte(`{"version": 2, "connectors": {}}  `), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := l.run(engine.Request{Workflow: "acting"}); r.Code != "unknown-connector" {
		t.Errorf("%q %q", r.Code, r.Error)
	}
}
