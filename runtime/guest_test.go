package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/wasm/module"
)

// tinyGuest is a guest that compiles in no time: rt_compile takes as much fuel as price says and answers "{}", and rt_run
// answers with its inputs.
func tinyGuest(price byte) *Guest {
	const (
		localGet, globalGet, globalSet, i32load, i32store, i32const, i64const, i64sub, end = 0x20, 0x23, 0x24, 0x28, 0x36, 0x41, 0x42, 0x7d, 0x0b
		ioBuf, answer                                                                      = 2 * wasmPage, 1 * wasmPage
	)
	address := []byte{i32const, 0x80, 0x80, 4} // answer
	pay := []byte{globalGet, 1, i64const, price & 0x3f, i64sub, globalSet, 1}
	out := func(pointer, length []byte) (code []byte) {
		code = append(code, pay...)
		code = append(append(append(code, localGet, 0), pointer...), i32store, 2, jobOut)
		code = append(append(append(code, localGet, 0), length...), i32store, 2, jobOut+4)
		return append(code, i32const, 0, end)
	}
	m := module.Module{
		Types: []module.FuncType{{Params: []byte{module.I32}, Results: []byte{module.I32}}},
		Funcs: []module.Func{
			{Code: out(address, []byte{i32const, 2})},
			{Code: out([]byte{localGet, 0, i32load, 2, jobInputs}, []byte{localGet, 0, i32load, 2, jobInputs + 4})},
		},
		Memories: []module.Limits{{Min: 16}},
		Globals: []module.Global{
			{GlobalType: module.GlobalType{Type: module.I32, Mutable: true}, Init: module.Const{Op: i32const, Value: wasmPage}},
			{GlobalType: module.GlobalType{Type: module.I64, Mutable: true}, Init: module.Const{Op: i64const}},
		},
		Exports: []module.Export{
			{Name: "rt_compile", Index: 0}, {Name: "rt_run", Index: 1}, {Name: "memory", Kind: module.KindMemory},
			{Name: "sp", Kind: module.KindGlobal, Index: 0}, {Name: "fuel", Kind: module.KindGlobal, Index: 1},
		},
	}
	wasm := m.Encode()
	image := make([]byte, 4096)
	copy(image, "{}")
	sum := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, uint64(price)), wasm...))
	return &Guest{
		Manifest: &assets.Manifest{
			Build: hex.EncodeToString(sum[:]), Pages: 16, Extents: []assets.Extent{{Off: answer, Len: 4096}},
			Globals: []assets.Global{{Name: "sp", Value: wasmPage}}, StackPointer: "sp",
			IOBuf: ioBuf, IOLen: wasmPage,
		},
		Module: func() ([]byte, error) { return wasm, nil },
		Image:  func() ([]byte, error) { return image, nil },
	}
}
