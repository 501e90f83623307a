package stubs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema"
)

// A schema of any size has a stub, and what is cut off is named.
func TestGiants(t *testing.T) {
	list := func(n int, format string) string {
		var parts []string
		for i := range n {
			parts = append(parts, strings.ReplaceAll(format, "#N", fmt.Sprint(i)))
		}
		return strings.Join(parts, ",")
	}
	deep := strings.Repeat(`{"type":"array","items":`, 400) + `{"type":"string"}` + strings.Repeat("}", 400)
	for name, g := range map[string]struct {
		schema string
		cut    bool
	}{
		"5000 properties":   {`{"type":"object","properties":{` + list(5000, `"p#N":{"type":"object","properties":{"class":{"type":"string"}}}`) + `}}`, true},
		"60000 properties":  {`{"type":"object","properties":{` + list(60000, `"p#N":{"type":"string"}`) + `}}`, true},
		"400 deep":          {`{"type":"object","properties":{"a":` + deep + `}}`, true},
		"product of unions": {`{"type":"object","properties":{"a":{"allOf":[` + strings.ReplaceAll(list(10, `{"anyOf":[`+strings.ReplaceAll(list(4, `{"type":"object","properties":{"k#N-#M":{"type":"string"}}}`), "#M", "#N")+`]}`), "#M", "") + `]}}}`, false},
		"everything refers": {`{"$ref":"#/$defs/D0","$defs":{` + list(60, `"D#N":{"type":"object","properties":{`+list(60, `"p#N":{"$ref":"#/$defs/D#N"}`)+`}}`) + `}}`, false},
		"a ring of 2000":    {`{"$ref":"#/$defs/D0","$defs":{` + list(1999, `"D#N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N#N"}}},"N#N":{"$ref":"#/$defs/D0"}`) + `}}`, false},
		"a big enum":        {`{"type":"object","properties":{"a":{"enum":[` + list(5000, `"value #N"`) + `]}}}`, true},
		"huge bounds":       {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","minLength":1000000},"minItems":100000}}}`, false},
		"a big union":       {`{"type":"object","properties":{"a":{"oneOf":[` + list(300, `{"type":"object","properties":{"kind":{"const":"k#N"},"v#N":{"type":"string"}},"required":["kind"]}`) + `]}}}`, false},
	} {
		t.Run(name, func(t *testing.T) { giant(t, name, g.schema, g.cut) })
	}
}

func giant(t *testing.T, name, text string, cut bool) {
	start := time.Now()
	c := Build("x", []catalog.Tool{{Name: "giant", InputSchema: json.RawMessage(text), OutputSchema: json.RawMessage(text)}, {Name: "small"}})
	stub := c.Stub()
	if c.Method("small") == nil || !strings.Contains(stub, "def giant(") {
		t.Errorf("%s: a tool is lost", name)
	}
	was := slices.ContainsFunc(c.Problems(), func(p Problem) bool { return p.Code == schema.TooLarge })
	if was != cut {
		t.Errorf("%s: cut off is %v", name, was)
	}
	built := time.Since(start)
	answer := c.Tool("giant").StandIn()
	t.Logf("%-20s %8d bytes of stub in %v, a stand-in of %d bytes in %v", name, len(stub), built.Round(time.Millisecond), len(answer), (time.Since(start) - built).Round(time.Millisecond))
}
