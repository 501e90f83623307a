package module

import "slices"

// ValType is the type of a value, as it is encoded. It is wazero's api.ValueType too.
type ValType = byte

// Value types.
const (
	I32       ValType = 0x7f
	I64       ValType = 0x7e
	F32       ValType = 0x7d
	F64       ValType = 0x7c
	FuncRef   ValType = 0x70
	ExternRef ValType = 0x6f
)

// Kind says what an import or export is.
type Kind byte

// Kinds of imports and exports.
const (
	KindFunc Kind = iota
	KindTable
	KindMemory
	KindGlobal
)

// Module is a decoded WebAssembly module. Each field is a section. Slices may share memory with the input of [Parse].
type Module struct {
	Types    []FuncType
	Imports  []Import
	Tables   []Table
	Memories []Limits
	Globals  []Global
	Exports  []Export
	Start    *uint32 // the start function
	Elems    []Elem
	Funcs    []Func // the functions the module defines: the function and the code section
	Data     []Data
	Custom   []Custom

	// DataCount says that the module states the number of data segments before its code, which instructions that name a
	// segment require.
	DataCount bool
}

// FuncType is the type of a function.
type FuncType struct{ Params, Results []ValType }

// Equal tells whether two function types are the same.
func (t FuncType) Equal(u FuncType) bool {
	return slices.Equal(t.Params, u.Params) && slices.Equal(t.Results, u.Results)
}

// Limits bound the size of a memory, in pages of 64 KiB, or of a table, in elements.
type Limits struct {
	Min, Max uint32
	Bounded  bool // Max is given
}

// Table is the type of a table.
type Table struct {
	Elem ValType
	Limits
}

// GlobalType is the type of a global.
type GlobalType struct {
	Type    ValType
	Mutable bool
}

// Global is a global that the module defines.
type Global struct {
	GlobalType
	Init Const
}

// Const is a constant expression of one instruction: a constant, whose bits are in Value, ref.null with the type in
// Value, or global.get or ref.func with the index in Value.
type Const struct {
	Op    Op
	Value uint64
}

// Import is something that the host provides. Which of the last four fields counts depends on Kind.
type Import struct {
	Module, Name string
	Kind         Kind
	Func         uint32 // index of the function's type
	Table        Table
	Memory       Limits
	Global       GlobalType
}

// Export is something that the host can see.
type Export struct {
	Name  string
	Kind  Kind
	Index uint32
}

// Func is a function that the module defines.
type Func struct {
	Type   uint32
	Locals []Locals // without the parameters
	Code   []byte   // instructions, with the final end
	offset int      // of Code in the input
}

// Locals declares Count local variables of one type.
type Locals struct {
	Count uint32
	Type  ValType
}

// Elem is an element segment: references for a table.
type Elem struct {
	// Flags is how the segment is encoded. Bit 0: it is not active. Bit 1: if active, the table is named; else, it is
	// only a declaration. Bit 2: the elements are written as expressions.
	Flags  uint32
	Table  uint32
	Offset Const // if active
	Type   ValType
	Init   []Const
}

func (e *Elem) active() bool     { return e.Flags&1 == 0 }
func (e *Elem) namesTable() bool { return e.Flags&3 == 2 }
func (e *Elem) typed() bool      { return e.Flags&3 != 0 }
func (e *Elem) exprs() bool      { return e.Flags&4 != 0 }

// Data is a data segment: bytes for the memory.
type Data struct {
	Passive bool
	Offset  Const // unless passive
	Init    []byte
}

// Custom is a custom section.
type Custom struct {
	Name  string
	Data  []byte
	after byte // rank of the section it follows
}

// imported counts the imports of a kind, which come first in the index space of that kind.
func (m *Module) imported(k Kind) uint32 {
	n := uint32(0)
	for i := range m.Imports {
		if m.Imports[i].Kind == k {
			n++
		}
	}
	return n
}

// ImportedFuncs counts the imported functions. Function n of [Module.Funcs] has the index ImportedFuncs + n.
func (m *Module) ImportedFuncs() int { return int(m.imported(KindFunc)) }

// FuncImport is an imported function.
type FuncImport struct {
	Module, Name string
	Type         FuncType
}

// FuncImports lists the imported functions in the order of their indices.
func (m *Module) FuncImports() []FuncImport {
	var fs []FuncImport
	for _, im := range m.Imports {
		if im.Kind == KindFunc {
			fs = append(fs, FuncImport{im.Module, im.Name, m.Types[im.Func]})
		}
	}
	return fs
}
