package library

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/words"
)

// Replayed is a replay as a person and an agent get it.
type Replayed struct {
	OK bool `json:"ok"` // identical
	*engine.Replay
	Text   string       `json:"line_text,omitempty"` // the workflow's line that the difference is on
	Places []Place      `json:"places,omitempty"`    // where both sides of the difference differ, the first few
	Code   string       `json:"code,omitempty"`
	Error  string       `json:"error,omitempty"`
	Hint   string       `json:"hint,omitempty"`
	Fault  *fault.Error `json:"-"` // the same as Code, Error and Hint; nil if OK
}

// Place is where two values differ.
type Place struct {
	At       string          `json:"at"`       // as in items[3].price; empty: the value itself
	Recorded json.RawMessage `json:"recorded"` // null also where it is missing
	Now      json.RawMessage `json:"now"`
}

// Replay executes a run once more, with the workflow of a file in the place of its own if there is one. What the file does not have, the schemas, is as in
// the version that ran.
func Replay(ctx context.Context, in given.In, e *engine.Engine, run, file string) (*Replayed, error) {
	r, err := e.Store().Run(run)
	if err != nil {
		return nil, err
	}
	v, err := e.Store().VersionByID(r.VersionID)
	if err != nil {
		return nil, err
	}
	code, with := v.Code, (*engine.Workflow)(nil)
	if file != "" {
		text, err := in.File(ctx, file)
		if err != nil {
			return nil, err
		}
		code = string(text)
		with = &engine.Workflow{Name: v.Name, Code: code, Inputs: v.Inputs, Outputs: v.Outputs}
	}
	replay, err := e.Replay(ctx, run, with)
	if err != nil {
		return nil, err
	}
	out := &Replayed{OK: replay.Identical, Replay: replay}
	switch d := replay.Difference; {
	case len(replay.Problems) > 0:
		out.fail(fault.New("does-not-compile", "the changed workflow does not compile: %s", words.Counted(len(replay.Problems), "problem")))
	case d != nil:
		lines := strings.Split(code, "\n")
		if d.Line > 0 && d.Line <= len(lines) {
			out.Text = strings.TrimSpace(lines[d.Line-1])
		}
		out.Places = places(d.Recorded, d.Now)
		out.fail(fault.New("replay-differs", "%s", d.Error()))
	}
	return out, nil
}

func (r *Replayed) fail(f *fault.Error) {
	r.Fault, r.Code, r.Error, r.Hint = f, f.Code, f.Message, f.Hint
}

// mostPlaces is how many places of a difference are named.
const mostPlaces = 5

// places compares two JSON values. Numbers are compared as they are written.
func places(recorded, now json.RawMessage) []Place {
	a, okA := decode(recorded)
	b, okB := decode(now)
	if !okA || !okB {
		return nil
	}
	var found []Place
	walk("", a, b, &found)
	if len(found) == 1 && found[0].At == "" {
		return nil // both sides are there already
	}
	return found
}

func decode(v json.RawMessage) (out any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	return out, d.Decode(&out) == nil
}

func walk(at string, a, b any, found *[]Place) {
	if len(*found) == mostPlaces {
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			keys := maps.Clone(x)
			maps.Copy(keys, y)
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				walk(strings.TrimPrefix(at+"."+k, "."), x[k], y[k], found)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				walk(fmt.Sprintf("%s[%d]", at, i), item(x, i), item(y, i), found)
			}
			return
		}
	}
	p := Place{At: at, Recorded: encode(a), Now: encode(b)}
	if !bytes.Equal(p.Recorded, p.Now) {
		*found = append(*found, p)
	}
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was decoded from JSON
	return bytes.TrimSpace(b.Bytes())
}
