package meter

import "github.com/runlace/runlace/wasm/module"

// callGraph says which functions have to check on entry so that no cycle of calls goes unnoticed, and in which order to
// work on functions. Functions are numbered as in Module.Funcs.
type callGraph struct {
	check    []bool // checks on entry
	exported []bool // can be called by the host under a name
	order    []int  // callees before callers, as far as the callees do not check
}

// newCallGraph reads the calls of a module. One node of the graph stands for everything outside of what can be followed: the
// host, which may call any export, and tables, through which any function may be called whose reference
// was taken. An imported function leads there, and so does a call through a table.
func newCallGraph(m *module.Module) (*callGraph, error) {
	n := len(m.Funcs)
	outside := n
	imports := m.ImportedFuncs()
	succs := make([][]int, n+1)
	entered := make([]bool, n) // from the outside
	c := &callGraph{exported: make([]bool, n)}

	node := func(f uint32) int {
		if int(f) < imports {
			return outside
		}
		return int(f) - imports
	}
	enter := func(f uint32) {
		if v := node(f); v != outside {
			entered[v] = true
		}
	}
	for _, e := range m.Exports {
		if v := node(e.Index); e.Kind == module.KindFunc && v != outside {
			c.exported[v] = true
			entered[v] = true
		}
	}
	enterConst := func(k module.Const) {
		if k.Op == module.OpRefFunc {
			enter(uint32(k.Value))
		}
	}
	for _, g := range m.Globals {
		enterConst(g.Init)
	}
	for _, e := range m.Elems {
		for _, k := range e.Init {
			enterConst(k)
		}
	}
	for i := range m.Funcs {
		code := m.Code(i)
		for code.Next() {
			switch in := &code.Instr; in.Op {
			case module.OpCall, module.OpReturnCall:
				succs[i] = append(succs[i], node(in.Index))
			case module.OpCallIndirect, module.OpReturnCallIndirect:
				succs[i] = append(succs[i], outside)
			case module.OpRefFunc:
				enter(in.Index)
			}
		}
		if err := code.Err(); err != nil {
			return nil, err
		}
	}
	for f, is := range entered {
		if is {
			succs[outside] = append(succs[outside], f)
		}
	}

	// Functions that are entered from the outside and can come round again check. Of the cycles that are left, which are
	// direct calls only, every function does.
	cyclic, _ := components(succs, make([]bool, n+1))
	c.check = make([]bool, n)
	for f := range c.check {
		c.check[f] = entered[f] && cyclic[f]
	}
	cyclic, order := components(succs, append(c.check[:n:n], false))
	for _, f := range order {
		if f != outside {
			c.order = append(c.order, f)
		}
	}
	for f := range c.check {
		if c.check[f] {
			c.order = append(c.order, f)
		}
		c.check[f] = c.check[f] || cyclic[f]
	}
	return c, nil
}

// components finds the strongly connected components of a graph without the nodes in skip, after Tarjan. It returns the nodes that
// are on a cycle, and all nodes that are not skipped, ordered such that the successors of a node come before it
// unless they are on a cycle with it.
func components(succs [][]int, skip []bool) (cyclic []bool, order []int) {
	n := len(succs)
	cyclic = make([]bool, n)
	index := make([]int, n) // from 1, in the order of discovery
	low := make([]int, n)   // the least index that can be reached, as far as known
	onStack := make([]bool, n)
	var stack []int
	discovered := 0
	type frame struct{ node, next int }
	var frames []frame
	visit := func(v int) {
		discovered++
		index[v], low[v] = discovered, discovered
		stack = append(stack, v)
		onStack[v] = true
		frames = append(frames, frame{node: v})
	}
	for root := range succs {
		if index[root] != 0 || skip[root] {
			continue
		}
		visit(root)
		for len(frames) > 0 {
			top := &frames[len(frames)-1]
			v := top.node
			if top.next < len(succs[v]) {
				w := succs[v][top.next]
				top.next++
				switch {
				case skip[w]:
				case w == v:
					cyclic[v] = true
				case index[w] == 0:
					visit(w)
				case onStack[w]:
					low[v] = min(low[v], index[w])
				}
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				u := frames[len(frames)-1].node
				low[u] = min(low[u], low[v])
			}
			if low[v] < index[v] {
				continue
			}
			k := len(stack) - 1
			for stack[k] != v {
				k--
			}
			for _, w := range stack[k:] {
				onStack[w] = false
				cyclic[w] = cyclic[w] || len(stack)-k > 1
				order = append(order, w)
			}
			stack = stack[:k]
		}
	}
	return cyclic, order
}
