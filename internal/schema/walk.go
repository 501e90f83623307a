package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonschema"

	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/internal/words"
)

// walker turns the library's result, a tree that says of each schema whether it held, into what is wrong with which field.
type walker struct {
	doc *Document
}

// wrappers are the errors of keywords whose details say more than they do.
var wrappers = map[string]bool{
	"properties": true, "items": true, "prefixItems": true, "allOf": true, "$ref": true, "$dynamicRef": true, "then": true, "else": true,
	"dependentSchemas": true, "anyOf": true, "oneOf": true, "additionalProperties": true, "patternProperties": true, "unevaluatedProperties": true,
	"unevaluatedItems": true, "propertyNames": true,
}

func (w *walker) collect(r *jsonschema.EvaluationResult, path []string, value *ordered.Value) []FieldError {
	var errs []FieldError
	var branches []*jsonschema.EvaluationResult
	for _, d := range r.Details {
		keyword, _, _ := strings.Cut(strings.TrimPrefix(d.EvaluationPath, "/"), "/")
		switch keyword {
		case "not", "if", "contains":
			continue
		case "anyOf", "oneOf":
			if e := r.Errors[keyword]; e != nil && e.Code != "one_of_multiple_matches" && !d.IsValid() {
				branches = append(branches, d)
			}
			continue
		}
		if d.IsValid() {
			continue
		}
		key, below := strings.CutPrefix(d.InstanceLocation, "/")
		switch {
		case keyword == "propertyNames":
			errs = append(errs, w.own(d, append(slices.Clone(path), key), ordered.NewString(key), "as a key ")...)
		case keyword == "dependentSchemas" || !below:
			errs = append(errs, w.collect(d, path, value)...)
		default:
			child := childOf(value, key)
			if child == nil { // the library tries null where a required key is missing
				continue
			}
			at := append(slices.Clone(path), key)
			if d.Errors["schema"] != nil {
				errs = append(errs, w.forbidden(at, keyword, path))
				continue
			}
			errs = append(errs, w.collect(d, at, child)...)
		}
	}
	if len(branches) > 0 {
		errs = append(errs, w.branches(branches, path, value)...)
	}
	return append(errs, w.own(r, path, value, "")...)
}

func childOf(v *ordered.Value, key string) *ordered.Value {
	if v.Is(ordered.Array) {
		i, err := strconv.Atoi(key)
		if err != nil || i >= len(v.Items) {
			return nil
		}
		return v.Items[i]
	}
	return v.Get(key)
}

// forbidden is the error of a key or an item that may not be there.
func (w *walker) forbidden(at []string, keyword string, parent []string) FieldError {
	name := at[len(at)-1]
	if keyword == "items" || keyword == "prefixItems" || keyword == "unevaluatedItems" {
		return fieldError(at, keyword, "is one item too many")
	}
	if keyword == "properties" {
		return fieldError(at, keyword, "may not be given")
	}
	keys := w.keys(parent)
	if len(keys) == 0 {
		return fieldError(at, "additionalProperties", "is not known: there are no keys here")
	}
	hint := ""
	if near := Nearest(name, keys); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	const most = 40
	shown := strings.Join(keys, ", ")
	if len(keys) > most {
		shown = strings.Join(keys[:most], ", ") + fmt.Sprintf(" and %d more", len(keys)-most)
	}
	return fieldError(at, "additionalProperties", "is not known%s; the keys here are: %s", hint, shown)
}

// keys lists the properties that schemas declare for the object at path.
func (w *walker) keys(path []string) []string {
	here := w.alternatives([]*ordered.Value{w.doc.Root})
	for _, key := range path {
		var next []*ordered.Value
		for _, s := range here {
			if p := s.Get("properties").Get(key); p != nil {
				next = append(next, p)
			} else if p := s.Get("additionalProperties"); p != nil {
				next = append(next, p)
			}
			if i, err := strconv.Atoi(key); err == nil {
				if prefix := s.Get("prefixItems"); prefix != nil && i < len(prefix.Items) {
					next = append(next, prefix.Items[i])
				} else if items := s.Get("items"); items != nil {
					next = append(next, items)
				}
			}
		}
		here = w.alternatives(next)
	}
	var keys []string
	for _, s := range here {
		for _, m := range s.Get("properties").Entries() {
			if !slices.Contains(keys, m.Key) {
				keys = append(keys, m.Key)
			}
		}
	}
	return keys
}

// alternatives adds the schemas of which any may hold.
func (w *walker) alternatives(list []*ordered.Value) []*ordered.Value {
	list = w.doc.All(list)
	for i := 0; i < len(list); i++ {
		for _, keyword := range []string{"anyOf", "oneOf", "then", "else"} {
			branches := list[i].Get(keyword)
			if branches == nil {
				continue
			}
			more := branches.Items
			if branches.Kind == ordered.Object {
				more = []*ordered.Value{branches}
			}
			for _, s := range w.doc.All(more) {
				if !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// branches picks what to say of a value that no alternative allows: what is wrong by the one that was meant.
func (w *walker) branches(list []*jsonschema.EvaluationResult, path []string, value *ordered.Value) []FieldError {
	type branch struct {
		errs []FieldError
		far  int // how far off it is
	}
	var found []branch
	var types []string
	onlyTypes := true
	for _, r := range list {
		b := branch{errs: w.collect(r, path, value)}
		for _, e := range b.errs {
			b.far++
			switch {
			case len(e.Path) == len(path) && e.Code == "type":
				b.far += 1000
				for _, t := range strings.Split(e.expected(), " or ") {
					if !slices.Contains(types, t) {
						types = append(types, t)
					}
				}
			case e.Code == "const" || e.Code == "enum":
				b.far += 100 // the branch's mark is another
			}
		}
		onlyTypes = onlyTypes && b.far >= 1000
		found = append(found, b)
	}
	if onlyTypes {
		return []FieldError{fieldError(path, "type", "has to be %s, and is %s", strings.Join(types, " or "), kindOf(value))}
	}
	slices.SortStableFunc(found, func(a, b branch) int { return cmp.Compare(a.far, b.far) })
	if len(found) == 1 || found[0].far < 100 && found[1].far >= 100 || found[0].far < found[1].far && found[1].far < 100 {
		return found[0].errs
	}
	if found[0].far < 1000 && found[1].far >= 1000 {
		return found[0].errs
	}
	var said []string
	for _, b := range found {
		if len(b.errs) == 0 {
			continue
		}
		var text []string
		for _, e := range b.errs[:min(2, len(b.errs))] {
			rel := strings.Join(e.Path[min(len(path), len(e.Path)):], ".")
			text = append(text, strings.TrimSpace(rel+" "+e.Message))
		}
		if s := strings.Join(text, ", "); !slices.Contains(said, s) && len(said) < 4 {
			said = append(said, s)
		}
	}
	return []FieldError{fieldError(path, "anyOf", "fits none of the %d forms that are allowed: %s", len(list), strings.Join(said, "; or "))}
}

func (e FieldError) expected() string {
	_, rest, _ := strings.Cut(e.Message, "has to be ")
	text, _, _ := strings.Cut(rest, ", and is ")
	return text
}

// own says what is wrong by the keywords of one schema.
func (w *walker) own(r *jsonschema.EvaluationResult, path []string, value *ordered.Value, as string) []FieldError {
	var errs []FieldError
	add := func(code, format string, args ...any) {
		errs = append(errs, fieldError(path, code, "%s%s", as, fmt.Sprintf(format, args...)))
	}
	for keyword, e := range r.Errors {
		p := func(name string) string { return fmt.Sprint(e.Params[name]) }
		switch keyword {
		case "type":
			add(keyword, "has to be %s, and is %s", strings.ReplaceAll(articles(p("expected")), ", ", " or "), kindOf(value))
		case "required":
			for _, key := range quoted(p, "property", "properties") {
				errs = append(errs, fieldError(append(slices.Clone(path), key), keyword, "is missing"))
			}
		case "dependentRequired":
			add(keyword, "lacks keys that others of its keys need: %s", p("missing_properties"))
		case "enum":
			add(keyword, "is %s, and has to be one of: %s", short(value), words.Cut(w.choices(p("expected")), 1000))
		case "const":
			add(keyword, "is %s, and not the one value that is allowed", short(value))
		case "format":
			add(keyword, "is %s, which is not of the format %s", short(value), p("format"))
		case "pattern":
			add(keyword, "is %s, which does not match the pattern %s", short(value), p("pattern"))
		case "minimum":
			add(keyword, "is %s, and has to be at least %s", short(value), p("minimum"))
		case "maximum":
			add(keyword, "is %s, and has to be at most %s", short(value), p("maximum"))
		case "exclusiveMinimum":
			add(keyword, "is %s, and has to be above %s", short(value), p("exclusive_minimum"))
		case "exclusiveMaximum":
			add(keyword, "is %s, and has to be below %s", short(value), p("exclusive_maximum"))
		case "multipleOf":
			add(keyword, "is %s, and has to be a multiple of %s", short(value), p("divisor"))
		case "oneOf":
			if e.Code == "one_of_multiple_matches" {
				add(keyword, "fits more than one of the forms of which it has to fit one")
			}
		case "not":
			add(keyword, "is what the schema excludes")
		case "schema":
			add(keyword, "may not be given")
		case "unevaluatedItems":
			if e.Code == "unevaluated_items_not_allowed" {
				add(keyword, "has items that are not allowed, at %s", p("indexes"))
			}
		default:
			if !wrappers[keyword] {
				add(keyword, "%s", lower(e.Error()))
			}
		}
	}
	return errs
}

// choices writes the values of an enum as JSON. The library has them as Go prints them, by which the enum is found in the document.
func (w *walker) choices(printed string) string {
	var find func(v *ordered.Value) string
	find = func(v *ordered.Value) string {
		if enum := v.Get("enum"); enum.Is(ordered.Array) {
			var was, is []string
			for _, item := range enum.Items {
				was, is = append(was, fmt.Sprint(item.Any())), append(is, string(item.JSON()))
			}
			if strings.Join(was, ", ") == printed {
				return strings.Join(is, ", ")
			}
		}
		for _, m := range v.Members {
			if text := find(m.Value); text != "" {
				return text
			}
		}
		for _, item := range v.Items {
			if text := find(item); text != "" {
				return text
			}
		}
		return ""
	}
	if text := find(w.doc.Root); text != "" {
		return text
	}
	for _, name := range w.doc.Names {
		if text := find(w.doc.Defs[name]); text != "" {
			return text
		}
	}
	return printed
}

func articles(types string) string {
	var out []string
	for _, t := range strings.Split(types, ", ") {
		switch t {
		case "array", "object", "integer":
			t = "an " + t
		case "null":
		default:
			t = "a " + t
		}
		out = append(out, t)
	}
	return strings.Join(out, ", ")
}

func quoted(p func(string) string, one, many string) []string {
	text := p(one)
	if text == "<nil>" {
		text = p(many)
	}
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "'"), "'"), "', '")
}

// lower makes the library's sentence a part of one.
func lower(text string) string {
	text = strings.Replace(text, "Value should", "has to", 1)
	if text != "" && text[0] >= 'A' && text[0] <= 'Z' {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

func short(v *ordered.Value) string { return words.Cut(string(v.JSON()), 80) }

// tidy puts errors into the order of the value's fields and drops those that say the same.
func tidy(errs []FieldError, value *ordered.Value) []FieldError {
	type placed struct {
		FieldError
		at []int
	}
	list := make([]placed, len(errs))
	for i, e := range errs {
		list[i] = placed{e, position(value, e.Path)}
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		if c := slices.Compare(a.at, b.at); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	for i := range list {
		errs[i] = list[i].FieldError
	}
	return slices.CompactFunc(errs, func(a, b FieldError) bool { return a.Field == b.Field && a.Code == b.Code && a.Message == b.Message })
}

// position says where in the text of a value a path leads; what is not there comes last.
func position(v *ordered.Value, path []string) []int {
	var out []int
	for _, key := range path {
		n := 1 << 30
		if v.Is(ordered.Array) {
			if i, err := strconv.Atoi(key); err == nil {
				n = i
			}
		} else if v.Is(ordered.Object) {
			if n = v.Index(key); n < 0 {
				n = 1 << 30
			}
		}
		out = append(out, n)
		if v = childOf(v, key); v == nil {
			break
		}
	}
	return out
}

// Nearest returns the name that a misspelled one was most likely meant to be, or "".
func Nearest(name string, names []string) string {
	best, bestAt := "", 1+len([]rune(name))/3
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d <= bestAt && (best == "" || d < bestAt) {
			best, bestAt = n, d
		}
	}
	return best
}

func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, before+cost)
		}
	}
	return row[len(y)]
}
