// Package wasmtest assembles small WebAssembly modules from text, for tests that should need no tools.
//
//	wasm := wasmtest.Assemble(`
//		import host.f ()->()
//		memory 1
//		table 8 $f $g                 ; size, and the functions at its start
//		global mut i32 7
//		func $f export (i32)->(i32) local i64 i64
//			local.get 0
//			if i32
//				i32.const 1
//				call $g
//			else
//				i32.const 2
//			end
//		func $g (i32)->(i32)
//			local.get 0
//	`)
//
// Functions are called by name or number, imports first; everything else by number. Exported functions are exported under
// their name. Labels are numbers, counted from the inside. Alignments are natural and need not be given: an access takes
// only an offset. The type of a block is empty, one value type, or a function type. A comment runs from a semicolon to the end of
// the line. The bytes n… of an instruction that the assembler does not know are written "byte n…" (to the end of the line).
package wasmtest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/runlace/runlace/wasm/module"
)

// Assemble returns the binary of a module. It panics if the text is wrong.
func Assemble(text string) []byte { return Module(text).Encode() }

// Module is like [Assemble] and returns the module before it is encoded.
func Module(text string) *module.Module {
	a := &assembler{m: &module.Module{}, funcs: map[string]uint32{}}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line, _, _ = strings.Cut(line, ";")
		lines[i] = line
		if f := strings.Fields(line); len(f) > 1 && (f[0] == "import" && strings.Contains(line, "(") || f[0] == "func") {
			if _, known := a.funcs[f[1]]; known {
				panic("wasmtest: two functions are called " + f[1])
			}
			a.funcs[f[1]] = uint32(len(a.funcs))
		}
	}
	for i, line := range lines {
		a.line, a.lineNo = line, i+1
		a.tokens = split(line)
		for len(a.tokens) > 0 {
			a.item()
		}
	}
	a.endFunc()
	return a.m
}

// split returns the tokens of a line: words, and function types.
func split(line string) (tokens []string) {
	inType := false
	for _, word := range strings.Fields(line) {
		if inType {
			tokens[len(tokens)-1] += " " + word
		} else {
			tokens = append(tokens, word)
		}
		last := tokens[len(tokens)-1]
		inType = last[0] == '(' && strings.Count(last, ")") < 2
	}
	return tokens
}

type assembler struct {
	m      *module.Module
	funcs  map[string]uint32
	line   string
	lineNo int
	tokens []string
	inFunc bool
}

func (a *assembler) fail(format string, args ...any) {
	panic(fmt.Sprintf("wasmtest: line %d: %s: %s", a.lineNo, strings.TrimSpace(a.line), fmt.Sprintf(format, args...)))
}

// peek returns the next token of the line, or "".
func (a *assembler) peek() string {
	if len(a.tokens) == 0 {
		return ""
	}
	return a.tokens[0]
}

func (a *assembler) next() string {
	t := a.peek()
	if t == "" {
		a.fail("the line ends too soon")
	}
	a.tokens = a.tokens[1:]
	return t
}

// accept tells whether the next token is t, and takes it if so.
func (a *assembler) accept(t string) bool {
	if a.peek() != t {
		return false
	}
	a.next()
	return true
}

func (a *assembler) number() int64 {
	t := a.next()
	v, err := strconv.ParseInt(t, 0, 64)
	if err != nil {
		a.fail("%s is not a number", t)
	}
	return v
}

func (a *assembler) float(bits int) float64 {
	t := a.next()
	v, err := strconv.ParseFloat(t, bits)
	if err != nil {
		a.fail("%s is not a number", t)
	}
	return v
}

func (a *assembler) function() uint32 {
	if f, ok := a.funcs[a.peek()]; ok {
		a.next()
		return f
	}
	return uint32(a.number())
}

var valTypes = map[string]module.ValType{"i32": module.I32, "i64": module.I64, "f32": module.F32, "f64": module.F64,
	"funcref": module.FuncRef, "externref": module.ExternRef}

func (a *assembler) valType() module.ValType { return a.valTypeNamed(a.next()) }

func (a *assembler) valTypeNamed(name string) module.ValType {
	t, ok := valTypes[name]
	if !ok {
		a.fail("%s is not a value type", name)
	}
	return t
}

