package doctor

import (
	"context"
	"strings"
	"testing"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/runtime"
)

func open(t *testing.T) *runtime.Engine {
	cache := home.Cache()
	if cache == "" {
		cache = t.TempDir()
	}
	e, err := runtime.Open(context.Background(), runtime.Config{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// All checks are OK here, and each finds out when it should not be: a doctor who calls everybody healthy passes the first part too.
func TestChecks(t *testing.T) {
	e, ctx := open(t), context.Background()
	var told []Check
	all := Run(ctx, e, func(c Check) { told = append(told, c) })
	for _, c := range all {
		if !c.OK {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	if len(told) != len(all) || len(Failed(all)) > 0 {
		t.Errorf("%d told, %d made", len(told), len(all))
	}

	p := provocations[0]
	for name, sick := range map[string]Check{
		"limit with another code":     provocation{code: runtime.CodeMemoryLimit, source: p.source, limits: p.limits}.check(ctx, e),
		"limit at another line":       provocation{code: p.code, line: 4, source: p.source, limits: p.limits}.check(ctx, e),
		"limit that is not hit":       provocation{code: p.code, source: "def run(ctx): pass"}.check(ctx, e),
		"limit in bad Python":         provocation{code: p.code, source: "def run(ctx) pass"}.check(ctx, e),
		"call with another code":      provocation{code: hostfuncs.CodeResultTooLarge, tool: true, source: "def run(ctx): ctx.a.b()"}.check(ctx, e),
		"probe that reaches":          probe{source: "def run(ctx): return ['the file']"}.check(ctx, e),
		"probe that fails":            probe{source: "def run(ctx): 1/0"}.check(ctx, e),
		"probe without a list":        probe{source: "def run(ctx): return 1"}.check(ctx, e),
		"probe in bad Python":         probe{source: "def run(ctx) pass"}.check(ctx, e),
		"probe that makes no attempt": probe{source: reach + "def run(ctx): return [] if reach('posix') is None else ['posix']"}.check(ctx, e),
	} {
		if sick.OK || sick.Detail == "" {
			t.Errorf("%s is called OK: %s", name, sick.Detail)
		}
	}

	a := &runtime.Result{Output: []byte("1"), Fuel: 1, Calls: 1, Log: "a", MemoryBytes: 1, Elapsed: 1}
	if d := differences(a, a); len(d) != 0 {
		t.Error(d)
	}
	if d := differences(a, &runtime.Result{}); len(d) != 6 {
		t.Errorf("%d differences: %v", len(d), d)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if all := Run(ctx, nil, func(Check) {}); len(all) != 0 {
		t.Errorf("%d checks were made", len(all))
	}
}

// Every limit of the table of codes is provoked, and every code that a call can end with without its Host having answered.
func TestEveryLimit(t *testing.T) {
	provoked := map[string]bool{}
	for _, p := range provocations {
		provoked[p.code] = true
	}
	for _, e := range fault.Table() {
		due := e.Kind == fault.Limit || e.Code == runtime.CodeCancelled || e.Kind == fault.Tool && strings.HasSuffix(e.Code, "-too-large") || e.Code == hostfuncs.CodeNoConnector
		if due && !provoked[e.Code] {
			t.Errorf("%s is not provoked", e.Code)
		}
	}
}
