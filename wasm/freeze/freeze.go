package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/wasm/inputs"
	"github.com/runlace/runlace/wasm/meter"
	"github.com/runlace/runlace/wasm/module"
)

type options struct {
	reactor, lib, zones string
	python, compiler    string
	flags               []string
	out, unmetered      string
}

const (
	osPage   = 4096
	wasmPage = 65536

	// joinBelow joins extents of the image that are less far apart: mapping one more costs more than some zeroes.
	joinBelow = 1 << 20
)

// buildExports are the exports that only the builder calls.
var buildExports = map[string]bool{
	"_initialize": true, "rt_init": true, "rt_exec": true, "rt_freeze": true, "rt_iobuf": true, "rt_iolen": true,
}

func freeze(ctx context.Context, o options) error {
	reactor, err := os.ReadFile(o.reactor)
	if err != nil {
		return err
	}
	metered, report, err := meter.Instrument(reactor, meter.DefaultConfig())
	if err != nil {
		return err
	}
	fmt.Printf("freeze: metered %d -> %d bytes: %+v\n", len(reactor), len(metered), report)

	state, err := start(ctx, metered, o)
	if err != nil {
		return err
	}
	frozen, err := frozenModule(metered, state)
	if err != nil {
		return err
	}
	m, image, err := manifest(o, metered, state, frozen)
	if err != nil {
		return err
	}
	if err := write(o.out, m, frozen, image); err != nil {
		return err
	}
	fmt.Printf("freeze: build %s: module %d bytes, image %.1f MiB in %d extents of %d pages\n",
		m.Build[:16], len(frozen), float64(len(image))/(1<<20), len(m.Extents), m.Pages)
	if o.unmetered == "" {
		return nil
	}
	// The fuel pass adds functions and a global, and changes nothing that memory refers to (tables keep their order), so
	// the same image serves the module without it.
	plain, err := frozenModule(reactor, state)
	if err != nil {
		return err
	}
	return writeCompressed(o.unmetered, plain)
}

// frozenModule returns wasm with the state's globals and memory size, and without what is needed only to get there.
func frozenModule(wasm []byte, s *state) ([]byte, error) {
	m, err := module.Parse(wasm)
	if err != nil {
		return nil, err
	}
	if err := m.CheckFreezable(); err != nil {
		return nil, err
	}
	globals, err := m.ExportMutableGlobals()
	if err != nil {
		return nil, err
	}
	values := map[uint32]uint64{}
	for _, g := range globals {
		values[g.Index] = s.globals[g.Index]
	}
	if err := errors.Join(m.SetGlobals(values), m.SetMemory(s.pages(), 0), m.DropData()); err != nil {
		return nil, err
	}
	m.DropStart()
	m.DropCustom()
	m.DropExports(func(name string) bool { return buildExports[name] || name == stackPointer })
	return m.Encode(), nil
}

func manifest(o options, metered []byte, s *state, frozen []byte) (*assets.Manifest, []byte, error) {
	m, err := module.Parse(metered)
	if err != nil {
		return nil, nil, err
	}
	out := &assets.Manifest{
		Python: o.python, Compiler: o.compiler, Flags: o.flags,
		Pages: s.pages(), IOBuf: s.ioBuf, IOLen: s.ioLen, Mono: s.mono,
	}
	if out.Sources, err = inputs.Sources("."); err != nil {
		return nil, nil, err
	}
	if out.Inputs, err = inputs.Sum("."); err != nil {
		return nil, nil, err
	}
	if out.Allowlist, err = inputs.Allowlist("."); err != nil {
		return nil, nil, err
	}
	globals, err := m.ExportMutableGlobals()
	if err != nil {
		return nil, nil, err
	}
	for _, g := range globals {
		switch g.Index {
		case s.fuelIndex:
			continue
		case s.stackIndex:
			out.StackPointer = g.Name
		}
		out.Globals = append(out.Globals, assets.Global{Name: g.Name, Value: s.globals[g.Index]})
	}
	for _, f := range m.FuncImports() {
		if f.Module == "wasi_snapshot_preview1" {
			out.WASI = append(out.WASI, assets.Import{Name: f.Name, Params: f.Type.Params, Results: f.Type.Results})
		}
	}
	var image []byte
	out.Extents, image = extents(s.memory)
	out.Files = map[string]assets.File{
		assets.ModuleFile: {Size: int64(len(frozen)), SHA256: sum(frozen)},
		assets.ImageFile:  {Size: int64(len(image)), SHA256: sum(image)},
	}
	h := sha256.New()
	h.Write(frozen)
	for _, e := range out.Extents {
		_ = binary.Write(h, binary.LittleEndian, e)
	}
	h.Write(image)
	out.Build = hex.EncodeToString(h.Sum(nil))
	return out, image, nil
}

// extents finds the parts of memory that are not zero, and joins those that are close together.
func extents(memory []byte) (out []assets.Extent, image []byte) {
	for off := 0; off < len(memory); off += osPage {
		if zero(memory[off : off+osPage]) {
			continue
		}
		if n := len(out); n > 0 && off-int(out[n-1].Off+out[n-1].Len) < joinBelow {
			out[n-1].Len = uint32(off+osPage) - out[n-1].Off
		} else {
			out = append(out, assets.Extent{Off: uint32(off), Len: osPage})
		}
	}
	for i := range out {
		e := &out[i]
		e.At = int64(len(image))
		image = append(image, memory[e.Off:e.Off+e.Len]...)
	}
	return out, image
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func write(dir string, m *assets.Manifest, frozen, image []byte) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(
		writeCompressed(filepath.Join(dir, assets.ModuleFile), frozen),
		writeCompressed(filepath.Join(dir, assets.ImageFile), image),
		os.WriteFile(filepath.Join(dir, assets.ManifestFile), append(text, '\n'), 0o644))
}

func writeCompressed(path string, b []byte) error {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, e.EncodeAll(b, nil), 0o644)
}

// scripts returns the preparation scripts in the order of their names.
func scripts() ([]string, error) {
	names, err := filepath.Glob("wasm/guest/prepare/*.py")
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no scripts: %w (run from the top of the repository)", fs.ErrNotExist)
	}
	return names, err
}

func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "__pycache__")
}
