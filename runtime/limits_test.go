package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/hostfuncs"
)

// anyLine is for stops while Python has put its thread state away, as it does around os.urandom.
const anyLine = -1

// TestLimits provokes each limit, twice: code, line and fuel have to be the same.
func TestLimits(t *testing.T) {
	big := json.RawMessage(`"` + strings.Repeat("x", 2000) + `"`)
	for _, c := range []struct {
		name, source string
		job          Job
		code         string
		line         int
	}{
		{"cpu", body("x = 0\nwhile True:\n    x += 1"), Job{Limits: Limits{Fuel: 50_000_000}}, CodeCPULimit, 4},
		{"cpu, cannot be caught", body("while True:\n    try:\n        while True: pass\n    except BaseException: pass"), Job{Limits: Limits{Fuel: 50_000_000}}, CodeCPULimit, 4},
		{"cpu, in C code", body("x = sum(range(10**12))"), Job{Limits: Limits{Fuel: 50_000_000}}, CodeCPULimit, 2},
		{"cpu, bulk", body("x = b'x' * 10**7\nwhile True:\n    x.find(b'y')"), Job{Limits: Limits{Fuel: 200_000_000}}, CodeCPULimit, 4},
		{"cpu, in calls", body("while True:\n    ctx.a.b()"), Job{Limits: Limits{Fuel: 50_000_000}, Host: echo}, CodeCPULimit, 3},
		{"cpu, randomness", body("import random\nwhile True:\n    random.SystemRandom().randbytes(10**6)"), Job{Limits: Limits{Fuel: 50_000_000}}, CodeCPULimit, anyLine},
		{"cpu, less than starting takes", body("return 1"), Job{Limits: Limits{Fuel: 1}}, CodeCPULimit, 0},
		{"memory", body("x = []\nwhile True:\n    x.append(bytearray(1 << 20))"), Job{}, CodeMemoryLimit, 4},
		{"memory, at once", body("x = bytearray(1 << 30)"), Job{}, CodeMemoryLimit, 2},
		{"memory, least", body("x = [bytearray(1 << 20) for _ in range(100)]"), Job{Limits: Limits{MemoryBytes: 50 << 20}}, CodeMemoryLimit, 2},
		{"recursion", "def f(n):\n    return f(n + 1)\ndef run(ctx):\n    return f(0)\n", Job{}, CodeRecursionLimit, 2},
		{"recursion, low", "def f(n):\n    return n and f(n - 1)\ndef run(ctx):\n    return f(60)\n", Job{Limits: Limits{Recursion: 50}}, CodeRecursionLimit, 2},
		{"calls", body("while True:\n    ctx.a.b()"), Job{Limits: Limits{Calls: 10}, Host: echo}, hostfuncs.CodeCallLimit, 3},
		{"calls, cannot be caught", body("while True:\n    try:\n        ctx.a.b()\n    except BaseException: pass"), Job{Limits: Limits{Calls: 10}}, hostfuncs.CodeCallLimit, 4},
		{"arguments", body("ctx.a.b(x='x' * 2000)"), Job{Limits: Limits{ArgumentBytes: 1000}, Host: echo}, CodeToolError, 2},
		{"result", body("ctx.a.b()"), Job{Limits: Limits{ResultBytes: 1000}, Host: func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
			return hostfuncs.Answer{Value: big}, nil
		}}, CodeToolError, 2},
		{"input", body("return 1"), Job{Inputs: json.RawMessage(`{"x":` + string(big) + `}`), Limits: Limits{InputBytes: 1000}}, CodeInputLimit, 0},
		{"output", body("return 'x' * 2000"), Job{Limits: Limits{OutputBytes: 1000}}, CodeOutputLimit, 0},
		{"log", body("while True:\n    print('x' * 50)"), Job{Limits: Limits{LogBytes: 1000}}, hostfuncs.CodeLogLimit, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runIt(t, c.source, c.job)
			if r.Err == nil || r.Err.Code != c.code || r.Err.Line != c.line && c.line != anyLine {
				t.Fatalf("got %s, want %s on line %d", jsonOf(r.Err), c.code, c.line)
			}
			if r.Output != nil || r.Err.Message == "" {
				t.Errorf("result %s", jsonOf(r))
			}
			if c.code == CodeCPULimit && (r.Fuel <= c.job.Limits.Fuel || r.Fuel > c.job.Limits.Fuel+40_000_000) {
				t.Errorf("fuel %d", r.Fuel)
			}
			if c.code == hostfuncs.CodeLogLimit && len(r.Log) != 1000 {
				t.Errorf("log of %d bytes", len(r.Log))
			}
			if s := runIt(t, c.source, c.job); s.Fuel != r.Fuel || jsonOf(s.Err) != jsonOf(r.Err) || s.Log != r.Log || s.MemoryBytes != r.MemoryBytes {
				t.Errorf("the second time: %s, and the first: %s", jsonOf(s), jsonOf(r))
			}
		})
	}
}

func TestStopTraceback(t *testing.T) {
	r := runIt(t, "def spin():\n    while True: pass\n\ndef run(ctx):\n    spin()\n", Job{Limits: Limits{Fuel: 10_000_000}})
	want := "Traceback (most recent call last):\n  File \"workflow.py\", line 5, in run\n    spin()\n  File \"workflow.py\", line 2, in spin\n    while True: pass\n"
	if r.Err == nil || r.Err.Traceback != want {
		t.Errorf("got %s", jsonOf(r.Err))
	}
}

