package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/runlace/runlace/hostfuncs"
)

// Errors of Engine and Instance.
var (
	// ErrClosed: the engine was closed, before the run or during it.
	ErrClosed = errors.New("runtime: the engine is closed")
	// ErrOtherBuild: the program was compiled by another build of the guest. Compile its source again.
	ErrOtherBuild = errors.New("runtime: the program was compiled by another build of the guest")
	// ErrUsed: the instance has had its run, or was closed.
	ErrUsed = errors.New("runtime: the instance has been used")
)

// Instance is a fresh interpreter for one run. It is for one goroutine, and has to be closed.
type Instance struct {
	engine  *Engine
	slot    *slot // nil: closed
	used    bool
	spoiled bool // the guest did not return: its state cannot be trusted
}

// Run runs p. See Engine.Run.
func (in *Instance) Run(ctx context.Context, p *Program, job Job) (*Result, error) {
	if p.Build != in.engine.Build() {
		return nil, fmt.Errorf("%w: %.12s, and this is %.12s", ErrOtherBuild, p.Build, in.engine.Build())
	}
	limits, err := job.Limits.effective(in.engine.MinMemory())
	if err != nil {
		return nil, err
	}
	at, err := atNanoseconds(job.At)
	if err != nil {
		return nil, err
	}
	if len(job.Inputs) > limits.InputBytes {
		return &Result{Err: tooMuch("inputs", len(job.Inputs), limits.InputBytes)}, nil
	}
	inputs, err := jsonObject(job.Inputs)
	if err != nil {
		return nil, err
	}
	r := &run{source: p.Source, clock: clock{at: at}, random: random{seed: job.Seed}}
	r.session.Host = job.Host
	res, err := in.run(ctx, r, limits, "rt_run", payload{p.Code, p.Source, inputs, job.Seed, limits.Recursion, job.AnyImport}, limits.OutputBytes)
	if res != nil && res.Output != nil && !json.Valid(res.Output) {
		res.Output, res.Err = nil, crashed("its output is not JSON")
	}
	return res, err
}

func (in *Instance) compile(ctx context.Context, source string, limits Limits) (*Result, error) {
	const most = 256 << 20 // of bytecode
	r := &run{source: source}
	return in.run(ctx, r, limits, "rt_compile", payload{source: source, recursion: limits.Recursion}, most)
}

// run does a run from the first grant of fuel to the result. A run that was started has a result even when there is an
// error.
func (in *Instance) run(ctx context.Context, r *run, limits Limits, entry string, p payload, most int) (*Result, error) {
	if in.slot == nil || in.used {
		return nil, ErrUsed
	}
	in.used = true
	if err := in.fit(uint64(limits.MemoryBytes)); err != nil {
		return nil, err
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limits.Timeout)
	defer cancel()
	leave, err := in.engine.running(cancel)
	if err != nil {
		return nil, err
	}
	defer leave()

	r.slot, r.ctx, r.closing = in.slot, ctx, in.engine.isClosed
	r.clock.mono = in.engine.guest.Manifest.Mono
	r.maxError = limits.ResultBytes + limits.OutputBytes
	r.session.Context, r.session.Machine = ctx, r
	r.session.Caps = hostfuncs.Caps{
		Calls: limits.Calls, ArgumentBytes: limits.ArgumentBytes, ResultBytes: limits.ResultBytes,
		LogBytes: limits.LogBytes, CallTimeout: limits.CallTimeout,
	}
	in.slot.memory.bound(uint64(limits.MemoryBytes))
	r.meter.start(in.slot.fuel, limits.Fuel, in.engine.slice)

	var out []byte
	var failed *Error
	err = r.Interrupted()
	if s := (*hostfuncs.Stop)(nil); errors.As(err, &s) {
		failed, err = &Error{Code: s.Code, Message: s.Message}, nil
	} else if err == nil {
		in.spoiled = true // until the guest has returned
		out, failed, err = r.enter(entry, p, most)
		in.spoiled = r.unwound
	}
	return &Result{
		Output: out, Err: failed,
		Fuel: r.meter.used(), MemoryBytes: int64(in.slot.memory.size()), Calls: r.session.Calls(), Log: r.session.Logged(),
		Elapsed: time.Duration(r.clock.elapsed), Duration: time.Since(start),
	}, err
}

// fit makes sure that the memory can grow as far as a run may let it.
func (in *Instance) fit(bytes uint64) error {
	if in.slot.memory.room() >= bytes {
		return nil
	}
	s, err := in.engine.take(bytes)
	if err != nil {
		return err
	}
	in.engine.put(in.slot, false)
	in.slot = s
	return nil
}

// Close puts the instance back into the image's state for another run, or frees it. Closing twice does nothing.
func (in *Instance) Close() {
	if in.slot == nil {
		return
	}
	in.engine.put(in.slot, in.spoiled)
	in.slot = nil
	in.engine.left()
}

func tooMuch(what string, size, limit int) *Error {
	return &Error{Code: CodeInputLimit, Message: fmt.Sprintf("%s of %d bytes, and the limit is %d", what, size, limit)}
}

// invalidUTF8 returns the error of a source that is not UTF-8, nil if it is.
func invalidUTF8(source string) *Error {
	if utf8.ValidString(source) {
		return nil
	}
	line := 1
	for _, c := range []byte(source[:validPrefix(source)]) {
		if c == '\n' {
			line++
		}
	}
	return &Error{Code: CodeSyntaxError, Type: "SyntaxError", Message: "the source is not UTF-8", Line: line}
}

func validPrefix(s string) int {
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}
