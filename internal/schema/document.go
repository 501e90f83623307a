package schema

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// Limits of what is read of one schema. Real schemas stay far below; beyond them everything is allowed, with a note.
const (
	maxSchemas = 50_000
	maxDepth   = 150
)

// The codes of notes.
const (
	NotSchema       = "not-a-schema"        // something else stands where a schema should
	BadKeyword      = "bad-keyword"         // a keyword has a value that it cannot have
	UnresolvedRef   = "unresolved-ref"      // a reference that leads nowhere
	ExternalRef     = "external-ref"        // a reference out of the document, which is not followed
	BadPattern      = "unsupported-pattern" // a regular expression that Go does not have
	TooLarge        = "too-large"           // over the limits
	RequiredUnknown = "required-unknown"    // required names a key that properties does not have
	MisplacedKey    = "misplaced-key"       // what looks like a property stands outside of properties
	Legacy          = "legacy-keyword"      // of an old draft or of OpenAPI, and understood
)

// Note is something about a schema that could not be used as it is.
type Note struct {
	Where   string `json:"where"` // JSON pointer
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (n Note) String() string {
	where := n.Where
	if where == "" {
		where = "/"
	}
	return fmt.Sprintf("%s: %s (%s)", where, n.Message, n.Code)
}

// Document is a schema in the one form: keywords of 2020-12 with values that they can have. A $ref is always "#/$defs/NAME",
// and leads to Defs.
type Document struct {
	Root  *ordered.Value            // an object or a boolean
	Defs  map[string]*ordered.Value // by the name in $ref
	Names []string                  // of Defs, in the order in which they were met
	Notes []Note
	Where map[*ordered.Value]string // the pointers in the original of the schemas in Root and Defs
}

// Ref returns what a schema's $ref leads to; nil if it has none.
func (d *Document) Ref(s *ordered.Value) *ordered.Value {
	return d.Defs[RefName(s)]
}

// RefName returns the name in a schema's $ref, or "".
func RefName(s *ordered.Value) string {
	return strings.TrimPrefix(s.Get("$ref").Str(), "#/$defs/")
}

// Read reads a schema. Nothing, or null, is the schema that allows everything. An error means that raw is not JSON.
func Read(raw json.RawMessage) (*Document, error) {
	if len(strings.TrimSpace(string(raw))) == 0 {
		raw = json.RawMessage("null")
	}
	v, err := ordered.Parse(raw)
	if err != nil {
		return nil, err
	}
	r := &reader{
		doc:   &Document{Defs: map[string]*ordered.Value{}, Where: map[*ordered.Value]string{}},
		where: map[*ordered.Value]place{}, resources: map[string]*ordered.Value{}, anchors: map[anchor]*ordered.Value{}, names: map[*ordered.Value]string{},
		made: map[*ordered.Value]*ordered.Value{},
	}
	if v.Kind == ordered.Null {
		v = ordered.NewObject()
	}
	r.root = v
	r.index(v, "", place{resource: v})
	r.doc.Root = r.read(v, "", 0)
	for len(r.queue) > 0 {
		target := r.queue[0]
		r.queue = r.queue[1:]
		r.doc.Defs[r.names[target]] = r.read(target, r.where[target].pointer, 0)
	}
	return r.doc, nil
}

type place struct {
	pointer  string
	base     string         // the identifier of the resource that it is in
	resource *ordered.Value // that resource
}

type anchor struct {
	resource *ordered.Value
	name     string
}

type reader struct {
	doc       *Document
	root      *ordered.Value
	where     map[*ordered.Value]place // of every object and array of the original
	resources map[string]*ordered.Value
	anchors   map[anchor]*ordered.Value
	names     map[*ordered.Value]string // of what references lead to
	made      map[*ordered.Value]*ordered.Value
	queue     []*ordered.Value
	count     int
}

func (r *reader) note(where, code, format string, args ...any) {
	if len(r.doc.Notes) < 1000 {
		r.doc.Notes = append(r.doc.Notes, Note{where, code, fmt.Sprintf(format, args...)})
	}
}

// index finds where everything is, and what identifiers there are.
func (r *reader) index(v *ordered.Value, pointer string, p place) {
	p.pointer = pointer
	switch v.Kind {
	case ordered.Array:
		r.where[v] = p
		for i, item := range v.Items {
			r.index(item, pointer+"/"+strconv.Itoa(i), p)
		}
	case ordered.Object:
		id := v.Get("$id").Str()
		if id == "" && !v.Has("$id") {
			if old := v.Get("id").Str(); v == r.root || strings.HasPrefix(old, "#") || strings.Contains(old, "://") {
				id = old
			}
		}
		switch {
		case strings.HasPrefix(id, "#"):
			r.anchors[anchor{p.resource, id[1:]}] = v
		case id != "":
			p.base, p.resource = strings.TrimSuffix(resolveURI(p.base, id), "#"), v
			if _, twice := r.resources[p.base]; !twice {
				r.resources[p.base] = v
			}
		}
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name := v.Get(key).Str(); name != "" {
				if _, twice := r.anchors[anchor{p.resource, name}]; !twice {
					r.anchors[anchor{p.resource, name}] = v
				}
			}
		}
		if v.Get("$recursiveAnchor") != nil {
			r.anchors[anchor{p.resource, ""}] = v
		}
		r.where[v] = p
		for _, m := range v.Members {
			switch m.Key {
			case "enum", "const", "default", "examples", "example":
			default:
				r.index(m.Value, pointer+"/"+EscapePointer(m.Key), p)
			}
		}
	}
}

