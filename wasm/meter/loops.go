package meter

// findLoops sets the region of every block. A block is in a loop if the header can be reached from it without leaving what the header
// dominates; that is less than what the text of the loop encloses. Inner loops come later in the code, so they are done
// first, and count as one node, their header, from then on: every block is looked at once.
func (g *graph) findLoops() {
	for h := len(g.blocks) - 1; h > 0; h-- {
		work := g.work[:0]
		for _, p := range g.blocks[h].preds {
			if p >= h {
				work = append(work, p)
			}
		}
		g.blocks[h].header = len(work) > 0
		for len(work) > 0 {
			b := g.node(work[len(work)-1])
			work = work[:len(work)-1]
			if b != h {
				g.blocks[b].region, g.blocks[b].set = h, h
				work = append(work, g.blocks[b].preds...)
			}
		}
		g.work = work
	}
}

// node returns the header of the outermost loop found so far that holds a block, or the block itself.
func (g *graph) node(b int) int {
	for g.blocks[b].set != b {
		g.blocks[b].set = g.blocks[g.blocks[b].set].set
		b = g.blocks[b].set
	}
	return b
}

// isHead tells whether a block is the head of a region.
func (g *graph) isHead(b int) bool { return b == 0 || g.blocks[b].header }

// head returns the head of the region a block is in, which is the block itself for a head.
func (g *graph) head(b int) int {
	if g.isHead(b) {
		return b
	}
	return g.blocks[b].region
}
