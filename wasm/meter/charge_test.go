package meter

import (
	"math"
	"strings"
	"testing"
	"testing/quick"

	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
)

// TestExactCharge counts by hand: constants, locals and structure are free, arithmetic and tests cost 1.
func TestExactCharge(t *testing.T) {
	g := run(t, `
		func f export (i32)->(i32) local i32 ; n times: add 3 to an even number, 1 to an odd one
			block
				loop
					local.get 0 i32.eqz br_if 1                  ; 2
					local.get 0 i32.const 1 i32.sub local.set 0  ; 1
					local.get 1 i32.const 1 i32.and              ; 1
					if                                           ; 1
						local.get 1 i32.const 1 i32.add local.set 1  ; 1
						local.get 1 i32.popcnt drop                  ; 1
					else
						local.get 1 i32.const 3 i32.add local.set 1  ; 1
					end
					br 0
				end
			end
			local.get 1 i32.eqz ; 1
		`, exact)
	for n, want := range map[uint64]int64{
		0: 2 + 1,
		1: (2 + 3 + 1) + 2 + 1,     // even
		5: 5*(2+3+1) + 2*1 + 2 + 1, // even, odd, even, odd, even
		8: 8*(2+3+1) + 4*1 + 2 + 1,
	} {
		if got := g.cost("f", n); got != want {
			t.Errorf("f(%d) costs %d, want %d", n, got, want)
		}
	}
}

// TestChargeForCalls: the entry of a small function is charged by its callers, in full.
func TestChargeForCalls(t *testing.T) {
	const text = `
		import test.host ()->()
		func $small ()->() 
			i32.const 0 i32.eqz drop
		func $once export ()->()
			call $small
		func $thrice export ()->()
			call $small call $small call $small
		func $host export ()->()
			call test.host`
	g := run(t, text, Config{HostCall: 100})
	for name, want := range map[string]int64{"once": 6 + 1, "thrice": 3 * (6 + 1), "host": 6 + 100} {
		if got := g.cost(name); got != want {
			t.Errorf("%s costs %d, want %d", name, got, want)
		}
	}
	if _, rep := metered(t, text, exact); rep.Inlined != 1 {
		t.Errorf("%d functions are charged by their callers, want 1", rep.Inlined)
	}
}

// TestChargeForRecursion: a function that can recur charges for itself, every time.
func TestChargeForRecursion(t *testing.T) {
	g := run(t, `
		func $f export (i32)->()
			local.get 0 call $down
		func $down (i32)->()
			local.get 0 
			if                                                 ; 1
				local.get 0 i32.const 1 i32.sub call $down ; 1 + 6
			end`, exact)
	if got, want := g.cost("f", 10), int64(6+10*(1+1+6)+1); got != want {
		t.Errorf("costs %d, want %d", got, want)
	}
}

// TestEqualWork: paths that do the same cost about the same, however many arms are not taken.
func TestEqualWork(t *testing.T) {
	arm := strings.Repeat("local.get 0 i32.popcnt drop\n", 20)
	g := run(t, `
		func $straight export (i32)->()
		`+arm+`
		func $switch export (i32)->()
		`+strings.Repeat("block\n", 101)+`
			local.get 0
			br_table 0 1 2 3 4 5 6 7 8 9 10 `+strings.Repeat("50 ", 89)+`100
		`+strings.Repeat("end\n"+arm+"return\n", 100)+`
		end`, DefaultConfig())
	straight := g.cost("straight", 1)
	for _, n := range []uint64{0, 1, 10, 50, 1000} {
		if got, most := g.cost("switch", n), 2*straight+10; got < straight-16 || got > most {
			t.Errorf("arm %d costs %d, the same without a switch %d", n, got, straight)
		}
	}
}

