package main

import (
	"math"
	"slices"
	"time"
)

// samples are measurements of one thing.
type samples []float64

// took adds the seconds since start.
func (s *samples) took(start time.Time) { *s = append(*s, time.Since(start).Seconds()) }

// quantile is the smallest sample that at least this part of all is not above.
func (s samples) quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

func (s samples) median() float64 { return s.quantile(0.5) }

// geomean is the geometric mean.
func geomean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
