package main

import (
	"syscall"
	"time"
)

const cpuClock = "the thread's CPU time (getrusage, RUSAGE_THREAD)"

// threadTime is the CPU time that the calling thread has used. Only differences mean anything, and only between two
// calls from a goroutine that is locked to its thread.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err) // Linux has it since 2.6.26
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
