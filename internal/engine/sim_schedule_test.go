package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

// The simulation owns order and time. What a process does is a task: a goroutine that runs only when the scheduler says so, from one yield
// to the next. A task yields at each point of a run (Engine.probe), around each call to the world, and while it opens connectors. There the
// scheduler, with numbers from a seed, lets another one go on, lets time pass, or kills a process. A process is an Engine on the home that all
// of them share; a killed one is never closed, as if by kill -9: its tasks end where they stand.
type sim struct {
	t          testing.TB
	r          *rand.Rand
	seed       uint64
	home       home.Home
	ask        string // Options.Approval of all processes
	policy     map[string]string
	repolicied bool // the policy is not the one that the runs began with
	now        time.Time
	world      *world
	db         *sqlite3.Conn // looks at the journal without the code under test
	prepared   map[string]*sqlite3.Stmt
	procs      []*proc
	tasks      []*task
	cur        *task // the one that runs; nil: the scheduler
	runs       []*simRun
	byID       map[string]*simRun
	past       past
	count      *coverage
	lines      []string
	random     bool // whether processes die and stall by chance
}

// coverage counts over all schedules.
type coverage struct {
	mu                           sync.Mutex
	schedules, runs, steps, acts int
	kills, ends, ops, refused    map[string]int
	replays, withheld            int
}

func newCoverage() *coverage {
	return &coverage{kills: map[string]int{}, ends: map[string]int{}, ops: map[string]int{}, refused: map[string]int{}}
}

// proc is a process.
type proc struct {
	name    string
	e       *Engine
	dead    bool
	stalled int // yields that it still sleeps through, without renewing anything
	held    []*held
}

// held is a run that a process holds.
type held struct {
	task   *task
	ctx    context.Context
	j      *store.Journal
	cancel context.CancelCauseFunc
}

// task is one thing that a process does.
type task struct {
	name     string
	proc     *proc
	resume   chan bool // false: it dies
	yielded  chan bool // true: it is over
	over     bool
	point    string // where it stands
	run      string
	seq      int
	leave    context.CancelCauseFunc
	canLeave context.Context
	err      error
}

// simRun is what the simulation knows of a run that it has asked for.
type simRun struct {
	tag       string
	id        string
	dry       bool
	confirmed bool
	workflow  string
}

// stop ends a schedule at the first thing that is wrong.
type stop struct{ what string }

func (s *sim) failf(format string, args ...any) { panic(stop{fmt.Sprintf(format, args...)}) }

func (s *sim) logf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	for _, r := range s.runs {
		if r.id != "" {
			line = strings.ReplaceAll(line, r.id, r.tag)
		}
	}
	s.lines = append(s.lines, s.now.Format("02 15:04:05.000 ")+line)
}

func (s *sim) chance(n, of int) bool { return s.r.IntN(of) < n }

func pick[T any](s *sim, list []T) T { return list[s.r.IntN(len(list))] }

// spawn starts a task. It does not run before the scheduler lets it.
func (s *sim) spawn(p *proc, name string, f func(ctx context.Context) error) *task {
	t := &task{name: name, proc: p, resume: make(chan bool), yielded: make(chan bool), point: "begin"}
	t.canLeave, t.leave = context.WithCancelCause(context.Background())
	s.tasks = append(s.tasks, t)
	s.count.ops[strings.Fields(name)[0]]++
	go func() {
		defer func() {
			if p := recover(); p != nil {
				if _, ours := p.(stop); !ours {
					p = stop{fmt.Sprintf("panic: %v\n%s", p, stack())}
				}
				t.err = p.(stop)
			}
			t.over = true
			t.yielded <- true
		}()
		if !<-t.resume {
			return
		}
		if err := f(t.canLeave); err != nil {
			s.refusal(t, err)
		}
	}()
	s.logf("%s: %s", p.name, name)
	return t
}

func stack() string {
	b := make([]byte, 1<<14)
	return string(b[:runtime.Stack(b, false)])
}

func (e stop) Error() string { return e.what }

// refusal is an error of an operation: refusals are part of the game, other errors are faults.
func (s *sim) refusal(t *task, err error) {
	s.logf("%s: %s: %v", t.proc.name, t.name, err)
	f := (*fault.Error)(nil)
	switch {
	case errors.As(err, &f):
		s.count.refused[f.Code]++
		switch f.Code {
		case "awaiting-approval", "still-running", "not-resumable", "already-over", "already-approved", "already-rejected", "approval-expired",
			"approval-stale", "not-awaiting-approval", "in-doubt", "not-in-doubt", "lease-held", "never-ran":
			return
		}
	case errors.Is(err, store.ErrLost):
		s.count.refused["lost"]++
		return
	}
	s.failf("%s of %s: %v", t.name, t.proc.name, err)
}

// point is where a task yields.
func (s *sim) point(point, run string, seq int) {
	t := s.cur
	if t == nil {
		return
	}
	t.point, t.run, t.seq = point, run, seq
	t.yielded <- false
	if !<-t.resume {
		runtime.Goexit()
	}
}

