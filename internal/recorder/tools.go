package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/setup"
)

// Answer is what servers say of themselves and of their tools now. Why a connector could not be asked is in Missing.
type Answer struct {
	Tools   []catalog.Tool
	Servers map[string]project.Server
	Missing map[string]error
}

// Ask asks the servers of a home. Of what a tool was observed to answer, it takes what the home has learned.
func Ask(s *setup.Setup) func(context.Context, []string) (*Answer, error) {
	return func(ctx context.Context, connectors []string) (*Answer, error) {
		tools, servers, missing, err := s.LiveServers(ctx, connectors)
		a := &Answer{Tools: tools, Servers: map[string]project.Server{}, Missing: missing}
		for name, x := range servers {
			a.Servers[name] = project.Server{Name: x.Name, Version: x.Version}
		}
		return a, err
	}
}

// Lock is a lock that is not written yet.
type Lock struct {
	File     string
	Text     []byte
	Before   *project.Lock    // nil: there is none, or it cannot be read
	Now      *project.Lock    //
	Findings []report.Finding // why there is no Text
	Changes  catalog.Changes
	Servers  []string // in words, servers that are not what they were
	Stale    bool     // the file is not Text
}

// Tools makes the lock of a project: of the tools that its workflows call, as their servers describe them now. configured are the connectors of the home,
// of which those are asked that the project expects and some workflow names. The same servers give the same text.
func Tools(ctx context.Context, p *project.Project, l *lint.Linter, configured []string, ask func(context.Context, []string) (*Answer, error)) (*Lock, error) {
	out := &Lock{File: filepath.Join(p.Dir, project.LockFile), Before: p.Lock}
	for _, f := range p.Findings {
		if f.File != out.File && f.Case == "" { // a lock that is damaged is made anew
			out.Findings = append(out.Findings, f)
		}
	}
	if len(out.Findings) > 0 {
		return out, nil
	}
	known := slices.Clone(p.Connectors)
	if len(known) == 0 {
		known = slices.Clone(configured)
	}
	slices.Sort(known)
	attrs := catalog.NewNames(catalog.Connector, known)
	var names []string
	for _, name := range known {
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(attrs.Python(name)) + `\b`)
		if slices.ContainsFunc(p.Workflows, func(w *project.Workflow) bool { return word.MatchString(w.Code) }) {
			names = append(names, name)
		}
	}
	answer := &Answer{}
	if len(names) > 0 {
		var err error
		if answer, err = ask(ctx, names); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if err := answer.Missing[name]; err != nil {
			return nil, fault.Of(err)
		}
	}
	f := &finder{lock: out, project: p, attrs: attrs, known: known, byAttr: map[string]*stubs.Connector{}, used: map[catalog.Key]bool{}}
	if err := f.all(ctx, l, names, answer); err != nil || len(out.Findings) > 0 {
		return out, err
	}
	out.Text = out.Now.JSON()
	out.compare()
	return out, nil
}

// finder finds the tools that workflows use.
type finder struct {
	lock    *Lock
	project *project.Project
	attrs   *catalog.Names
	known   []string // connectors
	byAttr  map[string]*stubs.Connector
	used    map[catalog.Key]bool
}

func (f *finder) all(ctx context.Context, l *lint.Linter, names []string, answer *Answer) error {
	methods := map[string][]string{}
	for _, name := range names {
		var tools []catalog.Tool
		for _, t := range answer.Tools {
			if t.Connector == name {
				tools = append(tools, t)
			}
		}
		c, attr := stubs.Build(name, tools), f.attrs.Python(name)
		f.byAttr[attr] = c
		methods[attr] = []string{}
		for _, m := range c.Methods() {
			methods[attr] = append(methods[attr], m.Python)
		}
	}
	for _, w := range f.project.Workflows {
		_, r, err := l.Lint(ctx, lint.Source{Code: w.Code, Outputs: w.Outputs != nil, Connectors: methods})
		if err != nil {
			return err
		}
		for _, x := range r.Problems {
			f.find(w, x.Code, report.Place{File: w.Path(), Line: x.Line, Column: x.Column}, x.Hint, "%s", x.Message)
		}
		for _, call := range r.Calls {
			f.call(w, call)
		}
	}
	if len(f.lock.Findings) > 0 {
		return nil
	}
	f.lock.Now = &project.Lock{}
	for _, name := range names {
		attr := f.attrs.Python(name)
		x := project.Locked{Name: name, Attr: attr, Server: answer.Servers[name]}
		names := map[string]bool{} // that have a suffix, without it
		for _, m := range f.byAttr[attr].Methods() {
			if name := catalog.Identifier(catalog.Method, m.Tool.Name); f.used[m.Tool.Key()] && name != m.Python {
				names[name] = true
			}
		}
		for _, m := range f.byAttr[attr].Methods() {
			if f.used[m.Tool.Key()] || names[catalog.Identifier(catalog.Method, m.Tool.Name)] {
				x.Add(m.Tool, m.Python)
			}
		}
		if len(x.Tools) > 0 {
			f.lock.Now.Connectors = append(f.lock.Now.Connectors, x)
		}
	}
	f.neighbors()
	f.names()
	return nil
}

