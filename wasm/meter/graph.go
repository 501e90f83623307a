package meter

import (
	"fmt"

	"github.com/runlace/runlace/wasm/module"
)

// maxLoopNesting bounds how deep loops may nest, because the analysis takes time in proportion. It is far beyond what
// compilers produce.
const maxLoopNesting = 200

// block is a maximal run of instructions that is entered only at its start.
//
// Control flow in WebAssembly is structured: a branch goes forward to the end of a construct around it, or back to the
// start of a loop around it. So in the order of the code every block comes after its predecessors, except that the
// header of a loop has some further back. Every cycle goes through a loop header, and a loop is entered only there.
type block struct {
	start        int   // of its code
	cost         fixed // of its instructions
	succs, preds []int
	traps        bool // ends in unreachable

	// The dominator tree: idom is on every path to the block. See graph.dominators.
	idom, depth, jump int

	header bool // of a loop that can repeat
	// The region of a block is the innermost loop it is in, or the function. A region goes by its head: the
	// header of the loop, or block 0. For a header, this is the region around its loop.
	region int

	dead bool  // every path from here ends in a trap
	runs fixed // estimate: for each run of the head of the region
	// next links the blocks of a region in the order of the code, the head left out; first is the first of the region of which
	// this block is the head.
	next, first int

	charge int64 // units to subtract before it
	set    int   // in graph.loops
}

// graph is the control flow of a function. It can be used again, to save allocations.
type graph struct {
	blocks []block // in the order of the code; those that cannot be reached are left out
	exits  [][]exit
	slots  []int
	work   []int

	open  []construct
	loops int // around the current position
}

// construct is an open block, loop, if or else, or the function itself.
type construct struct {
	op     module.Op
	header int   // of a loop: the block, or none
	cond   int   // of an if whose else was not seen: the block with the condition, or none
	joins  []int // blocks that branch to the end
	seen   int   // offset of the last br_table that names it
}

const none = -1

// build reads a function and analyses its control flow.
func (g *graph) build(code *module.Code, cost func(*module.Instr) fixed) error {
	g.blocks, g.open, g.loops = g.blocks[:0], g.open[:0], 0
	cur := g.add(0)
	g.push(construct{op: module.OpBlock, cond: none, header: none})
	for code.Next() {
		in := &code.Instr
		if cur != none {
			g.blocks[cur].cost = g.blocks[cur].cost.add(cost(in))
		}
		cur = g.flow(in, cur)
		if g.loops > maxLoopNesting {
			return fmt.Errorf("loops nest deeper than %d", maxLoopNesting)
		}
	}
	if err := code.Err(); err != nil {
		return err
	}
	g.dominators()
	g.findLoops()
	g.estimate()
	return nil
}

// flow adds the blocks and edges that an instruction makes. It takes and returns the current block, which is none where the
// code cannot be reached.
func (g *graph) flow(in *module.Instr, cur int) int {
	live := cur != none
	switch in.Op {
	case module.OpBlock:
		g.push(construct{op: in.Op, cond: none, header: none})
	case module.OpLoop:
		if live {
			cur = g.add(in.End, cur)
		}
		g.push(construct{op: in.Op, cond: none, header: cur})
		g.loops++
	case module.OpIf:
		g.push(construct{op: in.Op, cond: cur, header: none})
		if live {
			cur = g.add(in.End, cur)
		}
	case module.OpElse:
		top := &g.open[len(g.open)-1]
		if live {
			top.joins = append(top.joins, cur)
		}
		if cur = top.cond; cur != none {
			cur = g.add(in.End, cur)
		}
		top.cond = none
	case module.OpEnd:
		return g.end(in, cur)
	case module.OpBr:
		if live {
			g.branch(cur, in.Index)
		}
		return none
	case module.OpBrIf:
		if live {
			g.branch(cur, in.Index)
			cur = g.add(in.End, cur)
		}
	case module.OpBrTable:
		if live {
			for _, label := range in.Labels {
				if t := g.target(label); t.seen != in.End {
					t.seen = in.End
					g.branch(cur, label)
				}
			}
		}
		return none
	case module.OpUnreachable:
		if live {
			g.blocks[cur].traps = true
		}
		return none
	case module.OpReturn, module.OpReturnCall, module.OpReturnCallIndirect:
		return none
	}
	return cur
}

// end closes a construct.
func (g *graph) end(in *module.Instr, cur int) int {
	top := g.open[len(g.open)-1]
	g.open = g.open[:len(g.open)-1]
	if top.op == module.OpLoop {
		g.loops--
		return cur // branches to a loop go to its start
	}
	if len(g.open) == 0 {
		return none
	}
	joins := top.joins
	if top.cond != none { // an if without else
		joins = append(joins, top.cond)
	}
	if len(joins) == 0 {
		return cur
	}
	if cur != none {
		joins = append(joins, cur)
	}
	return g.add(in.End, joins...)
}

func (g *graph) push(c construct) {
	if n := len(g.open); n < cap(g.open) { // take over what the last construct here has allocated
		c.joins = g.open[:n+1][n].joins[:0]
	}
	g.open = append(g.open, c)
}

func (g *graph) target(label uint32) *construct { return &g.open[len(g.open)-1-int(label)] }

// branch adds an edge to a label. If that is ahead, it waits for the end of the construct.
func (g *graph) branch(from int, label uint32) {
	if t := g.target(label); t.op == module.OpLoop {
		g.edge(from, t.header)
	} else {
		t.joins = append(t.joins, from)
	}
}

// add appends a block that starts at an offset.
func (g *graph) add(start int, preds ...int) int {
	id := len(g.blocks)
	b := block{}
	if id < cap(g.blocks) {
		old := g.blocks[:id+1][id]
		b.succs, b.preds = old.succs[:0], old.preds[:0]
	}
	b.start = start
	b.set = id
	g.blocks = append(g.blocks, b)
	for _, p := range preds {
		g.edge(p, id)
	}
	return id
}

func (g *graph) edge(from, to int) {
	g.blocks[from].succs = append(g.blocks[from].succs, to)
	g.blocks[to].preds = append(g.blocks[to].preds, from)
}
