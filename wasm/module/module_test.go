package module_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// everything is a module with every section.
const everything = `
	import env.add (i32 i32)->(i32)
	import env.log (i64)->()
	memory 1 max 4
	table 4 max 8 $double env.add
	elem $double
	declare $count
	global mut i32 -7
	global i64 9000000000
	global mut f32 1.5
	global mut f64 -2.5
	global funcref $double
	global mut funcref null
	export limit global 1
	start $init
	data 16 hello
	data passive world
	datacount
	func $init ()->()
		global.get 0 i32.const 1 i32.add global.set 0
	func $double export (i32)->(i32) local i64 f64
		local.get 0 local.get 0 call env.add
	func $count export (i32)->(i32)
		loop i32
			local.get 0 i32.const 1 i32.sub local.tee 0
			i32.const 0 i32.gt_s br_if 0
			local.get 0
		end
		i32.const 0 call_indirect (i32)->(i32)
		ref.func $count drop
		i32.const 0 i32.const 0 i32.const 0 memory.init 1
	`

func parse(t testing.TB, wasm []byte) *module.Module {
	t.Helper()
	m, err := module.Parse(wasm)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var ignoreOffsets = cmp.Options{cmpopts.IgnoreUnexported(module.Func{}, module.Custom{}), cmpopts.EquateEmpty()}

// TestEncodeInvertsParse: what is written is what was read.
func TestEncodeInvertsParse(t *testing.T) {
	want := wasmtest.Module(everything)
	got := parse(t, want.Encode())
	if diff := cmp.Diff(want, got, ignoreOffsets); diff != "" {
		t.Error(diff)
	}
	if string(got.Encode()) != string(want.Encode()) {
		t.Error("encoding again gives other bytes")
	}
}

// TestCustomSectionsStayInPlace: they may be before, between and after the others.
func TestCustomSectionsStayInPlace(t *testing.T) {
	custom := func(name string) string { return "\x00" + string(rune(len(name)+1)) + string(rune(len(name))) + name }
	wasm := "\x00asm\x01\x00\x00\x00" + custom("first") + "\x01\x04\x01\x60\x00\x00" + custom("a") + custom("b") +
		"\x03\x02\x01\x00" + "\x0a\x04\x01\x02\x00\x0b" + custom("last")
	m := parse(t, []byte(wasm))
	if got := string(m.Encode()); got != wasm {
		t.Errorf("%q, want %q", got, wasm)
	}
	m.DropCustom()
	if got := parse(t, m.Encode()); len(got.Custom) != 0 || len(got.Funcs) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestLongNumbers: numbers in more bytes than they need are understood, as compilers leave room in them, and written short.
func TestLongNumbers(t *testing.T) {
	long := "\x00asm\x01\x00\x00\x00" + "\x06\x8b\x80\x80\x80\x00" + "\x81\x80\x80\x80\x00" + "\x7f\x00\x41\xff\x7f\x0b"
	m := parse(t, []byte(long))
	want := "\x00asm\x01\x00\x00\x00" + "\x06\x06\x01\x7f\x00\x41\x7f\x0b"
	if got := string(m.Encode()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFuncImports(t *testing.T) {
	got := wasmtest.Module(everything).FuncImports()
	want := []module.FuncImport{
		{Module: "env", Name: "add", Type: module.FuncType{Params: []module.ValType{module.I32, module.I32}, Results: []module.ValType{module.I32}}},
		{Module: "env", Name: "log", Type: module.FuncType{Params: []module.ValType{module.I64}}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// TestParseRefuses: what is malformed or not supported is an error that says what and where.
func TestParseRefuses(t *testing.T) {
	const head = "\x00asm\x01\x00\x00\x00"
	for name, c := range map[string]struct{ wasm, want string }{
		"nothing":                   {"", "offset 0x0: not a WebAssembly 1 binary"},
		"text":                      {"(module)", "offset 0x0: not a WebAssembly 1 binary"},
		"component":                 {"\x00asm\x0d\x00\x01\x00", "offset 0x0: not a WebAssembly 1 binary"},
		"section cut off":           {head + "\x01", "offset 0x9: unexpected end"},
		"section too long":          {head + "\x01\x05\x00", "offset 0xa: section of 5 bytes, 1 left"},
		"section too short":         {head + "\x01\x02\x00\x00", "offset 0xb: 1 bytes left over in the section"},
		"section of another kind":   {head + "\x0d\x01\x00", "offset 0x8: section 13 is not supported"},
		"section twice":             {head + "\x01\x01\x00\x01\x01\x00", "offset 0xb: section 1 is out of order"},
		"sections in another order": {head + "\x03\x01\x00\x01\x01\x00", "offset 0xb: section 1 is out of order"},
		"object file":               {head + "\x00\x08\x07linking", `relocatable object file (it has a section "linking")`},
		"vector too long":           {head + "\x01\x05\xff\xff\xff\xff\x0f", "offset 0xa: 4294967295 items in 0 bytes"},
		"number too large":          {head + "\x01\x05\xff\xff\xff\xff\x1f", "offset 0xe: number does not fit 32 bits"},
		"number too long":           {head + "\x01\x06\x80\x80\x80\x80\x80\x00", "number does not fit 32 bits"},
		"constant too large":        {head + "\x06\x0a\x01\x7f\x00\x41\xff\xff\xff\xff\x0f\x0b", "number does not fit 32 bits"},
		"structure type":            {head + "\x01\x03\x01\x5f\x00", "offset 0xb: type form 0x5f is not supported"},
		"vector type":               {head + "\x01\x05\x01\x60\x01\x7b\x00", "offset 0xd: value type 0x7b is not supported"},
		"tag import":                {head + "\x02\x05\x01\x00\x00\x04\x00", "offset 0xd: import or export of kind 4 is not supported"},
		"shared memory":             {head + "\x05\x04\x01\x03\x01\x01", "offset 0xb: limits of kind 0x3 (shared or 64-bit) are not supported"},
		"64-bit memory":             {head + "\x05\x03\x01\x04\x01", "offset 0xb: limits of kind 0x4 (shared or 64-bit) are not supported"},
		"table of numbers":          {head + "\x04\x04\x01\x7f\x00\x01", "offset 0xb: reference type 0x7f is not supported"},
		"mutability":                {head + "\x06\x06\x01\x7f\x02\x41\x00\x0b", "offset 0xc: mutability 0x2"},
		"computed constant":         {head + "\x06\x09\x01\x7f\x00\x41\x00\x41\x00\x6a\x0b", "offset 0xf: i32.const in a constant expression is not supported"},
		"call in a constant":        {head + "\x06\x06\x01\x7f\x00\x10\x00\x0b", "offset 0xd: call in a constant expression is not supported"},
		"element kind":              {head + "\x09\x04\x01\x01\x01\x00", "offset 0xc: elements of kind 1 are not supported"},
		"element flags":             {head + "\x09\x02\x01\x08", "offset 0xb: element segment of kind 8 is not supported"},
		"data in memory 1":          {head + "\x0b\x03\x01\x02\x01", "multiple memories are not supported"},
		"data flags":                {head + "\x0b\x02\x01\x03", "data segment of kind 3 is not supported"},
		"data count":                {head + "\x0c\x01\x02", "2 data segments are declared, 0 are there"},
		"function without code":     {head + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00", "1 functions are declared, 0 have code"},
		"code without function":     {head + "\x0a\x04\x01\x02\x00\x0b", "0 functions are declared, 1 have code"},
		"locals": {head + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x08\x01\x06\x01\xd1\x86\x03\x7f\x0b",
			"more than 50000 local variables"},
		"locals in two groups": {head + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x0c\x01\x0a\x02\xb0\xea\x01\x7f\xb0\xea\x01\x7e\x0b",
			"more than 50000 local variables"},
		"locals that overflow": {head + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x10\x01\x0e\x02\xff\xff\xff\xff\x0f\x7f\xff\xff\xff\xff\x0f\x7f\x0b",
			"more than 50000 local variables"},
	} {
		_, err := module.Parse([]byte(c.wasm))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestIndicesExist: an index to nothing is refused wherever it is, since adding to the module could give it a meaning.
func TestIndicesExist(t *testing.T) {
	for text, want := range map[string]string{
		"export x func 0\n":                "section 7: no function 0",
		"export x table 0\n":               "section 7: no table 0",
		"memory 1\nexport x memory 1\n":    "section 7: no memory 1",
		"export x global 0\n":              "section 7: no global 0",
		"start 0\n":                        "section 8: no function 0",
		"table 1 0\n":                      "section 9: no function 0",
		"elem 5\n":                         "section 9: no function 5",
		"global funcref 3\nfunc $f ()->()": "section 6: no function 3",
	} {
		_, err := module.Parse(wasmtest.Assemble(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	noType := wasmtest.Module("import a.b ()->()\nfunc $f ()->()")
	noType.Types = nil
	if _, err := module.Parse(noType.Encode()); err == nil || !strings.Contains(err.Error(), "section 2: no type 0") {
		t.Error(err)
	}
	noType.Imports = nil
	if _, err := module.Parse(noType.Encode()); err == nil || !strings.Contains(err.Error(), "section 3: no type 0") {
		t.Error(err)
	}
}

// TestDecodeError can be taken apart.
func TestDecodeError(t *testing.T) {
	_, err := module.Parse([]byte("\x00asm\x01\x00\x00\x00\x63"))
	var decode *module.DecodeError
	if !errors.As(err, &decode) || decode.Offset != 8 || decode.Reason != "section 99 is not supported" {
		t.Errorf("%#v", err)
	}
}

// instantiate runs a module with the imports of everything.
func instantiate(t testing.TB, wasm []byte) api.Module {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { r.Close(ctx) })
	_, err := r.NewHostModuleBuilder("env").
		NewFunctionBuilder().WithFunc(func(a, b int32) int32 { return a + b }).Export("add").
		NewFunctionBuilder().WithFunc(func(int64) {}).Export("log").
		NewFunctionBuilder().WithFunc(func() {}).Export("new").
		Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func call(t testing.TB, mod api.Module, name string, args ...uint64) uint64 {
	t.Helper()
	r, err := mod.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(r) == 0 {
		return 0
	}
	return r[0]
}
