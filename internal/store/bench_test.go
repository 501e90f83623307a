package store

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// The cost of a step's two records, without the call between them. go test -run=- -bench=. ./internal/store
func BenchmarkJournal(b *testing.B) {
	for _, size := range []int{200, 20_000} {
		for _, kind := range []string{"read", "act"} {
			b.Run(fmt.Sprint(kind, "/", size), func(b *testing.B) {
				s := temp(b, Options{Now: time.Now})
				version := save(b, s, "report", "code").VersionID
				j := start(b, s, version, Live)
				outcome := Outcome{State: StepOK, Result: raw(`"` + string(slices.Repeat([]byte("x"), size)) + `"`)}
				var took []time.Duration
				seq := 0
				for b.Loop() {
					seq++
					n := read(seq)
					if kind == "act" {
						n = act(seq)
					}
					t := time.Now()
					if err := j.Intent(n, kind == "act"); err != nil {
						b.Fatal(err)
					}
					if err := j.Outcome(seq, outcome); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(t))
				}
				report(b, took)
			})
		}
	}
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e3, "median-µs")
	b.ReportMetric(float64(took[len(took)*99/100])/1e3, "p99-µs")
}

func BenchmarkOpen(b *testing.B) {
	s := temp(b, Options{})
	path := s.Path()
	save(b, s, "report", "code")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// A run without steps: what the store adds to any run.
func BenchmarkRun(b *testing.B) {
	s := temp(b, Options{Now: time.Now})
	version := save(b, s, "report", "code").VersionID
	for b.Loop() {
		j := start(b, s, version, Live)
		if err := j.Finish(Finish{Status: Completed, Output: raw("{}")}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLists(b *testing.B) {
	s := temp(b, Options{Now: time.Now})
	for i := range 20 {
		version := save(b, s, fmt.Sprint("w", i), "code").VersionID
		for range 50 {
			j := start(b, s, version, Dry)
			if err := j.Finish(Finish{Status: Completed}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("workflows", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Workflows(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("runs", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Runs(RunFilter{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("workflow and version", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Version("w7", ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}
