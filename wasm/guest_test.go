package wasm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

// The tests of this file run the Python files under testdata: guest (what Python has to do), escape (what it must not
// be able to do) and limits (what must stop it). Their first lines say what is expected:
//
//	# want: nothing        an empty list: the file returns what it found, and must find nothing
//	# want: same           any value, the same in two runs of one seed and start time
//	# want: any            any end, as long as the process lives and the next run is what it would have been
//	# want: CODE or CODE   one of these error codes, or completed
//	# want: JSON           this value (guest only)
//	# says: TEXT           the error's message, or its traceback, has this text
//	# line: N or N-M       the error's line, if it may not complete as well
//	# fuel: N              millions of units, where the file needs more than the others to get where it is going
const testdata = "../testdata"

// shared is opened once for all tests, with its cache in $RUNLACE_CACHE or in a folder of its own.
var shared struct {
	open   sync.Once
	engine *runtime.Engine
	err    error
	cache  string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.engine != nil {
		_ = shared.engine.Close()
	}
	if shared.cache != "" {
		_ = os.RemoveAll(shared.cache)
	}
	os.Exit(code)
}

func engine() (*runtime.Engine, error) {
	shared.open.Do(func() {
		dir := os.Getenv("RUNLACE_CACHE")
		if dir == "" {
			if dir, shared.err = os.MkdirTemp("", "runlace-cache-"); shared.err != nil {
				return
			}
			shared.cache = dir
		}
		shared.engine, shared.err = runtime.Open(context.Background(), runtime.Config{CacheDir: dir})
	})
	return shared.engine, shared.err
}

type vector struct {
	name, source string
	wants        []string
	says         []string
	from, to     int   // lines; 0: any
	fuel         int64 // 0: what the test gives to all
}

var header = regexp.MustCompile(`(?m)^# (want|says|line|fuel): (.*)$`)

func vectors(t *testing.T, folder string) []vector {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(testdata, folder, "*.py"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	var out []vector
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		v := vector{name: strings.TrimSuffix(filepath.Base(name), ".py"), source: string(b)}
		for _, m := range header.FindAllStringSubmatch(v.source, -1) {
			switch m[1] {
			case "want":
				v.wants = strings.Split(strings.TrimSpace(m[2]), " or ")
			case "says":
				v.says = append(v.says, m[2])
			case "fuel":
				millions, err := strconv.ParseInt(strings.TrimSpace(m[2]), 10, 64)
				if err != nil {
					t.Fatalf("%s: fuel %q", name, m[2])
				}
				v.fuel = millions * 1e6
			case "line":
				from, to, ok := strings.Cut(m[2], "-")
				if !ok {
					to = from
				}
				if v.from, err = strconv.Atoi(from); err == nil {
					v.to, err = strconv.Atoi(to)
				}
				if err != nil {
					t.Fatalf("%s: line %q", name, m[2])
				}
			}
		}
		if v.wants == nil {
			t.Fatalf("%s does not say what it wants", name)
		}
		out = append(out, v)
	}
	return out
}

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// tools is the host of all vectors: an echo, the arguments as they were on the wire, an answer that is given as text, a failure, a slow tool,
// and nothing else.
func tools(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	switch {
	case c.Media && strings.Contains(string(c.Arguments), "sha256:aa"):
		return hostfuncs.Answer{Bytes: []byte("\x00\xffmed")}, nil
	case c.Media && strings.Contains(string(c.Arguments), "sha256:bb"):
		return hostfuncs.Answer{Bytes: []byte{}}, nil
	case c.Media:
		return hostfuncs.Answer{Err: &hostfuncs.Error{Code: "unknown-media", Message: "there is no such handle"}}, nil
	case c.IsModel():
		return hostfuncs.Answer{Value: json.RawMessage(`"model"`)}, nil
	case c.Connector == "test" && c.Tool == "echo":
		return hostfuncs.Answer{Value: c.Arguments}, nil
	case c.Connector == "test" && c.Tool == "wire":
		wire, err := json.Marshal(string(c.Arguments))
		return hostfuncs.Answer{Value: wire}, err
	case c.Connector == "test" && c.Tool == "answer":
		var asked struct{ JSON string }
		err := json.Unmarshal(c.Arguments, &asked)
		return hostfuncs.Answer{Value: json.RawMessage(asked.JSON)}, err
	case c.Connector == "test" && c.Tool == "slow":
		return hostfuncs.Answer{Value: json.RawMessage("null"), Elapsed: 90 * time.Second}, nil
	case c.Connector == "test" && c.Tool == "fail":
		return hostfuncs.Answer{Err: &hostfuncs.Error{Code: "bad-thing", Message: "it did not work", Data: c.Arguments}}, nil
	}
	return hostfuncs.Answer{Err: &hostfuncs.Error{Code: "unknown-tool", Message: fmt.Sprintf("no tool %s.%s", c.Connector, c.Tool)}}, nil
}

