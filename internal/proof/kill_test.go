package proof_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
)

// acting reads and acts in turns: eight acts, of which every second takes its time on the wire.
const acting = `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    tag = ctx.inputs.get("tag", "")
    total = 0
    for i in range(4):
        total = ctx.lab.add(a=total, b=i)["sum"]
        ctx.lab.note(text=f"{tag} note {i}")
        ctx.lab.slow(ms=4)
        ctx.lab.push(text=f"{tag} push {i}")
    return {"n": total}
`

// steps is how many that makes.
const steps = 16

func actsOf(tag string) (texts []string) {
	for i := range 4 {
		texts = append(texts, fmt.Sprintf("%s note %d", tag, i), fmt.Sprintf("%s push %d", tag, i))
	}
	return texts
}

// Where a kill has met a run.
const (
	metStart      = "before the run existed"
	metConnecting = "before the run existed, connecting"
	metQueue      = "before it was taken up, or taken up again"
	metAnswering  = "taken up again, nothing sent yet"
	metFirst      = "before the first step"
	metRead       = "a read on its way"
	metIntent     = "an act on its way, which never arrived"
	metWire       = "an act on its way, which happened"
	metBetween    = "between two steps"
	metEnd        = "when the run was over"
)

var places = []string{metStart, metConnecting, metQueue, metAnswering, metFirst, metRead, metIntent, metWire, metBetween, metEnd}

// tally is what came of the kills in one place.
type tally struct{ kills, interrupted, doubt, final, queued, happened, not int }

// Whenever a process is killed: once the doubts are settled by what the server has seen, each act of each run has happened exactly once.
func TestKilled(t *testing.T) {
	kills := size(25, 1000)
	l := newLab(t, config.Allow)
	l.create("acting", acting)
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	k := &killing{lab: l, r: r, met: map[string]*tally{}}
	for _, p := range places {
		k.met[p] = &tally{}
	}
	start := time.Now()
	k.measure()
	tags := []string{"measured"}
	for k.total < kills {
		tag := fmt.Sprintf("run-%d", len(tags))
		tags = append(tags, tag)
		k.round(tag, kills)
	}

	// The server's word: each act of each run, once.
	seen, twice, missing := l.acted(), 0, 0
	for _, tag := range tags {
		for _, text := range actsOf(tag) {
			switch n := seen[text]; {
			case n == 0:
				missing++
				t.Errorf("%s has not happened", text)
			case n > 1:
				twice++
				t.Errorf("%s has happened %d times", text, n)
			}
			delete(seen, text)
		}
	}
	if len(seen) > 0 {
		t.Errorf("acts that nobody asked for: %v", seen)
	}
	counts := l.counted()
	if counts[store.Completed] != len(tags) || len(counts) != 1 {
		t.Errorf("of %d runs there are %v", len(tags), counts)
	}
	rows := [][]any{{"killed", "kills", "interrupted", "in doubt", "queued", "over", "resolved happened", "resolved did not"}}
	sum := tally{}
	for _, p := range places {
		m := k.met[p]
		rows = append(rows, []any{p, m.kills, m.interrupted, m.doubt, m.queued, m.final, m.happened, m.not})
		sum = tally{sum.kills + m.kills, sum.interrupted + m.interrupted, sum.doubt + m.doubt, sum.final + m.final, sum.queued + m.queued, sum.happened + m.happened, sum.not + m.not}
	}
	rows = append(rows, []any{"all", sum.kills, sum.interrupted, sum.doubt, sum.queued, sum.final, sum.happened, sum.not})
	table(t, fmt.Sprintf("%d kill -9 in %.0f s", k.total, time.Since(start).Seconds()), rows)
	table(t, "what was left", [][]any{
		{"runs", len(tags)}, {"runs completed", counts[store.Completed]}, {"runs lost", k.lost}, {"processes that hung", k.hung},
		{"acts expected", 8 * len(tags)}, {"acts that happened once", 8*len(tags) - missing - twice}, {"missing", missing}, {"more than once", twice},
		{"databases damaged", 0}, {"replays of the resumed runs that differ", k.differ},
	})
	if k.hung > 0 || k.lost > 0 || k.differ > 0 {
		t.Errorf("%d hung, %d lost, %d differ", k.hung, k.lost, k.differ)
	}
}

