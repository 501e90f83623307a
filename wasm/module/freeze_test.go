package module_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero/api"
)

const counter = `
	memory 1
	table 1 $next
	global mut i32 5
	global mut i64 7
	global i32 1
	global mut f32 0.5
	global mut f64 0.25
	start $init
	data 0 abc
	func $init ()->()
		global.get 0 i32.const 100 i32.add global.set 0
	func $next export ()->(i32)
		i32.const 0
		i32.const 0 i32.load8_u 0 i32.const 1 i32.add
		i32.store8 0
		global.get 0 global.get 2 i32.add global.set 0
		global.get 1 i64.const -5 i64.mul global.set 1
		global.get 3 f32.neg global.set 3
		global.get 4 f64.sqrt global.set 4
		global.get 0
	func $memory_size export ()->(i32)
		memory.size`

// TestFreeze takes an instance through all the steps: the frozen module goes on where the instance was.
func TestFreeze(t *testing.T) {
	m := parse(t, wasmtest.Assemble(counter))
	if err := m.CheckFreezable(); err != nil {
		t.Fatal(err)
	}
	globals, err := m.ExportMutableGlobals()
	if err != nil {
		t.Fatal(err)
	}
	live := instantiate(t, m.Encode())
	for range 3 {
		call(t, live, "next")
	}
	values := map[uint32]uint64{}
	for _, g := range globals {
		values[g.Index] = live.ExportedGlobal(g.Name).(api.MutableGlobal).Get()
	}
	if diff := cmp.Diff(map[uint32]uint64{0: 108, 1: uint64(0xfffffffffffffc95), 3: uint64(math.Float32bits(-0.5)),
		4: math.Float64bits(math.Sqrt(math.Sqrt(math.Sqrt(0.25))))}, values); diff != "" {
		t.Error(diff)
	}

	if err := m.SetGlobals(values); err != nil {
		t.Fatal(err)
	}
	if err := m.SetMemory(3, 5); err != nil {
		t.Fatal(err)
	}
	if err := m.DropData(); err != nil {
		t.Fatal(err)
	}
	m.DropStart()
	frozen := instantiate(t, m.Encode())
	memory, _ := live.Memory().Read(0, live.Memory().Size())
	if b, _ := frozen.Memory().Read(0, 3); string(b) != "\x00\x00\x00" {
		t.Errorf("memory starts as %q", b)
	}
	frozen.Memory().Write(0, memory)
	for range 3 {
		if a, b := call(t, live, "next"), call(t, frozen, "next"); a != b {
			t.Errorf("live goes on with %d, frozen with %d", a, b)
		}
	}
	for _, g := range globals {
		if a, b := live.ExportedGlobal(g.Name).Get(), frozen.ExportedGlobal(g.Name).Get(); a != b {
			t.Errorf("%s is %#x live and %#x frozen", g.Name, a, b)
		}
	}
	if pages := call(t, frozen, "memory_size"); pages != 3 {
		t.Errorf("%d pages, want 3", pages)
	}
}

