package stubs

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// ArgumentsToWire translates the arguments of a call, an object by parameter names, into what is sent.
func (x *Method) ArgumentsToWire(arguments json.RawMessage) (json.RawMessage, error) {
	if !x.renames() {
		return arguments, nil
	}
	v, err := ordered.Parse(arguments)
	if err != nil {
		return nil, err
	}
	if v.Kind != ordered.Object {
		return nil, fmt.Errorf("the arguments of %s are %s, and no object", x.Python, v.Kind)
	}
	names := map[string]*parameter{}
	for _, p := range x.parameters {
		names[p.python] = p
	}
	t := translation{toWire: true}
	out := ordered.NewObject()
	for _, m := range v.Members {
		key, nodes := m.Key, x.extras()
		if p := names[key]; p != nil {
			key, nodes = p.wire, p.nodes
		}
		if out.Has(key) {
			return nil, fmt.Errorf("the argument %q is given twice, as %s and under its own name", key, m.Key)
		}
		out.Set(key, t.value(m.Value, nodes))
	}
	return out.JSON(), t.err
}

// ArgumentsToPython is the inverse of [Method.ArgumentsToWire], for showing what was sent.
func (x *Method) ArgumentsToPython(arguments json.RawMessage) (json.RawMessage, error) {
	if !x.renames() {
		return arguments, nil
	}
	v, err := ordered.Parse(arguments)
	if err != nil || v.Kind != ordered.Object {
		return arguments, err
	}
	names := map[string]*parameter{}
	for _, p := range x.parameters {
		names[p.wire] = p
	}
	t := translation{}
	out := ordered.NewObject()
	for _, m := range v.Members {
		key, nodes := m.Key, x.extras()
		if p := names[key]; p != nil {
			key, nodes = p.python, p.nodes
		}
		out.Set(key, t.value(m.Value, nodes))
	}
	return out.JSON(), t.err
}

// ResultToPython translates a result, structured or read from text, into what a workflow sees. What is not as the schema says passes
// as it is.
func (x *Method) ResultToPython(result json.RawMessage) json.RawMessage {
	return translate(result, x.result, false)
}

// ResultToWire is the inverse of [Method.ResultToPython].
func (x *Method) ResultToWire(result json.RawMessage) json.RawMessage {
	return translate(result, x.result, true)
}

func translate(raw json.RawMessage, n *node, toWire bool) json.RawMessage {
	if n == nil || !n.renames {
		return raw
	}
	v, err := ordered.Parse(raw)
	if err != nil {
		return raw
	}
	t := translation{toWire: toWire}
	out := t.value(v, []*node{n})
	if t.err != nil {
		return raw
	}
	return out.JSON()
}

func (x *Method) renames() bool {
	return x.arguments.renames || slices.ContainsFunc(x.parameters, func(p *parameter) bool { return p.wire != p.python })
}

func (x *Method) extras() []*node {
	for _, s := range x.signatures {
		if s.extra != nil {
			return []*node{s.extra}
		}
	}
	return nil
}

// translation walks a value by all nodes that it may belong to. Which ones those are is decided by keys on the wire, so that the way back
// decides the same: there and back is the identity.
type translation struct {
	toWire bool
	err    error
}

func (t *translation) value(v *ordered.Value, nodes []*node) *ordered.Value {
	if v.Kind != ordered.Object && v.Kind != ordered.Array || !slices.ContainsFunc(nodes, func(n *node) bool { return n.renames }) {
		return v
	}
	var flat []*node
	for _, n := range nodes {
		for _, f := range n.flat() {
			if !slices.Contains(flat, f) {
				flat = append(flat, f)
			}
		}
	}
	if v.Kind == ordered.Array {
		out := make([]*ordered.Value, len(v.Items))
		for i, item := range v.Items {
			var below []*node
			for _, n := range flat {
				if i < len(n.prefix) {
					below = append(below, n.prefix[i])
				} else if n.item != nil {
					below = append(below, n.item)
				}
			}
			out[i] = t.value(item, below)
		}
		return ordered.NewArray(out...)
	}
	moving := map[string]bool{}
	for _, n := range flat {
		for _, f := range n.fields {
			if f.wire != f.python {
				word, _ := stem(f.wire)
				moving[word] = true
			}
		}
	}
	out := ordered.NewObject()
	for _, m := range v.Members {
		wire, python := m.Key, m.Key
		if word, ok := stem(m.Key); ok && moving[word] {
			switch {
			case !t.toWire:
				python += "_"
			case m.Key != word:
				wire = m.Key[:len(m.Key)-1]
			}
		}
		var below []*node
		for _, n := range flat {
			if f := n.field(wire); f != nil {
				below = append(below, f.node)
			} else if n.value != nil {
				below = append(below, n.value)
			}
		}
		key := python
		if t.toWire {
			key = wire
		}
		if out.Has(key) && t.err == nil {
			t.err = fmt.Errorf("the key %q is given twice, as %s_ and under its own name", key, key)
		}
		out.Set(key, t.value(m.Value, below))
	}
	return out
}

func (n *node) field(wire string) *field {
	for _, f := range n.fields {
		if f.wire == wire {
			return f
		}
	}
	return nil
}