// typeIndex reads a function type.
func (a *assembler) typeIndex() uint32 {
	t := a.next()
	params, results, ok := strings.Cut(t, "->")
	if !ok {
		a.fail("function type expected")
	}
	list := func(s string) (ts []module.ValType) {
		for _, name := range strings.Fields(strings.Trim(s, "()")) {
			ts = append(ts, a.valTypeNamed(name))
		}
		return ts
	}
	ft := module.FuncType{Params: list(params), Results: list(results)}
	for i, u := range a.m.Types {
		if u.Equal(ft) {
			return uint32(i)
		}
	}
	a.m.Types = append(a.m.Types, ft)
	return uint32(len(a.m.Types) - 1)
}

func (a *assembler) limits() module.Limits {
	l := module.Limits{Min: uint32(a.number())}
	if a.accept("max") {
		l.Max, l.Bounded = uint32(a.number()), true
	}
	return l
}

func (a *assembler) globalType() module.GlobalType {
	mutable := a.accept("mut")
	return module.GlobalType{Type: a.valType(), Mutable: mutable}
}

var kinds = map[string]module.Kind{"func": module.KindFunc, "table": module.KindTable, "memory": module.KindMemory,
	"global": module.KindGlobal}

// item reads a declaration or an instruction.
func (a *assembler) item() {
	m := a.m
	switch t := a.next(); t {
	case "import":
		a.imported()
	case "memory":
		m.Memories = append(m.Memories, a.limits())
		m.Exports = append(m.Exports, module.Export{Name: "memory", Kind: module.KindMemory})
	case "table":
		m.Tables = append(m.Tables, module.Table{Elem: module.FuncRef, Limits: a.limits()})
		if init := a.functions(); init != nil {
			m.Elems = append(m.Elems, module.Elem{Offset: module.Number(module.I32, 0), Type: module.FuncRef, Init: init})
		}
	case "elem": // passive
		m.Elems = append(m.Elems, module.Elem{Flags: 1, Type: module.FuncRef, Init: a.functions()})
	case "declare":
		m.Elems = append(m.Elems, module.Elem{Flags: 3, Type: module.FuncRef, Init: a.functions()})
	case "global":
		t := a.globalType()
		m.Globals = append(m.Globals, module.Global{GlobalType: t, Init: a.constant(t.Type)})
	case "export":
		name, what := a.next(), a.next()
		kind, ok := kinds[what]
		if !ok {
			a.fail("%s cannot be exported", what)
		}
		m.Exports = append(m.Exports, module.Export{Name: name, Kind: kind, Index: a.function()})
	case "start":
		f := a.function()
		m.Start = &f
	case "data":
		if a.accept("passive") {
			m.Data = append(m.Data, module.Data{Passive: true, Init: []byte(a.next())})
		} else {
			at := module.Number(module.I32, uint64(a.number()))
			m.Data = append(m.Data, module.Data{Offset: at, Init: []byte(a.next())})
		}
	case "datacount":
		m.DataCount = true
	case "func":
		a.beginFunc()
	default:
		if !a.inFunc {
			a.fail("unknown declaration %s", t)
		}
		f := &m.Funcs[len(m.Funcs)-1]
		f.Code = a.instruction(f.Code, t)
	}
}

// constant reads a constant of a type.
func (a *assembler) constant(t module.ValType) module.Const {
	switch {
	case t == module.FuncRef && a.accept("null"):
		return module.Const{Op: module.OpRefNull, Value: uint64(t)}
	case t == module.FuncRef:
		return module.Const{Op: module.OpRefFunc, Value: uint64(a.function())}
	case t == module.F32:
		return module.Number(t, uint64(math.Float32bits(float32(a.float(32)))))
	case t == module.F64:
		return module.Number(t, math.Float64bits(a.float(64)))
	default:
		return module.Number(t, uint64(a.number()))
	}
}

// functions reads functions to the end of the line.
func (a *assembler) functions() (refs []module.Const) {
	for len(a.tokens) > 0 {
		refs = append(refs, module.Const{Op: module.OpRefFunc, Value: uint64(a.function())})
	}
	return refs
}

