package connector

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/words"
)

// The codes of this package's errors, all in the table of internal/fault.
const (
	CodeUnreachable   = "connector-unreachable"
	CodeUnauthorized  = "connector-unauthorized"
	CodeLost          = "connector-lost"
	CodeCallTimeout   = "call-timeout"
	CodeCallRefused   = "call-refused"
	CodeToolMissing   = "tool-missing"
	CodeInputRequired = "input-required"
	CodeTooLarge      = "result-too-large"
	CodeInvalid       = "result-invalid"
	CodeCancelled     = "cancelled"
)

// What errors.Is is asked for.
var (
	ErrUnreachable  = fault.New(CodeUnreachable, "the connector cannot be reached")
	ErrUnauthorized = fault.New(CodeUnauthorized, "the connector asks for credentials")
	ErrLost         = fault.New(CodeLost, "the connection is lost")
	ErrTimeout      = fault.New(CodeCallTimeout, "the call took too long")
	ErrToolMissing  = fault.New(CodeToolMissing, "the connector does not know the tool")
	ErrRefused      = fault.New(CodeCallRefused, "the call was refused")
)

// Outcome says what an error means for an act: whether it may have happened.
type Outcome string

// The outcomes of a call that ended in an error.
const (
	NotSent  Outcome = "not-sent" // the server never had the request, or said itself that it has not looked at it
	Unknown  Outcome = "unknown"  // the server may have had the request, and nobody knows what it did
	Answered Outcome = "answered" // the server answered, so that it is known to be done with the request
)

// Error is why a connector could not be opened or a call has no result. It unwraps to a [*fault.Error], so that it is a failure
// for the user; secrets are redacted from all its texts.
type Error struct {
	Fault     *fault.Error
	Connector string
	Outcome   Outcome   // of a call; NotSent for everything else
	RPC       *RPCError // what the server answered, with CodeCallRefused
	Stderr    []string  // the last lines of the server's standard error, when it was lost or did not answer

	cause            error
	questions, state json.RawMessage // with CodeInputRequired: what the tool asks, and what it wants back with the answers
	expired          bool            // the server does not know the session, and has not executed the request
}

// bare is its message without the connector's name.
func (e *Error) bare(name string) string {
	return strings.TrimPrefix(e.Fault.Message, "connector "+name+": ")
}

// RPCError is an error answer of the server, as JSON-RPC has it.
type RPCError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Fault.Message }

// Unwrap gives the failure for the user, and what lies beneath.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Fault}
	}
	return []error{e.Fault, e.cause}
}

// fail makes an error of this session.
func (s *Session) fail(code string, o Outcome, cause error, format string, args ...any) *Error {
	f := fault.New(code, "%s", s.redact.String("connector "+s.name+": "+fmt.Sprintf(format, args...)))
	if code == CodeUnreachable && s.entry.Command == "" {
		f = f.WithHint("check the url and that its server runs and can be reached from here; then runlace sync")
	}
	return &Error{Fault: f, Connector: s.name, Outcome: o, cause: cause}
}

// withStderr adds the last lines of the server's standard error.
func (e *Error) withStderr(lines []string) *Error {
	c, f := *e, *e.Fault
	c.Fault, c.Stderr = &f, lines
	if len(lines) > 0 {
		f.Detail = "last lines of its standard error:\n" + strings.Join(lines, "\n")
	}
	return &c
}

// short cuts a foreign text to what fits in a message.
func short(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	return words.Cut(s, 300)
}
