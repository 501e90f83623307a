package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
)

// A process that is told to end while a run waits for a read leaves the read in flight: the run does not see an error that was none when it is resumed.
func TestLeavingDuringARead(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("patient", `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    ctx.lab.note(text="before")
    try:
        ctx.lab.slow(ms=1500)
    except Exception as e:
        print(e)
        return {"n": 0}
    ctx.lab.note(text="after")
    return {"n": 1}
`)
	ctx, leave := context.WithCancelCause(context.Background())
	r, err := l.Run(ctx, engine.Request{Workflow: "patient", Observe: func(e engine.Event) {
		if e.Kind == "step" && e.Tool == "slow" {
			time.AfterFunc(100*time.Millisecond, func() { leave(engine.ErrLeaving) })
		}
	}})
	if err != nil || r.Status != store.Interrupted || r.Code != "interrupted" || len(r.Steps) != 2 || r.Steps[1].State != store.StepIntent {
		t.Fatalf("%+v %v", r, err)
	}
	if r := l.resume(r.ID); string(r.Output) != `{"n":1}` || l.acted() != 2 || len(r.Steps) != 3 {
		t.Errorf("%s %s, %d acts", r.Output, r.Error, l.acted())
	}
}
