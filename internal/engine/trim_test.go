package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTrim(t *testing.T) {
	long := strings.Repeat("é", 1000)
	d := &StepDetail{}
	got := string(d.trim("result", json.RawMessage(`{"a":[1,2,3,4],"b":"`+long+`","c":{"d":[[1,2,3],[4],[5]]},"e":1.10,"f":null,"g":true}`)))
	want := `{"a":[1,2],"b":"` + strings.Repeat("é", 300) + `","c":{"d":[[1,2],[4]]},"e":1.10,"f":null,"g":true}`
	if got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	notes := strings.Join(d.Trimmed, "; ")
	if notes != "result.a: kept 2 of 4 items; result.b: kept 300 of 1000 characters; result.c.d[0]: kept 2 of 3 items; result.c.d: kept 2 of 3 items" {
		t.Errorf("notes: %s", notes)
	}
}
