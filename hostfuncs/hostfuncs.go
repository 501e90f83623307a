package hostfuncs

import (
	"context"
	"encoding/json"
	"time"
)

// Call is what a guest asks of its host.
type Call struct {
	// Seq numbers the calls of a run from 1.
	Seq int
	// Connector and Tool name the tool as the workflow spelled them. Both are empty when the model or media are asked for.
	Connector, Tool string
	// Media says that the bytes behind a handle are asked for: Arguments then is {"handle": string}, and the answer is Answer.Bytes.
	Media bool
	// Arguments are the call's keyword arguments, a JSON object exactly as the guest wrote it; numbers keep every digit.
	Arguments json.RawMessage
	// Clock is how far the run's clock has moved since its start.
	Clock time.Duration
	// Line returns the workflow's line that is making the call, 0 if it cannot be told. It may be called only until the
	// Host returns, and costs some microseconds.
	Line func() int
}

// IsModel reports whether the call asks the model: the arguments then are system, user and, where given, schema.
func (c Call) IsModel() bool { return c.Connector == "" && c.Tool == "" && !c.Media }

// Answer is a host's reply: a value, or an error that the workflow sees as ToolError and may catch.
type Answer struct {
	// Value is one JSON value. It is not looked at when Err is set, nor when media were asked for.
	Value json.RawMessage
	// Bytes are the answer to a Call that asks for media.
	Bytes []byte
	// Err is the failure, nil for success.
	Err *Error
	// Elapsed is how far the run's clock moves: the call's duration when it is live, the recorded one in a replay.
	// Negative durations count as zero.
	Elapsed time.Duration
}

// Error is a failure as a value. It reaches the workflow as ToolError(message, code, data, tool).
type Error struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
	Tool    string          `json:"tool,omitempty"` // the tool that failed, by connector and name on the wire
}

// Host answers the calls of one run, one at a time. It should return soon after ctx is done. To end the run instead of
// answering it, it returns an error that is not nil: the workflow cannot catch that.
type Host func(ctx context.Context, c Call) (Answer, error)
