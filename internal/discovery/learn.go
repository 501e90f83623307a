package discovery

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/observed"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/words"
)

// Learning says how to learn.
type Learning struct {
	Only   bool // show, and store nothing
	Forget bool // give up what was learned
}

// Lesson is what was learned of one tool.
type Lesson struct {
	Connector string          `json:"connector"`
	Tool      string          `json:"tool"`
	State     string          `json:"state"`             // new, changed, same, forgotten or skipped
	Reason    string          `json:"reason,omitempty"`  // why it was skipped
	Samples   int             `json:"samples"`           // results that were looked at
	Runs      int             `json:"runs"`              // that they are from
	Schema    json.RawMessage `json:"schema,omitempty"`  // of the results
	Before    json.RawMessage `json:"before,omitempty"`  // what was adopted until then, if it is another
	Notes     []string        `json:"notes"`             // what was not looked at, and what to mind
	Returns   string          `json:"returns,omitempty"` // the signature's line in the stub
}

// States of a Lesson.
const (
	LessonNew       = "new"
	LessonChanged   = "changed"
	LessonSame      = "same"
	LessonForgotten = "forgotten"
	LessonSkipped   = "skipped"
)

// Learned is what was learned.
type Learned struct {
	Tools  []Lesson `json:"tools"`  // by connector and name
	Stored bool     `json:"stored"` // what is new or changed is in the store and in the stubs now
}

// few is a number of results from which little can be said.
const few = 3

// Learn makes schemas of the results that the journal has of tools whose servers do not say what they return, and adopts them: for CONNECTOR,
// all its tools, or CONNECTOR.TOOL. They type the results in the stubs, which mark them as observed. They are no part of a tool's digest,
// and nothing is refused by them.
func Learn(o Options, what string, l Learning) (*Learned, error) {
	connector, tool, err := find(o, what)
	if err != nil {
		return nil, err
	}
	out := &Learned{Tools: []Lesson{}}
	if l.Forget {
		return out, out.forget(o, connector, tool, l.Only)
	}
	adopted, err := o.Store.Observed(connector)
	if err != nil {
		return nil, err
	}
	tools, err := o.Store.Tools(connector)
	if err != nil {
		return nil, err
	}
	var save []store.Observed
	for _, t := range tools {
		if tool != "" && t.Name != tool {
			continue
		}
		x, err := lesson(o.Store, t, adopted)
		if err != nil {
			return nil, err
		}
		if x.State == LessonNew || x.State == LessonChanged {
			save = append(save, store.Observed{Connector: connector, Tool: t.Name, Schema: x.Schema, Samples: x.Samples, Runs: x.Runs})
		}
		out.Tools = append(out.Tools, x)
	}
	if !slices.ContainsFunc(out.Tools, func(x Lesson) bool { return x.State != LessonSkipped }) {
		e := fault.New("nothing-to-learn", "there is nothing to learn about the results of %s", what)
		if tool != "" {
			e = fault.New("nothing-to-learn", "%s: %s", what, out.Tools[0].Reason)
			if slices.ContainsFunc(tools, func(t store.Tool) bool { return t.Name == tool && declared(t.OutputSchema) }) {
				e = e.WithHint("there is nothing to do: workflows have its type as the server gives it")
			}
		}
		return nil, e
	}
	if l.Only || len(save) == 0 {
		return out, nil
	}
	if err := o.Store.SaveObserved(save); err != nil {
		return nil, err
	}
	out.Stored = true
	return out, out.write(o)
}

