package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/runtime"
)

// comparison holds a run against what its case expects.
type comparison struct {
	*workflow
	scenario *scenario
	findings []report.Finding
}

func (c *comparison) find(code string, at report.Place, format string, args ...any) *report.Finding {
	f := report.New(code, at, format, args...)
	f.Workflow, f.Case = c.scenario.Workflow, c.scenario.Name
	c.findings = append(c.findings, f)
	return &c.findings[len(c.findings)-1]
}

// compare finds what is not as the case says.
func (c *comparison) compare(r *run) {
	s := c.scenario
	if r.missing != nil { // all that follows from it is not worth a word
		f := c.find("missing-recording", c.code(r.missing.line), "there is no recorded answer for %s with %s", r.missing, report.Brief(r.missing.arguments))
		f.Got = callJSON(*r.missing)
		return
	}
	c.compareActs(r)
	c.compareEnd(r)
	for i, f := range s.Fails {
		if !r.fails[i] {
			c.find("unused-failure", f.At, "step %d is to fail, and the run has %d steps", f.Step, len(r.steps))
		}
	}
	if r.result.Err == nil || s.Failure != nil { // else the failure explains it
		c.unused(r)
	}
}

// unused finds the recordings that a run did not ask for. A case that rehearses a failure need not come to all that is recorded.
func (c *comparison) unused(r *run) {
	if len(c.scenario.Fails) > 0 {
		return
	}
	for i, used := range r.answers {
		if !used {
			a := c.scenario.Answers[i]
			c.find("unused-recording", a.At, "the recorded answer of %s with %s is not asked for", a.Tool, report.Brief(a.Arguments))
		}
	}
}

// compareActs aligns the acts of the run with those of the case: what is the same on both sides first, and in the gaps one against the other.
func (c *comparison) compareActs(r *run) {
	acts := r.acts()
	expected := c.scenario.Acts
	for _, gap := range gaps(expected, acts) {
		n := min(len(gap.expected), len(gap.got))
		for i := range n {
			c.actDiffers(expected[gap.expected[i]], acts[gap.got[i]])
		}
		for _, i := range gap.expected[n:] {
			if r.result.Err == nil || c.scenario.Failure != nil || r.lost { // else the failure explains it
				e := expected[i]
				f := c.find("act-missing", e.At, "the workflow does not act as expected: %s with %s", e.Tool, report.Brief(e.Arguments))
				f.Expected = expectedJSON(e)
			}
		}
		for _, i := range gap.got[n:] {
			f := c.find("act-extra", c.code(acts[i].line), "the workflow acts without being expected to: %s with %s", acts[i], report.Brief(acts[i].arguments))
			f.Got = callJSON(acts[i])
		}
	}
}

func (c *comparison) actDiffers(e project.Call, got step) {
	if e.Tool != got.tool {
		f := c.find("act-differs", e.At, "%s is expected here, and line %d of the workflow calls %s", e.Tool, got.line, got)
		f.Expected, f.Got = expectedJSON(e), callJSON(got)
		return
	}
	f := c.find("act-differs", e.At, "%s is called with other arguments than expected", got)
	f.Expected, f.Got = e.Arguments, got.arguments
	f.Differences = differences(e.Arguments, got.arguments)
}

// gap is a stretch of both lists, by index, that has nothing in common.
type gap struct{ expected, got []int }

