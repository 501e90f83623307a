package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/runtime"
)

// Side is one of the two versions.
type Side struct {
	Label       string          `json:"label"` // for people, as in report@3f9a0c1d2b4e5f60
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Code        string          `json:"-"`
	Inputs      json.RawMessage `json:"-"` // JSON Schema; nothing: any object
	Outputs     json.RawMessage `json:"-"` // JSON Schema; nothing: not declared
	Tools       []Tool          `json:"-"`
	ToolsError  string          `json:"tools_error,omitempty"` // why the tools are not known
	Limits      runtime.Limits  `json:"-"`                     // zero fields: as the home has them
	NoLimits    bool            `json:"-"`                     // limits are not a part of this side, as of a stored version
}

// Tool is a tool that a version uses.
type Tool struct {
	catalog.Tool
	Risk catalog.Risk
}

// Verdict says whether callers of the first version can call the second one.
type Verdict string

// The verdicts.
const (
	Compatible Verdict = "compatible"
	Unknown    Verdict = "unknown"
	Breaks     Verdict = "breaks"
)

func (v Verdict) worse(w Verdict) Verdict {
	order := []Verdict{Compatible, Unknown, Breaks}
	return order[max(slices.Index(order, v), slices.Index(order, w))]
}

// Reason is why callers break, or may.
type Reason struct {
	Verdict Verdict         `json:"verdict"` // Breaks or Unknown
	Part    string          `json:"part"`    // inputs, outputs, tools, limits
	Where   string          `json:"where,omitempty"`
	Message string          `json:"message"`
	Example json.RawMessage `json:"example,omitempty"` // inputs that are refused now, or an output that was not possible before
}

// Change is something that is different.
type Change struct {
	Where   string          `json:"where"` // as in arguments.filter.state, or a tool
	Pointer string          `json:"pointer,omitempty"`
	Message string          `json:"message"`
	Before  json.RawMessage `json:"before,omitempty"`
	Now     json.RawMessage `json:"now,omitempty"`
}

// Report is what a comparison found. Lists are empty where nothing is different.
type Report struct {
	Same    bool     `json:"same"` // nothing that counts is different; a description does not
	Verdict Verdict  `json:"verdict"`
	Before  Side     `json:"before"`
	Now     Side     `json:"now"`
	Reasons []Reason `json:"reasons"`
	Inputs  []Change `json:"inputs"`
	Outputs []Change `json:"outputs"`
	Tools   []Change `json:"tools"`
	Limits  []Change `json:"limits"`
	Code    string   `json:"code"` // a unified diff

	examples int // that were looked for
}

// mostExamples bounds the search for examples, which is what takes time. A hundred differences are one.
const mostExamples = 100

// Compare compares two versions.
func Compare(before, now Side) *Report {
	r := &Report{
		Verdict: Compatible, Before: before, Now: now,
		Reasons: []Reason{}, Inputs: []Change{}, Outputs: []Change{}, Tools: []Change{}, Limits: []Change{},
	}
	r.schemas(before, now)
	r.inputs(before.Inputs, now.Inputs)
	r.outputs(before.Outputs, now.Outputs)
	r.tools(before, now)
	r.limits(before, now)
	r.Code = unified(before, now)
	for _, x := range r.Reasons {
		r.Verdict = r.Verdict.worse(x.Verdict)
	}
	slices.SortStableFunc(r.Reasons, func(a, b Reason) int {
		return cmp.Compare(slices.Index([]Verdict{Breaks, Unknown}, a.Verdict), slices.Index([]Verdict{Breaks, Unknown}, b.Verdict))
	})
	r.Same = r.Code == "" && len(r.Inputs)+len(r.Outputs)+len(r.Tools)+len(r.Limits)+len(r.Reasons) == 0
	return r
}

func (r *Report) reason(v Verdict, part, where, format string, args ...any) {
	r.Reasons = append(r.Reasons, Reason{Verdict: v, Part: part, Where: where, Message: fmt.Sprintf(format, args...)})
}

func absent(s json.RawMessage) bool {
	text := strings.TrimSpace(string(s))
	return text == "" || text == "null"
}

