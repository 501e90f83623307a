package module_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
)

// TestImportFunc: everything that refers to a function goes on referring to it.
func TestImportFunc(t *testing.T) {
	m := parse(t, wasmtest.Assemble(everything))
	before := instantiate(t, m.Encode())
	index, err := m.ImportFunc("env", "new", module.FuncType{})
	if err != nil || index != 2 {
		t.Fatal(index, err)
	}
	after := instantiate(t, m.Encode())
	for name, arg := range map[string]uint64{"double": 21, "count": 5} {
		if a, b := call(t, before, name, arg), call(t, after, name, arg); a != b {
			t.Errorf("%s(%d) = %d, was %d", name, arg, b, a)
		}
	}
	var got []uint64
	for _, r := range slices.Concat(m.Elems[0].Init, m.Elems[1].Init, m.Elems[2].Init, []module.Const{m.Globals[4].Init}) {
		got = append(got, r.Value)
	}
	const init, double, count = 3, 4, 5
	want := []uint64{double, 0, double, count, double}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if *m.Start != init {
		t.Errorf("start is %d", *m.Start)
	}
	if n := m.FuncImports(); len(n) != 3 || n[2].Name != "new" {
		t.Errorf("%+v", n)
	}
}

// TestImportFuncUsesTypes: a type that is there is not added again.
func TestImportFuncUsesTypes(t *testing.T) {
	m := wasmtest.Module("func f ()->()")
	for range 2 {
		if _, err := m.ImportFunc("a", "b", module.FuncType{}); err != nil || len(m.Types) != 1 {
			t.Fatal(len(m.Types), err)
		}
	}
	if _, err := m.ImportFunc("a", "c", module.FuncType{Params: []module.ValType{module.I32}}); err != nil || len(m.Types) != 2 {
		t.Fatal(len(m.Types), err)
	}
}

// TestImportFuncRenumbersNames: functions, their locals and their labels keep their names.
func TestImportFuncRenumbersNames(t *testing.T) {
	names := "\x00\x02\x01m" + // module
		"\x01\x07\x02\x00\x01a\x01\x01b" + // functions 0 and 1
		"\x02\x06\x01\x01\x01\x00\x01x" + // local 0 of function 1
		"\x03\x06\x01\x01\x01\x00\x01l" + // label 0 of function 1
		"\x09\x01z" // something else
	m := wasmtest.Module("import env.a ()->()\nfunc b ()->()")
	m.Custom = []module.Custom{{Name: "name", Data: []byte(names)}}
	if _, err := m.ImportFunc("env", "new", module.FuncType{}); err != nil {
		t.Fatal(err)
	}
	want := "\x00\x02\x01m" + "\x01\x07\x02\x00\x01a\x02\x01b" + "\x02\x06\x01\x02\x01\x00\x01x" + "\x03\x06\x01\x02\x01\x00\x01l" + "\x09\x01z"
	if diff := cmp.Diff(want, string(m.Custom[0].Data)); diff != "" {
		t.Error(diff)
	}
}

// TestImportFuncDropsOffsets: sections that hold offsets in the code are wrong afterwards.
func TestImportFuncDropsOffsets(t *testing.T) {
	m := wasmtest.Module("func f ()->()")
	m.Custom = []module.Custom{{Name: ".debug_line"}, {Name: "producers"}, {Name: "metadata.code.branch_hint"}, {Name: "target_features"}}
	if _, err := m.ImportFunc("a", "b", module.FuncType{}); err != nil {
		t.Fatal(err)
	}
	if len(m.Custom) != 2 || m.Custom[0].Name != "producers" || m.Custom[1].Name != "target_features" {
		t.Errorf("%+v", m.Custom)
	}
}

// TestImportFuncFailsWhole: after an error the module is what it was.
func TestImportFuncFailsWhole(t *testing.T) {
	for name, m := range map[string]*module.Module{
		"code":  wasmtest.Module("func f ()->()\ncall f\nfunc g ()->()\nbyte 0xff"),
		"names": wasmtest.Module("func f ()->()\ncall f"),
	} {
		if name == "names" {
			m.Custom = []module.Custom{{Name: "name", Data: []byte("\x01\x05\x09")}}
		}
		want := string(m.Encode())
		_, err := m.ImportFunc("a", "b", module.FuncType{})
		if err == nil || string(m.Encode()) != want {
			t.Errorf("%s: %v", name, err)
		}
		if name == "names" && !strings.Contains(err.Error(), "name section: offset 0x2 in it: subsection of 5 bytes, 1 left") {
			t.Error(err)
		}
	}
}

func TestAddGlobalAndExport(t *testing.T) {
	m := wasmtest.Module("import env.g global i32\nglobal i32 1\nfunc f export ()->()")
	index := m.AddGlobal(module.Global{GlobalType: module.GlobalType{Type: module.F64, Mutable: true}, Init: module.Number(module.F64, 3)})
	if index != 2 {
		t.Errorf("global %d, want 2", index)
	}
	if err := m.Export("h", module.KindGlobal, index); err != nil {
		t.Error(err)
	}
	if err := m.Export("f", module.KindGlobal, index); err == nil || !strings.Contains(err.Error(), `already exports "f"`) {
		t.Error(err)
	}
	got := parse(t, m.Encode())
	if len(got.Exports) != 2 || got.Exports[1] != (module.Export{Name: "h", Kind: module.KindGlobal, Index: 2}) {
		t.Errorf("%+v", got.Exports)
	}
}
