package main

import "fmt"

// Target is a number to reach.
type Target struct {
	What     string `json:"what"`
	Wanted   string `json:"wanted"`
	Measured string `json:"measured"`
	Met      string `json:"met"`  // yes, NO, or not measured
	From     string `json:"from"` // who asks for it
}

// Who asks for a target.
const (
	fromIssue  = "issue"
	fromDesign = "design"
	fromStrict = "issue, read strictly"
)

// goal is a target before it is looked at.
type goal struct {
	what, from string
	most       bool // limit is the largest good value, not the smallest
	limit      float64
	unit       string
	value      func(*Report) (float64, bool)
}

var goals = []goal{
	{"trivial run, median", fromIssue, true, 0.2e-3, unitSeconds, median("start", rowTrivial)},
	{"trivial run between 40-line ones, median", fromStrict, true, 0.2e-3, unitSeconds, median("start", rowAmong)},
	{"trivial run against the fastest python3 -I", fromIssue, false, 200, "times", slowdown(" -I trivial workflow, to exit")},
	{"40-line run against the fastest python3 -I", fromIssue, false, 15, "times", slowdown(" -I 40-line workflow, to exit")},
	{"fuel, geometric mean", fromIssue, true, 1.05, "times", cpuMean(metered, unmetered)},
	{"fuel, worst program", fromIssue, true, 1.15, "times", cpuWorst(metered, unmetered)},
	{"CPU set against native CPython, geometric mean", fromIssue, true, 3.7, "times", cpuMean(metered, peerNative)},
	{"read step in the journal, median", fromIssue, true, 100e-6, unitSeconds, median("journal", rowReadStep)},
	{"act step in the journal, median", fromIssue, true, 1e-3, unitSeconds, median("journal", rowActStep)},
	{"trivial run, median", fromDesign, true, 0.1e-3, unitSeconds, median("start", rowTrivial)},
	{"trivial run, p99", fromDesign, true, 2e-3, unitSeconds, func(r *Report) (float64, bool) {
		row := r.row("start", rowTrivial)
		return valueOf(row, func(row *Row) float64 { return row.P99 })
	}},
	{"fuel, geometric mean", fromDesign, true, 1.03, "times", cpuMean(metered, unmetered)},
	{"host call round trip, median", fromDesign, true, 100e-6, unitSeconds, median("host", rowSmallCall)},
	{"memory per live run beyond the first", fromDesign, true, 6, "MiB", median("parallel", rowLiveRun)},
}

// targets looks at what was measured.
func targets(r *Report) []Target {
	var all []Target
	for _, g := range goals {
		t := Target{What: g.what, From: g.from, Wanted: "at least " + exact(g.limit, g.unit)}
		if g.most {
			t.Wanted = "at most " + exact(g.limit, g.unit)
		}
		v, ok := g.value(r)
		switch {
		case !ok:
			t.Met = "not measured"
		case g.most == (v < g.limit) || v == g.limit:
			t.Measured, t.Met = measured(v, g.unit), "yes"
		default:
			t.Measured, t.Met = measured(v, g.unit), "NO"
		}
		all = append(all, t)
	}
	return all
}

// exact writes a limit with no more digits than it has.
func exact(v float64, unit string) string {
	if unit == unitSeconds {
		return fmt.Sprintf("%g ms", v*1e3)
	}
	return fmt.Sprintf("%g %s", v, unit)
}

// measured writes a ratio near one with the digits that decide.
func measured(v float64, unit string) string {
	if unit == "times" && v < 10 {
		return fmt.Sprintf("%.3f times", v)
	}
	return quantity(v, unit)
}

func valueOf(row *Row, f func(*Row) float64) (float64, bool) {
	if row == nil {
		return 0, false
	}
	return f(row), true
}

func median(section, name string) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		return valueOf(r.row(section, name), func(row *Row) float64 { return row.Median })
	}
}

// slowdown is how many times as long the fastest of the peers takes.
func slowdown(suffix string) func(*Report) (float64, bool) {
	return func(r *Report) (least float64, ok bool) {
		for _, p := range r.Peers {
			row := r.row("start", p.Name+suffix)
			if row != nil && row.Times > 0 && (!ok || row.Times < least) {
				least, ok = row.Times, true
			}
		}
		return least, ok
	}
}

func cpuMean(a, b string) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		x := r.ratios(a, b)
		return geomean(x), len(x) > 0
	}
}

func cpuWorst(a, b string) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		x := r.ratios(a, b)
		return worst(x), len(x) > 0
	}
}
