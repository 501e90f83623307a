package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/runlace/runlace/hostfuncs"
)

// shared is the engine that most tests run on, and the cache directory that it filled.
var shared struct {
	once   sync.Once
	dir    string
	engine *Engine
	err    error
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("RUNLACE_TEST_OPEN"); dir != "" { // see TestManyProcesses
		os.Exit(openOnce(dir))
	}
	code := m.Run()
	if shared.engine != nil {
		_ = shared.engine.Close()
	}
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

func sharedEngine(t testing.TB) *Engine {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "runlace-runtime-test-"); shared.err == nil {
			shared.engine, shared.err = Open(context.Background(), Config{CacheDir: shared.dir})
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.engine
}

// another opens one more engine from the shared cache.
func another(t testing.TB, c Config) *Engine {
	t.Helper()
	sharedEngine(t)
	c.CacheDir = shared.dir
	e, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if s := e.CacheState(); s.State != CacheHit {
		t.Fatalf("cache: %+v", s)
	}
	return e
}

func compile(t testing.TB, e *Engine, source string) *Program {
	t.Helper()
	p, err := e.Compile(context.Background(), source, Limits{})
	if err != nil {
		t.Fatalf("compile: %v\n%s", err, source)
	}
	return p
}

// runIt compiles and runs a workflow on the shared engine.
func runIt(t testing.TB, source string, job Job) *Result {
	t.Helper()
	return runOn(t, sharedEngine(t), source, job)
}

func runOn(t testing.TB, e *Engine, source string, job Job) *Result {
	t.Helper()
	r, err := e.Run(context.Background(), compile(t, e, source), job)
	if err != nil {
		t.Fatalf("run: %v\n%s", err, source)
	}
	return r
}

// output runs a workflow that has to succeed.
func output(t testing.TB, source string, job Job) string {
	t.Helper()
	r := runIt(t, source, job)
	if r.Err != nil {
		t.Fatalf("%v\n%s\n%s", r.Err, r.Err.Traceback, source)
	}
	return string(r.Output)
}

// echo answers a call with its arguments.
func echo(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	return hostfuncs.Answer{Value: c.Arguments}, nil
}

// body makes a workflow of statements.
func body(statements string) string {
	return "def run(ctx):\n    " + strings.ReplaceAll(strings.TrimSpace(statements), "\n", "\n    ") + "\n"
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(b)
}

var tcontext = context.Background()
