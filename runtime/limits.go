package runtime

import (
	"fmt"
	"math"
	"time"
)

// Limits bound one run. The zero value of a field means its default; Defaults returns them all. Every limit but the two times
// falls at the same instruction each time.
type Limits struct {
	// Fuel is the CPU limit in units of package meter, where a simple instruction is one and a second of work is two to
	// seven billion. Error code cpu-limit.
	Fuel int64 `json:"fuel"`
	// MemoryBytes bounds linear memory; it is rounded up to whole 64 KiB pages. The interpreter itself takes a part,
	// see MinMemory. Error code memory-limit.
	MemoryBytes int64 `json:"memory_bytes"`
	// Calls bounds the host calls. Error code call-limit.
	Calls int `json:"calls"`
	// ArgumentBytes and ResultBytes bound the JSON of one call and of its answer. What is larger becomes a ToolError.
	ArgumentBytes int `json:"argument_bytes"`
	ResultBytes   int `json:"result_bytes"`
	// InputBytes bounds the inputs' JSON. Error code input-limit.
	InputBytes int `json:"input_bytes"`
	// OutputBytes bounds the output's JSON. Error code output-limit.
	OutputBytes int `json:"output_bytes"`
	// LogBytes bounds what the run may print. Error code log-limit.
	LogBytes int `json:"log_bytes"`
	// Recursion is Python's recursion limit, 50 to 20000. Error code recursion-limit.
	Recursion int `json:"recursion"`
	// Timeout bounds the run on the wall clock: a backstop for waiting, as fuel bounds computing. Error code timeout.
	Timeout time.Duration `json:"timeout"`
	// CallTimeout bounds one host call on the wall clock. The call's context ends then; what the workflow sees is up to
	// the Host.
	CallTimeout time.Duration `json:"call_timeout"`
}

// Defaults returns the limits that apply where nothing else is said.
func Defaults() Limits {
	return Limits{
		Fuel:          20_000_000_000, // some seconds of pure Python: a workflow waits, it does not compute
		MemoryBytes:   256 << 20,      // several times what 8 MiB of JSON takes as Python objects
		Calls:         10_000,         // an endless loop of calls ends before it costs real money
		ArgumentBytes: 8 << 20,        // larger than any MCP server is known to accept
		ResultBytes:   8 << 20,        // a page of results, not a database
		InputBytes:    8 << 20,        // as results
		OutputBytes:   8 << 20,        // as results
		LogBytes:      1 << 20,        // a person reads it
		Recursion:     1000,           // Python's own default
		Timeout:       300 * time.Second,
		CallTimeout:   120 * time.Second,
	}
}

// LimitError says that a field of a [Limits], or Job.At, is out of range. Times are in nanoseconds, At in seconds.
type LimitError struct {
	Field           string
	Value, Min, Max int64
}

func (e *LimitError) Error() string {
	if e.Max == math.MaxInt64 {
		return fmt.Sprintf("runtime: %s is %d, and has to be at least %d", e.Field, e.Value, e.Min)
	}
	return fmt.Sprintf("runtime: %s is %d, and has to be from %d to %d", e.Field, e.Value, e.Min, e.Max)
}

// effective puts the defaults in place of zeros, rounds memory up to whole pages, and checks the ranges.
func (l Limits) effective(minMemory int64) (Limits, error) {
	d := Defaults()
	orDefault(&l.Fuel, d.Fuel)
	orDefault(&l.MemoryBytes, max(d.MemoryBytes, minMemory))
	orDefault(&l.Calls, d.Calls)
	orDefault(&l.ArgumentBytes, d.ArgumentBytes)
	orDefault(&l.ResultBytes, d.ResultBytes)
	orDefault(&l.InputBytes, d.InputBytes)
	orDefault(&l.OutputBytes, d.OutputBytes)
	orDefault(&l.LogBytes, d.LogBytes)
	orDefault(&l.Recursion, d.Recursion)
	orDefault(&l.Timeout, d.Timeout)
	orDefault(&l.CallTimeout, d.CallTimeout)
	const gib = 1 << 30
	for _, f := range []LimitError{
		{"Fuel", l.Fuel, 1, 1 << 62},
		{"MemoryBytes", l.MemoryBytes, minMemory, maxMemory},
		{"Calls", int64(l.Calls), 1, math.MaxInt32},
		{"ArgumentBytes", int64(l.ArgumentBytes), 1, gib},
		{"ResultBytes", int64(l.ResultBytes), 1, gib},
		{"InputBytes", int64(l.InputBytes), 1, gib},
		{"OutputBytes", int64(l.OutputBytes), 1, gib},
		{"LogBytes", int64(l.LogBytes), 1, gib},
		{"Recursion", int64(l.Recursion), 50, 20_000},
		{"Timeout", int64(l.Timeout), 1, math.MaxInt64},
		{"CallTimeout", int64(l.CallTimeout), 1, math.MaxInt64},
	} {
		if f.Value < f.Min || f.Value > f.Max {
			return l, &f
		}
	}
	l.MemoryBytes = (l.MemoryBytes + wasmPage - 1) &^ (wasmPage - 1)
	return l, nil
}

func orDefault[T ~int | ~int64](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}
