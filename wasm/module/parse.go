package module

import "strings"

const magic = "\x00asm\x01\x00\x00\x00"

// Section ids.
const (
	secCustom = iota
	secType
	secImport
	secFunc
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElem
	secCode
	secData
	secDataCount
)

// sectionRank is the place of a section in a module, by id; 0 for custom sections, which may be anywhere.
var sectionRank = [...]byte{
	secType: 1, secImport: 2, secFunc: 3, secTable: 4, secMemory: 5, secGlobal: 6, secExport: 7, secStart: 8, secElem: 9,
	secDataCount: 10, secCode: 11, secData: 12,
}

// maxLocals bounds the local variables of a function, which an engine has to make room for. Compilers need far fewer.
const maxLocals = 50_000

// Parse decodes a module. The result shares memory with wasm. Instructions are not looked at before [Module.Code] reads
// them.
func Parse(wasm []byte) (*Module, error) {
	p := &parser{m: &Module{}}
	p.buf = wasm
	if !strings.HasPrefix(string(wasm[:min(len(wasm), len(magic))]), magic) {
		p.fail("not a WebAssembly 1 binary")
		return nil, p.failure()
	}
	p.pos = len(magic)
	for p.more() {
		p.section()
	}
	if p.err == nil {
		p.checkCounts()
		p.checkIndices()
	}
	if p.err != nil {
		return nil, p.failure()
	}
	return p.m, nil
}

// parser is the state of Parse.
type parser struct {
	reader
	m      *Module
	rank   byte // of the last section that is not custom
	bodies int
	datas  uint32 // what the data count section says
	starts starts
}

// starts are the offsets of sections, for errors that are noticed later.
type starts [len(sectionRank)]int

func (p *parser) section() {
	start := p.pos
	id := p.byte()
	if int(id) >= len(sectionRank) {
		p.failAt(start, "section %d is not supported", id)
		return
	}
	if rank := sectionRank[id]; id != secCustom {
		if rank <= p.rank {
			p.failAt(start, "section %d is out of order", id)
		}
		p.rank = rank
	}
	n := p.u32()
	p.starts[id] = start
	p.window(n, "section", func() { p.contents(id) })
}

func (p *parser) contents(id byte) {
	m := p.m
	switch id {
	case secCustom:
		p.custom()
	case secType:
		m.Types = vector(p, p.funcType)
	case secImport:
		m.Imports = vector(p, p.imported)
	case secFunc:
		m.Funcs = vector(p, func() Func { return Func{Type: p.u32()} })
	case secTable:
		m.Tables = vector(p, p.table)
	case secMemory:
		m.Memories = vector(p, p.limits)
	case secGlobal:
		m.Globals = vector(p, func() Global { return Global{p.globalType(), p.constant()} })
	case secExport:
		m.Exports = vector(p, func() Export { return Export{p.name(), p.kind(), p.u32()} })
	case secStart:
		f := p.u32()
		m.Start = &f
	case secElem:
		m.Elems = vector(p, p.elem)
	case secDataCount:
		p.datas, m.DataCount = p.u32(), true
	case secCode:
		p.code()
	case secData:
		m.Data = vector(p, p.data)
	}
}

// vector reads a vector of items.
func vector[T any](p *parser, item func() T) []T {
	n := p.count()
	if n == 0 {
		return nil
	}
	v := make([]T, 0, min(n, 1<<16)) // items take less room in the input than in memory
	for i := 0; i < n && p.err == nil; i++ {
		v = append(v, item())
	}
	return v
}

func (p *parser) custom() {
	name := p.name()
	if name == "linking" || strings.HasPrefix(name, "reloc.") {
		p.fail("relocatable object file (it has a section %q)", name)
	}
	p.m.Custom = append(p.m.Custom, Custom{name, p.bytes(uint32(p.left())), p.rank})
}

func (p *parser) funcType() FuncType {
	if form := p.byte(); form != 0x60 {
		p.failAt(p.pos-1, "type form %#x is not supported", form)
	}
	return FuncType{Params: p.valTypes(), Results: p.valTypes()}
}

func (p *parser) imported() Import {
	im := Import{Module: p.name(), Name: p.name(), Kind: p.kind()}
	switch im.Kind {
	case KindFunc:
		im.Func = p.u32()
	case KindTable:
		im.Table = p.table()
	case KindMemory:
		im.Memory = p.limits()
	case KindGlobal:
		im.Global = p.globalType()
	}
	return im
}

func (p *parser) kind() Kind {
	k := Kind(p.byte())
	if k > KindGlobal {
		p.failAt(p.pos-1, "import or export of kind %d is not supported", k)
		return 0
	}
	return k
}

func (p *parser) table() Table { return Table{p.refType(), p.limits()} }

func (p *parser) limits() Limits {
	flags := p.byte()
	if flags > 1 {
		p.failAt(p.pos-1, "limits of kind %#x (shared or 64-bit) are not supported", flags)
	}
	l := Limits{Min: p.u32(), Bounded: flags == 1}
	if l.Bounded {
		l.Max = p.u32()
	}
	return l
}

