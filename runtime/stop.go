package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/runlace/runlace/hostfuncs"
)

// stopped is what a host function panics with to end the run. wazero unwinds the guest's stack and returns it, wrapped.
type stopped struct {
	err    error
	frames []frame
}

func (s *stopped) Error() string { return "runtime: the run was stopped: " + s.err.Error() }

// stop ends the run, from inside a host function.
func (r *run) stop(err error) {
	s := &stopped{err: err}
	if limit := (*hostfuncs.Stop)(nil); errors.As(err, &limit) && !r.walking {
		s.frames = r.where()
	}
	panic(s)
}

// failure tells how a run failed whose guest did not return: with an Error of the run, or with an error that is not the
// workflow's doing.
func (r *run) failure(err error) (*Error, error) {
	r.unwound = true
	if s := (*stopped)(nil); errors.As(err, &s) {
		limit := (*hostfuncs.Stop)(nil)
		if !errors.As(s.err, &limit) {
			return nil, s.err
		}
		return r.located(&Error{Code: limit.Code, Message: limit.Message}, s.frames), nil
	}
	switch t := trapOf(err); {
	case t == trapNone:
		return nil, fmt.Errorf("runtime: %w", err)
	case t == trapStack, t == trapBounds && r.slot.stackExhausted():
		return r.located(&Error{Code: CodeRecursionLimit, Message: "the run called too deeply: the interpreter's own stack is used up"}, r.where()), nil
	default:
		return r.located(&Error{Code: CodeGuestCrashed, Message: "the interpreter crashed: " + string(t)}, r.where()), nil
	}
}

// located puts the workflow's line and frames into e.
func (r *run) located(e *Error, frames []frame) *Error {
	e.Line = lineOf(frames)
	e.Traceback = traceback(frames, r.source)
	return e
}

// trap is why the engine ended the guest, in the engine's words.
type trap string

const (
	trapNone   trap = ""
	trapStack  trap = "stack overflow"
	trapBounds trap = "out of bounds memory access"
)

// trapOf finds the trap in an error of a call into the guest. wazero's type for it is internal; this is the only place
// that knows its name.
func trapOf(err error) trap {
	for ; err != nil; err = errors.Unwrap(err) {
		if fmt.Sprintf("%T", err) == "*wasmruntime.Error" {
			return trap(err.Error())
		}
	}
	return trapNone
}

// traceback writes frames, newest first, as Python would.
func traceback(frames []frame, source string) string {
	var b strings.Builder
	lines := strings.Split(source, "\n")
	for i := len(frames) - 1; i >= 0; i-- {
		f := frames[i]
		if b.Len() == 0 {
			b.WriteString("Traceback (most recent call last):\n")
		}
		fmt.Fprintf(&b, "  File %q, line %d, in %s\n", f.file, f.line, f.function)
		if f.line > 0 && f.line <= len(lines) {
			if text := strings.TrimSpace(lines[f.line-1]); text != "" {
				fmt.Fprintf(&b, "    %s\n", text)
			}
		}
	}
	return b.String()
}
