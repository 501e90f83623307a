package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
)

const busy = `import random
import time
import uuid
from datetime import datetime, timezone

from runlace_types import Ctx, Output, ToolError


def run(ctx: Ctx) -> Output:
    seen = {str(uuid.uuid4()) for _ in range(5)}
    print(sorted(seen)[0], datetime.now(timezone.utc).isoformat())
    total = random.randrange(100)
    for word in seen:
        total = ctx.lab.add(a=total, b=len(word))["sum"]
        time.sleep(0.5)
    try:
        ctx.lab.fail(message="no", data={"n": 1})
    except ToolError as e:
        print(e.code, e.data, time.time())
    if time.time_ns() % 2:
        ctx.lab.note(text=f"odd {total}")
    else:
        ctx.lab.note(text=f"even {total}")
    return {"n": total}
`

func (l *lab) replay(id string, with *engine.Workflow) *engine.Replay {
	l.t.Helper()
	r, err := l.Replay(context.Background(), id, with)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// A replay is the same run: calls, clock, output, log, fuel. field-fault-140 and 142: the clock decides here which tool is called.
func TestReplay(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("busy", busy)
	for _, mode := range []store.Mode{store.Live, store.Dry} {
		r := l.run(engine.Request{Workflow: "busy", Mode: mode})
		if !r.OK {
			t.Fatalf("%s %s", r.Code, r.Error)
		}
		acts := l.acted()
		for _, e := range []*lab{l, l.reopen(engine.Options{})} {
			got := e.replay(r.ID, nil)
			if !got.Identical || !got.Complete || !got.FuelTold || got.Steps != 7 || got.Fuel != r.Fuel || got.Log != r.Log || string(got.Output) != string(r.Output) {
				t.Errorf("%s: %+v %+v", mode, got, got.Difference)
			}
		}
		if l.acted() != acts {
			t.Error("a replay acts")
		}
	}
}

// A workflow that is edited by one line, on the old run's answers: up to where does it agree?
func TestReplayWith(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("acting", acting)
	r := l.run(three())
	with := func(code string) *engine.Replay {
		return l.replay(r.ID, &engine.Workflow{Name: "acting", Code: code,
			Inputs:  json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","default":1}}}`),
			Outputs: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)})
	}
	for _, test := range []struct {
		name, old, new string
		what           string
		seq, line      int
		recorded, now  string
	}{
		{"the same", "", "", "", 0, 0, "", ""},
		{"other arguments", `f"number {i}"`, `f"number {i + i // 2}"`, engine.DiffArguments, 6, 8, `{"text":"number 2"}`, `{"text":"number 3"}`},
		{"another tool", `ctx.lab.note(text=f"number {i}")`, `ctx.lab.echo(value=i)`, engine.DiffCall, 2, 8,
			`{"arguments":{"text":"number 0"},"connector":"lab","tool":"note"}`, `{"arguments":{"value":0},"connector":"lab","tool":"echo"}`},
		{"one call more", "return", "ctx.lab.count()\n    return", engine.DiffExtra, 7, 9, "", `{"arguments":{},"connector":"lab","tool":"count"}`},
		{"one call less", "range(ctx.inputs.get(\"n\", 0))", "range(2)", engine.DiffMissing, 5, 0, `{"arguments":{"a":1,"b":2},"connector":"lab","tool":"add"}`, ""},
		{"another output", `{"n": total}`, `{"n": total + 1}`, engine.DiffOutput, 0, 0, `{"n":3}`, `{"n":4}`},
		{"something printed", "    return", "    print('x')\n    return", engine.DiffLog, 0, 0, `""`, `"x\n"`},
		{"a failure", "    return", "    assert total == 0\n    return", engine.DiffOutcome, 0, 9, "completed", "AssertionError"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := with(strings.Replace(acting, test.old, test.new, 1))
			if len(got.Problems) > 0 {
				t.Fatalf("%+v", got.Problems)
			}
			d := got.Difference
			if test.what == "" {
				if !got.Identical || got.FuelTold {
					t.Errorf("%+v", got)
				}
				return
			}
			if d == nil || got.Identical || d.What != test.what || d.Seq != test.seq || d.Line != test.line {
				t.Fatalf("%+v, difference %+v", got, d)
			}
			if !strings.Contains(string(d.Recorded), test.recorded) || !strings.Contains(string(d.Now), test.now) {
				t.Errorf("recorded %s, now %s", d.Recorded, d.Now)
			}
			if test.seq > 0 && got.Steps != test.seq-1 {
				t.Errorf("%d steps agree", got.Steps)
			}
		})
	}
}

// What failed fails the same way; what never ran cannot be replayed.
func TestReplayOfFailures(t *testing.T) {
	l := newLab(t, config.Ask)
	l.must("acting", acting)
	l.must("fails", strings.Replace(acting, "return {", "raise ValueError(total)\n    return {", 1))
	l.must("wrong", strings.Replace(acting, `{"n": total}`, `{"n": total + 5000}`, 1))
	l.must("loops", strings.Replace(acting, "return {", "while total >= 0:\n        total += 1\n    return {", 1))
	for _, name := range []string{"fails", "wrong", "loops"} {
		r := l.run(engine.Request{Workflow: name, Confirm: true})
		if got := l.replay(r.ID, nil); r.OK || !got.Identical || !got.Complete {
			t.Errorf("%s: %s %s: %+v %+v", name, r.Code, r.Error, got, got.Difference)
		}
	}
	refused := l.run(three())
	if err := second(l.Replay(context.Background(), refused.ID, nil)); code(err) != "never-ran" {
		t.Errorf("%s: %v", refused.Code, err)
	}
	if err := second(l.Replay(context.Background(), "run_none", nil)); code(err) != "unknown-run" {
		t.Error(err)
	}
}

// A tool that has changed since does not change what happened.
func TestReplayAfterDrift(t *testing.T) {
	define := t.TempDir() + "/drift"
	l := newLab(t, config.Allow, "-drift", "note", "-drift-file", define)
	l.must("acting", acting)
	r := l.run(three())
	touch(t, define)
	l.discover()
	if got := l.run(three()); got.Code != "schema-drift" {
		t.Fatal(got.Code)
	}
	if got := l.replay(r.ID, nil); !got.Identical || !got.Complete {
		t.Errorf("%+v", got)
	}
	if _, err := l.Store().Delete("acting"); err != nil {
		t.Fatal(err)
	}
	if got := l.replay(r.ID, nil); !got.Identical || !got.Complete {
		t.Errorf("after the workflow was deleted: %+v", got)
	}
}

func touch(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
