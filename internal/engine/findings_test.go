package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
)

// What the policy has made a read is one only for as long as the policy says so.
func TestReadOnlyIsTakenBack(t *testing.T) {
	l := newLab(t, config.Ask)
	l.policy("risk:\n  lab:\n    note: read_only\n")
	l.discover()
	l.must("acting", acting)
	if r := l.run(three()); !r.OK || l.acted() != 3 {
		t.Fatalf("%s %s, %d acts", r.Code, r.Error, l.acted())
	}
	for name, policy := range map[string]string{"withdrawn": "", "contradicted": "risk:\n  lab:\n    note: side_effect\n", "broken": "risk: [\n"} {
		t.Run(name, func(t *testing.T) {
			l.policy(policy)
			dry := three()
			dry.Mode = store.Dry
			if r := l.run(dry); !r.OK || len(r.Simulated) != 3 {
				t.Errorf("dry: %s, %d simulated", r.Code, len(r.Simulated))
			}
			if r := l.run(three()); r.OK || r.Code != "needs-confirmation" && r.Code != "awaiting-approval" {
				t.Errorf("live: %s %s", r.Status, r.Code)
			}
			if l.acted() != 3 {
				t.Errorf("%d acts", l.acted())
			}
		})
	}
}

// A connector that is added later can take the name of another. The code of a workflow must not come to act on it unnoticed.
func TestNameMoved(t *testing.T) {
	l := newLabWith(t, config.Allow, func(c *config.Connector) { c.Name = "a.b" })
	code := strings.ReplaceAll(acting, "ctx.lab.", "ctx.a_b.")
	l.must("acting", code)
	f, _, err := config.Load(l.home.Config())
	if err != nil {
		t.Fatal(err)
	}
	taker := connectortest.Fixture(t, "-acts", l.acts+"-taker")
	taker.Name = "a_b"
	f.Set(taker)
	if err := f.Save(l.home.Config()); err != nil {
		t.Fatal(err)
	}
	l.discoverAll(2)
	if r := l.run(three()); !r.OK || l.acted() != 3 {
		t.Errorf("the stored version: %s %s, %d acts", r.Code, r.Error, l.acted())
	}
	said := "another description"
	c, err := l.Edit(context.Background(), engine.Edit{Name: "acting", Description: &said})
	if err != nil || c.OK || len(c.Errors) == 0 || c.Errors[0].Code != "name-moved" || !strings.Contains(c.Errors[0].Hint, "ctx.a_b_") {
		t.Errorf("%+v %v", c, err)
	}
}

// Consent is for a call that goes somewhere. Where it goes is part of the question.
func TestConsentCoversTheTarget(t *testing.T) {
	redirect := func(l *lab) {
		f, _, err := config.Load(l.home.Config())
		if err != nil {
			t.Fatal(err)
		}
		c, _ := f.Find("lab")
		c.Args = append([]string{"-acts", l.acts + "-elsewhere"}, c.Args[2:]...)
		f.Set(c)
		if err := f.Save(l.home.Config()); err != nil {
			t.Fatal(err)
		}
	}
	for name, policy := range map[string]string{"run": "", "each": "approval:\n  lab: each\n"} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, config.Human)
			l.must("acting", acting)
			l.policy(policy)
			r := l.run(three())
			redirect(l)
			if err := second(l.Approve(context.Background(), r.ID, r.Approval.Digest, "")); code(err) != "approval-stale" {
				t.Errorf("before the answer: %v", err)
			}
			l.approve(r.ID)
			if got := l.resume(r.ID); got.Status != store.Completed && got.Approval.Seq == r.Approval.Seq {
				t.Errorf("after a fresh answer: %s %s", got.Status, got.Error)
			}
		})
		t.Run(name+", after the answer", func(t *testing.T) {
			l := newLab(t, config.Human)
			l.must("acting", acting)
			l.policy(policy)
			r := l.run(three())
			l.approve(r.ID)
			redirect(l)
			if got := l.resume(r.ID); got.Status != store.AwaitingApproval || l.acted() != 0 {
				t.Errorf("%s %s", got.Status, got.Error)
			}
		})
	}
}

// A server that has changed without a word is noticed when a person approves.
func TestDriftIsSeenAtApproval(t *testing.T) {
	file := t.TempDir() + "/drift"
	l := newLab(t, config.Human, "-drift", "note", "-drift-file", file)
	l.must("acting", acting)
	r := l.run(three())
	touch(t, file)
	if err := second(l.Approve(context.Background(), r.ID, "", "")); code(err) != "schema-drift" || l.acted() != 0 {
		t.Errorf("%v, %d acts", err, l.acted())
	}
}

// A run whose caller goes away is not over.
func TestCallerLeaves(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("waits", strings.Replace(acting, "    for ", "    ctx.lab.note(text=\"first\")\n    ctx.lab.slow(ms=ctx.inputs.get(\"n\", 0))\n    for ", 1))
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	r, err := l.Run(ctx, engine.Request{Workflow: "waits", Inputs: json.RawMessage(`{"n": 3}`), Observe: func(e engine.Event) {
		if e.Kind == "step" && e.Tool == "slow" {
			leave()
		}
	}})
	if err != nil || r.Status != store.Interrupted || r.Code != "interrupted" || l.acted() != 1 {
		t.Fatalf("%+v %v, %d acts", r, err, l.acted())
	}
	if r = l.resume(r.ID); !r.OK || l.acted() != 4 {
		t.Errorf("%s %s, %d acts", r.Status, r.Error, l.acted())
	}
}

// A store that cannot be written stops the run and does not end it: what was done is in the journal or in doubt, and it goes on when that is mended.
func TestJournalUnwritable(t *testing.T) {
	l := newLab(t, config.Allow)
	l.must("acting", acting)
	db, err := sqlite3.Open(l.home.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	request := three()
	request.Observe = func(e engine.Event) {
		if e.Kind == "step" && e.Seq == 4 { // an act, whose intent is in the journal
			if err := db.Exec("BEGIN IMMEDIATE"); err != nil {
				t.Error(err)
			}
			time.AfterFunc(11*time.Second, func() { _ = db.Exec("ROLLBACK") }) // longer than anybody waits
		}
	}
	r := l.run(request)
	if r.Code != "journal-unwritable" || r.ID == "" || !strings.Contains(r.Hint, r.ID) || l.acted() != 2 {
		t.Fatalf("%s %s, %q, %d acts", r.Code, r.Error, r.Hint, l.acted())
	}
	for start := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if err := l.Settle(); err != nil {
			t.Fatal(err)
		}
		got, err := l.GetRun(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status == store.InDoubt {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("the run is %s", got.Status)
		}
	}
	if _, err := l.Resolve(r.ID, 4, engine.Resolution{Happened: true}); err != nil {
		t.Fatal(err)
	}
	if got := l.resume(r.ID); !got.OK || l.acted() != 3 {
		t.Errorf("%s %s, %d acts", got.Status, got.Error, l.acted())
	}
}
