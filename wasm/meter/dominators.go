package meter

// dominators makes the dominator tree. Predecessors come first, but for the edges back to loop headers, which
// a header dominates anyway; so one round suffices. To find common ancestors in a deep tree fast, each block also has a
// pointer that jumps some distance up, such that the root is a logarithmic number of steps away.
func (g *graph) dominators() {
	for id := 1; id < len(g.blocks); id++ {
		b := &g.blocks[id]
		d := b.preds[0]
		for _, p := range b.preds[1:] {
			if p < id {
				d = g.common(d, p)
			}
		}
		up := &g.blocks[d]
		b.idom, b.depth, b.jump = d, up.depth+1, d
		if far := &g.blocks[up.jump]; up.depth-far.depth == far.depth-g.blocks[far.jump].depth {
			b.jump = far.jump
		}
	}
}

// common returns the nearest common ancestor of two blocks in the dominator tree.
func (g *graph) common(x, y int) int {
	if g.blocks[x].depth < g.blocks[y].depth {
		x, y = y, x
	}
	for g.blocks[x].depth > g.blocks[y].depth {
		if b := &g.blocks[x]; g.blocks[b.jump].depth >= g.blocks[y].depth {
			x = b.jump
		} else {
			x = b.idom
		}
	}
	for x != y {
		if a, b := &g.blocks[x], &g.blocks[y]; a.jump != b.jump {
			x, y = a.jump, b.jump
		} else {
			x, y = a.idom, b.idom
		}
	}
	return x
}
