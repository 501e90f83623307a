package stubs

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// NoWorkflow is _workflow.pyi for nobody in particular.
const NoWorkflow = made + `from typing import Any

type Inputs = dict[str, Any]
type Output = dict[str, Any]
`

// Workflow is the text of _workflow.pyi for a workflow: Inputs and Output as its schemas say, with the keys as they are in JSON. A schema that
// is missing or null gives dict[str, Any]. An error means that one of them is not JSON.
func Workflow(inputs, outputs json.RawMessage) (text string, problems []Problem, err error) {
	m := newModule("Inputs", "Output")
	var body strings.Builder
	for _, t := range []struct {
		name   string
		raw    json.RawMessage
		output bool // the workflow reads inputs, as it reads a tool's output
	}{{"Inputs", inputs, true}, {"Output", outputs, false}} {
		found, err := m.types(&body, t.name, t.raw, t.output)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", t.name, err)
		}
		problems = append(problems, found...)
	}
	var b strings.Builder
	b.WriteString(made)
	m.head(&b)
	b.WriteString(body.String())
	return b.String(), problems, nil
}

// Types is the text of a module that defines one type, as a schema says. name is Inputs or Output; or any other, which is read as Output is.
func Types(raw json.RawMessage, name string) (text string, problems []Problem, err error) {
	m := newModule(name)
	var body, b strings.Builder
	problems, err = m.types(&body, name, raw, name == "Inputs")
	if err != nil {
		return "", nil, err
	}
	m.head(&b)
	b.WriteString(body.String())
	return b.String(), problems, nil
}

func (m *module) types(b *strings.Builder, name string, raw json.RawMessage, output bool) ([]Problem, error) {
	v, err := ordered.Parse(raw)
	if len(raw) > 0 && err != nil {
		return nil, err
	}
	if len(raw) == 0 || v.Kind == ordered.Null {
		fmt.Fprintf(b, "\ntype %s = dict[str, %s]\n", name, m.typing("Any"))
		return nil, nil
	}
	doc, err := schema.Read(raw)
	if err != nil {
		return nil, err
	}
	var problems []Problem
	for _, n := range doc.Notes {
		problems = append(problems, Problem{Tool: name, Side: "input", Where: n.Where, Code: n.Code, Message: n.Message})
	}
	builder := newBuilder(doc, output, func(p Problem) {
		p.Tool = name
		problems = append(problems, p)
	})
	builder.raw, builder.prefix = true, []string{name}
	root := builder.root([]string{name})
	if root.kind == kMap && !hasExtra(root.all) { // an object without keys has none
		root.kind, root.value = kRecord, nil
	}
	m.add(name, root)
	top := m.classes.of(root)
	if m.names[top.class] != "" && (top.kind != kRecord || output || top.value == nil || top.value.reason == open) {
		m.names[top.class] = name
	}
	for _, n := range m.reach([]*node{root}) {
		b.WriteString("\n")
		m.declare(b, n)
	}
	if m.names[top.class] != name {
		fmt.Fprintf(b, "\ntype %s = %s\n", name, m.expr(root, false))
	}
	return problems, nil
}

func hasExtra(all []*ordered.Value) bool {
	for _, s := range all {
		if p := s.Get("additionalProperties"); p != nil && (!p.Is(ordered.Bool) || p.True) || s.Has("patternProperties") {
			return true
		}
	}
	return false
}
