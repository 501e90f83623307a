// Package check compiles all workflows of a project and rehearses all of their cases, and says what is not as it was: the gate that a pull request
// goes through. It needs no server, no home and no network; of programs it needs pyright alone.
//
//	r, err := check.Run(ctx, check.Options{Dirs: []string{"."}, Version: "0.1.0"})
//	for _, f := range r.Findings {
//		fmt.Println(f.Place, f.Code, f.Message)
//	}
//
// # What is checked
//
//	project   files that cannot be read; a lock that is damaged, lacks a tool or has one that nobody uses
//	compile   every workflow, against the tools of runlace.lock, as runlace create does it
//	cases     every case in the sandbox: its reads are answered as recorded, its acts and its end compared with what it expects
//	repeat    every case once more: fuel, calls, output and log have to be the same
//	probe     every case with the keys of all objects turned around, and with slower tools: it has to do the same, unless it says probe: false
//
// A finding is something to correct; an error of Run is what no change of the project would remove, as a checker that is not installed.
//
// # Kept results
//
// Compilations and cases are kept by the content that they depend on, findings too, so that what has not changed is not done again. A lock counts
// by the connectors that a workflow's text names.
package check

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/compiler"
	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/runtime"
)

// Chaos says what to do with failures.
type Chaos int

// The kinds.
const (
	NoChaos     Chaos = iota
	TryFailures       // at every step of every case, and tell
	StrictChaos       // and what leaves acts half done is a finding
)

// Options say what to check.
type Options struct {
	Dirs     []string // of projects; empty: the current folder
	Workflow string   // only this one
	Case     string   // only cases of this name
	Chaos    Chaos
	Update   bool // rewrite what cases expect
	Changed  bool // only what git says has changed
	Ref      string
	NoCache  bool
	Jobs     int    // at once; 0: as many as there are cores
	CacheDir string // empty: the default
	Pyright  string // where Runlace installs it; see [pyright.Find]
	Version  string // Runlace's own
	Salt     string // what else results depend on, as the build of a program whose version says nothing

	// Checker, if not nil, checks types in place of a pyright that is started for this one check, and is not closed.
	Checker compiler.Checker
	// Live, if not nil, returns the tools of connectors as their servers have them now, and why those that are missing are.
	Live func(ctx context.Context, connectors []string) ([]catalog.Tool, map[string]error, error)
	// Progress, if not nil, is told of each test that is over, from one goroutine at a time.
	Progress func(done, total int, name string)
	// Waiting, if not nil, is told before what may take over a second.
	Waiting func(string)
}

// checker is one check.
type checker struct {
	Options
	cache   *cache
	build   string // of the guest
	find    func() (pyright.Command, error)
	pyright string // its version
	slots   chan struct{}

	engineOnce sync.Once
	engine     *runtime.Engine
	engineErr  error
	pyrightOne *pyright.Checker

	mu     sync.Mutex
	report *report.Report
	total  int
	done   atomic.Int64
}

// Run checks projects. Files in the report are absolute; see [Relative].
func Run(ctx context.Context, o Options) (*report.Report, error) {
	c := &checker{Options: o, report: &report.Report{Version: o.Version, Started: time.Now()}}
	guest, err := assets.Guest()
	if err != nil {
		return nil, err
	}
	c.build = guest.Build
	command, err := pyright.Find(o.Pyright)
	if err != nil {
		return nil, err
	}
	c.find = func() (pyright.Command, error) { return command, nil }
	if c.pyright = command.Version(); c.pyright == "" {
		c.pyright = command.Path
	}
	if !o.NoCache {
		c.cache = openCache(o.CacheDir)
	}
	if c.Jobs <= 0 {
		c.Jobs = goruntime.GOMAXPROCS(0)
	}
	c.slots = make(chan struct{}, c.Jobs)
	defer c.close()
	dirs := o.Dirs
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var projects []*subject
	for _, dir := range dirs {
		p, err := load(dir)
		if err != nil {
			return nil, err
		}
		projects = append(projects, p)
	}
	if err := c.all(ctx, projects); err != nil {
		return nil, err
	}
	r := c.report
	r.Duration = time.Since(r.Started)
	r.OK = len(r.Findings) == 0
	r.Sort()
	if r.Cached < len(r.Tests) {
		c.cache.sweep(r.Started)
	}
	return r, nil
}

func (c *checker) close() {
	if c.pyrightOne != nil {
		_ = c.pyrightOne.Close()
	}
	if c.engine != nil {
		_ = c.engine.Close()
	}
}

