// Package execfile runs one Python file in the sandbox, without connectors: what runlace exec does.
//
// It goes from the words of a command line to a [Report]: read the file, read the inputs, open the sandbox, compile, run.
// What goes wrong before there is anything to run is a [*fault.Error]; what goes wrong with the file is in the report.
package execfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/runtime"
)

// Options are what a caller asks for. Numbers and times are as they were written, so that errors can name them.
type Options struct {
	File      string    // the workflow; - is Stdin
	Stdin     io.Reader // read only if File or Inputs is -
	Inputs    string    // a file with a JSON object; - is Stdin; empty means {}
	Input     []string  // name=value, over what Inputs has
	Fuel      int64
	MemoryMiB int64
	Timeout   time.Duration
	Seed      string // empty: a random one
	At        string // RFC 3339; empty: now

	CacheDir string                // as in runtime.Config
	Progress func(string)          // as in runtime.Config
	Opened   func(*runtime.Engine) // if not nil, told of the sandbox before the run
}

// Defaults returns the options that apply where nothing else is said.
func Defaults() Options {
	l := runtime.Defaults()
	return Options{Fuel: l.Fuel, MemoryMiB: l.MemoryBytes >> 20, Timeout: l.Timeout}
}

// Status of a report.
const (
	Completed = "completed"
	Failed    = "failed"
)

// Report is what a run came to. Seed, At and Build repeat it: with the same file and inputs they give the same output, log and
// fuel.
type Report struct {
	Status     string          `json:"status"`
	Output     json.RawMessage `json:"output"` // null if it failed
	Error      *Failure        `json:"error"`  // null if it completed
	Fuel       int64           `json:"fuel"`
	Memory     int64           `json:"memory_bytes"`
	Log        string          `json:"log"`
	Calls      int             `json:"calls"`
	DurationMS float64         `json:"duration_ms"` // of the run alone, on the wall clock
	Seed       uint64          `json:"seed"`
	At         string          `json:"at"`
	Build      string          `json:"build"`
}

// Failure is how a run failed.
type Failure struct {
	runtime.Error
	Hint string `json:"hint"`
}

// Exit is the exit code that goes with the report.
func (r *Report) Exit() int {
	if r.Error == nil {
		return 0
	}
	if e, ok := fault.Lookup(r.Error.Code); ok {
		return e.Exit
	}
	return fault.ExitFailed
}

// Run runs the file.
func Run(ctx context.Context, o Options) (*Report, error) {
	job, err := o.job()
	if err != nil {
		return nil, err
	}
	in := given.In{Stdin: o.Stdin}
	source, err := in.File(ctx, o.File)
	if err != nil {
		return nil, err
	}
	if job.Inputs, err = in.Inputs(ctx, o.Inputs, o.Input); err != nil {
		return nil, err
	}
	engine, err := sandbox.Open(ctx, o.CacheDir, o.Progress)
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close() }()
	if least := engine.MinMemory(); job.Limits.MemoryBytes < least {
		return nil, given.OutOfRange("--memory", strconv.FormatInt(o.MemoryMiB, 10), fmt.Sprintf("at least %d MiB", (least+1<<20-1)>>20))
	}
	if o.Opened != nil {
		o.Opened(engine)
	}

	report := &Report{Seed: job.Seed, At: job.At.Format(time.RFC3339Nano), Build: engine.Build(), Output: json.RawMessage("null")}
	// Compiling is not part of the run: its fuel limit is its own, so that a small --fuel says something about run alone.
	program, err := engine.Compile(ctx, string(source), runtime.Limits{Timeout: job.Limits.Timeout})
	if failed := (*runtime.Error)(nil); errors.As(err, &failed) {
		report.fail(failed)
		return report, nil
	} else if err != nil {
		return nil, err
	}
	result, err := engine.Run(ctx, program, job)
	if err != nil {
		return nil, rangeError(err)
	}
	report.Fuel, report.Memory, report.Log, report.Calls = result.Fuel, result.MemoryBytes, result.Log, result.Calls
	report.DurationMS = float64(result.Duration.Microseconds()) / 1000
	if result.Err != nil {
		report.fail(result.Err)
		return report, nil
	}
	report.Status, report.Output = Completed, result.Output
	return report, nil
}

func (r *Report) fail(e *runtime.Error) {
	r.Status = Failed
	r.Error = &Failure{Error: *e, Hint: hint(e)}
}

// hint is the advice for e. For a ToolError that was not caught it is that for the call's own error, if that is one of ours.
func hint(e *runtime.Error) string {
	var tool struct {
		Code string `json:"code"`
	}
	if e.Data != nil && json.Unmarshal(e.Data, &tool) == nil {
		if x, ok := fault.Lookup(tool.Code); ok && x.Kind == fault.Tool {
			return x.Hint
		}
	}
	x, _ := fault.Lookup(e.Code)
	return x.Hint
}

// job has what can be checked without the sandbox.
func (o *Options) job() (job runtime.Job, err error) {
	if o.File == "-" && o.Inputs == "-" {
		return job, fault.New("bad-usage", "the file and the inputs cannot both come from standard input")
	}
	if o.Fuel < 1 {
		return job, given.OutOfRange("--fuel", strconv.FormatInt(o.Fuel, 10), "at least 1")
	}
	if o.MemoryMiB < 1 || o.MemoryMiB > 4095 {
		return job, given.OutOfRange("--memory", strconv.FormatInt(o.MemoryMiB, 10), "from 1 to 4095 MiB")
	}
	if o.Timeout <= 0 {
		return job, given.OutOfRange("--timeout", o.Timeout.String(), "more than zero")
	}
	job.Limits = runtime.Limits{Fuel: o.Fuel, MemoryBytes: o.MemoryMiB << 20, Timeout: o.Timeout}
	if o.Seed == "" {
		job.Seed = rand.Uint64() >> 11 // 53 bits: every reader of JSON keeps them
	} else if job.Seed, err = given.Seed(o.Seed); err != nil {
		return job, err
	}
	if o.At == "" {
		job.At = time.Now().UTC().Truncate(time.Millisecond)
	} else if job.At, err = given.Time(o.At); err != nil {
		return job, err
	}
	return job, nil
}

// rangeError turns an error about a limit into one for the user.
func rangeError(err error) error {
	if e := (*runtime.LimitError)(nil); errors.As(err, &e) {
		return fault.New("bad-usage", "%s", e.Error())
	}
	return err
}

// Indent writes JSON for a person: two spaces, keys in order, every digit as it was.
func Indent(j json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, j, "", "  "); err != nil {
		return string(j)
	}
	return escapeControls(b.String())
}

// escapeControls writes characters inside of JSON's strings that would act on a terminal, or turn its text around, as JSON's own
// escapes: the value stays the same.
func escapeControls(s string) string {
	acts := func(r rune) bool {
		return r >= 0x7f && r < 0xa0 || r == 0x061c || r >= 0x200e && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}
	if strings.IndexFunc(s, acts) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if acts(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
