package check

import (
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/runtime"
)

// scenario is a case, in the terms of a run.
type scenario struct {
	*project.Case
	limits runtime.Limits
}

// failing is a step that is made to fail.
type failing struct {
	project.Fail
	lost bool // the act is done, and nobody knows; only --chaos
}

// failures are the steps that a case makes fail.
func (s *scenario) failures() (out []failing) {
	for _, f := range s.Fails {
		out = append(out, failing{Fail: f})
	}
	return out
}
