package runtime

import (
	"encoding/json"
	"time"

	"github.com/runlace/runlace/hostfuncs"
)

// Program is a workflow compiled to the guest's bytecode. It holds good for one guest build only.
type Program struct {
	Source string // UTF-8; shown in tracebacks
	Code   []byte // marshalled code object
	Build  string // the guest build that made it, Engine.Build
	Fuel   int64  // what compiling cost
}

// Job is what one run is given. Together with the Program, the Engine's Build and the answers of the Host it decides
// the Result to the last bit (but for Duration, and for the two limits that are times).
type Job struct {
	Inputs json.RawMessage // a JSON object; empty means {}
	Seed   uint64          // of all randomness in the run
	At     time.Time       // what the run's clock reads when it starts; the zero time means the Unix epoch
	Limits Limits
	Host   hostfuncs.Host // nil: every call is answered with the error no-connector

	// AnyImport lifts the allowlist: the program may import every module that is in the guest. It is for programs of the
	// host's own, such as a linter that needs ast; it opens nothing else.
	AnyImport bool
}

// Result is what a run came to.
type Result struct {
	Output      json.RawMessage // the value that run returned, as JSON; nil if the run failed
	Err         *Error          // nil if it completed
	Fuel        int64           // units used
	MemoryBytes int64           // linear memory at the end, which is its highest: it never shrinks
	Calls       int             // host calls made
	Log         string          // what the run printed, standard output and standard error in the order they came
	Elapsed     time.Duration   // on the run's own clock
	Duration    time.Duration   // on the host's clock; not part of the record
}

// Error says how a run, or a compilation, failed. Its code is one of the list in package fault.
type Error struct {
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Type      string          `json:"type,omitempty"`      // the Python exception's class, where there was one
	Line      int             `json:"line,omitempty"`      // of the workflow, from 1; 0 if it was not running
	Column    int             `json:"column,omitempty"`    // of a syntax error, from 1
	Traceback string          `json:"traceback,omitempty"` // the workflow's frames only
	Data      json.RawMessage `json:"data,omitempty"`      // of an uncaught ToolError: its code and data
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }
