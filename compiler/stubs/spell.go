package stubs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/internal/words"
)

// stem returns the keyword that a key is with underscores behind it, or the empty key, which a class cannot have either.
func stem(key string) (word string, ok bool) {
	word = strings.TrimRight(key, "_")
	return word, word == "" || catalog.IsKeyword(word)
}

// nameFields gives the keys of objects their Python names. The keywords that are keys somewhere in this schema move, and what looks like
// them with underscores moves along; so the map is one to one for keys that nobody declared, too.
func (b *builder) nameFields() {
	moving := map[string]bool{}
	for _, n := range b.nodes {
		for _, f := range n.fields {
			if word, ok := stem(f.wire); ok && word == f.wire && !b.raw {
				moving[word] = true
			}
		}
	}
	for _, n := range b.nodes {
		for _, f := range n.fields {
			f.python = f.wire
			if word, ok := stem(f.wire); ok && moving[word] {
				f.python += "_"
			}
		}
		if b.raw && n.field("") != nil {
			n.fields = slices.DeleteFunc(n.fields, func(f *field) bool { return f.wire == "" })
			b.report(n.all, "unspellable-key", "a type cannot have the empty key; the data may")
		}
	}
}

// plainField reports whether a key can be a field of a class.
func plainField(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && !catalog.IsKeyword(name) && !strings.HasPrefix(name, "__") // those are mangled in a class
}

// camel makes a class name of words.
func camel(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		up := true
		for _, r := range part {
			switch {
			case r == '_' || !unicode.IsLetter(r) && !unicode.IsDigit(r):
				up = true
				continue
			case r > unicode.MaxASCII && !catalog.IsIdentifier("x"+string(r)):
				continue
			}
			if up {
				r = unicode.ToUpper(r)
				up = false
			}
			b.WriteRune(r)
		}
	}
	name := b.String()
	if name == "" || !catalog.IsIdentifier(name) || catalog.IsKeyword(name) { // None is a good name of a connector
		name = "T" + name
	}
	if !catalog.IsIdentifier(name) {
		name = "T"
	}
	return name
}

// quote writes a text as a Python literal, in ASCII where a character could be mistaken for another or not be seen.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	escape(&b, s, true)
	b.WriteByte('"')
	return b.String()
}

func escape(b *strings.Builder, s string, quotes bool) {
	for _, r := range s {
		switch {
		case r == '\\' || r == '"' && quotes:
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n' && quotes:
			b.WriteString(`\n`)
		case r == '\t' && quotes:
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteByte('\n')
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
	}
}

// docText makes a text safe inside of three quotes.
func docText(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.ReplaceAll(s, "\t", "    ")
	var b strings.Builder
	escape(&b, s, false)
	return strings.ReplaceAll(b.String(), `"""`, `\"\"\"`)
}

// oneLine makes a text safe in a comment.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }), " ")
	var b strings.Builder
	for _, r := range s {
		if r == ' ' || unicode.IsPrint(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// python writes a JSON value as Python.
func python(v *ordered.Value) string {
	switch v.Kind {
	case ordered.Bool:
		if v.True {
			return "True"
		}
		return "False"
	case ordered.Number:
		return v.Text
	case ordered.String:
		return quote(v.Text)
	case ordered.Array:
		parts := make([]string, len(v.Items))
		for i, item := range v.Items {
			parts[i] = python(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ordered.Object:
		parts := make([]string, len(v.Members))
		for i, m := range v.Members {
			parts[i] = quote(m.Key) + ": " + python(m.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return "None"
	}
}

// facts says in words what of a schema types cannot say.
func facts(all []*ordered.Value) []string {
	var out []string
	get := func(key string) *ordered.Value {
		for _, s := range all {
			if v := s.Get(key); v != nil {
				return v
			}
		}
		return nil
	}
	if v := get("default"); v != nil {
		out = append(out, "default "+words.Cut(oneLine(python(v)), 120))
	}
	for _, s := range all {
		if values := append(slices.Clone(enumOf(s)), constOf(s)...); slices.ContainsFunc(values, func(v *ordered.Value) bool { return bitOf(v) == bFraction }) {
			var texts []string
			for _, v := range values {
				texts = append(texts, python(v))
			}
			out = append(out, "one of "+words.Cut(oneLine(strings.Join(texts, ", ")), 120))
			break
		}
	}
	if v := get("format"); v != nil {
		out = append(out, "format "+oneLine(v.Text))
	}
	span := func(what, low, high, unit string) {
		lo, hi := get(low), get(high)
		switch {
		case lo != nil && hi != nil && lo.Equal(hi):
			out = append(out, what+lo.Text+unit)
		case lo != nil && hi != nil:
			out = append(out, what+lo.Text+" to "+hi.Text+unit)
		case lo != nil && lo.Text != "0":
			out = append(out, what+"at least "+lo.Text+unit)
		case lo != nil && low == "minimum":
			out = append(out, what+"at least 0")
		case hi != nil:
			out = append(out, what+"at most "+hi.Text+unit)
		}
	}
	span("", "minimum", "maximum", "")
	if v := get("exclusiveMinimum"); v != nil {
		out = append(out, "above "+v.Text)
	}
	if v := get("exclusiveMaximum"); v != nil {
		out = append(out, "below "+v.Text)
	}
	if v := get("multipleOf"); v != nil {
		out = append(out, "a multiple of "+v.Text)
	}
	span("", "minLength", "maxLength", " characters")
	span("", "minItems", "maxItems", " items")
	if v := get("uniqueItems"); v != nil && v.True {
		out = append(out, "no item twice")
	}
	if v := get("pattern"); v != nil && len(v.Text) <= 100 {
		out = append(out, "matches "+oneLine(v.Text))
	}
	if v := get("deprecated"); v != nil && v.True {
		out = append(out, "deprecated")
	}
	return out
}
