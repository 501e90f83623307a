package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// slot is a module instance in the image's state, or on its way back to it.
type slot struct {
	guest   *Guest
	module  api.Module
	memory  memory
	globals []api.MutableGlobal // as Manifest.Globals
	fuel    api.MutableGlobal   // nil in a guest without a meter
	stack   api.MutableGlobal   // the C stack pointer; may be nil
}

// newSlot instantiates the guest.
func newSlot(c *code, guest *Guest, mem memory) (s *slot, err error) {
	// Anonymous, so that any number can live; and without start functions, because the guest has started.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	ctx := experimental.WithMemoryAllocator(context.Background(), &allocation{mem})
	s = &slot{guest: guest, memory: mem}
	defer func() {
		if r := recover(); r != nil { // no memory, or code that is not this module's
			err = fmt.Errorf("runtime: instantiate the guest: %v", r)
		}
		if err != nil {
			s.close()
			s = nil
		}
	}()
	if s.module, err = c.runtime.InstantiateModule(ctx, c.compiled, config); err != nil {
		return s, fmt.Errorf("runtime: instantiate the guest: %w", err)
	}
	for _, g := range guest.Manifest.Globals {
		m, ok := s.module.ExportedGlobal(g.Name).(api.MutableGlobal)
		if !ok {
			return s, fmt.Errorf("runtime: the guest has no mutable global %s", g.Name)
		}
		s.globals = append(s.globals, m)
		if g.Name == guest.Manifest.StackPointer {
			s.stack = m
		}
	}
	s.fuel, _ = s.module.ExportedGlobal("fuel").(api.MutableGlobal)
	return s, nil
}

// close frees the memory. Nothing may be running in it.
func (s *slot) close() {
	if s.module != nil {
		_ = s.module.Close(context.Background())
	}
	s.memory.Free()
}

// function returns an exported function, nil if there is none. It is a new object each time: each has a native stack, which
// grows with use and stays grown. With a stack that other runs have grown, the engine would overflow at another depth.
func (s *slot) function(name string) api.Function { return s.module.ExportedFunction(name) }

// restore puts the slot back into the image's state, and reports whether it can serve another run. Memory and mutable
// globals are all the state that there is: package wasm/module refuses to freeze a guest whose code writes tables or
// drops segments. An instance whose memory has grown cannot shrink it.
func (s *slot) restore() bool {
	if s.module.IsClosed() || s.memory.size() != uint64(s.guest.Manifest.Pages)*wasmPage {
		return false
	}
	for i, g := range s.guest.Manifest.Globals {
		s.globals[i].Set(g.Value)
	}
	if s.fuel != nil {
		s.fuel.Set(0)
	}
	return s.memory.restore() == nil
}

// stackExhausted tells whether the C stack pointer is near the end of the stack at address 0, or beyond it.
func (s *slot) stackExhausted() bool {
	const near = 64 << 10
	if s.stack == nil {
		return false
	}
	sp := uint32(s.stack.Get())
	return sp < near || sp > math.MaxInt32 || uint64(sp) > s.memory.size()
}

func (s *slot) saveGlobals() []uint64 {
	values := make([]uint64, len(s.globals))
	for i, g := range s.globals {
		values[i] = g.Get()
	}
	return values
}

func (s *slot) loadGlobals(values []uint64) {
	for i, g := range s.globals {
		g.Set(values[i])
	}
}

// contents is all of memory, for tests.
func (s *slot) contents() ([]byte, error) {
	b, ok := s.module.Memory().Read(0, s.module.Memory().Size())
	if !ok {
		return nil, errors.New("runtime: no memory")
	}
	return b, nil
}
