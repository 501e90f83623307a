// Package lint reads a workflow's syntax tree: what it must not do, and which tools it calls.
//
//	linter := lint.New(engine)
//	program, report, err := linter.Lint(ctx, lint.Source{Code: code, Connectors: map[string][]string{"crm": {"find", "send"}}})
//
// The work is done by lint.py, in the guest: over CPython's own ast, so that the grammar is the one that will run, and under
// fuel, so that a hostile source costs a bounded time. Its messages are for a model that is about to correct the workflow.
//
// The lint is no boundary. It keeps what is written checkable: a workflow that hides what it calls is refused, and one that
// gets past the lint finds nothing in the sandbox but the same host functions.
package lint

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/runlace/runlace/runtime"
)

//go:embed lint.py
var script string

// Codes are what a Problem may have as its code, in the order of the documentation.
var Codes = []string{
	"syntax-error", "source-too-large", "source-too-complex",
	"missing-run", "run-decorated", "bad-run-signature", "bad-ctx-annotation", "missing-return-annotation", "bad-output-annotation",
	"forbidden-import", "import-not-allowed", "relative-import", "stub-submodule-import",
	"forbidden-call", "dynamic-attribute-access", "dunder-access", "async-not-supported",
	"ctx-rebound", "ctx-escape", "ctx-tool-not-called", "unknown-connector",
}

// MaxSource is the size of the largest workflow in bytes: some thousand lines, more than anybody will review.
const MaxSource = 256 << 10

// limits bound one run of the lint. A thousand lines take a hundredth of the fuel.
var limits = runtime.Limits{Fuel: 20_000_000_000, Recursion: 5000, Timeout: 30 * time.Second}

// Source is a workflow, and what it is checked against.
type Source struct {
	Code       string
	Outputs    bool                // whether an outputs schema is declared, which run has to return
	Connectors map[string][]string // attributes of ctx, each with its methods
}

// Problem is a reason for refusing a workflow. Lines and columns count from 1, columns in characters.
type Problem struct {
	Code    string `json:"code"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// Place is a part of the source. The end is exclusive.
type Place struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Call is an expression ctx.<Attr>.<Method>(...).
type Call struct {
	Attr   string `json:"attr"`
	Method string `json:"method"`
	Place
}

// Ask is an expression ctx.ai(...).
type Ask struct {
	Schema SchemaKind `json:"schema"`
	Place
}

// SchemaKind is what an Ask passes as schema.
type SchemaKind string

// The kinds. A schema that is not a literal cannot be looked at before the run.
const (
	SchemaAbsent  SchemaKind = "absent"
	SchemaNone    SchemaKind = "none"
	SchemaGood    SchemaKind = "good"
	SchemaBad     SchemaKind = "bad" // a literal that does not describe an object with properties
	SchemaDynamic SchemaKind = "dynamic"
)

// Report is what the lint found. Calls and Asks are complete if there are no Problems.
type Report struct {
	Problems []Problem `json:"problems"` // sorted by place
	Calls    []Call    `json:"calls"`
	Asks     []Ask     `json:"asks"`
}

// Linter runs the lint on an engine. It is safe for concurrent use.
type Linter struct {
	engine  *runtime.Engine
	program func() (*runtime.Program, error)
}

// New makes a Linter. The first use compiles the script.
func New(engine *runtime.Engine) *Linter {
	return &Linter{engine: engine, program: sync.OnceValues(func() (*runtime.Program, error) {
		p, err := engine.Compile(context.Background(), script, runtime.Limits{})
		if err != nil {
			err = fmt.Errorf("lint: %w", err)
		}
		return p, err
	})}
}

// Lint compiles the workflow and looks at its tree. The program is nil if it does not compile; the report then has the reason.
// The error is for what is not the workflow's doing.
func (l *Linter) Lint(ctx context.Context, s Source) (*runtime.Program, *Report, error) {
	if len(s.Code) > MaxSource {
		return nil, refused("source-too-large", 1, fmt.Sprintf("the workflow has %d bytes, and may have %d", len(s.Code), MaxSource),
			"take data out of the code: pass it in through ctx.inputs, or fetch it with a tool"), nil
	}
	program, report, err := l.lint(ctx, s)
	if err != nil && ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	return program, report, err
}

func (l *Linter) lint(ctx context.Context, s Source) (*runtime.Program, *Report, error) {
	// Both at once, each in an instance of its own: what the tree says counts only if the source compiles.
	type compiled struct {
		program *runtime.Program
		err     error
	}
	done := make(chan compiled, 1)
	go func() {
		program, err := l.engine.Compile(ctx, s.Code, runtime.Limits{Fuel: limits.Fuel, Timeout: limits.Timeout})
		done <- compiled{program, err}
	}()
	report, err := l.tree(ctx, s)
	c := <-done
	if failed := (*runtime.Error)(nil); errors.As(c.err, &failed) {
		report, err := ofFailure(failed)
		return nil, report, err
	}
	if c.err != nil {
		return nil, nil, c.err
	}
	return c.program, report, err
}

// tree runs the script.
func (l *Linter) tree(ctx context.Context, s Source) (*Report, error) {
	p, err := l.program()
	if err != nil {
		return nil, err
	}
	connectors := s.Connectors
	if connectors == nil {
		connectors = map[string][]string{}
	}
	inputs, err := json.Marshal(map[string]any{"source": s.Code, "outputs": s.Outputs, "connectors": connectors})
	if err != nil {
		return nil, err
	}
	r, err := l.engine.Run(ctx, p, runtime.Job{Inputs: inputs, Limits: limits, AnyImport: true})
	if err != nil {
		return nil, err
	}
	if r.Err != nil {
		if r.Err.Code == runtime.CodeException {
			return nil, fmt.Errorf("lint: %w\n%s", r.Err, r.Err.Traceback)
		}
		return ofFailure(r.Err)
	}
	report := &Report{}
	if err := json.Unmarshal(r.Output, report); err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	return report, nil
}

// ofFailure tells what a failure of the guest says about the source.
func ofFailure(e *runtime.Error) (*Report, error) {
	switch e.Code {
	case runtime.CodeSyntaxError:
		r := refused(e.Code, max(1, e.Line), e.Message, "correct this line: the language is Python 3.13")
		r.Problems[0].Column = max(1, e.Column)
		return r, nil
	case runtime.CodeTooComplex, runtime.CodeCPULimit, runtime.CodeMemoryLimit, runtime.CodeRecursionLimit, runtime.CodeOutputLimit, runtime.CodeInputLimit,
		runtime.CodeTimeout:
		return refused("source-too-complex", 1, "the code is nested too deeply, or too large, to be compiled ("+e.Code+")",
			"split expressions into statements, and take large literals out of the code"), nil
	}
	return nil, e
}

func refused(code string, line int, message, hint string) *Report {
	return &Report{Problems: []Problem{{Code: code, Line: line, Column: 1, Message: message, Hint: hint}}}
}