type killing struct {
	*lab
	r            *rand.Rand
	met          map[string]*tally
	total, hung  int
	lost, differ int
	life         time.Duration // of a process that is not killed
	fromRun      time.Duration // of that, from the start of the run on
	known        []string      // runs
	before       string        // how far the run had come before the last process
}

// measure runs once without a kill, to learn how long that takes.
func (k *killing) measure() {
	start, run := time.Now(), time.Time{}
	p := begin(k.t, k.task("measured", ""))
	for s := range p.lines {
		if s.Event == "failed" {
			k.t.Fatal(s.Error)
		}
		if s.Event == "opening" {
			run = time.Now()
		}
		if s.Run != "" && len(k.known) == 0 {
			k.known = append(k.known, s.Run)
		}
	}
	_ = p.wait()
	k.life, k.fromRun = time.Since(start), time.Since(run)
	k.t.Logf("a process that is not killed lives %d ms, %d ms of them from connecting on", k.life.Milliseconds(), k.fromRun.Milliseconds())
}

func (k *killing) task(tag, run string) task {
	if run != "" {
		return task{Do: "resume", Place: k.place, Runs: []string{run}}
	}
	inputs, err := json.Marshal(map[string]string{"tag": tag})
	k.check(err)
	return task{Do: "run", Place: k.place, Workflow: "acting", Inputs: inputs}
}

// round brings one run to its end, over as many kills as meet it.
func (k *killing) round(tag string, most int) {
	k.t.Helper()
	run := ""
	if k.r.IntN(3) == 0 { // one that exists before a process has it
		t := k.task(tag, "")
		q, err := k.Run(k.t.Context(), engine.Request{Workflow: t.Workflow, Inputs: t.Inputs, Confirm: true, Queue: true})
		k.check(err)
		run = q.ID
		k.known = append(k.known, run)
	}
	for range 1000 {
		deadly, recorded := k.total < most, 0
		if k.before = ""; run != "" {
			k.before, recorded = k.progress(run)
		}
		said, killed := k.attempt(k.task(tag, run), deadly, recorded)
		k.undamaged()
		if run == "" {
			run = k.newRun()
		}
		for _, s := range said {
			if s.Event == "failed" {
				k.t.Fatalf("%s: %s", tag, s.Error)
			}
			if s.Run != "" && s.Run != run {
				k.lost++
				k.t.Errorf("the process has told of run %s, and the journal has %q", s.Run, run)
			}
		}
		if k.settle(tag, run, said, killed) {
			return
		}
	}
	k.t.Fatalf("%s does not come to its end", tag)
}

// attempt starts a process, and kills it at a random moment, if it is deadly: of its whole life, of its time with the run, or close to a step. It tells
// whether the process was killed: it may have been faster.
func (k *killing) attempt(t task, deadly bool, recorded int) (lines []said, killed bool) {
	p, start := begin(k.t, t), time.Now()
	after, count, wait := "", 0, time.Minute
	if deadly {
		after, count, wait = k.moment(recorded)
	}
	for count > 0 {
		s, ok := <-p.lines
		if !ok {
			break
		}
		if lines = append(lines, s); s.Event == after {
			count--
		}
	}
	end := time.After(wait)
	for alive := true; alive; {
		select {
		case s, ok := <-p.lines:
			if alive = ok; ok {
				lines = append(lines, s)
			}
		case <-end:
			alive = false
			if !deadly {
				k.hung++
			}
		}
	}
	lines = append(lines, p.kill()...)
	if killed = p.cmd.ProcessState.ExitCode() == -1; !killed {
		k.life = (3*k.life + time.Since(start)) / 4
	}
	k.gone(k.place.Home) // and its server, before anybody looks at what that has done
	k.gone(k.acts)
	return lines, killed
}

// moment is when to kill: so long after the process has said an event so many times; 0 times: after its start.
func (k *killing) moment(recorded int) (event string, count int, wait time.Duration) {
	upTo := func(d time.Duration) time.Duration { return time.Duration(k.r.Int64N(int64(d))) }
	switch k.r.IntN(8) {
	case 0, 1:
		return "", 0, upTo(k.life)
	case 2:
		return "opening", 1, upTo(k.fromRun)
	case 3:
		return "opening", 1, upTo(k.fromRun / 10)
	}
	return "step", 1 + recorded + k.r.IntN(max(1, steps-recorded)), upTo(10 * time.Millisecond)
}

