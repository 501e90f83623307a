// Command bench measures what Runlace promises about time and memory, beside the same work done by a native Python, and
// tells which targets are met. Usage:
//
//	make bench                       everything, under five minutes on two cores
//	go run ./internal/bench -quick   fewer samples, under a minute
//	go run ./internal/bench -only '^cpu/json$'
//
// Everything is measured in one run, and what is compared is measured in turns, so that a change in the machine's load
// falls on both sides. Times that a user waits for are times on the wall, as medians, 99th percentiles and minima. CPU
// work is compared by the smallest CPU time of the thread over the samples, which other load on the machine moves least.
//
// Sections, which -only selects by name:
//
//	start     a fresh interpreter, against a fresh python3 process
//	parallel  runs at once: throughput, and memory for each
//	process   the whole command runlace exec, against python3
//	host      round trips of host calls
//	journal   a step's two records, of a read and of an act
//	cpu       testdata/bench: metered, not metered, wazero's own interruption, native Pythons
//	memory    resident memory over a thousand runs
//
// The native Python of the guest's version is .guest/build/native/python, which make guest builds, or the one that
// RUNLACE_BENCH_PYTHON names. Without it, everything else is still measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	quick := flag.Bool("quick", false, "take fewer samples")
	only := flag.String("only", "", "measure only sections, and programs as cpu/NAME, that match this regular expression")
	file := flag.String("json", "bench.json", "write the report to this file as well; empty: do not")
	python := flag.String("python", "python3", "the machine's Python")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *quick, *only, *file, *python); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, quick bool, only, file, python string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, quick, pattern, python)
	if err != nil {
		return err
	}
	defer b.close()
	failed := false
	for _, s := range sections {
		if !b.wants(s.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "bench: measuring", s.title)
		if err := s.measure(b); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// The other sections are still worth having.
			b.report.note("FAILED: %s: %v", s.title, err)
			failed = true
		}
	}
	b.report.Targets = targets(b.report)
	fmt.Print(b.report.text())
	if file != "" {
		if err := b.report.write(file); err != nil {
			return err
		}
	}
	if failed {
		return errors.New("not everything could be measured, see the notes")
	}
	return nil
}
