package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

// CacheState tells what the cache did when an engine was opened.
type CacheState struct {
	State  string `json:"state"`            // CacheHit, CacheRebuilt or CacheOff
	Dir    string `json:"dir,omitempty"`    // where the guest's files are, or would be
	Reason string `json:"reason,omitempty"` // why it was rebuilt, or is off
}

// States of the cache.
const (
	CacheHit     = "hit"
	CacheRebuilt = "rebuilt"
	CacheOff     = "off"
)

// cacheEntry is the folder with one guest's files for one version of wazero and one kind of CPU.
//
//	guest.img       the image, laid out for mapping
//	guest.wasm      the skeleton: the module without code; its footer names the file with the code
//	wazero-*/HEX    the module's compiled code, under the name that wazero gives to the skeleton's
type cacheEntry struct {
	dir   string
	build [32]byte
}

const (
	cacheImage    = "guest.img"
	cacheSkeleton = "guest.wasm"
)

// cacheFor finds the entry of a guest. It makes no folder yet.
func cacheFor(config *Config, build string) (*cacheEntry, error) {
	if config.NoCache {
		return nil, errors.New("switched off")
	}
	dir := config.CacheDir
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(user, "runlace")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(build))
	name := strings.Join([]string{hex.EncodeToString(sum[:8]), wazeroVersion(), goruntime.GOOS, cpuKind()}, "-")
	c := &cacheEntry{dir: filepath.Join(dir, name), build: sum}
	if err := c.private(); err != nil {
		return nil, err
	}
	return c, nil
}

// make makes the folder, for its user alone.
func (c *cacheEntry) make() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	return c.private()
}

// private refuses a folder that others can write to: what is in it is run as code.
func (c *cacheEntry) private() error {
	st, err := os.Lstat(c.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !st.IsDir() || !mine(st) {
		return fmt.Errorf("%s has to be a folder that belongs to this user, and that no other may write to", c.dir)
	}
	return nil
}

func (c *cacheEntry) file(name string) string { return filepath.Join(c.dir, name) }

// codeFile finds the compiled code among the folders of wazero's cache.
func (c *cacheEntry) codeFile(name [32]byte) (string, error) {
	m, err := filepath.Glob(filepath.Join(c.dir, "wazero-*", hex.EncodeToString(name[:])))
	if err != nil {
		return "", err
	}
	if len(m) != 1 {
		return "", fmt.Errorf("%d files of compiled code", len(m))
	}
	return m[0], nil
}

// prune removes the entries of other builds that have not been made for a long time, and what a killed process left.
func (c *cacheEntry) prune(now time.Time) {
	const long = 90 * 24 * time.Hour
	parent := filepath.Dir(c.dir)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		st, err := os.Stat(filepath.Join(path, cacheSkeleton))
		if err == nil && path != c.dir && now.Sub(st.ModTime()) > long {
			_ = os.RemoveAll(path)
		}
	}
	left, _ := filepath.Glob(c.file(".new-*"))
	for _, path := range left {
		if st, err := os.Stat(path); err == nil && now.Sub(st.ModTime()) > time.Hour {
			_ = os.RemoveAll(path)
		}
	}
}

// pinnedWazero is the version of wazero in go.mod.
const pinnedWazero = "v1.12.0"

// wazeroVersion is the version of wazero in this binary: compiled code is good for one version only. A binary of `go test`
// does not know it. wazero then takes the main module's version for its own, and so does this.
func wazeroVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return pinnedWazero + "-unknown"
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/tetratelabs/wazero" {
			return d.Version
		}
	}
	return pinnedWazero + "-" + strings.Trim(info.Main.Version, "()")
}

// cpuKind names what wazero's compiler looks at in a CPU.
func cpuKind() string {
	kind := goruntime.GOARCH
	for _, f := range []struct {
		has  bool
		name string
	}{
		{cpu.X86.HasSSE41, "sse41"}, {cpu.X86.HasBMI1, "bmi1"}, {cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT, "abm"}, {cpu.ARM64.HasATOMICS, "atomics"},
	} {
		if f.has {
			kind += "_" + f.name
		}
	}
	return kind
}