// Relative rewrites the files of a report as seen from a folder. What lies outside of it stays absolute.
func Relative(r *report.Report, from string) {
	relative := func(file *string) {
		if rel, err := filepath.Rel(from, *file); err == nil && filepath.IsLocal(rel) {
			*file = filepath.ToSlash(rel)
		}
	}
	for i := range r.Findings {
		relative(&r.Findings[i].File)
	}
	for i := range r.Tests {
		relative(&r.Tests[i].File)
	}
	for i := range r.Updated {
		relative(&r.Updated[i].File)
	}
	r.Sort()
}

// kit is what the workflows of one project are checked with.
type kit struct {
	*checker
	project  *subject
	tools    map[string][]catalog.Tool // of the lock, by connector
	catalog  compiler.Catalog
	targets  map[string]*stubs.Method // by "attr.method"
	compiler *compiler.Compiler
	once     sync.Once
}

// open opens the sandbox and the compiler, the first time that something is not kept.
func (k *kit) open(ctx context.Context) error {
	k.engineOnce.Do(func() {
		k.engine, k.engineErr = sandbox.Open(ctx, k.CacheDir, func(text string) {
			if k.Waiting != nil {
				k.Waiting(text)
			}
		})
		if k.Checker == nil {
			k.pyrightOne = pyright.New(k.find, pyright.Options{})
			k.Checker = k.pyrightOne
		}
	})
	if k.engineErr != nil {
		return k.engineErr
	}
	k.once.Do(func() {
		k.compiler = compiler.New(k.engine, k.Checker)
		connectors := stubs.BuildAll(k.tools)
		k.catalog = compiler.FromStubs(connectors, false)
		k.targets = map[string]*stubs.Method{}
		for _, s := range connectors {
			for _, m := range s.Methods() {
				k.targets[s.Attr+"."+m.Python] = m
			}
		}
	})
	return nil
}

// all checks projects, their workflows at the same time.
func (c *checker) all(ctx context.Context, projects []*subject) error {
	group, ctx := errgroup.WithContext(ctx)
	seen := 0
	for _, p := range projects {
		c.add(p.Findings...)
		k := &kit{checker: c, project: p, tools: p.Lock.ByConnector()}
		chosen, err := c.choose(ctx, p)
		if err != nil {
			return err
		}
		seen += len(chosen)
		for _, w := range chosen {
			c.report.Workflows++
			c.report.Cases += len(w.scenarios)
			c.total += 1 + len(w.scenarios)
		}
		used := &uses{}
		var left atomic.Int64
		left.Store(int64(len(chosen)))
		for _, w := range chosen {
			group.Go(func() error {
				if err := k.check(ctx, w, used); err != nil {
					return err
				}
				if left.Add(-1) == 0 && len(chosen) == len(p.workflows) && c.Case == "" {
					k.unused(used)
				}
				return nil
			})
		}
		if c.Live != nil {
			group.Go(func() error { return k.live(ctx) })
		}
	}
	if c.Workflow != "" && seen == 0 && !c.Changed {
		return fault.New("unknown-workflow", "there is no workflow %s here", c.Workflow).WithHint("runlace check without --workflow names those that there are")
	}
	if err := group.Wait(); err != nil {
		return err
	}
	unread := func(f report.Finding) bool { return f.Case == c.Case }
	if c.Case != "" && c.report.Cases == 0 && !c.Changed && !slices.ContainsFunc(c.report.Findings, unread) {
		return fault.New("bad-usage", "there is no case %s here", c.Case).WithHint("the name of a case is that of its file in cases/, without .yaml")
	}
	return nil
}

// choose are the workflows that the options ask for.
func (c *checker) choose(ctx context.Context, p *subject) ([]*workflow, error) {
	list := slices.Clone(p.workflows)
	if c.Workflow != "" {
		list = slices.DeleteFunc(list, func(w *workflow) bool { return w.Name != c.Workflow })
	}
	if c.Changed {
		files, err := changedFiles(ctx, p.Dir, c.Ref)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(w *workflow) bool { return files != nil && !p.touched(w, files) })
	}
	for _, w := range list {
		if c.Case != "" {
			w.scenarios = slices.DeleteFunc(w.scenarios, func(s *scenario) bool { return s.Name != c.Case })
		}
	}
	return list, nil
}

// touched tells whether one of the files is a workflow's, or concerns all of them.
func (p *subject) touched(w *workflow, files map[string]bool) bool {
	dir, err := filepath.Rel(p.Dir, filepath.Dir(w.file))
	if err != nil {
		return true
	}
	for f := range files {
		if common(f) || strings.HasPrefix(f, filepath.ToSlash(dir)+"/") {
			return true
		}
	}
	return false
}

// add puts findings into the report.
func (c *checker) add(found ...report.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Findings = append(c.report.Findings, found...)
}

