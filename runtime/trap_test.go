package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/runlace/runlace/wasm/module"
)

// TestTraps provokes each trap that WebAssembly code can run into, and finds wazero's word for it.
func TestTraps(t *testing.T) {
	const unreachable, call, callIndirect, drop, end = 0x00, 0x10, 0x11, 0x1a, 0x0b
	const i32const, i32load, i32divs, i32trunc, f32const = 0x41, 0x28, 0x6d, 0xa8, 0x43
	for want, code := range map[trap][]byte{
		trapStack:                       {call, 0, end},
		trapBounds:                      {i32const, 0x7f, i32load, 2, 0, drop, end},
		"unreachable":                   {unreachable, end},
		"integer divide by zero":        {i32const, 1, i32const, 0, i32divs, drop, end},
		"integer overflow":              {i32const, 0x80, 0x80, 0x80, 0x80, 0x78, i32const, 0x7f, i32divs, drop, end},
		"invalid conversion to integer": {f32const, 0, 0, 0xc0, 0x7f, i32trunc, drop, end},
		"invalid table access":          {i32const, 9, callIndirect, 0, 0, end},
		"indirect call type mismatch":   {i32const, 0, callIndirect, 1, 0, end},
	} {
		t.Run(string(want), func(t *testing.T) {
			m := module.Module{
				Types:    []module.FuncType{{}, {Params: []byte{module.I32}}},
				Funcs:    []module.Func{{Code: code}},
				Tables:   []module.Table{{Elem: module.FuncRef, Limits: module.Limits{Min: 1}}},
				Elems:    []module.Elem{{Offset: module.Const{Op: i32const}, Init: []module.Const{{Op: 0xd2}}}},
				Memories: []module.Limits{{Min: 1}},
				Exports:  []module.Export{{Name: "f"}},
			}
			if want == "indirect call type mismatch" {
				m.Funcs[0].Code = []byte{i32const, 0, i32const, 0, callIndirect, 1, 0, end}
			}
			ctx := context.Background()
			rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
			defer func() { _ = rt.Close(ctx) }()
			in, err := rt.Instantiate(ctx, m.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if _, err = in.ExportedFunction("f").Call(ctx); trapOf(err) != want {
				t.Errorf("got %q from %v", trapOf(err), err)
			}
		})
	}
	if trapOf(errors.New("stack overflow")) != trapNone || trapOf(nil) != trapNone {
		t.Error("any error is taken for a trap")
	}
}

// TestStopsUnwind: what a host function panics with comes out of the guest, and a Go runtime error is not taken for it.
func TestStopsUnwind(t *testing.T) {
	m := module.Module{
		Types:   []module.FuncType{{}},
		Imports: []module.Import{{Module: "host", Name: "f"}},
		Funcs:   []module.Func{{Code: []byte{0x10, 0, 0x0b}}},
		Exports: []module.Export{{Name: "f", Index: 1}},
	}
	var panicWith any
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	defer func() { _ = rt.Close(ctx) }()
	f := api.GoModuleFunc(func(context.Context, api.Module, []uint64) { panic(panicWith) })
	if _, err := rt.NewHostModuleBuilder("host").NewFunctionBuilder().WithGoModuleFunction(f, nil, nil).Export("f").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	in, err := rt.Instantiate(ctx, m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	panicWith = &stopped{err: ErrClosed}
	_, err = in.ExportedFunction("f").Call(ctx)
	var s *stopped
	if !errors.As(err, &s) || s.err != ErrClosed || trapOf(err) != trapNone {
		t.Errorf("got %v", err)
	}
	panicWith = "index out of range"
	if _, err = in.ExportedFunction("f").Call(ctx); errors.As(err, &s) || trapOf(err) != trapNone {
		t.Errorf("got %v", err)
	}
}

// TestGuestTraps: what ends the guest from inside of the engine is a failure of the run, and hurts nothing else.
func TestGuestTraps(t *testing.T) {
	deep := Limits{Recursion: 20_000, MemoryBytes: 1 << 30}
	for _, c := range []struct{ name, source string }{
		{"iterators", body("x = iter(())\nfor _ in range(1_200_000): x = map(abs, x)\nreturn list(x)")},
		{"comparison", "class A:\n    def __eq__(self, o): return A() == A()\ndef run(ctx):\n    return A() == A()\n"},
		{"repr", body("x = []\nfor _ in range(100_000): x = [x]\nreturn repr(x)")},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runIt(t, c.source, Job{Limits: deep})
			if codeOf(r) != CodeRecursionLimit {
				t.Errorf("got %s", jsonOf(r))
			}
			if r.Err == nil {
				return
			}
			t.Logf("%s line %d: %s", codeOf(r), r.Err.Line, strings.SplitN(r.Err.Message, "\n", 2)[0])
		})
	}
	if got := output(t, body("return 1"), Job{}); got != "1" {
		t.Errorf("afterwards: %s", got)
	}
}
