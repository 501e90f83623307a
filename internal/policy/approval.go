package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/runlace/runlace/internal/catalog"
)

// Approval says who consents to an act.
type Approval string

// The words, the strictest last.
const (
	Allow Approval = "allow" // nobody has to
	Ask   Approval = "ask"   // whoever starts the run, with confirm
	Human Approval = "human" // a person, outside of the conversation with the agent, to the run
	Each  Approval = "each"  // a person, to every call, which waits for that with its arguments
)

var words = []Approval{Allow, Ask, Human, Each}

// rank orders the words. What is none counts as Human.
func rank(a Approval) int {
	if i := slices.Index(words, a); i >= 0 {
		return i
	}
	return slices.Index(words, Human)
}

// Stricter returns the stricter of two words. What is none counts as Human.
func Stricter(a, b Approval) Approval { return words[max(rank(a), rank(b))] }

// rest is the name under which a connector's word stands, for the tools that have none of their own.
const rest = "*"

// consent is what approval says of a connector: words by tool, and by rest.
type consent map[string]Approval

func (p *Policy) readApproval(connectors []*ast.MappingValueNode) {
	for _, c := range connectors {
		connector, line := textOf(c.Key), lineOf(c.Key)
		if connector == rest {
			p.reject(line, `approval is said of a connector by its name, and not of "*": for all of them it stands in config.json`)
			continue
		}
		if len(p.approval[connector]) == 1 {
			p.warn(line, "the connector %s is there twice in approval: the stricter counts", connector)
		}
		block := consent{}
		p.approval[connector] = append(p.approval[connector], block)
		p.mention("approval", catalog.Key{Connector: connector}, line)
		if _, list := c.Value.(*ast.SequenceNode); list {
			p.reject(line, "approval says of the connector %s a word, or a mapping of tools, and not a list", connector)
			continue
		}
		tools, ok := entries(c.Value)
		if _, null := c.Value.(*ast.NullNode); !ok || null { // nothing may be what was meant to stand below
			p.setApproval(block, catalog.Key{Connector: connector, Tool: rest}, c.Value, line, Human)
			continue
		}
		wrong := Human // what an entry counts as that is wrong: no less than without it
		for _, t := range tools {
			if word := Approval(textOf(t.Value)); textOf(t.Key) == rest && slices.Contains(words, word) {
				wrong = Stricter(wrong, word)
			}
		}
		for _, t := range tools {
			p.setApproval(block, catalog.Key{Connector: connector, Tool: textOf(t.Key)}, t.Value, lineOf(t.Key), wrong)
		}
	}
}

func (p *Policy) setApproval(block consent, key catalog.Key, n ast.Node, line int, wrong Approval) {
	about := key.String()
	if key.Tool == rest {
		about = key.Connector
	} else {
		p.mention("approval", key, line)
	}
	word := Approval(textOf(n))
	if !slices.Contains(words, word) {
		p.warn(line, "the approval of %s is %s, %s, %s or %s, and not %s: taken as %s", about, Allow, Ask, Human, Each, shown(n), wrong)
		word = wrong
	}
	if before, twice := block[key.Tool]; twice {
		p.warn(line, "the approval of %s is there twice: the stricter counts", about)
		word = Stricter(before, word)
	}
	block[key.Tool] = word
}

// Approval says who consents to an act of a tool: the word of the tool, else of its connector, else byDefault, which is what config.json or
// --approval says. What is no word counts as Human there too. The tool's name in Python counts where the exact one has no word, and only to
// tighten.
func (p *Policy) Approval(connector, tool, byDefault string) Approval {
	otherwise := Stricter(Allow, Approval(byDefault))
	if p == nil {
		return otherwise
	}
	word := otherwise
	for i, block := range p.approval[connector] {
		if w := block.of(tool, otherwise); i == 0 {
			word = w
		} else {
			word = Stricter(word, w)
		}
	}
	for _, name := range []string{tool, catalog.Identifier(catalog.Method, tool)} { // connector.tool, written as one name
		for _, block := range p.approval[connector+"."+name] {
			if w, ok := block[rest]; ok {
				word = Stricter(word, w)
			}
		}
	}
	if p.broken {
		word = Stricter(word, Human)
		if slices.ContainsFunc(p.each, func(name string) bool {
			return name == tool || name == connector || name == rest || isPython(name, tool)
		}) {
			word = Each
		}
	}
	return word
}

// Persons tells whether any act of any connector needs a person by what the file says.
func (p *Policy) Persons() bool {
	if p == nil {
		return false
	}
	for _, blocks := range p.approval {
		for _, block := range blocks {
			for _, word := range block {
				if rank(word) >= rank(Human) {
					return true
				}
			}
		}
	}
	return p.broken
}

// of is the word of a tool that is not one of the connector's rest, or of the rest.
func (c consent) of(tool string, otherwise Approval) Approval {
	if w, ok := c[tool]; ok {
		return w
	}
	word := otherwise
	if w, ok := c[rest]; ok {
		word = w
	}
	for name, w := range c {
		if isPython(name, tool) {
			word = Stricter(word, w)
		}
	}
	return word
}

// said is the word that stands at an entry.
func (p *Policy) said(key catalog.Key) Approval {
	word := Allow
	for _, block := range p.approval[key.Connector] {
		if w, ok := block[key.Tool]; ok {
			word = Stricter(word, w)
		}
	}
	return word
}

// isPython tells whether a name can be the one in Python of a tool, among whichever other tools: with the suffix or without.
func isPython(name, tool string) bool {
	base := catalog.Identifier(catalog.Method, tool)
	if name == base {
		return true
	}
	end, ok := strings.CutPrefix(name, strings.TrimSuffix(base, "_")+"_")
	if !ok || len(end) < 4 {
		return false
	}
	sum := sha256.Sum256([]byte(tool))
	return strings.HasPrefix(hex.EncodeToString(sum[:]), end)
}
