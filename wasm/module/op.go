package module

import (
	"fmt"
	"strings"
)

// Op is the opcode of an instruction. Those with the prefix 0xfc are 0xfc00 plus the second part.
type Op uint16

// Opcodes that have a meaning for code in this project. The others have a name, through [Op.String], and no constant.
const (
	OpUnreachable        Op = 0x00
	OpNop                Op = 0x01
	OpBlock              Op = 0x02
	OpLoop               Op = 0x03
	OpIf                 Op = 0x04
	OpElse               Op = 0x05
	OpEnd                Op = 0x0b
	OpBr                 Op = 0x0c
	OpBrIf               Op = 0x0d
	OpBrTable            Op = 0x0e
	OpReturn             Op = 0x0f
	OpCall               Op = 0x10
	OpCallIndirect       Op = 0x11
	OpReturnCall         Op = 0x12
	OpReturnCallIndirect Op = 0x13
	OpDrop               Op = 0x1a
	OpSelect             Op = 0x1b
	OpSelectTyped        Op = 0x1c
	OpLocalGet           Op = 0x20
	OpLocalSet           Op = 0x21
	OpLocalTee           Op = 0x22
	OpGlobalGet          Op = 0x23
	OpGlobalSet          Op = 0x24
	OpTableGet           Op = 0x25
	OpTableSet           Op = 0x26
	OpI32Load            Op = 0x28
	OpF32Store           Op = 0x38
	OpF64Store           Op = 0x39
	OpI64Store32         Op = 0x3e
	OpMemorySize         Op = 0x3f
	OpMemoryGrow         Op = 0x40
	OpI32Const           Op = 0x41
	OpI64Const           Op = 0x42
	OpF32Const           Op = 0x43
	OpF64Const           Op = 0x44
	OpI32Eqz             Op = 0x45
	OpI32Ne              Op = 0x47
	OpI64LtS             Op = 0x53
	OpF32Eq              Op = 0x5b
	OpF64Eq              Op = 0x61
	OpI32DivS            Op = 0x6d
	OpI32RemU            Op = 0x70
	OpI64Sub             Op = 0x7d
	OpI64Mul             Op = 0x7e
	OpI64DivS            Op = 0x7f
	OpI64RemU            Op = 0x82
	OpI64ShrU            Op = 0x88
	OpF32Sqrt            Op = 0x91
	OpF32Div             Op = 0x95
	OpF32Copysign        Op = 0x98
	OpF64Sqrt            Op = 0x9f
	OpF64Div             Op = 0xa3
	OpF64Copysign        Op = 0xa6
	OpI64ExtendI32U      Op = 0xad
	OpI32ReinterpretF32  Op = 0xbc
	OpI64ReinterpretF64  Op = 0xbd
	OpI64Extend32S       Op = 0xc4
	OpRefNull            Op = 0xd0
	OpRefIsNull          Op = 0xd1
	OpRefFunc            Op = 0xd2

	OpMemoryInit Op = 0xfc08
	OpDataDrop   Op = 0xfc09
	OpMemoryCopy Op = 0xfc0a
	OpMemoryFill Op = 0xfc0b
	OpTableInit  Op = 0xfc0c
	OpElemDrop   Op = 0xfc0d
	OpTableCopy  Op = 0xfc0e
	OpTableGrow  Op = 0xfc0f
	OpTableSize  Op = 0xfc10
	OpTableFill  Op = 0xfc11
)

const prefixFC = 0xfc

// immediate is the shape of what follows an opcode.
type immediate byte

const (
	immUndefined immediate = iota
	immNone
	immBlock    // block type
	immLabel    // label
	immLabels   // vector of labels and a default
	immFunc     // function
	immLocal    // local
	immGlobal   // global
	immTable    // table
	immIndirect // type and table
	immTypes    // vector of value types
	immMemArg   // alignment and offset
	immMemory   // memory 0
	immI32      // constants
	immI64
	immF32
	immF64
	immRefType
	immSegment    // data or element segment
	immSegmentMem // data segment and memory 0
	immMemMem     // memory 0 twice
	immPair       // segment and table, or two tables
)

// operator describes an opcode.
type operator struct {
	name string
	imm  immediate
}

var (
	plain    = plainOperators()
	prefixed = prefixedOperators()
)

