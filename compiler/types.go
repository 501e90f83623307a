package compiler

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/compiler/stubs"
)

// FromStubs makes a Catalog of connectors as package stubs builds them. Their texts are made when they are first needed, and kept: make
// one Catalog, and use it until the connectors change.
func FromStubs(connectors []*stubs.Connector, model bool) Catalog {
	c := Catalog{Model: model}
	for _, k := range connectors {
		out := Connector{Name: k.Name, Attr: k.Attr, Class: k.Class(), Stub: sync.OnceValue(func() string { return k.Stub() })}
		for _, m := range k.Methods() {
			out.Methods = append(out.Methods, Method{Name: m.Python, Tool: m.Tool.Name, Risk: string(m.Tool.Risk), Digest: m.Tool.Digest, Parameters: m.Parameters(), Forms: m.Forms()})
		}
		c.Connectors = append(c.Connectors, out)
	}
	return c
}

// project puts together what pyright sees: the workflow, its own types, and the connectors that it uses. notes say what of the
// schemas the types do not show.
func project(s Source, report *lint.Report, catalog Catalog) (p pyright.Project, notes []string, err error) {
	workflow, problems, err := stubs.Workflow(s.Inputs, s.Outputs)
	if err != nil {
		return p, nil, err
	}
	for _, n := range problems {
		schema := map[string]string{"Inputs": "inputs_schema", "Output": "outputs_schema"}[n.Tool]
		notes = append(notes, fmt.Sprintf("%s%s: %s", schema, n.Where, n.Message))
	}
	p = pyright.Project{Code: s.Code, Workflow: workflow}
	var used []string
	for _, call := range report.Calls {
		if catalog.connector(call.Attr) != nil {
			used = append(used, call.Attr)
		}
	}
	slices.Sort(used)
	var fields strings.Builder
	for i, attr := range slices.Compact(used) {
		k := catalog.connector(attr)
		as := fmt.Sprintf("_Connector%d", i)
		p.Modules = append(p.Modules, pyright.Module{Text: k.Stub(), Class: k.Class, As: as})
		fmt.Fprintf(&fields, "    %s: %s\n", attr, as)
	}
	p.Types = exports + stubs.Files(nil)["ctx.pyi"] + fields.String()
	return p, notes, nil
}

// exports are what __init__.pyi has besides ctx.pyi, which ends with the class Ctx.
const exports = `from runlace_types._workflow import Output

__all__ = ["Ctx", "Inputs", "Output", "ToolError"]
`

// properties lists the keys that a schema declares.
func properties(raw json.RawMessage) (keys []string) {
	for _, m := range parsed(raw).Get("properties").Entries() {
		keys = append(keys, m.Key)
	}
	return keys
}
