package check

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/compiler"
	"github.com/runlace/runlace/internal/project"
)

// subject is a project, in the terms of a check.
type subject struct {
	*project.Project
	workflows []*workflow
}

// load reads the project that a folder is in, without the workflows that the folder has nothing to do with.
func load(dir string) (*subject, error) {
	p, err := project.Load(dir)
	if err != nil {
		return nil, err
	}
	s := &subject{Project: p}
	p.Findings = append(p.Findings, s.damaged()...)
	if err := p.Within(dir); err != nil {
		return nil, err
	}
	for _, w := range p.Workflows {
		x := &workflow{Source: compiler.Source{Name: w.Name, Code: w.Code, Inputs: w.Inputs, Outputs: w.Outputs}, file: w.Path(), settings: w.Settings()}
		x.prepare()
		for _, c := range w.Cases {
			c.Inputs = x.completed(c.Inputs)
			x.scenarios = append(x.scenarios, &scenario{c, w.Limits})
		}
		s.workflows = append(s.workflows, x)
	}
	return s, nil
}

func (s *subject) lockFile() string { return filepath.Join(s.Dir, project.LockFile) }

// common tells whether a file concerns all workflows.
func common(file string) bool { return file == project.File || file == project.LockFile }

// lockParts are what of the lock and of the policy a workflow's compilation may depend on: the connectors that its text names, and which there are.
func (s *subject) lockParts(code string) [][]byte {
	var names []string
	var blocks [][]byte
	if s.Lock != nil {
		list := slices.SortedFunc(slices.Values(s.Lock.Connectors), func(a, b project.Locked) int { return strings.Compare(a.Attr, b.Attr) })
		for _, c := range list {
			names = append(names, c.Name, c.Attr)
			if regexp.MustCompile(`\b` + regexp.QuoteMeta(c.Attr) + `\b`).MatchString(code) {
				blocks = append(blocks, c.Block())
			}
		}
	}
	return append([][]byte{s.PolicyText, []byte(strings.Join(names, "\x00"))}, blocks...)
}
