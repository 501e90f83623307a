package module_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
)

// FuzzParse: no input makes the package panic, what is read can be written and read again, and reading takes no more memory than
// the input justifies.
func FuzzParse(f *testing.F) {
	f.Add(wasmtest.Assemble(everything))
	f.Add(wasmtest.Assemble(counter))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		m, err := module.Parse(wasm)
		if err != nil {
			return
		}
		out := m.Encode()
		if len(out) > len(wasm) {
			t.Fatalf("%d bytes become %d", len(wasm), len(out))
		}
		again, err := module.Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, ignoreOffsets); diff != "" {
			t.Fatal(diff)
		}
		_ = m.CheckFreezable()
		if _, err := m.ImportFunc("a", "b", module.FuncType{}); err == nil {
			m.AddGlobal(module.Global{GlobalType: module.GlobalType{Type: module.I64, Mutable: true}, Init: module.Number(module.I64, 0)})
			if _, err := module.Parse(m.Encode()); err != nil {
				t.Fatal(err)
			}
		}
		_ = m.DropData()
		m.DropStart()
		m.StubCode()
		if _, err := module.Parse(m.Encode()); err != nil {
			t.Fatal(err)
		}
	})
}
