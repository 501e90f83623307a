package recorder

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/content"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// Recording is a case that is not written yet.
type Recording struct {
	Case  *project.Case
	Steps int
	Run   *engine.Run // that it was made of; nil: one of the journal
	Notes []string    // what its reader should know
}

// Options say what to rehearse.
type Options struct {
	Case    string
	Inputs  json.RawMessage
	Again   *project.Case // the case that is recorded anew, with its inputs; nil: Inputs are given
	Seed    uint64        // 0: that of a case that names none
	At      time.Time     // zero: likewise
	Observe func(engine.Event)
}

// Live rehearses a workflow of a project, as its folder has it, on the real servers, without acting. A run that cannot become a case is in the recording,
// without one; an error is not the run's doing.
func Live(ctx context.Context, e *engine.Engine, p *project.Project, w *project.Workflow, o Options) (*Recording, error) {
	if err := checkCase(o.Case); err != nil {
		return nil, err
	}
	if o.Again != nil {
		if bytes.Contains(o.Again.Inputs, []byte(store.Redacted)) {
			return nil, fault.New("not-recordable", "the inputs of the case %s contained the value of a secret, which it does not keep", o.Case).
				WithHint("give the inputs again with --input or --inputs")
		}
		o.Inputs, o.Seed = here(o.Again.Inputs, places(e.Command, o.Again.Connectors())), cmp.Or(o.Seed, o.Again.Seed)
		if o.At.IsZero() {
			o.At = o.Again.At
		}
	}
	if o.Seed == 0 {
		o.Seed = project.DefaultSeed
	}
	if o.At.IsZero() {
		o.At = project.DefaultAt()
	}
	b := newBuilder(p, w, o.Case)
	if err := b.know(e); err != nil {
		return nil, err
	}
	run, err := e.Run(ctx, engine.Request{
		Source: &engine.Workflow{Name: w.Name, Description: w.Description, Code: w.Code, Inputs: w.Inputs, Outputs: w.Outputs},
		Inputs: o.Inputs, Mode: store.Dry, Seed: &o.Seed, At: o.At, Limits: w.Limits,
		Observe: func(ev engine.Event) {
			b.event(ev)
			if o.Observe != nil {
				o.Observe(ev)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	rec := &Recording{Run: run, Steps: len(b.steps)}
	b.c.Seed, b.c.At = o.Seed, o.At
	if b.c.Inputs, err = withDefaults(w.Inputs, o.Inputs); err != nil {
		return rec, nil //nolint:nilerr // a schema that cannot be read is among the run's problems
	}
	b.redact(e.Redact(b.c.Inputs))
	end := ending{ok: run.OK, output: run.Output, message: run.Error}
	if run.Fault != nil {
		end.code = run.Fault.Code
	}
	if run.Detail != nil {
		end.detail = *run.Detail
	}
	if !end.recordable() {
		return rec, nil
	}
	if !readsClock.MatchString(w.Code) { // how long the servers took this time means nothing, and would be another number the next time
		for i := range b.steps {
			b.steps[i].Elapsed = 0
		}
	}
	if err := b.finish(end); err != nil {
		return nil, err
	}
	rec.Case, rec.Notes = b.c, b.notes
	return rec, nil
}

// readsClock finds the modules with which a workflow can tell how much time has passed.
var readsClock = regexp.MustCompile(`\b(time|datetime|uuid)\b`)

// Past makes a case of a run that is in the journal: its seed, its start and the time that each step took are kept, so that it comes to the same again.
// An empty name of the case is made of the run's id.
func Past(e *engine.Engine, p *project.Project, id, name string) (*Recording, error) {
	s := e.Store()
	run, err := s.Run(id)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = strings.ReplaceAll(run.ID, "_", "-")
	}
	if err := checkCase(name); err != nil {
		return nil, err
	}
	w, err := p.Workflow(run.Workflow)
	if err != nil {
		return nil, fault.Of(err).WithHint("runlace export %s puts it into a project", run.Workflow)
	}
	end, err := ended(run)
	if err != nil {
		return nil, err
	}
	version, err := s.VersionByID(run.VersionID)
	if err != nil {
		return nil, err
	}
	b := newBuilder(p, w, name)
	if err := b.know(e); err != nil {
		return nil, err
	}
	for _, pin := range version.Pins { // as the tools were then
		b.learn(pinned(pin), method(pin.Python))
	}
	b.c.Inputs, b.c.Seed, b.c.At = run.Inputs, run.Seed, run.StartedAt
	b.redacted = run.Redacted
	if err := s.Recorded(id, func(st store.Step) error {
		doubt := st.State == store.StepInDoubt && run.Status == store.InDoubt
		if !doubt && (!st.State.Final() || st.State == store.StepInDoubt) {
			return fault.New("not-recordable", "nobody knows what came of step %d of run %s", st.Seq, id)
		}
		arguments, err := without(st.Arguments, st.Key)
		if err != nil {
			return err
		}
		b.redacted = b.redacted || st.Redacted
		return b.add(step{
			Call:      project.Call{Tool: catalog.Key{Connector: st.Connector, Tool: st.Tool}, Arguments: arguments, Result: st.Result, Elapsed: st.Elapsed + st.Paused},
			simulated: st.Simulated, failure: st.Error, doubt: doubt, took: st.Elapsed,
		})
	}); err != nil {
		return nil, err
	}
	if err := b.finish(end); err != nil {
		return nil, err
	}
	switch end.detail.Code {
	case runtime.CodeCPULimit, runtime.CodeMemoryLimit:
		b.note("the run had come to a limit of its own: in a check, those of %s hold", w.Settings())
	}
	if version.Code != w.Code {
		b.note("the run was of version %s, whose code is not that of %s: the case may not pass", version.Version, w.Path())
	}
	return &Recording{Case: b.c, Steps: len(b.steps), Notes: b.notes}, nil
}

// ended is how a run of the journal ended, if a case can say so.
func ended(run store.Run) (ending, error) {
	end := ending{ok: run.Status == store.Completed, output: run.Output}
	if run.Status == store.InDoubt { // a check tells it in words of its own
		end.code = "in-doubt"
		return end, nil
	}
	if run.Status != store.Completed && run.Status != store.Failed {
		return end, fault.New("not-recordable", "run %s is %s, and a case is made of a run that has come to its end", run.ID, run.Status)
	}
	if run.Status == store.Failed {
		var f struct {
			Code, Message string
			Detail        runtime.Error
		}
		if err := json.Unmarshal(run.Error, &f); err != nil {
			return end, fmt.Errorf("recorder: error of run %s: %w", run.ID, err)
		}
		end.code, end.message, end.detail = f.Code, f.Message, f.Detail
		if !end.recordable() {
			return end, fault.New("not-recordable", "run %s did not fail by what the workflow does, but with %s", run.ID, f.Code)
		}
	}
	return end, nil
}

// pinned is a tool as a version was made with it.
func pinned(p store.Pin) catalog.Tool {
	t := catalog.Tool{Connector: p.Connector, Name: p.Tool, InputSchema: p.InputSchema, OutputSchema: p.OutputSchema, Observed: p.Observed, Digest: p.Digest}
	_ = json.Unmarshal(p.Annotations, &t.Annotations) // none are those of a tool that acts
	return t
}

// method is the method's name in how a version spells a tool.
func method(python string) string {
	_, name, _ := strings.Cut(python, ".")
	return name
}

// without are arguments without the key that the run has filled in, and the workflow has not.
func without(arguments json.RawMessage, key string) (json.RawMessage, error) {
	if key == "" {
		return arguments, nil
	}
	v, err := ordered.Parse(arguments)
	if err != nil {
		return nil, err
	}
	v.Members = slices.DeleteFunc(v.Members, func(m ordered.Member) bool { return m.Key == key })
	return v.JSON(), nil
}

func checkCase(name string) error {
	if err := home.CheckName(name); err != nil {
		return fault.New("bad-name", "%q cannot be the name of a case", name).WithHint("use lower-case letters, digits, - and _, as in week-12")
	}
	return nil
}

// withDefaults are inputs as the run gets them.
func withDefaults(inputsSchema, inputs json.RawMessage) (json.RawMessage, error) {
	if len(inputs) == 0 {
		inputs = json.RawMessage("{}")
	}
	if len(inputsSchema) == 0 {
		return inputs, nil
	}
	v, err := schema.Compile(inputsSchema)
	if err != nil {
		return nil, err
	}
	return v.Defaults(inputs), nil
}

// ending is how a run ended.
type ending struct {
	ok      bool
	output  json.RawMessage
	code    string
	message string
	detail  runtime.Error
}

// recordable tells whether the run would end like that again.
func (e ending) recordable() bool {
	switch e.detail.Code {
	case "":
		return e.ok || e.code == "invalid-output"
	case runtime.CodeTimeout, runtime.CodeCancelled:
		return false
	}
	return e.code != "internal"
}

// step is a step of the run.
type step struct {
	project.Call
	simulated bool
	doubt     bool // it was sent, and nobody knows what came of it: the run ended there
	failure   json.RawMessage
	took      time.Duration // Elapsed, also where the case does not say it
}

// unsent tells whether a step was answered before the tool was asked, as one with wrong arguments. What is asked takes time, and may answer anything.
func (s step) unsent() bool {
	var f struct{ Code string }
	_ = json.Unmarshal(s.failure, &f) // what has no code was sent
	return s.took == 0 && slices.Contains([]string{"invalid-arguments", content.CodeUnknownMedia, content.CodeTooLarge}, f.Code)
}

// builder makes a case of steps.
type builder struct {
	project  *project.Project
	c        *project.Case
	tools    map[catalog.Key]tool
	steps    []step
	redacted bool
	command  func(connector string) ([]string, string) // how a connector is started
	notes    []string
}

type tool struct {
	catalog.Tool
	python string
}

func newBuilder(p *project.Project, w *project.Workflow, name string) *builder {
	return &builder{
		project: p, tools: map[catalog.Key]tool{},
		c: &project.Case{Workflow: w.Name, Name: name, File: w.CaseFile(name), Probe: true, Seed: project.DefaultSeed, At: project.DefaultAt()},
	}
}

// warn is a note that stands in the case as well.
func (b *builder) warn(format string, args ...any) {
	b.note(format, args...)
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.c.Warnings, text) {
		b.c.Warnings = append(b.c.Warnings, text)
	}
}

func (b *builder) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.notes, text) {
		b.notes = append(b.notes, text)
	}
}

