package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// The whole table: every pair of statuses, and for each whether the move is legal.
func TestRunTransitions(t *testing.T) {
	legal := map[string]bool{}
	for _, pair := range []string{
		" queued", " running", " awaiting_approval", " failed",
		"queued running", "queued failed", "queued cancelled",
		"running completed", "running failed", "running cancelled", "running awaiting_approval", "running waiting", "running interrupted", "running in_doubt",
		"awaiting_approval queued", "awaiting_approval running", "awaiting_approval failed", "awaiting_approval rejected", "awaiting_approval expired",
		"awaiting_approval cancelled",
		"waiting queued", "waiting running", "waiting failed", "waiting expired", "waiting cancelled",
		"interrupted queued", "interrupted running", "interrupted failed", "interrupted cancelled",
		"in_doubt interrupted", "in_doubt failed", "in_doubt cancelled",
	} {
		legal[pair] = true
	}
	all := append([]RunStatus{""}, RunStatuses()...)
	if len(all) != len(runMoves) {
		t.Errorf("%d statuses, and the table has %d", len(all), len(runMoves))
	}
	for _, from := range all {
		for _, to := range append(all, "odd") {
			want := legal[fmt.Sprint(string(from)+" ", string(to))]
			if got := from.CanBecome(to); got != want {
				t.Errorf("%q to %q: %v, want %v", from, to, got, want)
			}
			err := moveRun("run_1", from, to)
			var te *TransitionError
			if (err == nil) != want || err != nil && (!errors.As(err, &te) || te.From != string(from) || te.To != string(to)) {
				t.Errorf("%q to %q: %v", from, to, err)
			}
		}
	}
	final := []RunStatus{Completed, Failed, Rejected, Expired, Cancelled}
	for _, s := range append(all, "odd") {
		if s.Final() != slices.Contains(final, s) {
			t.Errorf("%q is final: %v", s, s.Final())
		}
	}
}

func TestStepTransitions(t *testing.T) {
	legal := map[string]bool{
		" intent": true, " ok": true, " error": true,
		"intent ok": true, "intent error": true, "intent in_doubt": true, "intent intent": true,
		"in_doubt ok": true, "in_doubt error": true, "in_doubt intent": true,
	}
	all := []StepState{"", StepIntent, StepOK, StepError, StepInDoubt}
	if len(all) != len(stepMoves) {
		t.Errorf("%d states, and the table has %d", len(all), len(stepMoves))
	}
	for _, from := range all {
		for _, to := range append(all, "odd") {
			want := legal[string(from)+" "+string(to)]
			if got := from.CanBecome(to); got != want {
				t.Errorf("%q to %q: %v, want %v", from, to, got, want)
			}
			if err := moveStep("run_1", 1, from, to); (err == nil) != want {
				t.Errorf("%q to %q: %v", from, to, err)
			}
		}
		if final := from == StepOK || from == StepError; from.Final() != final {
			t.Errorf("%q is final: %v", from, from.Final())
		}
	}
}

// reach brings a run into a status, by the moves of the table.
func reach(t *testing.T, s *Store, version string, status RunStatus) string {
	t.Helper()
	parked := func(st RunStatus) string {
		return put(t, s, NewRun{Version: version, Mode: Live}, st)
	}
	switch status {
	case Queued, AwaitingApproval:
		return parked(status)
	case Rejected, Expired:
		id := parked(AwaitingApproval)
		must[Run](t)(s.Move(id, status, raw(`{"code":"x"}`)))
		return id
	}
	j := start(t, s, version, Live)
	if status == Running {
		return j.Run().ID
	}
	if status == InDoubt {
		ok(t, j.Intent(act(1), true))
	}
	ok(t, j.Finish(Finish{Status: status}))
	return j.Run().ID
}

