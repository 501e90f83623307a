package diff

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// mostSteps bounds a proof. Real schemas take some hundred.
const mostSteps = 5_000

// mostAsked bounds the bytes of the schemas of one document that the validator is asked about.
const mostAsked = 2 << 20

// anyItem and anyKey stand in a path for each item, and for each key that is not declared.
const (
	anyItem = "[]"
	anyKey  = "*"
)

// finding is why a proof did not go through.
type finding struct {
	path       []string
	keyword    string
	text       string           // of the place, as in "has to be given"
	candidates []*ordered.Value // values for the place that may show it
	without    string           // a key whose absence at the place may show it
	certain    bool             // it needs no example
}

// prover proves that every value which schema a allows is allowed by schema b.
type prover struct {
	a, b    *document
	outputs bool // b is the old schema, of outputs, and a the new one; else a is the old one, of inputs
	steps   int
	assumed map[string]int // claims that are being proved, with the depth of the value that they are about
	samples int            // that were made for one example
	loose   int            // how many alternatives the proof is in: what one form lacks, another may have
}

func newProver(a, b *document, outputs bool) *prover {
	return &prover{a: a, b: b, outputs: outputs, assumed: map[string]int{}}
}

// say makes a finding, in words for inputs or for outputs.
func (p *prover) say(path []string, keyword, inputs, outputs string, candidates ...*ordered.Value) []finding {
	text := inputs
	if p.outputs {
		text = outputs
	}
	return []finding{{path: slices.Clone(path), keyword: keyword, text: text, candidates: candidates}}
}

func deeper(path []string, key string) []string { return append(slices.Clone(path), key) }

// prove returns what is in the way of the claim that what f allows is allowed by b; nothing if it holds.
func (p *prover) prove(f facts, b *ordered.Value, path []string) []finding {
	if p.steps++; p.steps > mostSteps {
		return p.say(path, "", "cannot be compared: the schemas are too large for it", "cannot be compared: the schemas are too large for it")
	}
	for n := 0; refers(b) && n < 100; n++ {
		b = p.b.Ref(b)
	}
	if b.Is(ordered.Bool) && b.True || b.Is(ordered.Object) && len(asserted(b)) == 0 || f.never() {
		return nil
	}
	for _, s := range f.list {
		if (&same{f.doc.Document, p.b.Document, map[pair]bool{}}).schema(s, b) {
			return nil
		}
	}
	// A claim that comes up in its own proof is proved by induction over the value, if the proof has gone into the value since.
	key := f.key() + fmt.Sprintf(" | %p", b)
	for _, s := range f.split {
		key += fmt.Sprintf(" %p", s)
	}
	if depth, ok := p.assumed[key]; ok {
		if len(path) > depth {
			return nil
		}
		return p.say(path, "$ref", "refers to itself", "refers to itself")
	}
	p.assumed[key] = len(path)
	defer delete(p.assumed, key)
	if values, ok := f.finite(); ok {
		return p.each(values, f, b, path)
	}
	found := p.all(f, b, path)
	if len(found) == 0 {
		return nil
	}
	if choice := f.choice(); choice != nil {
		found = nil
		p.loose++
		for _, alternative := range choice.Items {
			found = append(found, p.prove(f.and(alternative, choice), b, path)...)
		}
		p.loose--
		return distinct(found)
	}
	return found
}

