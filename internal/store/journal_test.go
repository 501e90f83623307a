package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJournal(t *testing.T) {
	s := temp(t, Options{})
	saved := save(t, s, "report", "code")
	j := start(t, s, saved.VersionID, Live)
	ok(t, j.Intent(read(1), false))
	if in := must[[]Step](t)(s.InFlight(j.Run().ID)); len(in) != 1 || in[0].State != StepIntent || string(in[0].Arguments) != `{"path": "a"}` {
		t.Errorf("in flight: %+v", in)
	}
	ok(t, j.Outcome(1, answered))
	ok(t, j.Intent(act(2), true))
	ok(t, j.Outcome(2, Outcome{State: StepError, Error: raw(`{"code":"connector-lost"}`), Elapsed: time.Second}))
	ok(t, j.Answered(act(3), Outcome{State: StepError, Error: raw(`{"code":"invalid-arguments"}`)}, false))
	ok(t, j.Beat())
	ok(t, j.Finish(Finish{Status: Completed, Output: raw(`{"big": 12345678901234567890.10, "ä": null}`), Log: "a\x00b\xff", Fuel: 1 << 62, MemoryBytes: 5, Calls: 3}))

	run := must[Run](t)(s.Run(j.Run().ID))
	want := Run{ID: run.ID, WorkflowID: saved.WorkflowID, Workflow: "report", VersionID: saved.VersionID, Version: saved.Version, Mode: Live,
		Status: Completed, Seed: 1<<64 - 1, Guest: "g1", Fuel: 1 << 62, MemoryBytes: 5, Calls: 3, Steps: 3, Executor: run.Executor,
		CreatedAt: run.CreatedAt, StartedAt: j.Run().StartedAt, FinishedAt: run.FinishedAt,
		Inputs: raw(`{"n": 1.0}`), Output: raw(`{"big": 12345678901234567890.10, "ä": null}`), Log: "a\x00b\xff"}
	if diff := cmp.Diff(want, run); diff != "" {
		t.Error(diff)
	}
	if run.Executor.PID == 0 || !run.Executor.LeaseUntil.IsZero() || !run.FinishedAt.After(run.StartedAt) {
		t.Errorf("%+v", run)
	}
	if diff := cmp.Diff(want.Output, run.Output); diff != "" {
		t.Error(diff)
	}
	st := must[Step](t)(s.Step(run.ID, 1))
	if string(st.Result) != string(answered.Result) || st.Elapsed != answered.Elapsed || st.State != StepOK || st.FinishedAt.IsZero() || st.Attempt != 1 {
		t.Errorf("%+v", st)
	}
	var states []string
	for _, st := range must[[]Step](t)(s.Steps(run.ID)) {
		states = append(states, fmt.Sprint(st.Seq, " ", st.Connector, ".", st.Tool, " ", st.Risk, " ", st.State, " ", string(st.Error)))
		if st.Arguments != nil || st.Result != nil {
			t.Errorf("a list has payloads: %+v", st)
		}
	}
	if diff := cmp.Diff([]string{
		`1 files.read_file read_only ok `,
		`2 files.write-file side_effect error {"code":"connector-lost"}`,
		`3 files.write-file side_effect error {"code":"invalid-arguments"}`,
	}, states); diff != "" {
		t.Error(diff)
	}
	n := 0
	ok(t, s.Recorded(run.ID, func(st Step) error {
		n++
		if st.Seq != n || string(st.Arguments) != `{"path": "a"}` {
			t.Errorf("%+v", st)
		}
		return nil
	}))
	if n != 3 {
		t.Errorf("%d recorded steps", n)
	}
	if err := j.Finish(Finish{Status: Failed}); !errors.Is(err, ErrLost) {
		t.Errorf("finishing twice: %v", err)
	}
	if err := j.Intent(read(4), false); !errors.Is(err, ErrLost) {
		t.Errorf("a step after the end: %v", err)
	}
	_, err := s.Step(run.ID, 9)
	wantCode(t, err, "unknown-step")
	_, err = s.Steps("run_x")
	wantCode(t, err, "unknown-run")
	_, err = s.StepByID("st_x")
	wantCode(t, err, "unknown-step")
	_, err = s.StartRun(NewRun{Version: "wv_x", Mode: Live})
	wantCode(t, err, "unknown-version")
}