// gaps are what is left of both lists without their longest common subsequence.
func gaps(expected []project.Call, got []step) (out []gap) {
	same := func(i, j int) bool {
		e, g := expected[i], got[j]
		return e.Tool == g.tool && equal(e.Arguments, g.arguments)
	}
	n, m := len(expected), len(got)
	longest := make([][]int, n+1)
	for i := range longest {
		longest[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if same(i, j) {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var g gap
	flush := func() {
		if len(g.expected)+len(g.got) > 0 {
			out = append(out, g)
			g = gap{}
		}
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && same(i, j):
			flush()
			i, j = i+1, j+1
		case j == m || i < n && longest[i+1][j] >= longest[i][j+1]:
			g.expected = append(g.expected, i)
			i++
		default:
			g.got = append(g.got, j)
			j++
		}
	}
	flush()
	return out
}

// compareEnd compares the output or the failure.
func (c *comparison) compareEnd(r *run) {
	s := c.scenario
	failure, line := c.ending(r)
	switch {
	case failure == nil && s.Failure != nil:
		f := c.find("error-differs", s.AtResult, "the workflow is expected to fail with %s, and completes", s.Failure.Code)
		f.Expected, f.Got = project.FailureJSON(s.Failure, s.Line), r.result.Output
	case failure == nil && s.Output == nil:
		f := c.find("output-differs", s.AtResult, "the case does not say what the workflow returns")
		f.Got = r.result.Output
	case failure == nil && !equal(s.Output, r.result.Output):
		f := c.find("output-differs", s.AtResult, "the workflow returns something else than expected")
		f.Expected, f.Got = s.Output, r.result.Output
		f.Differences = differences(s.Output, r.result.Output)
	case failure != nil && s.Failure == nil:
		f := c.find(failure.Code, c.code(line), "the workflow fails: %s", failure.Message)
		f.Got = project.FailureJSON(failure, line)
	case failure != nil && !c.failsAsExpected(failure, line):
		f := c.find("error-differs", s.AtResult, "the workflow fails otherwise than expected")
		f.Expected, f.Got = project.FailureJSON(s.Failure, s.Line), project.FailureJSON(failure, line)
		f.Differences = differences(f.Expected, f.Got)
	}
}

// failsAsExpected compares what the case says of a failure; what it does not say may be anything.
func (c *comparison) failsAsExpected(e *hostfuncs.Error, line int) bool {
	s := c.scenario
	return s.Failure.Code == e.Code && (s.Line == 0 || s.Line == line) && (s.Failure.Message == "" || s.Failure.Message == e.Message)
}

// ending is how a run has failed, in the terms of a real one; nil if it has completed.
func (w *workflow) ending(r *run) (*hostfuncs.Error, int) {
	switch {
	case r.lost:
		last := r.steps[len(r.steps)-1]
		return &hostfuncs.Error{Code: "in-doubt", Message: fmt.Sprintf("an act was sent, and nobody knows whether it happened: %s", last)}, last.line
	case r.result.Err != nil:
		e := r.result.Err
		return &hostfuncs.Error{Code: codeOf(e), Message: e.Message}, e.Line
	}
	if w.outputs != nil {
		if wrong := w.outputs.Validate(r.result.Output); len(wrong) > 0 {
			return &hostfuncs.Error{Code: "invalid-output", Message: "what the workflow returned is not what it declares: " + fields(wrong)}, w.defined
		}
	}
	return nil, 0
}

// codeOf is the code of a run's failure: a limit's, a lost connector's, or that the workflow itself failed.
func codeOf(e *runtime.Error) string {
	switch e.Code {
	case runtime.CodeException, runtime.CodeToolError, runtime.CodeImportRefused, runtime.CodeOutputInvalid, runtime.CodeExit, runtime.CodeMissingRun:
		var data struct{ Code string }
		if json.Unmarshal(e.Data, &data) == nil && data.Code == connector.CodeLost {
			return connector.CodeLost
		}
		return "workflow-failed"
	}
	return e.Code
}

// repeats compares a run with one that was given the same.
func (c *comparison) repeats(a, b *run) {
	var what []string
	add := func(same bool, name string, was, is any) {
		if !same {
			what = append(what, fmt.Sprintf("%s (%v, then %v)", name, was, is))
		}
	}
	x, y := a.result, b.result
	add(x.Fuel == y.Fuel, "fuel", x.Fuel, y.Fuel)
	add(x.Calls == y.Calls, "calls", x.Calls, y.Calls)
	add(slices.EqualFunc(a.steps, b.steps, sameStep), "arguments or times of calls", len(a.steps), len(b.steps))
	add(bytes.Equal(x.Output, y.Output), "output", report.Brief(x.Output), report.Brief(y.Output))
	add(x.Log == y.Log, "log", len(x.Log), len(y.Log))
	add(fmt.Sprint(x.Err) == fmt.Sprint(y.Err), "error", x.Err, y.Err)
	if len(what) > 0 {
		c.find("not-deterministic", c.code(c.defined), "two runs with the same answers differ in their %s", strings.Join(what, ", "))
	}
}

func sameStep(a, b step) bool {
	return a.tool == b.tool && bytes.Equal(a.arguments, b.arguments) && a.clock == b.clock && a.line == b.line
}

// inAnyOrder compares a run with one in which the keys of all objects stood in the opposite order.
func (c *comparison) inAnyOrder(a, b *run) {
	const why = "when the keys of the objects that the workflow is given stand in another order"
	if b.missing != nil {
		c.find("order-dependent", c.code(b.missing.line), "another call is made %s: %s", why, b.missing).Got = callJSON(*b.missing)
		return
	}
	for i := range max(len(a.steps), len(b.steps)) {
		switch {
		case i >= len(a.steps):
			c.find("order-dependent", c.code(b.steps[i].line), "a call more is made %s: %s", why, b.steps[i]).Got = callJSON(b.steps[i])
			return
		case i >= len(b.steps):
			c.find("order-dependent", c.code(a.steps[i].line), "a call less is made %s: %s", why, a.steps[i]).Expected = callJSON(a.steps[i])
			return
		case a.steps[i].tool != b.steps[i].tool, !equal(a.steps[i].arguments, b.steps[i].arguments):
			f := c.find("order-dependent", c.code(b.steps[i].line), "another call is made %s: %s", why, b.steps[i])
			f.Expected, f.Got = callJSON(a.steps[i]), callJSON(b.steps[i])
			f.Differences = differences(f.Expected, f.Got)
			return
		}
	}
	was, _ := c.ending(a)
	is, line := c.ending(b)
	switch {
	case (was == nil) != (is == nil):
		f := c.find("order-dependent", c.code(max(line, c.defined)), "whether the workflow fails changes %s", why)
		f.Expected, f.Got = endJSON(was, a), endJSON(is, b)
	case was == nil && !equal(a.result.Output, b.result.Output):
		f := c.find("order-dependent", c.code(c.defined), "another output is returned %s", why)
		f.Expected, f.Got = a.result.Output, b.result.Output
		f.Differences = differences(f.Expected, f.Got)
	}
}

// atAnySpeed compares a run with one in which tools took longer. Times may be written anywhere; what the workflow does may not change.
func (c *comparison) atAnySpeed(a, b *run) {
	const why = "when the tools take longer to answer"
	for i := range max(len(a.steps), len(b.steps)) {
		if i >= len(a.steps) || i >= len(b.steps) || a.steps[i].tool != b.steps[i].tool {
			line := 0
			if i < len(b.steps) {
				line = b.steps[i].line
			} else if i < len(a.steps) {
				line = a.steps[i].line
			}
			c.find("time-dependent", c.code(line), "the calls that are made change from the %s on %s", ordinal(i+1), why)
			return
		}
	}
	if b.missing != nil {
		c.find("time-dependent", c.code(b.missing.line), "a call more is made %s: %s", why, b.missing)
		return
	}
	was, _ := c.ending(a)
	is, line := c.ending(b)
	if (was == nil) != (is == nil) {
		f := c.find("time-dependent", c.code(max(line, c.defined)), "whether the workflow fails changes %s", why)
		f.Expected, f.Got = endJSON(was, a), endJSON(is, b)
	}
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

func endJSON(e *hostfuncs.Error, r *run) json.RawMessage {
	if e != nil {
		return project.FailureJSON(e, 0)
	}
	return r.result.Output
}

func callJSON(s step) json.RawMessage { return call(s.String(), s.arguments) }

func expectedJSON(c project.Call) json.RawMessage { return call(c.Tool.String(), c.Arguments) }

func call(name string, arguments json.RawMessage) json.RawMessage {
	o := ordered.NewObject()
	o.Set("call", ordered.NewString(name))
	if v, err := ordered.Parse(arguments); err == nil {
		o.Set("arguments", v)
	}
	return o.JSON()
}