// TestTolerance is the promise of Config.Tolerance, on random programs: every block that runs is charged at most that
// much too little. An exact count of instructions that can end a block bounds the number of blocks.
func TestTolerance(t *testing.T) {
	count := func(seed int64, weight func(module.Op) int, cfg Config) int64 {
		m, err := module.Parse(wasmtest.Assemble(randomProgram(seed)))
		if err != nil {
			t.Fatal(err)
		}
		p := &pass{m: m, cfg: cfg, weight: weight}
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		g := compile(t, wazero.NewRuntimeConfigCompiler(), m.Encode()).start(unlimited, unlimited)
		runRandom(g)
		return g.used()
	}
	endsBlock := func(op module.Op) int {
		switch op {
		case module.OpLoop, module.OpIf, module.OpElse, module.OpEnd, module.OpBr, module.OpBrIf, module.OpBrTable,
			module.OpCall, module.OpCallIndirect, module.OpReturn:
			return 1
		}
		return 0
	}
	worst := 1.0
	for seed := range int64(8) {
		blocks := count(seed, endsBlock, exact)
		work := count(seed, weight, exact)
		for _, tolerance := range []int{1, 16, 100} {
			charged := count(seed, weight, Config{Tolerance: tolerance, CanonicalNaN: true})
			if missing := work - charged; missing > int64(tolerance+1)*blocks {
				t.Errorf("seed %d, tolerance %d: %d units of %d are missing after %d blocks", seed, tolerance, missing, work, blocks)
			}
			if tolerance == DefaultConfig().Tolerance {
				worst = max(worst, float64(charged)/float64(work), float64(work)/float64(charged))
			}
		}
	}
	if worst > 2 {
		t.Errorf("the charge is off by a factor of %.2f", worst)
	}
	t.Logf("the charge is off by a factor of %.2f at most", worst)
}

// TestBulk: operations that take a length are charged for it.
func TestBulk(t *testing.T) {
	const text = `
		memory 1 max 10
		table 10 max 2000 $fill
		data passive 0123456789012345
		elem $fill $fill $fill $fill $fill $fill $fill
		datacount
		func $fill export (i32)->()
			i32.const 0 i32.const 1 local.get 0 memory.fill
		func $copy export (i32)->()
			i32.const 0 i32.const 8 local.get 0 memory.copy
		func $init export (i32)->()
			i32.const 0 i32.const 0 local.get 0 memory.init 0
		func $grow export (i32)->(i32)
			local.get 0 memory.grow
		func $table_grow export (i32)->(i32)
			ref.null funcref local.get 0 table.grow 0
		func $table_fill export (i32)->()
			i32.const 0 ref.null funcref local.get 0 table.fill 0
		func $table_copy export (i32)->()
			i32.const 0 i32.const 1 local.get 0 table.copy
		func $table_init export (i32)->()
			i32.const 0 i32.const 0 local.get 0 table.init 1`
	cases := []struct {
		name   string
		length uint64
		want   int64 // more than with length 0
	}{
		{"fill", 40_000, 10_000},
		{"copy", 40_000, 10_000},
		{"init", 16, 4},
		{"grow", 3, 3 * 16384},
		{"grow", 100, 0}, // fails
		{"table_grow", 1000, 1000},
		{"table_fill", 500, 500},
		{"table_copy", 500, 500},
		{"table_init", 7, 7},
	}
	for name, cfg := range configs {
		out, rep := metered(t, text, cfg)
		if rep.Bulk != 8 {
			t.Errorf("%s: %d bulk operations, want 8", name, rep.Bulk)
		}
		for _, engine := range engines {
			g := compile(t, engine.config(), out).start(unlimited, unlimited)
			for _, c := range cases {
				if got := g.cost(c.name, c.length) - g.cost(c.name, 0); got != c.want {
					t.Errorf("%s, %s: %s of %d costs %d more than of 0, want %d", name, engine.name, c.name, c.length, got, c.want)
				}
			}
		}
	}
}

// TestBulkThatTraps is charged before it traps.
func TestBulkThatTraps(t *testing.T) {
	g := run(t, `
		memory 1
		func f export (i32)->()
			i32.const 0 i32.const 0 local.get 0 memory.fill`, exact)
	if _, err := g.call("f", 1<<20); err == nil {
		t.Fatal("no trap")
	}
	if got := g.used(); got < 1<<18 {
		t.Errorf("used %d", got)
	}
}

func TestFixedPoint(t *testing.T) {
	if got := units(3).mul(one / 2).round(); got != 2 {
		t.Errorf("3 * 1/2 rounds to %d, want 2", got)
	}
	if got := ratio(units(1), units(3)).mul(units(300)).round(); got != 100 {
		t.Errorf("1/3 * 300 rounds to %d, want 100", got)
	}
	if ratio(5, 0) != one || ratio(5, 5) != one || ratio(0, 5) != 0 {
		t.Error("ratio at its ends")
	}
	if maxFixed.mul(maxFixed) != maxFixed || maxFixed.add(maxFixed) != maxFixed {
		t.Error("no saturation")
	}
	property := func(a, b uint32) bool {
		got := fixed(a).mul(fixed(b))
		return got == fixed(uint64(a)*uint64(b)>>fixedBits)
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
	if got := fixed(math.MaxInt32).mul(maxFixed); got > maxFixed {
		t.Errorf("%d is larger than the largest", got)
	}
}