// newRun is the run that the last process has begun; "" if it was killed before.
func (k *killing) newRun() string {
	runs, err := k.Store().Runs(store.RunFilter{Limit: 1})
	k.check(err)
	if len(runs) == 0 || slices.Contains(k.known, runs[0].ID) {
		return ""
	}
	k.known = append(k.known, runs[0].ID)
	return runs[0].ID
}

// settle looks at what a kill has left, does as a person would do, and reports whether the run is over.
func (k *killing) settle(tag, id string, lines []said, killed bool) bool {
	k.t.Helper()
	m := k.met[metStart]
	if slices.ContainsFunc(lines, func(s said) bool { return s.Event == "opening" }) {
		m = k.met[metConnecting]
	}
	if id != "" {
		was, err := k.Store().Run(id)
		k.check(err)
		flight, err := k.Store().InFlight(id)
		k.check(err)
		if len(flight) > 1 {
			k.t.Errorf("run %s had %d steps in flight", id, len(flight))
		}
		now, _ := k.progress(id)
		m = k.met[k.where(was, flight, now == k.before)]
		k.check(k.Settle())
	}
	if killed {
		k.total++
		m.kills++
	} else {
		m = &tally{} // it was not killed
	}
	if id == "" {
		return false
	}
	run, err := k.GetRun(id)
	k.check(err)
	switch run.Status {
	case store.Completed:
		m.final++
		r, err := k.Replay(k.t.Context(), id, nil)
		k.check(err)
		if !r.Identical || !r.Complete || !r.FuelTold {
			k.differ++
			k.t.Errorf("the replay of %s differs: %+v", id, r.Difference)
		}
		return true
	case store.Interrupted:
		m.interrupted++
	case store.Queued:
		m.queued++
	case store.InDoubt:
		m.doubt++
		k.resolve(tag, run, m)
	default:
		k.t.Fatalf("run %s is %s after a kill: %s %s", id, run.Status, run.Code, run.Error)
	}
	return false
}

// where says in which place a kill has met a run, by what the journal and the server have of it.
func (k *killing) where(was store.Run, flight []store.Step, still bool) string {
	switch {
	case was.Status.Final():
		return metEnd
	case was.Status != store.Running:
		return metQueue
	case was.Steps == 0:
		return metFirst
	case still:
		return metAnswering
	case len(flight) == 0:
		return metBetween
	case flight[0].Risk == store.ReadOnly:
		return metRead
	case k.happened(flight[0]) > 0:
		return metWire
	}
	return metIntent
}

// progress tells how far a run has come: it changes with everything that is sent or answered. recorded is how many steps have an answer.
func (k *killing) progress(id string) (progress string, recorded int) {
	run, err := k.Store().Run(id)
	k.check(err)
	flight, err := k.Store().InFlight(id)
	k.check(err)
	for _, s := range flight {
		progress += fmt.Sprintf("step %d, attempt %d, ", s.Seq, s.Attempt)
	}
	return progress + fmt.Sprint(run.Steps), run.Steps - len(flight)
}

// happened is how often an act has arrived at the server.
func (k *killing) happened(s store.Step) int {
	var a struct{ Text string }
	k.check(json.Unmarshal(s.Arguments, &a))
	return k.acted()[a.Text]
}

// resolve settles the doubt by what the server has seen.
func (k *killing) resolve(tag string, run *engine.Run, m *tally) {
	k.t.Helper()
	if _, err := k.Resume(k.t.Context(), run.ID, engine.ResumeOptions{}); err == nil || errCode(err) != "in-doubt" {
		k.t.Errorf("%s is in doubt, and resume says %v", tag, err)
	}
	steps, err := k.Store().InFlight(run.ID)
	k.check(err)
	for _, s := range steps {
		if s.State != store.StepInDoubt {
			continue
		}
		answer := engine.Resolution{Happened: k.happened(s) > 0}
		if answer.Happened {
			m.happened++
		} else {
			m.not++
		}
		after, err := k.Resolve(run.ID, s.Seq, answer)
		k.check(err)
		if after.Status != store.Interrupted {
			k.t.Errorf("%s is %s when its doubt is settled", tag, after.Status)
		}
	}
}

func errCode(err error) string {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return f.Code
	}
	return ""
}