// neighbors adds the connectors, without their tools, beside which an attribute of the lock has its suffix.
func (f *finder) neighbors() {
	for _, c := range slices.Clone(f.lock.Now.Connectors) {
		base := catalog.Identifier(catalog.Connector, c.Name)
		for _, name := range f.known {
			if base != c.Attr && base == catalog.Identifier(catalog.Connector, name) && f.lock.Now.Find(name) == nil {
				f.lock.Now.Connectors = append(f.lock.Now.Connectors, project.Locked{Name: name, Attr: f.attrs.Python(name)})
			}
		}
	}
	slices.SortFunc(f.lock.Now.Connectors, func(a, b project.Locked) int { return strings.Compare(a.Name, b.Name) })
}

func (f *finder) find(w *project.Workflow, code string, at report.Place, hint, format string, args ...any) {
	found := report.Finding{Place: at, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, Workflow: w.Name}
	if !slices.ContainsFunc(f.lock.Findings, func(o report.Finding) bool { return o.Code == code && o.File == at.File && o.Message == found.Message }) {
		f.lock.Findings = append(f.lock.Findings, found)
	}
}

func (f *finder) call(w *project.Workflow, call lint.Call) {
	at := report.Place{File: w.Path(), Line: call.Line, Column: call.Column}
	c := f.byAttr[call.Attr]
	if c == nil {
		hint := "the connectors here are " + strings.Join(f.known, ", ")
		if len(f.project.Connectors) > 0 {
			hint = "runlace.yaml expects the connectors " + strings.Join(f.known, ", ") + ": add it there, if the name is right"
		} else if len(f.known) == 0 {
			hint = "add it with runlace add"
		}
		f.find(w, "unknown-connector", at, hint, "there is no connector ctx.%s", call.Attr)
		return
	}
	m := c.Method(call.Method)
	if m == nil {
		var names []string
		for _, m := range c.Methods() {
			names = append(names, m.Python)
		}
		hint := "runlace tools " + c.Name + " lists its tools"
		if near := schema.Nearest(call.Method, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		f.find(w, "unknown-tool", at, hint, "the connector %s has no tool %s now", c.Name, call.Method)
		return
	}
	f.used[m.Tool.Key()] = true
}

// names finds what is called otherwise where only the lock is known. Of several whose names would collide, the lock has all; what is left is a name that was
// made to look like one with a suffix.
func (f *finder) names() {
	tools := f.lock.Now.ByConnector()
	for _, c := range stubs.BuildAll(tools) {
		x := f.lock.Now.Find(c.Name)
		for _, m := range c.Methods() {
			if c.Attr != x.Attr || m.Python != x.Python(m.Tool.Name) {
				f.lock.Findings = append(f.lock.Findings, report.New("bad-project", report.Place{File: f.lock.File, Line: 1},
					"ctx.%s.%s has its name only beside another of nearly that name, which the lock does not have", x.Attr, x.Python(m.Tool.Name)))
			}
		}
	}
}

// compare says how the lock is not what it was.
func (l *Lock) compare() {
	was, err := os.ReadFile(l.File)
	l.Stale = err != nil && !(errors.Is(err, fs.ErrNotExist) && len(l.Now.Connectors) == 0) || err == nil && !bytes.Equal(was, l.Text)
	l.Changes = catalog.Compare(l.Before.Tools(), l.Now.Tools())
	for _, c := range l.Now.Connectors {
		if b := l.Before.Find(c.Name); b != nil && b.Server != c.Server {
			l.Servers = append(l.Servers, fmt.Sprintf("%s is served by %s %s, and was by %s %s", c.Name, c.Server.Name, c.Server.Version, b.Server.Name, b.Server.Version))
		}
	}
}

// Write writes the lock.
func (l *Lock) Write() error {
	if !l.Stale {
		return nil
	}
	_, err := project.Replace(l.File, l.Text)
	return err
}
