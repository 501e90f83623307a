package compiler

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/runtime"
)

// Stages of a compilation, in order.
const (
	StageValidate  = "validate"
	StageLint      = "lint"
	StageTypecheck = "typecheck"
	StageExtract   = "extract"
)

// Source is a workflow as its author gives it.
type Source struct {
	Name    string
	Code    string
	Inputs  json.RawMessage // JSON Schema; empty or null means any object
	Outputs json.RawMessage // JSON Schema; empty or null means that no output is declared
}

// Problem is a reason for refusing a workflow. Lines and columns count from 1, columns in characters; 0 means that the problem has
// no place in the code.
type Problem struct {
	Stage   string `json:"stage"`
	Code    string `json:"code"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.Code, p.Message)
	}
	return fmt.Sprintf("line %d: %s: %s", p.Line, p.Code, p.Message)
}

// Compiled is a workflow that passed all stages.
type Compiled struct {
	Source
	Pins     []Pin            // by connector and tool
	UsesAI   bool             // whether it asks the model
	Digest   string           // SHA-256, in hex, over code, schemas and pins
	Version  string           // its first 16 digits, which people see
	Program  *runtime.Program // for the engine that compiled it
	Warnings []string         // for the author
}

// Checker finds the errors in a project. A [*pyright.Checker] is one.
type Checker interface {
	Check(ctx context.Context, p pyright.Project) ([]pyright.Diagnostic, error)
}

// Compiler compiles workflows. It is safe for concurrent use.
type Compiler struct {
	linter  *lint.Linter
	checker Checker
}

// New makes a Compiler. The engine is the one that will run the programs, or one of the same build.
func New(engine *runtime.Engine, checker Checker) *Compiler {
	return &Compiler{linter: lint.New(engine), checker: checker}
}

// Warm does what the first compilations would otherwise wait for: it compiles the lint, starts the checker, and lets both get up to
// speed. It takes about two seconds; a server calls it in the background when it starts.
func (c *Compiler) Warm(ctx context.Context) error {
	for i := range 5 {
		if _, _, err := c.Compile(ctx, Source{Name: "warm", Code: fmt.Sprintf("%s# %d\n", warm, i)}, Catalog{}); err != nil {
			return err
		}
	}
	return nil
}

// warm imports what workflows import most, so that pyright has read it.
const warm = `import json
import re
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from statistics import mean
from typing import Any, TypedDict
from runlace_types import Ctx


@dataclass
class Row:
    id: int
    at: datetime


class Item(TypedDict):
    id: int


def run(ctx: Ctx) -> dict[str, object]:
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    data: Any = json.loads("{}")
    row = Row(1, datetime.now(timezone.utc) + timedelta(days=1))
    match = re.search("x", "x")
    return {
        "a": asdict(row), "b": [g["id"] for items in groups.values() for g in items], "c": sorted(Counter("x").items()),
        "d": str(Decimal(1)), "e": mean([1, 2]), "f": match.group() if match else None, "g": data,
    }
`

var workflowName = regexp.MustCompile(`\A[a-z0-9][a-z0-9_-]{0,62}\z`)

// Compile compiles a workflow. It returns either the result, or problems, or an error.
func (c *Compiler) Compile(ctx context.Context, s Source, catalog Catalog) (*Compiled, []Problem, error) {
	if problems := validate(&s); len(problems) > 0 {
		return nil, problems, nil
	}
	program, report, err := c.linter.Lint(ctx, lint.Source{Code: s.Code, Outputs: s.Outputs != nil, Connectors: catalog.methods()})
	if err != nil {
		return nil, nil, err
	}
	if len(report.Problems) > 0 {
		problems := make([]Problem, len(report.Problems))
		for i, p := range report.Problems {
			problems[i] = Problem{StageLint, p.Code, p.Line, p.Column, p.Message, p.Hint}
		}
		return nil, problems, nil
	}
	problems, notes, err := c.typecheck(ctx, s, report, catalog)
	if err != nil || len(problems) > 0 {
		return nil, problems, err
	}
	pins, problems := extract(report, catalog)
	if len(problems) > 0 {
		return nil, problems, nil
	}
	out := &Compiled{Source: s, Pins: pins, UsesAI: len(report.Asks) > 0, Program: program}
	out.Digest = digest(s, pins)
	out.Version = out.Digest[:16]
	out.Warnings = append(warnings(out), notes...)
	return out, nil, nil
}

// validate checks what is not code, and puts nil in place of schemas that say nothing.
func validate(s *Source) (problems []Problem) {
	refuse := func(code, message, hint string) {
		problems = append(problems, Problem{Stage: StageValidate, Code: code, Message: message, Hint: hint})
	}
	if !workflowName.MatchString(s.Name) {
		refuse("bad-name", fmt.Sprintf("%.80q is not a name of a workflow", s.Name),
			"use 1 to 63 lower-case letters, digits, - and _, beginning with a letter or digit, as weekly-report")
	}
	inputs := check(&s.Inputs, "inputs_schema", refuse)
	if inputs != nil && !describesObject(inputs) {
		refuse("bad-schema", "inputs_schema does not describe an object", `write {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`)
	}
	check(&s.Outputs, "outputs_schema", refuse)
	return problems
}

func check(raw *json.RawMessage, what string, refuse func(code, message, hint string)) *ordered.Value {
	if text := strings.TrimSpace(string(*raw)); text == "" || text == "null" {
		*raw = nil
		return nil
	}
	v, err := ordered.Parse(*raw)
	if err != nil {
		refuse("bad-schema", fmt.Sprintf("%s is not JSON: %v", what, err), "pass a JSON Schema as an object")
		return nil
	}
	if !v.Is(ordered.Object) {
		refuse("bad-schema", what+" is not a JSON object", `pass a JSON Schema as an object, as {"type": "object", "properties": {...}}`)
		return nil
	}
	return v
}

// describesObject tells whether a schema of inputs can be one: its type, if it says one, is object.
func describesObject(v *ordered.Value) bool {
	t := v.Get("type")
	if t.Is(ordered.Array) {
		return slices.ContainsFunc(t.Items, func(i *ordered.Value) bool { return i.Str() == "object" })
	}
	return t == nil || t.Str() == "object"
}

// warnings tells the author what the workflow will do.
func warnings(c *Compiled) []string {
	list := []string{}
	var acts []string
	for _, p := range c.Pins {
		if p.Risk != ReadOnly {
			acts = append(acts, p.Connector+"."+p.Tool)
		}
	}
	if len(acts) > 0 {
		list = append(list, fmt.Sprintf("this workflow acts on the world through %s: a run needs consent (confirm=true, where the operator's setting allows it), a dry run never sends them", strings.Join(acts, ", ")))
	}
	if len(c.Pins) == 0 && !c.UsesAI {
		list = append(list, "this workflow calls no tools: it only computes on its inputs")
	}
	return list
}
