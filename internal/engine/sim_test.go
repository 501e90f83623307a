package engine

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

var (
	simSeed      = flag.Uint64("sim.seed", 0, "run this one schedule of the simulation, and print what happens in it")
	simSchedules = flag.Int("sim.schedules", 0, "how many schedules; 0: 2000, and with -short 200")
)

// Whatever the order, whatever dies and whenever, the journal and the world are as they have to be (sim.check), every run can be brought to its
// end, and executing it once more from the journal alone gives the same.
func TestSimulation(t *testing.T) {
	dir, count := scratch(t), newCoverage()
	if *simSeed != 0 {
		lines, fault := schedule(t, dir, *simSeed, count)
		t.Log(strings.Join(lines, "\n"))
		if fault != "" {
			t.Error(fault)
		}
		return
	}
	n := 2000
	if testing.Short() {
		n = 200
	}
	if *simSchedules > 0 {
		n = *simSchedules
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a process is some megabytes that are gone at once
	faults := 0
	for seed := uint64(1); seed <= uint64(n) && faults < 10; seed++ {
		if _, fault := schedule(t, dir, seed, count); fault != "" {
			faults++
			t.Errorf("seed %d: %s\n(to see it happen: go test ./internal/engine -run TestSimulation -sim.seed=%d -v)", seed, fault, seed)
		}
	}
	if t.Failed() {
		return
	}
	t.Log(count)
	for _, point := range []string{
		"claimed", "before-intent", "after-intent", "before-send", "after-send", "answered", "after-answer", "after-record", "park", "parked", "approved", "open",
	} {
		if count.kills[point] == 0 {
			t.Errorf("no process was ever killed at the point %s", point)
		}
	}
	for _, status := range store.RunStatuses() {
		if status.Final() && count.ends[string(status)] == 0 {
			t.Errorf("no run was ever %s", status)
		}
	}
}

func FuzzSimulation(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	count := newCoverage()
	f.Fuzz(func(t *testing.T, seed uint64) {
		if lines, fault := schedule(t, scratch(t), seed, count); fault != "" {
			t.Errorf("seed %d: %s\n%s", seed, fault, strings.Join(lines, "\n"))
		}
	})
}

func (c *coverage) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d schedules, %d runs, %d steps, %d acts; %d replays, %d withheld events derived again\n", c.schedules, c.runs, c.steps, c.acts, c.replays, c.withheld)
	for _, m := range []struct {
		what string
		m    map[string]int
	}{{"killed at", c.kills}, {"ended as", c.ends}, {"operations", c.ops}, {"refusals", c.refused}} {
		var keys []string
		for k := range m.m {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		fmt.Fprintf(&b, "%-10s", m.what)
		for _, k := range keys {
			fmt.Fprintf(&b, "  %s %d", k, m.m[k])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// schedule plays one schedule. fault says what is wrong, "" if nothing is.
func schedule(t testing.TB, dir string, seed uint64, count *coverage) (lines []string, fault string) {
	t.Helper()
	s := newSim(t, dir, seed, count)
	defer s.close()
	fault = s.guard(func() {
		s.random = true
		s.ask = pick(s, []string{config.Ask, config.Human, config.Allow})
		s.givePolicy(pick(s, simPolicies))
		s.open()
		for range 20 + s.r.IntN(50) {
			if len(s.tasks) < 4 && s.chance(1, 2) {
				s.operation()
			}
			s.next()
			if s.chance(1, 6) {
				s.check()
			}
		}
		s.conclude()
	})
	return s.lines, fault
}

// A seed is one schedule, or it would be no use to know it.
func TestSimulationIsDeterministic(t *testing.T) {
	ids := regexp.MustCompile(`run_[0-9a-f]{12}`)
	for seed := range uint64(20) {
		var told [2]string
		for i := range told {
			lines, fault := schedule(t, scratch(t), seed, newCoverage())
			told[i] = ids.ReplaceAllString(strings.Join(append(lines, fault), "\n"), "run")
		}
		if diff := cmp.Diff(strings.Split(told[0], "\n"), strings.Split(told[1], "\n")); diff != "" {
			t.Errorf("seed %d is not one schedule: %s", seed, diff)
		}
	}
}

// guard runs f and returns at which fault it stopped.
func (s *sim) guard(f func()) (fault string) {
	defer func() {
		if p := recover(); p != nil {
			if e, ours := p.(stop); ours {
				fault = e.what
				return
			}
			panic(p)
		}
	}()
	f()
	return ""
}

// simPolicies are policies by which processes go; the first is that of the scenarios.
var simPolicies = []string{
	simPolicy, strings.Replace(simPolicy, "{free: allow", "{free: each", 1), strings.Replace(simPolicy, "sign: human", "sign: ask", 1),
	strings.Replace(simPolicy, "{free: allow", "{free: human", 1),
}

func (s *sim) givePolicy(text string) {
	s.logf("approval %s, policy %s", s.ask, strings.ReplaceAll(text, "\n", " "))
	s.policy = map[string]string{}
	p := policy.Parse([]byte(text), "policy.yaml")
	for _, tool := range simTools {
		s.policy[tool.name] = string(p.Approval("w", tool.name, s.ask))
	}
	if err := os.WriteFile(s.home.Policy(), []byte(text), 0o600); err != nil {
		s.failf("%v", err)
	}
}

// known are the runs in the journal with one of these statuses, oldest first.
func (s *sim) known(statuses ...store.RunStatus) []string {
	s.learn()
	var out []string
	for _, row := range s.rows("SELECT id, status FROM runs ORDER BY num") {
		if len(statuses) == 0 {
			out = append(out, row[0])
		}
		for _, st := range statuses {
			if row[1] == string(st) {
				out = append(out, row[0])
			}
		}
	}
	return out
}

// some is one of the runs, mostly one with these statuses; "" if there is none.
func (s *sim) some(statuses ...store.RunStatus) string {
	list := s.known(statuses...)
	if len(list) == 0 || s.chance(1, 8) {
		list = s.known()
	}
	if len(list) == 0 {
		return ""
	}
	return pick(s, list)
}

// operation begins something that a process can be asked for.
func (s *sim) operation() {
	awake := s.awake()
	if len(awake) == 0 || len(awake) < 3 && s.chance(1, 12) {
		s.open()
		return
	}
	if len(s.tasks) == 0 && s.chance(1, 12) { // else a run that has begun would rightly go by the old one
		s.givePolicy(pick(s, simPolicies))
		s.repolicied = true
		return
	}
	p := pick(s, awake)
	switch n := s.r.IntN(100); {
	case n < 30 || len(s.runs) == 0:
		if len(s.runs) < 4 {
			s.start(p)
		}
	case n < 42:
		s.approve(p, s.some(store.AwaitingApproval))
	case n < 44:
		if id := s.some(store.AwaitingApproval); id != "" {
			s.spawn(p, "reject "+id, func(context.Context) error { return second(p.e.Reject(id, "", "no")) })
		}
	case n < 49:
		if id := s.some(store.Running, store.Queued, store.AwaitingApproval); id != "" {
			s.cancel(p, id)
		}
	case n < 64:
		if id := s.some(store.Interrupted, store.Queued); id != "" {
			s.resume(p, id)
		}
	case n < 72:
		if id := s.some(store.InDoubt); id != "" {
			s.spawn(p, "resolve "+id, func(context.Context) error { return s.resolve(p, id) })
		}
	case n < 86:
		s.work(p)
	case n < 90:
		s.spawn(p, "requeue", func(context.Context) error { return p.e.requeue() })
	case n < 94:
		s.spawn(p, "settle", func(context.Context) error { return p.e.Settle() })
	case n < 96:
		s.pass(25 * time.Hour)
		s.logf("a day passes")
	case n < 98:
		for _, t := range s.tasks {
			if t.proc == p {
				s.leave(t)
			}
		}
	case n < 99:
		s.count.kills["between"]++
		s.kill(p)
	}
}

func second[T any](_ T, err error) error { return err }

// start asks for a run.
func (s *sim) start(p *proc) {
	w := pick(s, simWorkflowNames)
	r := &simRun{tag: fmt.Sprint("r", len(s.runs)+1), dry: s.chance(1, 7), confirmed: s.chance(2, 3), workflow: w}
	s.startRun(p, r, fmt.Sprintf(`{"tag":%q,"most":%d}`, r.tag, 2+s.r.IntN(5)), s.chance(2, 5), s.r.IntN(6))
}

// startRun asks for a run. person: 0 one who says yes, 1 no, 2 nothing; more: nobody is there.
func (s *sim) startRun(p *proc, r *simRun, inputs string, queue bool, person int) *task {
	seed := s.r.Uint64() >> 11
	q := Request{Workflow: r.workflow, Inputs: json.RawMessage(inputs), Mode: store.Live, Confirm: r.confirmed, Seed: &seed, Queue: queue}
	if r.dry {
		q.Mode = store.Dry
	}
	if person < 3 && !queue {
		q.Person = func(_ context.Context, question Question) (Reply, error) {
			s.point("asking", r.id, question.Seq)
			return []Reply{Accepted, Declined, NobodyThere}[person], nil
		}
	}
	s.runs = append(s.runs, r)
	s.count.runs++
	return s.spawn(p, fmt.Sprintf("run %s %s dry=%v confirm=%v queue=%v person=%d %s", r.tag, r.workflow, r.dry, r.confirmed, queue, person, inputs), func(ctx context.Context) error {
		got, err := p.e.Run(ctx, q)
		return s.told(got, err)
	})
}

// told looks at what a caller is told about a run.
func (s *sim) told(r *Run, err error) error {
	if err == nil {
		s.logf("told: %s is %s %s", r.ID, r.Status, r.Error)
		if r.Code == "internal" {
			s.failf("run %s: %s", r.ID, r.Error)
		}
		if r.OK != (r.Status == store.Completed) {
			s.failf("run %s is %s, and ok is %v", r.ID, r.Status, r.OK)
		}
	}
	return err
}

func (s *sim) approve(p *proc, id string) *task {
	if id == "" {
		return nil
	}
	return s.spawn(p, "approve "+id, func(ctx context.Context) error { return second(p.e.Approve(ctx, id, "", "")) })
}

func (s *sim) cancel(p *proc, id string) *task {
	return s.spawn(p, "cancel "+id, func(context.Context) error {
		gone, stop := context.WithCancel(context.Background()) // it does not wait: time is not its own
		stop()
		return second(p.e.Cancel(gone, id, "nobody needs it"))
	})
}

func (s *sim) resume(p *proc, id string) *task {
	return s.spawn(p, "resume "+id, func(ctx context.Context) error { return s.told(p.e.Resume(ctx, id, ResumeOptions{})) })
}

func (s *sim) work(p *proc) *task {
	return s.spawn(p, "work", func(ctx context.Context) error { return second(p.e.work(ctx)) })
}

// leave tells a task that its process is about to end.
func (s *sim) leave(t *task) {
	s.logf("%s: %s is to leave", t.proc.name, t.name)
	t.leave(ErrLeaving)
	for _, h := range t.proc.held {
		if h.task == t {
			<-h.ctx.Done() // a run of the queue hears of it by way of another goroutine
		}
	}
}

// resolve asks the world what happened, and says so. Nobody does that while a process is about to send.
func (s *sim) resolve(p *proc, id string) error {
	run := s.byID[id]
	for _, row := range s.rows("SELECT s.seq FROM steps s JOIN runs r ON r.num=s.run WHERE r.id=? AND s.state='in_doubt' ORDER BY s.seq", id) {
		var seq int
		_, _ = fmt.Sscan(row[0], &seq)
		for _, t := range s.tasks {
			if t.run == id && t.seq == seq && (t.point == "after-intent" || t.point == "before-send") {
				return nil
			}
		}
		happened := s.world.effects[callName(run.tag, seq)] > 0
		s.logf("step %d of %s: happened=%v", seq, id, happened)
		if _, err := p.e.Resolve(id, seq, Resolution{Happened: happened, Result: json.RawMessage(`{"told":true}`)}); err != nil {
			return err
		}
	}
	return nil
}

// conclude lets nothing go wrong any more, and brings every run to its end.
func (s *sim) conclude() {
	s.random = false
	for _, p := range s.procs {
		if !p.dead && s.chance(1, 2) {
			s.kill(p)
		}
		p.stalled = 0
	}
	s.finishTasks()
	s.check()
	s.pass(time.Minute) // whose processes are gone, their leases are over
	p := (*proc)(nil)
	if awake := s.awake(); len(awake) > 0 {
		p = pick(s, awake)
		if err := p.e.Settle(); err != nil {
			s.failf("%v", err)
		}
	} else {
		p = s.open()
	}
	s.check()
	if left := s.known(store.Running); len(left) > 0 {
		s.failf("no process is left that runs anything, and %v still run", left)
	}
	for round := 0; ; round++ {
		open := s.known(store.Queued, store.AwaitingApproval, store.Interrupted, store.InDoubt, store.Running, store.Waiting)
		if len(open) == 0 {
			break
		}
		if round > 40 {
			s.failf("%v cannot be brought to an end", open)
		}
		id := pick(s, open)
		run, err := p.e.GetRun(id)
		if err != nil {
			s.failf("%v", err)
		}
		var t *task
		switch run.Status {
		case store.AwaitingApproval:
			if s.chance(1, 10) {
				t = s.spawn(p, "reject "+id, func(context.Context) error { return second(p.e.Reject(id, "", "no")) })
			} else {
				t = s.approve(p, id)
			}
		case store.InDoubt:
			t = s.spawn(p, "resolve "+id, func(context.Context) error { return s.resolve(p, id) })
		case store.Queued:
			t = s.work(p)
		default:
			t = s.resume(p, id)
		}
		for !t.over {
			s.step(t, true)
		}
		s.check()
	}
	s.afterwards()
}

// afterwards proves every run from the journal alone, in a process that knows nothing else.
func (s *sim) afterwards() {
	p := s.open()
	s.cur = nil
	for _, id := range s.known() {
		run, err := p.e.GetRun(id)
		if err != nil {
			s.failf("%v", err)
		}
		s.count.ends[string(run.Status)]++
		s.count.steps += len(run.Steps)
		if run.Code == "internal" {
			s.failf("run %s failed by our own fault: %s", id, run.Error)
		}
		got, err := p.e.Replay(context.Background(), id, nil)
		if err != nil {
			if s.code(err) != "never-ran" {
				s.failf("replay of %s: %v", id, err)
			}
			continue
		}
		s.count.replays++
		if !got.Identical || run.Status == store.Completed && !got.Complete {
			s.failf("the replay of %s, which is %s, is not the run: %+v\n%v", id, run.Status, got, got.Difference)
		}
	}
	s.withhold()
	s.count.schedules++
}
