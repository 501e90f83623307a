package runtime

import (
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"github.com/runlace/runlace/hostfuncs"
)

// sliceFuel is how much fuel is granted at a time: some milliseconds' worth. The context is looked at on each grant, and
// Go's garbage collector, which cannot interrupt compiled WebAssembly, gets its turn.
const sliceFuel = 20_000_000

// meter accounts for the fuel of a run. The guest counts its fuel global down, and calls out_of_fuel when it finds it
// below zero. Where a run ends does not depend on the size of the slices: it ends when more than the limit is used.
type meter struct {
	counter api.MutableGlobal // nil in a guest without a meter
	limit   int64
	slice   int64
	granted int64
}

func (m *meter) start(counter api.MutableGlobal, limit, slice int64) {
	*m = meter{counter: counter, limit: limit, slice: slice, granted: min(limit, slice)}
	if counter != nil {
		counter.Set(uint64(m.granted))
	}
}

// used is what the run has used so far. It is over the limit by what the last instruction took.
func (m *meter) used() int64 {
	if m.counter == nil {
		return 0
	}
	return m.granted - int64(m.counter.Get())
}

// charge takes units for work outside of the guest.
func (m *meter) charge(units int64) error {
	if m.counter == nil {
		return nil
	}
	left := int64(m.counter.Get())
	if left < math.MinInt64+units {
		units = left - math.MinInt64
	}
	m.counter.Set(uint64(left - units))
	if left-units >= 0 {
		return nil
	}
	return m.refill()
}

// refill grants slices until the counter is not below zero, or the limit is used up.
func (m *meter) refill() error {
	if m.counter == nil {
		return nil
	}
	left := int64(m.counter.Get())
	for left < 0 && m.granted < m.limit {
		more := min(m.limit-m.granted, max(m.slice, -left))
		m.granted += more
		left += more
	}
	m.counter.Set(uint64(left))
	if left < 0 {
		return m.exhausted()
	}
	return nil
}

func (m *meter) exhausted() *hostfuncs.Stop {
	return &hostfuncs.Stop{Code: CodeCPULimit, Message: fmt.Sprintf("the run used up its CPU limit of %d units of fuel", m.limit)}
}

// aside lets f use up to units of fuel that the run does not pay for.
func (m *meter) aside(units int64, f func()) {
	if m.counter == nil {
		f()
		return
	}
	saved := *m
	left := m.counter.Get()
	m.start(m.counter, units, units)
	defer func() {
		*m = saved
		m.counter.Set(left)
	}()
	f()
}
