package schema

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/kaptinlin/jsonschema"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// Validator checks values by one schema. It may be used by many goroutines.
type Validator struct {
	doc      *Document
	mu       sync.Mutex // the library compiles patterns while it validates
	compiled *jsonschema.Schema
}

// The formats that are asserted: those whose text has one meaning, so that what does not fit is a mistake. The others are notes for people.
var asserted = map[string]bool{
	"date-time": true, "date": true, "time": true, "duration": true, "email": true, "hostname": true, "ipv4": true, "ipv6": true, "uri": true,
	"uuid": true, "json-pointer": true,
}

// Asserted reports whether a format is checked.
func Asserted(format string) bool { return asserted[format] }

var cache = struct {
	sync.Mutex
	byContent map[[sha256.Size]byte]*Validator
}{byContent: map[[sha256.Size]byte]*Validator{}}

// cacheSize bounds the validators that are kept: above what a user's servers have.
const cacheSize = 8192

// Compile makes a validator, or returns the one that was made of the same text. An error means that raw is not JSON.
func Compile(raw json.RawMessage) (*Validator, error) {
	key := sha256.Sum256(raw)
	cache.Lock()
	v := cache.byContent[key]
	cache.Unlock()
	if v != nil {
		return v, nil
	}
	doc, err := Read(raw)
	if err != nil {
		return nil, err
	}
	v, err = compile(doc)
	if err != nil {
		return nil, err
	}
	cache.Lock()
	defer cache.Unlock()
	if len(cache.byContent) >= cacheSize {
		clear(cache.byContent)
	}
	cache.byContent[key] = v
	return v, nil
}

func compile(doc *Document) (*Validator, error) {
	c := jsonschema.NewCompiler().SetAssertFormat(true)
	none := func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("%s: nothing is fetched", url) }
	c.RegisterLoader("http", none).RegisterLoader("https", none)
	root := checked(doc.Root)
	if len(doc.Names) > 0 {
		if root.Kind == ordered.Bool { // cannot have definitions, nor use them
			root = ordered.NewBool(root.True)
		} else {
			defs := ordered.NewObject()
			for _, name := range doc.Names {
				defs.Set(name, checked(doc.Defs[name]))
			}
			root.Set("$defs", defs)
		}
	}
	s, err := c.Compile(root.JSON())
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be used for validation: %w", err)
	}
	return &Validator{doc: doc, compiled: s}, nil
}

// checked returns a schema with only the keywords that are asserted.
func checked(s *ordered.Value) *ordered.Value {
	if s.Kind != ordered.Object {
		return s
	}
	out := ordered.NewObject()
	for _, m := range s.Members {
		switch v := m.Value; m.Key {
		case "title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType":
		case "format":
			if asserted[v.Text] {
				out.Set(m.Key, v)
			}
		case "properties", "patternProperties", "dependentSchemas":
			schemas := ordered.NewObject()
			for _, p := range v.Members {
				schemas.Set(p.Key, checked(p.Value))
			}
			out.Set(m.Key, schemas)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			schemas := make([]*ordered.Value, len(v.Items))
			for i, item := range v.Items {
				schemas[i] = checked(item)
			}
			out.Set(m.Key, ordered.NewArray(schemas...))
		case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items":
			out.Set(m.Key, checked(v))
		default:
			out.Set(m.Key, v)
		}
	}
	return out
}

// Notes returns what in the schema could not be used.
func (v *Validator) Notes() []Note { return v.doc.Notes }

// Validate checks value by schema. A schema that is not JSON is an error of its own, without a field.
func Validate(schema, value json.RawMessage) []FieldError {
	v, err := Compile(schema)
	if err != nil {
		return []FieldError{{Code: "schema", Message: err.Error()}}
	}
	return v.Validate(value)
}

// Validate returns everything that is wrong with a value, in the order of its fields.
func (v *Validator) Validate(value json.RawMessage) []FieldError {
	parsed, err := ordered.Parse(value)
	if err != nil {
		return []FieldError{{Code: "json", Message: "is not JSON: " + err.Error()}}
	}
	return v.ValidateValue(parsed)
}

// ValidateValue is [Validator.Validate] for a value that has been read.
func (v *Validator) ValidateValue(value *ordered.Value) []FieldError {
	if errs := extreme(value, nil); errs != nil {
		return errs
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	result := v.compiled.ValidateStruct(value.Any())
	if result.IsValid() {
		return nil
	}
	w := &walker{doc: v.doc}
	errs := w.collect(result, nil, value)
	if len(errs) == 0 { // the library is sure, and says nothing that can be passed on
		errs = []FieldError{{Code: "schema", Message: "does not match the schema"}}
	}
	return tidy(errs, value)
}

// extreme finds the numbers that would take all memory to compute with.
func extreme(v *ordered.Value, path []string) []FieldError {
	switch v.Kind {
	case ordered.Number:
		if v.Rat() == nil {
			return []FieldError{fieldError(path, "number", "has an exponent over %d", ordered.MaxExponent)}
		}
	case ordered.Array:
		for i, item := range v.Items {
			if errs := extreme(item, append(path, fmt.Sprint(i))); errs != nil {
				return errs
			}
		}
	case ordered.Object:
		for _, m := range v.Members {
			if errs := extreme(m.Value, append(path, m.Key)); errs != nil {
				return errs
			}
		}
	}
	return nil
}

// Defaults returns value with the defaults of the schema's own properties for the keys that it lacks. Those are filled in on the top
// level only: what is inside of a value is its author's. A value that is no object stays as it is.
func (v *Validator) Defaults(value json.RawMessage) json.RawMessage {
	parsed, err := ordered.Parse(value)
	if err != nil || parsed.Kind != ordered.Object {
		return value
	}
	changed := false
	for _, s := range v.doc.All([]*ordered.Value{v.doc.Root}) {
		for _, p := range s.Get("properties").Entries() {
			for _, ps := range v.doc.All([]*ordered.Value{p.Value}) {
				if d := ps.Get("default"); d != nil && !parsed.Has(p.Key) {
					parsed.Set(p.Key, d)
					changed = true
				}
			}
		}
	}
	if !changed {
		return value
	}
	return parsed.JSON()
}

// All returns the schemas that hold at once where those in list do: they, what they refer to, and the members of their allOf. Each comes once.
func (d *Document) All(list []*ordered.Value) []*ordered.Value {
	var out []*ordered.Value
	seen := map[*ordered.Value]bool{}
	var add func(*ordered.Value)
	add = func(s *ordered.Value) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		out = append(out, s)
		add(d.Ref(s))
		if all := s.Get("allOf"); all != nil {
			for _, item := range all.Items {
				add(item)
			}
		}
	}
	for _, s := range list {
		add(s)
	}
	return out
}

// FieldError is one thing that is wrong with a value.
type FieldError struct {
	Field   string   `json:"field"` // keys and indices with dots between, as in recipients.1.email; "" is the whole value
	Path    []string `json:"-"`     // the same, apart
	Code    string   `json:"code"`  // the keyword of JSON Schema
	Message string   `json:"message"`
}

func (e FieldError) String() string {
	if e.Field == "" {
		return "the value " + e.Message
	}
	return e.Field + " " + e.Message
}

func (e FieldError) Error() string { return e.String() }

func fieldError(path []string, code, format string, args ...any) FieldError {
	return FieldError{Field: strings.Join(path, "."), Path: append([]string(nil), path...), Code: code, Message: fmt.Sprintf(format, args...)}
}
