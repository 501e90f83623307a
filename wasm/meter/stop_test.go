package meter

import (
	"errors"
	"testing"

	"github.com/tetratelabs/wazero"
)

// endless are functions f that would run for ever, or for as good as ever, each in a way of its own.
var endless = map[string]string{
	"loop": `
		func f export ()->()
			loop
				br 0
			end`,
	"loop without instructions of weight": `
		func f export ()->()
			loop
				nop block end
				br 0
			end`,
	"loop with a result": `
		func f export ()->(i32)
			loop i32
				i32.const 1 br_if 0
				i32.const 3
			end`,
	"loop with parameters": `
		func f export ()->(i32)
			i32.const 3
			i64.const 4
			loop (i32 i64)->(i32)
				br 0
			end`,
	"loop by br_table": `
		func f export ()->()
			loop
				block
					i32.const 1
					br_table 0 1 0
				end
			end`,
	"loop closed from within a block": `
		func f export ()->()
			loop
				block block
					br 2
				end end
			end`,
	"inner loop closes the outer": `
		func f export ()->()
			loop
				loop
					i32.const 1 br_if 1
				end
			end`,
	"loop after unreachable code": `
		func f export ()->()
			block
				br 0
				loop br 0 end
			end
			loop br 0 end`,
	"loop in the start of an if": `
		func f export ()->()
			i32.const 1
			if
				loop br 0 end
			else
				unreachable
			end`,
	"recursion": `
		func $double (i32)->() ; 2^60 calls of a depth that no stack limit notices
			local.get 0
			if
				local.get 0 i32.const 1 i32.sub call $double
				local.get 0 i32.const 1 i32.sub call $double
			end
		func f export ()->()
			i32.const 60 call $double`,
	"mutual recursion": `
		func f export ()->()
			i32.const 60 call $a
		func $a (i32)->()
			local.get 0
			if
				local.get 0 i32.const 1 i32.sub call $b
				local.get 0 i32.const 1 i32.sub call $b
			end
		func $b (i32)->()
			local.get 0 call $a`,
	"recursion through a table": `
		table 1 $a
		func f export ()->()
			i32.const 60 call $a
		func $a (i32)->()
			local.get 0
			if
				local.get 0 i32.const 1 i32.sub i32.const 0 call_indirect (i32)->()
				local.get 0 i32.const 1 i32.sub i32.const 0 call_indirect (i32)->()
			end`,
	"recursion through a table that code fills": `
		table 1
		declare $a
		func f export ()->()
			i32.const 0 ref.func $a table.set 0
			i32.const 60 i32.const 0 call_indirect (i32)->()
		func $a (i32)->()
			local.get 0
			if
				local.get 0 i32.const 1 i32.sub i32.const 0 call_indirect (i32)->()
				local.get 0 i32.const 1 i32.sub i32.const 0 call_indirect (i32)->()
			end`,
	"recursion through a global": `
		table 1
		global funcref $a
		func f export ()->()
			i32.const 0 global.get 0 table.set 0
			i32.const 60 i32.const 0 call_indirect (i32)->()
		func $a (i32)->()
			local.get 0
			if
				local.get 0 i32.const 1 i32.sub i32.const 0 call_indirect (i32)->()
				local.get 0 i32.const 1 i32.sub i32.const 0 call_indirect (i32)->()
			end`,
	"tail recursion": `
		func f export ()->()
			return_call f`,
	"tail recursion through a table": `
		table 1 f
		func f export ()->()
			i32.const 0
			return_call_indirect ()->()`,
	"bulk operations": `
		memory 16
		func f export ()->()
			loop
				i32.const 0 i32.const 1 i32.const 1000000 memory.fill
				br 0
			end`,
	"growing and giving up": `
		memory 1 max 2
		func f export ()->()
			loop
				i32.const 1 memory.grow drop
				br 0
			end`,
}

// TestStops: whatever is endless is stopped soon after the limit, with every configuration and by both engines at
// the same unit.
func TestStops(t *testing.T) {
	const limit = 100_000
	for name, text := range endless {
		t.Run(name, func(t *testing.T) {
			for config, cfg := range configs {
				out, _ := metered(t, text, cfg)
				var stopped []int64
				for _, engine := range engines {
					if engine.name == "interpreter" && config != "default" {
						continue
					}
					g := compile(t, engine.config(), out).start(limit, limit)
					if _, err := g.call("f"); !errors.Is(err, errStopped) {
						t.Fatalf("%s, %s: %v, want it to be stopped", config, engine.name, err)
					}
					if over := g.used() - limit; over <= 0 || over > 300_000 {
						t.Errorf("%s, %s: stopped %d units after the limit", config, engine.name, over)
					}
					stopped = append(stopped, g.used())
				}
				if len(stopped) == 2 && stopped[0] != stopped[1] {
					t.Errorf("%s: engines stop after %d units", config, stopped)
				}
			}
		})
	}
}

