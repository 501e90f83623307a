package project

import (
	"encoding/json"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// CallsJSON are calls as a case has them, nil if there are none. Results stay in the files that they are in.
func CallsJSON(calls []Call) json.RawMessage {
	if len(calls) == 0 {
		return nil
	}
	list := ordered.NewArray()
	for _, c := range calls {
		list.Items = append(list.Items, (&Case{}).entry(c, nil))
	}
	return list.JSON()
}

// FailureJSON is an expected failure as a case has it; line 0 leaves open where.
func FailureJSON(e *hostfuncs.Error, line int) json.RawMessage {
	return failureJSON(&hostfuncs.Error{Code: e.Code, Message: e.Message}, line)
}
