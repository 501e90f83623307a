package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/runlace/runlace/runtime"
)

// section is one part of the report.
type section struct {
	name, title string
	measure     func(*bench) error
}

var sections = []section{
	{"start", "a fresh interpreter, against a fresh process", (*bench).start},
	{"parallel", "runs at once", (*bench).parallel},
	{"process", "the whole process", (*bench).process},
	{"host", "host calls", (*bench).hostCalls},
	{"journal", "a step in the journal, without its call", (*bench).journal},
	{"cpu", "CPU work", (*bench).cpu},
	{"memory", "memory over many runs", (*bench).memory},
}

// bench is one run of this program.
type bench struct {
	ctx    context.Context
	root   string // of the repository
	temp   string
	quick  bool
	only   *regexp.Regexp
	engine *runtime.Engine
	peers  []*peer
	report *Report
}

func newBench(ctx context.Context, quick bool, only *regexp.Regexp, python string) (b *bench, err error) {
	b = &bench{ctx: ctx, quick: quick, only: only, report: &Report{Machine: thisMachine(), Quick: quick}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.root, err = repository(); err != nil {
		return b, err
	}
	if b.temp, err = os.MkdirTemp("", "runlace-bench-*"); err != nil {
		return b, err
	}
	if b.engine, err = runtime.Open(ctx, runtime.Config{CacheDir: b.cache()}); err != nil {
		return b, err
	}
	if s := b.engine.CacheState(); s.State == runtime.CacheOff {
		b.report.note("the engine runs without its cache: %s", s.Reason)
	}
	b.report.Guest = "CPython " + b.engine.Python() + " for WebAssembly, build " + b.engine.Build()[:min(12, len(b.engine.Build()))]
	b.peers, err = b.findPeers(python)
	return b, err
}

func (b *bench) close() {
	if b.engine != nil {
		_ = b.engine.Close()
	}
	if b.temp != "" {
		_ = os.RemoveAll(b.temp)
	}
}

// wants tells whether -only asks for a section, or for a program of it.
func (b *bench) wants(name string) bool {
	if b.only.MatchString(name) {
		return true
	}
	if name != "cpu" {
		return false
	}
	programs, _ := b.programs()
	return len(programs) > 0
}

// samples is how many to take.
func (b *bench) samples(full, quick int) int {
	if b.quick {
		return quick
	}
	return full
}

// testdata returns the path of a file of the benchmark's test data.
func (b *bench) testdata(name ...string) string {
	return filepath.Join(append([]string{b.root, "testdata", "bench"}, name...)...)
}

// compile compiles a workflow for the guest.
func (b *bench) compile(e *runtime.Engine, path string) (*runtime.Program, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return e.Compile(b.ctx, string(source), runtime.Limits{})
}

// programs lists the CPU set, as far as -only asks for it.
func (b *bench) programs() ([]string, error) {
	files, err := filepath.Glob(b.testdata("*.py"))
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, f := range files {
		if b.only.MatchString("cpu/" + programName(f)) {
			wanted = append(wanted, f)
		}
	}
	return wanted, nil
}

func programName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".py") }

// repository finds the top of the repository, above the working directory.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("not in the repository: there is no go.mod in this folder or above")
		}
		dir = up
	}
}
