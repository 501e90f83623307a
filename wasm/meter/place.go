package meter

// inlineBelow is the highest entry cost, in units, that the callers of a function take over.
const inlineBelow = 64

// place decides what each block of function f is charged.
func (p *pass) place(f int, g *graph) {
	tolerance := one / 1024 // shares that should add up to 1 may miss a little
	if p.cfg.Tolerance > 0 {
		tolerance = units(p.cfg.Tolerance) + one/2 // half a unit is lost in rounding anyway
	}
	for id := len(g.blocks) - 1; id > 0; id-- {
		b := &g.blocks[id]
		if b.header {
			continue
		}
		// The nearest block in the same region that is on every path here. If a loop lies between, it is on the far side.
		up := b.idom
		for g.head(up) != b.region {
			up = g.blocks[g.head(up)].idom
		}
		if part := b.cost.mul(ratio(b.runs, g.runs(up))); b.cost-part <= tolerance {
			g.blocks[up].cost = g.blocks[up].cost.add(part)
			b.cost = 0
		}
	}
	if first := &g.blocks[0]; !p.calls.check[f] && !p.calls.exported[f] && first.cost <= units(inlineBelow) {
		p.entry[f] = first.cost
		first.cost = 0
		p.rep.Inlined++
	}
	for id := range g.blocks {
		b := &g.blocks[id]
		b.charge = b.cost.round()
		if b.charge == 0 && (b.header || id == 0 && p.calls.check[f]) {
			b.charge = 1 // what is checked has to move
		}
		if b.header {
			p.rep.Loops++
		}
	}
}

// runs is how often a block runs for each run of the head of its region.
func (g *graph) runs(b int) fixed {
	if g.isHead(b) {
		return one
	}
	return g.blocks[b].runs
}
