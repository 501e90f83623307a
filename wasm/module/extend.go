package module

import (
	"fmt"
	"slices"
	"strings"
)

// ImportFunc adds an imported function and returns its index, which follows those of the other imports. The functions that
// the module defines move up by one, and everything that refers to them follows: code, exports, start, element
// segments, globals and the name section. Custom sections that hold offsets in the code (debugging information, branch hints)
// would no longer be right and are removed.
func (m *Module) ImportFunc(module, name string, t FuncType) (uint32, error) {
	index := m.imported(KindFunc)
	codes := make([][]byte, len(m.Funcs))
	for i := range m.Funcs {
		code, err := m.shiftCode(i, index)
		if err != nil {
			return 0, err
		}
		codes[i] = code
	}
	custom, err := shiftCustom(m.Custom, index)
	if err != nil {
		return 0, err
	}

	m.Imports = append(m.Imports, Import{Module: module, Name: name, Kind: KindFunc, Func: m.typeIndex(t)})
	m.Custom = custom
	for i, code := range codes {
		m.Funcs[i].Code = code
	}
	for i := range m.Globals {
		m.Globals[i].Init.shift(index)
	}
	for i, e := range m.Exports {
		if e.Kind == KindFunc {
			m.Exports[i].Index = shift(e.Index, index)
		}
	}
	if m.Start != nil {
		f := shift(*m.Start, index)
		m.Start = &f
	}
	for _, e := range m.Elems {
		for i := range e.Init {
			e.Init[i].shift(index)
		}
	}
	return index, nil
}

// shift is the index of a function after a function has been inserted at index at.
func shift(f, at uint32) uint32 {
	if f >= at {
		f++
	}
	return f
}

func (c *Const) shift(at uint32) {
	if c.Op == OpRefFunc {
		c.Value = uint64(shift(uint32(c.Value), at))
	}
}

// typeIndex returns the index of a function type, which is added if the module does not have it.
func (m *Module) typeIndex(t FuncType) uint32 {
	if i := slices.IndexFunc(m.Types, t.Equal); i >= 0 {
		return uint32(i)
	}
	m.Types = append(m.Types, t)
	return uint32(len(m.Types) - 1)
}

// shiftCode returns the code of function n with shifted functions.
func (m *Module) shiftCode(n int, at uint32) ([]byte, error) {
	src := m.Funcs[n].Code
	out := make([]byte, 0, len(src)+len(src)/16)
	copied := 0
	code := m.Code(n)
	for code.Next() {
		switch in := &code.Instr; in.Op {
		case OpCall, OpReturnCall, OpRefFunc:
			if in.Index >= at {
				out = AppendOp(append(out, src[copied:in.Start]...), in.Op)
				out = AppendUnsigned(out, uint64(in.Index)+1)
				copied = in.End
			}
		}
	}
	if copied == 0 {
		return src, code.Err()
	}
	return append(out, src[copied:]...), code.Err()
}

// AddGlobal adds a global and returns its index.
func (m *Module) AddGlobal(g Global) uint32 {
	m.Globals = append(m.Globals, g)
	return m.imported(KindGlobal) + uint32(len(m.Globals)) - 1
}

// Export adds an export, whose name must be new.
func (m *Module) Export(name string, kind Kind, index uint32) error {
	if slices.ContainsFunc(m.Exports, func(e Export) bool { return e.Name == name }) {
		return fmt.Errorf("wasm: the module already exports %q", name)
	}
	m.Exports = append(m.Exports, Export{name, kind, index})
	return nil
}

// shiftCustom returns the custom sections with shifted functions.
func shiftCustom(sections []Custom, at uint32) ([]Custom, error) {
	var out []Custom
	for _, c := range sections {
		switch {
		case strings.HasPrefix(c.Name, ".debug_"), strings.HasPrefix(c.Name, "metadata.code."):
			continue
		case c.Name == "name":
			data, err := shiftNames(c.Data, at)
			if err != nil {
				return nil, err
			}
			c.Data = data
		}
		out = append(out, c)
	}
	return out, nil
}

// Subsections of the name section that are keyed by function.
const (
	namesFuncs  = 1
	namesLocals = 2
	namesLabels = 3
)

// shiftNames rewrites the contents of a name section. Each subsection is a vector of indices with a name, or
// with a vector of indices with a name.
func shiftNames(data []byte, at uint32) ([]byte, error) {
	r := &reader{buf: data}
	w := &writer{}
	for r.more() {
		id := r.byte()
		w.section(id, func() {
			r.window(r.u32(), "subsection", func() {
				if id < namesFuncs || id > namesLabels {
					w.bytes(r.bytes(uint32(r.left())))
					return
				}
				n := r.count()
				w.u32(uint32(n))
				for range n {
					w.u32(shift(r.u32(), at))
					start := r.pos
					if id == namesFuncs {
						r.name()
					} else {
						for range r.count() {
							r.u32()
							r.name()
						}
					}
					w.bytes(data[start:r.pos])
				}
			})
		})
	}
	if r.err != nil {
		return nil, fmt.Errorf("wasm: name section: offset %#x in it: %s", r.err.Offset, r.err.Reason)
	}
	return w.out, nil
}
