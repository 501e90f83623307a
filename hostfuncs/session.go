package hostfuncs

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Memory is a guest's linear memory. Read returns a view, which is good until the guest runs again.
type Memory interface {
	Read(offset, length uint32) ([]byte, bool)
	Write(offset uint32, b []byte) bool
}

// Machine is what runs the guest. An error that it returns ends the run.
type Machine interface {
	// Charge takes fuel for work that the meter inside the guest does not see.
	Charge(units int64) error
	// OutOfFuel is told that the guest's fuel has gone below zero.
	OutOfFuel() error
	// Interrupted returns an error when the run is to end for a reason outside of it, as its deadline.
	Interrupted() error
	// Advance moves the run's clock.
	Advance(d time.Duration)
	// Elapsed returns how far the run's clock has moved since its start.
	Elapsed() time.Duration
	// Line returns the workflow's current line, 0 if it cannot be told.
	Line() int
}

// Caps are the limits of a run that the host functions keep.
type Caps struct {
	Calls         int // calls of call_tool, ask_model and read_media, malformed ones included
	ArgumentBytes int // of a request
	ResultBytes   int // of an answer
	LogBytes      int // of the whole log
	CallTimeout   time.Duration
}

// Session is the state that the functions share in one run. It is for one goroutine.
type Session struct {
	Context context.Context // of the run; the Host's contexts come from it
	Host    Host            // may be nil
	Machine Machine
	Caps    Caps

	calls   int
	pending []byte
	log     []byte
}

// Stop ends a run because a limit was hit. The workflow cannot catch it.
type Stop struct{ Code, Message string }

func (s *Stop) Error() string { return s.Code + ": " + s.Message }

// PanicError is a panic of the [Host]. It ends the run, not the process.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // where
}

func (e *PanicError) Error() string { return fmt.Sprintf("hostfuncs: the host panicked: %v", e.Value) }

// Calls returns how many calls were made.
func (s *Session) Calls() int { return s.calls }

// Logged returns the log as text: what is not UTF-8 is replaced, and a character that the limit cut is left out.
func (s *Session) Logged() string {
	b := s.log
	for i := 1; i <= 3 && i <= len(b) && len(b) == s.Caps.LogBytes; i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// Log adds to the log. Over the limit it keeps what fits and returns a [*Stop].
func (s *Session) Log(text []byte) error {
	if room := s.Caps.LogBytes - len(s.log); len(text) > room {
		s.log = append(s.log, text[:room]...)
		return &Stop{CodeLogLimit, fmt.Sprintf("the run printed more than its limit of %d bytes", s.Caps.LogBytes)}
	}
	s.log = append(s.log, text...)
	return nil
}

// ask serves a call from request to pending answer.
func (s *Session) ask(f *Func, m Memory, ptr, length uint32, decode func([]byte) (Call, error)) (int32, error) {
	if s.calls >= s.Caps.Calls {
		return 0, &Stop{CodeCallLimit, fmt.Sprintf("the run made more than its limit of %d calls", s.Caps.Calls)}
	}
	s.calls++
	s.pending = nil
	if err := s.Machine.Charge(f.Base); err != nil {
		return 0, err
	}
	if uint64(length) > uint64(s.Caps.ArgumentBytes) {
		return StatusTooLarge, nil
	}
	request, ok := m.Read(ptr, length)
	if !ok {
		return StatusBadPointer, nil
	}
	if err := s.Machine.Charge(f.PerByte * int64(length)); err != nil {
		return 0, err
	}
	c, err := decode(request)
	if err != nil {
		return StatusMalformed, nil
	}
	if err := s.Machine.Interrupted(); err != nil {
		return 0, err
	}
	c.Seq, c.Clock = s.calls, s.Machine.Elapsed()
	a, err := s.call(c)
	if err == nil {
		s.Machine.Advance(max(a.Elapsed, 0))
	}
	// A run that has to end does so in its own name, whatever the Host made of its context's end.
	if stop := s.Machine.Interrupted(); stop != nil {
		return 0, stop
	}
	if err != nil {
		return 0, err
	}
	if c.Media {
		s.pending = encodeBytes(a, s.Caps.ResultBytes)
	} else {
		s.pending = encodeAnswer(a, s.Caps.ResultBytes)
	}
	if err := s.Machine.Charge(f.PerByte * int64(len(s.pending))); err != nil {
		return 0, err
	}
	return int32(len(s.pending)), nil
}

// call asks the Host, and survives its panics.
func (s *Session) call(c Call) (a Answer, err error) {
	if s.Host == nil {
		what := "call " + c.Connector + "." + c.Tool
		if c.IsModel() {
			what = "ask the model"
		}
		if c.Media {
			what = "read media"
		}
		return Answer{Err: &Error{Code: CodeNoConnector, Message: "cannot " + what + ": this run was started without connectors"}}, nil
	}
	ctx, cancel := context.WithTimeoutCause(s.Context, s.Caps.CallTimeout, callLimit{})
	defer cancel()

	var mu sync.Mutex
	asking := true
	c.Line = func() int {
		mu.Lock()
		defer mu.Unlock()
		if !asking {
			return 0
		}
		return s.Machine.Line()
	}
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		asking = false
	}()
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{r, debug.Stack()}
		}
	}()
	return s.Host(ctx, c)
}

// callLimit is why the context of a call has ended that took too long. It tells that from the end of the run's own time.
type callLimit struct{}

func (callLimit) Error() string { return "the limit on a call of a run (call_timeout) was over" }

// Is makes it a deadline that is exceeded.
func (callLimit) Is(target error) bool { return target == context.DeadlineExceeded }