func (p *parser) globalType() GlobalType {
	t := GlobalType{Type: p.valType()}
	mutable := p.byte()
	if mutable > 1 {
		p.failAt(p.pos-1, "mutability %#x", mutable)
	}
	t.Mutable = mutable == 1
	return t
}

// constant reads a constant expression.
func (p *parser) constant() Const {
	start := p.pos
	c := Const{Op: Op(p.byte())}
	switch c.Op {
	case OpI32Const:
		c.Value = uint64(uint32(p.signed(32)))
	case OpI64Const:
		c.Value = uint64(p.signed(64))
	case OpF32Const:
		c.Value = littleEndian(p.bytes(4))
	case OpF64Const:
		c.Value = littleEndian(p.bytes(8))
	case OpGlobalGet, OpRefFunc:
		c.Value = uint64(p.u32())
	case OpRefNull:
		c.Value = uint64(p.refType())
	default:
		p.failAt(start, "%v in a constant expression is not supported", c.Op)
		return c
	}
	if end := Op(p.byte()); end != OpEnd {
		p.failAt(p.pos-1, "%v in a constant expression is not supported", end)
	}
	return c
}

func littleEndian(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

func (p *parser) elem() Elem {
	start := p.pos
	e := Elem{Flags: p.u32(), Type: FuncRef}
	if e.Flags > 7 {
		p.failAt(start, "element segment of kind %d is not supported", e.Flags)
	}
	if e.namesTable() {
		e.Table = p.u32()
	}
	if e.active() {
		e.Offset = p.constant()
	}
	switch {
	case !e.typed():
	case e.exprs():
		e.Type = p.refType()
	default:
		if kind := p.byte(); kind != 0 {
			p.failAt(p.pos-1, "elements of kind %d are not supported", kind)
		}
	}
	if e.exprs() {
		e.Init = vector(p, p.constant)
	} else {
		e.Init = vector(p, func() Const { return Const{OpRefFunc, uint64(p.u32())} })
	}
	return e
}

func (p *parser) code() {
	p.bodies = p.count()
	if p.bodies != len(p.m.Funcs) {
		p.fail("%d functions are declared, %d have code", len(p.m.Funcs), p.bodies)
		return
	}
	for i := range p.m.Funcs {
		p.window(p.u32(), "function", func() { p.body(&p.m.Funcs[i]) })
	}
}

func (p *parser) body(f *Func) {
	total := uint64(0)
	f.Locals = vector(p, func() Locals {
		l := Locals{p.u32(), p.valType()}
		if total += uint64(l.Count); total > maxLocals {
			p.fail("more than %d local variables", maxLocals)
		}
		return l
	})
	f.offset = p.pos
	f.Code = p.bytes(uint32(p.left()))
}

func (p *parser) data() Data {
	var d Data
	start := p.pos
	switch flags := p.u32(); flags {
	case 0:
		d.Offset = p.constant()
	case 1:
		d.Passive = true
	case 2:
		if p.u32() != 0 {
			p.failAt(start, "multiple memories are not supported")
		}
		d.Offset = p.constant()
	default:
		p.failAt(start, "data segment of kind %d is not supported", flags)
	}
	d.Init = p.bytes(p.u32())
	return d
}

// checkCounts compares what two sections say about the same thing.
func (p *parser) checkCounts() {
	m := p.m
	if p.bodies != len(m.Funcs) {
		p.fail("%d functions are declared, %d have code", len(m.Funcs), p.bodies)
	}
	if m.DataCount && p.datas != uint32(len(m.Data)) {
		p.fail("%d data segments are declared, %d are there", p.datas, len(m.Data))
	}
}

// checkIndices makes sure that what the sections other than code refer to exists.
func (p *parser) checkIndices() {
	m := p.m
	have := [...]int{KindFunc: len(m.Funcs), KindTable: len(m.Tables), KindMemory: len(m.Memories), KindGlobal: len(m.Globals)}
	for i := range m.Imports {
		have[m.Imports[i].Kind]++
	}
	check := func(section int, what string, index uint64, n int) {
		if index >= uint64(n) {
			p.failAt(p.starts[section], "section %d: no %s %d", section, what, index)
		}
	}
	checkConst := func(section int, c Const) {
		switch c.Op {
		case OpRefFunc:
			check(section, "function", c.Value, have[KindFunc])
		case OpGlobalGet:
			check(section, "global", c.Value, have[KindGlobal])
		}
	}
	for _, im := range m.Imports {
		if im.Kind == KindFunc {
			check(secImport, "type", uint64(im.Func), len(m.Types))
		}
	}
	for _, f := range m.Funcs {
		check(secFunc, "type", uint64(f.Type), len(m.Types))
	}
	for _, g := range m.Globals {
		checkConst(secGlobal, g.Init)
	}
	for _, e := range m.Exports {
		check(secExport, [...]string{"function", "table", "memory", "global"}[e.Kind], uint64(e.Index), have[e.Kind])
	}
	if m.Start != nil {
		check(secStart, "function", uint64(*m.Start), have[KindFunc])
	}
	for _, e := range m.Elems {
		checkConst(secElem, e.Offset)
		for _, c := range e.Init {
			checkConst(secElem, c)
		}
	}
	for _, d := range m.Data {
		checkConst(secData, d.Offset)
	}
}
