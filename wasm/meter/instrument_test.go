package meter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// everything is a module with something of all that a report counts.
const everything = `
	import test.host ()->()
	memory 1
	table 4 $leaf $walk
	func $leaf (i32)->(i32)
		local.get 0 i32.const 1 i32.add
	func $walk export (i32)->(i32)
		local.get 0
		if i32
			local.get 0 i32.const 1 i32.sub call $walk
		else
			call test.host
			local.get 0 call $leaf
		end
	func $sum export (i32)->(i32) local i32
		loop
			local.get 1 local.get 0 i32.const 0 call_indirect (i32)->(i32) i32.add local.set 1
			local.get 0 i32.const 1 i32.sub local.tee 0
			br_if 0
		end
		local.get 1
	func $never ()->() ; a loop that does not repeat is none
		loop
			i32.const 0 f64.const 1 f64.store 0
		end
		i32.const 0 i32.const 0 i32.const 10 memory.fill`

func TestReport(t *testing.T) {
	_, got := metered(t, everything, DefaultConfig())
	want := Report{
		Functions:   4,
		Blocks:      1 + 4 + 3 + 2,
		Loops:       1,
		Charges:     4,
		EntryChecks: 2, // walk, sum
		Inlined:     2, // leaf, never
		Bulk:        1,
		NaNs:        1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestShape shows what becomes of a loop and of the entry of a function.
func TestShape(t *testing.T) {
	out, _ := metered(t, `
		func f export ()->(i32)
			loop i32
				i32.const 1
				br_if 0
				i32.const 7
			end
			call f
			drop`, DefaultConfig())
	m, err := module.Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`
		loop block
			global.get i64.const i64.lt_s br_if
			global.get i64.const i64.sub global.set
			block loop block
				loop
					global.get i64.const i64.lt_s br_if
					global.get i64.const i64.sub global.set
					i32.const br_if
					i32.const
				end br
				end call br
			end unreachable end
			call drop
			return end call br
		end unreachable end`)
	var got []string
	for code := m.Code(0); code.Next(); {
		got = append(got, code.Instr.Op.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAddsToModule: what a module imports, exports and starts is still there, with the two additions.
func TestAddsToModule(t *testing.T) {
	out, _ := metered(t, everything, DefaultConfig())
	code := compile(t, wazero.NewRuntimeConfigInterpreter(), out).code
	var imports []string
	for _, f := range code.ImportedFunctions() {
		mod, name, _ := f.Import()
		imports = append(imports, fmt.Sprintf("%s.%s %v->%v", mod, name, f.ParamTypes(), f.ResultTypes()))
	}
	if diff := cmp.Diff([]string{"test.host []->[]", "host.out_of_fuel []->[]"}, imports); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"walk", "sum"} {
		if code.ExportedFunctions()[name] == nil {
			t.Errorf("%s is not exported", name)
		}
	}
	g := compile(t, wazero.NewRuntimeConfigInterpreter(), out).start(unlimited, unlimited)
	if fuel := g.ExportedGlobal(FuelGlobal); fuel.Type() != api.ValueTypeI64 || g.fuel == nil {
		t.Errorf("fuel is %v", fuel)
	}
	hosted := 0
	g.host = func() { hosted++ }
	if a, b := g.mustCall("walk", 5), g.mustCall("sum", 4); a != 1 || b != 5+4+3+2 || hosted != 1 {
		t.Errorf("walk = %d, sum = %d, %d calls of the host", a, b, hosted)
	}
}

// TestFuelStartsAtZero: until the host sets it, code runs on credit to its first check.
func TestFuelStartsAtZero(t *testing.T) {
	out, _ := metered(t, `
		global mut i32 0
		export rounds global 0
		func f export ()->()
			loop
				global.get 0 i32.const 1 i32.add global.set 0
				br 0
			end`, DefaultConfig())
	p := compile(t, wazero.NewRuntimeConfigCompiler(), out)
	p.guest = &guest{program: p} // without a limit
	mod, err := p.runtime.InstantiateModule(t.Context(), p.code, wazero.NewModuleConfig())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mod.ExportedFunction("f").Call(t.Context()); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	if rounds := mod.ExportedGlobal("rounds").Get(); rounds != 1 {
		t.Errorf("stopped after %d rounds, want 1", rounds)
	}
}

func TestSmallestModule(t *testing.T) {
	out, rep := metered(t, ``, DefaultConfig())
	if rep != (Report{}) {
		t.Errorf("%+v", rep)
	}
	compile(t, wazero.NewRuntimeConfigCompiler(), out).start(unlimited, unlimited)
}

// TestRefuses: what cannot be metered is an error that says what and where.
func TestRefuses(t *testing.T) {
	body := func(code string) []byte { return wasmtest.Assemble("memory 1\nfunc f export ()->()\n" + code) }
	for name, c := range map[string]struct {
		wasm []byte
		want string
	}{
		"unknown opcode":       {body("nop\nbyte 0xff"), "wasm: offset 0x2d: opcode 0xff is not supported"},
		"vectors":              {body("byte 0xfd 12"), "opcode 0xfd 12 (vector instructions) is not supported"},
		"threads":              {body("byte 0xfe 3 0"), "opcode 0xfe 3 (threads) is not supported"},
		"exceptions":           {body("byte 0x06 0x40"), "opcode 0x6 (exception handling) is not supported"},
		"garbage collection":   {body("byte 0xfb 1"), "opcode 0xfb 1 (garbage collection) is not supported"},
		"not a module":         {[]byte("(module)"), "not a WebAssembly 1 binary"},
		"fuel of its own":      {wasmtest.Assemble("func fuel export ()->()"), `already exports "fuel"`},
		"reaches for fuel":     {wasmtest.Assemble("func f ()->()\ni64.const 0\nglobal.set 0"), "global.set: no global 0"},
		"exports the fuel":     {wasmtest.Assemble("global i32 1\nexport g global 1"), "no global 1"},
		"reaches for locals":   {wasmtest.Assemble("memory 1\nfunc f (i32)->()\nlocal.get 1\nmemory.grow\ndrop"), "local.get: no local 1"},
		"calls out_of_fuel":    {wasmtest.Assemble("import test.host ()->()\nfunc f ()->()\ncall 2"), "call: no function 2"},
		"loops nested too far": {body(strings.Repeat("loop\n", 201) + strings.Repeat("end\n", 201)), "loops nest deeper than 200"},
		"blocks nested too far": {body(strings.Repeat("block\n", 10_001) + strings.Repeat("end\n", 10_001)),
			"blocks nest deeper than 10000"},
	} {
		_, rep, err := Instrument(c.wasm, DefaultConfig())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if rep != (Report{}) {
			t.Errorf("%s: an error comes with a report", name)
		}
	}

	var decode *module.DecodeError
	if _, _, err := Instrument(body("byte 0xff"), DefaultConfig()); !errors.As(err, &decode) {
		t.Errorf("%T is not a DecodeError", err)
	}
	for _, cfg := range []Config{{Tolerance: -1}, {HostCall: -1}, {Tolerance: maxConfig + 1}, {HostCall: maxConfig + 1}} {
		if _, _, err := Instrument(body(""), cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}

// TestLargeFunctions: shapes that invite quadratic work are done in good time.
func TestLargeFunctions(t *testing.T) {
	const n = 50_000
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"many exits from one block": "block\n" + repeat("i32.const 1 br_if 0\n", n) + "end",
		"many ifs":                  repeat("i32.const 1 if nop else nop end\n", n),
		"many loops":                repeat("loop i32.const 1 br_if 0 end\n", n),
		"loops that are left in many ways": repeat("block\n", 500) +
			repeat("loop i32.const 1 br_if 0 i32.const 1\nbr_table "+repeat("1 100 200 300 400 ", 10)+"2\nend\n", 1000) + repeat("end\n", 500),
		"deep loops": repeat(repeat("loop\n", 200)+"i32.const 1\nbr_table "+repeat("1 10 50 100 150 ", 10)+"0\n"+repeat("end\n", 200), 100),
		"wide switch": repeat("block\n", 5000) + "i32.const 1\nbr_table " + repeat("0 1000 2000 3000 4999 ", n/5) + "0\n" +
			repeat("end nop\n", 5000),
		"many switches": repeat("block\n", 1000) + repeat("block\ni32.const 1\nbr_table 0 1 500 700 999 0\nend\n", n/10) + repeat("end\n", 1000),
	} {
		wasm := wasmtest.Assemble("func f export ()->()\n" + text)
		start := time.Now()
		if _, _, err := Instrument(wasm, DefaultConfig()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		took := time.Since(start)
		if took > 4*time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(wasm))
		}
		t.Logf("%-35s %8d bytes %v", name, len(wasm), took)
	}
}

// BenchmarkInstrument runs over the modules named by RUNLACE_BENCH_WASM (a pattern), or a random one.
func BenchmarkInstrument(b *testing.B) {
	modules := map[string][]byte{"random": wasmtest.Assemble(randomProgram(1))}
	names, err := filepath.Glob(os.Getenv("RUNLACE_BENCH_WASM"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		if modules[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	for name, wasm := range modules {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(wasm)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Instrument(wasm, DefaultConfig()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
