package wasmtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
)

func ExampleAssemble() {
	wasm := wasmtest.Assemble(`
		func $fib export (i32)->(i32)
			local.get 0
			i32.const 2
			i32.lt_u
			if i32
				local.get 0
			else
				local.get 0 i32.const 1 i32.sub call $fib
				local.get 0 i32.const 2 i32.sub call $fib
				i32.add
			end`)
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	mod, err := runtime.Instantiate(ctx, wasm)
	if err != nil {
		panic(err)
	}
	fmt.Println(mod.ExportedFunction("fib").Call(ctx, 20))
	// Output: [6765] <nil>
}

// TestMistakes: the assembler says which line it does not understand.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"func f ()->()\n\tlocal.git 0":  "line 2: local.git 0: unknown instruction local.git",
		"fun f ()->()":                  "line 1: fun f ()->(): unknown declaration fun",
		"func f ()->()\ncall g":         "line 2: call g: g is not a number",
		"func f ()->()\nlocal.get":      "line 2: local.get: the line ends too soon",
		"func f\n":                      "line 1: func f: the line ends too soon",
		"func f export\n\tnop":          "line 1: func f export: the line ends too soon",
		"func f i32":                    "line 1: func f i32: function type expected",
		"func f (int)->()":              "line 1: func f (int)->(): int is not a value type",
		"func f ()->() local int":       "line 1: func f ()->() local int: int is not a value type",
		"func f ()->()\nfunc f ()->()":  "two functions are called f",
		"global f64 x":                  "line 1: global f64 x: x is not a number",
		"export x memry 0":              "line 1: export x memry 0: memry cannot be exported",
		"func f ()->()\nbr_table":       "line 2: br_table: the line ends too soon",
		"func f ()->()\nf32.const 1e99": "line 2: f32.const 1e99: 1e99 is not a number",
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("%q: %s, want %q", text, got, want)
				}
			}()
			wasmtest.Assemble(text)
		}()
	}
}