func (b *builder) redact(v json.RawMessage, changed bool) {
	b.c.Inputs, b.redacted = v, b.redacted || changed
}

func (b *builder) learn(t catalog.Tool, python string) { b.tools[t.Key()] = tool{t, python} }

// know learns what the home knows of tools.
func (b *builder) know(e *engine.Engine) error {
	b.command = e.Command
	known, err := e.Catalogue()
	if err != nil {
		return err
	}
	for _, c := range known.Connectors {
		for _, t := range c.Tools {
			b.learn(t, c.Stubs.Tool(t.Name).Python)
		}
	}
	return nil
}

// event takes down what a rehearsal does.
func (b *builder) event(e engine.Event) {
	b.redacted = b.redacted || e.Redacted
	switch e.Kind {
	case "step":
		b.steps = append(b.steps, step{Call: project.Call{Tool: catalog.Key{Connector: e.Connector, Tool: e.Tool}, Arguments: e.Arguments}, simulated: e.Simulated})
	case "stepped":
		s := &b.steps[len(b.steps)-1]
		s.Result, s.Elapsed, s.took, s.failure = e.Result, e.Elapsed, e.Elapsed, e.Failure
	}
}

func (b *builder) add(s step) error {
	b.steps = append(b.steps, s)
	return nil
}

