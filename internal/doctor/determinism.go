package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

// workload touches what differs from run to run elsewhere: hashes, addresses, random numbers, the clock, float formatting, the
// order of sets, the collector, and calls.
const workload = `
import hashlib, json, random, re, statistics, time, uuid
from datetime import datetime

class Node:
    def __init__(self, value):
        self.value, self.other = value, None

def run(ctx):
    words = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(200)]
    ring = [Node(w) for w in words]
    for a, b in zip(ring, ring[1:]):
        a.other, b.other = b, a
    answers = [ctx.doctor.echo(number=random.random()) for _ in range(3)]
    print("at", datetime.now().isoformat(), "after", time.monotonic() > 0)
    return {
        "set": list(set(words))[:5], "hash": hash("runlace"), "id": id(ring) % 4096, "repr": repr(Node)[:20],
        "uuid": str(uuid.uuid4()), "sample": random.sample(range(10**9), 5), "mean": statistics.fmean(random.gauss(0, 1) for _ in range(500)),
        "answers": answers, "pattern": len(re.findall("[a-f][0-9]+", "".join(words))), "json": json.dumps({"x": 0.1 + 0.2}),
        "inputs": ctx.inputs,
    }
`

func echo(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	return hostfuncs.Answer{Value: c.Arguments, Elapsed: 7 * time.Millisecond}, nil
}

func workloadJob(seed uint64) runtime.Job {
	return runtime.Job{Inputs: json.RawMessage(`{"n":12345678901234567890}`), Seed: seed, At: probeStart, Host: echo}
}

// determinism runs the workload several times, also at the same time, and compares.
func determinism(ctx context.Context, e *runtime.Engine) Check {
	const name = "determinism"
	const times = 4
	type outcome struct {
		r   *runtime.Result
		err error
	}
	outcomes := make(chan outcome, times)
	for range times {
		go func() {
			r, err := run(ctx, e, workload, workloadJob(1))
			outcomes <- outcome{r, err}
		}()
	}
	var first *runtime.Result
	var wrong []string
	for range times {
		o := <-outcomes
		switch {
		case o.err != nil:
			wrong = append(wrong, o.err.Error())
		case o.r.Err != nil:
			wrong = append(wrong, o.r.Err.Error())
		case first == nil:
			first = o.r
		default:
			wrong = append(wrong, differences(first, o.r)...)
		}
	}
	if first == nil {
		return verdict(name, "", wrong...)
	}
	return verdict(name, fmt.Sprintf("%d runs at the same time, each with %d fuel and the same output, log and calls", times, first.Fuel), wrong...)
}

// differences says in what two runs differ that must not.
func differences(a, b *runtime.Result) (all []string) {
	if a.Fuel != b.Fuel {
		all = append(all, fmt.Sprintf("fuel %d and %d", a.Fuel, b.Fuel))
	}
	if !bytes.Equal(a.Output, b.Output) {
		all = append(all, fmt.Sprintf("output %.200s and %.200s", a.Output, b.Output))
	}
	if a.Log != b.Log {
		all = append(all, fmt.Sprintf("log %.200q and %.200q", a.Log, b.Log))
	}
	if a.Calls != b.Calls {
		all = append(all, fmt.Sprintf("%d and %d calls", a.Calls, b.Calls))
	}
	if a.MemoryBytes != b.MemoryBytes {
		all = append(all, fmt.Sprintf("memory %d and %d", a.MemoryBytes, b.MemoryBytes))
	}
	if a.Elapsed != b.Elapsed {
		all = append(all, fmt.Sprintf("elapsed time %v and %v", a.Elapsed, b.Elapsed))
	}
	return all
}

// seeds checks that randomness comes from the seed and from nothing else.
func seeds(ctx context.Context, e *runtime.Engine) Check {
	const name = "randomness"
	const source = `
import random, uuid
import json

def run(ctx):
    posix = json.codecs.sys.modules["posix"]
    return [posix.urandom(8).hex(), random.random(), str(uuid.uuid4()), random.Random().random(), random.SystemRandom().random()]
`
	var outputs [3]string
	for i, seed := range []uint64{1, 1, 2} {
		r, err := run(ctx, e, source, runtime.Job{Seed: seed})
		if err != nil {
			return verdict(name, "", err.Error())
		}
		if r.Err != nil {
			return verdict(name, "", r.Err.Error())
		}
		outputs[i] = string(r.Output)
	}
	var wrong []string
	if outputs[0] != outputs[1] {
		wrong = append(wrong, "one seed gave "+outputs[0]+" and "+outputs[1])
	}
	var a, b []any
	if json.Unmarshal([]byte(outputs[0]), &a) == nil && json.Unmarshal([]byte(outputs[2]), &b) == nil && len(a) == len(b) {
		for i := range a {
			if a[i] == b[i] {
				wrong = append(wrong, fmt.Sprintf("two seeds gave %v", a[i]))
			}
		}
	}
	return verdict(name, "comes from the seed alone", wrong...)
}
