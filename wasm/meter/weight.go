package meter

import "github.com/runlace/runlace/wasm/module"

// weights estimates the time of an instruction in compiled code, in units of simple arithmetic.
var weights = func() (w [256]uint8) {
	for op := range w {
		w[op] = 1
	}
	set := func(weight uint8, from, to module.Op) {
		for op := from; op <= to; op++ {
			w[op] = weight
		}
	}
	// Registers, immediates and structure cost nothing by themselves.
	set(0, module.OpNop, module.OpLoop)
	set(0, module.OpElse, module.OpBr)
	set(0, module.OpReturn, module.OpReturn)
	set(0, module.OpDrop, module.OpDrop)
	set(0, module.OpLocalGet, module.OpLocalTee)
	set(0, module.OpI32Const, module.OpF64Const)

	set(2, module.OpI32Load, module.OpI64Store32) // with a bounds check
	set(4, module.OpBrTable, module.OpBrTable)
	set(6, module.OpCall, module.OpCall)
	set(6, module.OpReturnCall, module.OpReturnCall)
	set(14, module.OpCallIndirect, module.OpCallIndirect)
	set(14, module.OpReturnCallIndirect, module.OpReturnCallIndirect)
	set(12, module.OpI32DivS, module.OpI32RemU)
	set(12, module.OpI64DivS, module.OpI64RemU)
	set(6, module.OpF32Sqrt, module.OpF32Sqrt)
	set(6, module.OpF32Div, module.OpF32Div)
	set(6, module.OpF64Sqrt, module.OpF64Sqrt)
	set(6, module.OpF64Div, module.OpF64Div)
	return w
}()

// bulkWeight is charged for an operation that takes a length, on top of the length.
const bulkWeight = 10

// What a length costs.
const (
	bytesPerUnitLog = 2                        // memory operations move 4 bytes for a unit
	unitsPerPage    = 65536 >> bytesPerUnitLog // a new page has to be cleared
	// an element of a table costs a unit
)

// isBulk tells whether an operation takes time in proportion to its topmost operand.
func isBulk(op module.Op) bool {
	switch op {
	case module.OpMemoryGrow, module.OpMemoryFill, module.OpMemoryCopy, module.OpMemoryInit,
		module.OpTableGrow, module.OpTableFill, module.OpTableCopy, module.OpTableInit:
		return true
	}
	return false
}

func weight(op module.Op) int {
	switch {
	case isBulk(op):
		return bulkWeight
	case op < 256:
		return int(weights[op])
	}
	return 1
}

// cost is what an instruction adds to its block: its weight and, for a call, what the function leaves to its callers.
func (p *pass) cost(in *module.Instr) fixed {
	c := units(p.weight(in.Op))
	if in.Op == module.OpCall || in.Op == module.OpReturnCall {
		if in.Index < p.imports {
			c += units(p.cfg.HostCall)
		} else {
			c += p.entry[in.Index-p.imports]
		}
	}
	return c
}
