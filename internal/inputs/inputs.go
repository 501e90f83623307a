// Package inputs reads the inputs of a run as people and programs write them: a JSON object in a file, key=value pairs on a
// command line, or both.
//
// The reader is strict where leniency would change what was meant: a key that occurs twice, a number that no program could
// hold, text that is not Unicode and anything after the object are errors with a line and a column. It is lenient where nothing
// can be lost: a byte order mark and white space are skipped. Numbers are never converted, so that every digit survives, and
// keys keep their order.
package inputs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deeply inputs may be nested: above what people write, below what a parser can take.
const MaxDepth = 500

// Object is a JSON object: keys in order, values as they were written.
type Object struct {
	members []member
}

type member struct {
	key   string
	value json.RawMessage
}

// Error is what is wrong with a JSON text, and where.
type Error struct {
	Line, Column int // from 1; columns count characters
	Reason       string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Parse reads one JSON object. Its errors are of type [*Error].
func Parse(text []byte) (*Object, error) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	end, err := check(text)
	if err != nil {
		return nil, err
	}
	start := skipSpace(text, 0)
	if text[start] != '{' {
		return nil, at(text, start, "this is "+kind(text[start])+", and the inputs are an object: {\"name\": value, ...}")
	}
	o := &Object{}
	dec := json.NewDecoder(bytes.NewReader(text[:end]))
	if _, err := dec.Token(); err != nil {
		return nil, at(text, start, err.Error())
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, at(text, int(dec.InputOffset()), err.Error())
		}
		m := member{key: key.(string)} // check has seen that it is one
		if err := dec.Decode(&m.value); err != nil {
			return nil, at(text, int(dec.InputOffset()), err.Error())
		}
		o.members = append(o.members, m)
	}
	return o, nil
}

// ErrForm is in the error of [Pair] for what is no pair at all.
var ErrForm = errors.New("not of the form name=value")

// Pair reads key=value. A value that is JSON is that JSON, as in n=3, ids=[1,2] or name="3"; anything else is text, as in
// name=Ada. A value that is JSON but would be refused in a file is an error, and not text.
func Pair(s string) (key string, value json.RawMessage, err error) {
	key, text, ok := strings.Cut(s, "=")
	if !ok || key == "" {
		return "", nil, fmt.Errorf("%q is %w", s, ErrForm)
	}
	if !utf8.ValidString(s) {
		return "", nil, fmt.Errorf("%q is not UTF-8", s)
	}
	if !json.Valid([]byte(text)) {
		return key, quote(text), nil
	}
	if _, err := check([]byte(text)); err != nil {
		e := (*Error)(nil)
		if errors.As(err, &e) {
			return "", nil, fmt.Errorf("the value of %s: %s", key, e.Reason)
		}
		return "", nil, err
	}
	return key, json.RawMessage(strings.TrimSpace(text)), nil
}

// Set puts a value under key: in place of the one that is there, else at the end.
func (o *Object) Set(key string, value json.RawMessage) {
	for i := range o.members {
		if o.members[i].key == key {
			o.members[i].value = value
			return
		}
	}
	o.members = append(o.members, member{key, value})
}

// Has reports whether there is such a key.
func (o *Object) Has(key string) bool {
	for _, m := range o.members {
		if m.key == key {
			return true
		}
	}
	return false
}