// Every transition, legal or not, as the store's methods carry it out or refuse it.
func TestRunTransitionsInTheStore(t *testing.T) {
	s := temp(t, Options{})
	version := save(t, s, "report", "code").VersionID
	for _, from := range RunStatuses() {
		for _, to := range RunStatuses() {
			id := reach(t, s, version, from)
			if got := must[Run](t)(s.Run(id)); got.Status != from || got.Status.Final() != !got.FinishedAt.IsZero() {
				t.Fatalf("%s is not reached: %+v", from, got)
			}
			want := from.CanBecome(to)
			var err error
			switch {
			case from == Running && to == Running:
				_, err = s.Adopt(id, "g")
			case from == Running:
				if to == InDoubt {
					continue // see reach
				}
				j := &Journal{s: s, num: must[int64](t)(num(s, id)), run: must[Run](t)(s.Run(id))}
				end := Finish{Status: to}
				if to == AwaitingApproval {
					ask := question(s, 1)
					end.Ask = &ask
				}
				err = j.Finish(end)
			case to == Running:
				_, err = s.Adopt(id, "g")
			case from == InDoubt && to == Interrupted:
				if _, err := s.Move(id, to, nil); !errors.As(err, new(*TransitionError)) {
					t.Errorf("a doubt is not resolved by moving: %v", err)
				}
				err = s.Resolve(id, 1, false, Outcome{})
			default:
				_, err = s.Move(id, to, raw(`{"code":"x"}`))
			}
			after := must[Run](t)(s.Run(id))
			if want && (err != nil || after.Status != to) {
				t.Errorf("%s to %s: %v, it is %s", from, to, err, after.Status)
			}
			if !want && (!errors.As(err, new(*TransitionError)) || after.Status != from) {
				t.Errorf("%s to %s: %v, it is %s", from, to, err, after.Status)
			}
			if to.Final() && want == after.FinishedAt.IsZero() && !from.Final() {
				t.Errorf("%s to %s: finished at %v", from, to, after.FinishedAt)
			}
			if want && to == Running && (after.Executor.ID != s.executor.ID || after.Executor.LeaseUntil.IsZero() || after.StartedAt.IsZero()) {
				t.Errorf("%s to %s: nobody has it: %+v", from, to, after)
			}
		}
	}
	if _, err := s.Move(reach(t, s, version, Queued), Running, nil); !errors.As(err, new(*TransitionError)) {
		t.Error(err)
	}
	undamaged(t, s)
}

func num(s *Store, id string) (n int64, err error) {
	err = s.view(func(c *conn) error {
		n, err = runNum(c, id)
		return err
	})
	return n, err
}

