package store

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// childVariable makes this test binary a process that works on a database until it is killed.
const childVariable = "RUNLACE_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		if err := child(path); err != nil {
			fmt.Println("error", err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// child runs workflows in two goroutines. It says on standard output what it has done so far; a line is one write.
func child(path string) error {
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	var say sync.Mutex
	tell := func(format string, args ...any) {
		say.Lock()
		defer say.Unlock()
		_, _ = fmt.Printf(format+"\n", args...)
	}
	tell("opened")
	failed := make(chan error)
	for g := range 2 {
		go func() {
			for i := 0; ; i++ {
				if err := childRun(s, fmt.Sprint("w", g), i, tell); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

func childRun(s *Store, name string, i int, tell func(string, ...any)) error {
	saved, err := s.SaveVersion(NewVersion{Name: name, Code: fmt.Sprint("version ", i/5), Inputs: raw("{}"), Pins: testPins})
	if err != nil {
		return err
	}
	tell("saved %s %s", name, saved.VersionID)
	j, err := s.StartRun(NewRun{Version: saved.VersionID, Mode: Live})
	if err != nil {
		return err
	}
	id := j.Run().ID
	tell("started %s", id)
	for seq := 1; seq <= 12; seq++ {
		step, durable := read(seq), false
		if seq%3 == 0 {
			step, durable = act(seq), true
		}
		if err := j.Intent(step, durable); err != nil {
			return err
		}
		tell("sent %s %d", id, seq)
		if err := j.Outcome(seq, answered); err != nil {
			return err
		}
		tell("done %s %d", id, seq)
	}
	if err := j.Finish(Finish{Status: Completed}); err != nil {
		return err
	}
	tell("finished %s", id)
	return nil
}

// killed runs the child until something has happened, and for a while longer, then kills it. It returns what the child said.
func killed(t *testing.T, path string, until string, longer time.Duration) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	ok(t, err)
	ok(t, cmd.Start())
	var lines []string
	seen := make(chan bool, 1)
	read := make(chan bool)
	go func() {
		defer close(read)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			lines = append(lines, sc.Text())
			if sc.Text() == until {
				seen <- true
			}
		}
	}()
	if until != "" {
		select {
		case <-seen:
		case <-read:
		case <-time.After(20 * time.Second):
			t.Error("the child does nothing")
		}
	}
	time.Sleep(longer)
	ok(t, cmd.Process.Kill())
	<-read
	_ = cmd.Wait() // killed
	return lines
}

func TestKill(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	path := filepath.Join(t.TempDir(), "home", "runlace.db")
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	flights, doubts, steps, lost := 0, 0, 0, 0
	for range rounds {
		lines := killed(t, path, "opened", time.Duration(r.IntN(40_000))*time.Microsecond)
		s := open(t, path, Options{})
		undamaged(t, s)
		lost += check(t, s, lines)
		for _, run := range must[[]Run](t)(s.Settle(func(Run) bool { return true })) {
			inFlight := must[[]Step](t)(s.InFlight(run.ID))
			if len(inFlight) > 1 {
				t.Errorf("run %s had %d steps in flight", run.ID, len(inFlight))
			}
			want := Interrupted
			for _, st := range inFlight {
				flights++
				if st.Risk != ReadOnly {
					want = InDoubt
					doubts++
				}
				if st.Seq != run.Steps {
					t.Errorf("step %d of %d was in flight", st.Seq, run.Steps)
				}
			}
			if run.Status != want {
				t.Errorf("run %s is %s, want %s: %+v", run.ID, run.Status, want, inFlight)
			}
			resume(t, s, run, r)
		}
		n := must[Counts](t)(s.Counts())
		steps = n.Steps
		if len(n.Runs) > 1 {
			t.Errorf("not all runs are completed: %v", n.Runs)
		}
		ok(t, s.Close())
		if t.Failed() {
			break
		}
	}
	t.Logf("%d kills, %d steps, %d in flight, of which %d acts; %d reported and lost", rounds, steps, flights, doubts, lost)
	if flights == 0 || doubts == 0 {
		if !testing.Short() {
			t.Error("the kills never met a step in flight")
		}
	}
}

// check compares the journal with what the child said before it died.
func check(t *testing.T, s *Store, lines []string) (lost int) {
	t.Helper()
	for _, line := range lines {
		var word, id string
		var seq int
		_, _ = fmt.Sscan(line, &word, &id, &seq) // shorter lines are fine
		switch word {
		case "error":
			t.Error(line)
		case "started":
			if _, err := s.Run(id); err != nil {
				t.Errorf("%s: %v", line, err)
				lost++
			}
		case "sent", "done":
			st, err := s.Step(id, seq)
			if err != nil || word == "done" && (st.State != StepOK || string(st.Result) != string(answered.Result)) {
				t.Errorf("%s: %+v, %v", line, st, err)
				lost++
			}
		case "finished":
			if run, err := s.Run(id); err != nil || run.Status != Completed || run.Steps != 12 {
				t.Errorf("%s: %+v, %v", line, run, err)
				lost++
			}
		case "saved":
			var version string
			_, _ = fmt.Sscan(line, &word, &id, &version)
			v, err := s.VersionByID(version)
			if err != nil || v.Code == "" || len(v.Pins) != 2 {
				t.Errorf("%s: %+v, %v", line, v, err)
				lost++
			}
		}
	}
	return lost
}

// resume brings an interrupted run to its end.
func resume(t *testing.T, s *Store, run Run, r *rand.Rand) {
	t.Helper()
	for _, st := range must[[]Step](t)(s.InFlight(run.ID)) {
		if st.State == StepInDoubt {
			if _, err := s.Adopt(run.ID, "g"); !errors.As(err, new(*TransitionError)) {
				t.Errorf("a run in doubt was taken up: %v", err)
			}
			ok(t, s.Resolve(run.ID, st.Seq, r.IntN(2) == 0, answered))
		}
	}
	j := must[*Journal](t)(s.Adopt(run.ID, "g"))
	for _, st := range must[[]Step](t)(s.InFlight(run.ID)) {
		ok(t, j.Again(st.Seq, true))
		ok(t, j.Outcome(st.Seq, answered))
	}
	ok(t, j.Finish(Finish{Status: Completed}))
}

// A process that dies while it makes the database leaves nothing that stops the next.
func TestKillAtTheStart(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	empty := 0
	for range rounds {
		path := filepath.Join(t.TempDir(), "runlace.db")
		if lines := killed(t, path, "", time.Duration(r.IntN(25_000))*time.Microsecond); len(lines) == 0 {
			empty++
		}
		s := open(t, path, Options{})
		save(t, s, "report", "code")
		undamaged(t, s)
		ok(t, s.Close())
	}
	t.Logf("%d of %d were killed before the database was open", empty, rounds)
}