// schemas lists what is different about the schemas, as catalog does for those of tools.
func (r *Report) schemas(before, now Side) {
	inputs := func(s json.RawMessage) json.RawMessage {
		if absent(s) {
			return json.RawMessage(`{"type":"object"}`)
		}
		return s
	}
	// Inputs are objects: an inputs schema that does not say so means the same as one that does.
	a, b := catalog.Tool{InputSchema: inputs(before.Inputs), OutputSchema: before.Outputs}, catalog.Tool{InputSchema: inputs(now.Inputs), OutputSchema: now.Outputs}
	for _, c := range catalog.Diff(a, b) {
		message := strings.NewReplacer("parameter `", "input `", "result `", "output `", "the arguments", "the inputs", "the result", "the output").Replace(c.String())
		change := Change{Where: c.Where, Pointer: c.Pointer, Message: message, Before: c.Before, Now: c.Now}
		if rest, ok := strings.CutPrefix(c.Where, "arguments"); ok {
			change.Where = "inputs" + rest
			r.Inputs = append(r.Inputs, change)
		} else {
			change.Where = "outputs" + strings.TrimPrefix(c.Where, "result")
			r.Outputs = append(r.Outputs, change)
		}
	}
}

// tools compares what the versions call.
func (r *Report) tools(before, now Side) {
	if before.ToolsError != "" || now.ToolsError != "" {
		for _, s := range []Side{before, now} {
			if s.ToolsError != "" {
				r.reason(Unknown, "tools", "", "the tools of %s are not known: %s", s.Label, s.ToolsError)
			}
		}
		return
	}
	acts := func(list []Tool) bool {
		return slices.ContainsFunc(list, func(t Tool) bool { return t.Risk != catalog.ReadOnly })
	}
	for _, t := range union(before.Tools, now.Tools) {
		key := t.Key().String()
		was, is := find(before.Tools, t), find(now.Tools, t)
		switch {
		case was == nil:
			r.Tools = append(r.Tools, Change{Where: key, Message: key + " is used now, and " + does(is.Risk)})
		case is == nil:
			r.Tools = append(r.Tools, Change{Where: key, Message: key + " is not used any more; it " + did(was.Risk)})
		default:
			r.tool(key, *was, *is)
		}
		if is != nil && is.Risk != catalog.ReadOnly && (was == nil || was.Risk == catalog.ReadOnly) {
			if acts(before.Tools) {
				r.Tools = append(r.Tools, Change{Where: key, Message: "consent covers " + key + " now as well"})
			} else {
				r.reason(Breaks, "tools", key, "%s acts, and nothing acted before: the workflow needs consent now", key)
			}
		}
	}
}

func (r *Report) tool(key string, was, is Tool) {
	if was.Risk != is.Risk {
		r.Tools = append(r.Tools, Change{Where: key, Message: key + " " + does(is.Risk) + " now, and " + did(was.Risk) + " before"})
	}
	for _, c := range catalog.Diff(was.Tool, is.Tool) {
		r.Tools = append(r.Tools, Change{Where: key, Pointer: c.Pointer, Message: key + ": " + c.String(), Before: c.Before, Now: c.Now})
	}
}

func does(r catalog.Risk) string {
	if r == catalog.ReadOnly {
		return "only reads"
	}
	return "acts"
}

func did(r catalog.Risk) string {
	if r == catalog.ReadOnly {
		return "only read"
	}
	return "acted"
}

func find(list []Tool, t Tool) *Tool {
	if i := slices.IndexFunc(list, func(x Tool) bool { return x.Key() == t.Key() }); i >= 0 {
		return &list[i]
	}
	return nil
}

