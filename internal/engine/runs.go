package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
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
		Duration: s.Duration, DurationMS: s.Duration.Milliseconds(),
	}
	if len(r.Output) == 0 {
		r.Output = json.RawMessage("null")
	}
	for _, st := range steps {
		step := stepOf(st)
		step.Error = brief(step.Error)
		r.Steps = append(r.Steps, step)
		if st.Simulated {
			r.Simulated = append(r.Simulated, ToolUse{Connector: st.Connector, Tool: st.Tool, Risk: st.Risk})
		}
	}
	if r.Approval, err = e.approvalOf(id); err != nil {
		return nil, err
	}
	return r, e.why(r, s)
}

// why tells why a run is not OK.
func (e *Engine) why(r *Run, s store.Run) error {
	if s.Status == store.Completed {
		return nil // an error from before it was resumed does not matter any more
	}
	if len(s.Error) > 0 {
		var f failure
		if err := json.Unmarshal(s.Error, &f); err != nil {
			return fmt.Errorf("engine: error of run %s: %w", s.ID, err)
		}
		r.Fault = fault.New(f.Code, "%s", f.Message)
		if f.Hint != "" {
			r.Fault.Hint = f.Hint
		}
		r.Detail, r.Errors, r.Drift, r.SideEffects = f.Detail, f.Errors, f.Drift, f.SideEffects
	}
	switch s.Status {
	case store.AwaitingApproval:
		r.Fault = awaiting(s.ID)
		if broken := e.brokenPolicy(); broken != "" {
			r.Fault.Message += ", as every act does while policy.yaml is broken: " + broken
		}
		if r.Approval != nil {
			r.SideEffects = usesOf(r.Approval.Acts)
		}
	case store.Queued, store.Running:
		r.Fault = nil
		r.Hint = "it is not over: ask again with get_run, or runlace runs show " + s.ID + " --follow"
	case store.InDoubt:
		if r.Fault == nil { // its process has died before it could say why
			r.Fault = fault.New("in-doubt", "the process that ran it has ended while an act was on its way, and nobody knows whether it happened")
		}
	case store.Interrupted:
		if r.Fault == nil || r.Fault.Code == "in-doubt" {
			r.Fault = fault.New("interrupted", "the process that ran it has ended before the run did")
		}
	}
	if r.Fault != nil {
		if s.Status == store.InDoubt || s.Status == store.Interrupted {
			r.Fault = r.Fault.WithHint("%s", strings.ReplaceAll(r.Fault.Hint, " RUN", " "+s.ID))
		}
		r.Code, r.Error, r.Hint = r.Fault.Code, r.Fault.Message, r.Fault.Hint
	}
	return nil
}

func stepOf(s store.Step) Step {
	return Step{
		ID: s.ID, Seq: s.Seq, Connector: s.Connector, Tool: s.Tool, Risk: s.Risk, State: s.State, Simulated: s.Simulated,
		DurationMS: s.Elapsed.Milliseconds(), Warnings: s.Warnings, Error: s.Error,
	}
}

// brief is a step's error without its data, which may be all that a tool has answered: the step itself shows it.
func brief(failure json.RawMessage) json.RawMessage {
	var e hostfuncs.Error
	if len(failure) == 0 || json.Unmarshal(failure, &e) != nil {
		return failure
	}
	return errorJSON(&hostfuncs.Error{Code: e.Code, Message: e.Message})
}

// What GetStep shows of a step.
const (
	wholeArguments = 2000 // characters of arguments, or of an error, that are shown whole
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
	if utf8.RuneCount(s.Error) > wholeArguments {
		d.Error = d.trim("error", s.Error)
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
