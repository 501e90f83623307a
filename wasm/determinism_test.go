package wasm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	goruntime "runtime"

	"github.com/runlace/runlace/runtime"
)

// varied is a workflow that uses everything whose result could depend on the machine: sets, hashes, identities, floats,
// randomness, time, exceptions, the collector.
const varied = `
import dataclasses, decimal, hashlib, json, math, random, re, time, uuid
from datetime import datetime, timezone

@dataclasses.dataclass
class Item:
    key: str
    value: float

def run(ctx):
    items = [Item(uuid.uuid4().hex[:4], random.gauss(0, 1) * math.sin(i) / (i + 0.1)) for i in range(20)]
    order = [k for k in {i.key for i in items}]
    text = json.dumps([dataclasses.asdict(i) for i in items], sort_keys=True)
    words = re.findall(r"[0-9a-f]{2}", text)
    try:
        1 / (len(words) - len(words))
    except ZeroDivisionError as e:
        words.append(str(e))
    loops = [[] for _ in range(50)]
    for l in loops:
        l.append(l)
    nan = float("inf") - float("inf")
    total = sum(decimal.Decimal(str(i.value)) for i in items)
    time.sleep(0.25)
    return {
        "order": order, "digest": hashlib.sha256(" ".join(words).encode()).hexdigest(), "total": str(total), "nan": math.copysign(1, nan),
        "id": id(items), "hash": hash("x"), "now": datetime.now(timezone.utc).isoformat(), "sin": repr(math.sin(1e22)), "pow": repr(1.1**1.7),
    }
`

const childVariable = "RUNLACE_TEST_CHILD_CACHE"

// fingerprint is everything about a result that has to be the same each time.
func fingerprint(r *runtime.Result) string {
	return fmt.Sprintf("%d %d %v %s %s", r.Fuel, r.MemoryBytes, r.Elapsed, r.Output, r.Log)
}

// fingerprints makes n runs by each of the given number of goroutines, and counts what they come to.
func fingerprints(t *testing.T, e *runtime.Engine, n, threads int) map[string]int {
	t.Helper()
	p, err := e.Compile(context.Background(), varied, runtime.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := map[string]int{}
	for range threads {
		wg.Go(func() {
			for range n {
				r, err := e.Run(context.Background(), p, runtime.Job{Seed: 99, At: at})
				what := ""
				switch {
				case err != nil:
					what = err.Error()
				case r.Err != nil:
					what = r.Err.Error()
				default:
					what = fingerprint(r)
				}
				mu.Lock()
				seen[what]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return seen
}

// 10 000 runs of one workflow have one output and one figure of fuel: one after the other, at the same time, with one thread and
// with two, in this process and in others, with memory mapped and copied.
func TestTenThousandRuns(t *testing.T) {
	if dir := os.Getenv(childVariable); dir != "" {
		childRuns(t, dir)
		return
	}
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	add := func(from map[string]int) {
		for k, n := range from {
			all[k] += n
		}
	}
	old := goruntime.GOMAXPROCS(1)
	add(fingerprints(t, e, 3500, 1))
	goruntime.GOMAXPROCS(max(2, old))
	add(fingerprints(t, e, 1250, 2))
	add(fingerprints(t, e, 50, 40))
	goruntime.GOMAXPROCS(old)

	copying, err := runtime.Open(context.Background(), runtime.Config{CacheDir: e.CacheState().Dir + "/..", Copy: true})
	if err != nil {
		t.Fatal(err)
	}
	add(fingerprints(t, copying, 250, 2))
	_ = copying.Close()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		c := exec.Command(self, "-test.run", "^TestTenThousandRuns$", "-test.v")
		c.Env = append(os.Environ(), childVariable+"="+filepath.Dir(e.CacheState().Dir), fmt.Sprintf("GOMAXPROCS=%d", 1+i%2))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("child: %v\n%s", err, out)
		}
		var from map[string]int
		_, text, _ := strings.Cut(string(out), "\nfingerprints ")
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&from); err != nil {
			t.Fatalf("child: %v\n%s", err, out)
		}
		add(from)
	}
	total := 0
	for k, n := range all {
		total += n
		t.Logf("%d times %.120s", n, k)
	}
	if len(all) != 1 || total != 10_000 {
		t.Errorf("%d runs came to %d different results", total, len(all))
	}
}

func childRuns(t *testing.T, dir string) {
	e, err := runtime.Open(context.Background(), runtime.Config{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	text, err := json.Marshal(fingerprints(t, e, 250, 2-goruntime.GOMAXPROCS(0)%2))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nfingerprints %s\n", text)
}

// The same run on another kind of processor: the binary for arm64, under qemu's emulation of user programs.
func TestArm64Agrees(t *testing.T) {
	if goruntime.GOARCH == "arm64" {
		t.Skip("this is arm64: the figures of amd64 are compared there")
	}
	qemu := ""
	for _, name := range []string{"qemu-aarch64-static", "qemu-aarch64"} {
		if path, err := exec.LookPath(name); err == nil {
			qemu = path
		}
	}
	if qemu == "" {
		t.Skip("there is no qemu-aarch64 here: install Debian's qemu-user-static, as .ci/run does")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "varied.py")
	if err := os.WriteFile(file, []byte(varied), 0o600); err != nil {
		t.Fatal(err)
	}
	results := map[string]string{}
	for _, arch := range []string{goruntime.GOARCH, "arm64"} {
		binary := filepath.Join(dir, "runlace-"+arch)
		build := exec.Command("go", "build", "-o", binary, "../cmd/runlace")
		build.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build for %s: %v\n%s", arch, err, out)
		}
		args := []string{binary, "exec", file, "--seed", "99", "--at", at.Format(time.RFC3339), "--timeout", "10m", "--json"}
		if arch == "arm64" {
			args = append([]string{qemu}, args...)
		}
		c := exec.Command(args[0], args[1:]...)
		c.Env = append(os.Environ(), "RUNLACE_CACHE="+filepath.Join(dir, "cache"))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", arch, err, out)
		}
		var r struct {
			Status string
			Output json.RawMessage
			Fuel   int64
			Memory int64 `json:"memory_bytes"`
		}
		if err := json.NewDecoder(bytes.NewReader(out)).Decode(&r); err != nil || r.Status != "completed" {
			t.Fatalf("%s: %v\n%s", arch, err, out)
		}
		results[arch] = fmt.Sprintf("%d fuel, %d bytes, %s", r.Fuel, r.Memory, r.Output)
	}
	if a, b := results[goruntime.GOARCH], results["arm64"]; a != b {
		t.Errorf("%s:\n%s\narm64:\n%s", goruntime.GOARCH, a, b)
	} else {
		t.Log(a)
	}
}

// The memory of the process does not grow with the number of runs.
func TestResidentMemoryIsFlat(t *testing.T) {
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	resident := func() int {
		debug.FreeOSMemory()
		b, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Skip("the size of a process is read from /proc, which is not here")
		}
		var size, pages int
		if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
			t.Fatal(err)
		}
		return pages * os.Getpagesize() >> 20
	}
	fingerprints(t, e, 50, 2)
	before := resident()
	fingerprints(t, e, 500, 2)
	if after := resident(); after > before+16 {
		t.Errorf("resident memory went from %d MiB to %d MiB in 1000 runs", before, after)
	} else {
		t.Logf("%d MiB, and after 1000 runs %d MiB", before, after)
	}
}
