package policy

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"github.com/runlace/runlace/internal/catalog"
)

// retry is how an act may be sent again: as it was, or with a key. The zero retry is not at all.
type retry struct {
	resend bool
	key    string
}

func (p *Policy) readIdempotent(connectors []*ast.MappingValueNode) {
	for _, c := range connectors {
		connector, line := textOf(c.Key), lineOf(c.Key)
		if len(p.resend[connector]) == 1 {
			p.warn(line, "the connector %s is there twice in idempotent: only what both say counts", connector)
		}
		into := map[string]retry{}
		p.resend[connector] = append(p.resend[connector], into)
		p.mention("idempotent", catalog.Key{Connector: connector}, line)
		p.readTools("idempotent", []*ast.MappingValueNode{c}, func(key catalog.Key, n ast.Node, line int) {
			if key.Tool == rest {
				p.warn(line, `idempotent is said of a tool by its name, and not of "*" (%s): that does not count`, connector)
				return
			}
			p.mention("idempotent", key, line)
			r, ok := retryOf(n)
			if !ok {
				p.warn(line, "idempotent says of %s resend or {key: PARAMETER}, and not %s: it is not sent again", key, shown(n))
			}
			if before, twice := into[key.Tool]; twice {
				p.warn(line, "%s is there twice in idempotent: only what both say counts", key)
				if r != before {
					r = retry{}
				}
			}
			into[key.Tool] = r
		})
	}
}

func retryOf(n ast.Node) (r retry, ok bool) {
	if textOf(n) == "resend" {
		return retry{resend: true}, true
	}
	pairs, ok := entries(n)
	if !ok || len(pairs) != 1 || textOf(pairs[0].Key) != "key" {
		return retry{}, false
	}
	if _, null := pairs[0].Value.(*ast.NullNode); null || textOf(pairs[0].Value) == "" {
		return retry{}, false
	}
	return retry{key: textOf(pairs[0].Value)}, true
}

// Idempotent says how an act of a tool may be sent again when nobody knows whether it happened. With resend it may go as it was, if the tool
// was pinned with idempotentHint. With a key, which is the parameter that has been given the run and the step, it may go with that same key.
// It is one of them or neither, which is that it may not. Only the exact names count.
func (p *Policy) Idempotent(connector, tool string) (key string, resend bool) {
	if p == nil || p.broken {
		return "", false
	}
	var all retry
	for i, block := range p.resend[connector] {
		if r := block[tool]; i == 0 {
			all = r
		} else if r != all {
			return "", false
		}
	}
	return all.key, all.resend
}

// Unsendable says which entries of idempotent have no effect, since their tools, as they are known, are not made for it.
func (p *Policy) Unsendable(tools []catalog.Tool) []string {
	if p == nil {
		return nil
	}
	by := map[catalog.Key]catalog.Tool{}
	for _, t := range tools {
		by[t.Key()] = t
	}
	var out []string
	for _, m := range p.mentions {
		t, known := by[m.key]
		if m.section != "idempotent" || !known {
			continue
		}
		key, resend := p.Idempotent(m.key.Connector, m.key.Tool)
		switch {
		case resend && !t.Annotations.Effective().Idempotent:
			out = append(out, fmt.Sprintf("%s:%d: resend has no effect on %s: its server does not call it idempotent (idempotentHint)", p.file, m.line, m.key))
		case key != "" && !t.Takes(key):
			out = append(out, fmt.Sprintf("%s:%d: the key has no effect on %s: it has no parameter %s", p.file, m.line, m.key, key))
		}
	}
	return out
}
