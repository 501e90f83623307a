package library

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// limits is what becomes of the limits that a file sets.
const limits = " hold in checks and recordings; a stored version has none, and runs with those of config.json"

// Pushed is what came of one workflow of a project.
type Pushed struct {
	Path string `json:"path"` // of its code
	*engine.Created
}

// Push compiles workflows of a project with the tools that the home knows, and stores them: all in a folder, or the one of a name in the project at dir.
// One that does not compile is Pushed and not OK, and keeps none of the others from being stored. Notes say what was left out.
func Push(ctx context.Context, e *engine.Engine, what, dir string) (list []Pushed, notes []string, err error) {
	p, workflows, err := chosen(what, dir)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range workflows { // before anything is stored
		if err := p.CodeErr(w.Name); err != nil {
			return nil, nil, err
		}
	}
	for _, w := range workflows {
		created, err := e.Create(ctx, engine.Workflow{Name: w.Name, Description: w.Description, Code: w.Code, Inputs: w.Inputs, Outputs: w.Outputs})
		if err != nil {
			return list, notes, err
		}
		list = append(list, Pushed{w.Path(), created})
		if w.Limits != p.Limits {
			notes = append(notes, "the limits of "+w.Settings()+limits)
		}
	}
	if p.Limits != (runtime.Limits{}) {
		notes = append(notes, "the limits of "+filepath.Join(p.Dir, project.File)+limits)
	}
	return list, notes, nil
}

// chosen are the workflow of a name in the project at dir, or those in a folder.
func chosen(what, dir string) (*project.Project, []*project.Workflow, error) {
	if !IsFile(what) {
		p, err := project.Load(dir)
		if err == nil {
			if w, err := p.Workflow(what); err == nil {
				return p, []*project.Workflow{w}, nil
			}
		}
		if info, statErr := os.Stat(what); statErr != nil || !info.IsDir() {
			if err == nil {
				_, err = p.Workflow(what)
			}
			return nil, nil, err
		}
	}
	if info, err := os.Stat(what); err == nil && !info.IsDir() {
		return nil, nil, fault.New("bad-usage", "%s is a file", what).WithHint("name the folder of the workflow, or store a single file with runlace create")
	}
	if _, err := os.Stat(filepath.Join(what, project.CodeFile)); err == nil {
		p, w, err := project.LoadWorkflow(what)
		return p, []*project.Workflow{w}, err
	}
	p, err := project.Load(what)
	if err != nil {
		return nil, nil, err
	}
	if err := p.Within(what); err != nil {
		return nil, nil, err
	}
	if len(p.Workflows) == 0 {
		return nil, nil, fault.New("no-project", "there is no workflow in %s: no folder in %s has a %s", what, strings.Join(p.Folders, ", "), project.CodeFile)
	}
	return p, p.Workflows, nil
}

// ExportWorkflow writes a version of a stored workflow into the project at dir; an empty version is the latest.
func ExportWorkflow(s *store.Store, ref, version, dir string, force bool) (*project.Made, *store.Version, error) {
	w, err := s.Workflow(ref)
	if err != nil {
		return nil, nil, err
	}
	v, err := s.Version(w.ID, version)
	if err != nil {
		return nil, nil, err
	}
	m, err := project.Export(dir, project.Source{Name: w.Name, Description: w.Description, Code: v.Code, Inputs: v.Inputs, Outputs: v.Outputs}, force)
	return m, &v, err
}
