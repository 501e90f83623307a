package stubs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
)

// What was observed refuses nothing: a result that is otherwise is worth a warning, and no error of the result.
func TestSurprises(t *testing.T) {
	c := Build("c", []catalog.Tool{
		catalog.New("c", catalog.Tool{Name: "learned", Observed: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"items":{"type":"array","items":{"type":"string"}}},"required":["id"]}`)}),
		catalog.New("c", catalog.Tool{Name: "unknown"}),
		catalog.New("c", catalog.Tool{Name: "declared", OutputSchema: json.RawMessage(`{"type":"object"}`), Observed: json.RawMessage(`{"type":"string"}`)}),
	})
	for _, x := range []struct {
		tool, result string
		want         int
	}{
		{"learned", `{"id":1,"items":["a"],"more":true}`, 0},
		{"learned", `{"items":[1]}`, 2},
		{"learned", `"text"`, 1},
		{"learned", `{"id":1,"items":[1,2,3,4,5,6,7]}`, mostSurprises + 1},
		{"unknown", `"anything"`, 0},
		{"declared", `{}`, 0},
	} {
		m := c.Tool(x.tool)
		got := m.Surprises(json.RawMessage(x.result))
		if len(got) != x.want || len(m.CheckResult(json.RawMessage(x.result))) > 0 {
			t.Errorf("%s %s: %q, %v", x.tool, x.result, got, m.CheckResult(json.RawMessage(x.result)))
		}
		for _, s := range got {
			if !strings.HasPrefix(s, "the result is not as it was observed to be") {
				t.Error(s)
			}
		}
	}
	if plain := catalog.New("c", catalog.Tool{Name: "unknown"}); c.Tool("learned").Tool.Digest != catalog.New("c", catalog.Tool{Name: "learned"}).Digest || plain.Observed != nil {
		t.Error("what was observed is in the digest")
	}
}
