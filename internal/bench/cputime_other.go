//go:build !linux

package main

import "time"

const cpuClock = "time on the wall (the guest's; this system does not tell a thread's CPU time)"

var began = time.Now()

func threadTime() time.Duration { return time.Since(began) }
