package module

// AppendUnsigned appends an unsigned number in the encoding of indices and lengths.
func AppendUnsigned(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendSigned appends a signed number in the encoding of constants.
func AppendSigned(b []byte, v int64) []byte {
	for v < -0x40 || v >= 0x40 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// AppendOp appends an opcode.
func AppendOp(b []byte, op Op) []byte {
	if op < 256 {
		return append(b, byte(op))
	}
	return append(b, byte(op>>8), byte(op))
}

// Encode writes the module. The inverse of [Parse] up to the length of numbers, which Encode makes minimal.
func (m *Module) Encode() []byte {
	size := 1 << 10
	for i := range m.Funcs {
		size += len(m.Funcs[i].Code) + 16
	}
	for i := range m.Data {
		size += len(m.Data[i].Init) + 16
	}
	w := &writer{out: append(make([]byte, 0, size), magic...)}
	custom := m.Custom
	flush := func(rank byte) {
		for len(custom) > 0 && custom[0].after < rank {
			c := custom[0]
			custom = custom[1:]
			w.section(secCustom, func() { w.name(c.Name); w.bytes(c.Data) })
		}
	}
	emit := func(id byte, present bool, contents func()) {
		flush(sectionRank[id])
		if present {
			w.section(id, contents)
		}
	}
	emit(secType, m.Types != nil, func() { each(w, m.Types, w.funcType) })
	emit(secImport, m.Imports != nil, func() { each(w, m.Imports, w.imported) })
	emit(secFunc, m.Funcs != nil, func() { each(w, m.Funcs, func(f Func) { w.u32(f.Type) }) })
	emit(secTable, m.Tables != nil, func() { each(w, m.Tables, w.table) })
	emit(secMemory, m.Memories != nil, func() { each(w, m.Memories, w.limits) })
	emit(secGlobal, m.Globals != nil, func() { each(w, m.Globals, func(g Global) { w.globalType(g.GlobalType); w.constant(g.Init) }) })
	emit(secExport, m.Exports != nil, func() { each(w, m.Exports, func(e Export) { w.name(e.Name); w.byte(byte(e.Kind)); w.u32(e.Index) }) })
	emit(secStart, m.Start != nil, func() { w.u32(*m.Start) })
	emit(secElem, m.Elems != nil, func() { each(w, m.Elems, w.elem) })
	emit(secDataCount, m.DataCount, func() { w.u32(uint32(len(m.Data))) })
	emit(secCode, m.Funcs != nil, func() { each(w, m.Funcs, w.body) })
	emit(secData, m.Data != nil, func() { each(w, m.Data, w.data) })
	flush(0xff)
	return w.out
}

// writer builds a binary.
type writer struct {
	out []byte
}

func (w *writer) byte(b ...byte) { w.out = append(w.out, b...) }
func (w *writer) bytes(b []byte) { w.out = append(w.out, b...) }
func (w *writer) u32(v uint32)   { w.out = AppendUnsigned(w.out, uint64(v)) }
func (w *writer) name(s string)  { w.u32(uint32(len(s))); w.out = append(w.out, s...) }

// sized writes what f writes, after its length.
func (w *writer) sized(f func()) {
	start := len(w.out)
	f()
	n := len(w.out) - start
	length := AppendUnsigned(nil, uint64(n))
	w.bytes(length)
	copy(w.out[start+len(length):], w.out[start:start+n])
	copy(w.out[start:], length)
}

func (w *writer) section(id byte, contents func()) {
	w.byte(id)
	w.sized(contents)
}

// each writes a vector.
func each[T any](w *writer, items []T, write func(T)) {
	w.u32(uint32(len(items)))
	for _, x := range items {
		write(x)
	}
}

func (w *writer) funcType(t FuncType) {
	w.byte(0x60)
	for _, ts := range [][]ValType{t.Params, t.Results} {
		w.u32(uint32(len(ts)))
		w.bytes(ts)
	}
}

func (w *writer) imported(im Import) {
	w.name(im.Module)
	w.name(im.Name)
	w.byte(byte(im.Kind))
	switch im.Kind {
	case KindFunc:
		w.u32(im.Func)
	case KindTable:
		w.table(im.Table)
	case KindMemory:
		w.limits(im.Memory)
	case KindGlobal:
		w.globalType(im.Global)
	}
}

func (w *writer) table(t Table) {
	w.byte(t.Elem)
	w.limits(t.Limits)
}

func (w *writer) limits(l Limits) {
	if !l.Bounded {
		w.byte(0)
		w.u32(l.Min)
		return
	}
	w.byte(1)
	w.u32(l.Min)
	w.u32(l.Max)
}

func (w *writer) globalType(t GlobalType) {
	w.byte(t.Type, 0)
	if t.Mutable {
		w.out[len(w.out)-1] = 1
	}
}

func (w *writer) constant(c Const) {
	w.out = AppendOp(w.out, c.Op)
	switch c.Op {
	case OpI32Const:
		w.out = AppendSigned(w.out, int64(int32(c.Value)))
	case OpI64Const:
		w.out = AppendSigned(w.out, int64(c.Value))
	case OpF32Const, OpF64Const:
		for i := range 4 << (c.Op - OpF32Const) {
			w.byte(byte(c.Value >> (8 * i)))
		}
	default:
		w.out = AppendUnsigned(w.out, c.Value)
	}
	w.byte(byte(OpEnd))
}

func (w *writer) elem(e Elem) {
	w.u32(e.Flags)
	if e.namesTable() {
		w.u32(e.Table)
	}
	if e.active() {
		w.constant(e.Offset)
	}
	switch {
	case !e.typed():
	case e.exprs():
		w.byte(e.Type)
	default:
		w.byte(0)
	}
	if e.exprs() {
		each(w, e.Init, w.constant)
	} else {
		each(w, e.Init, func(c Const) { w.u32(uint32(c.Value)) })
	}
}

func (w *writer) body(f Func) {
	w.sized(func() {
		each(w, f.Locals, func(l Locals) { w.u32(l.Count); w.byte(l.Type) })
		w.bytes(f.Code)
	})
}

func (w *writer) data(d Data) {
	if d.Passive {
		w.byte(1)
	} else {
		w.byte(0)
		w.constant(d.Offset)
	}
	w.u32(uint32(len(d.Init)))
	w.bytes(d.Init)
}
