// Package policy reads policy.yaml, in which the operator says which tools act.
//
//	risk:
//	  github:                 # a connector's name
//	    search_issues: read_only
//	    get-and-delete: side_effect
//	  ai:                     # the model, by its name
//	    qwen3:8b: read_only
//
// When tools are discovered, the policy replaces what their servers say, in both directions ([Policy.Risk]). For a version that is stored it
// only tightens ([Policy.Tighten]): what was gated when the version was made stays gated.
//
// Reading never fails. What cannot be read is a warning, and the stricter reading wins: of a file that is broken nothing makes
// a tool read-only, and every name that it calls side_effect is one, in whichever connector.
package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/runlace/runlace/internal/catalog"
)

// Model is the connector under which the policy says what is true of the model.
const Model = "ai"

// Policy is what a policy.yaml says. A nil Policy says nothing.
type Policy struct {
	risk      map[catalog.Key]catalog.Risk
	order     []catalog.Key
	line      map[catalog.Key]int
	anywhere  []string // names that a broken file, or one with entries in the wrong place, calls side_effect
	misplaced bool
	warnings  []string
	file      string
}

// Load reads a file. One that does not exist says nothing.
func Load(file string) *Policy {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Policy{file: file}
	}
	if err != nil {
		p := &Policy{file: file}
		p.warn(0, "cannot be read: %v", err)
		return p
	}
	return Parse(text, file)
}

// Parse reads the text of a policy; file is its name in warnings.
func Parse(text []byte, file string) *Policy {
	p := &Policy{risk: map[catalog.Key]catalog.Risk{}, line: map[catalog.Key]int{}, file: file}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	parsed, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		line := 0
		if m := regexp.MustCompile(`\[(\d+):\d+\]`).FindStringSubmatch(err.Error()); m != nil {
			fmt.Sscan(m[1], &line)
		}
		first, _, _ := strings.Cut(strings.TrimSpace(regexp.MustCompile(`^\[\d+:\d+\]\s*`).ReplaceAllString(err.Error(), "")), "\n")
		p.warn(line, "is not YAML (%s): nothing in it makes a tool read-only, and what it calls side_effect is that in every connector", first)
		p.salvage(text)
		return p
	}
	for _, doc := range parsed.Docs {
		p.document(doc.Body)
	}
	if p.misplaced {
		if p.salvage(text); len(p.anywhere) > 0 {
			p.warn(0, "what stands in the wrong place makes no tool read-only, and what it calls side_effect is that in every connector: write risk: {CONNECTOR: {TOOL: side_effect}}")
		}
	}
	return p
}

// marked finds what a line calls side_effect.
var marked = regexp.MustCompile(`^[\s{,-]*["']?(.+?)["']?\s*:\s*["']?side_effect\b`)

func (p *Policy) salvage(text []byte) {
	for _, line := range strings.Split(string(text), "\n") {
		if m := marked.FindStringSubmatch(strings.TrimRight(line, "\r")); m != nil {
			p.anywhere = append(p.anywhere, m[1])
			if _, tool, dotted := strings.Cut(m[1], "."); dotted { // connector.tool, written as one name
				p.anywhere = append(p.anywhere, tool)
			}
		}
	}
}

func (p *Policy) warn(line int, format string, args ...any) {
	where := p.file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", p.file, line)
	}
	p.warnings = append(p.warnings, where+": "+fmt.Sprintf(format, args...))
}

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
	}
	return nil, false
}

// textOf returns a key or a value as it is written, without quotes.
func textOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.MappingKeyNode:
		return textOf(n.Value)
	}
	if n == nil || n.GetToken() == nil {
		return ""
	}
	if t := n.GetToken(); t.Type != token.MappingStartType {
		return t.Value
	}
	return ""
}

func (p *Policy) document(body ast.Node) {
	top, ok := entries(body)
	if !ok {
		p.warn(lineOf(body), "is not a mapping; it begins with risk:")
		p.misplaced = true
		return
	}
	for _, pair := range top {
		if name := textOf(pair.Key); name != "risk" {
			p.warn(lineOf(pair.Key), "%q is not known; there is only risk", name)
			p.misplaced = true
			continue
		}
		connectors, ok := entries(pair.Value)
		if !ok {
			p.warn(lineOf(pair.Key), "risk is not a mapping of connectors")
			p.misplaced = true
			continue
		}
		for _, c := range connectors {
			tools, ok := entries(c.Value)
			if !ok {
				p.warn(lineOf(c.Key), "the connector %s has no mapping of tools", textOf(c.Key))
				p.misplaced = true
				continue
			}
			for _, t := range tools {
				p.entry(textOf(c.Key), textOf(t.Key), textOf(t.Value), lineOf(t.Key))
			}
		}
	}
}