func TestSequence(t *testing.T) {
	s := temp(t, Options{})
	j := start(t, s, save(t, s, "report", "code").VersionID, Live)
	wrong := func(err error) {
		t.Helper()
		if !errors.As(err, new(*SequenceError)) {
			t.Errorf("%v is not about the sequence", err)
		}
	}
	wrong(j.Intent(read(0), false))
	wrong(j.Intent(read(2), false))
	wrong(j.Outcome(1, answered))
	ok(t, j.Intent(read(1), false))
	wrong(j.Intent(read(1), false))
	wrong(j.Intent(read(2), false)) // the one before is in flight
	ok(t, j.Outcome(1, answered))
	wrong(j.Intent(read(1), false))
	wrong(j.Intent(read(3), false))
	ok(t, j.Intent(read(2), false))
	ok(t, j.Outcome(2, answered))
}

func TestDryRunsDoNotAct(t *testing.T) {
	s := temp(t, Options{})
	j := start(t, s, save(t, s, "report", "code").VersionID, Dry)
	if err := j.Intent(act(1), true); !errors.Is(err, ErrDryAct) {
		t.Error(err)
	}
	unknown := act(1)
	unknown.Risk = "odd"
	if err := j.Intent(unknown, true); !errors.Is(err, ErrDryAct) {
		t.Error(err)
	}
	ok(t, j.Intent(read(1), false))
	ok(t, j.Outcome(1, answered))
	ok(t, j.Answered(act(2), Outcome{State: StepOK, Result: raw(`"sample"`)}, true))
	if st := must[Step](t)(s.Step(j.Run().ID, 2)); !st.Simulated {
		t.Errorf("%+v", st)
	}
	// Also when it is taken up in another process.
	ok(t, j.Finish(Finish{Status: Interrupted}))
	other := open(t, s.Path(), Options{})
	j = must[*Journal](t)(other.Adopt(j.Run().ID, "g"))
	if err := j.Intent(act(3), true); !errors.Is(err, ErrDryAct) || j.Run().Mode != Dry {
		t.Errorf("%v in the mode %s", err, j.Run().Mode)
	}
}

func TestRefusals(t *testing.T) {
	s := temp(t, Options{})
	version := save(t, s, "report", "code").VersionID
	run := must[Run](t)(s.RefuseRun(NewRun{Version: version, Mode: Live, Inputs: raw(`{"a":1}`), Confirmed: true}, "drift", raw(`{"code":"schema-drift"}`)))
	got := must[Run](t)(s.Run(run.ID))
	if got.Status != Failed || got.Gate != "drift" || string(got.Error) != `{"code":"schema-drift"}` || got.FinishedAt.IsZero() || !got.Confirmed || got.Executor.ID != "" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(run, got); diff != "" {
		t.Error(diff)
	}
	j := start(t, s, version, Live)
	ok(t, j.Finish(Finish{Status: Failed, Gate: "connectors", Error: raw(`{"code":"connector-unreachable"}`)}))
	if got := must[Run](t)(s.Run(j.Run().ID)); got.Gate != "connectors" {
		t.Errorf("%+v", got)
	}
}

