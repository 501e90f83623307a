package meter

import (
	"context"
	"testing"

	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// FuzzInstrument: no input makes Instrument panic, and a valid module stays valid.
func FuzzInstrument(f *testing.F) {
	f.Add(wasmtest.Assemble(everything))
	for _, text := range endless {
		f.Add(wasmtest.Assemble(text))
	}
	for seed := range int64(10) {
		f.Add(wasmtest.Assemble(randomProgram(seed)))
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		out, _, err := Instrument(wasm, DefaultConfig())
		if err != nil || !accepted(t, wasm) {
			return
		}
		if !accepted(t, out) {
			t.Fatal("metering made a valid module invalid")
		}
		if again, _, _ := Instrument(wasm, DefaultConfig()); string(again) != string(out) {
			t.Fatal("metering again gives another module")
		}
		if _, _, err := Instrument(out, DefaultConfig()); err == nil {
			t.Fatal("a metered module is metered again")
		}
	})
}

// accepted tells whether wazero takes a module.
func accepted(t *testing.T, wasm []byte) bool {
	ctx := context.Background()
	config := wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall)
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	defer runtime.Close(ctx)
	_, err := runtime.CompileModule(ctx, wasm)
	return err == nil
}
