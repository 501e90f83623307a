package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"

	"github.com/klauspost/compress/zstd"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/runtime"
)

// guests opens the builds of the guest that run the CPU set. What cannot be opened is noted.
func (b *bench) guests() (open []contender, closeAll func()) {
	var done []func()
	open = append(open, b.guestContender(metered, b.engine))
	add := func(name string, make func() (contender, func(), error)) {
		c, stop, err := make()
		if err != nil {
			b.report.note("CPU work: %s is not measured: %v", name, err)
			return
		}
		open, done = append(open, c), append(done, stop)
	}
	add(unmetered, func() (contender, func(), error) {
		g, err := b.unmeteredGuest()
		if err != nil {
			return contender{}, nil, err
		}
		e, err := runtime.Open(b.ctx, runtime.Config{Guest: g, CacheDir: b.cache()})
		if err != nil {
			return contender{}, nil, err
		}
		return b.guestContender(unmetered, e), func() { _ = e.Close() }, nil
	})
	add(closing, func() (contender, func(), error) {
		g, err := b.closingGuest()
		if err != nil {
			return contender{}, nil, err
		}
		return contender{closing, closingEvery, g.run}, g.close, nil
	})
	return open, func() {
		for _, f := range done {
			f()
		}
	}
}

// guestContender runs programs in an engine.
func (b *bench) guestContender(name string, e *runtime.Engine) contender {
	programs := map[string]*runtime.Program{}
	return contender{name, 1, func(path string) (string, float64, error) {
		p := programs[path]
		if p == nil {
			var err error
			if p, err = b.compile(e, path); err != nil {
				return "", 0, err
			}
			programs[path] = p
		}
		return b.runGuest(e, p)
	}}
}

// runGuest runs a program in a fresh interpreter.
func (b *bench) runGuest(e *runtime.Engine, p *runtime.Program) (string, float64, error) {
	in, err := e.Start(b.ctx)
	if err != nil {
		return "", 0, err
	}
	defer in.Close()
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	start := threadTime()
	r, err := in.Run(b.ctx, p, runtime.Job{Seed: 1})
	seconds := (threadTime() - start).Seconds()
	switch {
	case err != nil:
		return "", 0, err
	case r.Err != nil:
		return "", 0, fmt.Errorf("%w\n%s", r.Err, r.Err.Traceback)
	}
	return string(r.Output), seconds, nil
}

// unmeteredGuest is the embedded guest without the fuel pass: another module over the same image.
func (b *bench) unmeteredGuest() (*runtime.Guest, error) {
	packed, err := os.ReadFile(filepath.Join(b.root, "testdata", "guest-unmetered.wasm.zst"))
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	wasm, err := d.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unmetered guest: %w", err)
	}
	g, err := runtime.EmbeddedGuest()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(wasm)
	m := *g.Manifest
	m.Build = "unmetered-" + hex.EncodeToString(sum[:])
	m.Files = maps.Clone(m.Files)
	m.Files[assets.ModuleFile] = assets.File{Size: int64(len(wasm)), SHA256: hex.EncodeToString(sum[:])}
	return &runtime.Guest{Manifest: &m, Module: func() ([]byte, error) { return wasm, nil }, Image: g.Image}, nil
}

// cache is the folder of compiled code, of this run of the program only.
func (b *bench) cache() string { return filepath.Join(b.temp, "cache") }
