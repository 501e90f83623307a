package runtime

import (
	"context"
	"fmt"
	"hash/maphash"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/runlace/runlace/hostfuncs"
)

// pollute changes all that a workflow can reach, and goes as deep as it can.
const pollute = `
import collections, copy, datetime, decimal, functools, json, math, random, re, statistics, time
from runlace_types import ToolError
class OD(collections.OrderedDict): pass
def deep(n): return n and 1 + deep(n - 1)
def run(ctx):
    json.leak = "LEAK"; json.dumps = None; math.pi = 3; random.seed(1); random.random = lambda: 4
    re.purge(); collections.OrderedDict = OD; datetime.LEAK = 1
    decimal.getcontext().prec = 3; decimal.DefaultContext.prec = 4
    for i in range(20): re.compile("SECRET%d" % i)
    ctx.a.b(secret="SECRET-TOKEN")
    keep = json.leak_list = ["SECRET-TOKEN-%d" % i * 10 for i in range(1000)]
    junk = [bytearray(b"\xaa" * 4096) for _ in range(500)]
    x = []
    for _ in range(3000): x = [x]
    copy.copy(x); str(time.time())
    print(deep(800))
    try: ctx.a.fail()
    except ToolError: pass
    return len(keep)
`

// probeState returns what pollute changes, and where new objects are put.
const probeState = `
import collections, datetime, decimal, json, math, random, re
def run(ctx):
    return [hasattr(json, "leak"), json.dumps([1]), math.pi, random.random(), collections.OrderedDict.__name__, hasattr(datetime, "LEAK"),
            decimal.getcontext().prec, len(re._cache), [id(o) for o in (object(), [], {}, "a" * 600, bytearray(100000), lambda: 0)]]
`

var hashSeed = maphash.MakeSeed()

// memoryOf hashes the memory of an instance, fresh or after its run.
func memoryOf(t testing.TB, in *Instance) uint64 {
	b, err := in.slot.contents()
	if err != nil {
		t.Fatal(err)
	}
	return maphash.Bytes(hashSeed, b)
}

// imageHash is the hash of the image as memory.
func imageHash(e *Engine) uint64 {
	b := make([]byte, e.image.bytes)
	e.image.read(b, 0)
	return maphash.Bytes(hashSeed, b)
}

// runFor runs p on an instance that has to be like new, and returns its result, and if it is to look the hash of the
// memory that it left.
func runFor(t testing.TB, e *Engine, want uint64, p *Program, job Job, look bool) string {
	in, err := e.Start(context.Background())
	if err != nil {
		t.Error(err)
		return ""
	}
	defer in.Close()
	if memoryOf(t, in) != want {
		t.Error("an instance does not start as the image")
	}
	r, err := in.Run(context.Background(), p, job)
	if err != nil || r.Err != nil {
		t.Error(err, jsonOf(r))
		return ""
	}
	r.Duration = 0
	if !look {
		return jsonOf(r)
	}
	return fmt.Sprintf("%s %x", jsonOf(r), memoryOf(t, in))
}

// TestRestore: every run finds the image, byte for byte, whatever ran before, and two equal runs leave equal memory.
func TestRestore(t *testing.T) {
	for name, c := range map[string]struct {
		config           Config
		rounds, at, each int
	}{
		"mapped": {Config{}, 200, 32, 3},
		"copied": {Config{Copy: true, KeepIdle: 4}, 10, 8, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := another(t, c.config)
			want := imageHash(e)
			probe, dirt := compile(t, e, probeState), compile(t, e, pollute)
			first, left := runFor(t, e, want, probe, Job{Seed: 5}, false), runFor(t, e, want, probe, Job{Seed: 5}, true)
			for i := range c.rounds {
				if i%2 == 1 {
					runFor(t, e, want, dirt, Job{Host: failing}, false)
				}
				look, expect := i%20 == 1, first
				if look {
					expect = left
				}
				if got := runFor(t, e, want, probe, Job{Seed: 5}, look); got != expect {
					t.Fatalf("round %d\n%s\n%s", i, got, expect)
				}
			}
			var wg sync.WaitGroup
			for i := range c.at {
				wg.Go(func() {
					for range c.each {
						if i%2 == 1 {
							runFor(t, e, want, dirt, Job{Host: failing}, false)
						}
						if got := runFor(t, e, want, probe, Job{Seed: 5}, false); got != first {
							t.Errorf("concurrently\n%s\n%s", got, first)
						}
					}
				})
			}
			wg.Wait()
			if len(e.idle) > e.keep || e.live != 0 {
				t.Errorf("%d idle, %d live", len(e.idle), e.live)
			}
		})
	}
}

// failing answers a.fail with an error, and the rest with null.
func failing(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	if c.Tool == "fail" {
		return hostfuncs.Answer{Err: &hostfuncs.Error{Code: "x", Message: "SECRET"}}, nil
	}
	return hostfuncs.Answer{Value: []byte("null")}, nil
}