func distinct(list []finding) (out []finding) {
	for _, x := range list {
		same := func(y finding) bool {
			return y.text == x.text && y.without == x.without && slices.Equal(x.path, y.path)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].candidates = append(out[i].candidates, x.candidates...)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// each proves it value by value.
func (p *prover) each(values []*ordered.Value, f facts, b *ordered.Value, path []string) []finding {
	var refused []*ordered.Value
	for _, v := range values {
		if f.possible(v) && !p.b.allows(b, v, false) {
			refused = append(refused, v)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return p.say(path, "enum", "may not be "+these(refused)+" any more", "can be "+these(refused)+" now", refused...)
}

// possible reports whether nothing is known against a value.
func (f facts) possible(v *ordered.Value) bool {
	return !slices.ContainsFunc(f.list, func(s *ordered.Value) bool { return !f.doc.allows(s, v, true) })
}

// these are values in a sentence.
func these(values []*ordered.Value) string {
	const most = 5
	var out []string
	for _, v := range values[:min(most, len(values))] {
		out = append(out, short(v))
	}
	if more := len(values) - most; more > 0 {
		out = append(out, fmt.Sprintf("one of %d more", more))
	}
	return strings.Join(out, " or ")
}

func short(v *ordered.Value) string {
	return code(string(v.JSON()), 60)
}

// allows asks the validator whether a schema of a document allows a value. Where it cannot be asked, the answer is the one that proves nothing.
func (d *document) allows(s, v *ordered.Value, unasked bool) bool {
	if s.Kind == ordered.Bool {
		return s.True
	}
	validator := d.allowed[s]
	if validator == nil {
		text := d.alone(s)
		if d.asked += len(text); d.asked > mostAsked {
			return unasked
		}
		var err error
		if validator, err = schema.Compile(text); err != nil {
			return unasked
		}
		d.allowed[s] = validator
	}
	return len(validator.ValidateValue(v)) == 0
}

// alone writes a schema of a document as a document of its own, with what it refers to.
func (d *document) alone(s *ordered.Value) json.RawMessage {
	if s.Kind != ordered.Object {
		return s.JSON()
	}
	out := ordered.NewObject()
	for _, m := range s.Members {
		out.Set(m.Key, m.Value)
	}
	defs := ordered.NewObject()
	var add func(*ordered.Value)
	add = func(v *ordered.Value) {
		if name := schema.RefName(v); name != "" && d.Defs[name] != nil && !defs.Has(name) {
			defs.Set(name, d.Defs[name])
			add(d.Defs[name])
		}
		for _, m := range v.Members {
			add(m.Value)
		}
		for _, item := range v.Items {
			add(item)
		}
	}
	add(s)
	if len(defs.Members) > 0 {
		out.Set("$defs", defs)
	}
	return out.JSON()
}

// all proves what every part of b demands.
func (p *prover) all(f facts, b *ordered.Value, path []string) (found []finding) {
	for _, s := range p.b.All([]*ordered.Value{b}) {
		if isFalse(s) {
			return p.say(path, "false", "may not be given any more", "can be given now, and could not before")
		}
		for _, m := range asserted(s) {
			found = append(found, p.keyword(f, s, m.Key, m.Value, path)...)
		}
	}
	return distinct(found)
}

func (p *prover) keyword(f facts, s *ordered.Value, keyword string, v *ordered.Value, path []string) []finding {
	t := f.types()
	cannot := func() []finding {
		text := fmt.Sprintf("has another %s, which cannot be compared", keyword)
		return p.say(path, keyword, text, text)
	}
	switch keyword {
	case "$ref", "allOf", "then", "else", "minContains", "maxContains": // followed, or with the keyword that they belong to
		return nil
	case "type":
		return p.types(t, v, path)
	case "enum", "const":
		what := short(v)
		if keyword == "enum" {
			what = these(v.Items)
		}
		return p.say(path, keyword, "has to be "+what+" now", "was only ever "+what+", and can be more now", p.strange(v)...)
	case "minimum", "exclusiveMinimum":
		return p.bound(f, s, 1, path)
	case "maximum", "exclusiveMaximum":
		return p.bound(f, s, -1, path)
	case "multipleOf":
		return p.multiple(f, v, path)
	case "minLength", "maxLength":
		return p.count(f, isString, keyword, v, "characters", path)
	case "minItems", "maxItems":
		return p.count(f, isArray, keyword, v, "items", path)
	case "minProperties", "maxProperties":
		return p.count(f, isObject, keyword, v, "keys", path)
	case "pattern":
		if t&isString == 0 || f.has(keyword, v) {
			return nil
		}
		return p.say(path, keyword, "has to match the pattern "+short(v)+" now", "does not have to match the pattern "+short(v)+" any more")
	case "format":
		if t&isString == 0 || f.has(keyword, v) {
			return nil
		}
		return p.say(path, keyword, "has to be of the format "+short(v)+" now", "does not have to be of the format "+short(v)+" any more")
	case "uniqueItems":
		if most := f.count("maxItems", -1); !v.True || t&isArray == 0 || f.has(keyword, v) || most != nil && most.Cmp(big.NewRat(1, 1)) <= 0 {
			return nil
		}
		return p.say(path, keyword, "may not have the same item twice any more", "can have the same item twice now")
	case "required":
		return p.required(f, v, path)
	case "properties":
		return p.properties(f, v, path)
	case "patternProperties":
		return p.patternProperties(f, v, path)
	case "additionalProperties":
		return p.additional(f, s, v, path)
	case "propertyNames":
		return p.propertyNames(f, v, path)
	case "prefixItems", "items":
		return p.items(f, s, keyword, path)
	case "contains":
		if t&isArray == 0 || slices.ContainsFunc(f.list, func(x *ordered.Value) bool {
			return p.equal(x.Get("contains"), v) && number(x.Get("minContains")).Equal(number(s.Get("minContains"))) && number(x.Get("maxContains")).Equal(number(s.Get("maxContains")))
		}) {
			return nil
		}
		return cannot()
	case "anyOf":
		return p.anyOf(f, v, path)
	case "oneOf":
		return p.oneOf(f, v, path)
	case "not":
		if slices.ContainsFunc(f.list, func(x *ordered.Value) bool { return p.equal(x.Get("not"), v) }) || p.apart(f, v, 8) {
			return nil
		}
		return cannot()
	case "if":
		return p.conditional(f, s, path)
	case "dependentRequired":
		return p.dependentRequired(f, v, path)
	case "dependentSchemas":
		return p.dependentSchemas(f, v, path)
	case "unevaluatedProperties", "unevaluatedItems":
		if v.Is(ordered.Bool) && v.True || keyword == "unevaluatedItems" && t&isArray == 0 || keyword == "unevaluatedProperties" && t&isObject == 0 {
			return nil
		}
		return cannot()
	}
	return cannot()
}

// number is a keyword's number, -1 if it is not there.
func number(v *ordered.Value) *ordered.Value {
	if v == nil {
		return ordered.NewInt(-1)
	}
	return v
}

// equal reports whether a schema of a is written as one of b.
func (p *prover) equal(x, y *ordered.Value) bool {
	return x != nil && y != nil && (&same{p.a.Document, p.b.Document, map[pair]bool{}}).schema(x, y)
}

// strange are values that an enum or a const does not have.
func (p *prover) strange(v *ordered.Value) (out []*ordered.Value) {
	for _, x := range usual {
		if !v.Equal(x) && !slices.ContainsFunc(v.Items, x.Equal) {
			out = append(out, x)
		}
	}
	return out
}

func (p *prover) types(t types, v *ordered.Value, path []string) []finding {
	want := typesOf(v)
	more := t &^ want
	if more == 0 {
		return nil
	}
	var candidates []*ordered.Value
	for _, x := range usual {
		if typeOf(x)&more != 0 {
			candidates = append(candidates, x)
		}
	}
	if t == isAny {
		return p.say(path, "type", fmt.Sprintf("has to be %s now, and could be anything", want.article()), fmt.Sprintf("was %s, and can be anything now", want.article()), candidates...)
	}
	return p.say(path, "type", fmt.Sprintf("has to be %s now, and could be %s", want.article(), more.article()), fmt.Sprintf("was %s, and can be %s now", want.article(), more.article()), candidates...)
}
