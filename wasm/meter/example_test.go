package meter_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/runlace/runlace/wasm/meter"
	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// A module that would run for ever is stopped after two slices of fuel.
func Example() {
	wasm := wasmtest.Assemble(`
		func run export ()->()
			loop
				br 0
			end`)
	metered, _, err := meter.Instrument(wasm, meter.DefaultConfig())
	if err != nil {
		panic(err)
	}

	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)

	const slice = 1_000_000
	errLimit := errors.New("out of fuel")
	left := 1 // slices
	outOfFuel := func(_ context.Context, mod api.Module) {
		if left == 0 {
			panic(errLimit)
		}
		left--
		fuel := mod.ExportedGlobal(meter.FuelGlobal).(api.MutableGlobal)
		fuel.Set(fuel.Get() + slice)
		fmt.Println("another slice")
	}
	host := runtime.NewHostModuleBuilder(meter.ImportModule)
	if _, err := host.NewFunctionBuilder().WithFunc(outOfFuel).Export(meter.ImportName).Instantiate(ctx); err != nil {
		panic(err)
	}
	mod, err := runtime.Instantiate(ctx, metered)
	if err != nil {
		panic(err)
	}
	mod.ExportedGlobal(meter.FuelGlobal).(api.MutableGlobal).Set(slice)
	_, err = mod.ExportedFunction("run").Call(ctx)
	fmt.Println("stopped:", errors.Is(err, errLimit))
	// Output:
	// another slice
	// stopped: true
}
