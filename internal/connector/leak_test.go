//go:build linux

package connector

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
)

// resident is this process' resident memory in KiB, after what can be given back was given back.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	n := 0
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Five hundred runs, each with processes of its own: one that behaves, one that dies in a call, one that cannot be opened, one that
// floods. Nothing is left of them, and memory does not grow.
func TestFieldFault167_FiveHundredRuns(t *testing.T) {
	const runs, warm = 500, 100
	connectortest.NoLeaks(t)
	started := map[int]bool{}
	before := 0
	goroutines := 0
	for i := range runs {
		if i == warm {
			before, goroutines = resident(t), runtime.NumGoroutine()
		}
		entries := map[string]config.Connector{"good": connectortest.Fixture(t)}
		if i%10 == 0 {
			entries["dies"] = connectortest.Fixture(t)
			entries["never"] = connectortest.Fixture(t, "-die-start", "1")
			entries["floods"] = connectortest.Fixture(t, "-flood", "262144", "-noise", "40")
		}
		p := NewPool(func(name string) (config.Connector, Options, error) { return entries[name], Options{}, nil })
		var all []string
		for name := range entries {
			all = append(all, name)
		}
		set := p.OpenAll(t.Context(), all)
		var about struct{ Pid int }
		_ = json.Unmarshal([]byte(said(t, call(t, set.Sessions["good"], "about", `{}`))), &about)
		started[about.Pid] = true
		if s := set.Sessions["dies"]; s != nil {
			_, err := s.Call(t.Context(), "die", nil)
			failure(t, err, CodeLost, Unknown)
		}
		if s := set.Sessions["floods"]; s != nil {
			call(t, s, "huge", `{"bytes":1000000}`)
		}
		set.Release()
		p.Close()
	}
	if len(started) != runs {
		t.Errorf("%d processes in %d runs", len(started), runs)
	}
	after := resident(t)
	now := runtime.NumGoroutine()
	t.Logf("resident memory: %d KiB after %d runs, %d KiB after %d; goroutines %d, %d", before, warm, after, runs, goroutines, now)
	for pid := range started {
		if !connectortest.Gone(pid) {
			t.Errorf("%d lives", pid)
		}
	}
	if after > before+8<<10 {
		t.Errorf("resident memory grew by %d KiB", after-before)
	}
}
