package runtime

import (
	"context"
	"fmt"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/hostfuncs"
)

// code is a compiled guest together with the host modules that it imports.
type code struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cache    wazero.CompilationCache // nil: none
}

// newCode compiles wasm, or loads it from wazero's cache in dir if dir is not empty.
func newCode(ctx context.Context, wasm []byte, m *assets.Manifest, dir string) (c *code, err error) {
	c = &code{}
	defer func() {
		if r := recover(); r != nil { // wazero has no compiler for this CPU, or its cache misled it
			err = fmt.Errorf("runtime: compile the guest: %v", r)
		}
		if err != nil {
			c.close()
			c = nil
		}
	}()
	config := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(maxMemory / wasmPage).
		WithCustomSections(false).WithDebugInfoEnabled(false)
	if dir != "" {
		if c.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return c, err
		}
		config = config.WithCompilationCache(c.cache)
	}
	c.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	ctx = experimental.WithCompilationWorkers(ctx, goruntime.GOMAXPROCS(0))
	if c.compiled, err = c.runtime.CompileModule(ctx, wasm); err != nil {
		return c, err
	}
	if err := provideWASI(ctx, c.runtime, m.WASI); err != nil {
		return c, err
	}
	return c, provideHost(ctx, c.runtime)
}

func (c *code) close() {
	ctx := context.Background()
	if c.runtime != nil {
		_ = c.runtime.Close(ctx)
	}
	if c.cache != nil {
		_ = c.cache.Close(ctx)
	}
}

// provideHost makes the module of package hostfuncs.
func provideHost(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder(hostfuncs.Module)
	for _, f := range hostfuncs.Table() {
		params := make([]api.ValueType, len(f.Params))
		for i := range params {
			params[i] = api.ValueTypeI32
		}
		var results []api.ValueType
		if f.Result != "" {
			results = []api.ValueType{api.ValueTypeI32}
		}
		call := func(ctx context.Context, m api.Module, stack []uint64) {
			var args [4]uint32
			for i := range params {
				args[i] = uint32(stack[i]) // the upper half of an i32's slot is not defined
			}
			r := runOf(ctx)
			status, err := f.Call(&r.session, m.Memory(), args[:len(params)])
			if err != nil {
				r.stop(err)
			}
			if results != nil {
				stack[0] = api.EncodeI32(status)
			}
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(call), params, results).Export(f.Name)
	}
	_, err := b.Instantiate(ctx)
	return err
}
