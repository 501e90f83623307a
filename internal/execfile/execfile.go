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
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/inputs"
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
	source, err := o.read(ctx, o.File)
	if err != nil {
		return nil, err
	}
	if job.Inputs, err = o.inputs(ctx); err != nil {
		return nil, err
	}
	engine, err := sandbox.Open(ctx, o.CacheDir, o.Progress)
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close() }()
	if least := engine.MinMemory(); job.Limits.MemoryBytes < least {
		return nil, outOfRange("--memory", strconv.FormatInt(o.MemoryMiB, 10), fmt.Sprintf("at least %d MiB", (least+1<<20-1)>>20))
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
		return job, outOfRange("--fuel", strconv.FormatInt(o.Fuel, 10), "at least 1")
	}
	if o.MemoryMiB < 1 || o.MemoryMiB > 4095 {
		return job, outOfRange("--memory", strconv.FormatInt(o.MemoryMiB, 10), "from 1 to 4095 MiB")
	}
	if o.Timeout <= 0 {
		return job, outOfRange("--timeout", o.Timeout.String(), "more than zero")
	}
	job.Limits = runtime.Limits{Fuel: o.Fuel, MemoryBytes: o.MemoryMiB << 20, Timeout: o.Timeout}
	if o.Seed == "" {
		job.Seed = rand.Uint64() >> 11 // 53 bits: every reader of JSON keeps them
	} else if job.Seed, err = strconv.ParseUint(o.Seed, 0, 64); err != nil {
		return job, outOfRange("--seed", o.Seed, "a whole number from 0 to 18446744073709551615")
	}
	if o.At == "" {
		job.At = time.Now().UTC().Truncate(time.Millisecond)
	} else if job.At, err = time.Parse(time.RFC3339, o.At); err != nil {
		return job, outOfRange("--at", o.At, "a time as in 2026-01-31T09:30:00Z")
	} else if job.At = job.At.UTC(); job.At.Unix() < 0 || job.At.Year() > 2260 {
		return job, outOfRange("--at", o.At, "from 1970 to 2260")
	}
	return job, nil
}

func outOfRange(flag, value, want string) error {
	return fault.New("bad-usage", "%s is %s, and has to be %s", flag, value, want)
}

// rangeError turns an error about a limit into one for the user.
func rangeError(err error) error {
	if e := (*runtime.LimitError)(nil); errors.As(err, &e) {
		return fault.New("bad-usage", "%s", e.Error())
	}
	return err
}

// maxFile bounds what is read into memory. The limits of a run are far below it.
const maxFile = 256 << 20

// read reads a file, or standard input.
func (o *Options) read(ctx context.Context, name string) ([]byte, error) {
	in := o.Stdin
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault.New("no-such-file", "there is no file %s", name)
		case err != nil:
			return nil, fault.New("unreadable-file", "%s cannot be opened", name).WithDetail(err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	b, err := readAll(ctx, in)
	switch {
	case ctx.Err() != nil:
		return nil, fault.New("cancelled", "cancelled while reading %s", name)
	case err != nil:
		return nil, fault.New("unreadable-file", "%s cannot be read", name).WithDetail(err)
	case len(b) > maxFile:
		return nil, fault.New("input-limit", "%s has more than %d MiB", name, maxFile>>20)
	}
	return b, nil
}

// readAll reads until the end, or until nobody wants it any more: a terminal or a pipe may never end.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	done := make(chan struct{})
	var all []byte
	var failed error
	go func() {
		all, failed = io.ReadAll(io.LimitReader(in, maxFile+1))
		close(done)
	}()
	select {
	case <-done:
		return all, failed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inputs reads the object and puts the pairs over it.
func (o *Options) inputs(ctx context.Context) (json.RawMessage, error) {
	object := &inputs.Object{}
	if o.Inputs != "" {
		text, err := o.read(ctx, o.Inputs)
		if err != nil {
			return nil, err
		}
		name := o.Inputs
		if name == "-" {
			name = "standard input"
		}
		if object, err = inputs.Parse(text); err != nil {
			return nil, fault.New("bad-input", "%s: %v", name, err)
		}
	}
	given := &inputs.Object{}
	for _, s := range o.Input {
		key, value, err := inputs.Pair(s)
		if errors.Is(err, inputs.ErrForm) {
			return nil, fault.New("bad-input", "--input: %v", err).WithHint("write --input name=value, where the value is JSON, or else text")
		} else if err != nil {
			return nil, fault.New("bad-input", "--input: %v", err)
		}
		if given.Has(key) {
			return nil, fault.New("bad-input", "--input %s is given twice", key)
		}
		given.Set(key, value)
		object.Set(key, value)
	}
	return object.JSON(), nil
}

// Indent writes JSON for a person: two spaces, keys in order, every digit as it was.
func Indent(j json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, j, "", "  "); err != nil {
		return string(j)
	}
	return b.String()
}
