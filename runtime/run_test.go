package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/hostfuncs"
)

func TestRun(t *testing.T) {
	r := runIt(t, body(`
print("hello", ctx.inputs["name"])
a = ctx.clock.now(zone="UTC", n=[1, 2.50])
return {"inputs": ctx.inputs, "answer": a}
`), Job{Inputs: json.RawMessage(` {"name": "wörld", "big": 12345678901234567890} `), Host: echo})
	if r.Err != nil {
		t.Fatal(r.Err, r.Err.Traceback)
	}
	if want := `{"inputs":{"name":"wörld","big":12345678901234567890},"answer":{"zone":"UTC","n":[1,2.5]}}`; string(r.Output) != want {
		t.Errorf("output %s", r.Output)
	}
	if r.Log != "hello wörld\n" || r.Calls != 1 || r.Fuel <= 0 || r.MemoryBytes < sharedEngine(t).MinMemory() || r.Duration <= 0 {
		t.Errorf("result %s", jsonOf(r))
	}
}

func TestClock(t *testing.T) {
	second := func(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
		return hostfuncs.Answer{Value: json.RawMessage(`null`), Elapsed: time.Second}, nil
	}
	source := body(`
import time
from datetime import datetime, timezone
a = time.time(); m = time.monotonic(); c = time.process_time()
time.sleep(3600)
ctx.a.b()
return [datetime.fromtimestamp(a, timezone.utc).isoformat(), time.time() - a, time.monotonic() - m, time.process_time() - c]
`)
	r := runIt(t, source, Job{At: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Host: second})
	if want := `["2026-02-03T04:05:06+00:00",3601.0,3601.0,3601.0]`; string(r.Output) != want || r.Elapsed != 3601*time.Second {
		t.Errorf("output %s, %v, elapsed %v", r.Output, r.Err, r.Elapsed)
	}
	if r := runIt(t, source, Job{Host: second}); !strings.HasPrefix(string(r.Output), `["1970-01-01T00:00:00`) {
		t.Errorf("output %s", r.Output)
	}
	// A clock at its end stays there.
	r = runIt(t, body("import time\nfor _ in range(5): time.sleep(4e9)\nreturn 1"), Job{At: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)})
	if end := math.MaxInt64 - time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(); r.Err != nil || int64(r.Elapsed) != end {
		t.Errorf("elapsed %d, want %d; %v", r.Elapsed, end, r.Err)
	}
}

func TestSeed(t *testing.T) {
	source := body(`
import random, uuid
return [random.random(), random.Random().random(), str(uuid.uuid4()), random.SystemRandom().random()]
`)
	a, b, c := output(t, source, Job{Seed: 1}), output(t, source, Job{Seed: 1}), output(t, source, Job{Seed: 1 << 40})
	if a != b || a == c {
		t.Errorf("seeds 1, 1 and 2^40 give\n%s\n%s\n%s", a, b, c)
	}
}

// TestRandomStream pins the stream: a recorded run has to find it again in every later version.
func TestRandomStream(t *testing.T) {
	r := random{seed: 42}
	var b [16]byte
	r.fill(b[:3])
	r.fill(b[3:])
	if got := jsonOf(b); got != "[181,254,63,208,78,126,98,247,30,156,176,37,62,32,64,169]" {
		t.Errorf("stream %s", got)
	}
}

func TestNoWorld(t *testing.T) {
	got := output(t, body(`
import io
found = []
for path in ("/etc/passwd", "x", "/", "/dev/null"):
    try:
        io.open(path)
        found.append(path)
    except OSError as e:
        pass
return found
`), Job{})
	if got != "[]" {
		t.Errorf("opened %s", got)
	}
}

func TestToolError(t *testing.T) {
	fail := func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
		return hostfuncs.Answer{Err: &hostfuncs.Error{Code: "not-found", Message: "no such page", Data: json.RawMessage(`{"id":7}`)}}, nil
	}
	if got := output(t, `
from runlace_types import ToolError
def run(ctx):
    try:
        ctx.web.page(id=7)
    except ToolError as e:
        return [e.message, e.code, e.data]
`, Job{Host: fail}); got != `["no such page","not-found",{"id":7}]` {
		t.Errorf("caught %s", got)
	}
	r := runIt(t, body("x = 1\nctx.web.page(id=7)"), Job{Host: fail})
	if r.Err == nil || r.Err.Code != CodeToolError || r.Err.Line != 3 || !strings.Contains(string(r.Err.Data), `"not-found"`) {
		t.Errorf("uncaught %s", jsonOf(r.Err))
	}
	r = runIt(t, body("ctx.web.page(id=7)"), Job{})
	if r.Err == nil || !strings.Contains(string(r.Err.Data), hostfuncs.CodeNoConnector) {
		t.Errorf("without a host %s", jsonOf(r.Err))
	}
}

