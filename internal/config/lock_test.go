package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/runlace/runlace/internal/fault"
)

// Many that add a connector at once, each as a command does: of those that are told that it was written, none is lost.
func TestConcurrentSaves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	if err := New().Save(path); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	saved := map[string]bool{}
	for i := range 16 {
		wg.Go(func() {
			name := fmt.Sprintf("c%d", i)
			for range 200 {
				f, _, err := Load(path)
				if err != nil {
					t.Error(err)
					return
				}
				f.Set(Connector{Name: name, Transport: Stdio, Command: "true"})
				if err = f.Save(path); err == nil {
					mu.Lock()
					saved[name] = true
					mu.Unlock()
					return
				}
				if !errors.Is(err, fault.New("config-changed", "")) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	f, _, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for name := range saved {
		if _, ok := f.Find(name); !ok {
			t.Errorf("%s was saved, and is not there", name)
		}
	}
	if len(saved) != 16 {
		t.Errorf("only %d of 16 could be saved", len(saved))
	}
}
