package meter

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
)

// build analyses function n of a text.
func build(t *testing.T, text string, n int) *graph {
	t.Helper()
	g := &graph{}
	cost := func(in *module.Instr) fixed { return units(weight(in.Op)) }
	if err := g.build(wasmtest.Module(text).Code(n), cost); err != nil {
		t.Fatal(err)
	}
	return g
}

// reachable marks the blocks that can be reached from a block along edges, without going through one of them.
func (g *graph) reachable(from, without int) []bool {
	seen := make([]bool, len(g.blocks))
	var visit func(b int)
	visit = func(b int) {
		if b == without || seen[b] {
			return
		}
		seen[b] = true
		for _, s := range g.blocks[b].succs {
			visit(s)
		}
	}
	visit(from)
	return seen
}

// TestGraph compares the analysis of random functions with the definitions, worked out the slow way.
func TestGraph(t *testing.T) {
	for seed := range int64(30) {
		for n := range randomFuncs {
			g := build(t, randomProgram(seed), n)
			where := func(b int) string { return fmt.Sprintf("seed %d, f%d, block %d", seed, n, b) }
			dominates := make([][]bool, len(g.blocks)) // dominates[a][b]: every path to b goes through a
			for a := range g.blocks {
				reached := g.reachable(0, a)
				dominates[a] = make([]bool, len(g.blocks))
				for b := range g.blocks {
					dominates[a][b] = !reached[b]
				}
			}
			all := g.reachable(0, none)
			for b, block := range g.blocks {
				if !all[b] {
					t.Fatalf("%s cannot be reached", where(b))
				}
				// The immediate dominator is dominated by all the others.
				for a := range b {
					if dominates[a][b] && (!dominates[block.idom][b] || !dominates[a][block.idom]) {
						t.Fatalf("%s: immediate dominator %d, but %d", where(b), block.idom, a)
					}
				}
				// A header is branched back to, from what it dominates.
				back := slices.ContainsFunc(block.preds, func(p int) bool { return p >= b })
				if block.header != back {
					t.Fatalf("%s: header is %v", where(b), block.header)
				}
				for _, p := range block.preds {
					if p >= b && !dominates[b][p] {
						t.Fatalf("%s: a loop is entered in the middle", where(b))
					}
				}
				// The innermost loop around b is the last header that dominates b and can be reached from b
				// without leaving what the header dominates.
				region := 0
				for h := range b {
					if g.blocks[h].header && dominates[h][b] && g.loopsBack(b, h, dominates[h]) {
						region = h
					}
				}
				if b > 0 && block.region != region {
					t.Fatalf("%s: in region %d, want %d", where(b), block.region, region)
				}
			}
		}
	}
}

// loopsBack tells whether there is a path from a block to a header that stays among the blocks inside.
func (g *graph) loopsBack(from, header int, inside []bool) bool {
	seen := make([]bool, len(g.blocks))
	var visit func(b int) bool
	visit = func(b int) bool {
		if seen[b] || !inside[b] {
			return false
		}
		seen[b] = true
		for _, s := range g.blocks[b].succs {
			if s == header || visit(s) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// TestEstimate: how often blocks are thought to run.
func TestEstimate(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want []float64
	}{
		"straight":             {"nop", []float64{0}},
		"if":                   {"local.get 0 if nop else nop end", []float64{0, .5, .5, 1}},
		"if without else":      {"local.get 0 if nop end", []float64{0, .5, 1}},
		"trap is never taken":  {"local.get 0 if unreachable end", []float64{0, 0, 1}},
		"trap is all there is": {"local.get 0 if unreachable end unreachable", []float64{0, .5, .5}},
		"early return":         {"local.get 0 if return end", []float64{0, .5, .5}},
		"switch":               {"block block block local.get 0\nbr_table 0 1 2\nend nop end nop end", []float64{0, 1. / 3, 2. / 3, 1}},
		"labels twice":         {"block block local.get 0\nbr_table 0 0 0 1\nend nop end nop", []float64{0, .5, 1}},
		// A block of a loop counts for each round, a block after it for all of them together.
		"loop": {"loop local.get 0 if local.get 0 br_if 1 end end", []float64{0, 1, .5, 1. / 3, 1}},
		"loop with two exits": {"block loop local.get 0 br_if 1 local.get 0 br_if 0 end nop return end nop",
			[]float64{0, 1, .5, 1. / 3, 2. / 3}},
	} {
		g := build(t, "func f (i32)->()\n"+c.code, 0)
		var got []float64
		for _, b := range g.blocks {
			got = append(got, float64(b.runs)/float64(one))
		}
		near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 })
		if diff := cmp.Diff(c.want, got, near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestComponents(t *testing.T) {
	succs := [][]int{{1}, {2}, {0, 3}, {4}, {4}, {}, {5}}
	none := make([]bool, len(succs))
	cyclic, order := components(succs, none)
	if diff := cmp.Diff([]bool{true, true, true, false, true, false, false}, cyclic); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{4, 3, 0, 1, 2, 5, 6}, order); diff != "" {
		t.Error(diff)
	}
	without1 := slices.Clone(none)
	without1[1] = true
	cyclic, order = components(succs, without1)
	if diff := cmp.Diff([]bool{false, false, false, false, true, false, false}, cyclic); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 4, 3, 2, 5, 6}, order); diff != "" {
		t.Error(diff)
	}
}

// TestChecks: which functions check on entry.
func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []bool
	}{
		"a call to a leaf": {`
			func $a export ()->()
				call $b
			func $b ()->()`, []bool{false, false}},
		"one function of a cycle is enough": {`
			func $a export ()->()
				call $b
			func $b ()->()
				call $a`, []bool{true, false}},
		"without an entry from outside, all do": {`
			func $a ()->()
				call $b
			func $b ()->()
				call $a`, []bool{true, true}},
		"what the host can enter and what calls it": {`
			import test.host ()->()
			func $a export ()->()
				call $b
			func $b ()->()
				call test.host
			func $leaf export ()->()`, []bool{true, false, false}},
		"what a table can enter and what calls through it": {`
			table 2 $a $leaf
			func $a ()->()
				call $b
			func $b ()->()
				i32.const 0 call_indirect ()->()
			func $leaf ()->()`, []bool{true, false, false}},
		"what code puts in a table": {`
			table 1
			func $a ()->()
				i32.const 0 ref.func $b table.set 0
			func $b ()->()
				i32.const 0 call_indirect ()->()`, []bool{false, true}},
	} {
		g, err := newCallGraph(wasmtest.Module(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, g.check); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if order := slices.Sorted(slices.Values(g.order)); len(order) != len(c.want) || order[0] != 0 {
			t.Errorf("%s: order %v", name, g.order)
		}
	}
}