// finish makes the case of the steps and the end.
func (b *builder) finish(end ending) error {
	for i, s := range b.steps {
		if err := b.step(i+1, s); err != nil {
			return err
		}
	}
	if end.ok {
		b.c.Output = end.output
	} else {
		b.c.Failure, b.c.Line = &hostfuncs.Error{Code: end.code, Message: end.message}, end.detail.Line
		if strings.Contains(end.message, store.Redacted) {
			b.c.Failure.Message = ""
		}
	}
	if b.redacted {
		b.warn("a secret was taken out, and %s stands in its place: if the workflow looks at it, the case does not pass", store.Redacted)
	}
	b.move()
	return nil
}

// move makes the case one that can be read on other machines.
func (b *builder) move() {
	var connectors []string
	for _, s := range b.steps {
		if !slices.Contains(connectors, s.Tool.Connector) {
			connectors = append(connectors, s.Tool.Connector)
		}
		if bytes.Contains(s.Result, []byte(content.Prefix)) {
			b.warn("an answer has media, of which a case has the handle and not the bytes: ctx.media returns the text media for it in a check")
		}
	}
	for _, p := range elsewhere(b.c, places(b.command, connectors)) {
		b.note("the folder %s is called %s in the case: if the workflow looks at that, and does not just pass it on, the case may not pass", p.here, p.there)
	}
	if home, err := os.UserHomeDir(); err == nil && lives(b.c, home) {
		b.warn("there are paths of the machine in it on which it was recorded")
	}
}