func TestStepTransitionsInTheStore(t *testing.T) {
	s := temp(t, Options{})
	version := save(t, s, "report", "code").VersionID
	refused := func(t *testing.T, err error) {
		t.Helper()
		if !errors.As(err, new(*TransitionError)) {
			t.Errorf("%v is not a refusal", err)
		}
	}
	state := func(t *testing.T, j *Journal, want StepState) {
		t.Helper()
		if st := must[Step](t)(s.Step(j.Run().ID, 1)); st.State != want || st.State.Final() && st.FinishedAt.IsZero() {
			t.Errorf("it is %s, want %s: %+v", st.State, want, st)
		}
	}
	t.Run("new", func(t *testing.T) {
		for _, to := range []StepState{StepOK, StepError} {
			j := start(t, s, version, Dry)
			ok(t, j.Answered(act(1), Outcome{State: to, Result: raw("1")}, true))
			state(t, j, to)
		}
		refused(t, start(t, s, version, Dry).Answered(act(1), Outcome{State: StepInDoubt}, true))
	})
	for _, from := range []StepState{StepIntent, StepOK, StepError, StepInDoubt} {
		for _, to := range []StepState{StepIntent, StepOK, StepError, StepInDoubt, "odd"} {
			t.Run(string(from+" "+to), func(t *testing.T) {
				j := start(t, s, version, Live)
				ok(t, j.Intent(act(1), true))
				if from != StepIntent {
					ok(t, j.Outcome(1, Outcome{State: from}))
				}
				state(t, j, from)
				err := j.Outcome(1, Outcome{State: to, Result: raw("2")})
				if from.CanBecome(to) && to != StepIntent {
					ok(t, err)
					state(t, j, to)
				} else {
					refused(t, err) // an outcome is never "intent": see Again
					state(t, j, from)
				}
			})
		}
	}
	t.Run("again", func(t *testing.T) {
		j := start(t, s, version, Live)
		ok(t, j.Intent(act(1), true))
		refused(t, j.Again(1, true)) // it may have happened
		ok(t, j.Finish(Finish{Status: Interrupted}))
		if r := must[Run](t)(s.Run(j.Run().ID)); r.Status != InDoubt {
			t.Fatalf("an act in flight leaves the run %s", r.Status)
		}
		_, err := s.Adopt(j.Run().ID, "g")
		refused(t, err)
		ok(t, s.Resolve(j.Run().ID, 1, false, Outcome{}))
		refused(t, s.Resolve(j.Run().ID, 1, false, Outcome{}))
		if st := must[Step](t)(s.Step(j.Run().ID, 1)); st.State != StepIntent || !st.Cleared {
			t.Errorf("%+v", st)
		}
		// A process that dies before it sends it again leaves no new doubt.
		j = must[*Journal](t)(s.Adopt(j.Run().ID, "g"))
		if j.Run().Mode != Resume {
			t.Errorf("a resumed run has the mode %s", j.Run().Mode)
		}
		ok(t, j.Finish(Finish{Status: Interrupted}))
		j = must[*Journal](t)(s.Adopt(j.Run().ID, "g"))
		ok(t, j.Again(1, true))
		refused(t, j.Again(1, true))
		ok(t, j.Outcome(1, answered))
		refused(t, j.Again(1, true))
		if st := must[Step](t)(s.Step(j.Run().ID, 1)); st.State != StepOK || st.Cleared || st.Attempt != 2 {
			t.Errorf("%+v", st)
		}
		ok(t, j.Finish(Finish{Status: Completed}))
	})
	t.Run("over", func(t *testing.T) {
		j := start(t, s, version, Live)
		ok(t, j.Intent(act(1), true))
		refused(t, j.Finish(Finish{Status: Completed}))
		refused(t, j.Finish(Finish{Status: Waiting}))
		ok(t, j.Finish(Finish{Status: Cancelled}))
		state(t, j, StepInDoubt)

		j = start(t, s, version, Live)
		refused(t, j.Finish(Finish{Status: InDoubt})) // nothing is
		ok(t, j.Intent(read(1), false))
		ok(t, j.Finish(Finish{Status: Interrupted}))
		state(t, j, StepIntent) // it will be read again
		j = must[*Journal](t)(s.Adopt(j.Run().ID, "g"))
		ok(t, j.Again(1, false))
		ok(t, j.Outcome(1, answered))
		ok(t, j.Finish(Finish{Status: Completed}))

		j = start(t, s, version, Live)
		ok(t, j.Intent(act(1), true))
		ok(t, j.Finish(Finish{Status: InDoubt}))
		ok(t, s.Resolve(j.Run().ID, 1, false, Outcome{}))
		must[Run](t)(s.Move(j.Run().ID, Cancelled, nil))
		state(t, j, StepError) // it did not happen and never will
	})
	undamaged(t, s)
}

// put makes a run that waits, in the queue or for a person.
func put(t *testing.T, s *Store, n NewRun, st RunStatus) string {
	t.Helper()
	if st == Queued {
		return must[Run](t)(s.QueueRun(n)).ID
	}
	return must[Run](t)(s.ParkRun(n, question(s, 0))).ID
}

func question(s *Store, seq int) Ask {
	return Ask{Seq: seq, Acts: raw(`[{"connector":"files","tool":"write"}]`), Digest: "d", ExpiresAt: s.now().Add(time.Hour)}
}
