package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/runlace/runlace/compiler"
	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// compilerParts are the compiler and the checker that it uses.
type compilerParts struct {
	*compiler.Compiler
	checker *pyright.Checker
}

// theCompiler makes the compiler when it is first needed. A checker that is missing is looked for again the next time.
func (e *Engine) theCompiler(ctx context.Context) (*compiler.Compiler, error) {
	sb, err := e.sandboxEngine(ctx)
	if err != nil {
		return nil, err
	}
	e.compilerMu.Lock()
	defer e.compilerMu.Unlock()
	if e.compiler == nil {
		checker := pyright.New(pyright.In(e.options.Home.Pyright()), pyright.Options{})
		e.compiler = &compilerParts{compiler.New(sb, checker), checker}
	}
	return e.compiler.Compiler, nil
}

func (e *Engine) closeCompiler() {
	e.compilerMu.Lock()
	defer e.compilerMu.Unlock()
	if e.compiler != nil {
		_ = e.compiler.checker.Close()
	}
}

// Warm does in advance what the first compilation would wait for.
func (e *Engine) Warm(ctx context.Context) error {
	c, err := e.theCompiler(ctx)
	if err != nil {
		return err
	}
	return c.Warm(ctx)
}

// compiled is a workflow that passed the compiler, in the store's terms.
type compiled struct {
	code            string
	inputs, outputs json.RawMessage
	pins            []store.Pin
	program         *runtime.Program
	warnings        []string
}

// anyObject is the schema of the inputs of a version that declares none.
const anyObject = `{"type":"object"}`

// compile takes a workflow through the compiler. If it does not pass, the result is nil and Created says why.
func (e *Engine) compile(ctx context.Context, w Workflow) (*compiled, *Created, error) {
	known, err := e.Catalogue()
	if err != nil {
		return nil, nil, err
	}
	c, err := e.theCompiler(ctx)
	if err != nil {
		return nil, nil, err
	}
	if string(w.Inputs) == anyObject { // a version without a schema, compiled again: no schema types the inputs as none of its keys would
		w.Inputs = nil
	}
	out, problems, err := c.Compile(ctx, compiler.Source{Name: w.Name, Code: w.Code, Inputs: w.Inputs, Outputs: w.Outputs}, known.forCompiler)
	if err != nil {
		return nil, nil, err
	}
	if len(problems) > 0 {
		return nil, refusal(w.Name, problems), nil
	}
	r := &compiled{code: w.Code, inputs: out.Inputs, outputs: out.Outputs, program: out.Program, warnings: out.Warnings}
	if len(r.inputs) == 0 {
		r.inputs = json.RawMessage(anyObject)
	}
	for _, p := range out.Pins {
		k := known.byName[p.Connector]
		t := k.Tool(p.Tool)
		annotations, err := json.Marshal(t.Annotations)
		if err != nil {
			return nil, nil, err
		}
		r.pins = append(r.pins, store.Pin{
			Connector: p.Connector, Tool: p.Tool, Risk: store.Risk(p.Risk), Digest: p.Digest, Python: k.Attr + "." + k.Stubs.Tool(p.Tool).Python,
			InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Observed: t.Observed, Annotations: annotations,
		})
	}
	return r, nil, nil
}

func refusal(name string, problems []compiler.Problem) *Created {
	c := &Created{Name: name, Stage: problems[0].Stage}
	for _, p := range problems {
		c.Errors = append(c.Errors, Problem(p))
	}
	return c
}

// Create compiles a workflow and stores it as a new version. A workflow that does not pass is a Created that is not OK.
func (e *Engine) Create(ctx context.Context, w Workflow) (*Created, error) {
	return e.create(ctx, w, "")
}