// test notes that a test is over.
func (c *checker) test(t report.Test, found []report.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Tests = append(c.report.Tests, t)
	c.report.Findings = append(c.report.Findings, found...)
	if t.Cached {
		c.report.Cached++
	}
	if c.Progress != nil {
		name := t.Workflow
		if t.Case != "" {
			name += "/" + t.Case
		}
		c.Progress(int(c.done.Add(1)), c.total, name)
	}
}

// work waits for a core.
func (c *checker) work(ctx context.Context) (done func(), err error) {
	select {
	case c.slots <- struct{}{}:
		return func() { <-c.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// check compiles a workflow, and rehearses its cases at the same time.
func (k *kit) check(ctx context.Context, w *workflow, used *uses) error {
	key := k.key(w)
	out, test, err := k.compiled(ctx, w, key)
	if err != nil {
		return err
	}
	k.test(test, out.Findings)
	used.add(out)
	program := out.program(w.Code, k.build)
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range w.scenarios {
		if program == nil {
			k.test(report.Test{Workflow: w.Name, Case: s.Name, File: s.File, Skipped: true}, nil)
			continue
		}
		group.Go(func() error { return k.oneCase(ctx, w, s, program, key) })
	}
	return group.Wait()
}

// compiled compiles a workflow, or takes what is kept.
func (k *kit) compiled(ctx context.Context, w *workflow, key string) (*compiled, report.Test, error) {
	done, err := k.work(ctx)
	if err != nil {
		return nil, report.Test{}, err
	}
	defer done()
	start := time.Now()
	out := &compiled{}
	test := report.Test{Workflow: w.Name, File: w.file}
	if test.Cached = k.cache.get(key, out); test.Cached {
		k.place(out.Findings)
		test.Duration = time.Since(start)
		return out, test, nil
	}
	if err := k.open(ctx); err != nil {
		return nil, test, err
	}
	if out, err = k.compile(ctx, w); err != nil {
		return nil, test, err
	}
	test.Duration = time.Since(start)
	keep := *out
	keep.Findings = k.unplaced(out.Findings)
	k.cache.put(key, &keep)
	return out, test, nil
}

// oneCase rehearses a case, or takes what is kept.
func (k *kit) oneCase(ctx context.Context, w *workflow, s *scenario, p *runtime.Program, key string) error {
	done, err := k.work(ctx)
	if err != nil {
		return err
	}
	defer done()
	start := time.Now()
	chaos := k.Chaos != NoChaos
	key = digestOf([]byte(key), []byte(s.Name), s.Text, fmt.Append(nil, s.limits, chaos))
	out := &rehearsed{}
	test := report.Test{Workflow: w.Name, Case: s.Name, File: s.File}
	var r *run
	if test.Cached = k.cache.get(key, out) && !(k.Update && len(out.Findings) > 0); test.Cached {
		k.place(out.Findings)
	} else {
		if err := k.open(ctx); err != nil {
			return err
		}
		if out, r, err = k.rehearseCase(ctx, w, p, s, chaos); err != nil {
			return err
		}
		keep := *out
		keep.Findings = k.unplaced(out.Findings)
		k.cache.put(key, &keep)
	}
	test.Fuel, test.Calls, test.Duration = out.Fuel, out.Calls, time.Since(start)
	found := out.Findings
	if k.Update && r != nil {
		if found, err = k.update(w, s, r, found); err != nil {
			return err
		}
	}
	if k.Chaos == StrictChaos {
		found = append(found, strict(s, out.Trials)...)
	}
	k.mu.Lock()
	k.report.Chaos = append(k.report.Chaos, out.Trials...)
	k.mu.Unlock()
	k.test(test, found)
	return nil
}

// key identifies what a workflow's compilation depends on.
func (k *kit) key(w *workflow) string {
	parts := [][]byte{[]byte("1"), []byte(k.Version), []byte(k.Salt), []byte(k.build), []byte(k.pyright), []byte(w.Name), []byte(w.Code), w.Inputs, w.Outputs}
	for _, part := range k.project.lockParts(w.Code) {
		parts = append(parts, part)
	}
	return digestOf(parts...)
}

// place makes the files of kept findings those of this project: a project may be moved, and its results stay.
func (k *kit) place(found []report.Finding) {
	for i := range found {
		found[i].File = filepath.Join(k.project.Dir, filepath.FromSlash(found[i].File))
	}
}

// unplaced is the opposite.
func (k *kit) unplaced(found []report.Finding) []report.Finding {
	out := slices.Clone(found)
	for i := range out {
		if rel, err := filepath.Rel(k.project.Dir, out[i].File); err == nil {
			out[i].File = filepath.ToSlash(rel)
		}
	}
	return out
}

// IsMissing tells whether an error says that the checker is not installed.
func IsMissing(err error) bool { return errors.Is(err, &fault.Error{Code: "checker-missing"}) }
