package runtime

import (
	"fmt"
	goruntime "runtime"

	"github.com/klauspost/compress/zstd"

	"github.com/runlace/runlace/assets"
)

// Config says how to open an Engine. The zero value is good.
type Config struct {
	// CacheDir is where compiled code is kept between processes; empty means runlace in the user's cache directory.
	CacheDir string
	// NoCache keeps everything in memory and compiles at each start.
	NoCache bool
	// Progress, if not nil, is told before a step that may take over a second.
	Progress func(message string)
	// KeepIdle bounds the instances that are kept for later runs, each with up to 4 MiB of memory; 0 means twice the
	// number of CPUs, at least 8.
	KeepIdle int
	// Copy copies the image into each instance, as is done on systems without copy-on-write mappings.
	Copy bool
	// Guest is the build of the guest, nil for the embedded one.
	Guest *Guest
}

// Guest is a build of the guest. Module and Image return the uncompressed files that the Manifest describes; they are
// called only when the cache does not have them.
type Guest struct {
	Manifest      *assets.Manifest
	Module, Image func() ([]byte, error)
}

// EmbeddedGuest returns the guest that is in the binary.
func EmbeddedGuest() (*Guest, error) {
	m, err := assets.Guest()
	if err != nil {
		return nil, err
	}
	return &Guest{
		Manifest: m,
		Module:   func() ([]byte, error) { return unpack(assets.ModuleFile, assets.Module) },
		Image:    func() ([]byte, error) { return unpack(assets.ImageFile, assets.Image) },
	}, nil
}

func unpack(name string, file func() ([]byte, error)) ([]byte, error) {
	packed, err := file()
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	b, err := d.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("runtime: embedded %s: %w", name, err)
	}
	return b, nil
}

func (c *Config) keepIdle() int {
	if c.KeepIdle > 0 {
		return c.KeepIdle
	}
	return max(8, 2*goruntime.GOMAXPROCS(0))
}

func (c *Config) progress(message string) {
	if c.Progress != nil {
		c.Progress(message)
	}
}
