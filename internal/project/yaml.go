package project

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// maxDepth is how deeply a file may be nested.
const maxDepth = 500

// node is a value of a YAML file, with its place. A nil node is a value that is not there.
type node struct {
	at     report.Place
	scalar *ordered.Value // nil for a mapping and a list
	pairs  []pair
	items  []*node
	list   bool
}

type pair struct {
	key   string
	at    report.Place
	value *node
}

// document reads a YAML file. What is wrong with it becomes findings of the code bad-project.
type document struct {
	file  string
	found *[]report.Finding
}

func (d document) wrong(at report.Place, format string, args ...any) {
	*d.found = append(*d.found, report.New("bad-project", at, format, args...))
}

var yamlPosition = regexp.MustCompile(`^\[(\d+):(\d+)\]\s*`)

// read reads the one document of a file; nil if it cannot be.
func (d document) read(text []byte) *node {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		at, said := report.Place{File: d.file, Line: 1}, err.Error()
		if m := yamlPosition.FindStringSubmatch(said); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			at.Column, _ = strconv.Atoi(m[2])
		}
		said, _, _ = strings.Cut(yamlPosition.ReplaceAllString(said, ""), "\n")
		d.wrong(at, "this is not YAML: %s", said)
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, only := doc.Body.(*ast.CommentGroupNode); only {
			continue
		}
		if body != nil {
			d.wrong(d.place(doc.Body), "there is a second document in the file")
			return nil
		}
		body = doc.Body
	}
	if body == nil {
		return &node{at: report.Place{File: d.file, Line: 1}}
	}
	return d.node(body, 0)
}

func (d document) place(n ast.Node) report.Place {
	at := report.Place{File: d.file, Line: 1}
	if t := n.GetToken(); t != nil && t.Position != nil {
		at.Line, at.Column = t.Position.Line, t.Position.Column
	}
	return at
}

func (d document) node(n ast.Node, depth int) *node {
	out := &node{at: d.place(n)}
	if depth > maxDepth {
		d.wrong(out.at, "this is nested more than %d deep", maxDepth)
		out.scalar = &ordered.Value{}
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		out.pairs = d.pairs(n.Values, depth)
		if len(n.Values) > 0 && !n.IsFlowStyle {
			out.at = d.place(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		out.pairs, out.at = d.pairs([]*ast.MappingValueNode{n}, depth), d.place(n.Key)
	case *ast.SequenceNode:
		out.list = true
		for _, item := range n.Values {
			out.items = append(out.items, d.node(item, depth+1))
		}
	case *ast.NullNode:
		out.scalar = &ordered.Value{}
	case *ast.BoolNode:
		out.scalar = ordered.NewBool(n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		out.scalar = number(n.GetToken().Value)
	case *ast.StringNode:
		out.scalar = ordered.NewString(n.Value)
		if n.Token.Type == token.StringType { // plain, and so a number if it looks like one, whatever the parser makes of its size
			out.scalar = number(n.Value)
		}
	case *ast.LiteralNode:
		out.scalar = ordered.NewString(n.Value.Value)
	default:
		d.wrong(out.at, "anchors, aliases, tags and numbers that JSON does not have cannot be used here: write the value out")
		out.scalar = &ordered.Value{}
	}
	return out
}

var jsonNumber = regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?\z`)

// number is a number with the digits that it has; one that JSON spells otherwise is text.
func number(text string) *ordered.Value {
	if jsonNumber.MatchString(text) {
		return &ordered.Value{Kind: ordered.Number, Text: text}
	}
	return ordered.NewString(text)
}

func (d document) pairs(values []*ast.MappingValueNode, depth int) (out []pair) {
	seen := map[string]bool{}
	for _, v := range values {
		key := v.Key.GetToken().Value
		if s, ok := v.Key.(*ast.StringNode); ok {
			key = s.Value
		}
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			d.wrong(d.place(v.Key), "a merge (<<) cannot be used here: write the keys out")
			continue
		}
		if seen[key] {
			d.wrong(d.place(v.Key), "the key %s is there twice", key)
			continue
		}
		seen[key] = true
		out = append(out, pair{key, d.place(v.Key), d.node(v.Value, depth+1)})
	}
	return out
}

// keys says which keys of a mapping are not known.
func (d document) keys(n *node, what string, known ...string) {
	if n == nil || n.scalar != nil && n.scalar.Kind == ordered.Null {
		return
	}
	if n.scalar != nil || n.list {
		d.wrong(n.at, "%s is a mapping, with %s", what, strings.Join(known, ", "))
		return
	}
	for _, p := range n.pairs {
		if slices.Contains(known, p.key) {
			continue
		}
		hint := "the keys here are " + strings.Join(known, ", ")
		if near := schema.Nearest(p.key, known); near != "" {
			hint = "did you mean " + near + "?"
		}
		d.wrong(p.at, "%s has no key %s", what, p.key)
		(*d.found)[len(*d.found)-1].Hint = hint
	}
}

// get is the value of a key, nil if it is not there.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, p := range n.pairs {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// where is the place of a key, or of the mapping itself.
func (n *node) where(key string) report.Place {
	for _, p := range n.pairs {
		if p.key == key {
			return p.at
		}
	}
	return n.at
}

// each are the items of a list.
func (n *node) each() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// value is the node as JSON.
func (n *node) value() *ordered.Value {
	switch {
	case n.scalar != nil:
		return n.scalar
	case n.list:
		items := make([]*ordered.Value, len(n.items))
		for i, item := range n.items {
			items[i] = item.value()
		}
		return ordered.NewArray(items...)
	}
	o := ordered.NewObject()
	for _, p := range n.pairs {
		o.Set(p.key, p.value.value())
	}
	return o
}

// json is the node as JSON, nil if it is not there.
func (n *node) json() json.RawMessage {
	if n == nil {
		return nil
	}
	return n.value().JSON()
}

// text is a scalar's text, "" for anything else.
func (n *node) text() string {
	if n == nil || n.scalar == nil {
		return ""
	}
	switch n.scalar.Kind {
	case ordered.String, ordered.Number:
		return n.scalar.Text
	case ordered.Bool:
		return fmt.Sprint(n.scalar.True)
	}
	return ""
}