// TestStopsRecursionThroughHost: a module calls the host, which calls the module. Nobody but the module can notice.
func TestStopsRecursionThroughHost(t *testing.T) {
	out, rep := metered(t, `
		import test.host ()->()
		func f export ()->()
			call test.host`, DefaultConfig())
	if rep.EntryChecks != 1 {
		t.Errorf("%d entry checks, want 1", rep.EntryChecks)
	}
	g := compile(t, wazero.NewRuntimeConfigCompiler(), out).start(20_000, 20_000)
	depth := 0
	var stopped error
	g.host = func() {
		if depth++; depth == 1000 {
			return
		}
		if _, err := g.call("f"); err != nil {
			stopped = err
			panic(err)
		}
	}
	if _, err := g.call("f"); err == nil || !errors.Is(stopped, errStopped) {
		t.Fatalf("%v, %v: want it to be stopped", err, stopped)
	}
	if depth > 20_000/DefaultConfig().HostCall {
		t.Errorf("stopped at depth %d", depth)
	}
}

// TestSameStop: a limit stops at the same instruction, whatever the slices.
func TestSameStop(t *testing.T) {
	const text = `
		memory 1
		func f export ()->()
			loop
				i32.const 0
				i32.const 0 i32.load 0 i32.const 1 i32.add
				i32.store 0
				call $g
				br 0
			end
		func $g ()->()
			i32.const 4
			i32.const 4 i32.load 0 i32.const 1 i32.add
			i32.store 0
			i32.const 4 i32.load 0 i32.const 3 i32.and
			if
				call $g
			end`
	for config, cfg := range configs {
		out, _ := metered(t, text, cfg)
		p := compile(t, wazero.NewRuntimeConfigCompiler(), out)
		var want uint64
		for i, slice := range []int64{10_000, 1000, 7, 1} {
			g := p.start(10_000, slice)
			if _, err := g.call("f"); !errors.Is(err, errStopped) {
				t.Fatal(config, err)
			}
			got, _ := g.Memory().ReadUint64Le(0)
			if i == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s: with slices of %d units the memory is %x, want %x", config, slice, got, want)
			}
		}
	}
}

// TestAsksAgain: a host that grants less than what is missing is asked until the fuel is not negative.
func TestAsksAgain(t *testing.T) {
	const round = "local.get 0 i32.const 1 i32.div_u i32.const 1 i32.sub local.tee 0 br_if 0" // 14 units
	for name, text := range map[string]string{
		"loop":                 "loop\n" + round + "\nend",
		"loop with parameters": "i32.const 0\nloop (i32)->()\ndrop i32.const 0 local.get 0\ndrop\n" + round + "\ndrop\nend",
		"entry": "local.get 0 i32.const 1 i32.div_u i32.const 1 i32.sub local.tee 0\n" +
			"if\nlocal.get 0 call f\nend",
	} {
		out, _ := metered(t, "func f export (i32)->()\n"+text, exact)
		g := compile(t, wazero.NewRuntimeConfigCompiler(), out).start(unlimited, 1)
		if g.mustCall("f", 100); g.asked < 90*14 {
			t.Errorf("%s: asked %d times for a unit, used %d", name, g.asked, g.used())
		}
	}
}

// TestOutOfFuelMayCallBack: the host calls an exported function while the module waits for fuel, and the run goes on as if it had not.
func TestOutOfFuelMayCallBack(t *testing.T) {
	out, _ := metered(t, `
		global mut i32 0
		func where export ()->(i32)
			global.get 0
		func f export ()->(i32)
			loop
				global.get 0 i32.const 1 i32.add global.set 0
				global.get 0 i32.const 1000 i32.lt_s br_if 0
			end
			global.get 0`, DefaultConfig())
	p := compile(t, wazero.NewRuntimeConfigCompiler(), out)
	plain := p.start(unlimited, unlimited)
	plain.mustCall("f")

	g := p.start(unlimited, 100)
	inner := 0
	g.waiting = func() {
		before := g.fuel.Get()
		g.fuel.Set(unlimited)
		if at, err := g.ExportedFunction("where").Call(t.Context()); err != nil || at[0] == 0 || at[0] > 1000 {
			t.Errorf("where: %v %v", at, err)
		}
		g.fuel.Set(before)
		inner++
	}
	if v := g.mustCall("f"); v != 1000 || g.used() != plain.used() || inner == 0 {
		t.Errorf("f = %d with %d units, want 1000 with %d; called back %d times", v, g.used(), plain.used(), inner)
	}
}
