// Package fault has the errors that are for the user: each has a code from one table, a message, a hint that says what to do,
// and the exit code of the process.
//
//	return fault.New("no-such-file", "there is no file %s", path)
//
// An error that is not an [*Error] is a bug. The command line prints it as one, with the code internal; so a place that can
// fail for a reason the user can remove has to make an [*Error] of it, and a place that cannot must not.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a failure for the user. It is what commands print with --json, under "error".
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Detail  string `json:"detail,omitempty"` // what lies beneath, as an operating system's words
	Exit    int    `json:"-"`
}

// New makes an error whose hint and exit code are those of the table. A code that is not in the table is a bug: its error
// has the code internal.
func New(code, format string, args ...any) *Error {
	e := &Error{Code: code, Message: fmt.Sprintf(format, args...)}
	x, ok := Lookup(code)
	if !ok {
		x, _ = Lookup("internal")
		e.Message = fmt.Sprintf("unknown code %s: %s", code, e.Message)
	}
	e.Code, e.Hint, e.Exit = x.Code, x.Hint, x.Exit
	return e
}

// WithHint returns e with a hint that fits the case better than the table's.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// WithDetail returns e with err's text as detail.
func (e *Error) WithDetail(err error) *Error {
	c := *e
	if err != nil {
		c.Detail = err.Error()
	}
	return &c
}

func (e *Error) Error() string { return e.Message }

// Is reports whether target is an [*Error] of the same code.
func (e *Error) Is(target error) bool {
	t := (*Error)(nil)
	return errors.As(target, &t) && t.Code == e.Code
}

// Of returns err as a failure for the user: itself if it is one, else a bug report.
func Of(err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	return New("internal", "%v", err)
}

// Lookup finds a code in the table. The rules of the type checker, as reportCallIssue, share the entry typecheck-error.
func Lookup(code string) (Entry, bool) {
	if rule, ok := strings.CutPrefix(code, "report"); ok && rule != "" && rule[0] >= 'A' && rule[0] <= 'Z' {
		e, ok := Lookup("typecheck-error")
		e.Code = code
		return e, ok
	}
	for _, e := range table {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}

// Table returns all codes, in the table's order: by kind.
func Table() []Entry { return append([]Entry(nil), table...) }

// Counted is a number of things for a message: 1 problem, 2 problems.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
