package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file anew")

// TestProgramsAgree runs the CPU set once in the guest and, where there is a Python, natively: the comparison is of equal
// work. How long it takes does not matter here.
func TestProgramsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it compiles the guest, which takes seconds")
	}
	b, err := newBench(t.Context(), true, regexp.MustCompile(""), "python3")
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	if len(b.peers) == 0 {
		t.Logf("guest only: %s", strings.Join(b.report.Notes, "; "))
	}
	w, err := b.loadWorkflows()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.agree(w); err != nil {
		t.Error(err)
	}
	files, err := b.programs()
	if err != nil || len(files) < 15 {
		t.Fatalf("programs: %v, %v", files, err)
	}
	contenders := []contender{b.guestContender(metered, b.engine)}
	for _, p := range b.peers {
		s, err := p.serve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		contenders = append(contenders, contender{p.Name, 1, s.run})
	}
	for _, file := range files {
		var p Program
		for _, c := range contenders {
			if err := p.sample(file, c); err != nil {
				t.Errorf("%s in %s: %v", programName(file), c.name, err)
			}
		}
	}
}

func TestReport(t *testing.T) {
	got := example().text()
	golden := filepath.Join("testdata", "report.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got; go test ./internal/bench -update\n%s", diff)
	}
}

// example is a report with a target met, one missed, and one that cannot be told.
func example() *Report {
	r := &Report{
		Machine: "linux/amd64, 2 CPUs", Guest: "CPython 3.13.15 for WebAssembly, build 0123456789ab",
		Peers:      []*peer{{Name: peerMachine, Version: "3.11.7", Build: "gcc, -O3, no profile", Path: "/usr/bin/python3"}},
		Contenders: []string{metered, unmetered, peerMachine},
		Programs: []Program{
			{Name: "calls", Seconds: map[string]float64{metered: 0.0404, unmetered: 0.04, peerMachine: 0.0101}},
			{Name: "json", Seconds: map[string]float64{metered: 0.06, unmetered: 0.05, peerMachine: 0.03}},
		},
	}
	r.times("start", rowTrivial, samples{80e-6, 90e-6, 3e-3})
	r.times("start", "python3 -I trivial workflow, to exit", samples{0.1, 0.12, 0.2}).against(r.row("start", rowTrivial))
	r.add("parallel", "40-line workflow, 1 at once", "runs/s", samples{400, 410})
	r.add("parallel", rowLiveRun, "MiB", samples{1.25})
	r.note("native is not measured: there is none")
	r.Targets = targets(r)
	return r
}

func TestQuantile(t *testing.T) {
	s := samples{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.5: 3, 0.8: 4, 0.99: 5, 1: 5} {
		if got := s.quantile(q); got != want {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	if got := (samples{}).median(); got != 0 {
		t.Errorf("median of nothing is %g", got)
	}
	if got := geomean([]float64{1, 4}); got < 1.999 || got > 2.001 {
		t.Errorf("geometric mean is %g, want 2", got)
	}
}
