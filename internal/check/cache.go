package check

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/runtime"
)

// compiled is what is kept of a compilation.
type compiled struct {
	Findings []report.Finding `json:"findings,omitempty"`
	Tools    []tool           `json:"tools,omitempty"` // that it uses
	Code     []byte           `json:"code,omitempty"`  // of the program, nil if it does not compile
	Fuel     int64            `json:"fuel,omitempty"`
}

// tool is one that a workflow uses.
type tool struct{ Connector, Tool string }

// program is the compiled program again.
func (c *compiled) program(source, build string) *runtime.Program {
	if c.Code == nil {
		return nil
	}
	return &runtime.Program{Source: source, Code: c.Code, Build: build, Fuel: c.Fuel}
}

// rehearsed is what is kept of a case.
type rehearsed struct {
	Findings []report.Finding `json:"findings,omitempty"`
	Fuel     int64            `json:"fuel"`
	Calls    int              `json:"calls"`
	Trials   []report.Trial   `json:"trials,omitempty"`
}

// cache keeps results by what they depend on, in one file for each. A file that is damaged counts as none, and one that cannot be written is not.
type cache struct{ dir string }

// keepFor is how long an entry stays that nobody asks for.
const keepFor = 30 * 24 * time.Hour

// openCache makes the folder, which is the user's alone: programs come out of it. nil is a cache that keeps nothing.
func openCache(dir string) *cache {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil
		}
		dir = filepath.Join(user, "runlace")
	}
	dir = filepath.Join(dir, "check")
	if os.MkdirAll(dir, 0o700) != nil || os.Chmod(dir, 0o700) != nil {
		return nil
	}
	return &cache{dir}
}

// digestOf identifies what a result depends on. Parts are told apart by their lengths.
func digestOf(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		for i, l := 0, len(p); i < 8; i, l = i+1, l>>8 {
			n[i] = byte(l)
		}
		h.Write(n[:])
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (c *cache) file(key string) string { return filepath.Join(c.dir, key[:2], key[2:]) }

// get reads an entry. It begins with the digest of the rest and of its key.
func (c *cache) get(key string, into any) bool {
	if c == nil {
		return false
	}
	b, err := os.ReadFile(c.file(key))
	if err != nil || len(b) < 2*sha256.Size {
		return false
	}
	sum, body := string(b[:2*sha256.Size]), b[2*sha256.Size:]
	if sum != digestOf([]byte(key), body) || json.Unmarshal(body, into) != nil {
		return false
	}
	if info, err := os.Stat(c.file(key)); err == nil && time.Since(info.ModTime()) > keepFor/4 {
		now := time.Now()
		_ = os.Chtimes(c.file(key), now, now) // an entry that is used is not old
	}
	return true
}

// put writes an entry, all of it or nothing.
func (c *cache) put(key string, v any) {
	if c == nil {
		return
	}
	body, err := json.Marshal(v)
	if err != nil {
		return
	}
	path := c.file(key)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return
	}
	_, err = f.Write(append([]byte(digestOf([]byte(key), body)), body...))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

// sweep removes what nobody has asked for in a long time.
func (c *cache) sweep(now time.Time) {
	if c == nil {
		return
	}
	_ = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be looked at stays
		}
		if info, err := d.Info(); err == nil && now.Sub(info.ModTime()) > keepFor {
			_ = os.Remove(path)
		}
		return nil
	})
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
