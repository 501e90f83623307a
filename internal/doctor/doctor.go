// Package doctor checks on the machine at hand what Runlace promises of its sandbox: that every limit stops a run and says
// where, that a run reaches nothing of the machine, that it is a pure function of what it is given, and that the cache works.
//
// These are not all tests of the sandbox, but one of each kind, in a second, on the binary and the machine that will be used.
package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/runlace/runlace/runtime"
)

// Check is the outcome of one check.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // what to do, if it is not OK
}

// Run makes all checks, and tells each as it is made.
func Run(ctx context.Context, e *runtime.Engine, tell func(Check)) []Check {
	var all []Check
	for _, check := range checks() {
		if ctx.Err() != nil {
			break
		}
		c := check(ctx, e)
		all = append(all, c)
		tell(c)
	}
	return all
}

type checkFunc func(context.Context, *runtime.Engine) Check

func checks() []checkFunc {
	all := []checkFunc{cache, sandbox}
	for _, p := range provocations {
		all = append(all, p.check)
	}
	for _, p := range probes {
		all = append(all, p.check)
	}
	return append(all, leftovers, determinism, seeds)
}

// Failed are the names of the checks that are not OK.
func Failed(checks []Check) (names []string) {
	for _, c := range checks {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	return names
}

// verdict makes a Check of the reasons why it is not OK.
func verdict(name, detail string, wrong ...string) Check {
	if len(wrong) > 0 {
		return Check{Name: name, Detail: strings.Join(wrong, "; ")}
	}
	return Check{Name: name, OK: true, Detail: detail}
}

// run compiles and runs source.
func run(ctx context.Context, e *runtime.Engine, source string, job runtime.Job) (*runtime.Result, error) {
	p, err := e.Compile(ctx, source, runtime.Limits{})
	if err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	return e.Run(ctx, p, job)
}

// cache is not OK when the cache cannot be used: all is correct then, and every start takes seconds.
func cache(_ context.Context, e *runtime.Engine) Check {
	s := e.CacheState()
	c := Check{Name: "cache", OK: s.State != runtime.CacheOff, Detail: s.State}
	if s.Dir != "" {
		c.Detail += ", " + s.Dir
	}
	if s.Reason != "" {
		c.Detail += " (" + s.Reason + ")"
	}
	if !c.OK {
		c.Hint = "every start compiles the sandbox anew, which takes seconds: make the folder writable, or name another in RUNLACE_CACHE"
	}
	return c
}

func sandbox(ctx context.Context, e *runtime.Engine) Check {
	const name = "sandbox"
	r, err := run(ctx, e, "def run(ctx):\n    return 6 * 7\n", runtime.Job{})
	switch {
	case err != nil:
		return verdict(name, "", err.Error())
	case r.Err != nil:
		return verdict(name, "", r.Err.Error())
	case string(r.Output) != "42":
		return verdict(name, "", "6 * 7 is "+string(r.Output))
	}
	return verdict(name, fmt.Sprintf("Python %s, build %.16s", e.Python(), e.Build()))
}