// TestNotFreezable: state outside of memory and numeric globals, or within reach of others, is refused.
func TestNotFreezable(t *testing.T) {
	for text, want := range map[string]string{
		"import env.m memory 1":     "import env.m is not a function",
		"import env.t table 1":      "import env.t is not a function",
		"import env.g global i32":   "import env.g is not a function",
		"table 1\nexport t table 0": `table "t" is exported`,
		"global mut funcref null":   "global 0 is a mutable reference",
		"table 1\nfunc f ()->()\ni32.const 0 ref.null funcref table.set 0":                 "function 0 uses table.set",
		"table 1\nelem f\nfunc f ()->()\ni32.const 0 i32.const 0 i32.const 0 table.init 0": "uses table.init",
		"table 1\nfunc f ()->()\ni32.const 0 i32.const 0 i32.const 0 table.copy":           "uses table.copy",
		"table 1\nfunc f ()->()\nref.null funcref i32.const 0 table.grow 0 drop":           "uses table.grow",
		"table 1\nfunc f ()->()\ni32.const 0 ref.null funcref i32.const 0 table.fill 0":    "uses table.fill",
		"elem f\nfunc f ()->()\nelem.drop 0":                                               "uses elem.drop",
		"import env.f ()->()\ndata 0 a\ndatacount\nfunc f ()->()\ndata.drop 0":             "function 1 uses data.drop",
	} {
		err := parse(t, wasmtest.Assemble(text)).CheckFreezable()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	reads := wasmtest.Module("memory 1\ntable 1\nfunc f ()->()\ntable.size 0 drop i32.const 0 table.get 0 drop i32.const 0 i32.const 0 i32.const 0 memory.copy")
	if err := reads.CheckFreezable(); err != nil {
		t.Error(err)
	}
}

func TestExportMutableGlobals(t *testing.T) {
	m := wasmtest.Module("import env.g global mut i32\nglobal i32 0\nglobal mut i64 0")
	got, err := m.ExportMutableGlobals()
	want := []module.MutableGlobal{{Index: 2, Type: module.I64, Name: "runlace.global.2"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := m.ExportMutableGlobals(); err == nil {
		t.Error("the same names are exported twice")
	}
}

func TestSetGlobalsRefuses(t *testing.T) {
	m := wasmtest.Module("import env.g global mut i32\nglobal mut i32 0\nglobal mut funcref null")
	for values, want := range map[uint32]string{0: "does not define global 0", 2: "global 2 is a reference", 3: "does not define global 3"} {
		if err := m.SetGlobals(map[uint32]uint64{values: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestSetMemory(t *testing.T) {
	for _, c := range []struct {
		text     string
		min, max uint32
		want     module.Limits
		err      string
	}{
		{"memory 1", 9, 0, module.Limits{Min: 9}, ""},
		{"memory 1", 9, 10, module.Limits{Min: 9, Max: 10, Bounded: true}, ""},
		{"memory 1 max 20", 9, 0, module.Limits{Min: 9, Max: 20, Bounded: true}, ""},
		{"memory 1 max 20", 9, 10, module.Limits{Min: 9, Max: 10, Bounded: true}, ""},
		{"memory 1 max 8", 9, 0, module.Limits{}, "a memory of 9 pages is larger than its maximum of 8"},
		{"global i32 0", 9, 0, module.Limits{}, "defines 0 memories"},
		{"import env.m memory 1", 9, 0, module.Limits{}, "defines 0 memories"},
	} {
		m := wasmtest.Module(c.text)
		err := m.SetMemory(c.min, c.max)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if got := parse(t, m.Encode()).Memories[0]; err != nil || got != c.want {
			t.Errorf("%s: %+v %v, want %+v", c.text, got, err, c.want)
		}
	}
}

func TestDropData(t *testing.T) {
	m := wasmtest.Module("memory 1\ndata 0 abc\ndata 8 def")
	if err := m.DropData(); err != nil || len(m.Data) != 0 {
		t.Error(err, m.Data)
	}
	m = wasmtest.Module("memory 1\ndata 0 abc\ndata 8 def\ndatacount\nfunc f export ()->()\ni32.const 0 i32.const 0 i32.const 0 memory.init 1")
	if err := m.DropData(); err != nil || len(m.Data) != 2 {
		t.Error(err, m.Data)
	}
	mod := instantiate(t, m.Encode())
	call(t, mod, "f")
	if b, _ := mod.Memory().Read(0, 3); string(b) != "\x00\x00\x00" {
		t.Errorf("memory starts as %q", b)
	}
	m = wasmtest.Module("memory 1\ndata passive abc")
	if err := m.DropData(); err == nil || !strings.Contains(err.Error(), "data segment 0 is passive") {
		t.Error(err)
	}
}

func TestDropExports(t *testing.T) {
	m := wasmtest.Module("memory 1\nfunc a export ()->()\nfunc b export ()->()\nfunc c export ()->()")
	m.DropExports(func(name string) bool { return name == "a" || name == "c" })
	var names []string
	for _, e := range parse(t, m.Encode()).Exports {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"memory", "b"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestStubCode: the skeleton has the interface of the module and traps.
func TestStubCode(t *testing.T) {
	m := parse(t, wasmtest.Assemble(everything))
	m.DropStart()
	full := len(m.Encode())
	m.StubCode()
	skeleton := m.Encode()
	if len(skeleton) >= full {
		t.Errorf("%d bytes, the full module %d", len(skeleton), full)
	}
	mod := instantiate(t, skeleton)
	if _, err := mod.ExportedFunction("double").Call(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "unreachable") {
		t.Error(err)
	}
	if got := mod.ExportedFunction("double").Definition().ParamTypes(); len(got) != 1 {
		t.Errorf("double takes %v", got)
	}
}