// TestDeterminism: memory kind, slices of fuel and company make no difference.
func TestDeterminism(t *testing.T) {
	const source = `
import json, random, re, statistics, uuid
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: float
def run(ctx):
    ps = [P(i, random.random()) for i in range(2000)]
    for p in ps[:20]:
        ctx.store.put(x=p.x, y=p.y)
    words = re.findall(r"\w+", json.dumps([str(uuid.uuid4()) for _ in range(300)]))
    print(len(words), hash("abc"), list({"a", "b", "c"}))
    return [statistics.fmean(p.y for p in ps), sorted(words)[:3], sum(i * i for i in range(200_000))]
`
	job := Job{Seed: 99, Host: echo}
	first := runIt(t, source, job)
	if first.Err != nil {
		t.Fatal(first.Err.Traceback)
	}
	same := func(what string, r *Result) {
		t.Helper()
		r.Duration = first.Duration
		if jsonOf(r) != jsonOf(first) {
			t.Errorf("%s:\n%s\n%s", what, jsonOf(r), jsonOf(first))
		}
	}
	p := compile(t, sharedEngine(t), source)
	for _, slice := range []int64{12_345, 1_000_000, 1 << 60} {
		e := another(t, Config{})
		e.slice = slice
		same("slices of "+strconv.FormatInt(slice, 10), runOn(t, e, source, job))
		if q := compile(t, e, source); q.Fuel != p.Fuel || string(q.Code) != string(p.Code) {
			t.Error("it compiles differently")
		}
	}
	same("copied", runOn(t, another(t, Config{Copy: true}), source, job))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if r, err := sharedEngine(t).Run(context.Background(), p, job); err != nil {
				t.Error(err)
			} else {
				same("concurrently", r)
			}
		})
	}
	wg.Wait()
	// The limit that just suffices, and the one that just does not.
	job.Limits.Fuel = first.Fuel
	same("at its limit", runIt(t, source, job))
	job.Limits.Fuel--
	if r := runIt(t, source, job); codeOf(r) != CodeCPULimit {
		t.Errorf("below its limit: %s", jsonOf(r))
	}
}

// TestManyInstances holds hundreds of instances at once.
func TestManyInstances(t *testing.T) {
	e := another(t, Config{KeepIdle: 3})
	p := compile(t, e, body("return ctx.a.b()"))
	const n = 300
	var inside, done sync.WaitGroup
	inside.Add(n)
	for range n {
		done.Go(func() {
			r, err := e.Run(context.Background(), p, Job{Host: func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
				inside.Done()
				inside.Wait() // until all are here
				return hostfuncs.Answer{Value: []byte("1")}, nil
			}})
			if err != nil || r.Err != nil {
				t.Error(err, jsonOf(r))
			}
		})
	}
	done.Wait()
	if len(e.idle) != 3 {
		t.Errorf("%d are idle", len(e.idle))
	}
}

// TestMemoryIsReturned: a process that has had its first runs does not grow by more of them.
func TestMemoryIsReturned(t *testing.T) {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("this system does not tell")
	}
	e := another(t, Config{})
	small := compile(t, e, body("return sum(range(1000))"))
	large := compile(t, e, body("x = [bytearray(b'x' * (1 << 20)) for _ in range(150)]\nreturn len(x)"))
	deep := compile(t, e, "class A:\n    def __eq__(self, o): return A() == A()\ndef run(ctx):\n    try: return A() == A()\n    except RecursionError: return 1\n")
	run := func(p *Program, n int) {
		for range n {
			r, err := e.Run(context.Background(), p, Job{Limits: Limits{Recursion: 5000}})
			if err != nil || r.Err != nil {
				t.Fatal(err, jsonOf(r))
			}
		}
	}
	run(small, 100)
	run(large, 1)
	run(deep, 1)
	before := resident(t)
	run(small, 1000)
	run(large, 3)
	run(deep, 3)
	if after := resident(t); after > before+32<<20 {
		t.Errorf("resident memory went from %d to %d MiB", before>>20, after>>20)
	}
}

func resident(t *testing.T) int {
	goruntime.GC()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestClose: closing cancels what runs, and frees nothing under it.
func TestClose(t *testing.T) {
	e := another(t, Config{})
	p := compile(t, e, body("ctx.a.b()\nwhile True: pass"))
	held, err := e.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	errs, started := make(chan error, 4), make(chan struct{}, 4)
	for range 4 {
		go func() {
			_, err := e.Run(context.Background(), p, Job{Limits: Limits{Fuel: 1 << 60}, Host: func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
				started <- struct{}{}
				return hostfuncs.Answer{Value: []byte("1")}, nil
			}})
			errs <- err
		}()
	}
	for range 4 {
		<-started
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := <-errs; err != ErrClosed {
			t.Errorf("a run ended with %v", err)
		}
	}
	if _, err := e.Start(context.Background()); err != ErrClosed {
		t.Errorf("start: %v", err)
	}
	if _, err := held.Run(context.Background(), p, Job{}); err != ErrClosed {
		t.Errorf("run on an instance from before: %v", err)
	}
	held.Close()
	if err := e.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
