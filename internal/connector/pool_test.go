package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
)

func pool(t *testing.T, o Options, entries map[string]config.Connector) (*Pool, *atomic.Int64) {
	opened := new(atomic.Int64)
	p := NewPool(func(name string) (config.Connector, Options, error) {
		opened.Add(1)
		c, ok := entries[name]
		if !ok {
			return c, o, fmt.Errorf("there is no connector %s", name)
		}
		return c, o, nil
	})
	t.Cleanup(p.Close)
	return p, opened
}

// Twenty runs at once, two hundred calls each, on one process.
func TestPool(t *testing.T) {
	connectortest.NoLeaks(t)
	acts := filepath.Join(t.TempDir(), "acts")
	p, opened := pool(t, Options{}, map[string]config.Connector{
		"a": connectortest.Fixture(t, "-acts", acts), "b": connectortest.Fixture(t), "bad": connectortest.Fixture(t, "-die-start", "1"),
	})
	began := time.Now()
	var runs sync.WaitGroup
	for run := range 20 {
		runs.Go(func() {
			set := p.OpenAll(t.Context(), []string{"a", "b"})
			defer set.Release()
			if len(set.Failed) > 0 {
				t.Error(set.Failed)
				return
			}
			for i := range 100 {
				r, err := set.Sessions["a"].Call(t.Context(), "note", json.RawMessage(fmt.Sprintf(`{"text":"%d-%d"}`, run, i)))
				if want := fmt.Sprintf(`{"noted":"%d-%d"}`, run, i); err != nil || string(r.Structured) != want {
					t.Errorf("%v %s", err, r.Structured)
				}
				r, err = set.Sessions["b"].Call(t.Context(), "add", json.RawMessage(fmt.Sprintf(`{"a":%d,"b":%d}`, run, i)))
				if want := fmt.Sprintf(`{"sum":%d}`, run+i); err != nil || string(r.Structured) != want {
					t.Errorf("%v %s", err, r.Structured)
				}
			}
		})
	}
	runs.Wait()
	t.Logf("4000 calls of 20 runs in %v", time.Since(began).Round(time.Millisecond))
	if opened.Load() != 2 {
		t.Errorf("%d processes", opened.Load())
	}
	if b, _ := os.ReadFile(acts); strings.Count(string(b), "\n") != 2000 {
		t.Errorf("%d acts", strings.Count(string(b), "\n"))
	}

	set := p.OpenAll(t.Context(), []string{"a", "bad", "missing"})
	if len(set.Sessions) != 1 || !errors.Is(set.Failed["bad"], ErrUnreachable) || set.Failed["missing"] == nil {
		t.Errorf("%+v", set)
	}
	set.Release()
	set.Release()
}

// The run that loses a session has lost it; the next one gets another.
func TestPoolAfterLoss(t *testing.T) {
	connectortest.NoLeaks(t)
	p, opened := pool(t, Options{}, map[string]config.Connector{"a": connectortest.Fixture(t)})
	first, release, err := p.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	other, releaseOther, _ := p.Get(t.Context(), "a")
	if other != first {
		t.Error("not shared")
	}
	_, err = first.Call(t.Context(), "die", json.RawMessage(`{"code":1}`))
	failure(t, err, CodeLost, Unknown)
	_, err = other.Call(t.Context(), "echo", nil)
	failure(t, err, CodeLost, NotSent)
	second, releaseSecond, err := p.Get(t.Context(), "a")
	if err != nil || second == first {
		t.Fatal(err)
	}
	call(t, second, "echo", `{"value":1}`)
	_, err = first.Call(t.Context(), "echo", nil)
	failure(t, err, CodeLost, NotSent)
	release()
	releaseOther()
	releaseSecond()
	if opened.Load() != 2 {
		t.Error(opened.Load())
	}

	// After a change of the entry, who has the session keeps it, and the next one gets another.
	third, release, _ := p.Get(t.Context(), "a")
	p.Forget("a")
	fourth, releaseFourth, _ := p.Get(t.Context(), "a")
	if third != second || fourth == third {
		t.Error("Forget")
	}
	call(t, third, "echo", `{"value":1}`)
	release()
	select {
	case <-third.Lost():
	case <-time.After(5 * time.Second):
		t.Error("the forgotten session is not closed")
	}
	call(t, fourth, "echo", `{"value":1}`)
	releaseFourth()
	p.Close()
	p.Close()
	if _, _, err := p.Get(t.Context(), "a"); err == nil {
		t.Error("closed")
	}
}

// Fifty in sequence leave nothing.
func TestManySessions(t *testing.T) {
	connectortest.NoLeaks(t)
	for i := range 50 {
		s := open1(t, connectortest.Fixture(t), Options{})
		if i%2 == 0 {
			call(t, s, "echo", `{"value":1}`)
		} else {
			_, _ = s.Call(t.Context(), "die", nil)
		}
		_ = s.Close()
	}
}

func TestPoolPatience(t *testing.T) {
	connectortest.NoLeaks(t)
	p, opened := pool(t, Options{OpenTimeout: 20 * time.Second, StopGrace: 100 * time.Millisecond}, map[string]config.Connector{
		"slow": connectortest.Fixture(t, "-start-ms", "600"), "never": connectortest.Fixture(t, "-hang-start")})
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	_, _, err := p.Get(ctx, "slow")
	failure(t, err, CodeCancelled, NotSent)
	s, release, err := p.Get(t.Context(), "slow") // the opening went on
	if err != nil || opened.Load() != 1 {
		t.Fatal(err, opened.Load())
	}
	call(t, s, "echo", `{"value":1}`)
	release()
	go func() { time.Sleep(300 * time.Millisecond); p.Close() }()
	began := time.Now()
	if _, _, err = p.Get(t.Context(), "never"); err == nil || time.Since(began) > 5*time.Second {
		t.Error(err, time.Since(began))
	}
}

// What a call costs beyond the server.
func BenchmarkCall(b *testing.B) {
	s, err := Open(b.Context(), connectortest.Fixture(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for b.Loop() {
		if _, err := s.Call(b.Context(), "echo", json.RawMessage(`{"value":1}`)); err != nil {
			b.Fatal(err)
		}
	}
}
