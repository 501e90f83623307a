package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/runlace/runlace/internal/store"
)

const (
	rowReadStep = "read step, answer of 200 B"
	rowActStep  = "act step, answer of 200 B"
)

// journal measures what a step costs in the journal: its intent and its outcome, without the call between them. Of an act the intent
// is on the disk before the call is sent. The database lies in the repository's cache, since a temporary folder may be memory.
func (b *bench) journal() (err error) {
	cache := filepath.Join(b.root, ".cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "bench-journal-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := store.Open(filepath.Join(dir, "runlace.db"), store.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	for _, m := range []struct {
		name  string
		risk  store.Risk
		size  int
		steps int
	}{
		{rowReadStep, store.ReadOnly, 200, b.samples(5000, 1000)},
		{"read step, answer of 20 KB", store.ReadOnly, 20_000, b.samples(2000, 500)},
		{rowActStep, store.SideEffect, 200, b.samples(2000, 300)},
		{"act step, answer of 20 KB", store.SideEffect, 20_000, b.samples(1000, 200)},
		{"fsync of one page of a file, for comparison", "", 4096, b.samples(1000, 200)},
	} {
		steps := func() (samples, error) { return journalSteps(s, m.risk, m.size, m.steps) }
		if m.risk == "" {
			steps = func() (samples, error) { return syncs(filepath.Join(dir, "page"), m.size, m.steps) }
		}
		took, err := steps()
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		b.report.times("journal", m.name, took)
	}
	return nil
}

func journalSteps(s *store.Store, risk store.Risk, size, steps int) (took samples, err error) {
	v, err := s.SaveVersion(store.NewVersion{Name: "bench", Code: "def run(ctx): ...", Inputs: []byte("{}")})
	if err != nil {
		return nil, err
	}
	j, err := s.StartRun(store.NewRun{Version: v.VersionID, Mode: store.Live, Confirmed: true})
	if err != nil {
		return nil, err
	}
	result := append(append([]byte(`"`), bytes.Repeat([]byte("x"), size)...), '"')
	for seq := 1; seq <= steps+steps/10; seq++ {
		n := store.NewStep{Seq: seq, Connector: "crm", Tool: "find_contact", Risk: risk, Arguments: []byte(`{"email":"ada@example.com"}`)}
		start := time.Now()
		if err := j.Intent(n, risk != store.ReadOnly); err != nil {
			return nil, err
		}
		if err := j.Outcome(seq, store.Outcome{State: store.StepOK, Result: result}); err != nil {
			return nil, err
		}
		if seq > steps/10 { // warmed up
			took.took(start)
		}
	}
	return took, j.Finish(store.Finish{Status: store.Completed})
}

// syncs writes one page over and over, as a database does that waits for the disk: what no journal can be faster than.
func syncs(path string, size, n int) (took samples, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	page := bytes.Repeat([]byte("x"), size)
	for i := range n {
		start := time.Now()
		if _, err := f.WriteAt(page, int64(i*size)); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		took.took(start)
	}
	return took, nil
}
