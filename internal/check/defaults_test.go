package check

import (
	"strings"
	"testing"
)

// A case need not give what the schema has a default for, as a run need not; and it is done again when the default changes.
func TestDefaults(t *testing.T) {
	f := good().with(t, aSettings, "path: {type: string}", "path: {type: string, default: a.txt}").with(t, aCase, "inputs: {path: a.txt}", "inputs: {}")
	dir := f.write(t)
	o := options(t, dir)
	if r := checked(t, o); !r.OK || r.Cases != 1 {
		t.Fatal(text(t, r))
	}
	f.with(t, aSettings, "default: a.txt", "default: b.txt").writeTo(t, dir)
	r := checked(t, o)
	if r.OK || r.Findings[0].Code != "missing-recording" || !strings.Contains(r.Findings[0].Message, "b.txt") {
		t.Error(text(t, r))
	}
}