func resolveURI(base, ref string) string {
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	b, err := url.Parse(base)
	if err != nil || base == "" {
		return ref
	}
	return b.ResolveReference(u).String()
}

// EscapePointer writes a key as a part of a JSON pointer.
func EscapePointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func unescapePointer(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

// resolve finds what a reference in schema s leads to; nil with the reason if it leads nowhere.
func (r *reader) resolve(s *ordered.Value, ref string) (*ordered.Value, string) {
	at := r.where[s]
	address, fragment, _ := strings.Cut(ref, "#")
	resource := at.resource
	if address != "" {
		full := strings.TrimSuffix(resolveURI(at.base, address), "#")
		switch found := r.resources[full]; {
		case found != nil:
			resource = found
		case r.resources[address] != nil:
			resource = r.resources[address]
		default:
			return nil, ExternalRef
		}
	}
	if fragment == "" {
		return resource, ""
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if strings.HasPrefix(fragment, "/") {
		if v := follow(resource, fragment); v != nil {
			return v, ""
		}
		if v := follow(r.root, fragment); v != nil && address == "" {
			return v, "" // a pointer that forgot that a resource of its own begins above it
		}
		return nil, UnresolvedRef
	}
	if v := r.anchors[anchor{resource, fragment}]; v != nil {
		return v, ""
	}
	// The home that was meant, without its pointer: #Name.
	for _, home := range []string{"$defs", "definitions"} {
		if v := resource.Get(home).Get(fragment); v != nil {
			return v, ""
		}
	}
	return nil, UnresolvedRef
}

func follow(v *ordered.Value, pointer string) *ordered.Value {
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = unescapePointer(part)
		switch {
		case v.Is(ordered.Array):
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v.Items) {
				return nil
			}
			v = v.Items[i]
		case v.Has(part):
			v = v.Get(part)
		case part == "$defs" && v.Has("definitions"):
			v = v.Get("definitions")
		case part == "definitions" && v.Has("$defs"):
			v = v.Get("$defs")
		default:
			return nil
		}
	}
	return v
}

var notInNames = regexp.MustCompile(`[^\pL\pN_]+`)

