package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/runlace/runlace/wasm/module"
)

// Open opens an engine: from the cache in some milliseconds, else by compiling in some seconds. A cache that cannot be
// used is not an error, see Engine.CacheState.
func Open(ctx context.Context, config Config) (*Engine, error) {
	guest := config.Guest
	if guest == nil {
		var err error
		if guest, err = EmbeddedGuest(); err != nil {
			return nil, err
		}
	}
	o := &opener{ctx: ctx, config: &config, guest: guest}
	entry, err := cacheFor(&config, guest.Manifest.Build)
	if err != nil {
		return o.fresh(nil, CacheState{State: CacheOff, Reason: err.Error()})
	}
	o.entry = entry
	e, why := o.cached()
	if why == nil {
		e.cache = CacheState{State: CacheHit, Dir: entry.dir}
		return e, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	state := CacheState{State: CacheRebuilt, Dir: entry.dir, Reason: "it was empty"}
	if !errors.Is(why, os.ErrNotExist) {
		state.Reason = why.Error()
	}
	return o.fresh(entry, state)
}

// opener opens one engine.
type opener struct {
	ctx    context.Context
	config *Config
	guest  *Guest
	entry  *cacheEntry
}

// cached opens the engine from the cache alone.
func (o *opener) cached() (*Engine, error) {
	type imageOrError struct {
		*image
		error
	}
	images := make(chan imageOrError, 1)
	go func() {
		im, err := o.cachedImage()
		images <- imageOrError{im, err}
	}()
	c, want, err := o.cachedCode()
	im := <-images
	if err = errors.Join(err, im.error); err != nil {
		if c != nil {
			c.close()
		}
		if im.image != nil {
			im.image.close()
		}
		return nil, err
	}
	e := newEngine(o.guest, c, im.image, o.config)
	got, err := e.probe()
	if err == nil && got != want {
		err = errors.New("the compiled code in it is not the guest's")
	}
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	return e, nil
}

func (o *opener) cachedImage() (*image, error) {
	b, f, done, err := readFile(o.entry.file(cacheImage))
	if err != nil {
		return nil, err
	}
	contents, _, err := openSealed(b, kindImage, o.entry.build)
	var im *image
	if err == nil {
		im, err = newImage(o.guest.Manifest, contents, f, done)
	}
	if err != nil {
		(&image{file: f, unmap: done}).close()
		return nil, fmt.Errorf("%s: %w", cacheImage, err)
	}
	return im, nil
}

// cachedCode loads the compiled code, and returns what the self-test has to find with it. wazero takes the skeleton for
// the module: what it compiles to depends on function bodies, which the skeleton does not have, and everything else that
// the code needs it finds through indices, which the two have in common.
func (o *opener) cachedCode() (*code, probe, error) {
	b, err := os.ReadFile(o.entry.file(cacheSkeleton))
	if err != nil {
		return nil, probe{}, err
	}
	skeleton, f, err := openSealed(b, kindSkeleton, o.entry.build)
	if err != nil {
		return nil, probe{}, fmt.Errorf("%s: %w", cacheSkeleton, err)
	}
	path, err := o.entry.codeFile(f.Code)
	if err != nil {
		return nil, probe{}, err
	}
	if err := checkCode(path, o.entry.build); err != nil {
		return nil, probe{}, fmt.Errorf("compiled code: %w", err)
	}
	c, err := newCode(o.ctx, skeleton, o.guest.Manifest, o.entry.dir)
	return c, f.Probe, err
}

// checkCode checks the file before wazero sees it: wazero itself checks the machine code, but not where in it the
// functions are.
func checkCode(path string, build [32]byte) error {
	b, f, done, err := readFile(path)
	if err != nil {
		return err
	}
	defer (&image{file: f, unmap: done}).close()
	_, _, err = openSealed(b, kindCode, build)
	return err
}

// fresh compiles the guest, fills the cache if there is an entry for it, and opens the engine.
func (o *opener) fresh(entry *cacheEntry, state CacheState) (*Engine, error) {
	o.config.progress("preparing Python for this machine, which takes some seconds and is done once")
	wasm, err := o.guest.Module()
	if err != nil {
		return nil, err
	}
	file, err := o.guest.Image()
	if err != nil {
		return nil, err
	}
	view, err := layOut(o.guest.Manifest, file)
	if err != nil {
		return nil, err
	}
	var dir string // of wazero's own cache, which is where the compiled code can be had from
	if entry != nil {
		if err = entry.make(); err == nil {
			dir, err = os.MkdirTemp(entry.dir, ".new-*")
		}
		if err != nil {
			entry, state = nil, CacheState{State: CacheOff, Dir: state.Dir, Reason: err.Error()}
		} else {
			defer func() { _ = os.RemoveAll(dir) }()
		}
	}
	e, err := o.compiled(wasm, view, dir)
	if err != nil && dir != "" && o.ctx.Err() == nil { // a disk that is full, say: it goes without
		entry, state = nil, CacheState{State: CacheOff, Dir: state.Dir, Reason: err.Error()}
		e, err = o.compiled(wasm, view, "")
	}
	if err != nil {
		return nil, err
	}
	e.cache = state
	if entry == nil {
		return e, nil
	}
	if err := o.fill(e, wasm, view, dir); err != nil {
		e.cache = CacheState{State: CacheOff, Dir: state.Dir, Reason: err.Error()}
		return e, nil
	}
	// What was written is used at once, so that a cache that does not work is found out now.
	again, err := o.cached()
	if err != nil {
		e.cache = CacheState{State: CacheOff, Dir: state.Dir, Reason: "it was filled, and then: " + err.Error()}
		return e, nil
	}
	again.cache = state
	return again, e.Close()
}

// compiled opens an engine of the full module.
func (o *opener) compiled(wasm, view []byte, dir string) (*Engine, error) {
	mapped, f, done, err := hold(view)
	if err != nil {
		mapped = view
	}
	im, err := newImage(o.guest.Manifest, mapped, f, done)
	if err != nil {
		(&image{file: f, unmap: done}).close()
		return nil, err
	}
	c, err := newCode(o.ctx, wasm, o.guest.Manifest, dir)
	if err != nil {
		im.close()
		return nil, err
	}
	return newEngine(o.guest, c, im, o.config), nil
}

// fill writes the entry. e runs the full module, whose compiled code is in the folder full.
func (o *opener) fill(e *Engine, wasm, view []byte, full string) error {
	found, err := e.probe()
	if err != nil {
		return err
	}
	m, err := module.Parse(wasm)
	if err != nil {
		return err
	}
	m.StubCode()
	skeleton := m.Encode()
	// wazero compiles the skeleton, which takes no time, to learn the name that it gives to the result.
	stubs, err := os.MkdirTemp(o.entry.dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stubs) }()
	c, err := newCode(o.ctx, skeleton, o.guest.Manifest, stubs)
	if err != nil {
		return err
	}
	c.close()
	from, err := only(full)
	if err != nil {
		return err
	}
	to, err := only(stubs)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(stubs, to)
	if err != nil {
		return err
	}
	name, err := hex.DecodeString(filepath.Base(to))
	if err != nil || len(name) != sha256.Size {
		return fmt.Errorf("wazero's cache has a file %s", filepath.Base(to))
	}
	code, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	target := o.entry.file(rel)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	f := footer{Build: o.entry.build, Code: [32]byte(name), Probe: found}
	for _, w := range []struct {
		path     string
		kind     [8]byte
		contents []byte
	}{
		{target, kindCode, code}, {o.entry.file(cacheImage), kindImage, view}, {o.entry.file(cacheSkeleton), kindSkeleton, skeleton},
	} {
		f.Kind = w.kind
		if err := writeSealed(w.path, w.contents, f); err != nil {
			return err
		}
	}
	o.entry.prune(time.Now())
	return nil
}

// only returns the one file of a new cache of wazero.
func only(dir string) (string, error) {
	m, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err == nil && len(m) != 1 {
		err = fmt.Errorf("wazero's cache has %d files for one module", len(m))
	}
	if err != nil {
		return "", err
	}
	return m[0], nil
}
