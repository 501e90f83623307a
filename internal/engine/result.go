package engine

import (
	"context"
	"encoding/json"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// host answers what a workflow asks for: as call does, and a failure of a tool has the tool's name.
func (d *dispatcher) host(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	a, err := d.call(ctx, c)
	if t := d.targets[c.Connector+"."+c.Tool]; a.Err != nil && t != nil {
		named := *a.Err
		named.Tool = t.use.pin.Connector + "." + t.use.pin.Tool
		a.Err = &named
	}
	return a, err
}

// brief is a step's error without its data, which may be all that a tool has answered: the step itself shows it.
func brief(failure json.RawMessage) json.RawMessage {
	var e hostfuncs.Error
	if len(failure) == 0 || json.Unmarshal(failure, &e) != nil {
		return failure
	}
	return errorJSON(&hostfuncs.Error{Code: e.Code, Message: e.Message})
}

// quote writes text as JSON.
func quote(text string) json.RawMessage { return ordered.AppendString(nil, text) }
