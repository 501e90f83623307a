package runtime

import (
	"context"
	"testing"
)

// BenchmarkOpen opens from a full cache.
func BenchmarkOpen(b *testing.B) {
	sharedEngine(b)
	for b.Loop() {
		e, err := Open(context.Background(), Config{CacheDir: shared.dir})
		if err != nil {
			b.Fatal(err)
		}
		_ = e.Close()
	}
}

// BenchmarkRun is a fresh interpreter, a trivial workflow, and the way back.
func BenchmarkRun(b *testing.B) {
	e := sharedEngine(b)
	p := compile(b, e, body("return 1"))
	for b.Loop() {
		if r, err := e.Run(context.Background(), p, Job{}); err != nil || r.Err != nil {
			b.Fatal(err, r.Err)
		}
	}
}

// BenchmarkCall is a call and its answer.
func BenchmarkCall(b *testing.B) {
	e := sharedEngine(b)
	p := compile(b, e, body("for _ in range(1000):\n    ctx.a.b(x=1)"))
	for b.Loop() {
		if r, err := e.Run(context.Background(), p, Job{Host: echo}); err != nil || r.Err != nil {
			b.Fatal(err, r.Err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
}
