package project

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/runtime"
)

// Names of a project's files.
const (
	File         = "runlace.yaml"
	LockFile     = "runlace.lock"
	CodeFile     = "workflow.py"
	SettingsFile = "workflow.yaml"
	CasesDir     = "cases"
	Folder       = "workflows" // the folder of workflows, where runlace.yaml names none
)

// Project is a project as its files have it.
type Project struct {
	Dir        string           // absolute
	Findings   []report.Finding // what is wrong with the files; the rest is as far as it could be read
	Connectors []string         // that are expected; none: whatever there is
	Folders    []string         // of workflows, below Dir, with slashes
	Limits     runtime.Limits   // zero where nothing is said
	Policy     *policy.Policy   // nil: none
	PolicyText []byte           // what Policy was read from
	Lock       *Lock            // nil: there is none, or it cannot be read
	Workflows  []*Workflow      // by name
}

// Workflow is a folder with a workflow.
type Workflow struct {
	Name            string
	Dir             string // absolute
	Code            string
	Description     string
	Inputs, Outputs json.RawMessage // JSON Schema; nil: nothing is declared
	Limits          runtime.Limits  // the project's, where the workflow says nothing
	Cases           []*Case         // by name, those without findings
}

// Path is where the code is.
func (w *Workflow) Path() string { return filepath.Join(w.Dir, CodeFile) }

// Settings is where the description and the schemas are, though that file need not exist.
func (w *Workflow) Settings() string { return filepath.Join(w.Dir, SettingsFile) }

// CaseFile is the file of a case.
func (w *Workflow) CaseFile(name string) string { return filepath.Join(w.Dir, CasesDir, name+".yaml") }

// Case finds a case by its name, nil if there is none, or none that can be read.
func (w *Workflow) Case(name string) *Case {
	for _, c := range w.Cases {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Find finds the folder of the project that a folder is in. Where there is none, the code is no-project.
func Find(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		return "", fault.New("no-project", "there is no folder %s", dir)
	}
	for top := start; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, File)); err == nil {
			return top, nil
		}
		if filepath.Dir(top) == top {
			return "", fault.New("no-project", "there is no %s in %s or above it", File, start)
		}
	}
}

// Load reads the project that a folder is in. What is wrong with its files is among its findings; an error is what keeps it from being read at all.
func Load(dir string) (*Project, error) {
	top, err := Find(dir)
	if err != nil {
		return nil, err
	}
	p := &Project{Dir: top}
	if err := p.readSettings(); err != nil {
		return nil, err
	}
	if err := p.readLock(); err != nil {
		return nil, err
	}
	for _, folder := range p.Folders {
		if err := p.readFolder(filepath.Join(top, filepath.FromSlash(folder))); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.Workflows, func(a, b *Workflow) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(p.Workflows); i++ {
		if a, b := p.Workflows[i-1], p.Workflows[i]; a.Name == b.Name {
			f := report.New("bad-project", report.Place{File: b.Path(), Line: 1}, "there is another workflow %s, in %s", b.Name, a.Dir)
			f.Workflow = b.Name
			p.Findings = append(p.Findings, f)
		}
	}
	return p, nil
}

// Within leaves out the workflows that a folder has nothing to do with: it is neither in theirs nor above it. Of the project's own folder that is none.
func (p *Project) Within(dir string) error {
	start, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	below := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+string(filepath.Separator)) }
	if below(p.Dir, start) {
		return nil
	}
	p.Workflows = slices.DeleteFunc(p.Workflows, func(w *Workflow) bool { return !below(w.Dir, start) && !below(start, w.Dir) })
	p.Findings = slices.DeleteFunc(p.Findings, func(f report.Finding) bool { return f.Workflow != "" && p.find(f.Workflow) == nil })
	return nil
}

