package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

// closingGuest is what Runlace would be without a fuel pass: the unmetered guest, which wazero interrupts when its context
// is done. Package runtime has no use for that, so that the guest is run here by hand, with as much of a host as the CPU
// set needs, which is none.
type closingGuest struct {
	bench    *bench
	manifest *assets.Manifest
	image    []byte
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	programs map[string]*runtime.Program
}

func (b *bench) closingGuest() (g *closingGuest, err error) {
	guest, err := b.unmeteredGuest()
	if err != nil {
		return nil, err
	}
	g = &closingGuest{bench: b, manifest: guest.Manifest, programs: map[string]*runtime.Program{}}
	g.runtime = wazero.NewRuntimeWithConfig(b.ctx, wazero.NewRuntimeConfigCompiler().WithCloseOnContextDone(true))
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	if g.image, err = guest.Image(); err != nil {
		return g, err
	}
	wasm, err := guest.Module()
	if err != nil {
		return g, err
	}
	ctx := experimental.WithCompilationWorkers(b.ctx, goruntime.GOMAXPROCS(0))
	if g.compiled, err = g.runtime.CompileModule(ctx, wasm); err != nil {
		return g, err
	}
	return g, g.provideHost()
}

func (g *closingGuest) close() { _ = g.runtime.Close(context.Background()) }

// provideHost makes the functions that the guest imports. The CPU set calls none, so that they do nothing.
func (g *closingGuest) provideHost() error {
	const notSupported = 52 // WASI ENOSYS
	modules := map[string]wazero.HostModuleBuilder{}
	for _, f := range g.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if modules[module] == nil {
			modules[module] = g.runtime.NewHostModuleBuilder(module)
		}
		do := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			if len(f.ResultTypes()) > 0 {
				stack[0] = notSupported
			}
		})
		switch name {
		case "clock_time_get":
			do = func(_ context.Context, m api.Module, stack []uint64) {
				m.Memory().WriteUint64Le(uint32(stack[2]), uint64(g.manifest.Mono))
				stack[0] = 0
			}
		case "random_get": // what is at the pointer will do
			do = func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 0 }
		}
		modules[module].NewFunctionBuilder().WithGoModuleFunction(do, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	if modules[hostfuncs.Module] == nil {
		return errors.New("the module is not a guest")
	}
	for _, m := range modules {
		if _, err := m.Instantiate(g.bench.ctx); err != nil {
			return err
		}
	}
	return nil
}

// run runs a program in a new instance.
func (g *closingGuest) run(path string) (output string, seconds float64, err error) {
	p := g.programs[path]
	if p == nil { // the same bytecode as the other guests run
		if p, err = g.bench.compile(g.bench.engine, path); err != nil {
			return "", 0, err
		}
		g.programs[path] = p
	}
	ctx, cancel := context.WithCancel(g.bench.ctx)
	defer cancel()
	m, err := g.runtime.InstantiateModule(ctx, g.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return "", 0, err
	}
	defer m.Close(g.bench.ctx)
	memory := m.Memory()
	for _, e := range g.manifest.Extents {
		if !memory.Write(e.Off, g.image[e.At:e.At+int64(e.Len)]) {
			return "", 0, errors.New("the image is larger than the guest's memory")
		}
	}
	if err := g.place(memory, p); err != nil {
		return "", 0, err
	}
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	start := threadTime()
	results, err := m.ExportedFunction("rt_run").Call(ctx, uint64(g.manifest.IOBuf))
	seconds = (threadTime() - start).Seconds()
	if err != nil {
		return "", 0, err
	}
	out, err := g.output(memory)
	if err == nil && results[0] != 0 {
		err = errors.New(out)
	}
	return out, seconds, err
}

// The job structure, see package runtime's job.go.
const (
	jobSize      = 64
	jobRecursion = 32
	jobOut       = 36
)

// place writes the job: code, source and inputs, and Python's recursion limit.
func (g *closingGuest) place(memory api.Memory, p *runtime.Program) error {
	job := make([]byte, jobSize)
	payload := []byte{}
	for i, part := range [][]byte{p.Code, []byte(p.Source), []byte("{}")} {
		binary.LittleEndian.PutUint32(job[8*i:], g.manifest.IOBuf+jobSize+uint32(len(payload)))
		binary.LittleEndian.PutUint32(job[8*i+4:], uint32(len(part)))
		payload = append(payload, part...)
	}
	binary.LittleEndian.PutUint32(job[jobRecursion:], uint32(runtime.Defaults().Recursion))
	if uint64(len(job)+len(payload)) > uint64(g.manifest.IOLen) || !memory.Write(g.manifest.IOBuf, append(job, payload...)) {
		return fmt.Errorf("%d bytes do not fit the guest's buffer: %w", len(payload), os.ErrInvalid)
	}
	return nil
}

func (g *closingGuest) output(memory api.Memory) (string, error) {
	head, ok := memory.Read(g.manifest.IOBuf+jobOut, 8)
	if !ok {
		return "", errors.New("no buffer in the guest's memory")
	}
	out, ok := memory.Read(binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:]))
	if !ok {
		return "", errors.New("the output is not in the guest's memory")
	}
	return string(out), nil
}
