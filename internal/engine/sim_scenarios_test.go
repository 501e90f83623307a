package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/store"
)

// scenario plays one schedule that is written out, in a world that does what it is asked for.
func scenario(t *testing.T, name, ask string, play func(s *sim)) {
	t.Run(name, func(t *testing.T) {
		s := newSim(t, scratch(t), 1, newCoverage())
		defer s.close()
		s.world.plan = func(_, tool string, _ int) plan {
			return plan{reply: "ok", acts: tool != "get", takes: 20 * time.Millisecond}
		}
		fault := s.guard(func() {
			s.ask = ask
			s.givePolicy(simPolicy)
			play(s)
			s.check()
		})
		if fault != "" {
			t.Errorf("%s\n%s", fault, strings.Join(s.lines, "\n"))
		}
	})
}

// calls asks for a run that makes just these calls.
func (s *sim) calls(p *proc, workflow, tools string) (*task, *simRun) {
	return s.callsOf(p, &simRun{workflow: workflow, confirmed: true}, tools, false)
}

func (s *sim) callsOf(p *proc, r *simRun, tools string, queue bool) (*task, *simRun) {
	r.tag = fmt.Sprint("r", len(s.runs)+1)
	list, err := json.Marshal(strings.Fields(tools))
	if err != nil {
		s.failf("%v", err)
	}
	return s.startRun(p, r, fmt.Sprintf(`{"tag":%q,"tools":%s}`, r.tag, list), queue, 9), r
}

// until lets a task go on to a point of its run.
func (s *sim) until(t *task, point string, seq int) {
	for !t.over && !(t.point == point && t.seq == seq) {
		s.step(t, true)
	}
	if t.over {
		s.failf("%s is over, and never came to %s of step %d", t.name, point, seq)
	}
	s.check()
}

// end lets tasks go on, each to its end.
func (s *sim) end(tasks ...*task) {
	for _, t := range tasks {
		for !t.over {
			s.step(t, true)
			s.check()
		}
	}
}

// is demands that a run stands so, and that its calls have acted so often.
func (s *sim) is(r *simRun, status store.RunStatus, effects ...int) *Run {
	s.learn()
	got, err := s.procs[len(s.procs)-1].e.GetRun(r.id)
	if err != nil {
		s.failf("%v", err)
	}
	if got.Status != status {
		s.failf("run %s is %s (%s), and should be %s", r.tag, got.Status, got.Error, status)
	}
	for i, n := range effects {
		if have := s.world.effects[callName(r.tag, i+1)]; have != n {
			s.failf("call %d of run %s acted %d times, and should have %d times", i+1, r.tag, have, n)
		}
	}
	return got
}

func (s *sim) refused(err error, code string) {
	if err == nil || s.code(err) != code {
		s.failf("the error is %v, and should be %s", err, code)
	}
}

// approved gives consent and resumes, in a new process each time.
func (s *sim) approved(r *simRun) {
	p := s.open()
	s.end(s.approve(p, r.id))
	s.end(s.resume(s.open(), r.id))
}