// step lets a task go on to its next yield.
func (s *sim) step(t *task, live bool) {
	s.cur = t
	t.resume <- live
	over := <-t.yielded
	s.cur = nil
	if t.err != nil {
		panic(t.err)
	}
	if over {
		for i, other := range s.tasks {
			if other == t {
				s.tasks = append(s.tasks[:i], s.tasks[i+1:]...)
				break
			}
		}
		return
	}
	s.logf("%s: %s at %s %s %d", t.proc.name, t.name, t.point, t.run, t.seq)
}

// kill ends a process where it stands.
func (s *sim) kill(p *proc) {
	s.logf("%s is killed", p.name)
	p.dead = true
	for i := 0; i < len(s.tasks); {
		if t := s.tasks[i]; t.proc == p {
			s.step(t, false)
			continue
		}
		i++
	}
}

// open starts a process.
func (s *sim) open() *proc {
	p := &proc{name: fmt.Sprint("P", len(s.procs)+1)}
	e, err := Open(context.Background(), Options{Home: s.home, Approval: s.ask, Now: func() time.Time { return s.now }})
	if err != nil {
		s.failf("open: %v", err)
	}
	p.e = e
	e.script = script{}
	e.open = func(context.Context, []string) connections {
		s.point("open", "", 0)
		return connections{sessions: map[string]caller{"w": session{s.world, p}}, release: func() {}}
	}
	e.watch = func(ctx context.Context, j *store.Journal, cancel context.CancelCauseFunc) func() {
		h := &held{s.cur, ctx, j, cancel}
		p.held = append(p.held, h)
		return func() {
			for i := range p.held {
				if p.held[i] == h {
					p.held = append(p.held[:i], p.held[i+1:]...)
					return
				}
			}
		}
	}
	e.probe = func(point, run string, seq int) {
		s.past.at(point, run, seq)
		s.point(point, run, seq)
	}
	s.procs = append(s.procs, p)
	s.logf("%s opens the home", p.name)
	return p
}

// pass lets time pass. Processes that are awake renew what they hold, and see who has asked for an end.
func (s *sim) pass(d time.Duration) {
	s.now = s.now.Add(d)
	for _, p := range s.procs {
		if p.dead || p.stalled > 0 {
			continue
		}
		for _, h := range p.held {
			if d >= time.Second {
				if errors.Is(h.j.Beat(), store.ErrLost) {
					h.cancel(errCancelled)
				}
			}
			if asked, err := h.j.CancelRequested(); err != nil {
				s.failf("CancelRequested: %v", err)
			} else if asked {
				h.cancel(errCancelled)
			}
		}
	}
}

// awake are the processes that can do something.
func (s *sim) awake() []*proc {
	var out []*proc
	for _, p := range s.procs {
		if !p.dead && p.stalled == 0 {
			out = append(out, p)
		}
	}
	return out
}

func (s *sim) runnable() []*task {
	var out []*task
	for _, t := range s.tasks {
		if t.proc.stalled == 0 {
			out = append(out, t)
		}
	}
	return out
}

// next lets one task go on, or kills a process.
func (s *sim) next() {
	for _, p := range s.procs {
		p.stalled = max(0, p.stalled-1)
	}
	list := s.runnable()
	if len(list) == 0 {
		return
	}
	t := pick(s, list)
	if s.random {
		switch n := s.r.IntN(100); {
		case n < 4 && t.point != "begin":
			s.count.kills[t.point]++
			s.kill(t.proc)
			return
		case n < 6:
			t.proc.stalled = 5 + s.r.IntN(60)
			s.logf("%s stalls", t.proc.name)
			return
		case n < 12:
			s.pass(time.Duration(s.r.IntN(2000)) * time.Millisecond)
		case n < 14:
			s.pass(31 * time.Second)
		}
	}
	s.step(t, true)
}

// finishTasks runs until no task is left.
func (s *sim) finishTasks() {
	for len(s.tasks) > 0 {
		s.next()
	}
}

// template is a home that has the workflows, as files.
var template struct {
	once  sync.Once
	files map[string][]byte
	err   error
}

// scratch is a folder in memory, where there is one: the schedules are about order, and the disk has tests of its own.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "runlace-sim-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// newSim copies a home that has the workflows.
func newSim(t testing.TB, dir string, seed uint64, count *coverage) *sim {
	t.Helper()
	template.once.Do(func() { template.files, template.err = makeTemplate(t.TempDir()) })
	if template.err != nil {
		t.Fatal(template.err)
	}
	s := &sim{
		t: t, r: rand.New(rand.NewPCG(seed, 5)), seed: seed, now: time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC), byID: map[string]*simRun{}, count: count,
		home: home.Home{Dir: filepath.Join(dir, fmt.Sprint(seed))},
	}
	s.past = newPast()
	s.world = newWorld(s)
	if err := os.Mkdir(s.home.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range template.files {
		if err := os.WriteFile(filepath.Join(s.home.Dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// close ends everything, and removes the home.
func (s *sim) close() {
	for _, t := range s.tasks { // of a schedule that stopped at a fault
		if !t.over {
			t.resume <- false
			<-t.yielded
		}
	}
	for _, p := range s.procs {
		_ = p.e.store.Close()
	}
	s.closeDB()
	_ = os.RemoveAll(s.home.Dir)
}

func (s *sim) closeDB() {
	for _, st := range s.prepared {
		_ = st.Close()
	}
	if s.db != nil {
		_ = s.db.Close()
	}
}
