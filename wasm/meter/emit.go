package meter

import (
	"slices"

	"github.com/runlace/runlace/wasm/module"
)

// noType is the block type of a construct without parameters and results.
const noType = 0x40

// emitter writes the body of one function.
//
// A check is a branch forward that is taken if the fuel has run out. What it leads to is behind the code that usually runs, and
// comes back by running the construct again. A function that checks on entry, and likewise a loop, becomes
//
//	loop
//	  block
//	    fuel < 0, br_if 0
//	    …
//	    return                   ; a loop: a branch past the end
//	  end
//	  call out_of_fuel
//	  br 0
//	end
//
// Nothing joins the way that usually runs, so what the engine knows there about registers and about the base and size of the
// memory survives the check. A call in place would make it forget.
type emitter struct {
	*pass
	out   []byte
	depth int      // constructs open in the output, the function among them
	open  []opened // constructs open in the original, the function among them

	locals  []module.Locals
	nLocals uint32 // with parameters
	// Local variables for temporary values, made on first use. i32 is the first of two.
	i32, f32, f64 temporary
}

// opened is where an open construct of the original is in the output.
type opened struct {
	index   int  // number of constructs around it
	wrapped bool // in a loop that calls out_of_fuel
}

// temporary is a local variable that is added when it is needed.
type temporary struct {
	exists bool
	index  uint32
}

// emit replaces the body of function f by the metered one.
func (p *pass) emit(f int, g *graph) error {
	fn := &p.m.Funcs[f]
	e := &emitter{pass: p, depth: 1, open: []opened{{wrapped: p.calls.check[f]}}, locals: slices.Clone(fn.Locals)}
	e.out = make([]byte, 0, len(fn.Code)+len(fn.Code)/8+64)
	e.nLocals = uint32(len(p.m.Types[fn.Type].Params))
	for _, l := range fn.Locals {
		e.nLocals += l.Count
	}
	if p.calls.check[f] {
		e.opcode(module.OpLoop, noType)
		e.opcode(module.OpBlock, noType)
		e.depth = 3
		e.rep.EntryChecks++
		e.check(0)
	}
	next := 0 // block
	code := p.m.Code(f)
	for more := code.Next(); more; more = code.Next() {
		in := &code.Instr
		if next < len(g.blocks) && g.blocks[next].start == in.Start {
			b := &g.blocks[next]
			if b.header {
				e.checkLoop()
			}
			if b.charge > 0 {
				e.rep.Charges++
				e.subtract(func() { e.constant(module.OpI64Const, b.charge) })
			}
			next++
		}
		repeats := next < len(g.blocks) && g.blocks[next].start == in.End && g.blocks[next].header
		e.instruction(in, fn.Code[in.Start:in.End], repeats)
	}
	if err := code.Err(); err != nil {
		return err
	}
	fn.Locals, fn.Code = e.locals, e.out
	return nil
}

func (e *emitter) opcode(op module.Op, rest ...byte) {
	e.out = append(module.AppendOp(e.out, op), rest...)
}

func (e *emitter) indexed(op module.Op, index uint32) {
	e.out = module.AppendUnsigned(module.AppendOp(e.out, op), uint64(index))
}

func (e *emitter) constant(op module.Op, v int64) {
	e.out = module.AppendSigned(module.AppendOp(e.out, op), v)
}

// local returns the index of a temporary; n is how many of them lie side by side.
func (e *emitter) local(t *temporary, n uint32, typ module.ValType) uint32 {
	if !t.exists {
		*t = temporary{true, e.nLocals}
		e.nLocals += n
		e.locals = append(e.locals, module.Locals{Count: n, Type: typ})
	}
	return t.index
}

// subtract writes fuel -= amount, where amount writes code that pushes an i64.
func (e *emitter) subtract(amount func()) {
	e.indexed(module.OpGlobalGet, e.fuel)
	amount()
	e.opcode(module.OpI64Sub)
	e.indexed(module.OpGlobalSet, e.fuel)
}

// empty writes code that pushes whether the fuel has run out.
func (e *emitter) empty() {
	e.indexed(module.OpGlobalGet, e.fuel)
	e.constant(module.OpI64Const, 0)
	e.opcode(module.OpI64LtS)
}

// check writes a branch to label that is taken if the fuel has run out.
func (e *emitter) check(label uint32) {
	e.empty()
	e.indexed(module.OpBrIf, label)
}

// checkLoop writes the check at the head of the innermost loop.
func (e *emitter) checkLoop() {
	if e.open[len(e.open)-1].wrapped {
		e.check(1)
		return
	}
	e.opcode(module.OpLoop, noType)
	e.empty()
	e.opcode(module.OpIf, noType)
	e.indexed(module.OpCall, e.outOfFuel)
	e.indexed(module.OpBr, 1)
	e.opcode(module.OpEnd)
	e.opcode(module.OpEnd)
}