// JSON returns the object as compact JSON.
func (o *Object) JSON() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(m.key))
		b.WriteByte(':')
		if err := json.Compact(&b, m.value); err != nil {
			panic("inputs: a value that was checked is not JSON: " + err.Error())
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// quote writes a JSON string, and leaves <, > and & as they are.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("inputs: a string cannot be written as JSON: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// check reads one JSON value and returns where it ends.
func check(text []byte) (end int, err error) {
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && n == 1 {
			return 0, at(text, i, "this is not UTF-8")
		}
		i += n
	}
	if skipSpace(text, 0) == len(text) {
		return 0, at(text, len(text), "there is nothing here")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var open []*container
	for {
		before := tokenStart(text, int(dec.InputOffset()))
		token, err := dec.Token()
		if err != nil {
			return 0, syntaxError(text, err, before)
		}
		var in *container // what the token stands in
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '}' || t == ']' {
				open = open[:len(open)-1]
				break
			}
			if len(open) == MaxDepth {
				return 0, at(text, before, fmt.Sprintf("nested more than %d deep", MaxDepth))
			}
			in.value()
			open = append(open, newContainer(t == '{'))
		case string:
			if reason := checkString(text[before:dec.InputOffset()]); reason != "" {
				return 0, at(text, before, reason)
			}
			if !in.awaitsKey() {
				in.value()
			} else if !in.key(t) {
				return 0, at(text, before, "the key "+string(quote(t))+" occurs twice in one object")
			}
		case json.Number:
			if reason := checkNumber(t.String()); reason != "" {
				return 0, at(text, before, reason)
			}
			in.value()
		default: // true, false, null
			in.value()
		}
		if len(open) == 0 {
			end := int(dec.InputOffset())
			if rest := skipSpace(text, end); rest < len(text) {
				return 0, at(text, rest, "there is more after the end of the value")
			}
			return end, nil
		}
	}
}

// container is an object or an array that is being read; nil stands for the text itself.
type container struct {
	keys map[string]bool // nil: an array
	next bool            // the next token is a key
}

func newContainer(object bool) *container {
	if !object {
		return &container{}
	}
	return &container{keys: map[string]bool{}, next: true}
}

func (c *container) awaitsKey() bool { return c != nil && c.keys != nil && c.next }

// key notes a key. It is false for one that has been there.
func (c *container) key(k string) bool {
	c.next = false
	if c.keys[k] {
		return false
	}
	c.keys[k] = true
	return true
}

// value notes that a value has begun.
func (c *container) value() {
	if c != nil {
		c.next = true
	}
}

// tokenStart skips what may stand between two tokens.
func tokenStart(text []byte, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n,:", text[i]) >= 0 {
		i++
	}
	return i
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

func syntaxError(text []byte, err error, before int) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return at(text, len(text), "the text ends before the value does")
	}
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text[before:], []byte(word)) {
			return at(text, before, word+" is not JSON: write null, or a string")
		}
	}
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		return at(text, before, s.Error())
	}
	return at(text, before, err.Error())
}

// checkString looks for what Go's reader would replace in silence: half of a surrogate pair.
func checkString(raw []byte) string {
	for i := 1; i < len(raw)-1; i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		c := unhex(raw[i+1 : i+5])
		i += 4
		switch {
		case c >= 0xD800 && c < 0xDC00 && i+6 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u':
			if low := unhex(raw[i+3 : i+7]); low >= 0xDC00 && low < 0xE000 {
				i += 6
				continue
			}
			fallthrough
		case c >= 0xD800 && c < 0xE000:
			return fmt.Sprintf("\\u%04x is half of a surrogate pair, which is not a character", c)
		}
	}
	return ""
}

func unhex(b []byte) uint64 {
	n, _ := strconv.ParseUint(string(b), 16, 32) // the decoder has seen that it is one
	return n
}

// MaxDigits is how many digits an integer may have: Python reads and writes no longer ones.
const MaxDigits = 4300

// checkNumber refuses what Python would turn into infinity, or not read at all.
func checkNumber(s string) string {
	if strings.ContainsAny(s, ".eE") {
		if _, err := strconv.ParseFloat(s, 64); errors.Is(err, strconv.ErrRange) {
			return "the number " + short(s) + " is too large for a float"
		}
	} else if len(strings.TrimPrefix(s, "-")) > MaxDigits {
		return fmt.Sprintf("the integer %s has more than %d digits", short(s), MaxDigits)
	}
	return ""
}

func short(s string) string {
	if len(s) > 40 {
		return s[:37] + "..."
	}
	return s
}

func kind(c byte) string {
	switch c {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

func at(text []byte, offset int, reason string) *Error {
	offset = min(offset, len(text))
	head := text[:offset]
	line := bytes.Count(head, []byte("\n"))
	last := head[bytes.LastIndexByte(head, '\n')+1:]
	return &Error{Line: line + 1, Column: utf8.RuneCount(last) + 1, Reason: reason}
}