func (b *builder) step(number int, s step) error {
	if s.unsent() {
		return nil // a check answers it likewise
	}
	if s.doubt {
		s.Result, s.failure, s.Elapsed = nil, nil, 0
		b.c.Fails = append(b.c.Fails, project.Fail{Step: number, Timeout: true})
	}
	if len(s.failure) > 0 {
		s.Result, s.Err = nil, &hostfuncs.Error{}
		if err := json.Unmarshal(s.failure, s.Err); err != nil {
			return errors.Join(errors.New("recorder: the error of a step"), err)
		}
		s.Err.Tool = "" // which is that of the call
	}
	t := b.tools[s.Tool]
	if locked := b.project.Lock.Find(s.Tool.Connector); locked == nil || !slices.ContainsFunc(locked.Tools, func(l catalog.Tool) bool { return l.Name == s.Tool.Tool }) {
		b.note("runlace.lock has no %s yet: run runlace lock", s.Tool)
	} else if i := slices.IndexFunc(locked.Tools, func(l catalog.Tool) bool { return l.Name == s.Tool.Tool }); locked.Tools[i].Digest != t.Digest {
		b.note("%s is not as runlace.lock has it: run runlace lock", s.Tool)
	}
	act := b.project.Policy.Risk(s.Tool.Connector, s.Tool.Tool, t.python, catalog.RiskOf(t.Annotations)) != catalog.ReadOnly
	switch {
	case !act && s.simulated:
		return fault.New("not-recordable", "%s only reads, as the project has it, and the home's policy says that it acts, so that it was not asked", s.Tool).
			WithHint("give policy in runlace.yaml and policy.yaml of the home the same word on it")
	case !act:
		b.c.Answers = append(b.c.Answers, s.Call)
	default:
		if s.simulated && sameStandIn(t.Tool, s.Result) {
			s.Result = nil // a check makes the same
		}
		b.c.Acts = append(b.c.Acts, s.Call)
	}
	return nil
}

// sameStandIn tells whether a tool's stand-in, made of the schema that a lock has, is a value.
func sameStandIn(t catalog.Tool, value json.RawMessage) bool {
	var l project.Locked
	l.Add(t, "")
	x := stubs.Build(t.Connector, l.Tools).Tool(t.Name)
	a, err := ordered.Parse(x.StandIn())
	if err != nil {
		return false
	}
	v, err := ordered.Parse(value)
	return err == nil && a.Equal(v)
}