// label translates a label of the original.
func (e *emitter) label(l uint32) uint32 {
	return uint32(e.depth - 1 - e.open[len(e.open)-1-int(l)].index)
}

// instruction writes an instruction of the original, whose bytes are raw; repeats tells of a loop whether it can.
func (e *emitter) instruction(in *module.Instr, raw []byte, repeats bool) {
	switch in.Op {
	case module.OpBlock, module.OpIf:
		e.begin(raw, false)
	case module.OpLoop:
		// Values that go into a loop cannot be kept on the way round through a block without parameters. Compilers
		// hardly ever make such loops; they check in place.
		e.begin(raw, repeats && in.Params == 0)
	case module.OpEnd:
		e.end()
	case module.OpBr, module.OpBrIf:
		e.indexed(in.Op, e.label(in.Index))
	case module.OpBrTable:
		e.indexed(in.Op, uint32(len(in.Labels)-1))
		for _, l := range in.Labels {
			e.out = module.AppendUnsigned(e.out, uint64(e.label(l)))
		}
	case module.OpF32Store, module.OpF32Copysign, module.OpI32ReinterpretF32:
		e.canonical(module.F32)
		e.out = append(e.out, raw...)
	case module.OpF64Store, module.OpF64Copysign, module.OpI64ReinterpretF64:
		e.canonical(module.F64)
		e.out = append(e.out, raw...)
	default:
		if isBulk(in.Op) {
			e.bulk(in.Op, raw)
		} else {
			e.out = append(e.out, raw...)
		}
	}
}

// begin writes the start of a construct.
func (e *emitter) begin(raw []byte, wrap bool) {
	if wrap {
		e.opcode(module.OpBlock, raw[1:]...)
		e.opcode(module.OpLoop, noType)
		e.opcode(module.OpBlock, noType)
		e.depth += 3
	}
	e.out = append(e.out, raw...)
	e.open = append(e.open, opened{e.depth, wrap})
	e.depth++
}

// end writes the end of a construct.
func (e *emitter) end() {
	c := e.open[len(e.open)-1]
	e.open = e.open[:len(e.open)-1]
	isFunc := len(e.open) == 0
	if !c.wrapped {
		e.opcode(module.OpEnd)
		e.depth--
		return
	}
	if isFunc {
		e.opcode(module.OpReturn)
	} else {
		e.opcode(module.OpEnd)
		e.indexed(module.OpBr, 2)
		e.depth--
	}
	e.opcode(module.OpEnd)
	e.indexed(module.OpCall, e.outOfFuel)
	e.indexed(module.OpBr, 0)
	e.opcode(module.OpEnd)
	e.opcode(module.OpUnreachable)
	e.opcode(module.OpEnd)
	e.depth -= 3
}

// bulk writes an operation that takes time in proportion to its topmost operand, with a charge for it. There is
// no check: the next loop or call has one.
func (e *emitter) bulk(op module.Op, raw []byte) {
	e.rep.Bulk++
	length := e.local(&e.i32, 2, module.I32)
	e.indexed(module.OpLocalTee, length)
	push := func() {
		e.indexed(module.OpLocalGet, length)
		e.opcode(module.OpI64ExtendI32U)
	}
	switch op {
	case module.OpMemoryGrow: // charged if it succeeds
		result := length + 1
		e.out = append(e.out, raw...)
		e.indexed(module.OpLocalTee, result)
		e.subtract(func() {
			push()
			e.constant(module.OpI64Const, unitsPerPage)
			e.opcode(module.OpI64Mul)
			e.constant(module.OpI64Const, 0)
			e.indexed(module.OpLocalGet, result)
			e.constant(module.OpI32Const, -1)
			e.opcode(module.OpI32Ne)
			e.opcode(module.OpSelect)
		})
		return
	case module.OpMemoryFill, module.OpMemoryCopy, module.OpMemoryInit:
		e.subtract(func() {
			push()
			e.constant(module.OpI64Const, bytesPerUnitLog)
			e.opcode(module.OpI64ShrU)
		})
	default:
		e.subtract(push)
	}
	e.out = append(e.out, raw...)
}

// canonical makes the number on top of the stack the canonical NaN if it is a NaN, which is to say not equal to itself.
func (e *emitter) canonical(t module.ValType) {
	if !e.cfg.CanonicalNaN {
		return
	}
	e.rep.NaNs++
	var x uint32
	var eq module.Op
	if t == module.F32 {
		x, eq = e.local(&e.f32, 1, t), module.OpF32Eq
		e.indexed(module.OpLocalTee, x)
		e.opcode(module.OpF32Const, 0, 0, 0xc0, 0x7f)
	} else {
		x, eq = e.local(&e.f64, 1, t), module.OpF64Eq
		e.indexed(module.OpLocalTee, x)
		e.opcode(module.OpF64Const, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f)
	}
	e.indexed(module.OpLocalGet, x)
	e.indexed(module.OpLocalGet, x)
	e.opcode(eq)
	e.opcode(module.OpSelect)
}
