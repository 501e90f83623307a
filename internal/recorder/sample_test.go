package recorder

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/store"
)

var update = flag.Bool("update", false, "record testdata/project anew, where what is recorded is not what stands there")

// sample is a project whose cases were recorded on real servers. What these serve is in world.
const sample = "../../testdata/project"

// world is a home with the three servers of the sample, each of which has a copy of what it serves.
func world(t *testing.T) (*engine.Engine, *setup.Setup) {
	t.Helper()
	t.Setenv(pyright.Variable, filepath.Join(connectortest.Modules(t), "pyright"))
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(sample, "world"))); err != nil {
		t.Fatal(err)
	}
	h, err := home.Open(filepath.Join(dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	env := home.NewEnv(os.Environ())
	f := config.New()
	for name, args := range map[string][]string{"everything": {"stdio"}, "filesystem": {filepath.Join(dir, "files")}, "memory": nil} {
		c := connectortest.Server(t, name, args...)
		switch name {
		case "filesystem":
			c.Name = "files"
		case "memory":
			c.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")}
		}
		f.Set(c)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(h.Config()); err != nil {
		t.Fatal(err)
	}
	s, err := setup.Open(setup.Options{Home: h, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Sync(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Options{Home: h, Env: env, CacheDir: home.Cache(), Approval: config.Ask})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, s
}

// The lock and all cases of the sample are what the real servers answer today. A case whose acts have results is one of a real run, and is made by one;
// the others are rehearsals. How long the servers took is another number each time, and is not compared.
//
//	go test ./internal/recorder -run TestSample -update
func TestSample(t *testing.T) {
	e, s := world(t)
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(sample)); err != nil {
		t.Fatal(err)
	}
	load := func() *project.Project {
		p, err := project.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	guest, err := sandbox.Open(t.Context(), home.Cache(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = guest.Close() }()
	lock, err := Tools(t.Context(), load(), lint.New(guest), nil, Ask(s))
	if err != nil || len(lock.Findings) > 0 {
		t.Fatal(err, lock)
	}
	if err := lock.Write(); err != nil {
		t.Fatal(err)
	}
	p := load()
	if len(p.Findings) > 0 {
		t.Fatal(p.Findings)
	}
	var real []func()
	for _, w := range p.Workflows {
		for _, c := range w.Cases {
			write := func(rec *Recording, err error) {
				if err != nil {
					t.Fatalf("%s/%s: %v", w.Name, c.Name, err)
				}
				if rec.Case == nil {
					t.Fatalf("%s/%s: %+v", w.Name, c.Name, rec.Run)
				}
				if _, err := rec.Case.Write(true); err != nil {
					t.Fatal(err)
				}
			}
			if len(c.Acts) == 0 || c.Acts[0].Result == nil {
				write(Live(t.Context(), e, p, w, Options{Case: c.Name, Again: c}))
				continue
			}
			real = append(real, func() { write(Past(e, p, run(t, e, w, c), c.Name)) })
		}
	}
	for _, f := range real { // when nothing is left to be rehearsed: they change the world
		f()
	}
	compare(t, dir)
}

// run runs a workflow for real, as its case was.
func run(t *testing.T, e *engine.Engine, w *project.Workflow, c *project.Case) string {
	t.Helper()
	v, err := e.Create(t.Context(), engine.Workflow{Name: w.Name, Description: w.Description, Code: w.Code, Inputs: w.Inputs, Outputs: w.Outputs})
	if err != nil || !v.OK {
		t.Fatal(err, v)
	}
	r, err := e.Run(t.Context(), engine.Request{Workflow: w.Name, Inputs: c.Inputs, Mode: store.Live, Confirm: true, Seed: &c.Seed, At: c.At})
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

var elapsed = regexp.MustCompile(`(?m)^ +elapsed: .*\n`)

// compare compares what was recorded with the sample, in both directions.
func compare(t *testing.T, dir string) {
	t.Helper()
	was, is := read(t, sample), read(t, dir)
	for name, now := range is {
		if bytes.Equal(elapsed.ReplaceAll(now, nil), elapsed.ReplaceAll(was[name], nil)) {
			continue
		}
		if *update {
			if _, err := project.Replace(filepath.Join(sample, name), now); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s is not what is recorded now: record it anew with -update\n%s", name, now)
	}
	for name := range was {
		if _, ok := is[name]; ok {
			continue
		}
		if !*update {
			t.Errorf("%s is not recorded any more", name)
		} else if err := os.Remove(filepath.Join(sample, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// read reads all files below a folder.
func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[path], err = fs.ReadFile(os.DirFS(dir), path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
