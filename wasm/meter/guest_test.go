package meter

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

var errStopped = errors.New("stopped by the host")

const unlimited = math.MaxInt64 / 2

// engines are the two ways in which wazero runs a module.
var engines = []struct {
	name   string
	config func() wazero.RuntimeConfig
}{
	{"compiler", wazero.NewRuntimeConfigCompiler},
	{"interpreter", wazero.NewRuntimeConfigInterpreter},
}

// program is a compiled module together with the hosts it needs.
type program struct {
	t       testing.TB
	runtime wazero.Runtime
	code    wazero.CompiledModule
	guest   *guest // that runs now
}

func compile(t testing.TB, config wazero.RuntimeConfig, wasm []byte) *program {
	t.Helper()
	ctx := context.Background()
	p := &program{t: t}
	p.runtime = wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall))
	t.Cleanup(func() { p.runtime.Close(ctx) })
	host := func(name, function string, f func()) {
		if _, err := p.runtime.NewHostModuleBuilder(name).NewFunctionBuilder().WithFunc(f).Export(function).Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	host(ImportModule, ImportName, func() { p.guest.outOfFuel() })
	host("test", "host", func() {
		if p.guest.host != nil {
			p.guest.host()
		}
	})
	var err error
	if p.code, err = p.runtime.CompileModule(ctx, wasm); err != nil {
		t.Fatal(err)
	}
	return p
}

// guest is an instance of a program, metered or not.
type guest struct {
	api.Module
	program *program
	fuel    api.MutableGlobal
	limit   int64 // granted at most
	slice   int64 // granted at a time
	granted int64
	asked   int    // calls of out_of_fuel
	waiting func() // called by out_of_fuel
	host    func() // what the import test.host does
}

// start makes an instance with a limit and a slice, and runs no code.
func (p *program) start(limit, slice int64) *guest {
	p.t.Helper()
	mod, err := p.runtime.InstantiateModule(context.Background(), p.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		p.t.Fatal(err)
	}
	g := &guest{Module: mod, program: p, limit: limit, slice: slice}
	g.fuel, _ = mod.ExportedGlobal(FuelGlobal).(api.MutableGlobal)
	if g.fuel != nil {
		g.fuel.Set(0) // a start function may have run
		g.grant()
	}
	p.guest = g
	return g
}

func (g *guest) grant() {
	n := min(g.slice, g.limit-g.granted)
	g.granted += n
	g.fuel.Set(g.fuel.Get() + uint64(n))
}

func (g *guest) outOfFuel() {
	g.asked++
	if g.waiting != nil {
		g.waiting()
	}
	if g.granted == g.limit {
		panic(errStopped)
	}
	g.grant()
}

func (g *guest) used() int64 { return g.granted - int64(g.fuel.Get()) }

// call runs an exported function that returns nothing or an i32.
func (g *guest) call(name string, args ...uint64) (int32, error) {
	g.program.guest = g
	r, err := g.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil || len(r) == 0 {
		return 0, err
	}
	return int32(r[0]), nil
}

// mustCall is call for what has to succeed.
func (g *guest) mustCall(name string, args ...uint64) int32 {
	g.program.t.Helper()
	v, err := g.call(name, args...)
	if err != nil {
		g.program.t.Fatalf("%s: %v", name, err)
	}
	return v
}

// cost is the fuel a call uses.
func (g *guest) cost(name string, args ...uint64) int64 {
	g.program.t.Helper()
	before := g.used()
	g.mustCall(name, args...)
	return g.used() - before
}

// trap is the first line of an error, which does not name addresses.
func trap(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// metered instruments the module of a text.
func metered(t testing.TB, text string, cfg Config) ([]byte, Report) {
	t.Helper()
	out, rep, err := Instrument(wasmtest.Assemble(text), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return out, rep
}

// run starts the metered form of a text on the compiler without a limit.
func run(t testing.TB, text string, cfg Config) *guest {
	t.Helper()
	out, _ := metered(t, text, cfg)
	return compile(t, wazero.NewRuntimeConfigCompiler(), out).start(unlimited, unlimited)
}

// exact charges every path for exactly its instructions, and nothing for calls of the host but their weight.
var exact = Config{CanonicalNaN: true}

// configs are the configurations that tests go through.
var configs = map[string]Config{
	"default":       DefaultConfig(),
	"exact":         exact,
	"tolerant":      {Tolerance: 1000},
	"without nan":   {Tolerance: 16},
	"free host":     {Tolerance: 16, CanonicalNaN: true},
	"dear host":     {Tolerance: 16, HostCall: maxConfig},
	"unconstrained": {Tolerance: maxConfig, HostCall: maxConfig},
}