// The field's faults, one schedule each.
func TestSimulationFieldFaults(t *testing.T) {
	scenario(t, "field-fault-122 a dry run in a new process is still dry", config.Allow, func(s *sim) {
		p := s.open()
		run, r := s.callsOf(p, &simRun{workflow: "frees", dry: true}, "free get free", false)
		s.until(run, "after-intent", 2)
		s.kill(p)
		s.pass(time.Minute)
		q := s.open()
		s.is(r, store.Interrupted)
		s.end(s.resume(q, r.id))
		got := s.is(r, store.Completed, 0, 0, 0)
		if len(got.Simulated) != 2 || got.Mode != store.Dry {
			s.failf("%+v", got)
		}
	})
	scenario(t, "field-fault-127 what was done before an approval is not done again", config.Allow, func(s *sim) {
		run, r := s.calls(s.open(), "pays", "free pay free")
		s.end(run)
		got := s.is(r, store.AwaitingApproval, 1, 0, 0)
		if got.Approval.Seq != 2 || !strings.Contains(string(got.Approval.Arguments), `"call":2`) || got.Approval.Acts == nil {
			s.failf("the question does not say what it is about: %+v", got.Approval)
		}
		s.approved(r)
		s.is(r, store.Completed, 1, 1, 1)
		if n := s.world.attempts[callName(r.tag, 1)]; n != 1 {
			s.failf("the first call was made %d times", n)
		}
	})
	scenario(t, "field-fault-128 a question expires with its run", config.Human, func(s *sim) {
		p := s.open()
		run, r := s.calls(p, "puts", "put")
		s.end(run)
		s.pass(DefaultApprovalExpiry - time.Millisecond)
		if err := p.e.Settle(); err != nil {
			s.failf("%v", err)
		}
		s.is(r, store.AwaitingApproval)
		s.pass(time.Millisecond)
		s.refused(second(p.e.Approve(context.Background(), r.id, "", "")), "approval-expired")
		if got := s.is(r, store.Expired, 0); got.Approval.State != store.ApprovalExpired {
			s.failf("the question is %s", got.Approval.State)
		}
	})
	scenario(t, "field-fault-131 a person may take a day, and the process need not live", config.Human, func(s *sim) {
		p := s.open()
		run, r := s.calls(p, "puts", "put get")
		s.end(run)
		s.kill(p)
		s.pass(DefaultApprovalExpiry - time.Second)
		s.end(s.approve(s.open(), r.id))
		s.kill(s.procs[1])
		s.pass(48 * time.Hour) // the consent was in time; when it is used does not matter
		s.end(s.work(s.open()))
		s.is(r, store.Completed, 1)
		s.end(s.approve(s.procs[2], r.id), s.resume(s.procs[2], r.id), s.work(s.procs[2]))
		s.is(r, store.Completed, 1)
	})
	scenario(t, "field-fault-133 five approvals in a loop are five", config.Allow, func(s *sim) {
		run, r := s.calls(s.open(), "pays", "pay pay pay pay pay")
		s.end(run)
		for i := range 5 {
			if got := s.is(r, store.AwaitingApproval); got.Approval.Seq != i+1 || len(got.Steps) != i {
				s.failf("approval %d is for step %d, after %d steps", i+1, got.Approval.Seq, len(got.Steps))
			}
			s.approved(r)
		}
		s.is(r, store.Completed, 1, 1, 1, 1, 1)
		for i := range 5 {
			if n := s.world.attempts[callName(r.tag, i+1)]; n != 1 {
				s.failf("call %d was made %d times", i+1, n)
			}
		}
	})
	scenario(t, "field-fault-134 consent to one call is none to the next", config.Allow, func(s *sim) {
		run, r := s.calls(s.open(), "pays", "pay pay")
		s.end(run)
		first := s.is(r, store.AwaitingApproval, 0, 0).Approval.Digest
		s.approved(r)
		s.is(r, store.AwaitingApproval, 1, 0)
		s.refused(second(s.procs[0].e.Approve(context.Background(), r.id, first, "")), "approval-stale")
		s.end(s.resume(s.procs[0], r.id))
		s.is(r, store.AwaitingApproval, 1, 0)
		s.approved(r)
		s.is(r, store.Completed, 1, 1)
	})
	for _, happened := range []bool{false, true} {
		scenario(t, fmt.Sprintf("field-fault-136 sent, and outcome unknown, is a state, happened=%v", happened), config.Allow, func(s *sim) {
			p := s.open()
			run, r := s.calls(p, "frees", "get free free")
			s.until(run, map[bool]string{false: "after-intent", true: "after-send"}[happened], 2)
			s.kill(p)
			s.pass(time.Minute)
			q := s.open()
			if got := s.is(r, store.InDoubt); got.Code != "in-doubt" || got.Steps[1].State != store.StepInDoubt {
				s.failf("%+v", got)
			}
			s.refused(second(q.e.Resume(context.Background(), r.id, ResumeOptions{})), "in-doubt")
			s.end(s.spawn(q, "resolve", func(context.Context) error { return s.resolve(q, r.id) }))
			s.end(s.resume(q, r.id))
			s.is(r, store.Completed, 0, 1, 1)
		})
	}
	scenario(t, "field-fault-137 a run whose process died does not block the queue, and goes on", config.Allow, func(s *sim) {
		p := s.open()
		first, r1 := s.callsOf(p, &simRun{workflow: "frees"}, "free free get", true)
		next, r2 := s.callsOf(p, &simRun{workflow: "frees"}, "free", true)
		s.end(first, next)
		work := s.work(p)
		s.until(work, "after-record", 2)
		s.kill(p)
		q := s.open()
		s.end(s.work(q))
		s.is(r2, store.Completed, 1)
		s.is(r1, store.Running) // as far as anybody can know
		s.pass(31 * time.Second)
		s.end(s.spawn(q, "settle", func(context.Context) error { return q.e.Settle() }), s.spawn(q, "requeue", func(context.Context) error { return q.e.requeue() }))
		s.is(r1, store.Queued)
		s.end(s.work(q))
		s.is(r1, store.Completed, 1, 1, 0)
	})
	for _, where := range []string{"queued", "parked", "parked at a step", "waiting for an answer", "interrupted", "in doubt"} {
		scenario(t, "field-fault-139 cancel is heard: "+where, config.Human, func(s *sim) {
			p := s.open()
			workflow, tools := "frees", "free free"
			switch where {
			case "parked":
				workflow, tools = "puts", "put"
			case "parked at a step":
				workflow, tools = "pays", "pay"
			}
			run, r := s.callsOf(p, &simRun{workflow: workflow}, tools, where == "queued")
			switch where {
			case "waiting for an answer":
				s.until(run, "before-send", 2)
				s.world.plan = func(string, string, int) plan { return plan{reply: "ok", takes: time.Hour} }
			case "interrupted":
				s.until(run, "after-record", 1)
			case "in doubt":
				s.until(run, "after-intent", 1)
			default:
				s.end(run)
			}
			q := s.open()
			if where == "interrupted" || where == "in doubt" {
				s.kill(p)
				s.pass(time.Minute)
			}
			s.end(s.cancel(q, r.idIn(s)))
			if where == "waiting for an answer" {
				s.is(r, store.Running)
				s.pass(time.Second) // within which the process looks
				s.end(run)
				if got := s.is(r, store.InDoubt, 1, 0); got.Steps[1].State != store.StepInDoubt { // the act was on its way
					s.failf("%+v", got.Steps)
				}
				s.end(s.spawn(q, "resolve", func(context.Context) error { return s.resolve(q, r.id) }))
			}
			s.is(r, store.Cancelled)
			s.end(s.work(q), s.resume(q, r.id), s.approve(q, r.id))
			s.is(r, store.Cancelled)
		})
	}
}

