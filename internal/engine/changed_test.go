package engine_test

import (
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
)

// field-fault-191: a server that changes its list in the middle of a run does not touch the run, and the next one sees the drift.
func TestFieldFault191_ListChangesInMidRun(t *testing.T) {
	file := t.TempDir() + "/drift"
	l := newLab(t, config.Allow, "-drift", "note", "-drift-file", file)
	l.must("changing", `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    ctx.lab.note(text="before")
    ctx.lab.change()
    ctx.lab.note(text="after")
    return {"n": 1}
`)
	touch(t, file) // the server is another from now on, and nobody knows it
	if r := l.run(engine.Request{Workflow: "changing"}); !r.OK || l.acted() != 2 {
		t.Fatalf("%s %s, %d acts", r.Code, r.Error, l.acted())
	}
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		v, err := l.Store().Version("changing", "")
		if err != nil {
			t.Fatal(err)
		}
		drift, err := l.Drift(v)
		if err != nil {
			t.Fatal(err)
		}
		if len(drift) > 0 {
			break
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("the new list is not looked at")
		}
	}
	if r := l.run(engine.Request{Workflow: "changing"}); r.Code != "schema-drift" || l.acted() != 2 {
		t.Errorf("%s %s, %d acts", r.Code, r.Error, l.acted())
	}
}
