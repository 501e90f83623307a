package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// GetRun reads a run from the journal.
func (e *Engine) GetRun(id string) (*Run, error) {
	s, err := e.store.Run(id)
	if err != nil {
		return nil, err
	}
	steps, err := e.store.Steps(s.ID)
	if err != nil {
		return nil, err
	}
	r := &Run{
		ID: s.ID, WorkflowID: s.WorkflowID, Name: s.Workflow, Version: s.Version, OK: s.Status == store.Completed, Status: s.Status,
		Mode: s.Mode, DryRun: s.Mode == store.Dry, Output: s.Output, Steps: []Step{}, Log: s.Log, Fuel: s.Fuel, Seed: s.Seed, StartedAt: s.StartedAt, Inputs: s.Inputs, Guest: s.Guest,
	}
	if len(r.Output) == 0 {
		r.Output = json.RawMessage("null")
	}
	if !s.FinishedAt.IsZero() {
		r.Duration = s.FinishedAt.Sub(s.CreatedAt)
		r.DurationMS = r.Duration.Milliseconds()
	}
	if len(s.Error) > 0 {
		var f struct {
			Code, Message string
			Detail        *runtime.Error
			Errors        []schema.FieldError
			Drift         []Drift
			SideEffects   []ToolUse `json:"side_effects"`
		}
		if err := json.Unmarshal(s.Error, &f); err != nil {
			return nil, fmt.Errorf("engine: error of run %s: %w", id, err)
		}
		r.Fault = fault.New(f.Code, "%s", f.Message)
		r.Code, r.Error, r.Hint = r.Fault.Code, r.Fault.Message, r.Fault.Hint
		r.Detail, r.Errors, r.Drift, r.SideEffects = f.Detail, f.Errors, f.Drift, f.SideEffects
	}
	if r.Fault == nil { // its process has died before it could say why
		switch s.Status {
		case store.InDoubt:
			r.Fault = fault.New("in-doubt", "the process that ran it has ended while an act was on its way, and nobody knows whether it happened")
		case store.Interrupted:
			r.Fault = fault.New("interrupted", "the process that ran it has ended before the run did")
		}
		if r.Fault != nil {
			r.Code, r.Error, r.Hint = r.Fault.Code, r.Fault.Message, r.Fault.Hint
		}
	}
	for _, st := range steps {
		r.Steps = append(r.Steps, stepOf(st))
		if st.Simulated {
			r.Simulated = append(r.Simulated, ToolUse{Connector: st.Connector, Tool: st.Tool, Risk: st.Risk})
		}
	}
	return r, nil
}

func stepOf(s store.Step) Step {
	return Step{
		Seq: s.Seq, Connector: s.Connector, Tool: s.Tool, Risk: s.Risk, State: s.State, Simulated: s.Simulated,
		DurationMS: s.Elapsed.Milliseconds(), Error: s.Error,
	}
}

// What GetStep shows of a step.
const (
	wholeArguments = 2000 // characters of arguments that are shown whole
	shownItems     = 2    // of a list
	shownChars     = 300  // of a string
)

// GetStep reads a step from the journal, with its arguments and result cut to what a reader needs to see their form.
func (e *Engine) GetStep(run string, seq int) (*StepDetail, error) {
	s, err := e.store.Step(run, seq)
	if err != nil {
		return nil, err
	}
	d := &StepDetail{RunID: run, Step: stepOf(s), ResultChars: utf8.RuneCount(s.Result), Trimmed: []string{}}
	d.Arguments, d.Result = s.Arguments, s.Result
	if utf8.RuneCount(s.Arguments) > wholeArguments {
		d.Arguments = d.trim("payload", s.Arguments)
	}
	if len(s.Result) > 0 {
		d.Result = d.trim("result", s.Result)
	} else {
		d.Result = json.RawMessage("null")
	}
	return d, nil
}

// trim cuts lists and strings at every depth, and notes what it cut.
func (d *StepDetail) trim(where string, value json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var out bytes.Buffer
	if err := d.trimNext(dec, &out, where, false); err != nil {
		return value // it was stored as JSON, so that this does not happen
	}
	return out.Bytes()
}

// trimNext copies the next value. With skip it is read and left out.
func (d *StepDetail) trimNext(dec *json.Decoder, out *bytes.Buffer, where string, skip bool) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	w := func(s string) {
		if !skip {
			out.WriteString(s)
		}
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			w("{")
			for n := 0; dec.More(); n++ {
				k, err := dec.Token()
				if err != nil {
					return err
				}
				key, _ := k.(string)
				if n > 0 {
					w(",")
				}
				w(string(quote(key)) + ":")
				if err := d.trimNext(dec, out, where+"."+key, skip); err != nil {
					return err
				}
			}
			w("}")
		} else {
			w("[")
			n := 0
			for ; dec.More(); n++ {
				over := skip || n >= shownItems
				if n > 0 && !over {
					w(",")
				}
				if err := d.trimNext(dec, out, fmt.Sprintf("%s[%d]", where, n), over); err != nil {
					return err
				}
			}
			w("]")
			if n > shownItems && !skip {
				d.Trimmed = append(d.Trimmed, fmt.Sprintf("%s: kept %d of %d items", where, shownItems, n))
			}
		}
		_, err := dec.Token()
		if err == io.EOF {
			err = nil
		}
		return err
	case string:
		if n := utf8.RuneCountInString(t); n > shownChars && !skip {
			d.Trimmed = append(d.Trimmed, fmt.Sprintf("%s: kept %d of %d characters", where, shownChars, n))
			t = string([]rune(t)[:shownChars])
		}
		w(string(quote(t)))
	case json.Number:
		w(t.String())
	case bool:
		w(fmt.Sprint(t))
	case nil:
		w("null")
	}
	return nil
}

// oneLine collapses white space and cuts the text to n characters.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return text
}