// lesson learns about one tool.
func lesson(s *store.Store, t store.Tool, adopted []store.Observed) (Lesson, error) {
	x := Lesson{Connector: t.Connector, Tool: t.Name, State: LessonSkipped, Notes: []string{}}
	if declared(t.OutputSchema) {
		x.Reason = "its server says what it returns"
		return x, nil
	}
	var shape observed.Shape
	runs := map[string]bool{}
	var results []json.RawMessage
	err := s.Samples(t.Connector, t.Name, observed.MostSamples, func(p store.Sample) error {
		runs[p.Run] = true
		results = append(results, p.Result)
		return nil
	})
	if err != nil {
		return x, err
	}
	slices.Reverse(results) // the oldest first, so that keys stay in their order when there are more results
	for _, r := range results {
		shape.Add(r)
	}
	x.Samples, x.Runs = len(results), len(runs)
	if shape.Seen() == 0 {
		x.Reason = "no run in the journal has a result of it"
		if x.Samples > 0 {
			_, x.Notes = shape.Schema()
			x.Reason = "none of its results could be looked at"
		}
		return x, nil
	}
	schema, notes := shape.Schema()
	x.Schema, x.State = schema, LessonNew
	if x.Notes = append(x.Notes, notes...); x.Samples < few {
		x.Notes = append(x.Notes, fmt.Sprintf("%s is not much to learn from: what it has only sometimes may look as if it always had it", words.Counted(x.Samples, "result")))
	}
	if x.Samples == observed.MostSamples {
		x.Notes = append(x.Notes, fmt.Sprintf("only the last %d results were looked at", observed.MostSamples))
	}
	for _, o := range adopted {
		if o.Tool != t.Name {
			continue
		}
		if x.State = LessonSame; string(o.Schema) != string(schema) {
			x.State, x.Before = LessonChanged, o.Schema
		}
	}
	return x, nil
}

// declared reports whether a server says anything about what a tool returns.
func declared(schema json.RawMessage) bool {
	s := strings.Join(strings.Fields(string(schema)), "")
	return s != "" && s != "null" && s != "{}"
}

func (out *Learned) forget(o Options, connector, tool string, only bool) error {
	adopted, err := o.Store.Observed(connector)
	if err != nil {
		return err
	}
	for _, x := range adopted {
		if tool == "" || x.Tool == tool {
			out.Tools = append(out.Tools, Lesson{Connector: connector, Tool: x.Tool, State: LessonForgotten, Samples: x.Samples, Runs: x.Runs, Schema: x.Schema, Notes: []string{}})
		}
	}
	if len(out.Tools) == 0 {
		return fault.New("nothing-to-learn", "nothing was learned about the results of %s, so that there is nothing to forget", join(connector, tool)).
			WithHint("there is nothing to do")
	}
	if only {
		return nil
	}
	if _, err := o.Store.ForgetObserved(connector, tool); err != nil {
		return err
	}
	out.Stored = true
	_, err = WriteStubs(o.Home, o.Store)
	return err
}

// write writes the stubs, and takes from them what the tools are said to return.
func (out *Learned) write(o Options) error {
	all, err := WriteStubs(o.Home, o.Store)
	for _, c := range all {
		for i := range out.Tools {
			x := &out.Tools[i]
			if m := c.Tool(x.Tool); c.Name == x.Connector && m != nil {
				x.Returns = returns(c.Stub(x.Tool), m.Python)
			}
		}
	}
	return err
}

// returns is what stands after the arrow of a method's signature.
func returns(stub, method string) string {
	_, text, _ := strings.Cut(stub, "    def "+method+"(")
	_, text, _ = strings.Cut(text, ") -> ")
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "  #")
	return strings.TrimSuffix(strings.TrimSuffix(text, " ..."), ":")
}

func join(connector, tool string) string {
	if tool == "" {
		return connector
	}
	return connector + "." + tool
}

// find finds the connector, and the tool if one is named. Either may have dots in its name.
func find(o Options, what string) (connector, tool string, err error) {
	known, err := o.Store.Connectors()
	if err != nil {
		return "", "", err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(known, func(c store.Connector) bool { return c.Name == name })
	}
	if has(what) {
		return what, "", nil
	}
	for i, c := range what {
		if c != '.' || !has(what[:i]) {
			continue
		}
		connector, tool = what[:i], what[i+1:]
		tools, err := o.Store.Tools(connector)
		if err != nil {
			return "", "", err
		}
		if slices.ContainsFunc(tools, func(t store.Tool) bool { return t.Name == tool }) {
			return connector, tool, nil
		}
	}
	if connector != "" {
		return "", "", fault.New("unknown-tool", "%s has no tool %s", connector, tool).WithHint("runlace tools %s lists them", home.Quote(connector))
	}
	name, _, _ := strings.Cut(what, ".")
	if _, there := o.Config.Find(name); there {
		return "", "", fault.New("unknown-connector", "the server of %s has not been asked for its tools yet", name).WithHint("runlace sync %s", home.Quote(name))
	}
	return "", "", Unknown(o.Config, name, o.Home.Config())
}