// name returns the name under which a reference's target is in Defs.
func (r *reader) name(target *ordered.Value) string {
	if name, ok := r.names[target]; ok {
		return name
	}
	base := "Root"
	if p := r.where[target].pointer; p != "" {
		parts := strings.Split(p, "/")
		base = unescapePointer(parts[len(parts)-1])
		if _, err := strconv.Atoi(base); (err == nil || base == "items" || base == "additionalProperties") && len(parts) > 2 {
			base = unescapePointer(parts[len(parts)-2]) + "_" + base
		}
	}
	base = strings.Trim(notInNames.ReplaceAllString(base, "_"), "_")
	if base == "" {
		base = "Def"
	}
	name := base
	for n := 2; slices.Contains(r.doc.Names, name); n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	r.names[target] = name
	r.doc.Names = append(r.doc.Names, name)
	r.queue = append(r.queue, target)
	return name
}

var everything = ordered.NewBool(true)

// read brings one schema into the form.
func (r *reader) read(v *ordered.Value, at string, depth int) *ordered.Value {
	if s := r.made[v]; s != nil { // a reference leads to what is also in its place
		return s
	}
	r.count++
	switch {
	case r.count == maxSchemas || depth == maxDepth:
		r.note(at, TooLarge, "the schema is larger or deeper than what is read (%d schemas, %d deep)", maxSchemas, maxDepth)
		fallthrough
	case r.count > maxSchemas || depth > maxDepth:
		return everything
	case v.Is(ordered.Bool):
		b := ordered.NewBool(v.True)
		r.doc.Where[b] = at
		return b
	case !v.Is(ordered.Object):
		r.note(at, NotSchema, "a schema is an object or a boolean, and this is %s", kindOf(v))
		b := ordered.NewBool(true)
		r.doc.Where[b] = at
		return b
	}
	out := ordered.NewObject()
	r.doc.Where[out] = at
	s := &schemaReader{reader: r, in: v, out: out, at: at, depth: depth}
	for _, m := range v.Members {
		s.keyword(m.Key, m.Value)
	}
	s.finish()
	r.made[v] = s.out
	return s.out
}

func kindOf(v *ordered.Value) string {
	switch v.Kind {
	case ordered.Null:
		return "null"
	case ordered.Array:
		return "an array"
	case ordered.Object:
		return "an object"
	default:
		return "a " + v.Kind.String()
	}
}

// schemaReader reads the keywords of one schema.
type schemaReader struct {
	*reader
	in, out  *ordered.Value
	at       string
	depth    int
	required []*ordered.Value // also those that a property of draft 3 says of itself
	loosened bool             // a pattern of patternProperties could not be used
}

func (s *schemaReader) bad(key, format string, args ...any) {
	s.note(s.at+"/"+EscapePointer(key), BadKeyword, "%s %s; it is ignored", key, fmt.Sprintf(format, args...))
}

func (s *schemaReader) sub(key string, v *ordered.Value) *ordered.Value {
	return s.read(v, s.at+"/"+EscapePointer(key), s.depth+1)
}

