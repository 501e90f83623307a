//go:build unix

package stubs

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkCorpus makes the stubs of all servers of the corpus. The time that counts is the processor's: user-ms/op.
func BenchmarkCorpus(b *testing.B) {
	all := corpus(b)
	user := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(syscall.TimevalToNsec(u.Utime))
	}
	before, size := user(), 0
	for b.Loop() {
		size = 0
		for _, text := range Files(BuildAll(all)) {
			size += len(text)
		}
	}
	b.ReportMetric(float64((user()-before).Microseconds())/1000/float64(b.N), "user-ms/op")
	b.ReportMetric(float64(size)/1000, "kB-of-stubs")
}
