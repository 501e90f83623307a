// Package meter rewrites a WebAssembly module so that it counts the work it does and can be stopped after a fixed amount
// of it, at the same instruction every time, on every machine.
//
//	metered, report, err := meter.Instrument(wasm, meter.DefaultConfig())
//
// The metered module has one more export, a mutable i64 global called [FuelGlobal], and one more import, the function
// [ImportModule].[ImportName] of type ()->(). Running code subtracts from the global. When a check finds it below zero, it
// calls the import. The host may add to the global and return, and the module goes on as if nothing had happened; if the
// global is still below zero, it is asked again. Or the host ends the run, which under wazero it does by panicking.
// The global starts at zero: set it before the first call.
//
// A limit of n units, granted in slices or in one piece, stops a run at the first check after n units are used.
// Slices have a use: between calls of the import nothing else in the process can make the module wait, not even
// the garbage collector.
//
// # What is charged
//
// Every instruction has a weight, one unit for simple arithmetic. To charge each basic block for its instructions would be exact
// and slow, because most blocks are a handful of instructions. So blocks are charged together: a function is split in
// regions, one for each loop and one for what is left, and a region is charged at its head, each time round. Where the
// code branches, the arms count by their estimated probability. An arm that would be charged more than
// [Config.Tolerance] units too little that way is charged where it is, when it runs. The entry of a function that is cheap and
// cannot recurse is charged by its callers. Operations on memory and tables that take a length charge for it.
//
// So for each block that runs, the charge is at most Tolerance less than its weight, rounding aside; a call through a table
// may miss another 64 units.
//
// # Where it is checked
//
// A charge is a subtraction without a branch. The sign is looked at only where it has to be so that no execution is endless
// and unnoticed: at the head of every loop, and at the entry of enough functions that every recursion goes through
// one, whether it is direct, through a table or through the host.
//
// # Determinism
//
// The charge depends on the path through the code and on the lengths given to bulk operations. It does not depend on time,
// on slices, or on the engine. The one thing in WebAssembly itself that differs between machines is the sign and
// payload of a NaN; see [Config.CanonicalNaN]. The output of Instrument depends on its arguments only.
//
// # Calling back
//
// While it is in the import, the host may call exported functions of the module, for instance to ask an interpreter which line it
// is at, if it raises the global before and restores it afterwards. If the run is to go on, such a function
// has to leave alone the 128 bytes below the stack pointer: LLVM lets functions without calls keep data there, and metered
// functions have calls.
package meter

import (
	"fmt"

	"github.com/runlace/runlace/wasm/module"
)

// What the metered module has in addition.
const (
	ImportModule = "host"
	ImportName   = "out_of_fuel"
	FuelGlobal   = "fuel"
)

// Config says how to meter. Start from [DefaultConfig].
type Config struct {
	// Tolerance is how many units too little a block may be charged for not being charged on its own. 0 is exact.
	Tolerance int

	// HostCall is charged for the call of an imported function. The host can charge for work that depends on
	// the arguments itself, by changing the global.
	HostCall int

	// CanonicalNaN makes every NaN whose bits the module could see the positive quiet NaN without payload: when it is
	// stored in memory, reinterpreted as an integer, or gives its sign to copysign. Processors differ in the sign
	// of the NaN that 0/0 makes. What the module passes to the host or returns is left as it is.
	CanonicalNaN bool
}

// maxConfig bounds the numbers in Config, so that sums of charges cannot overflow.
const maxConfig = 1_000_000

// DefaultConfig returns the configuration that was measured best for CPython: about as fast as not metered.
func DefaultConfig() Config {
	return Config{Tolerance: 16, HostCall: 500, CanonicalNaN: true}
}

// Report counts what was found and what was inserted.
type Report struct {
	Functions   int // with code
	Blocks      int // basic blocks that can be reached
	Loops       int // loops that can repeat; each looks at the sign at its head
	Charges     int // places that subtract
	EntryChecks int // function entries that look at the sign
	Inlined     int // functions whose entry is charged by their callers
	Bulk        int // operations charged by length
	NaNs        int // places that make a NaN canonical
}

// Instrument returns the metered form of a module. The module is expected to be valid but not trusted: what cannot be metered is
// refused. Custom sections that hold offsets in the code are removed.
func Instrument(wasm []byte, cfg Config) ([]byte, Report, error) {
	if max(cfg.Tolerance, cfg.HostCall) > maxConfig || min(cfg.Tolerance, cfg.HostCall) < 0 {
		return nil, Report{}, fmt.Errorf("meter: %+v: numbers must be between 0 and %d", cfg, maxConfig)
	}
	m, err := module.Parse(wasm)
	if err != nil {
		return nil, Report{}, fmt.Errorf("meter: %w", err)
	}
	p := &pass{m: m, cfg: cfg, weight: weight}
	if err := p.run(); err != nil {
		return nil, Report{}, fmt.Errorf("meter: %w", err)
	}
	return m.Encode(), p.rep, nil
}

// pass is the state of one rewriting.
type pass struct {
	m   *module.Module
	cfg Config
	rep Report

	outOfFuel uint32 // the added import
	fuel      uint32 // the added global
	imports   uint32 // the number of imported functions; less than that, a function index is an import

	weight func(module.Op) int
	calls  *callGraph
	entry  []fixed // by function: the cost of its entry that callers charge
}

func (p *pass) run() (err error) {
	if p.outOfFuel, err = p.m.ImportFunc(ImportModule, ImportName, module.FuncType{}); err != nil {
		return err
	}
	p.imports = p.outOfFuel + 1
	p.fuel = p.m.AddGlobal(module.Global{
		GlobalType: module.GlobalType{Type: module.I64, Mutable: true},
		Init:       module.Number(module.I64, 0),
	})
	if err = p.m.Export(FuelGlobal, module.KindGlobal, p.fuel); err != nil {
		return err
	}
	if p.calls, err = newCallGraph(p.m); err != nil {
		return err
	}
	p.entry = make([]fixed, len(p.m.Funcs))
	g := &graph{}
	for _, f := range p.calls.order {
		if err := g.build(p.m.Code(f), p.cost); err != nil {
			return err
		}
		p.rep.Functions++
		p.rep.Blocks += len(g.blocks)
		p.place(f, g)
		if err := p.emit(f, g); err != nil {
			return err
		}
	}
	return nil
}
