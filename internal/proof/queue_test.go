package proof_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

const queued = `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    n = ctx.lab.add(a=40, b=2)["sum"]
    ctx.lab.note(text=ctx.inputs.get("tag", ""))
    return {"n": n}
`

// daemon is a process runlace serve --http.
type daemon struct {
	cmd   *exec.Cmd
	ready chan bool // true: it serves; false: it has ended
	said  struct {
		URL   string
		Error struct{ Code, Message string }
	}
	err   bytes.Buffer
	ended chan struct{}
}

func (l *lab) daemon(binary string) *daemon {
	l.t.Helper()
	d := &daemon{cmd: exec.Command(binary, "serve", "--http", "0", "--json", "--approval", config.Allow), ready: make(chan bool, 1), ended: make(chan struct{})}
	d.cmd.Env = append(os.Environ(), home.Variable+"="+l.place.Home)
	d.cmd.Stderr = &d.err
	out, err := d.cmd.StdoutPipe()
	l.check(err)
	l.check(d.cmd.Start())
	l.t.Cleanup(func() { d.end(os.Interrupt) })
	go func() {
		defer close(d.ended)
		line, err := bufio.NewReader(out).ReadString('\n')
		_ = json.Unmarshal([]byte(line), &d.said) // what is no object says nothing
		d.ready <- err == nil && d.said.URL != ""
		_ = d.cmd.Wait() // its exit code is looked at where it matters
	}()
	return d
}

func (d *daemon) end(how os.Signal) {
	_ = d.cmd.Process.Signal(how) // it may have ended
	<-d.ended
}

// two starts two daemons at the same moment, and returns the one that serves. The other has to say who does.
func (l *lab) two(binary string) *daemon {
	l.t.Helper()
	both := []*daemon{l.daemon(binary), l.daemon(binary)}
	serves := []bool{<-both[0].ready, <-both[1].ready}
	if serves[0] == serves[1] {
		l.t.Fatalf("of two daemons on one home, serve %v\n%s\n%s", serves, &both[0].err, &both[1].err)
	}
	winner, loser := both[0], both[1]
	if serves[1] {
		winner, loser = loser, winner
	}
	<-loser.ended
	who, code := fmt.Sprintf("process %d on ", winner.cmd.Process.Pid), loser.cmd.ProcessState.ExitCode()
	if code != fault.ExitUsage || loser.said.Error.Code != "lease-held" || !strings.Contains(loser.said.Error.Message, who) {
		l.t.Errorf("the second daemon ends with %d and says %+v %s, and has to name %s", code, loser.said, &loser.err, who)
	}
	l.t.Logf("the second daemon ends with exit code %d, %s: %s", code, loser.said.Error.Code, loser.said.Error.Message)
	return winner
}

// All runs in the queue come to their end, each once, though two daemons are started on one home and the one that drains is killed in the middle.
func TestQueueDrains(t *testing.T) {
	runs := size(300, 10_000)
	l := newLab(t, config.Allow)
	l.create("queued", queued)
	binary := filepath.Join(t.TempDir(), "runlace")
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/runlace").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}

	start := time.Now()
	l.enqueue(0, runs/2)
	queueing := time.Since(start)

	start = time.Now()
	first := l.two(binary)
	var more sync.WaitGroup
	more.Go(func() { l.enqueue(runs/2, runs) }) // while the others are drained
	l.until(func(n map[store.RunStatus]int) bool { return n[store.Completed] >= runs*6/10 })
	first.end(os.Kill)
	l.gone(l.acts) // its server, before anybody looks at what that has done
	before, drained := l.counted(), time.Since(start)
	l.check(l.Settle())
	settled := l.counted()

	start = time.Now()
	second := l.two(binary)
	happened, not := 0, 0
	more.Wait()
	l.until(func(n map[store.RunStatus]int) bool {
		if n[store.InDoubt] > 0 {
			yes, no := l.resolveAll()
			happened, not = happened+yes, not+no
		}
		return n[store.Completed] == runs
	})
	rest := time.Since(start)
	second.end(os.Interrupt)
	if code := second.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the daemon ends with %d\n%s", code, &second.err)
	}

	l.undamaged()
	once, twice := 0, 0
	seen := l.acted()
	for n := range runs {
		switch tag := fmt.Sprint("run ", n); seen[tag] {
		case 0:
			t.Errorf("%s has not acted", tag)
		case 1:
			once++
		default:
			twice++
			t.Errorf("%s has acted %d times", tag, seen[tag])
		}
	}
	after := l.counted()
	if after[store.Completed] != runs || len(after) != 1 {
		t.Errorf("of %d runs there are %v", runs, after)
	}
	table(t, "the queue", [][]any{
		{"runs put into the queue", runs, fmt.Sprintf("%.0f a second", float64(runs/2)/queueing.Seconds())},
		{"completed when the daemon was killed", before[store.Completed], fmt.Sprintf("%.0f a second", float64(before[store.Completed])/drained.Seconds())},
		{"running then", before[store.Running]},
		{"of those interrupted", settled[store.Interrupted]},
		{"of those in doubt", settled[store.InDoubt], fmt.Sprintf("resolved: %d happened, %d did not", happened, not)},
		{"completed at the end", after[store.Completed], fmt.Sprintf("%.0f a second", float64(runs-before[store.Completed])/rest.Seconds())},
		{"acts that happened once", once}, {"more than once", twice}, {"lost", runs - once - twice},
	})
}

// enqueue puts the runs with these numbers into the queue.
func (l *lab) enqueue(from, to int) {
	var all sync.WaitGroup
	numbers := make(chan int)
	for range 2 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for n := range numbers {
				r, err := l.Run(l.t.Context(), engine.Request{Workflow: "queued", Inputs: json.RawMessage(fmt.Sprintf(`{"tag": "run %d"}`, n)), Queue: true})
				if err != nil || r.Status == store.Failed {
					l.t.Errorf("run %d: %+v, %v", n, r, err)
				}
			}
		})
	}
	for n := from; n < to; n++ {
		numbers <- n
	}
	close(numbers)
	all.Wait()
}

// until looks at the states of all runs until they are as they have to be.
func (l *lab) until(done func(map[store.RunStatus]int) bool) {
	l.t.Helper()
	last, since := 0, time.Now()
	for {
		n := l.counted()
		if done(n) {
			return
		}
		if n[store.Completed] != last {
			last, since = n[store.Completed], time.Now()
		}
		if n[store.Failed]+n[store.Cancelled] > 0 || time.Since(since) > time.Minute {
			l.t.Fatalf("the queue stands still, or has failures: %v", n)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// resolveAll settles all doubts by what the server has seen.
func (l *lab) resolveAll() (happened, not int) {
	l.t.Helper()
	doubts, err := l.Store().Runs(store.RunFilter{Statuses: []store.RunStatus{store.InDoubt}, Limit: 1000})
	l.check(err)
	seen := l.acted()
	for _, run := range doubts {
		steps, err := l.Store().InFlight(run.ID)
		l.check(err)
		for _, s := range steps {
			var a struct{ Text string }
			l.check(json.Unmarshal(s.Arguments, &a))
			if seen[a.Text] > 0 {
				happened++
			} else {
				not++
			}
			_, err := l.Resolve(run.ID, s.Seq, engine.Resolution{Happened: seen[a.Text] > 0})
			l.check(err)
		}
	}
	return happened, not
}
