package stubs

import (
	"encoding/json"
	"fmt"

	"github.com/runlace/runlace/internal/schema"
)

// mostSurprises is how many of them are told.
const mostSurprises = 5

// Surprises tells in which places a result is not as the tool was observed to answer, for a tool whose result is typed by that. They are
// warnings: what was observed is nobody's word, and such a result is passed on. runlace tools learn takes it in.
func (x *Method) Surprises(wire json.RawMessage) []string {
	if !x.observed {
		return nil
	}
	v, err := schema.Compile(x.Tool.Observed)
	if err != nil {
		return nil
	}
	var out []string
	for i, e := range v.Validate(wire) {
		if i == mostSurprises {
			out = append(out, "the result is not as it was observed to be in more places")
			break
		}
		out = append(out, fmt.Sprintf("the result is not as it was observed to be: %s", e))
	}
	return out
}