// TestMemoryOfEachRun: instances are used again under other limits.
func TestMemoryOfEachRun(t *testing.T) {
	e := another(t, Config{})
	p := compile(t, e, body("x = bytearray(ctx.inputs['mib'] << 20)\nreturn len(x) >> 20"))
	for _, c := range []struct {
		mib   string
		limit int64
		code  string
	}{
		{"1", 64 << 20, ""}, {"40", 64 << 20, CodeMemoryLimit}, {"30", 128 << 20, ""}, {"1", 64 << 20, ""}, {"280", 512 << 20, ""}, {"40", 64 << 20, CodeMemoryLimit},
		{"280", 0, CodeMemoryLimit}, {"150", 0, ""},
	} {
		r, err := e.Run(context.Background(), p, Job{Inputs: json.RawMessage(`{"mib":` + c.mib + `}`), Limits: Limits{MemoryBytes: c.limit}})
		if err != nil {
			t.Fatal(err)
		}
		if code := codeOf(r); code != c.code || c.limit > 0 && r.MemoryBytes > c.limit {
			t.Errorf("%s MiB under %d: %s", c.mib, c.limit>>20, jsonOf(r))
		}
	}
}

func codeOf(r *Result) string {
	if r.Err == nil {
		return ""
	}
	return r.Err.Code
}

func TestWallClock(t *testing.T) {
	e := sharedEngine(t)
	spin := compile(t, e, body("while True: pass"))
	call := compile(t, e, body("ctx.a.b()"))
	wait := func(ctx context.Context, _ hostfuncs.Call) (hostfuncs.Answer, error) {
		<-ctx.Done()
		return hostfuncs.Answer{}, ctx.Err()
	}
	for _, p := range []*Program{spin, call} {
		r, err := e.Run(context.Background(), p, Job{Host: wait, Limits: Limits{Timeout: 20 * time.Millisecond, Fuel: 1 << 60}})
		if err != nil || codeOf(r) != CodeTimeout || r.Err.Line != 2 {
			t.Errorf("timeout: %v, %s", err, jsonOf(r))
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		r, err = e.Run(ctx, p, Job{Host: wait, Limits: Limits{Fuel: 1 << 60}})
		cancel()
		if err != nil || codeOf(r) != CodeTimeout {
			t.Errorf("deadline: %v, %s", err, jsonOf(r))
		}
		ctx, cancel = context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		r, err = e.Run(ctx, p, Job{Host: wait, Limits: Limits{Fuel: 1 << 60}})
		if err != nil || codeOf(r) != CodeCancelled {
			t.Errorf("cancel: %v, %s", err, jsonOf(r))
		}
		r, err = e.Run(ctx, p, Job{Host: wait})
		if err != nil || codeOf(r) != CodeCancelled || r.Fuel != 0 {
			t.Errorf("cancelled before: %v, %s", err, jsonOf(r))
		}
	}
	// A call that takes too long is the Host's to report.
	r, err := e.Run(context.Background(), call, Job{Limits: Limits{CallTimeout: time.Millisecond}, Host: func(ctx context.Context, _ hostfuncs.Call) (hostfuncs.Answer, error) {
		<-ctx.Done()
		return hostfuncs.Answer{Err: &hostfuncs.Error{Code: "slow", Message: "too slow"}}, nil
	}})
	if err != nil || codeOf(r) != CodeToolError {
		t.Errorf("call timeout: %v, %s", err, jsonOf(r))
	}
}

func TestLimitRanges(t *testing.T) {
	const min = 48 << 20
	for _, c := range []struct {
		l     Limits
		field string
	}{
		{Limits{}, ""}, {Defaults(), ""},
		{Limits{Fuel: -1}, "Fuel"}, {Limits{Fuel: math.MaxInt64}, "Fuel"},
		{Limits{MemoryBytes: min - 1}, "MemoryBytes"}, {Limits{MemoryBytes: min}, ""}, {Limits{MemoryBytes: 4 << 30}, ""}, {Limits{MemoryBytes: 4<<30 + 1}, "MemoryBytes"},
		{Limits{Calls: -1}, "Calls"}, {Limits{ArgumentBytes: -1}, "ArgumentBytes"}, {Limits{ResultBytes: 2 << 30}, "ResultBytes"},
		{Limits{InputBytes: -1}, "InputBytes"}, {Limits{OutputBytes: -1}, "OutputBytes"}, {Limits{LogBytes: -1}, "LogBytes"},
		{Limits{Recursion: 49}, "Recursion"}, {Limits{Recursion: 20_000}, ""}, {Limits{Recursion: 20_001}, "Recursion"},
		{Limits{Timeout: -1}, "Timeout"}, {Limits{CallTimeout: -1}, "CallTimeout"},
	} {
		got, err := c.l.effective(min)
		var e *LimitError
		if c.field == "" && (err != nil || got.Fuel == 0 || got.MemoryBytes%wasmPage != 0) || c.field != "" && (!errors.As(err, &e) || e.Field != c.field) {
			t.Errorf("%+v: %v", c.l, err)
		}
	}
	if l, _ := (Limits{MemoryBytes: min + 1}).effective(min); l.MemoryBytes != min+wasmPage {
		t.Errorf("memory is rounded to %d", l.MemoryBytes)
	}
}
