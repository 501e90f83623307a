package catalog

import (
	"encoding/json"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// Wordless is a schema without what is only said to readers: titles, descriptions, examples and comments. All else stays as it is, in its order, so that
// a tool with wordless schemas has the digest of the tool itself. What is not JSON is returned as it is.
func Wordless(schema json.RawMessage) json.RawMessage {
	v, err := ordered.Parse(schema)
	if err != nil {
		return schema
	}
	same := func(v *ordered.Value) *ordered.Value { return v }
	return unworded(v, same, func(string) bool { return false }).JSON()
}

// unworded removes wording from a schema. In a map of schemas the keys are names: a property may be called description. list gives the form of lists that are no
// schemas, and more tells what else to leave out.
func unworded(s *ordered.Value, list func(*ordered.Value) *ordered.Value, more func(key string) bool) *ordered.Value {
	switch s.Kind {
	case ordered.Array: // a list of schemas
		items := make([]*ordered.Value, len(s.Items))
		for i, item := range s.Items {
			items[i] = unworded(item, list, more)
		}
		return ordered.NewArray(items...)
	case ordered.Object:
	default:
		return s
	}
	out := ordered.NewObject()
	for _, m := range s.Members {
		switch m.Key {
		case "title", "description", "examples", "example", "$comment":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies", "dependentRequired":
			if !m.Value.Is(ordered.Object) {
				out.Set(m.Key, m.Value)
				continue
			}
			schemas := ordered.NewObject()
			for _, p := range m.Value.Members {
				if p.Value.Is(ordered.Array) { // the names of dependentRequired
					schemas.Set(p.Key, list(p.Value))
				} else {
					schemas.Set(p.Key, unworded(p.Value, list, more))
				}
			}
			out.Set(m.Key, schemas)
		case "required", "enum", "type":
			out.Set(m.Key, list(m.Value))
		case "const", "default":
			out.Set(m.Key, m.Value)
		default:
			if !more(m.Key) {
				out.Set(m.Key, unworded(m.Value, list, more))
			}
		}
	}
	return out
}