// idIn is the id of a run that has reached the journal.
func (r *simRun) idIn(s *sim) string { return s.idOf(r.tag) }

// What the simulation has found, one schedule each.
func TestSimulationFound(t *testing.T) {
	// A run that was asked to end while it ran was interrupted when its process died, and the queue took it up again.
	scenario(t, "a cancelled run whose process dies is cancelled", config.Allow, func(s *sim) {
		p := s.open()
		queued, r := s.callsOf(p, &simRun{workflow: "frees"}, "get free", true)
		s.end(queued)
		work := s.work(p)
		s.until(work, "after-record", 1)
		q := s.open()
		s.end(s.cancel(q, r.id))
		s.kill(p)
		s.pass(time.Minute)
		s.end(s.spawn(q, "settle", func(context.Context) error { return q.e.Settle() }), s.spawn(q, "requeue", func(context.Context) error { return q.e.requeue() }), s.work(q))
		if got := s.is(r, store.Cancelled, 0, 0); got.Code != "cancelled" {
			s.failf("%s", got.Code)
		}
	})
	// One that came to a question before its process had heard of it waited for a person.
	scenario(t, "a cancelled run does not park", config.Allow, func(s *sim) {
		p := s.open()
		run, r := s.calls(p, "pays", "free pay")
		s.until(run, "park", 2)
		s.end(s.cancel(s.open(), r.id))
		s.end(run)
		s.is(r, store.Cancelled, 1, 0)
	})
	// One that stays in doubt is cancelled when the doubt is settled, and nothing is sent again for it.
	scenario(t, "a cancelled run in doubt is cancelled at last", config.Allow, func(s *sim) {
		p := s.open()
		run, r := s.calls(p, "safes", "safe")
		s.until(run, "after-send", 1)
		s.end(s.cancel(s.open(), r.id))
		s.kill(p)
		s.pass(time.Minute)
		q := s.open()
		s.is(r, store.InDoubt, 1)
		s.refused(second(q.e.Resume(context.Background(), r.id, ResumeOptions{})), "in-doubt")
		s.end(s.spawn(q, "resolve", func(context.Context) error { return s.resolve(q, r.id) }))
		s.is(r, store.Cancelled, 1)
	})
	// The step was left in flight for ever.
	scenario(t, "an act that did not happen in a run that is over is an error", config.Allow, func(s *sim) {
		p := s.open()
		run, r := s.calls(p, "frees", "free")
		s.until(run, "after-intent", 1)
		s.kill(p)
		s.pass(time.Minute)
		q := s.open()
		s.end(s.cancel(q, r.id))
		s.is(r, store.Cancelled, 0)
		s.end(s.spawn(q, "resolve", func(context.Context) error { return s.resolve(q, r.id) }))
		if got := s.is(r, store.Cancelled, 0); got.Steps[0].State != store.StepError || !strings.Contains(string(got.Steps[0].Error), "not-sent") {
			s.failf("%+v", got.Steps)
		}
	})
	// It was said to be not sent, because the policy had let it be sent again.
	scenario(t, "an act that the policy lets be sent again may have happened all the same", config.Allow, func(s *sim) {
		p := s.open()
		run, r := s.calls(p, "safes", "safe")
		s.until(run, "after-send", 1)
		s.kill(p)
		s.pass(time.Minute)
		q := s.open()
		resume := s.resume(q, r.id)
		s.until(resume, "claimed", 0)
		s.kill(q)
		s.pass(time.Minute)
		s.end(s.cancel(s.open(), r.id))
		if got := s.is(r, store.Cancelled, 1); got.Steps[0].State != store.StepInDoubt {
			s.failf("%+v", got.Steps)
		}
	})
	// It became an error, as if it had never happened.
	scenario(t, "an act that cannot be sent again stays in doubt", config.Allow, func(s *sim) {
		s.world.plan = func(_, _ string, attempt int) plan {
			return []plan{{reply: "unknown", acts: true}, {reply: "not-sent"}, {reply: "ok", acts: true}}[attempt-1]
		}
		p := s.open()
		run, r := s.calls(p, "safes", "safe")
		s.end(run)
		s.is(r, store.InDoubt, 1)
		s.end(s.resume(p, r.id))
		s.is(r, store.InDoubt, 1)
		s.end(s.resume(p, r.id))
		s.is(r, store.Completed, 2)
	})
	// It could not be parked, because its last call was in flight, and was left as if it ran.
	scenario(t, "a run that was interrupted at a call asks anew by a stricter policy", config.Allow, func(s *sim) {
		p := s.open()
		run, r := s.calls(p, "frees", "get free")
		s.until(run, "after-intent", 1)
		s.kill(p)
		s.pass(time.Minute)
		s.givePolicy(strings.Replace(simPolicy, "{free: allow", "{free: human", 1))
		s.end(s.resume(s.open(), r.idIn(s)))
		s.is(r, store.AwaitingApproval, 0, 0)
		s.approved(r)
		s.is(r, store.Completed, 0, 1)
	})
	// Nobody could answer it: the question for the step, which was answered, stood before it.
	scenario(t, "a run that has asked for a step asks for all of it by a stricter policy", config.Allow, func(s *sim) {
		p := s.open()
		s.givePolicy(strings.Replace(simPolicy, "{free: allow", "{free: each", 1))
		run, r := s.calls(p, "frees", "free free")
		s.end(run)
		s.is(r, store.AwaitingApproval, 0, 0)
		s.end(s.approve(p, r.id))
		s.givePolicy(strings.Replace(simPolicy, "{free: allow", "{free: human", 1))
		s.end(s.resume(p, r.id))
		if got := s.is(r, store.AwaitingApproval, 0, 0); got.Approval.Seq != 0 || got.Approval.State != store.ApprovalPending {
			s.failf("it shows %+v", got.Approval)
		}
		s.approved(r)
		s.is(r, store.Completed, 1, 1)
	})
	// A dialogue that was left open counted for ever.
	scenario(t, "a person in the client who is later than the question is late", config.Human, func(s *sim) {
		p := s.open()
		r := &simRun{tag: "r1", workflow: "puts"}
		run := s.startRun(p, r, `{"tag":"r1","tools":["put"]}`, false, 0)
		s.until(run, "asking", 0)
		s.pass(25 * time.Hour)
		s.end(run)
		if err := p.e.Settle(); err != nil {
			s.failf("%v", err)
		}
		s.is(r, store.Expired, 0)
	})

	// What follows is about processes that slept longer than their lease, as machines do, and that others take for dead.
	sleeping := func(name, tools string, play func(s *sim, p, q *proc, run *task, r *simRun)) {
		scenario(t, name, config.Allow, func(s *sim) {
			p := s.open()
			run, r := s.calls(p, map[bool]string{true: "safes", false: "frees"}[strings.Contains(tools, "safe")], tools)
			q := s.open()
			play(s, p, q, run, r)
		})
	}
	sleep := func(s *sim, p *proc) {
		p.stalled = 1
		s.pass(time.Minute)
		p.stalled = 0
	}
	sleeping("its answer settles the doubt", "free free", func(s *sim, p, q *proc, run *task, r *simRun) {
		s.until(run, "after-send", 1)
		sleep(s, p)
		s.end(s.resume(q, r.id))
		s.is(r, store.InDoubt, 1)
		s.end(run)
		s.is(r, store.Interrupted, 1, 0)
		s.end(s.resume(q, r.id))
		s.is(r, store.Completed, 1, 1)
	})
	sleeping("its doubt is none that was not known", "free", func(s *sim, p, q *proc, run *task, r *simRun) {
		s.world.plan = func(string, string, int) plan { return plan{reply: "unknown", acts: true} }
		s.until(run, "after-send", 1)
		sleep(s, p)
		s.end(s.resume(q, r.id))
		s.is(r, store.InDoubt, 1)
		s.end(run)
		s.is(r, store.InDoubt, 1)
	})
	sleeping("a person has said already what it says", "free", func(s *sim, p, q *proc, run *task, r *simRun) {
		s.until(run, "after-send", 1)
		sleep(s, p)
		s.end(s.resume(q, r.id))
		s.end(s.spawn(q, "resolve", func(context.Context) error { return s.resolve(q, r.id) }))
		s.end(run)
		s.is(r, store.Interrupted, 1)
		s.end(s.resume(q, r.id))
		s.is(r, store.Completed, 1)
	})
	sleeping("its doubt does not take back what the policy has cleared", "safe", func(s *sim, p, q *proc, run *task, r *simRun) {
		s.world.plan = func(_, _ string, attempt int) plan {
			return plan{reply: map[bool]string{true: "unknown", false: "ok"}[attempt == 1], acts: true}
		}
		s.until(run, "after-send", 1)
		sleep(s, p)
		resume := s.resume(q, r.id)
		s.until(resume, "claimed", 0)
		s.end(run)
		s.end(resume)
		s.is(r, store.Completed, 2)
	})
	sleeping("it answers just before the call is repeated", "get free", func(s *sim, p, q *proc, run *task, r *simRun) {
		s.until(run, "answered", 1)
		sleep(s, p)
		resume := s.resume(q, r.id)
		s.until(resume, "before-intent", 1)
		s.end(run)
		s.end(resume)
		s.is(r, store.Completed, 0, 1)
		if n := s.world.attempts[callName(r.tag, 1)]; n != 1 {
			s.failf("the call was made %d times", n)
		}
	})
	sleeping("it takes its own run up again", "get free free", func(s *sim, p, q *proc, run *task, r *simRun) {
		s.until(run, "before-intent", 2)
		sleep(s, p)
		if err := q.e.Settle(); err != nil {
			s.failf("%v", err)
		}
		resume := s.resume(p, r.id)
		s.until(resume, "open", 0)
		s.end(run) // it has lost it, though its process has it
		s.end(resume)
		s.is(r, store.Completed, 0, 1, 1)
	})
	// The run's end said that nothing was in doubt, and failed.
	scenario(t, "a doubt is not settled before the run is left", config.Allow, func(s *sim) {
		p := s.open()
		s.world.plan = func(string, string, int) plan { return plan{reply: "unknown"} }
		run, r := s.calls(p, "frees", "free")
		s.until(run, "after-record", 1)
		s.refused(second(p.e.Resolve(r.id, 1, Resolution{})), "still-running")
		s.end(run)
		s.is(r, store.InDoubt, 0)
	})
}
