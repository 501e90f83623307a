// Package policy reads policy.yaml, in which the operator says which tools act, who consents to that, and what may be sent again.
//
//	risk:                       # which tools act
//	  github:                   # a connector's name
//	    search_issues: read_only
//	    get-and-delete: side_effect
//	  ai:                       # the model, by its name
//	    qwen3:8b: read_only
//
//	approval:                   # who consents: allow, ask, human or each
//	  github: human             # to all acts of a connector
//	  stripe:
//	    create_charge: each     # a person, at the call itself, who sees its arguments; every time
//	    list_charges: allow     # nobody
//	    "*": ask                # the connector's other tools
//
//	idempotent:                 # acts whose outcome is in doubt that may be sent again
//	  stripe:
//	    put_item: resend        # if the tool was pinned as idempotent
//	    create_charge: {key: idempotency_key} # with the same key, which Runlace fills in
//
// When tools are discovered, risk replaces what their servers say, in both directions ([Policy.Risk]). For a version that is stored it
// only tightens ([Policy.Tighten]): what was gated when the version was made stays gated. Of approval the most specific word counts: the
// tool's, then the connector's, then the one of config.json or --approval ([Policy.Approval]). What idempotent says is asked when an act
// was cut off ([Policy.Idempotent]).
//
// Names are the exact ones. A tool's name in Python counts too, but only to tighten.
//
// Reading never fails. What cannot be read is a warning, and the stricter reading wins. An entry that is wrong gates what it is about. A
// file that is broken ([Policy.Broken]: not YAML, or with parts in the wrong place) makes no tool read-only, wants a person for every act,
// and lets nothing be sent again; what it calls side_effect or each is that in whichever connector.
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

	"github.com/runlace/runlace/internal/catalog"
)

// Model is the connector under which the policy says what is true of the model.
const Model = "ai"

// Policy is what a policy.yaml says. A nil Policy says nothing.
type Policy struct {
	file     string
	risk     map[catalog.Key]catalog.Risk
	approval map[string][]consent // by connector; more than one where the connector is there twice
	resend   map[string][]map[string]retry
	mentions []mention
	warnings []string

	broken       bool
	acting, each []string // names that a broken file calls side_effect, and each
}

// mention is an entry as Unmatched sees it. One without a tool is about a connector.
type mention struct {
	section string
	key     catalog.Key
	line    int
}

// Load reads a file. One that does not exist says nothing; one that is there and cannot be read is broken.
func Load(file string) *Policy {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Lstat(file); there != nil { // a link that leads nowhere is a policy that cannot be read
			return &Policy{file: file}
		}
	}
	if err != nil {
		p := &Policy{file: file}
		p.reject(0, "cannot be read: %v", err)
		p.sayBroken()
		return p
	}
	return Parse(text, file)
}

// Parse reads the text of a policy; file is its name in warnings.
func Parse(text []byte, file string) *Policy {
	p := &Policy{file: file, risk: map[catalog.Key]catalog.Risk{}, approval: map[string][]consent{}, resend: map[string][]map[string]retry{}}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	parsed, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		p.notYAML(text, err)
	} else {
		seen := map[string]bool{}
		for _, doc := range parsed.Docs {
			p.document(doc.Body, seen)
		}
	}
	if p.broken {
		p.acting, p.each = marked(string(text), string(catalog.SideEffect)), marked(string(text), string(Each))
		p.sayBroken()
	}
	return p
}

var (
	position = regexp.MustCompile(`^\[(\d+):\d+\]\s*`)
	bareStar = regexp.MustCompile(`(?m)^\s*\*\s*:|[{,]\s*\*\s*:`)
)

func (p *Policy) notYAML(text []byte, err error) {
	line, said := 0, strings.TrimSpace(err.Error())
	if m := position.FindStringSubmatch(said); m != nil {
		_, _ = fmt.Sscan(m[1], &line) // digits
	}
	said, _, _ = strings.Cut(position.ReplaceAllString(said, ""), "\n")
	if bareStar.Match(text) {
		said += `; "*" has to stand in quotes`
	}
	p.reject(line, "is not YAML (%s)", said)
}

