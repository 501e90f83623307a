package compiler

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// Pin is a tool that a version calls, as it was when it was compiled. Both names are those on the wire.
type Pin struct {
	Connector string `json:"connector"`
	Tool      string `json:"tool"`
	Risk      string `json:"risk"`
	Digest    string `json:"schema_hash"`
}

// extract finds the tools of all calls in the catalog and pins them. A tool that is missing is reported where it is called first.
func extract(report *lint.Report, catalog Catalog) (pins []Pin, problems []Problem) {
	pins = []Pin{}
	seen := map[[2]string]bool{}
	refuse := func(code string, at lint.Place, message, hint string) {
		problems = append(problems, Problem{StageExtract, code, at.Line, at.Column, message, hint})
	}
	for _, call := range report.Calls {
		key := [2]string{call.Attr, call.Method}
		if seen[key] {
			continue
		}
		seen[key] = true
		k := catalog.connector(call.Attr)
		if k == nil {
			refuse("unknown-connector", call.Place, fmt.Sprintf("there is no connector ctx.%s", call.Attr), catalog.noConnector(call.Attr, call.Method))
			continue
		}
		m := k.method(call.Method)
		if m == nil {
			refuse("unknown-tool", call.Place, fmt.Sprintf("the connector %s has no tool %s", call.Attr, call.Method), catalog.noTool(call.Attr, call.Method))
			continue
		}
		pins = append(pins, Pin{k.Name, m.Tool, m.Risk, m.Digest})
	}
	for i, ask := range report.Asks {
		if i == 0 && !catalog.Model {
			refuse("no-model-configured", ask.Place, "the workflow asks the model, and no model is set up here",
				"decide with plain code instead of ctx.ai, or ask the user to run: runlace model set NAME")
		}
		if ask.Schema == lint.SchemaBad {
			refuse("ai-schema-not-an-object", ask.Place, "the schema given to ctx.ai does not describe an object with properties",
				`wrap the value: schema={"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}, then read answer["value"]`)
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	slices.SortFunc(pins, func(a, b Pin) int { return cmp.Or(cmp.Compare(a.Connector, b.Connector), cmp.Compare(a.Tool, b.Tool)) })
	return slices.Compact(pins), problems
}

// digest identifies a version: the SHA-256 of the canonical JSON of what it is made of.
func digest(s Source, pins []Pin) string {
	o := ordered.NewObject()
	o.Set("code", ordered.NewString(s.Code))
	o.Set("inputs_schema", parsed(s.Inputs))
	o.Set("outputs_schema", parsed(s.Outputs))
	b, err := json.Marshal(pins)
	if err != nil {
		panic(err) // strings
	}
	o.Set("tools", parsed(b))
	sum := sha256.Sum256(o.Canonical())
	return hex.EncodeToString(sum[:])
}

// parsed reads JSON that has been read before.
func parsed(raw json.RawMessage) *ordered.Value {
	if raw == nil {
		raw = json.RawMessage("null")
	}
	v, err := ordered.Parse(raw)
	if err != nil {
		panic(err)
	}
	return v
}
