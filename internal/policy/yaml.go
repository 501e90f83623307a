package policy

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// entries returns the pairs of a mapping; ok is false for what is none.
func entries(n ast.Node) (pairs []*ast.MappingValueNode, ok bool) {
	switch n := n.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return nil, true
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	case *ast.AnchorNode:
		return entries(n.Value)
	case *ast.TagNode:
		return entries(n.Value)
	}
	return nil, false
}

// textOf returns a key or a value as it is written, without quotes; nothing for a mapping or a list.
func textOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.MappingKeyNode:
		return textOf(n.Value)
	case *ast.AnchorNode:
		return textOf(n.Value)
	case *ast.TagNode:
		return textOf(n.Value)
	case nil, *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		return ""
	}
	if t := n.GetToken(); t != nil && t.Type != token.MappingStartType {
		return t.Value
	}
	return ""
}

// shown is a value as a warning quotes it.
func shown(n ast.Node) string {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "empty"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", textOf(n))
	}
}

// finder is a visitor that keeps the first reference to another part of the file.
type finder struct{ found ast.Node }

func (f *finder) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AliasNode, *ast.MergeKeyNode:
		if f.found == nil {
			f.found = n
		}
		return nil
	}
	return f
}

// reference finds an alias or a merge. Neither is followed, so that what it would have brought is missing.
func reference(body ast.Node) ast.Node {
	if body == nil {
		return nil
	}
	f := &finder{}
	ast.Walk(f, body)
	return f.found
}

// marked finds the names that a text which is not understood calls by a word: what stands before the colon, as far as it may belong to it,
// and, of connector.tool written as one, the tool. Too many names are no harm.
func marked(text, word string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`:\s*(?:[&!]\S*\s+)*["']?`+word+`\b`).FindAllStringIndex(text, -1) {
		line := text[strings.LastIndexAny(text[:m[0]], "\r\n")+1 : m[0]]
		for _, name := range []string{line, line[strings.LastIndexAny(line, "{,")+1:]} {
			name = strings.Trim(strings.TrimSpace(strings.TrimLeft(name, " \t{,-?")), `"'`)
			for dotted := true; dotted; _, name, dotted = strings.Cut(name, ".") {
				names = append(names, name)
			}
		}
	}
	return names
}
