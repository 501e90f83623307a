package module

import (
	"fmt"
	"slices"
)

// CheckFreezable fails if memory and mutable globals are not the whole state of an instance: if the module writes to tables or
// drops segments, or shares a table, a memory or a global with another module.
func (m *Module) CheckFreezable() error {
	for _, im := range m.Imports {
		if im.Kind != KindFunc {
			return fmt.Errorf("wasm: not freezable: import %s.%s is not a function", im.Module, im.Name)
		}
	}
	for _, e := range m.Exports {
		if e.Kind == KindTable {
			return fmt.Errorf("wasm: not freezable: table %q is exported", e.Name)
		}
	}
	for i, g := range m.Globals {
		if g.Mutable && !numeric(g.Type) {
			return fmt.Errorf("wasm: not freezable: global %d is a mutable reference", i)
		}
	}
	for i := range m.Funcs {
		code := m.Code(i)
		for code.Next() {
			switch op := code.Instr.Op; op {
			case OpTableSet, OpTableInit, OpTableCopy, OpTableGrow, OpTableFill, OpElemDrop, OpDataDrop:
				return fmt.Errorf("wasm: not freezable: function %d uses %v", m.ImportedFuncs()+i, op)
			}
		}
		if err := code.Err(); err != nil {
			return err
		}
	}
	return nil
}

func numeric(t ValType) bool { return t >= F64 && t <= I32 }

// MutableGlobal is a mutable global that the module defines and exports.
type MutableGlobal struct {
	Index uint32
	Type  ValType
	Name  string // of the export
}

// ExportMutableGlobals exports every mutable global that the module defines, under names of its own.
func (m *Module) ExportMutableGlobals() ([]MutableGlobal, error) {
	var gs []MutableGlobal
	base := m.imported(KindGlobal)
	for i, g := range m.Globals {
		if !g.Mutable {
			continue
		}
		index := base + uint32(i)
		name := fmt.Sprintf("runlace.global.%d", index)
		if err := m.Export(name, KindGlobal, index); err != nil {
			return nil, err
		}
		gs = append(gs, MutableGlobal{index, g.Type, name})
	}
	return gs, nil
}

// SetGlobals sets the initial values of globals that the module defines: bits by index, as wazero's api.Global gives them.
func (m *Module) SetGlobals(values map[uint32]uint64) error {
	base := m.imported(KindGlobal)
	for index := range values {
		if index < base || int(index-base) >= len(m.Globals) {
			return fmt.Errorf("wasm: the module does not define global %d", index)
		}
		if t := m.Globals[index-base].Type; !numeric(t) {
			return fmt.Errorf("wasm: global %d is a reference", index)
		}
	}
	for i := range m.Globals {
		if v, ok := values[base+uint32(i)]; ok {
			m.Globals[i].Init = Number(m.Globals[i].Type, v)
		}
	}
	return nil
}

// Number is the constant of a numeric type with the given bits.
func Number(t ValType, bits uint64) Const {
	switch t {
	case I32, F32:
		bits = uint64(uint32(bits))
	}
	return Const{OpI32Const + Op(I32-t), bits}
}

// SetMemory sets the limits, in pages, of the memory that the module defines. A maxPages of 0 leaves the maximum as it is.
func (m *Module) SetMemory(minPages, maxPages uint32) error {
	if len(m.Memories) != 1 {
		return fmt.Errorf("wasm: the module defines %d memories, not one", len(m.Memories))
	}
	l := m.Memories[0]
	l.Min = minPages
	if maxPages != 0 {
		l.Max, l.Bounded = maxPages, true
	}
	if l.Bounded && l.Min > l.Max {
		return fmt.Errorf("wasm: a memory of %d pages is larger than its maximum of %d", l.Min, l.Max)
	}
	m.Memories[0] = l
	return nil
}

// DropData removes the data segments: a frozen memory already holds what they wrote. If the code may name segments, they are
// kept and emptied, which is what they are once they have been used. A passive segment is an error: whether
// it has been dropped cannot be seen from outside.
func (m *Module) DropData() error {
	for i, d := range m.Data {
		if d.Passive {
			return fmt.Errorf("wasm: data segment %d is passive", i)
		}
	}
	if !m.DataCount {
		m.Data = nil
		return nil
	}
	for i := range m.Data {
		m.Data[i] = Data{Offset: Number(I32, 0)}
	}
	return nil
}

// DropStart removes the start function, which has run before the freeze.
func (m *Module) DropStart() { m.Start = nil }

// DropCustom removes every custom section: names, producers, debugging information.
func (m *Module) DropCustom() { m.Custom = nil }

// DropExports removes the exports for which drop is true.
func (m *Module) DropExports(drop func(name string) bool) {
	m.Exports = slices.DeleteFunc(slices.Clone(m.Exports), func(e Export) bool { return drop(e.Name) })
}

// StubCode replaces the body of every function by one that traps. Interface, types, indices and tables stay as they are.
func (m *Module) StubCode() {
	for i := range m.Funcs {
		m.Funcs[i].Locals = nil
		m.Funcs[i].Code = []byte{byte(OpUnreachable), byte(OpEnd)}
	}
}