func (p *Policy) entry(connector, tool, value string, line int) {
	key := catalog.Key{Connector: connector, Tool: tool}
	risk := catalog.Risk(value)
	if risk != catalog.ReadOnly && risk != catalog.SideEffect {
		p.warn(line, "the risk of %s is %s or %s, and not %q: taken as %s", key, catalog.ReadOnly, catalog.SideEffect, value, catalog.SideEffect)
		risk = catalog.SideEffect
	}
	if before, twice := p.risk[key]; twice {
		p.warn(line, "%s is there twice: the stricter counts", key)
		risk = catalog.Stricter(before, risk)
	} else {
		p.order = append(p.order, key)
	}
	p.risk[key], p.line[key] = risk, line
}

// Warnings says what could not be read.
func (p *Policy) Warnings() []string {
	if p == nil {
		return nil
	}
	return p.warnings
}

// lookup finds what the policy says of a tool. Its exact name counts first. The Python name counts too, but only to tighten: it is made
// from the exact name, and may one day be made from another.
func (p *Policy) lookup(connector, tool, python string) (catalog.Risk, bool) {
	if p == nil {
		return "", false
	}
	if slices.Contains(p.anywhere, tool) || slices.Contains(p.anywhere, python) {
		return catalog.SideEffect, true
	}
	if r, ok := p.risk[catalog.Key{Connector: connector, Tool: tool}]; ok {
		return r, true
	}
	if python != "" && p.risk[catalog.Key{Connector: connector, Tool: python}] == catalog.SideEffect {
		return catalog.SideEffect, true
	}
	return "", false
}

// Risk is the risk of a tool at discovery: what the policy says, else what the server says. python is its name in Python.
func (p *Policy) Risk(connector, tool, python string, said catalog.Risk) catalog.Risk {
	if r, ok := p.lookup(connector, tool, python); ok {
		return r
	}
	return said
}

// Tighten is the risk of a tool in a stored version: that which was pinned, or a stricter one.
func (p *Policy) Tighten(connector, tool, python string, pinned catalog.Risk) catalog.Risk {
	if r, ok := p.lookup(connector, tool, python); ok {
		return catalog.Stricter(pinned, r)
	}
	return pinned
}

// ModelRisk is the risk of asking a model, in both directions.
func (p *Policy) ModelRisk(model string, said catalog.Risk) catalog.Risk {
	return p.Risk(Model, model, "", said)
}

// Apply puts the policy's risk on tools that were discovered, each with its Python name by names.
func (p *Policy) Apply(tools []catalog.Tool, names *catalog.Names) {
	for i, t := range tools {
		tools[i].Risk = p.Risk(t.Connector, t.Name, names.Python(t.Name), t.Risk)
	}
}

// Unmatched says which entries match nothing. known holds the connectors that were reached, by name, each with its tools' exact names; all
// are the names of all connectors that are configured. Of one that was not reached nothing can be said, nor of the model.
func (p *Policy) Unmatched(known map[string][]string, all []string) []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, key := range p.order {
		tools, reached := known[key.Connector]
		where := fmt.Sprintf("%s:%d", p.file, p.line[key])
		switch {
		case key.Connector == Model && !slices.Contains(all, Model):
		case !slices.Contains(all, key.Connector) && !reached:
			out = append(out, fmt.Sprintf("%s: there is no connector %s", where, key.Connector))
		case !reached:
		default:
			wire, ok := catalog.NewNames(catalog.Method, tools).Resolve(key.Tool)
			switch {
			case !ok:
				out = append(out, fmt.Sprintf("%s: %s has no tool %s", where, key.Connector, key.Tool))
			case wire != key.Tool && p.risk[key] == catalog.ReadOnly:
				out = append(out, fmt.Sprintf("%s: %s counts only under the tool's own name: write %q", where, key, wire))
			}
		}
	}
	return out
}