func union(a, b []Tool) []Tool {
	all := slices.Clone(a)
	for _, t := range b {
		if find(a, t) == nil {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(x, y Tool) int { return cmp.Or(cmp.Compare(x.Connector, y.Connector), cmp.Compare(x.Name, y.Name)) })
	return all
}

// limits compares what a run may use. Whether a run of before needed more than is left is not known.
func (r *Report) limits(before, now Side) {
	if before.NoLimits || now.NoLimits {
		return
	}
	a, b := reflect.ValueOf(before.Limits), reflect.ValueOf(now.Limits)
	defaults := reflect.ValueOf(runtime.Defaults())
	for i := range a.NumField() {
		name := a.Type().Field(i).Tag.Get("json")
		was, is := a.Field(i), b.Field(i)
		if was.Equal(is) {
			continue
		}
		x, y := was.Int(), is.Int()
		if x == 0 {
			x = defaults.Field(i).Int()
		}
		if y == 0 {
			y = defaults.Field(i).Int()
		}
		r.Limits = append(r.Limits, Change{Where: name, Message: fmt.Sprintf("limit %s is %s, and was %s", name, amount(is, y), amount(was, x))})
		if y < x {
			r.reason(Unknown, "limits", name, "limit %s is lower: a run that needed more than %s ends with an error now", name, amount(is, y))
		}
	}
}

func amount(field reflect.Value, n int64) string {
	text := fmt.Sprint(n)
	if field.Type() == reflect.TypeFor[time.Duration]() {
		text = time.Duration(n).String()
	}
	if field.IsZero() {
		text += " (the default)"
	}
	return text
}

// inputs proves that what was accepted is accepted.
func (r *Report) inputs(before, now json.RawMessage) {
	a, b, err := both(before, now)
	if err != nil {
		r.reason(Unknown, "inputs", "", "%v", err)
		return
	}
	accepts := func(raw json.RawMessage) (func(*ordered.Value) bool, error) {
		v, err := schema.Compile(raw)
		return func(x *ordered.Value) bool {
			return err == nil && x.Is(ordered.Object) && len(v.Validate(v.Defaults(x.JSON()))) == 0
		}, err
	}
	was, errWas := accepts(before)
	is, errIs := accepts(now)
	if err := cmp.Or(errWas, errIs); err != nil {
		r.reason(Unknown, "inputs", "", "%v", err)
		return
	}
	p := newProver(a, b, false)
	root := of(a, a.Root, only[isObject])
	for _, f := range p.inputs(root) {
		r.found(p, "inputs", f, root, func(v *ordered.Value) bool { return was(v) && !is(v) })
	}
}

// outputs proves that what is allowed now was allowed before.
func (r *Report) outputs(before, now json.RawMessage) {
	switch {
	case absent(before):
		return
	case absent(now):
		r.reason(Breaks, "outputs", "", "the output is not declared any more")
		return
	}
	a, b, err := both(now, before)
	if err != nil {
		r.reason(Unknown, "outputs", "", "%v", err)
		return
	}
	is, errIs := schema.Compile(now)
	was, errWas := schema.Compile(before)
	if err := cmp.Or(errWas, errIs); err != nil {
		r.reason(Unknown, "outputs", "", "%v", err)
		return
	}
	p := newProver(a, b, true)
	root := of(a, a.Root)
	for _, f := range p.prove(root, b.Root, nil) {
		r.found(p, "outputs", f, root, func(v *ordered.Value) bool { return len(is.ValidateValue(v)) == 0 && len(was.ValidateValue(v)) != 0 })
	}
}

func both(a, b json.RawMessage) (x, y *document, err error) {
	if x, err = read(a); err == nil {
		y, err = read(b)
	}
	return x, y, err
}

// found makes a reason of a finding: callers break if an example shows it.
func (r *Report) found(p *prover, part string, f finding, root facts, shows func(*ordered.Value) bool) {
	reason := Reason{Verdict: Unknown, Part: part, Where: strings.Join(f.path, "."), Message: f.sentence(part)}
	if f.certain {
		reason.Verdict = Breaks
	} else if r.examples++; r.examples > mostExamples {
		reason.Message += " (no example was looked for)"
	} else if v := p.example(f, root, shows); v != nil {
		reason.Verdict, reason.Example = Breaks, v.JSON()
	}
	r.Reasons = append(r.Reasons, reason)
}

// sentence is a finding in words: input `limit` has to be at most 10 now.
func (f finding) sentence(part string) string {
	noun := strings.TrimSuffix(part, "s")
	if len(f.path) == 0 {
		return "the " + noun + " " + f.text
	}
	last, parent := f.path[len(f.path)-1], strings.Join(f.path[:len(f.path)-1], ".")
	if last != anyKey {
		return fmt.Sprintf("%s %s %s", noun, code(strings.ReplaceAll(strings.Join(f.path, "."), "."+anyItem, anyItem), 200), f.text)
	}
	text := f.text
	if f.keyword != "additionalProperties" {
		text = "under keys that are not declared: " + text
	} else {
		text = "keys that are not declared " + text
	}
	if parent == "" {
		return noun + "s: " + text
	}
	return fmt.Sprintf("%s %s: %s", noun, code(parent, 200), text)
}
