package runtime

import (
	"context"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/hostfuncs"
)

// The WASI that a guest sees is the machine it may know of: two streams to write to, a clock and randomness that belong
// to the run, and no files.

// errno is a WASI error number.
type errno = uint32

// See https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno
const (
	errnoOK     errno = 0
	errnoBadf   errno = 8
	errnoFault  errno = 21
	errnoInval  errno = 28
	errnoNoent  errno = 44
	errnoNosys  errno = 52
	errnoNotsup errno = 58
	errnoSpipe  errno = 70
)

// wasiFunc is a WASI function that is more than an error number. An error ends the run.
type wasiFunc struct {
	params int // how many
	call   func(r *run, m hostfuncs.Memory, p []uint64) (errno, error)
}

// wasiTable returns the functions by name.
func wasiTable() map[string]wasiFunc {
	return map[string]wasiFunc{
		"args_get":          {2, nothing},
		"args_sizes_get":    {2, noneOfThem},
		"environ_get":       {2, nothing},
		"environ_sizes_get": {2, noneOfThem},
		"clock_res_get":     {2, clockResGet},
		"clock_time_get":    {3, clockTimeGet},
		"fd_close":          {1, fdClose},
		"fd_fdstat_get":     {2, fdFdstatGet},
		"fd_filestat_get":   {2, fdFilestatGet},
		"fd_read":           {4, fdRead},
		"fd_seek":           {4, fdSeek},
		"fd_tell":           {2, fdSeek},
		"fd_write":          {4, fdWrite},
		"poll_oneoff":       {4, pollOneoff},
		"proc_exit":         {1, procExit},
		"random_get":        {2, randomGet},
		"sched_yield":       {0, nothing},
	}
}

// absent is what the other functions return: there is nothing at any path, and no such descriptor.
func absent(name string) errno {
	switch {
	case strings.HasPrefix(name, "path_"):
		return errnoNoent
	case strings.HasPrefix(name, "fd_"):
		return errnoBadf
	}
	return errnoNosys
}

const wasiModule = "wasi_snapshot_preview1"

// provideWASI makes the WASI module with exactly the functions that the guest imports.
func provideWASI(ctx context.Context, rt wazero.Runtime, imports []assets.Import) error {
	if len(imports) == 0 {
		return nil
	}
	table := wasiTable()
	b := rt.NewHostModuleBuilder(wasiModule)
	for _, im := range imports {
		f, ok := table[im.Name]
		if ok && f.params != len(im.Params) {
			return fmt.Errorf("runtime: the guest imports %s with %d parameters, not %d", im.Name, len(im.Params), f.params)
		}
		if !ok {
			number := absent(im.Name)
			f.call = func(*run, hostfuncs.Memory, []uint64) (errno, error) { return number, nil }
		}
		call := func(ctx context.Context, m api.Module, p []uint64) {
			for i, t := range im.Params {
				if t == api.ValueTypeI32 {
					p[i] &= 1<<32 - 1 // the upper half of an i32's slot is not defined
				}
			}
			r := runOf(ctx)
			number, err := f.call(r, m.Memory(), p)
			if err != nil {
				r.stop(err)
			}
			if len(im.Results) > 0 {
				p[0] = uint64(number)
			}
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(call), im.Params, im.Results).Export(im.Name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

func nothing(*run, hostfuncs.Memory, []uint64) (errno, error) { return errnoOK, nil }

// noneOfThem says that there are no arguments, or no environment.
func noneOfThem(_ *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	if put32(m, p[0], 0) != errnoOK {
		return errnoFault, nil
	}
	return put32(m, p[1], 0), nil
}

func procExit(_ *run, _ hostfuncs.Memory, p []uint64) (errno, error) {
	return 0, &hostfuncs.Stop{Code: CodeExit, Message: fmt.Sprintf("the interpreter exited with status %d", int32(p[0]))}
}
