package check

import (
	"testing"
)

func TestGood(t *testing.T) {
	dir := good().write(t)
	o := options(t, dir)
	r := checked(t, o)
	if !r.OK || r.Workflows != 1 || r.Cases != 1 || r.Cached != 0 {
		t.Fatalf("%s\n%+v", text(t, r), r)
	}
	again := checked(t, o)
	if !again.OK || again.Cached != 2 {
		t.Fatalf("%s\n%+v", text(t, again), again)
	}
	if again.Tests[1].Fuel != r.Tests[1].Fuel || r.Tests[1].Fuel == 0 {
		t.Errorf("%+v, %+v", r.Tests, again.Tests)
	}
}
