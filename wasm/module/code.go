package module

// maxNesting bounds how deep blocks may nest. Compilers turn a switch into one block for each case, so it is generous.
const maxNesting = 10_000

// Instr is an instruction of a function body.
type Instr struct {
	Op         Op
	Start, End int      // its bytes in Func.Code
	Index      uint32   // the label, local, global, function, type, table or segment that it names first
	Labels     []uint32 // of a br_table, the default last; valid until the next call of Next
	Params     int      // of a block, loop or if: how many values it takes from the stack
}

// Code reads the instructions of a function:
//
//	code := m.Code(n)
//	for code.Next() {
//		in := &code.Instr
//		…
//	}
//	if err := code.Err(); err != nil …
//
// It makes sure that blocks are well nested, that labels, locals, globals, functions and types exist, and that the body
// ends where it should.
type Code struct {
	Instr Instr // the current instruction

	r       reader
	m       *Module
	open    []Op // the constructs around the current position, from the outside; the function counts as a block
	funcs   uint32
	globals uint32
	locals  uint32
}

// Code returns a reader for function n of [Module.Funcs].
func (m *Module) Code(n int) *Code {
	f := &m.Funcs[n]
	locals := uint32(len(m.Types[f.Type].Params))
	for _, l := range f.Locals {
		locals += l.Count
	}
	return &Code{
		r:       reader{buf: f.Code, base: f.offset},
		m:       m,
		open:    []Op{OpBlock},
		funcs:   m.imported(KindFunc) + uint32(len(m.Funcs)),
		globals: m.imported(KindGlobal) + uint32(len(m.Globals)),
		locals:  locals,
	}
}

// Err returns the error that ended the reading, or nil.
func (c *Code) Err() error { return c.r.failure() }

// Depth is the number of constructs around the current position, the function among them.
func (c *Code) Depth() int { return len(c.open) }

// Next goes to the next instruction. It returns false at the end and after an error.
func (c *Code) Next() bool {
	if c.r.err != nil {
		return false
	}
	if len(c.open) == 0 {
		if c.r.more() {
			c.r.fail("%d bytes after the end of the function", c.r.left())
		}
		return false
	}
	c.Instr = Instr{Start: c.r.pos, Labels: c.Instr.Labels[:0]}
	c.opcode()
	c.nest()
	c.Instr.End = c.r.pos
	return c.r.err == nil
}

// opcode reads an instruction.
func (c *Code) opcode() {
	r, in := &c.r, &c.Instr
	b := r.byte()
	op := Op(b)
	imm := plain[b].imm
	if b == prefixFC {
		sub := r.u32()
		if sub >= uint32(len(prefixed)) {
			r.failAt(in.Start, "opcode %#x %d is not supported", b, sub)
			return
		}
		op, imm = prefixFC<<8|Op(sub), prefixed[sub].imm
	}
	in.Op = op
	switch imm {
	case immNone:
	case immBlock:
		c.blockType()
	case immLabel:
		c.label()
	case immLabels:
		for range r.count() {
			c.label()
			in.Labels = append(in.Labels, in.Index)
		}
		c.label()
		in.Labels = append(in.Labels, in.Index)
	case immFunc:
		c.index("function", c.funcs)
	case immLocal:
		c.index("local", c.locals)
	case immGlobal:
		c.index("global", c.globals)
	case immTable, immSegment:
		in.Index = r.u32()
	case immIndirect:
		c.index("type", uint32(len(c.m.Types)))
		r.u32()
	case immTypes:
		r.valTypes()
	case immMemArg:
		if r.u32()&0x40 != 0 {
			r.failAt(in.Start, "%v: multiple memories are not supported", op)
		}
		r.u32()
	case immMemory:
		c.memory()
	case immMemMem:
		c.memory()
		c.memory()
	case immSegmentMem:
		in.Index = r.u32()
		c.memory()
	case immPair:
		in.Index = r.u32()
		r.u32()
	case immI32:
		r.signed(32)
	case immI64:
		r.signed(64)
	case immF32:
		r.bytes(4)
	case immF64:
		r.bytes(8)
	case immRefType:
		r.refType()
	default:
		if r.err != nil {
			return
		}
		if proposal(b) != "" && b >= 0xfb {
			r.failAt(in.Start, "opcode %#x %d%s is not supported", b, r.u32(), proposal(b))
		} else {
			r.failAt(in.Start, "opcode %#x%s is not supported", b, proposal(b))
		}
	}
}

// nest keeps track of the constructs around the position.
func (c *Code) nest() {
	switch top := len(c.open) - 1; c.Instr.Op {
	case OpBlock, OpLoop, OpIf:
		if top >= maxNesting {
			c.r.failAt(c.Instr.Start, "blocks nest deeper than %d", maxNesting)
		}
		c.open = append(c.open, c.Instr.Op)
	case OpElse:
		if c.open[top] != OpIf {
			c.r.failAt(c.Instr.Start, "else without if")
		}
		c.open[top] = OpElse
	case OpEnd:
		c.open = c.open[:top]
	}
}

// index reads an index below n.
func (c *Code) index(what string, n uint32) {
	c.Instr.Index = c.r.u32()
	if c.Instr.Index >= n {
		c.r.failAt(c.Instr.Start, "%v: no %s %d", c.Instr.Op, what, c.Instr.Index)
		c.Instr.Index = 0
	}
}

func (c *Code) label() { c.index("label", uint32(len(c.open))) }

func (c *Code) memory() {
	if c.r.byte() != 0 {
		c.r.failAt(c.Instr.Start, "%v: multiple memories are not supported", c.Instr.Op)
	}
}

// blockType reads the type of a construct: none, the type of a result, or the index of a function type.
func (c *Code) blockType() {
	start := c.r.pos
	switch t := c.r.signed(33); {
	case t == -0x40:
	case t < 0 && c.r.pos == start+1:
		c.r.pos = start
		c.r.valType()
	case t < 0:
		c.r.failAt(start, "block type %d is not supported", t)
	case t >= int64(len(c.m.Types)):
		c.r.failAt(start, "%v: no type %d", c.Instr.Op, t)
	default:
		c.Instr.Params = len(c.m.Types[t].Params)
	}
}
