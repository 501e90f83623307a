package stubs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// classes finds the nodes that say the same, so that each type is written once.
type classes struct {
	ids   map[string]int
	nodes []*node // the first of each class
}

// local is what a node says without what is below it.
func local(n *node) string {
	var b strings.Builder
	output := n.output && (n.kind == kAny || n.kind == kRecord && n.value != nil) // what is written otherwise in results
	if n.cut {
		return "cut"
	}
	fmt.Fprintf(&b, "%d %v %v %v %d", n.kind, output, n.closed, n.empty, len(n.prefix))
	if n.item != nil {
		b.WriteString(" item")
	}
	if n.value != nil {
		b.WriteString(" value")
	}
	for _, v := range n.allowed {
		b.WriteString(" " + string(v.Canonical()))
	}
	if n.kind == kRecord {
		fmt.Fprintf(&b, " %q", n.doc)
	}
	for _, f := range n.fields {
		fmt.Fprintf(&b, " %q:%q:%v:%s", f.wire, f.python, f.required, fieldComment(f))
	}
	return b.String()
}

// place puts the nodes below roots into classes: first those without a cycle, from below; then each cycle as a whole.
func (c *classes) place(roots []*node) {
	t := &tarjan{index: map[*node]int{}, low: map[*node]int{}, on: map[*node]bool{}, done: c.component}
	for _, r := range roots {
		if r.class == 0 && t.index[r] == 0 {
			t.visit(r)
		}
	}
}

func (c *classes) intern(key string, n *node) {
	id, ok := c.ids[key]
	if !ok {
		c.nodes = append(c.nodes, n)
		id = len(c.nodes)
		c.ids[key] = id
	}
	n.class = id
}

// largestCycle is the size up to which cycles are compared. Those of real servers have some dozens of nodes.
const largestCycle = 500

// component gives classes to nodes that reach each other. Those below have theirs.
func (c *classes) component(list []*node) {
	if len(list) == 1 && !slices.Contains(list[0].children(), list[0]) {
		n := list[0]
		var b strings.Builder
		b.WriteString(local(n))
		for _, child := range n.children() {
			b.WriteString(" " + strconv.Itoa(child.class))
		}
		c.intern(b.String(), n)
		return
	}
	if len(list) > largestCycle { // each on its own: comparing would take the square of their number
		for i, n := range list {
			c.intern(fmt.Sprintf("cycle %d %d", len(c.nodes), i), n)
		}
		return
	}
	in := map[*node]bool{}
	for _, n := range list {
		in[n] = true
	}
	keys := make([]string, len(list))
	for i, n := range list {
		var b strings.Builder
		seen := map[*node]int{}
		var walk func(*node)
		walk = func(n *node) {
			if !in[n] {
				fmt.Fprintf(&b, " %d", n.class)
				return
			}
			if at, ok := seen[n]; ok {
				fmt.Fprintf(&b, " ^%d", at)
				return
			}
			seen[n] = len(seen)
			b.WriteString(" (" + local(n))
			for _, child := range n.children() {
				walk(child)
			}
			b.WriteByte(')')
		}
		walk(n)
		keys[i] = b.String()
	}
	for i, n := range list {
		c.intern(keys[i], n)
	}
}

// of returns the node that stands for a node's class.
func (c *classes) of(n *node) *node { return c.nodes[n.class-1] }

// tarjan finds strongly connected components, those below first.
type tarjan struct {
	index, low map[*node]int
	on         map[*node]bool
	stack      []*node
	done       func([]*node)
}

func (t *tarjan) visit(n *node) {
	t.index[n] = len(t.index) + 1
	t.low[n] = t.index[n]
	t.stack = append(t.stack, n)
	t.on[n] = true
	for _, c := range n.children() {
		if t.index[c] == 0 {
			if c.class != 0 {
				continue // of an earlier root
			}
			t.visit(c)
			t.low[n] = min(t.low[n], t.low[c])
		} else if t.on[c] {
			t.low[n] = min(t.low[n], t.index[c])
		}
	}
	if t.low[n] == t.index[n] {
		for i := len(t.stack) - 1; ; i-- {
			t.on[t.stack[i]] = false
			if t.stack[i] == n {
				component := slices.Clone(t.stack[i:])
				slices.Reverse(component)
				t.stack = t.stack[:i]
				t.done(component)
				return
			}
		}
	}
}