func TestCallLine(t *testing.T) {
	var lines []int
	host := func(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
		lines = append(lines, c.Line(), c.Line())
		return hostfuncs.Answer{Value: json.RawMessage(`1`)}, nil
	}
	source := "def f(ctx):\n    return ctx.a.b()\n\ndef run(ctx):\n    n = f(ctx)\n    return n + sum(ctx.a.b() for _ in range(2)) \\\n        + ctx.a.c()\n"
	with := runIt(t, source, Job{Host: host})
	if got := jsonOf(lines); got != "[2,2,6,6,6,6,7,7]" {
		t.Errorf("lines %s", got)
	}
	without := runIt(t, source, Job{Host: func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
		return hostfuncs.Answer{Value: json.RawMessage(`1`)}, nil
	}})
	if with.Fuel != without.Fuel || string(with.Output) != string(without.Output) {
		t.Errorf("asking for the line changes the run: %s, %s", jsonOf(with), jsonOf(without))
	}
}

// TestLargePayloads covers inputs, answers, arguments and outputs that do not fit the guest's static buffer.
func TestLargePayloads(t *testing.T) {
	big := strings.Repeat("0123456789", 300_000)
	inputs, _ := json.Marshal(map[string]string{"s": big})
	r := runIt(t, body(`return ctx.a.b(s=ctx.inputs["s"] + "!")["s"]`), Job{Inputs: inputs, Host: echo})
	if r.Err != nil || string(r.Output) != `"`+big+`!"` {
		t.Errorf("%v, output of %d bytes", r.Err, len(r.Output))
	}
}

func TestWhatIsNotTheWorkflowsDoing(t *testing.T) {
	e, ctx := sharedEngine(t), context.Background()
	p := compile(t, e, body("print('so far')\nreturn ctx.a.b()"))
	parked := errors.New("parked")
	panics := func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) { panic(errors.New("oops")) }

	r, err := e.Run(ctx, p, Job{Host: func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) { return hostfuncs.Answer{}, parked }})
	if !errors.Is(err, parked) || r == nil || r.Err != nil || r.Log != "so far\n" || r.Calls != 1 {
		t.Errorf("host error: %v, %s", err, jsonOf(r))
	}
	var pe *hostfuncs.PanicError
	if _, err := e.Run(ctx, p, Job{Host: panics}); !errors.As(err, &pe) {
		t.Errorf("host panic: %v", err)
	}
	var le *LimitError
	if _, err := e.Run(ctx, p, Job{Limits: Limits{Recursion: 20}}); !errors.As(err, &le) || le.Field != "Recursion" || le.Min != 50 {
		t.Errorf("limits: %v", err)
	}
	if _, err := e.Run(ctx, p, Job{At: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)}); !errors.As(err, &le) || le.Field != "At" {
		t.Errorf("at: %v", err)
	}
	if _, err := e.Run(ctx, &Program{Build: "x"}, Job{}); !errors.Is(err, ErrOtherBuild) {
		t.Errorf("build: %v", err)
	}
	for _, inputs := range []string{`[]`, `{`, `{} {}`, "{\"a\":\"\xff\"}", `1`} {
		if _, err := e.Run(ctx, p, Job{Inputs: json.RawMessage(inputs)}); err == nil {
			t.Errorf("inputs %q are taken", inputs)
		}
	}
	in, err := e.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Run(ctx, p, Job{}); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Run(ctx, p, Job{}); !errors.Is(err, ErrUsed) {
		t.Errorf("second run: %v", err)
	}
	in.Close()
	in.Close()
}

// TestHostThatLeaves: a Host that ends its goroutine, as t.FailNow does, must not take a poisoned instance back.
func TestHostThatLeaves(t *testing.T) {
	e := another(t, Config{})
	p := compile(t, e, body("return ctx.a.b()"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = e.Run(context.Background(), p, Job{Host: func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
			goruntime.Goexit()
			return hostfuncs.Answer{}, nil
		}})
	}()
	<-done
	if r, err := e.Run(context.Background(), p, Job{Host: echo}); err != nil || r.Err != nil {
		t.Errorf("afterwards: %v, %s", err, jsonOf(r))
	}
	if e.live != 0 || len(e.runs) != 0 {
		t.Errorf("%d instances, %d runs are left", e.live, len(e.runs))
	}
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct {
		source    string
		line, col int
	}{
		{"def run(ctx):\n    return (\n", 2, 12},
		{"x = 1\n\xff\n", 2, 0},
		{"a\x00b", 0, 0},
		{"return 1", 1, 1},
	} {
		_, err := sharedEngine(t).Compile(context.Background(), c.source, Limits{})
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeSyntaxError || c.line > 0 && e.Line != c.line || c.col > 0 && e.Column != c.col {
			t.Errorf("%q: %v %s", c.source, err, jsonOf(e))
		}
	}
	for code, compile := range map[string]func() (*Program, error){
		CodeCPULimit: func() (*Program, error) {
			return sharedEngine(t).Compile(context.Background(), strings.Repeat("x = 1\n", 1000), Limits{Fuel: 100_000})
		},
		CodeInputLimit: func() (*Program, error) {
			return sharedEngine(t).Compile(context.Background(), strings.Repeat(" ", 100), Limits{InputBytes: 99})
		},
		CodeCancelled: func() (*Program, error) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return sharedEngine(t).Compile(ctx, "x = 1", Limits{})
		},
	} {
		var e *Error
		if _, err := compile(); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
}