// run compiles and runs a file. A file that does not compile has a Result with the compiler's error.
func run(t *testing.T, source string, limits runtime.Limits) *runtime.Result {
	t.Helper()
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	p, err := e.Compile(ctx, source, limits)
	if err != nil {
		if bad, ok := err.(*runtime.Error); ok {
			return &runtime.Result{Err: bad}
		}
		t.Fatal(err)
	}
	inputs, _ := json.Marshal(map[string]any{"at": at.Format(time.RFC3339), "name": "x", "numbers": []int{3, 1, 2}})
	r, err := e.Run(ctx, p, runtime.Job{Inputs: inputs, Seed: 7, At: at, Limits: limits, Host: tools})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ended(r *runtime.Result) string {
	if r.Err != nil {
		return r.Err.Code
	}
	return "completed"
}

// differ says how two runs that must be the same are not.
func differ(a, b *runtime.Result) string {
	var out []string
	note := func(what string, x, y any) {
		if fmt.Sprint(x) != fmt.Sprint(y) {
			out = append(out, fmt.Sprintf("%s: %.300v, then %.300v", what, x, y))
		}
	}
	note("output", string(a.Output), string(b.Output))
	note("error", a.Err, b.Err)
	note("fuel", a.Fuel, b.Fuel)
	note("memory", a.MemoryBytes, b.MemoryBytes)
	note("calls", a.Calls, b.Calls)
	note("log", a.Log, b.Log)
	note("elapsed", a.Elapsed, b.Elapsed)
	return strings.Join(out, "\n")
}

func (v *vector) check(t *testing.T, r *runtime.Result) {
	t.Helper()
	end := ended(r)
	describe := func() string {
		if r.Err != nil {
			return fmt.Sprintf("%s: %s (line %d, type %s)\n%s", r.Err.Code, r.Err.Message, r.Err.Line, r.Err.Type, r.Err.Traceback)
		}
		return string(r.Output)
	}
	switch want := v.wants[0]; {
	case want == "any":
	case want == "same":
		if r.Err != nil {
			t.Errorf("failed with %s", describe())
		}
	case want == "nothing":
		if string(r.Output) != "[]" {
			t.Errorf("found %s", describe())
		}
	case strings.ContainsAny(want[:1], `{["0123456789tfn-`) && json.Valid([]byte(strings.Join(v.wants, " or "))):
		if string(r.Output) != strings.Join(v.wants, " or ") {
			t.Errorf("output\n%s, want\n%s", describe(), want)
		}
	case !slices.Contains(v.wants, end):
		t.Errorf("ended with %s, want %v", describe(), v.wants)
	}
	for _, says := range v.says {
		if r.Err == nil || !strings.Contains(r.Err.Message+"\n"+r.Err.Traceback, says) {
			t.Errorf("ended with %s, want it to say %q", describe(), says)
		}
	}
	if may := r.Err == nil && slices.Contains(v.wants, "completed"); v.from > 0 && !may && (r.Err == nil || r.Err.Line < v.from || r.Err.Line > v.to) {
		t.Errorf("ended with %s, want line %d to %d", describe(), v.from, v.to)
	}
}

const clean = `import json, re, math, decimal, random
def run(ctx):
    return [json.dumps({"a": [1, 2.5]}), re.sub("a+", "b", "caat"), math.pi, str(decimal.Decimal(1) / 7), random.random(), sorted(ctx.inputs)]
`

// cleanAfter checks that a run is what it is in an engine that has run nothing else.
func cleanAfter(t *testing.T, first *runtime.Result) {
	t.Helper()
	if d := differ(first, run(t, clean, runtime.Limits{})); d != "" {
		t.Errorf("the next run was affected:\n%s", d)
	}
}

func TestGuest(t *testing.T) {
	for _, v := range vectors(t, "guest") {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			v.check(t, run(t, v.source, runtime.Limits{Fuel: 4e9}))
		})
	}
}

// No trick finds a file, a socket, an environment, a process, a clock, randomness, or anything of the run before it.
func TestEscape(t *testing.T) {
	first := run(t, clean, runtime.Limits{})
	if first.Err != nil {
		t.Fatal(first.Err)
	}
	pollute, err := os.ReadFile(filepath.Join(testdata, "escape", "pollute.py"))
	if err != nil {
		t.Fatal(err)
	}
	all := vectors(t, "escape")
	if len(all) < 60 {
		t.Errorf("only %d tricks", len(all))
	}
	limits := runtime.Limits{Fuel: 4e9}
	t.Run("tricks", func(t *testing.T) {
		for _, v := range all {
			t.Run(v.name, func(t *testing.T) {
				t.Parallel()
				run(t, string(pollute), limits)
				r := run(t, v.source, limits)
				v.check(t, r)
				run(t, string(pollute), limits)
				if d := differ(r, run(t, v.source, limits)); d != "" {
					t.Errorf("two runs differ:\n%s", d)
				}
				cleanAfter(t, first)
			})
		}
	})
}

// Every hostile program ends with its own code, at the same instruction each time, and leaves the next run alone.
func TestLimits(t *testing.T) {
	first := run(t, clean, runtime.Limits{})
	all := vectors(t, "limits")
	if len(all) < 60 {
		t.Errorf("only %d programs", len(all))
	}
	t.Run("programs", func(t *testing.T) {
		for _, v := range all {
			t.Run(v.name, func(t *testing.T) {
				t.Parallel()
				limits := runtime.Limits{Fuel: 300e6, Timeout: 5 * time.Minute}
				if v.fuel > 0 {
					limits.Fuel = v.fuel
				}
				r := run(t, v.source, limits)
				v.check(t, r)
				if r.Err != nil && r.Err.Code == "timeout" {
					t.Error("fuel did not stop it")
				}
				if d := differ(r, run(t, v.source, limits)); d != "" {
					t.Errorf("two runs differ:\n%s", d)
				}
				cleanAfter(t, first)
			})
		}
	})
}