func (a *assembler) imported() {
	mod, name, _ := strings.Cut(a.next(), ".")
	im := module.Import{Module: mod, Name: name}
	switch a.peek() {
	case "global":
		a.next()
		im.Kind, im.Global = module.KindGlobal, a.globalType()
	case "memory":
		a.next()
		im.Kind, im.Memory = module.KindMemory, a.limits()
	case "table":
		a.next()
		im.Kind, im.Table = module.KindTable, module.Table{Elem: module.FuncRef, Limits: a.limits()}
	default:
		im.Func = a.typeIndex()
	}
	a.m.Imports = append(a.m.Imports, im)
}

func (a *assembler) beginFunc() {
	a.endFunc()
	a.inFunc = true
	name := a.next()
	if a.accept("export") {
		a.m.Exports = append(a.m.Exports, module.Export{Name: strings.TrimPrefix(name, "$"), Kind: module.KindFunc, Index: a.funcs[name]})
	}
	f := module.Func{Type: a.typeIndex()}
	if a.accept("local") {
		for len(a.tokens) > 0 {
			f.Locals = append(f.Locals, module.Locals{Count: 1, Type: a.valType()})
		}
	}
	a.m.Funcs = append(a.m.Funcs, f)
}

func (a *assembler) endFunc() {
	if a.inFunc {
		f := &a.m.Funcs[len(a.m.Funcs)-1]
		f.Code = append(f.Code, byte(module.OpEnd))
	}
	a.inFunc = false
}

// opcodes are the instructions by name.
var opcodes = func() map[string]module.Op {
	ops := map[string]module.Op{}
	add := func(from, to module.Op) {
		for op := from; op <= to; op++ {
			if _, known := ops[op.String()]; !known {
				ops[op.String()] = op
			}
		}
	}
	add(0, 0xff)
	add(0xfc00, module.OpTableFill)
	return ops
}()

// instruction appends the instruction called name, whose operands are the next tokens.
func (a *assembler) instruction(b []byte, name string) []byte {
	if name == "byte" {
		for len(a.tokens) > 0 {
			b = append(b, byte(a.number()))
		}
		return b
	}
	op, ok := opcodes[name]
	if !ok {
		a.fail("unknown instruction %s", name)
	}
	b = module.AppendOp(b, op)
	index := func() { b = module.AppendUnsigned(b, uint64(a.number())) }
	switch op {
	case module.OpBlock, module.OpLoop, module.OpIf:
		switch t := a.peek(); {
		case valTypes[t] != 0:
			b = append(b, a.valType())
		case strings.HasPrefix(t, "("):
			b = module.AppendSigned(b, int64(a.typeIndex()))
		default:
			b = append(b, 0x40)
		}
	case module.OpBrTable: // to the end of the line
		b = module.AppendUnsigned(b, uint64(max(len(a.tokens), 1)-1))
		index()
		for len(a.tokens) > 0 {
			index()
		}
	case module.OpCall, module.OpReturnCall, module.OpRefFunc:
		b = module.AppendUnsigned(b, uint64(a.function()))
	case module.OpCallIndirect, module.OpReturnCallIndirect:
		b = append(module.AppendUnsigned(b, uint64(a.typeIndex())), 0)
	case module.OpBr, module.OpBrIf, module.OpLocalGet, module.OpLocalSet, module.OpLocalTee, module.OpGlobalGet,
		module.OpGlobalSet, module.OpTableGet, module.OpTableSet, module.OpTableGrow, module.OpTableFill, module.OpTableSize,
		module.OpDataDrop, module.OpElemDrop:
		index()
	case module.OpI32Const, module.OpI64Const:
		b = module.AppendSigned(b, a.number())
	case module.OpF32Const:
		bits := math.Float32bits(float32(a.float(32)))
		b = append(b, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	case module.OpF64Const:
		bits := math.Float64bits(a.float(64))
		for i := range 8 {
			b = append(b, byte(bits>>(8*i)))
		}
	case module.OpRefNull:
		b = append(b, a.valType())
	case module.OpMemorySize, module.OpMemoryGrow, module.OpMemoryFill:
		b = append(b, 0)
	case module.OpMemoryCopy, module.OpTableCopy:
		b = append(b, 0, 0)
	case module.OpMemoryInit, module.OpTableInit:
		index()
		b = append(b, 0)
	default:
		if op >= module.OpI32Load && op <= module.OpI64Store32 {
			b = append(b, 0) // any alignment is valid
			index()
		}
	}
	return b
}
