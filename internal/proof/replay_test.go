package proof_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
	limits "github.com/runlace/runlace/runtime"
)

// differs tells how a replay is not its run; "" if it is the same in calls, clock, outcome, output, log, fuel and memory.
func differs(o *engine.Run, r *engine.Replay) string {
	switch {
	case r.Difference != nil:
		return r.Difference.Error()
	case !r.Identical || !r.Complete || !r.FuelTold:
		return fmt.Sprintf("identical %v, complete %v, fuel compared %v (guest %s, then %s): %s", r.Identical, r.Complete, r.FuelTold, r.GuestNow, r.Guest, r.Note)
	case r.Fuel != o.Fuel || r.Steps != len(o.Steps) || string(r.Output) != string(o.Output) || r.Log != o.Log:
		return fmt.Sprintf("fuel %d and %d, steps %d and %d, output %s and %s", r.Fuel, o.Fuel, r.Steps, len(o.Steps), r.Output, o.Output)
	}
	return ""
}

// A hundred generated workflows, and a thousand replays of each run: all are the same.
func TestReplays(t *testing.T) {
	workflows, times := size(50, 100), size(10, 1000)
	l := newLab(t, config.Allow)
	seed := uint64(7000)
	if s := os.Getenv("RUNLACE_PROOF_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &seed); err != nil {
			t.Fatal(err)
		}
	}
	var all []*engine.Run
	calls, acts, fuel, lines := 0, 0, int64(0), 0
	ends := map[string]int{}
	created := time.Now()
	for i := range uint64(workflows) {
		name, code := fmt.Sprint("generated", i), generated(seed+i)
		l.create(name, code)
		mode := store.Live
		if i%5 == 4 {
			mode = store.Dry
		}
		r, err := l.Run(t.Context(), engine.Request{Workflow: name, Mode: mode, Limits: limits.Limits{Fuel: 100_000_000}})
		l.check(err)
		if r.Status != store.Completed && r.Status != store.Failed || len(r.Steps) == 0 && r.Fuel == 0 {
			t.Fatalf("%s is %s: %s %s\n%s", name, r.Status, r.Code, r.Error, code)
		}
		all = append(all, r)
		calls, fuel, lines = calls+len(r.Steps), fuel+r.Fuel, lines+strings.Count(code, "\n")
		for _, s := range r.Steps {
			if s.Risk != store.ReadOnly {
				acts++
			}
		}
		ends[cmp.Or(r.Code, "completed")]++
	}
	arrived := len(l.acted())
	t.Logf("seed %d (RUNLACE_PROOF_SEED takes another): %d workflows of %d lines compiled and run live in %.1f s: %d calls, %d of them acts, %d million fuel, ends %v",
		seed, workflows, lines, time.Since(created).Seconds(), calls, acts, fuel/1e6, ends)
	rows := [][]any{{"where", "replays", "the same", "seconds", "median ms"}}
	row := func(where string, n, same int, took time.Duration, median string) {
		rows = append(rows, []any{where, n, same, fmt.Sprintf("%.1f", took.Seconds()), median})
	}

	// In another process, and on another kind of processor.
	ids := []string{}
	for _, o := range all {
		ids = append(ids, o.ID)
	}
	elsewhere := func(where string, ids []string, times int, binary ...string) {
		start := time.Now()
		same := l.replayed(all, ended(t, task{Do: "replay", Place: l.place, Runs: ids, Times: times}, binary...))
		row(where, len(ids)*times, same*times, time.Since(start), "")
		if same != len(ids) {
			t.Errorf("%s: %d of %d runs replay the same", where, same, len(ids))
		}
	}
	elsewhere("in a new process on the same home", ids, size(1, 10))
	if qemu := emulator(); qemu != "" {
		elsewhere("on arm64, under "+filepath.Base(qemu), ids[:size(8, workflows)], 1, qemu, armBinary(t))
	} else {
		t.Log("not on arm64: there is no qemu-aarch64 here (Debian: qemu-user-static)")
	}

	// In this process, on all processors.
	var mu sync.Mutex
	var wg sync.WaitGroup
	same, left := 0, make(chan *engine.Run)
	var each []time.Duration
	start := time.Now()
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for o := range left {
				for range times {
					from := time.Now()
					r, err := l.Replay(t.Context(), o.ID, nil)
					took, wrong := time.Since(from), ""
					if err != nil {
						wrong = err.Error()
					} else {
						wrong = differs(o, r)
					}
					mu.Lock()
					each = append(each, took)
					if wrong == "" {
						same++
					}
					mu.Unlock()
					if wrong != "" {
						t.Errorf("%s: %s", o.Name, wrong)
						break
					}
				}
			}
		})
	}
	for i, o := range all {
		if left <- o; (i+1)%10 == 0 && times >= 1000 {
			t.Logf("%d of %d after %.0f s", i+1, workflows, time.Since(start).Seconds())
		}
	}
	close(left)
	wg.Wait()
	slices.Sort(each)
	row("in the process that ran them", len(each), same, time.Since(start), fmt.Sprintf("%.1f", each[len(each)/2].Seconds()*1000))
	if n := len(l.acted()); n != arrived {
		t.Errorf("%d acts have arrived after the replays, %d before", n, arrived)
	}
	table(t, "replays", rows)
}

// ended is what a process has said when it has ended.
func ended(t *testing.T, k task, binary ...string) []said {
	t.Helper()
	return begin(t, k, binary...).wait()
}

// replayed counts the runs that another process has replayed and found the same.
func (l *lab) replayed(all []*engine.Run, lines []said) (same int) {
	l.t.Helper()
	for _, s := range lines {
		i := slices.IndexFunc(all, func(o *engine.Run) bool { return o.ID == s.Run })
		if s.Replay == nil || i < 0 {
			b, _ := json.Marshal(s)
			l.t.Errorf("%s", b)
			continue
		}
		if wrong := differs(all[i], s.Replay); wrong != "" {
			l.t.Errorf("%s: %s", all[i].Name, wrong)
			continue
		}
		same++
	}
	return same
}

// emulator is qemu's emulation of user programs for arm64, "" if it is not here or not needed.
func emulator() string {
	for _, name := range []string{"qemu-aarch64-static", "qemu-aarch64"} {
		if path, err := exec.LookPath(name); err == nil && runtime.GOARCH != "arm64" {
			return path
		}
	}
	return ""
}

// armBinary is this test binary for arm64.
func armBinary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "proof-arm64")
	build := exec.Command("go", "test", "-c", "-o", path, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c for arm64: %v\n%s", err, out)
	}
	return path
}