func plainOperators() (t [256]operator) {
	for op, o := range map[Op]operator{
		OpUnreachable: {"unreachable", immNone}, OpNop: {"nop", immNone}, OpBlock: {"block", immBlock}, OpLoop: {"loop", immBlock},
		OpIf: {"if", immBlock}, OpElse: {"else", immNone}, OpEnd: {"end", immNone}, OpBr: {"br", immLabel},
		OpBrIf: {"br_if", immLabel}, OpBrTable: {"br_table", immLabels}, OpReturn: {"return", immNone}, OpCall: {"call", immFunc},
		OpCallIndirect: {"call_indirect", immIndirect}, OpReturnCall: {"return_call", immFunc},
		OpReturnCallIndirect: {"return_call_indirect", immIndirect}, OpDrop: {"drop", immNone}, OpSelect: {"select", immNone},
		OpSelectTyped: {"select", immTypes}, OpLocalGet: {"local.get", immLocal}, OpLocalSet: {"local.set", immLocal},
		OpLocalTee: {"local.tee", immLocal}, OpGlobalGet: {"global.get", immGlobal}, OpGlobalSet: {"global.set", immGlobal},
		OpTableGet: {"table.get", immTable}, OpTableSet: {"table.set", immTable}, OpMemorySize: {"memory.size", immMemory},
		OpMemoryGrow: {"memory.grow", immMemory}, OpI32Const: {"i32.const", immI32}, OpI64Const: {"i64.const", immI64},
		OpF32Const: {"f32.const", immF32}, OpF64Const: {"f64.const", immF64}, OpRefNull: {"ref.null", immRefType},
		OpRefIsNull: {"ref.is_null", immNone}, OpRefFunc: {"ref.func", immFunc},
	} {
		t[op] = o
	}
	for i, name := range strings.Fields(memoryNames) {
		t[int(OpI32Load)+i] = operator{name, immMemArg}
	}
	for i, name := range strings.Fields(numericNames) {
		t[int(OpI32Eqz)+i] = operator{name, immNone}
	}
	return t
}

func prefixedOperators() []operator {
	var t []operator
	for _, name := range strings.Fields(saturatingNames) {
		t = append(t, operator{name, immNone})
	}
	return append(t,
		operator{"memory.init", immSegmentMem}, operator{"data.drop", immSegment}, operator{"memory.copy", immMemMem},
		operator{"memory.fill", immMemory}, operator{"table.init", immPair}, operator{"elem.drop", immSegment},
		operator{"table.copy", immPair}, operator{"table.grow", immTable}, operator{"table.size", immTable},
		operator{"table.fill", immTable})
}

// Names of consecutive opcodes.
const (
	memoryNames = `i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u
		i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u
		i32.store i64.store f32.store f64.store i32.store8 i32.store16 i64.store8 i64.store16 i64.store32`
	numericNames = `i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u
		i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u
		f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
		i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u
		i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
		i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u
		i64.and i64.or i64.xor i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr
		f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt
		f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign
		f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt
		f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign
		i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u
		i64.extend_i32_s i64.extend_i32_u i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u
		f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u f32.demote_f64
		f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32
		i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64
		i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s`
	saturatingNames = `i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u
		i64.trunc_sat_f32_s i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u`
)

// operator returns the description of an opcode; its shape is immUndefined if there is none.
func (op Op) operator() operator {
	switch {
	case op < 256:
		return plain[op]
	case op>>8 == prefixFC && int(op&0xff) < len(prefixed):
		return prefixed[op&0xff]
	}
	return operator{}
}

// String returns the name of an instruction in the text format.
func (op Op) String() string {
	switch name := op.operator().name; {
	case name != "":
		return name
	case op < 256:
		return fmt.Sprintf("opcode %#x", uint16(op))
	default:
		return fmt.Sprintf("opcode %#x %d", uint16(op>>8), op&0xff)
	}
}

// proposal names the extension of WebAssembly that an opcode without operator belongs to.
func proposal(opcode byte) string {
	switch {
	case opcode >= 0x06 && opcode <= 0x0a, opcode == 0x18, opcode == 0x19, opcode == 0x1f:
		return " (exception handling)"
	case opcode == 0x14, opcode == 0x15, opcode >= 0xd3 && opcode <= 0xd6:
		return " (typed references)"
	case opcode == 0xfb:
		return " (garbage collection)"
	case opcode == 0xfd:
		return " (vector instructions)"
	case opcode == 0xfe:
		return " (threads)"
	}
	return ""
}