func (p *Project) find(name string) *Workflow {
	for _, w := range p.Workflows {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// Workflow finds a workflow by its name.
func (p *Project) Workflow(name string) (*Workflow, error) {
	if w := p.find(name); w != nil {
		return w, nil
	}
	return nil, fault.New("unknown-workflow", "there is no workflow %s in %s", name, p.Dir).WithHint("runlace new %s makes one; the workflows here are %s", name, p.names())
}

func (p *Project) names() string {
	var names []string
	for _, w := range p.Workflows {
		names = append(names, w.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// CodeErr is the first finding about the project itself or a workflow, its cases aside, as an error; nil if there is none. The lock does not count: it is
// made anew, or compared.
func (p *Project) CodeErr(workflow string) error {
	for _, f := range p.Findings {
		if f.Case == "" && (f.Workflow == workflow || f.Workflow == "" && filepath.Base(f.File) != LockFile) {
			return AsError(f)
		}
	}
	return nil
}

// AsError is a finding as an error.
func AsError(f report.Finding) error {
	e := fault.New(f.Code, "%s: %s", f.Place, f.Message)
	if f.Hint != "" {
		e = e.WithHint("%s", f.Hint)
	}
	return e
}

// readFile reads a file of the project. One that is not there is fs.ErrNotExist; a link that leads nowhere is there, and a pipe is no file.
func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fault.New("unreadable-file", "%s is no file with text", file)
	}
	text, err := os.ReadFile(file)
	if _, there := os.Lstat(file); err != nil && (there == nil || !errors.Is(err, fs.ErrNotExist)) {
		return nil, fault.New("unreadable-file", "%s cannot be read", file).WithDetail(err)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

func (p *Project) readSettings() error {
	d := document{filepath.Join(p.Dir, File), &p.Findings}
	text, err := readFile(d.file)
	if err != nil {
		return err
	}
	n := d.read(text)
	d.keys(n, File, "version", "connectors", "workflows", "limits", "policy")
	if v := n.get("version"); v.text() != "1" {
		at := report.Place{File: d.file, Line: 1}
		if v != nil {
			at = v.at
		}
		d.wrong(at, "the version of a project is 1, and not %q", v.text())
	}
	if c := n.get("connectors"); c != nil {
		p.readConnectors(d, c)
	}
	p.Limits = d.limits(n.get("limits"), runtime.Limits{})
	if at := n.get("policy"); at != nil {
		p.PolicyText = at.json()
		p.Policy = policy.Parse(p.PolicyText, "policy")
		for _, w := range p.Policy.Warnings() {
			d.wrong(at.at, "%s", w)
		}
	}
	p.Folders = []string{Folder}
	if list := n.get("workflows"); list != nil {
		p.Folders = nil
		if !list.list {
			d.wrong(list.at, "workflows is a list of folders")
		}
		for _, item := range list.items {
			folder := item.text()
			at := filepath.FromSlash(folder)
			if info, err := os.Stat(filepath.Join(p.Dir, at)); folder == "" || !filepath.IsLocal(at) || err != nil || !info.IsDir() {
				d.wrong(item.at, "%q is no folder below the project", folder)
				continue
			}
			p.Folders = append(p.Folders, folder)
		}
	}
	return nil
}

func (p *Project) readConnectors(d document, n *node) {
	if n.scalar != nil || n.list {
		d.wrong(n.at, "connectors is a mapping: the name of each, and what there is to say about it, as in files: {}")
		return
	}
	for _, c := range n.pairs {
		d.keys(c.value, "a connector", "note")
		if err := config.CheckName(c.key); err != nil {
			d.wrong(c.at, "%v", err)
			continue
		}
		p.Connectors = append(p.Connectors, c.key)
	}
}

// limits reads limits, as config.json has them; what it does not say is as in base.
func (d document) limits(n *node, base runtime.Limits) runtime.Limits {
	if n == nil {
		return base
	}
	f, problems, err := config.Parse("", []byte(fmt.Sprintf(`{"version": 2, "limits": %s}`, n.json())))
	for _, p := range problems {
		d.wrong(n.at, "%s: %s", p.Key, p.Message)
	}
	if err != nil {
		d.wrong(n.at, "%s", strings.TrimPrefix(fault.Of(err).Message, ", line 1: "))
		return base
	}
	l := f.Limits
	return runtime.Limits{
		Fuel: cmp.Or(l.Fuel, base.Fuel), MemoryBytes: cmp.Or(l.MemoryBytes, base.MemoryBytes), Calls: cmp.Or(l.Calls, base.Calls),
		ArgumentBytes: cmp.Or(l.ArgumentBytes, base.ArgumentBytes), ResultBytes: cmp.Or(l.ResultBytes, base.ResultBytes),
		InputBytes: cmp.Or(l.InputBytes, base.InputBytes), OutputBytes: cmp.Or(l.OutputBytes, base.OutputBytes), LogBytes: cmp.Or(l.LogBytes, base.LogBytes),
		Recursion: cmp.Or(l.Recursion, base.Recursion), Timeout: cmp.Or(l.Timeout, base.Timeout), CallTimeout: cmp.Or(l.CallTimeout, base.CallTimeout),
	}
}

func (p *Project) readFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.New("unreadable-file", "%s cannot be read", folder).WithDetail(err)
	}
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || strings.HasPrefix(e.Name(), ".") { // a link to a folder is one
			continue
		}
		if err := p.readWorkflow(dir); err != nil {
			return err
		}
	}
	return nil
}

func (p *Project) readWorkflow(dir string) error {
	code, err := readFile(filepath.Join(dir, CodeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return p.noWorkflow(dir)
	}
	if err != nil {
		return err
	}
	from := len(p.Findings)
	w := &Workflow{Name: filepath.Base(dir), Dir: dir, Code: string(code)}
	if err := home.CheckName(w.Name); err != nil {
		document{w.Path(), &p.Findings}.wrong(report.Place{File: w.Path(), Line: 1}, "%v", err)
	}
	d := document{w.Settings(), &p.Findings}
	text, err := readFile(d.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	n := d.read(text)
	d.keys(n, SettingsFile, "description", "inputs", "outputs", "limits")
	w.Description = n.get("description").text()
	w.Inputs, w.Outputs = n.get("inputs").json(), n.get("outputs").json()
	w.Limits = d.limits(n.get("limits"), p.Limits)
	for i := from; i < len(p.Findings); i++ {
		p.Findings[i].Workflow = w.Name
	}
	if err := p.readCases(w); err != nil {
		return err
	}
	p.Workflows = append(p.Workflows, w)
	return nil
}

// noWorkflow looks at a folder without code: it may be one of something else, and is not if it has what belongs to a workflow, or holds workflows.
func (p *Project) noWorkflow(dir string) error {
	at := report.Place{File: filepath.Join(dir, CodeFile), Line: 1}
	for _, name := range []string{SettingsFile, CasesDir} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			p.Findings = append(p.Findings, report.New("bad-project", at, "there is no %s beside %s", CodeFile, name))
			return nil
		}
	}
	nested, err := filepath.Glob(filepath.Join(dir, "*", CodeFile))
	if err != nil || len(nested) == 0 {
		return err
	}
	folder, err := filepath.Rel(p.Dir, dir)
	if err != nil {
		return err
	}
	f := report.New("bad-project", report.Place{File: nested[0], Line: 1}, "the workflow is in a folder that %s does not name", File)
	f.Hint = "add " + filepath.ToSlash(folder) + " to workflows in " + File
	p.Findings = append(p.Findings, f)
	return nil
}

// LoadWorkflow reads the folder of one workflow, in a project or not. Of a folder that is in none, the project has nothing but this workflow.
func LoadWorkflow(dir string) (*Project, *Workflow, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(filepath.Join(at, CodeFile)); err != nil {
		return nil, nil, fault.New("no-such-file", "there is no %s in %s", CodeFile, dir).WithHint("name the folder of one workflow, as in workflows/NAME")
	}
	p, err := Load(at)
	if errors.Is(err, fault.New("no-project", "")) {
		p, err = &Project{Dir: at}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, w := range p.Workflows {
		if w.Dir == at {
			return p, w, nil
		}
	}
	if err := p.readWorkflow(at); err != nil { // it is in none of the project's folders
		return nil, nil, err
	}
	return p, p.Workflows[len(p.Workflows)-1], nil
}