// document reads one document of the file; seen are the sections that there were.
func (p *Policy) document(body ast.Node, seen map[string]bool) {
	if _, ok := body.(*ast.DirectiveNode); ok { // %YAML 1.2
		return
	}
	if n := reference(body); n != nil {
		p.reject(lineOf(n), "has an alias (*) or a merge (<<), and those are not followed: write it out")
	}
	sections, ok := entries(body)
	if !ok {
		p.reject(lineOf(body), "is not a mapping; it begins with risk:, approval: or idempotent:")
		return
	}
	read := map[string]func([]*ast.MappingValueNode){"risk": p.readRisk, "approval": p.readApproval, "idempotent": p.readIdempotent}
	for _, s := range sections {
		name := textOf(s.Key)
		if read[name] == nil {
			p.reject(lineOf(s.Key), "%q is not known; there are risk, approval and idempotent", name)
			continue
		}
		if seen[name] {
			p.reject(lineOf(s.Key), "%s is there twice", name)
		}
		seen[name] = true
		connectors, ok := entries(s.Value)
		if !ok {
			p.reject(lineOf(s.Key), "%s is not a mapping of connectors", name)
			continue
		}
		read[name](connectors)
	}
}

// readTools reads a section in which every connector is a mapping of tools.
func (p *Policy) readTools(section string, connectors []*ast.MappingValueNode, entry func(key catalog.Key, value ast.Node, line int)) {
	for _, c := range connectors {
		tools, ok := entries(c.Value)
		if !ok {
			p.reject(lineOf(c.Key), "the connector %s has no mapping of tools in %s", textOf(c.Key), section)
			continue
		}
		for _, t := range tools {
			entry(catalog.Key{Connector: textOf(c.Key), Tool: textOf(t.Key)}, t.Value, lineOf(t.Key))
		}
	}
}

// mention remembers an entry. One that is there twice is remembered once, with the line of the last.
func (p *Policy) mention(section string, key catalog.Key, line int) {
	for i, m := range p.mentions {
		if m.section == section && m.key == key {
			p.mentions[i].line = line
			return
		}
	}
	p.mentions = append(p.mentions, mention{section, key, line})
}

func (p *Policy) warn(line int, format string, args ...any) {
	where := p.file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", p.file, line)
	}
	p.warnings = append(p.warnings, where+": "+fmt.Sprintf(format, args...))
}

// reject warns of what leaves open what the rest of the file was meant to say.
func (p *Policy) reject(line int, format string, args ...any) {
	p.broken = true
	p.warn(line, format, args...)
}

func (p *Policy) sayBroken() {
	p.warn(0, "until that is put right, nothing in it makes a tool read-only, every act needs a person (%s), and none is sent again; "+
		"what it calls %s or %s is that in every connector", Human, catalog.SideEffect, Each)
}

// Broken tells whether the file as a whole cannot be followed. Then the strictest reading counts.
func (p *Policy) Broken() bool { return p != nil && p.broken }

// Warnings says what could not be read.
func (p *Policy) Warnings() []string {
	if p == nil {
		return nil
	}
	return p.warnings
}

// Unmatched says which entries match nothing. known holds the connectors that were reached, by name, each with its tools' exact names; all
// are the names of all connectors that are configured. Of one that was not reached nothing can be said, nor of the model.
func (p *Policy) Unmatched(known map[string][]string, all []string) []string {
	if p == nil {
		return nil
	}
	var out []string
	said := map[string]bool{}
	for _, m := range p.mentions {
		tools, reached := known[m.key.Connector]
		where := fmt.Sprintf("%s:%d", p.file, m.line)
		switch {
		case m.key.Connector == Model && !slices.Contains(all, Model):
		case !slices.Contains(all, m.key.Connector) && !reached:
			if id := m.section + "\x00" + m.key.Connector; !said[id] {
				said[id] = true
				out = append(out, fmt.Sprintf("%s: there is no connector %s", where, m.key.Connector))
			}
		case !reached || m.key.Tool == "":
		default:
			wire, ok := catalog.NewNames(catalog.Method, tools).Resolve(m.key.Tool)
			switch {
			case !ok:
				out = append(out, fmt.Sprintf("%s: %s has no tool %s", where, m.key.Connector, m.key.Tool))
			case wire != m.key.Tool && !p.counts(m, wire):
				out = append(out, fmt.Sprintf("%s: %s counts only under the tool's own name: write %q", where, m.key, wire))
			}
		}
	}
	return out
}

// Names tells whether there are entries about connectors or tools at all: without them nothing can be unmatched.
func (p *Policy) Names() bool { return p != nil && len(p.mentions) > 0 }

// counts tells whether an entry under a tool's Python name has an effect: only what tightens has.
func (p *Policy) counts(m mention, wire string) bool {
	switch m.section {
	case "risk":
		return p.risk[m.key] == catalog.SideEffect
	case "approval":
		word := p.said(m.key)
		return rank(word) >= rank(Human) && p.Approval(m.key.Connector, wire, string(Allow)) == word
	}
	return false
}