func (s *schemaReader) keyword(key string, v *ordered.Value) {
	switch key {
	case "$ref", "$dynamicRef", "$recursiveRef":
		s.ref(key, v)
	case "properties":
		s.properties(v)
	case "patternProperties", "dependentSchemas":
		s.schemaMap(key, v)
	case "items", "prefixItems", "additionalItems":
		s.items(key, v)
	case "allOf", "anyOf", "oneOf":
		s.schemaList(key, v)
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		if v.Kind == ordered.Null {
			s.bad(key, "is null")
			return
		}
		s.out.Set(key, s.sub(key, v))
	case "type":
		s.types(v)
	case "enum":
		if !v.Is(ordered.Array) {
			s.bad(key, "is %s and no list", kindOf(v))
		} else if len(v.Items) == 0 {
			s.bad(key, "is empty, so that no value would do")
		} else {
			s.out.Set(key, v)
		}
	case "const", "default", "examples":
		s.out.Set(key, v)
	case "title", "description", "$comment", "format", "contentEncoding", "contentMediaType":
		if v.Is(ordered.String) {
			s.out.Set(key, v)
		} else {
			s.bad(key, "is %s and no text", kindOf(v))
		}
	case "deprecated", "readOnly", "writeOnly", "uniqueItems":
		if v.Is(ordered.Bool) {
			s.out.Set(key, v)
		} else {
			s.bad(key, "is %s and no boolean", kindOf(v))
		}
	case "required":
		s.requiredKeys(v)
	case "dependentRequired", "dependencies":
		s.dependencies(key, v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		if r := v.Rat(); r != nil && r.Sign() >= 0 && r.IsInt() {
			s.out.Set(key, v)
		} else {
			s.bad(key, "is no number of things")
		}
	case "minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum":
		s.number(key, v)
	case "pattern":
		if !v.Is(ordered.String) {
			s.bad(key, "is %s and no text", kindOf(v))
		} else if p, err := Pattern(v.Text); err != nil {
			s.note(s.at+"/pattern", BadPattern, "the pattern %q is not checked: %v", v.Text, err)
		} else {
			s.out.Set(key, ordered.NewString(p))
		}
	}
}

func (s *schemaReader) ref(key string, v *ordered.Value) {
	if !v.Is(ordered.String) {
		s.bad(key, "is %s and no text", kindOf(v))
		return
	}
	target, reason := s.resolve(s.in, v.Text)
	switch {
	case reason == ExternalRef:
		s.note(s.at+"/"+key, reason, "%q leads out of the document, and nothing is fetched", v.Text)
	case reason != "":
		s.note(s.at+"/"+key, reason, "%q leads nowhere", v.Text)
	default:
		ref := ordered.NewString("#/$defs/" + s.name(target))
		if s.out.Has("$ref") { // beside another one
			also := ordered.NewObject()
			also.Set("$ref", ref)
			s.doc.Where[also] = s.at
			s.and(also)
			return
		}
		s.out.Set("$ref", ref)
	}
}

// and adds a schema that has to hold too.
func (s *schemaReader) and(also *ordered.Value) {
	all := []*ordered.Value{also}
	if before := s.out.Get("allOf"); before != nil {
		all = append(all, before.Items...)
	}
	s.out.Set("allOf", ordered.NewArray(all...))
}

func (s *schemaReader) properties(v *ordered.Value) {
	if !v.Is(ordered.Object) {
		s.bad("properties", "is %s and no object", kindOf(v))
		return
	}
	out := ordered.NewObject()
	for _, m := range v.Members {
		if m.Value.Get("required").Is(ordered.Bool) && m.Value.Get("required").True {
			s.note(s.at+"/properties/"+EscapePointer(m.Key), Legacy, "required is inside of the property: read as required of the object")
			s.required = append(s.required, ordered.NewString(m.Key))
		}
		out.Set(m.Key, s.read(m.Value, s.at+"/properties/"+EscapePointer(m.Key), s.depth+1))
	}
	s.out.Set("properties", out)
}

func (s *schemaReader) schemaMap(key string, v *ordered.Value) {
	if !v.Is(ordered.Object) {
		s.bad(key, "is %s and no object", kindOf(v))
		return
	}
	out := ordered.NewObject()
	for _, m := range v.Members {
		at, name := s.at+"/"+key+"/"+EscapePointer(m.Key), m.Key
		if key == "patternProperties" {
			p, err := Pattern(m.Key)
			if err != nil {
				s.note(at, BadPattern, "the pattern %q is not checked: %v", m.Key, err)
				s.loosened = true
				continue
			}
			name = p
		}
		out.Set(name, s.read(m.Value, at, s.depth+1))
	}
	if len(out.Members) > 0 {
		s.out.Set(key, out)
	}
}

func (s *schemaReader) schemaList(key string, v *ordered.Value) {
	if !v.Is(ordered.Array) || len(v.Items) == 0 {
		s.bad(key, "is no list with schemas in it")
		return
	}
	out := make([]*ordered.Value, len(v.Items))
	for i, item := range v.Items {
		out[i] = s.read(item, s.at+"/"+key+"/"+strconv.Itoa(i), s.depth+1)
	}
	if before := s.out.Get(key); key == "allOf" && before != nil { // from a second reference
		out = append(out, before.Items...)
	}
	s.out.Set(key, ordered.NewArray(out...))
}

func (s *schemaReader) items(key string, v *ordered.Value) {
	switch {
	case key == "additionalItems":
		if s.in.Get("items").Is(ordered.Array) {
			s.out.Set("items", s.sub(key, v))
		}
	case v.Is(ordered.Array):
		if key == "items" && s.in.Has("prefixItems") {
			s.bad(key, "is a list beside prefixItems")
			return
		}
		out := make([]*ordered.Value, len(v.Items))
		for i, item := range v.Items {
			out[i] = s.read(item, s.at+"/"+key+"/"+strconv.Itoa(i), s.depth+1)
		}
		if len(out) > 0 {
			s.out.Set("prefixItems", ordered.NewArray(out...))
		}
	case key == "prefixItems":
		s.bad(key, "is %s and no list", kindOf(v))
	case v.Kind == ordered.Null:
		s.bad(key, "is null")
	default:
		s.out.Set("items", s.sub(key, v))
	}
}

var typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

func (s *schemaReader) types(v *ordered.Value) {
	list := []*ordered.Value{v}
	if v.Is(ordered.Array) {
		list = v.Items
	}
	var out []*ordered.Value
	for _, t := range list {
		name := t.Str()
		switch {
		case slices.Contains(typeNames, name):
			if !slices.ContainsFunc(out, t.Equal) {
				out = append(out, t)
			}
		case name == "any":
			s.note(s.at+"/type", Legacy, `type "any" allows every value`)
			return
		case t.Is(ordered.Object) || t.Is(ordered.Bool):
			s.bad("type", "is %s and no name of a type", kindOf(t))
			return
		default:
			if name == "" {
				name = string(t.JSON())
			}
			s.bad("type", "names %q, which is no type", name)
			return
		}
	}
	if len(out) == 0 {
		s.bad("type", "names no type")
		return
	}
	if len(out) == 1 {
		s.out.Set("type", out[0])
		return
	}
	s.out.Set("type", ordered.NewArray(out...))
}

func (s *schemaReader) requiredKeys(v *ordered.Value) {
	switch {
	case v.Is(ordered.Bool): // of a property, which says it for the object above
	case !v.Is(ordered.Array):
		s.bad("required", "is %s and no list", kindOf(v))
	default:
		for _, key := range v.Items {
			if key.Is(ordered.String) {
				s.required = append(s.required, key)
			} else {
				s.bad("required", "names %s, which is no key", key.JSON())
			}
		}
	}
}

func (s *schemaReader) dependencies(key string, v *ordered.Value) {
	if !v.Is(ordered.Object) {
		s.bad(key, "is %s and no object", kindOf(v))
		return
	}
	required, schemas := ordered.NewObject(), ordered.NewObject()
	for _, m := range v.Members {
		switch {
		case m.Value.Is(ordered.Array):
			var keys []*ordered.Value
			for _, item := range m.Value.Items {
				if item.Is(ordered.String) {
					keys = append(keys, item)
				}
			}
			required.Set(m.Key, ordered.NewArray(keys...))
		case key == "dependencies" && m.Value.Is(ordered.String):
			required.Set(m.Key, ordered.NewArray(m.Value))
		case key == "dependencies":
			schemas.Set(m.Key, s.read(m.Value, s.at+"/"+key+"/"+EscapePointer(m.Key), s.depth+1))
		default:
			s.bad(key, "has %s and no list of keys for %q", kindOf(m.Value), m.Key)
		}
	}
	if len(required.Members) > 0 {
		s.out.Set("dependentRequired", required)
	}
	if len(schemas.Members) > 0 && !s.out.Has("dependentSchemas") {
		s.out.Set("dependentSchemas", schemas)
	}
}

func (s *schemaReader) number(key string, v *ordered.Value) {
	inclusive := map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[key]
	switch r := v.Rat(); {
	case inclusive != "" && v.Is(ordered.Bool): // draft 4
		if bound := s.in.Get(inclusive); v.True && bound.Rat() != nil {
			s.out.Set(key, bound)
		}
	case r == nil:
		s.bad(key, "is no number that can be computed with")
	case key == "multipleOf" && r.Sign() <= 0:
		s.bad(key, "is not above zero")
	default:
		s.out.Set(key, v)
	}
}

// finish does what depends on several keywords.
func (s *schemaReader) finish() {
	if s.loosened && s.out.Has("additionalProperties") {
		s.out.Set("additionalProperties", everything)
	}
	s.finishRequired()
	if s.in.Get("nullable").Is(ordered.Bool) && s.in.Get("nullable").True {
		s.nullable()
	}
	if s.at == "" && !s.in.Has("properties") {
		for _, m := range s.in.Members {
			if m.Value.Is(ordered.Object) && m.Value.Has("type") && !s.out.Has(m.Key) && !slices.Contains(structural, m.Key) {
				s.note("/"+EscapePointer(m.Key), MisplacedKey, "%q looks like a property and is not in properties", m.Key)
			}
		}
	}
}

// structural are keywords whose value holds schemas, and may itself have a key "type".
var structural = []string{"type", "properties", "patternProperties", "$defs", "definitions", "items", "if", "then", "else", "not", "default", "const", "example"}

func (s *schemaReader) finishRequired() {
	var keys []*ordered.Value
	properties, closed := s.out.Get("properties"), s.out.Get("additionalProperties")
	for _, key := range s.required {
		if slices.ContainsFunc(keys, key.Equal) {
			continue
		}
		if s.in.Has("properties") && !properties.Has(key.Text) && !s.composed() && !fragment.MatchString(s.at) {
			s.note(s.at+"/required", RequiredUnknown, "%q is required and not among the properties", key.Text)
			if closed.Is(ordered.Bool) && !closed.True && !s.out.Has("patternProperties") {
				continue // no value would do
			}
		}
		keys = append(keys, key)
	}
	if len(keys) > 0 {
		s.out.Set("required", ordered.NewArray(keys...))
	}
}

// fragment matches the places of schemas that speak of an object which is described elsewhere.
var fragment = regexp.MustCompile(`/(then|else|if|not|(allOf|anyOf|oneOf)/\d+|dependentSchemas/[^/]+)$`)

func (s *schemaReader) composed() bool {
	return s.out.Has("allOf") || s.out.Has("anyOf") || s.out.Has("oneOf") || s.out.Has("$ref") || s.out.Has("if") || s.out.Has("dependentSchemas")
}

// nullable adds null to what is allowed.
func (s *schemaReader) nullable() {
	null := ordered.NewString("null")
	types := s.out.Get("type")
	if types == nil {
		if len(s.out.Members) == 0 {
			return
		}
		base, alternative, either := ordered.NewObject(), ordered.NewObject(), ordered.NewObject()
		for _, m := range s.out.Members {
			switch m.Key {
			case "title", "description", "default", "examples", "deprecated":
				either.Set(m.Key, m.Value)
			default:
				base.Set(m.Key, m.Value)
			}
		}
		alternative.Set("type", null)
		either.Set("anyOf", ordered.NewArray(base, alternative))
		s.doc.Where[base], s.doc.Where[alternative], s.doc.Where[either] = s.at, s.at, s.at
		s.out = either
		return
	}
	list := []*ordered.Value{types}
	if types.Is(ordered.Array) {
		list = slices.Clone(types.Items)
	}
	if !slices.ContainsFunc(list, null.Equal) {
		s.out.Set("type", ordered.NewArray(append(list, null)...))
	}
	if enum := s.out.Get("enum"); enum != nil && !slices.ContainsFunc(enum.Items, (&ordered.Value{}).Equal) {
		s.out.Set("enum", ordered.NewArray(append(slices.Clone(enum.Items), &ordered.Value{})...))
	}
}
