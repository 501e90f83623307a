package proof_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

const patient = `from datetime import datetime, timezone

from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    tag = ctx.inputs.get("tag", "")
    begin = datetime.now(timezone.utc)
    ctx.lab.note(text=f"{tag}: first")
    for i in range(2):
        ctx.lab.push(text=f"{tag}: push {i}")
    hours = (datetime.now(timezone.utc) - begin).total_seconds() / 3600
    print(f"{hours:.0f} hours")
    return {"n": ctx.lab.add(a=round(hours), b=0)["sum"]}
`

// A run waits for a person over kill -9 of its process, for hours and days, and then runs once; or not at all when nobody has answered in time.
func TestParked(t *testing.T) {
	const day = 24 * time.Hour
	all := []string{"first", "push 0", "push 1"}
	l := newLab(t, config.Human)
	l.create("patient", patient)
	h, err := home.Open(l.place.Home)
	l.check(err)
	for name, test := range map[string]struct {
		policy string        // besides human consent to the run
		expiry time.Duration // 0: a day
		later  time.Duration // by the engine's clock, for each answer
		real   time.Duration // by the machine's
		parks  int
		output string
		acts   []string // that happen, each once
	}{
		"twenty hours later":              {later: 20 * time.Hour, parks: 1, output: "0", acts: all},
		"a day later":                     {expiry: 3 * day, later: day, parks: 1, output: "0", acts: all},
		"within a short time":             {expiry: 30 * time.Second, real: 200 * time.Millisecond, parks: 1, output: "0", acts: all},
		"a minute too late, after a day":  {later: day + time.Minute, parks: 1, acts: nil},
		"too late, for real":              {expiry: 300 * time.Millisecond, real: 400 * time.Millisecond, parks: 1, acts: nil},
		"in mid-run, a day for each call": {policy: "approval:\n  lab:\n    note: allow\n    push: each\n", expiry: 3 * day, later: day, parks: 2, output: "48", acts: all},
		"in mid-run, too late":            {policy: "approval:\n  lab:\n    note: allow\n    push: each\n", later: day + time.Minute, parks: 1, acts: all[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lab{Engine: l.Engine, t: t, place: l.place, acts: l.acts}
			l.check(os.WriteFile(h.Policy(), []byte(test.policy), 0o600))
			inputs, err := json.Marshal(map[string]string{"tag": name})
			l.check(err)
			others := l.acted()
			at := l.place
			at.Expiry = test.expiry
			id, state := l.untilParked(task{Do: "run", Workflow: "patient", Inputs: inputs, Place: at})
			for parks := 1; ; parks++ {
				if state != store.AwaitingApproval {
					t.Fatalf("run %s is %s", id, state)
				}
				before := l.acted()
				at.Later += test.later
				time.Sleep(test.real)
				if !l.approvedAt(at, id) {
					break
				}
				if id, state = l.untilParked(task{Do: "resume", Runs: []string{id}, Place: at}); state == store.Completed {
					if parks != test.parks {
						t.Errorf("it has parked %d times", parks)
					}
					break
				}
				if n := len(l.acted()) - len(before); n > 1 {
					t.Errorf("%d acts with one consent", n)
				}
			}
			r, err := l.GetRun(id)
			l.check(err)
			for _, text := range test.acts {
				others[name+": "+text]++
			}
			if got := l.acted(); !maps.Equal(got, others) {
				t.Errorf("the server has seen %v, want %v", got, others)
			}
			if test.output == "" {
				if r.Status != store.Expired {
					t.Errorf("run %s is %s: %s", id, r.Status, r.Error)
				}
				return
			}
			if want := fmt.Sprintf(`{"n":%s}`, test.output); r.Status != store.Completed || string(r.Output) != want {
				t.Errorf("run %s is %s, output %s, want %s: %s", id, r.Status, r.Output, want, r.Error)
			}
			again, err := l.Replay(t.Context(), id, nil)
			l.check(err)
			if !again.Identical || !again.Complete || !again.FuelTold {
				t.Errorf("the replay differs: %+v", again.Difference)
			}
		})
	}
}

// untilParked does a task in another process until the run parks or ends, and kills the process.
func (l *lab) untilParked(k task) (id string, state store.RunStatus) {
	l.t.Helper()
	k.Stay = true
	p := begin(l.t, k)
	for s := range p.lines {
		if s.Event == "failed" {
			l.t.Fatal(s.Error)
		}
		if state = store.RunStatus(s.Event); state == store.AwaitingApproval || state.Final() {
			id = s.Run
			break
		}
	}
	p.kill()
	return id, state
}

// approvedAt answers the question of a run in another process's place, at another time, and reports whether that was in time. A second answer is refused.
func (l *lab) approvedAt(at place, id string) bool {
	l.t.Helper()
	e, err := at.open()
	l.check(err)
	defer func() { l.check(e.Close()) }()
	_, err = e.Approve(l.t.Context(), id, "", "as the proof wants it")
	if err != nil {
		if errCode(err) != "approval-expired" {
			l.t.Errorf("approve: %v", err)
		}
		return false
	}
	if _, again := e.Approve(l.t.Context(), id, "", ""); again == nil {
		l.t.Error("a second answer was taken")
	}
	r, err := e.GetRun(id)
	l.check(err)
	if r.Status != store.Queued {
		l.t.Errorf("an approved run is %s", r.Status)
	}
	return true
}
