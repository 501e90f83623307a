package policy

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/runlace/runlace/internal/catalog"
)

func (p *Policy) readRisk(connectors []*ast.MappingValueNode) {
	p.readTools("risk", connectors, func(key catalog.Key, n ast.Node, line int) {
		value, risk := textOf(n), catalog.Risk(textOf(n))
		if risk != catalog.ReadOnly && risk != catalog.SideEffect {
			p.warn(line, "the risk of %s is %s or %s, and not %q: taken as %s", key, catalog.ReadOnly, catalog.SideEffect, value, catalog.SideEffect)
			risk = catalog.SideEffect
		}
		before, twice := p.risk[key]
		if twice {
			p.warn(line, "%s is there twice: the stricter counts", key)
			risk = catalog.Stricter(before, risk)
		}
		p.risk[key] = risk
		p.mention("risk", key, line)
	})
}

// lookup finds what the policy says of a tool. Its exact name counts first. The Python name counts too, but only to tighten: it is made
// from the exact name, and may one day be made from another.
func (p *Policy) lookup(connector, tool, python string) (catalog.Risk, bool) {
	if p == nil {
		return "", false
	}
	if slices.Contains(p.acting, tool) || slices.Contains(p.acting, python) {
		return catalog.SideEffect, true
	}
	if r, ok := p.risk[catalog.Key{Connector: connector, Tool: tool}]; ok {
		return r, r == catalog.SideEffect || !p.broken
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
