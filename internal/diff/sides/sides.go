// Package sides finds what a comparison is about: a version in the store, or the folder of a workflow.
//
//	before, err := sides.Finder{Store: open, Sandbox: open}.Find(ctx, "report@3f9a0c1d2b4e5f60")
//	now, err := sides.Finder{…}.Find(ctx, "workflows/report")
package sides

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/diff"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// Finder finds sides. What it opens is its caller's to close; each is opened when it is first needed.
type Finder struct {
	Store   func() (*store.Store, error)
	Sandbox func(context.Context) (*runtime.Engine, error) // reads which tools a folder's code calls
	Folders bool                                           // what is named is a folder, whatever it looks like
}

// Find finds one side. What has a slash in it, or is . or .., is a folder; all else is NAME or NAME@VERSION.
func (f Finder) Find(ctx context.Context, what string) (diff.Side, error) {
	if f.Folders || what == "." || what == ".." || strings.ContainsAny(what, `/\`) {
		return f.folder(ctx, what)
	}
	name, version, given := strings.Cut(what, "@")
	if given && version == "" {
		return diff.Side{}, fault.New("bad-usage", "%s names no version", what).WithHint("write %s for the latest, or %s@VERSION", name, name)
	}
	s, err := f.Store()
	if err != nil {
		return diff.Side{}, err
	}
	w, err := s.Workflow(name)
	if err != nil {
		if info, e := os.Stat(what); e == nil && info.IsDir() {
			err = fault.Of(err).WithHint("there is a folder of that name: write ./%s, or add --dir", what)
		}
		return diff.Side{}, err
	}
	v, err := s.Version(w.ID, version)
	if err != nil {
		return diff.Side{}, err
	}
	side := diff.Side{Label: w.Name + "@" + v.Version, Name: w.Name, Description: w.Description, Code: v.Code, Inputs: v.Inputs, Outputs: v.Outputs, NoLimits: true}
	for _, p := range v.Pins {
		t := catalog.Tool{Connector: p.Connector, Name: p.Tool, InputSchema: p.InputSchema, OutputSchema: p.OutputSchema, Observed: p.Observed, Digest: p.Digest}
		if len(p.Annotations) > 0 {
			if err := json.Unmarshal(p.Annotations, &t.Annotations); err != nil {
				return diff.Side{}, err
			}
		}
		side.Tools = append(side.Tools, diff.Tool{Tool: t, Risk: catalog.Risk(p.Risk)})
	}
	return side, nil
}

func (f Finder) folder(ctx context.Context, dir string) (diff.Side, error) {
	p, w, err := project.LoadWorkflow(dir)
	if err != nil {
		return diff.Side{}, err
	}
	for _, x := range p.Findings { // what is wrong with a case is not a part of the comparison
		if x.File == w.Settings() || x.File == filepath.Join(p.Dir, project.File) || x.File == filepath.Join(p.Dir, project.LockFile) {
			wrong := *fault.Of(project.AsError(x))
			wrong.Exit = fault.ExitUsage // it is no finding here: nothing was compared
			return diff.Side{}, &wrong
		}
	}
	side := diff.Side{
		Label: filepath.ToSlash(filepath.Clean(dir)), Name: w.Name, Description: w.Description, Code: w.Code, Inputs: w.Inputs, Outputs: w.Outputs, Limits: w.Limits,
	}
	if side.Label == "." || side.Label == ".." {
		side.Label += "/" + w.Name
	}
	if _, err := project.Find(dir); err != nil {
		side.ToolsError = "there is no " + project.File + " in the folder or above it, and so no " + project.LockFile
		return side, nil
	}
	engine, err := f.Sandbox(ctx)
	if err != nil {
		return side, err
	}
	tools := map[string][]catalog.Tool{}
	if p.Lock != nil {
		tools = p.Lock.ByConnector()
	}
	side.Tools, side.ToolsError, err = used(ctx, engine, w, tools)
	return side, err
}

// used finds the tools that a folder's code calls, as its lock has them; why is the reason if it cannot be told.
func used(ctx context.Context, engine *runtime.Engine, w *project.Workflow, locked map[string][]catalog.Tool) (tools []diff.Tool, why string, err error) {
	connectors, methods := map[string]*stubs.Connector{}, map[string][]string{}
	for _, c := range stubs.BuildAll(locked) {
		connectors[c.Attr], methods[c.Attr] = c, []string{}
		for _, m := range c.Methods() {
			methods[c.Attr] = append(methods[c.Attr], m.Python)
		}
	}
	_, report, err := lint.New(engine).Lint(ctx, lint.Source{Code: w.Code, Outputs: len(w.Outputs) > 0, Connectors: methods})
	if err != nil {
		return nil, "", err
	}
	if len(report.Problems) > 0 {
		p := report.Problems[0]
		return nil, fmt.Sprintf("workflow.py:%d: %s: %s", p.Line, p.Code, p.Message), nil
	}
	seen := map[catalog.Key]bool{}
	for _, call := range report.Calls {
		c := connectors[call.Attr]
		if c == nil {
			return nil, fmt.Sprintf("workflow.py:%d: runlace.lock has no connector %s", call.Line, call.Attr), nil
		}
		m := c.Method(call.Method)
		if m == nil {
			return nil, fmt.Sprintf("workflow.py:%d: runlace.lock has no tool %s of the connector %s", call.Line, call.Method, c.Name), nil
		}
		if !seen[m.Tool.Key()] {
			seen[m.Tool.Key()] = true
			tools = append(tools, diff.Tool{Tool: m.Tool, Risk: m.Tool.Risk})
		}
	}
	return tools, "", nil
}
