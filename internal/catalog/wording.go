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
	return unworded(v).JSON()
}

// unworded goes the way that strip goes.
func unworded(s *ordered.Value) *ordered.Value {
	switch s.Kind {
	case ordered.Array:
		items := make([]*ordered.Value, len(s.Items))
		for i, item := range s.Items {
			items[i] = unworded(item)
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
				schemas.Set(p.Key, unworded(p.Value))
			}
			out.Set(m.Key, schemas)
		case "required", "enum", "type", "const", "default":
			out.Set(m.Key, m.Value)
		default:
			out.Set(m.Key, unworded(m.Value))
		}
	}
	return out
}