func (e *Engine) create(ctx context.Context, w Workflow, edits string) (*Created, error) {
	c, created, err := e.compile(ctx, w)
	if err != nil || created != nil {
		return created, err
	}
	moved, err := e.moved(w.Name, c.pins)
	if err != nil {
		return nil, err
	}
	if len(moved) > 0 {
		return &Created{Name: w.Name, Stage: "extract", Errors: moved}, nil
	}
	saved, err := e.store.SaveVersion(store.NewVersion{
		Name: w.Name, Description: w.Description, Code: c.code, Inputs: c.inputs, Outputs: c.outputs, Pins: c.pins, Edits: edits,
		Program: &store.Program{Guest: c.program.Build, Code: c.program.Code, Fuel: c.program.Fuel},
	})
	if err != nil {
		return nil, err
	}
	out := &Created{
		OK: true, WorkflowID: saved.WorkflowID, Name: w.Name, Version: saved.Version, VersionID: saved.VersionID, New: saved.New, File: saved.File,
		Warnings: c.warnings,
	}
	for _, p := range c.pins {
		out.ToolsUsed = append(out.ToolsUsed, ToolUse{p.Connector, p.Tool, p.Risk, p.Digest})
	}
	if saved.FileError != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the version is stored, and its file could not be written: %v", saved.FileError))
	}
	return out, nil
}

// moved finds names that mean another tool than in the workflow's version before, while that tool is still there: a connector or a tool that was added since has
// taken its name, and the code would act on it without a word having been changed.
func (e *Engine) moved(workflow string, pins []store.Pin) ([]Problem, error) {
	before, err := e.store.Version(workflow, "")
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return nil, nil // there is none
	}
	if err != nil {
		return nil, err
	}
	known, err := e.Catalogue()
	if err != nil {
		return nil, err
	}
	var out []Problem
	for _, was := range before.Pins {
		for _, is := range pins {
			if is.Python != was.Python || is.Connector == was.Connector && is.Tool == was.Tool {
				continue
			}
			k := known.byName[was.Connector]
			if k == nil || k.Tool(was.Tool) == nil {
				continue // it is gone, and this takes its place
			}
			f := fault.New("name-moved", "ctx.%s was %s.%s in the version before, and is %s.%s by now", is.Python, was.Connector, was.Tool, is.Connector, is.Tool).
				WithHint("write ctx.%s.%s for %s.%s; for %s.%s, create the workflow under another name", k.Attr, k.Stubs.Tool(was.Tool).Python, was.Connector, was.Tool, is.Connector, is.Tool)
			out = append(out, Problem{Stage: "extract", Code: f.Code, Message: f.Message, Hint: f.Hint})
		}
	}
	return out, nil
}

// Edit replaces one place in a workflow's latest version, and stores the result as a new version.
func (e *Engine) Edit(ctx context.Context, d Edit) (*Created, error) {
	v, err := e.store.Version(d.Name, "")
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return refusedEdit(d.Name, f), nil
	}
	if err != nil {
		return nil, err
	}
	w, err := e.store.Workflow(d.Name)
	if err != nil {
		return nil, err
	}
	next := Workflow{Name: w.Name, Description: w.Description, Code: v.Code, Inputs: v.Inputs, Outputs: v.Outputs}
	switch n := strings.Count(v.Code, d.Old); {
	case d.Old == "" && d.New != "" || d.Old != "" && d.Old == d.New:
		return refusedEdit(w.Name, fault.New("no-change", "the edit changes nothing")), nil
	case d.Old == "":
	case n == 0:
		return refusedEdit(w.Name, fault.New("no-match", "the text to replace is not in the workflow's code")), nil
	case n > 1:
		return refusedEdit(w.Name, fault.New("not-unique", "the text to replace is in the workflow's code %d times", n)), nil
	default:
		next.Code = strings.Replace(v.Code, d.Old, d.New, 1)
	}
	if d.Description != nil {
		next.Description = *d.Description
	}
	if d.Inputs != nil {
		next.Inputs = d.Inputs
	}
	if d.Outputs != nil {
		next.Outputs = d.Outputs
	}
	return e.create(ctx, next, v.ID)
}

func refusedEdit(name string, f *fault.Error) *Created {
	return &Created{Name: name, Stage: "edit", Errors: []Problem{{Stage: "edit", Code: f.Code, Message: f.Message, Hint: f.Hint}}}
}
