package content

import (
	"slices"
	"testing"
)

// What is odd about a result as a whole is said, whatever becomes of it.
func TestOddResult(t *testing.T) {
	for _, failed := range []bool{false, true} {
		r := result("", failed, `"oops"`)
		r.Odd = []string{"the answer's content is not a list: it is taken for one block"}
		if a := Unwrap(r, Rule{}, nil); !slices.Equal(a.Warnings, r.Odd) || (a.Err != nil) != failed || !failed && string(a.Value) != `["oops"]` {
			t.Errorf("%+v", a)
		}
	}
}
