package compiler

import (
	"context"
	"slices"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/pyright"
)

// typecheck asks pyright, and says its errors in the words of a workflow. notes are for the author.
func (c *Compiler) typecheck(ctx context.Context, s Source, report *lint.Report, catalog Catalog) (problems []Problem, notes []string, err error) {
	p, notes, err := project(s, report, catalog)
	if err != nil {
		return nil, nil, err
	}
	found, err := c.checker.Check(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	h := hinter{source: s, report: report, catalog: catalog}
	for _, d := range h.misspelled(cascade(found)) {
		problems = append(problems, h.problem(d))
	}
	return problems, notes, nil
}

// unknown are the rules by which one mistake shows again wherever its value is used.
var unknown = []string{
	"reportUnknownMemberType", "reportUnknownVariableType", "reportUnknownArgumentType", "reportUnknownParameterType", "reportUnknownLambdaType",
}

// cascade leaves out what follows from other errors: if there is any other error, those of the unknown types.
func cascade(all []pyright.Diagnostic) []pyright.Diagnostic {
	follows := func(d pyright.Diagnostic) bool { return slices.Contains(unknown, d.Rule) }
	own := slices.DeleteFunc(slices.Clone(all), follows)
	if len(own) == 0 {
		return all
	}
	return own
}
