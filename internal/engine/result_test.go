package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/connector"
)

func TestUnwrap(t *testing.T) {
	text := func(s string) string { return `{"type":"text","text":` + string(quote(s)) + `}` }
	for _, test := range []struct {
		name, structured string
		blocks           []string
		want             string
	}{
		{"structured", `{"a":1.10}`, []string{text("x")}, `{"a":1.10}`},
		{"structured null", `null`, nil, `null`},
		{"structured false", `false`, nil, `false`},
		{"nothing", "", nil, `null`},
		{"text", "", []string{text("a <b> & é")}, `"a <b> & é"`},
		{"JSON object in text", "", []string{text(` {"a": 12345678901234567890}`)}, ` {"a": 12345678901234567890}`},
		{"JSON array in text", "", []string{text(`[1, 2]`)}, `[1, 2]`},
		{"JSON scalar in text stays text", "", []string{text(`12`)}, `"12"`},
		{"broken JSON stays text", "", []string{text(`{"a":`)}, `"{\"a\":"`},
		{"texts", "", []string{text("a"), text("b")}, `["a","b"]`},
		{"an image", "", []string{text("a"), `{"type":"image","data":"x"}`}, `[` + text("a") + `,{"type":"image","data":"x"}]`},
		{"an unknown block", "", []string{`{"type":"new"}`}, `[{"type":"new"}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := connector.Result{}
			if test.structured != "" {
				r.Structured = json.RawMessage(test.structured)
			}
			for _, b := range test.blocks {
				r.Content = append(r.Content, json.RawMessage(b))
			}
			if got := string(unwrap(r)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

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
