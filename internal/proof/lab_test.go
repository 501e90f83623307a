package proof_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

// sizeVariable, set to full, asks for all instead of a sample.
const sizeVariable = "RUNLACE_PROOF"

func size(sample, full int) int {
	if os.Getenv(sizeVariable) == "full" {
		return full
	}
	return sample
}

// place is a home as a process finds it. All processes of a proof share it.
type place struct {
	Home     string        `json:"home"`
	Approval string        `json:"approval,omitempty"`
	Expiry   time.Duration `json:"expiry,omitempty"`
	Later    time.Duration `json:"later,omitempty"` // how far the clock is ahead
}

func (p place) open() (*engine.Engine, error) {
	h, err := home.Open(p.Home)
	if err != nil {
		return nil, err
	}
	return engine.Open(context.Background(), engine.Options{
		Home: h, Env: home.NewEnv(os.Environ()), CacheDir: home.Cache(), Approval: p.Approval, ApprovalExpiry: p.Expiry,
		Now: func() time.Time { return time.Now().Add(p.Later) },
	})
}

// lab is a home with one connector, called lab, that is the fixture, and an engine that has it open.
type lab struct {
	*engine.Engine
	t     *testing.T
	place place
	acts  string // the file in which the fixture writes every act: the truth
}

// newLab makes a home. The fixture has a tool push besides its own, an act that takes its time before and after.
func newLab(t *testing.T, approval string) *lab {
	t.Helper()
	if home.Cache() == "" {
		t.Setenv(home.CacheVariable, t.TempDir()) // for all processes, so that the sandbox is compiled once
	}
	t.Setenv(pyright.Variable, filepath.Join(connectortest.Modules(t), ".bin", "pyright"))
	dir := t.TempDir()
	l := &lab{t: t, place: place{Home: filepath.Join(dir, "home"), Approval: approval}, acts: filepath.Join(dir, "acts")}
	push := filepath.Join(dir, "push.json")
	l.check(os.WriteFile(push, []byte(`[{"act": true, "before_ms": 3, "after_ms": 3, "tool": {"name": "push", "description": "Pushes a text, slowly.",
		"inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false}}}]`), 0o600))
	h, err := home.Open(l.place.Home)
	l.check(err)
	l.check(h.Ensure())
	c := connectortest.Fixture(t, "-acts", l.acts, "-define", push)
	c.Name = "lab"
	f := config.New()
	f.Set(c)
	l.check(f.Save(h.Config()))
	l.Engine, err = l.place.open()
	l.check(err)
	t.Cleanup(func() { l.check(l.Close()) })
	found, problems, err := config.Load(h.Config())
	l.check(err)
	r, err := discovery.Run(t.Context(), discovery.Options{
		Home: h, Env: home.NewEnv(os.Environ()), Config: found, Problems: problems, Policy: policy.Load(h.Policy()), Store: l.Store(), Secrets: func(...string) {},
	})
	l.check(err)
	if r.Connected != 1 {
		t.Fatalf("the fixture is not connected: %+v", r.Servers)
	}
	return l
}

func (l *lab) check(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// create stores a workflow that has to compile. Its inputs may have a tag.
func (l *lab) create(name, code string) {
	l.t.Helper()
	c, err := l.Create(l.t.Context(), engine.Workflow{
		Name: name, Code: code,
		Inputs: json.RawMessage(`{"type": "object", "properties": {"tag": {"type": "string", "default": ""}}, "additionalProperties": false}`),
		Outputs: json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}, "digest": {"type": "string"},
			"tail": {"type": "array", "items": {"type": "string"}}}, "required": ["n"]}`),
	})
	l.check(err)
	if !c.OK {
		l.t.Fatalf("%s does not compile: %+v\n%s", name, c.Errors, code)
	}
}

// acted returns how often each text has arrived at the fixture in an act.
func (l *lab) acted() map[string]int {
	l.t.Helper()
	b, err := os.ReadFile(l.acts)
	if err != nil && !os.IsNotExist(err) {
		l.t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range bytes.Lines(b) {
		var a struct{ Arguments struct{ Text string } }
		if err := json.Unmarshal(line, &a); err != nil {
			l.t.Fatalf("acts: %v: %s", err, line)
		}
		seen[a.Arguments.Text]++
	}
	return seen
}

// undamaged looks through the whole database.
func (l *lab) undamaged() {
	l.t.Helper()
	if damage, err := l.Store().Check(); err != nil || damage != "" {
		l.t.Fatalf("the database is damaged: %s, %v", damage, err)
	}
}

// counted is how many runs of the home are in each state.
func (l *lab) counted() map[store.RunStatus]int {
	l.t.Helper()
	n, err := l.Store().Counts()
	l.check(err)
	return n.Runs
}

// gone waits until no process is left that has a path among its arguments: what a killed process has started.
func (l *lab) gone(path string) {
	l.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		left := false
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(path)) {
				left = true
			}
		}
		if !left {
			return
		}
		if time.Now().After(end) {
			l.t.Fatalf("processes with %s are still there", path)
		}
	}
}

// table prints what was counted.
func table(t *testing.T, title string, rows [][]any) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for _, cell := range row {
			_, _ = fmt.Fprintf(w, "%v\t", cell)
		}
		_, _ = fmt.Fprintln(w)
	}
	_ = w.Flush()
	t.Logf("%s\n%s", title, b.String())
}
