package meter

// exit is a block outside of a loop that the loop branches to, with the probability that the loop ends there.
type exit struct {
	to int
	p  fixed
}

// estimate sets, for every block, how often it runs for each run of the head of its region. Successors are taken to be equally
// likely, except that a path that ends in a trap is never taken if there is another. An inner loop counts as one
// node, which leads to its exits.
func (g *graph) estimate() {
	n := len(g.blocks)
	if cap(g.slots) < n {
		g.slots, g.exits = make([]int, n), make([][]exit, n)
	}
	for id := n - 1; id >= 0; id-- {
		b := &g.blocks[id]
		b.dead = len(b.succs) > 0 || b.traps
		for _, s := range b.succs {
			if s <= id || !g.blocks[s].dead {
				b.dead = false
				break
			}
		}
		if id > 0 { // blocks come in reverse, so the lists are in order
			around := &g.blocks[b.region]
			b.next, around.first = around.first, id
		}
	}
	for id := n - 1; id >= 0; id-- { // inner regions before those around them
		if g.isHead(id) {
			g.estimateRegion(id)
		}
	}
}

// estimateRegion distributes one run of the head over the region.
func (g *graph) estimateRegion(head int) {
	exits := g.exits[head][:0]
	give := func(to int, p fixed) {
		switch b := &g.blocks[to]; {
		case to == head: // once more, which is another run
		case b.region == head:
			b.runs += p
		case g.slots[to] > 0:
			exits[g.slots[to]-1].p += p
		default:
			exits = append(exits, exit{to, p})
			g.slots[to] = len(exits)
		}
	}
	g.share(head, one, give)
	for id := g.blocks[head].first; id != 0; id = g.blocks[id].next {
		b := &g.blocks[id]
		if !b.header {
			g.share(id, b.runs, give)
			continue
		}
		for _, e := range g.exits[id] {
			give(e.to, b.runs.mul(e.p))
		}
	}
	var sum fixed
	for _, e := range exits {
		g.slots[e.to] = 0
		sum += e.p
	}
	for i := range exits {
		if sum > 0 {
			exits[i].p = ratio(exits[i].p, sum)
		} else {
			exits[i].p = one / fixed(len(exits))
		}
	}
	g.exits[head] = exits
}

// share gives the runs of a block to its successors.
func (g *graph) share(id int, runs fixed, give func(to int, p fixed)) {
	succs := g.blocks[id].succs
	live := 0
	for _, s := range succs {
		if !g.blocks[s].dead {
			live++
		}
	}
	for _, s := range succs {
		switch {
		case live == 0:
			give(s, runs/fixed(len(succs)))
		case g.blocks[s].dead:
			give(s, 0)
		default:
			give(s, runs/fixed(live))
		}
	}
}
