package stubs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// CheckArguments validates what would be sent, and returns everything that is wrong with it. Parameters are named as the workflow writes
// them.
//
// It is stricter than the schema in one point and more lenient in another, both as the stub is. A parameter that the schema does not
// declare is refused unless the schema says that there are others: a server would ignore a misspelled one in silence. And a required key
// with a default may be left out: the server fills it in, we never do.
func (x *Method) CheckArguments(wire json.RawMessage) []schema.FieldError {
	v, err := schema.Compile(x.Tool.InputSchema)
	if err != nil {
		return nil // a problem of the tool; nothing is known that could be checked
	}
	value, err := ordered.Parse(wire)
	if err != nil {
		return v.Validate(wire) // which says so
	}
	errs := v.ValidateValue(value)
	unknown := x.unknown(value)
	if len(errs) == 0 && len(unknown) == 0 {
		return nil
	}
	left := slices.DeleteFunc(errs, func(e schema.FieldError) bool {
		return e.Code == "required" && x.hasDefault(e.Path) || e.Code == "additionalProperties" && len(e.Path) == 1 && slices.Contains(unknown, e.Path[0])
	})
	if len(left) > 0 && len(v.Validate(v.Defaults(wire))) == 0 { // they were missing in one of several forms
		left = nil
	}
	if len(left)+len(unknown) == 0 {
		return nil
	}
	for i, e := range left {
		if e.Code == "type" && len(e.Path) == 1 && value.Get(e.Path[0]).Is(ordered.Null) {
			left[i].Message += ": None is sent as null, leave the argument out to send nothing"
		}
	}
	for i, key := range unknown {
		left = append(left, schema.FieldError{Field: key, Path: []string{key}, Code: "additionalProperties", Message: x.notKnown(key, i == 0)})
	}
	for i, e := range left {
		if len(e.Path) > 0 {
			left[i].Field = strings.Join(append([]string{x.pythonOf(e.Path[0])}, e.Path[1:]...), ".")
		}
	}
	return left
}

// unknown lists the keys that no signature has a place for.
func (x *Method) unknown(arguments *ordered.Value) []string {
	if len(x.extras()) > 0 {
		return nil
	}
	var out []string
	for _, m := range arguments.Entries() {
		if x.parameter(m.Key) == nil {
			out = append(out, m.Key)
		}
	}
	return out
}

// notKnown says that there is no such parameter and, with list, which there are.
func (x *Method) notKnown(key string, list bool) string {
	var names []string
	for _, p := range x.parameters {
		names = append(names, p.python)
	}
	if len(names) == 0 {
		return "is not known: the tool takes no arguments"
	}
	hint := ""
	if near := schema.Nearest(key, names); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	if !list {
		return "is not known" + hint
	}
	return fmt.Sprintf("is not known%s; the arguments are: %s", hint, strings.Join(names, ", "))
}

func (x *Method) parameter(wire string) *parameter {
	for _, p := range x.parameters {
		if p.wire == wire {
			return p
		}
	}
	return nil
}

func (x *Method) pythonOf(wire string) string {
	if p := x.parameter(wire); p != nil {
		return p.python
	}
	return wire
}

// hasDefault reports whether the schema has a default for what is at a path of the arguments.
func (x *Method) hasDefault(path []string) bool {
	nodes := []*node{x.arguments}
	var schemas []*ordered.Value
	for _, key := range path {
		var below []*node
		schemas = nil
		for _, n := range nodes {
			for _, n := range n.flat() {
				if f := n.field(key); f != nil {
					below, schemas = append(below, f.node), append(schemas, f.schemas...)
				} else if i, err := strconv.Atoi(key); err == nil && n.kind == kList && n.at(i) != nil {
					below = append(below, n.at(i))
				} else if n.value != nil {
					below = append(below, n.value)
				}
			}
		}
		nodes = below
	}
	return slices.ContainsFunc(schemas, func(s *ordered.Value) bool { return s.Has("default") })
}

// CheckResult validates a result by the output schema. A tool that declares none returns what it likes.
func (x *Method) CheckResult(wire json.RawMessage) []schema.FieldError {
	if x.result == nil || x.observed {
		return nil
	}
	v, err := schema.Compile(x.Tool.OutputSchema)
	if err != nil {
		return nil
	}
	return v.Validate(wire)
}
