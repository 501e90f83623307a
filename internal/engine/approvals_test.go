package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

// policy writes policy.yaml.
func (l *lab) policy(text string) {
	l.t.Helper()
	if err := os.WriteFile(l.home.Policy(), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// reopen is the same home in another process's place.
func (l *lab) reopen(o engine.Options) *lab {
	l.t.Helper()
	o.Home, o.Env, o.CacheDir = l.home, home.NewEnv(os.Environ()), os.Getenv("RUNLACE_CACHE")
	e, err := engine.Open(context.Background(), o)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = e.Close() })
	return &lab{Engine: e, t: l.t, home: l.home, acts: l.acts}
}

func (l *lab) resume(id string) *engine.Run {
	l.t.Helper()
	r, err := l.Resume(context.Background(), id, engine.ResumeOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (l *lab) approve(id string) *engine.Run {
	l.t.Helper()
	r, err := l.Approve(context.Background(), id, "", "")
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// code is the code of a fault, "" of none.
func code(err error) string {
	f := (*fault.Error)(nil)
	if errors.As(err, &f) {
		return f.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func three() engine.Request {
	return engine.Request{Workflow: "acting", Inputs: json.RawMessage(`{"n": 3}`)}
}

// A run that needs a person costs nothing while it waits, is another process's later, and runs once.
func TestParkAndApprove(t *testing.T) {
	l := newLab(t, config.Human)
	l.must("acting", acting)
	dry := three()
	dry.Mode = store.Dry
	if r := l.run(dry); !r.OK {
		t.Fatal(r.Error)
	}
	r := l.run(three())
	if r.Status != store.AwaitingApproval || r.Fault.Exit != fault.ExitWaiting || len(r.Steps) != 0 || l.acted() != 0 {
		t.Fatalf("%s, %d steps, %d acts", r.Status, len(r.Steps), l.acted())
	}
	list, err := l.Approvals("")
	if err != nil || len(list) != 1 || list[0].Run != r.ID || list[0].State != store.ApprovalPending {
		t.Fatalf("%+v %v", list, err)
	}
	var preview engine.Preview
	if err := json.Unmarshal(list[0].Preview, &preview); err != nil || len(preview.Acts) != 3 || string(preview.Acts[2].Arguments) != `{"text":"number 2"}` {
		t.Errorf("the person does not see what the dry run saw: %s", list[0].Preview)
	}
	if _, err := l.Resume(context.Background(), r.ID, engine.ResumeOptions{}); code(err) != "awaiting-approval" || l.acted() != 0 {
		t.Fatalf("resuming opened the gate: %v, %d acts", err, l.acted())
	}

	later := l.reopen(engine.Options{Approval: config.Human})
	if _, err := later.Approve(context.Background(), r.ID, "0123456789abcdef", ""); code(err) != "approval-stale" {
		t.Errorf("consent to something else: %v", err)
	}
	if got := later.approve(r.ID); got.Status != store.Queued || got.Approval.State != store.ApprovalApproved {
		t.Fatalf("approved: %s", got.Status)
	}
	if _, err := later.Approve(context.Background(), r.ID, "", ""); code(err) != "already-approved" {
		t.Errorf("twice: %v", err)
	}
	if got := later.resume(r.ID); !got.OK || later.acted() != 3 || string(got.Output) != `{"n":3}` {
		t.Fatalf("%+v, %d acts", got, later.acted())
	}
	if _, err := later.Approve(context.Background(), r.ID, "", ""); code(err) != "already-approved" {
		t.Errorf("after its end: %v", err)
	}
	if _, err := later.Resume(context.Background(), r.ID, engine.ResumeOptions{}); code(err) != "not-resumable" || later.acted() != 3 {
		t.Errorf("resumed after its end: %v, %d acts", err, later.acted())
	}
}

func TestReject(t *testing.T) {
	l := newLab(t, config.Human)
	l.must("acting", acting)
	r := l.run(three())
	got, err := l.Reject(r.ID, "", "not on a Friday")
	if err != nil || got.Status != store.Rejected || got.Code != "rejected" || !strings.Contains(got.Error, "not on a Friday") {
		t.Fatalf("%+v %v", got, err)
	}
	for _, err := range []error{second(l.Reject(r.ID, "", "")), second(l.Approve(context.Background(), r.ID, "", ""))} {
		if code(err) != "already-rejected" {
			t.Error(err)
		}
	}
	if l.acted() != 0 {
		t.Errorf("%d acts", l.acted())
	}
}

func second[T any](_ T, err error) error { return err }

// field-fault-128 and 130: the question expires with its run, at once, and says so.
func TestFieldFault128_Expiry(t *testing.T) {
	l := newLab(t, config.Human)
	l.must("acting", acting)
	short := l.reopen(engine.Options{Approval: config.Human, ApprovalExpiry: 30 * time.Millisecond})
	r := short.run(three())
	if r.Status != store.AwaitingApproval {
		t.Fatal(r.Status)
	}
	for got := r; got.Status == store.AwaitingApproval; time.Sleep(10 * time.Millisecond) {
		if err := short.Settle(); err != nil {
			t.Fatal(err)
		}
		var err error
		if got, err = short.GetRun(r.ID); err != nil {
			t.Fatal(err)
		}
		r = got
	}
	if r.Status != store.Expired || r.Code != "approval-expired" || r.Approval.State != store.ApprovalExpired {
		t.Errorf("%s %s %s", r.Status, r.Code, r.Approval.State)
	}
	t.Run("field-fault-130 the answer says that it is late", func(t *testing.T) {
		if err := second(short.Approve(context.Background(), r.ID, "", "")); code(err) != "approval-expired" || short.acted() != 0 {
			t.Errorf("%v, %d acts", err, short.acted())
		}
	})
}

// When consent is used, what it was given to has to be there still.
func TestApprovalIsCheckedAgain(t *testing.T) {
	t.Run("drift", func(t *testing.T) {
		drift := t.TempDir() + "/drift"
		l := newLab(t, config.Human, "-drift", "note", "-drift-file", drift)
		l.must("acting", acting)
		r := l.run(three())
		if err := os.WriteFile(drift, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		l.discover()
		if err := second(l.Approve(context.Background(), r.ID, "", "")); code(err) != "schema-drift" {
			t.Error(err)
		}
		if got, _ := l.GetRun(r.ID); got.Status != store.Failed || got.Code != "schema-drift" || got.Approval.State != store.ApprovalWithdrawn || l.acted() != 0 {
			t.Errorf("%s %s %s, %d acts", got.Status, got.Code, got.Approval.State, l.acted())
		}
	})
	t.Run("policy", func(t *testing.T) {
		l := newLab(t, config.Human)
		l.must("acting", acting)
		r := l.run(three())
		l.policy("risk:\n  lab:\n    add: side_effect\n")
		if err := second(l.Approve(context.Background(), r.ID, "", "")); code(err) != "approval-stale" {
			t.Error(err)
		}
		got, _ := l.GetRun(r.ID)
		if got.Status != store.AwaitingApproval || len(got.SideEffects) != 2 {
			t.Fatalf("%s %+v", got.Status, got.SideEffects)
		}
		l.approve(r.ID)
		if got := l.resume(r.ID); !got.OK || l.acted() != 3 {
			t.Errorf("%s %s, %d acts", got.Status, got.Error, l.acted())
		}
	})
	t.Run("policy after the approval", func(t *testing.T) {
		l := newLab(t, config.Human)
		l.must("acting", acting)
		r := l.run(three())
		l.approve(r.ID)
		l.policy("risk:\n  lab:\n    add: side_effect\n")
		if got := l.resume(r.ID); got.Status != store.AwaitingApproval || l.acted() != 0 {
			t.Errorf("%s, %d acts", got.Status, l.acted())
		}
	})
}

const stubborn = `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    done = 0
    for i in range(ctx.inputs.get("n", 0)):
        ctx.lab.add(a=i, b=i)
        try:
            ctx.lab.note(text=f"number {i}")
            done += 1
        except BaseException:
            done += 100
    return {"n": done}
`

// Approval in mid-run: each call waits with its exact arguments, and no code gets past it. field-fault-133: five approvals in a loop, and each call is made once.
func TestApproveEach(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("acting", stubborn)
	l.policy("approval:\n  lab:\n    note: each\n")
	r := l.run(engine.Request{Workflow: "acting", Inputs: json.RawMessage(`{"n": 5}`)})
	for i := range 5 {
		if r.Status != store.AwaitingApproval || l.acted() != i {
			t.Fatalf("approval %d: %s %s, %d acts", i, r.Status, r.Error, l.acted())
		}
		if want := `{"text":"number ` + string(rune('0'+i)) + `"}`; r.Approval.Seq != 2*i+2 || string(r.Approval.Arguments) != want || len(r.Steps) != 2*i+1 {
			t.Fatalf("approval %d asks for step %d with %s after %d steps", i, r.Approval.Seq, r.Approval.Arguments, len(r.Steps))
		}
		next := l.reopen(engine.Options{Approval: config.Allow})
		next.approve(r.ID)
		r = next.resume(r.ID)
	}
	if !r.OK || l.acted() != 5 || string(r.Output) != `{"n":5}` || len(r.Steps) != 10 {
		t.Fatalf("%s %s, %d acts, %s", r.Status, r.Error, l.acted(), r.Output)
	}
	again, err := l.Replay(context.Background(), r.ID, nil)
	if err != nil || !again.Identical || !again.Complete || !again.FuelTold || again.Steps != 10 {
		t.Errorf("a run in six pieces is not replayed as one: %+v %v", again, err)
	}
}

// Somebody who is there is asked at once.
func TestPersonInTheClient(t *testing.T) {
	for _, test := range []struct {
		name   string
		policy string
		reply  engine.Reply
		status store.RunStatus
		acts   int
		asked  int
	}{
		{"yes to the run", "", engine.Accepted, store.Completed, 3, 1},
		{"no to the run", "", engine.Declined, store.Rejected, 0, 1},
		{"nobody", "", engine.NobodyThere, store.AwaitingApproval, 0, 1},
		{"yes to each", "approval:\n  lab: each\n", engine.Accepted, store.Completed, 3, 3},
		{"no to each", "approval:\n  lab: each\n", engine.Declined, store.Rejected, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, config.Human)
			l.must("acting", acting)
			l.policy(test.policy)
			asked := 0
			request := three()
			request.Person = func(_ context.Context, q engine.Question) (engine.Reply, error) {
				asked++
				if q.Workflow != "acting" || len(q.Acts) != 1 || q.Acts[0].Tool != "note" {
					t.Errorf("%+v", q)
				}
				return test.reply, nil
			}
			r := l.run(request)
			if r.Status != test.status || l.acted() != test.acts || asked != test.asked || r.Approval == nil {
				t.Errorf("%s %s, %d acts, asked %d times, %+v", r.Status, r.Error, l.acted(), asked, r.Approval)
			}
		})
	}
}
