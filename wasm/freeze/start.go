package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/runlace/runlace/wasm/meter"
	"github.com/runlace/runlace/wasm/module"
)

// stackPointer is the export that the linker gives the C stack pointer.
const stackPointer = "__stack_pointer"

// state is what is left of an instance after the freeze.
type state struct {
	memory       []byte
	globals      map[uint32]uint64
	fuelIndex    uint32
	stackIndex   uint32
	ioBuf, ioLen uint32
	mono         int64
}

func (s *state) pages() uint32 { return uint32(len(s.memory) / wasmPage) }

// start runs the metered reactor up to and including its freeze.
func start(ctx context.Context, wasm []byte, o options) (*state, error) {
	m, err := module.Parse(wasm)
	if err != nil {
		return nil, err
	}
	globals, err := m.ExportMutableGlobals()
	if err != nil {
		return nil, err
	}
	s := &state{globals: map[uint32]uint64{}}
	for _, e := range m.Exports {
		switch {
		case e.Kind == module.KindGlobal && e.Name == meter.FuelGlobal:
			s.fuelIndex = e.Index
		case e.Kind == module.KindGlobal && e.Name == stackPointer:
			s.stackIndex = e.Index
		}
	}

	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	defer rt.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	if err := instantiateHost(ctx, rt); err != nil {
		return nil, err
	}
	cm, err := rt.CompileModule(ctx, m.Encode())
	if err != nil {
		return nil, err
	}
	wall := int64(1_735_689_600_000_000_000)
	in, err := rt.InstantiateModule(ctx, cm, wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithStdout(os.Stdout).WithStderr(os.Stderr).
		WithWalltime(func() (int64, int32) { wall += 1000; return wall / 1e9, int32(wall % 1e9) }, 1000).
		WithNanotime(func() int64 { s.mono += 1000; return s.mono }, 1000).
		WithRandSource(rand.NewChaCha8([32]byte{})).
		WithFSConfig(wazero.NewFSConfig().
			WithFSMount(steady{os.DirFS(o.lib)}, "/lib").
			WithFSMount(steady{os.DirFS("wasm/guest/python")}, "/guest").
			WithFSMount(steady{zonesOnly{os.DirFS(o.zones)}}, "/zones")))
	if err != nil {
		return nil, err
	}
	in.ExportedGlobal(meter.FuelGlobal).(api.MutableGlobal).Set(1 << 62)

	call := func(name string, args ...uint64) (uint32, error) {
		r, err := in.ExportedFunction(name).Call(ctx, args...)
		if err != nil || len(r) == 0 {
			return 0, err
		}
		return uint32(r[0]), nil
	}
	must := func(name string, args ...uint64) error {
		r, err := call(name, args...)
		if err == nil && r != 0 {
			err = errors.New("it failed, see above")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	if _, err := call("_initialize"); err != nil {
		return nil, err
	}
	if err := must("rt_init"); err != nil {
		return nil, err
	}
	names, err := scripts()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		ptr, err := call("rt_alloc", uint64(len(source)+1))
		if err != nil {
			return nil, err
		}
		if !in.Memory().Write(ptr, append(source, 0)) {
			return nil, fmt.Errorf("%s does not fit in memory", name)
		}
		if err := must("rt_exec", uint64(ptr)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		// Not freed: what is freed would be part of the heap's state. Cleared: it is not needed any more.
		b, _ := in.Memory().Read(ptr, uint32(len(source)+1))
		clear(b)
	}
	if err := must("rt_freeze"); err != nil {
		return nil, err
	}
	if s.ioBuf, err = call("rt_iobuf"); err != nil {
		return nil, err
	}
	if s.ioLen, err = call("rt_iolen"); err != nil {
		return nil, err
	}
	for _, g := range globals {
		s.globals[g.Index] = in.ExportedGlobal(g.Name).Get()
	}
	s.globals[s.fuelIndex] = 0
	s.memory, _ = in.Memory().Read(0, in.Memory().Size())
	s.memory = append([]byte(nil), s.memory...)
	return s, nil
}

// instantiateHost makes a host for the warm-up: tools called fail do, all others answer the same thing, and the log is not kept.
func instantiateHost(ctx context.Context, rt wazero.Runtime) error {
	const i32 = api.ValueTypeI32
	const value = `{"value":{"items":[{"id":1,"name":"x"}],"n":2.5,"ok":true,"none":null}}`
	const failure = `{"error":{"code":"tool-error","message":"it failed","data":{"why":"warm"}}}`
	pending := ""
	answer := func(fail bool) uint64 {
		pending = value
		if fail {
			pending = failure
		}
		return uint64(len(pending))
	}
	_, err := rt.NewHostModuleBuilder("host").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, p []uint64) {
		request, _ := m.Memory().Read(uint32(p[0]), uint32(p[1]))
		p[0] = answer(containsTool(request, "fail"))
	}), []api.ValueType{i32, i32}, []api.ValueType{i32}).Export("call_tool").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, p []uint64) {
		p[0] = answer(false)
	}), []api.ValueType{i32, i32}, []api.ValueType{i32}).Export("ask_model").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, p []uint64) {
		pending = "\x00media"
		p[0] = uint64(len(pending))
	}), []api.ValueType{i32, i32}, []api.ValueType{i32}).Export("read_media").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, p []uint64) {
		m.Memory().WriteString(uint32(p[0]), pending)
		p[0] = uint64(len(pending))
	}), []api.ValueType{i32, i32}, []api.ValueType{i32}).Export("read_answer").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
	}), []api.ValueType{i32, i32, i32}, nil).Export("write_log").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
		panic("the builder ran out of fuel")
	}), nil, nil).Export(meter.ImportName).
		Instantiate(ctx)
	return err
}
