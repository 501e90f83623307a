// Package ordered reads JSON without losing anything that a schema's reader may need: the order of an object's keys, and the
// digits of a number.
package ordered

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deeply a value may be nested. The values that tools send stay below 50; recursive readers need an end.
const MaxDepth = 1000

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind's name in JSON Schema.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is a JSON value. It is not changed after it was made.
type Value struct {
	Kind    Kind
	True    bool     // the value of a Bool
	Text    string   // the value of a String, the digits of a Number
	Items   []*Value // of an Array
	Members []Member // of an Object, each key once
	index   map[string]int
}

// Member is one key of an object with its value.
type Member struct {
	Key   string
	Value *Value
}

// Parse reads one JSON value. Of a key that comes twice, the last value counts, at the place of the first.
func Parse(raw []byte) (*Value, error) {
	if !json.Valid(raw) {
		return nil, invalid(raw)
	}
	p := parser{text: raw}
	return p.value(0)
}

// invalid says what is wrong with a text that is no JSON value.
func invalid(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	var v json.RawMessage
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return errors.New("there is something after the value")
}

// parser reads a text that is known to be JSON.
type parser struct {
	text []byte
	at   int
}

// next skips what stands between values, and returns the byte that comes then.
func (p *parser) next() byte {
	for {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			p.at++
		default:
			return c
		}
	}
}

func (p *parser) value(depth int) (*Value, error) {
	switch c := p.next(); c {
	case 'n':
		p.at += len("null")
		return &Value{}, nil
	case 't':
		p.at += len("true")
		return NewBool(true), nil
	case 'f':
		p.at += len("false")
		return NewBool(false), nil
	case '"':
		s, err := p.string()
		return NewString(s), err
	case '{', '[':
		if depth >= MaxDepth {
			return nil, fmt.Errorf("nested more than %d deep", MaxDepth)
		}
		p.at++
		if c == '[' {
			return p.array(depth)
		}
		return p.object(depth)
	}
	from := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.at]) >= 0 {
		p.at++
	}
	return &Value{Kind: Number, Text: string(p.text[from:p.at])}, nil
}

func (p *parser) array(depth int) (*Value, error) {
	v := &Value{Kind: Array, Items: []*Value{}}
	for p.next() != ']' {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	p.at++
	return v, nil
}

func (p *parser) object(depth int) (*Value, error) {
	v := NewObject()
	for p.next() != '}' {
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.Set(key, item)
	}
	p.at++
	return v, nil
}

// string reads a string. What is not plain ASCII is left to encoding/json.
func (p *parser) string() (string, error) {
	from := p.at
	plain := true
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if c := p.text[p.at]; c == '\\' {
			plain = false
			p.at++
		} else if c >= utf8.RuneSelf {
			plain = false
		}
	}
	p.at++
	if plain {
		return string(p.text[from+1 : p.at-1]), nil
	}
	var s string
	err := json.Unmarshal(p.text[from:p.at], &s)
	return s, err
}

// NewBool makes a boolean.
func NewBool(b bool) *Value { return &Value{Kind: Bool, True: b} }

// NewString makes a string.
func NewString(s string) *Value { return &Value{Kind: String, Text: s} }

// NewInt makes a number.
func NewInt(n int) *Value { return &Value{Kind: Number, Text: strconv.Itoa(n)} }

// NewArray makes an array.
func NewArray(items ...*Value) *Value { return &Value{Kind: Array, Items: items} }

// NewObject makes an empty object, to be filled with [Value.Set].
func NewObject() *Value { return &Value{Kind: Object} }

// Set puts a member into an object that is being made.
func (v *Value) Set(key string, value *Value) {
	if i := v.find(key); i >= 0 {
		v.Members[i].Value = value
		return
	}
	v.Members = append(v.Members, Member{key, value})
	if v.index != nil {
		v.index[key] = len(v.Members) - 1
	} else if len(v.Members) > 8 {
		v.index = make(map[string]int, 2*len(v.Members))
		for i, m := range v.Members {
			v.index[m.Key] = i
		}
	}
}

func (v *Value) find(key string) int {
	if v == nil {
		return -1
	}
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range v.Members {
		if v.Members[i].Key == key {
			return i
		}
	}
	return -1
}

// Get returns the value under a key; nil if v is no object or has no such key.
func (v *Value) Get(key string) *Value {
	if i := v.find(key); i >= 0 {
		return v.Members[i].Value
	}
	return nil
}

// Index returns the place of a key among an object's members, or -1.
func (v *Value) Index(key string) int { return v.find(key) }

// Has reports whether an object has a key.
func (v *Value) Has(key string) bool { return v.find(key) >= 0 }

// Is reports whether v is there and of a kind.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// Str returns the text of a string; else "".
func (v *Value) Str() string {
	if v.Is(String) {
		return v.Text
	}
	return ""
}

// Texts returns the items of a list as texts, as Str has them; nothing for what is no list.
func (v *Value) Texts() []string {
	var out []string
	if v.Is(Array) {
		for _, item := range v.Items {
			out = append(out, item.Str())
		}
	}
	return out
}

// JSON writes v, in its order and with its digits.
func (v *Value) JSON() json.RawMessage { return v.append(nil, false) }

// Canonical writes v so that equal values give equal text: keys in order, no space, and one spelling for a number, whose
// value is never rounded.
func (v *Value) Canonical() json.RawMessage { return v.append(nil, true) }

// Equal compares values as JSON does: order of keys and spelling of numbers do not count.
func (v *Value) Equal(w *Value) bool { return bytes.Equal(v.Canonical(), w.Canonical()) }

func (v *Value) append(b []byte, canonical bool) []byte {
	if v == nil {
		return append(b, "null"...)
	}
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(b, v.True)
	case Number:
		if canonical {
			return append(b, CanonicalNumber(v.Text)...)
		}
		return append(b, v.Text...)
	case String:
		return AppendString(b, v.Text)
	case Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b, canonical)
		}
		return append(b, ']')
	case Object:
		members := v.Members
		if canonical {
			members = slices.Clone(members)
			slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
		}
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, m.Key), ':')
			b = m.Value.append(b, canonical)
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// AppendString writes a string as JSON, without the escapes for HTML.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < 0x20 || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// Any returns v as the types of encoding/json, numbers as json.Number.
func (v *Value) Any() any {
	switch v.Kind {
	case Bool:
		return v.True
	case Number:
		return json.Number(v.Text)
	case String:
		return v.Text
	case Array:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.Any()
		}
		return items
	case Object:
		m := make(map[string]any, len(v.Members))
		for _, member := range v.Members {
			m[member.Key] = member.Value.Any()
		}
		return m
	default:
		return nil
	}
}

// Entries returns an object's members; none if v is no object or nil.
func (v *Value) Entries() []Member {
	if v == nil {
		return nil
	}
	return v.Members
}