func TestTwoProcesses(t *testing.T) {
	a := temp(t, Options{})
	b := open(t, a.Path(), Options{})
	version := save(t, a, "report", "code").VersionID
	if _, err := b.Version("report", ""); err != nil {
		t.Error(err)
	}

	// Of many that want a queued run, one has it.
	id := must[Run](t)(a.QueueRun(NewRun{Version: version, Mode: Live})).ID
	var wg sync.WaitGroup
	got := make(chan *Journal, 10)
	for i := range 10 {
		wg.Go(func() {
			s := []*Store{a, b}[i%2]
			if j, err := s.Adopt(id, "g"); err == nil {
				got <- j
			} else if !errors.As(err, new(*TransitionError)) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(got) != 1 {
		t.Fatalf("%d have it", len(got))
	}

	// What one process lost to another, it cannot write to any more, but for the truth about a doubt.
	ja := start(t, a, version, Live)
	run := ja.Run().ID
	ok(t, ja.Intent(read(1), false))
	ok(t, ja.Outcome(1, answered))
	ok(t, ja.Intent(act(2), true))
	if settled := must[[]Run](t)(b.Settle(func(r Run) bool { return false })); len(settled) != 0 {
		t.Errorf("a living process was settled: %+v", settled)
	}
	if settled := must[[]Run](t)(a.Settle(func(r Run) bool { return true })); len(settled) != 0 && settled[0].ID == run {
		t.Errorf("a process settled its own run: %+v", settled)
	}
	asked := 0
	settled := must[[]Run](t)(b.Settle(func(r Run) bool { asked++; return r.ID == run && r.Executor.PID > 0 }))
	if len(settled) != 1 || settled[0].Status != InDoubt || asked == 0 {
		t.Fatalf("%+v", settled)
	}
	if err := ja.Beat(); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	if err := ja.Intent(read(3), false); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	if err := ja.Finish(Finish{Status: Completed}); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	ok(t, ja.Outcome(2, answered)) // late
	if r := must[Run](t)(b.Run(run)); r.Status != Interrupted {
		t.Errorf("after the last doubt it is %s", r.Status)
	}
	jb := must[*Journal](t)(b.Adopt(run, "g"))
	if !jb.Run().StartedAt.Equal(ja.Run().StartedAt) || jb.Run().Mode != Resume || jb.Run().Steps != 2 {
		t.Errorf("%+v", jb.Run())
	}
	ok(t, jb.Intent(act(3), true))
	if err := ja.Outcome(2, answered); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	ok(t, jb.Outcome(3, answered))
	ok(t, jb.Finish(Finish{Status: Completed}))

	// An outcome of an attempt that is not the last is nobody's truth.
	ja = start(t, a, version, Live)
	ok(t, ja.Intent(read(1), false))
	must[[]Run](t)(b.Settle(func(r Run) bool { return r.ID == ja.Run().ID }))
	jb = must[*Journal](t)(b.Adopt(ja.Run().ID, "g"))
	ok(t, jb.Again(1, false))
	if err := ja.Outcome(1, answered); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	ok(t, jb.Outcome(1, answered))
	ok(t, jb.Finish(Finish{Status: Completed}))
	undamaged(t, a)
}

func TestSecrets(t *testing.T) {
	var secrets Secrets
	secrets.Add("s3cr3t-value", `quo"te\back`, "12345678", "short", "s3cr3t-value-longer")
	s := temp(t, Options{Redactor: &secrets})
	j := start(t, s, save(t, s, "report", "code").VersionID, Live)
	n := read(1)
	n.Arguments = raw(`{"a": "x s3cr3t-value y", "s3cr3t-value": 12345678, "b": 123456789, "short": "short",  "c": 1.50}`)
	ok(t, j.Intent(n, false))
	ok(t, j.Outcome(1, Outcome{State: StepOK, Result: raw(`["quo\"te\\back", "\u0073\u0033cr3t-value", "s3cr3t-value-longer", "a\/b <&>"]`)}))
	ok(t, j.Intent(read(2), false))
	ok(t, j.Outcome(2, Outcome{State: StepError, Error: raw(`{"message":"s3cr3t-value"}`)}))
	ok(t, j.Answered(read(3), answered, false))
	ok(t, j.Finish(Finish{Status: Failed, Error: raw(`{"message":"no"}`), Log: "log s3cr3t-value\n"}))

	one, two, three := must[Step](t)(s.Step(j.Run().ID, 1)), must[Step](t)(s.Step(j.Run().ID, 2)), must[Step](t)(s.Step(j.Run().ID, 3))
	for got, want := range map[string]string{
		string(one.Arguments): `{"a": "x [redacted] y", "[redacted]": "[redacted]", "b": 123456789, "short": "short",  "c": 1.50}`,
		string(one.Result):    `["[redacted]", "[redacted]", "[redacted]", "a\/b <&>"]`,
		string(two.Error):     `{"message":"[redacted]"}`,
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if !one.Redacted || !two.Redacted || three.Redacted {
		t.Error("a step says that a secret was taken out of it")
	}
	if r := must[Run](t)(s.Run(j.Run().ID)); r.Log != "log [redacted]\n" || !r.Redacted {
		t.Errorf("%+v", r)
	}
	ok(t, s.SaveUnavailable(Connector{Name: "x", Transport: "stdio", Status: ConnectorUnreachable, Detail: "said s3cr3t-value"}))
	if c := must[[]Connector](t)(s.Connectors()); c[0].Detail != "said [redacted]" {
		t.Errorf("%+v", c)
	}
	var none Secrets
	if v, changed := none.JSON(raw(`"\u0061"`)); changed || string(v) != `"\u0061"` {
		t.Errorf("%s", v)
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add(`{"a": "password1\n", "b": [1e5, "pass\u0077ord1"]}`, "password1")
	f.Add(`"\"\\"`, `"\"\\"`)
	f.Add(`123456`, `123456`)
	f.Fuzz(func(t *testing.T, value, secret string) {
		var s Secrets
		s.Add(secret)
		if !json.Valid([]byte(value)) {
			return
		}
		clean, changed := s.JSON(raw(value))
		if !json.Valid(clean) || changed == (string(clean) == value) {
			t.Fatalf("%s with %q became %s, %v", value, secret, clean, changed)
		}
		if len(secret) < MinSecret || strings.Contains(Redacted, secret) {
			return
		}
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case string:
				if strings.Contains(strings.ReplaceAll(v, Redacted, ""), secret) && !strings.Contains(secret, "redact") {
					t.Fatalf("%s with %q still has it: %s", value, secret, clean)
				}
			case map[string]any:
				for k, x := range v {
					walk(k)
					walk(x)
				}
			case []any:
				for _, x := range v {
					walk(x)
				}
			}
		}
		var v any
		if json.Unmarshal(clean, &v) == nil {
			walk(v)
		}
	})
}

func TestNotJSON(t *testing.T) {
	s := temp(t, Options{})
	j := start(t, s, save(t, s, "report", "code").VersionID, Live)
	n := read(1)
	n.Arguments = raw("{")
	if err := j.Intent(n, false); !errors.Is(err, ErrNotJSON) {
		t.Error(err)
	}
	ok(t, j.Intent(act(1), true))
	// What an act answered is not lost, whatever it is.
	if err := j.Outcome(1, Outcome{State: StepOK, Result: raw("half {")}); !errors.Is(err, ErrNotJSON) {
		t.Error(err)
	}
	if st := must[Step](t)(s.Step(j.Run().ID, 1)); st.State != StepOK || string(st.Result) != `"half {"` {
		t.Errorf("%+v", st)
	}
	if _, err := s.StartRun(NewRun{Version: j.Run().VersionID, Mode: Live, Inputs: raw("{")}); !errors.Is(err, ErrNotJSON) {
		t.Error(err)
	}
}

func TestLargePayloads(t *testing.T) {
	s := temp(t, Options{})
	j := start(t, s, save(t, s, "report", "code").VersionID, Live)
	large := raw(`"` + strings.Repeat("x", 8<<20) + `"`)
	for seq := 1; seq <= 3; seq++ {
		n := read(seq)
		n.Arguments = large
		ok(t, j.Intent(n, false))
		ok(t, j.Outcome(seq, Outcome{State: StepOK, Result: large}))
		if st := must[Step](t)(s.Step(j.Run().ID, seq)); string(st.Arguments) != string(large) || string(st.Result) != string(large) {
			t.Errorf("%d and %d bytes", len(st.Arguments), len(st.Result))
		}
	}
}

// Many runs at once, in two stores on one database.
func TestConcurrentRuns(t *testing.T) {
	a := temp(t, Options{})
	b := open(t, a.Path(), Options{})
	version := save(t, a, "report", "code").VersionID
	const runs, steps = 20, 50
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			s := []*Store{a, b}[i%2]
			j, err := s.StartRun(NewRun{Version: version, Mode: Live})
			for seq := 1; seq <= steps && err == nil; seq++ {
				if seq%10 == 0 {
					err = j.Intent(act(seq), true)
				} else {
					err = j.Intent(read(seq), false)
				}
				if err == nil {
					err = j.Outcome(seq, answered)
				}
				if _, viewErr := s.Run(j.Run().ID); err == nil {
					err = viewErr
				}
			}
			if err == nil {
				err = j.Finish(Finish{Status: Completed, Calls: steps})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := must[Counts](t)(a.Counts())
	if n.Steps != runs*steps || n.Runs[Completed] != runs {
		t.Errorf("%+v", n)
	}
	undamaged(t, a)
}

// What is on the disk when Intent returns: see TestPragmas for what full means to SQLite.
func TestDurability(t *testing.T) {
	s := temp(t, Options{})
	j := start(t, s, save(t, s, "report", "code").VersionID, Live)
	full := func(want bool, what string) {
		t.Helper()
		if s.writer.full != want {
			t.Errorf("%s waits for the disk: %v", what, s.writer.full)
		}
	}
	ok(t, j.Intent(read(1), false))
	full(false, "a read's intent")
	ok(t, j.Outcome(1, answered))
	ok(t, j.Intent(act(2), true))
	full(true, "an act's intent")
	ok(t, j.Outcome(2, answered))
	full(false, "an outcome")
	ok(t, j.Finish(Finish{Status: Completed}))
	full(true, "the end of a run that acted")
	ok(t, start(t, s, j.Run().VersionID, Dry).Finish(Finish{Status: Completed}))
	full(false, "the end of a run that did not")
}
