package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// openTiny opens an engine of a tiny guest with a cache directory of its own, runs something and returns the cache's state.
func openTiny(dir string, price byte, config Config) (CacheState, error) {
	config.CacheDir, config.Guest = dir, tinyGuest(price)
	e, err := Open(context.Background(), config)
	if err != nil {
		return CacheState{}, err
	}
	defer func() { _ = e.Close() }()
	p, err := e.Compile(context.Background(), "x", Limits{})
	if err != nil {
		return CacheState{}, err
	}
	if p.Fuel != int64(price) {
		return CacheState{}, fmt.Errorf("compiling took %d units, not %d", p.Fuel, price)
	}
	r, err := e.Run(context.Background(), p, Job{Inputs: []byte(`{"a":1}`)})
	if err == nil && string(r.Output) != `{"a":1}` {
		err = errors.New(jsonOf(r))
	}
	return e.CacheState(), err
}

// cacheFiles returns image, skeleton and code.
func cacheFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*/" + cacheImage, "*/" + cacheSkeleton, "*/wazero-*/*"} {
		m, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(m) != 1 {
			t.Fatalf("%s: %v %v", pattern, m, err)
		}
		files = append(files, m...)
	}
	return files
}

func expectCache(t *testing.T, dir string, state string) CacheState {
	t.Helper()
	s, err := openTiny(dir, 1, Config{})
	if err != nil || s.State != state || (s.Reason == "") != (state == CacheHit) {
		t.Errorf("%+v, %v, want %s", s, err, state)
	}
	return s
}

func TestCacheIsPrivate(t *testing.T) {
	sharedEngine(t)
	for _, f := range cacheFiles(t, shared.dir) {
		for ; f != shared.dir; f = filepath.Dir(f) {
			st, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			if st.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
				t.Errorf("%s has mode %v", f, st.Mode())
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(shared.dir, "*", ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCacheDamage: whatever happened to a file, it is found out and made good.
func TestCacheDamage(t *testing.T) {
	dir := t.TempDir()
	expectCache(t, dir, CacheRebuilt)
	expectCache(t, dir, CacheHit)
	damage := map[string]func(b []byte) []byte{
		"gone":  nil,
		"empty": func([]byte) []byte { return nil },
		"cut":   func(b []byte) []byte { return b[:len(b)*2/3] },
		"grown": func(b []byte) []byte { return append(b, 0) },
		"other": func(b []byte) []byte { return make([]byte, len(b)) },
	}
	for _, file := range cacheFiles(t, dir) {
		for what, change := range damage {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if change != nil {
				if err := os.WriteFile(file, change(b), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := expectCache(t, dir, CacheRebuilt)
			t.Logf("%s %s: %s", filepath.Base(file), what, s.Reason)
			expectCache(t, dir, CacheHit)
		}
	}
}

// TestCacheFlippedBits flips a bit of every sixteenth byte of every file in turn.
func TestCacheFlippedBits(t *testing.T) {
	dir := t.TempDir()
	expectCache(t, dir, CacheRebuilt)
	guest := tinyGuest(1)
	entry, err := cacheFor(&Config{CacheDir: dir}, guest.Manifest.Build)
	if err != nil {
		t.Fatal(err)
	}
	o := &opener{ctx: context.Background(), config: &Config{}, guest: guest, entry: entry}
	for _, file := range cacheFiles(t, dir) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		step := max(16, len(b)/100)
		for i := 0; i < len(b); i += step {
			bad := slices.Clone(b)
			bad[i] ^= 1 << (i % 8)
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if e, err := o.cached(); err == nil {
				t.Errorf("%s, byte %d: not noticed", filepath.Base(file), i)
				_ = e.Close()
			}
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expectCache(t, dir, CacheHit)
}

// TestForeignCode puts files of another guest into the cache, in the end with a seal that says otherwise.
func TestForeignCode(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	expectCache(t, dir, CacheRebuilt)
	if _, err := openTiny(other, 2, Config{}); err != nil {
		t.Fatal(err)
	}
	mine, theirs := cacheFiles(t, dir), cacheFiles(t, other)
	entry, err := cacheFor(&Config{CacheDir: dir}, tinyGuest(1).Manifest.Build)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range mine {
		b, err := os.ReadFile(theirs[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(file), os.WriteFile(file, b, 0o600)); err != nil {
			t.Fatal(err)
		}
		if s := expectCache(t, dir, CacheRebuilt); !strings.Contains(s.Reason, "another build") {
			t.Errorf("%s: %s", filepath.Base(file), s.Reason)
		}
		expectCache(t, dir, CacheHit)
	}
	b, err := os.ReadFile(theirs[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := writeSealed(mine[2], b[:len(b)-footerSize], footer{Kind: kindCode, Build: entry.build}); err != nil {
		t.Fatal(err)
	}
	if s := expectCache(t, dir, CacheRebuilt); !strings.Contains(s.Reason, "not the guest's") {
		t.Errorf("another guest's code: %s", s.Reason)
	}
	// What wazero makes of the skeleton where there is no code: functions that trap.
	if err := os.Remove(mine[2]); err != nil {
		t.Fatal(err)
	}
	stub, err := os.ReadFile(mine[1])
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCode(context.Background(), stub[:len(stub)-footerSize], tinyGuest(1).Manifest, entry.dir)
	if err != nil {
		t.Fatal(err)
	}
	c.close()
	if b, err = os.ReadFile(mine[2]); err != nil {
		t.Fatal(err)
	}
	if s := expectCache(t, dir, CacheRebuilt); !strings.Contains(s.Reason, "compiled code") {
		t.Errorf("code without a seal: %s", s.Reason)
	}
	if err := writeSealed(mine[2], b, footer{Kind: kindCode, Build: entry.build}); err != nil {
		t.Fatal(err)
	}
	if s := expectCache(t, dir, CacheRebuilt); !strings.Contains(s.Reason, "self-test failed") {
		t.Errorf("code that traps: %s", s.Reason)
	}
	expectCache(t, dir, CacheHit)
}

func TestCacheOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]Config{
		"below a file": {CacheDir: filepath.Join(file, "x")},
		"switched off": {CacheDir: t.TempDir(), NoCache: true},
	} {
		var told []string
		config.Progress = func(m string) { told = append(told, m) }
		s, err := openTiny(config.CacheDir, 1, config)
		if err != nil || s.State != CacheOff || s.Reason == "" || len(told) != 1 {
			t.Errorf("%s: %+v, %v, told %q", name, s, err, told)
		}
	}
}

// TestCacheOfOthers: nobody else may have put the code there.
func TestCacheOfOthers(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("this system has no modes of files")
	}
	dir := t.TempDir()
	expectCache(t, dir, CacheRebuilt)
	if err := os.Chmod(filepath.Dir(cacheFiles(t, dir)[0]), 0o770); err != nil {
		t.Fatal(err)
	}
	if s := expectCache(t, dir, CacheOff); !strings.Contains(s.Reason, "no other may write") {
		t.Errorf("%+v", s)
	}
}

// TestCacheReadOnly: a cache that cannot be written is good if it is full, and else is done without.
func TestCacheReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere: no folder is read-only for it")
	}
	dir := t.TempDir()
	expectCache(t, dir, CacheRebuilt)
	for _, d := range []string{filepath.Dir(cacheFiles(t, dir)[0]), filepath.Dir(cacheFiles(t, dir)[2]), dir} {
		if err := os.Chmod(d, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(d, 0o700) })
	}
	expectCache(t, dir, CacheHit)
	if s, err := openTiny(dir, 2, Config{}); err != nil || s.State != CacheOff {
		t.Errorf("another guest: %+v, %v", s, err)
	}
}

// TestManyProcesses opens with an empty cache in several processes at once.
func TestManyProcesses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		dir := filepath.Join(t.TempDir(), "not", "there yet")
		const n = 4
		errs := make(chan error, n)
		for range n {
			go func() {
				cmd := exec.Command(self)
				cmd.Env = append(os.Environ(), "RUNLACE_TEST_OPEN="+dir)
				out, err := cmd.CombinedOutput()
				if err != nil {
					err = fmt.Errorf("%w: %s", err, out)
				}
				errs <- err
			}()
		}
		for range n {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		expectCache(t, dir, CacheHit)
	}
}

// openOnce is what the processes of TestManyProcesses do.
func openOnce(dir string) int {
	for range 3 {
		s, err := openTiny(dir, 1, Config{})
		if err != nil || s.State == CacheOff && !strings.Contains(s.Reason, "it was filled") {
			fmt.Println(s, err)
			return 1
		}
	}
	return 0
}

// TestPinnedEngine: the way the cache is filled leans on what this version of wazero does.
func TestPinnedEngine(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), "github.com/tetratelabs/wazero "+pinnedWazero) || !strings.HasPrefix(wazeroVersion(), pinnedWazero) {
		t.Errorf("wazero is %s: read its engine_cache.go and call_engine.go again, and change pinnedWazero", wazeroVersion())
	}
}
