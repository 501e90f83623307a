package main

import (
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
)

// thisMachine says what the numbers were taken on, and how busy it was.
func thisMachine() string {
	s := fmt.Sprintf("%s/%s, %d CPUs, %s", goruntime.GOOS, goruntime.GOARCH, goruntime.NumCPU(), goruntime.Version())
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				s += ", " + strings.TrimSpace(value)
				break
			}
		}
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		if load, _, ok := strings.Cut(string(b), " "); ok {
			s += ", load " + load + " before"
		}
	}
	return s
}
