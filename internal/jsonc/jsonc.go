// Package jsonc reads the JSON of configuration files: with comments and trailing commas, as editors allow it.
//
//	doc, err := jsonc.Parse(text)                        // *Error has the line and the column, never a part of the text
//	for _, m := range doc.Get("mcpServers").Members() {
//		name, value := m.Name, m.Value
//	}
//
// Members keep their order and are all there, also where a name occurs twice, so that a caller can say so. A [Node] that is not
// there is the zero Node: it has no members, no elements and no text, so that a path can be followed without checks.
//
// The grammar is that of github.com/tailscale/hujson, which keeps comments and offsets; [Node.Tree] gives access to it for rewriting.
package jsonc

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// MaxDepth is how deeply a file may be nested: far above what people write, far below what the stack holds.
const MaxDepth = 500

// Error is what is wrong with a text, and where.
type Error struct {
	Line, Column int // from 1; columns count characters
	Reason       string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Node is a value in a text.
type Node struct {
	text  []byte
	value *hujson.Value
}

// Member is a name and its value in an object.
type Member struct {
	Name  string
	Value Node
}

// Parse reads a text of UTF-8. A text of white space and comments only is the zero Node, as clients take an empty file for an empty
// configuration. Its errors are of type [*Error]. Parse keeps no reference to text.
func Parse(text []byte) (Node, error) {
	if err := check(text); err != nil {
		return Node{}, err
	}
	// The line feed is for a comment that ends with the file.
	text = append(bytes.Clone(text), '\n')
	v, err := hujson.Parse(text)
	if err != nil {
		if blank(text) {
			return Node{}, nil
		}
		return Node{}, translate(text, err)
	}
	return Node{text, &v}, nil
}

// check finds what hujson does not look for: too deep a nesting, which would end the process.
func check(text []byte) error {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += skipComment(text[i:])
		case '{', '[':
			if depth++; depth > MaxDepth {
				return at(text, i, fmt.Sprintf("nested more than %d deep", MaxDepth))
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}

// skipComment returns the length of the comment that b begins with, less one.
func skipComment(b []byte) int {
	end := -1
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		end = bytes.IndexByte(b, '\n')
	case bytes.HasPrefix(b, []byte("/*")):
		if end = bytes.Index(b[2:], []byte("*/")); end >= 0 {
			end += 3
		}
	default:
		return 0
	}
	if end < 0 {
		return len(b)
	}
	return end
}

func blank(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
		case '/':
			n := skipComment(text[i:])
			if n == 0 || n == len(text)-i && bytes.HasPrefix(text[i:], []byte("/*")) {
				return false
			}
			i += n
		default:
			return false
		}
	}
	return true
}

var place = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (?s:(.*))$`)

// translate makes an Error of hujson's. Its text is not passed on where it quotes the file.
func translate(text []byte, err error) *Error {
	m := place.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{1, 1, "not JSON"}
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	offset := 0
	for i := 1; i < line; i++ {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	offset = min(offset+column-1, len(text))
	reason := m[3]
	switch {
	case strings.HasPrefix(reason, "invalid literal: \""):
		reason = "a string that JSON does not have: a backslash has to be written twice, a line break as \\n"
	case strings.HasPrefix(reason, "invalid literal"):
		reason = "neither a number nor true, false or null"
	case strings.HasSuffix(reason, "unexpected EOF"):
		reason = "the text ends in the middle of a value"
		offset = len(bytes.TrimRight(text, " \t\r\n"))
	case strings.HasPrefix(reason, "invalid character"):
		reason = strings.Replace(reason, "invalid character", "unexpected", 1)
	}
	return at(text, offset, reason)
}

func at(text []byte, offset int, reason string) *Error {
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return &Error{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1, reason}
}

// Exists reports whether there is a value, null included.
func (n Node) Exists() bool { return n.value != nil }

// Kind says what the value is, in words for a message: "an object", "a list", "text", "a number", "true", "false", "null", or "nothing".
func (n Node) Kind() string {
	if n.value == nil {
		return "nothing"
	}
	switch k := n.value.Value.Kind(); k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case '0':
		return "a number"
	default:
		return string(n.value.Value.(hujson.Literal))
	}
}

// IsObject reports whether the value is an object.
func (n Node) IsObject() bool { return n.object() != nil }

// IsList reports whether the value is a list.
func (n Node) IsList() bool {
	if n.value == nil {
		return false
	}
	_, ok := n.value.Value.(*hujson.Array)
	return ok
}

// IsNull reports whether the value is null.
func (n Node) IsNull() bool { return n.value != nil && n.value.Value.Kind() == 'n' }

func (n Node) object() *hujson.Object {
	if n.value == nil {
		return nil
	}
	o, _ := n.value.Value.(*hujson.Object)
	return o
}

// Members returns the members of an object in their order.
func (n Node) Members() []Member {
	o := n.object()
	if o == nil {
		return nil
	}
	members := make([]Member, len(o.Members))
	for i := range o.Members {
		members[i] = Member{o.Members[i].Name.Value.(hujson.Literal).String(), Node{n.text, &o.Members[i].Value}}
	}
	return members
}

// Get returns the member of that name: the last one, as every JSON parser has it.
func (n Node) Get(name string) Node {
	o := n.object()
	if o == nil {
		return Node{}
	}
	for i := len(o.Members) - 1; i >= 0; i-- {
		if o.Members[i].Name.Value.(hujson.Literal).String() == name {
			return Node{n.text, &o.Members[i].Value}
		}
	}
	return Node{}
}

// Elements returns the elements of a list.
func (n Node) Elements() []Node {
	if n.value == nil {
		return nil
	}
	a, ok := n.value.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	nodes := make([]Node, len(a.Elements))
	for i := range a.Elements {
		nodes[i] = Node{n.text, &a.Elements[i]}
	}
	return nodes
}

// Text returns the value of a string.
func (n Node) Text() (string, bool) {
	if n.value == nil || n.value.Value.Kind() != '"' {
		return "", false
	}
	return n.value.Value.(hujson.Literal).String(), true
}

// Scalar returns a string's value, or a number or boolean as it is written: what a program gets that is started with it.
func (n Node) Scalar() (string, bool) {
	if n.value == nil {
		return "", false
	}
	l, ok := n.value.Value.(hujson.Literal)
	if !ok || l.Kind() == 'n' {
		return "", false
	}
	return l.String(), true
}

// Bool returns the value of true or false.
func (n Node) Bool() (value, ok bool) {
	if n.value == nil {
		return false, false
	}
	k := n.value.Value.Kind()
	return k == 't', k == 't' || k == 'f'
}

// Line returns the line in which the value begins, from 1; 0 for a Node that is not there.
func (n Node) Line() int {
	if n.value == nil {
		return 0
	}
	return bytes.Count(n.text[:min(n.value.StartOffset, len(n.text))], []byte("\n")) + 1
}

// JSON returns the value as standard JSON.
func (n Node) JSON() []byte {
	if n.value == nil {
		return nil
	}
	v := n.value.Clone()
	v.Minimize()
	return v.Pack()
}

// Tree returns the value with its comments, or nil. It is the one that the Node has, so that whoever changes it clones it first.
func (n Node) Tree() *hujson.Value { return n.value }
