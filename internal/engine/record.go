package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/store"
)

// record is what the journal has of a run that is executed once more: to be continued, or to be proved.
type record struct {
	step   func(seq int) (store.Step, bool, error)
	replay bool // nothing is sent when the record ends
	again  int  // the step that was begun and has to be sent once more; 0: none
	unsure bool // it may have happened already
}

// errRecordEnds ends a replay where its record does, as that of a run whose process has died.
var errRecordEnds = errors.New("engine: the record ends here")

// Difference is where a run, executed once more, is not what the journal says.
type Difference struct {
	What     string          `json:"what"` // DiffCall, DiffArguments …
	Seq      int             `json:"seq,omitempty"`
	Line     int             `json:"line,omitempty"` // of the workflow that makes the call now
	Recorded json.RawMessage `json:"recorded"`
	Now      json.RawMessage `json:"now"`
}

// Values of Difference.What.
const (
	DiffCall      = "call"      // another tool
	DiffArguments = "arguments" // the same tool with other arguments
	DiffClock     = "clock"     // the same call at another time
	DiffExtra     = "extra"     // a call that was not made then
	DiffMissing   = "missing"   // a call that is not made now
	DiffOutcome   = "outcome"   // completed or failed, and how
	DiffOutput    = "output"
	DiffLog       = "log"
	DiffFuel      = "fuel"
	DiffMemory    = "memory"
)

func (d *Difference) Error() string {
	if d.Seq > 0 {
		return fmt.Sprintf("step %d differs in its %s: it was %s, and is %s", d.Seq, d.What, short(d.Recorded), short(d.Now))
	}
	return fmt.Sprintf("the %s differs: it was %s, and is %s", d.What, short(d.Recorded), short(d.Now))
}

// short is a value in a message.
func short(v json.RawMessage) string {
	if len(v) == 0 {
		return "nothing"
	}
	return oneLine(string(v), 200)
}

// recorded answers a call from the record. answered is false when the record is over and the call is to be sent; n has the arguments then as they
// would have been recorded.
func (d *dispatcher) recorded(t *target, n *store.NewStep, c hostfuncs.Call) (a hostfuncs.Answer, answered bool, err error) {
	was, found, err := d.record.step(n.Seq)
	if err != nil {
		return a, false, err
	}
	if !found {
		if d.record.replay {
			return a, false, &Difference{What: DiffExtra, Seq: n.Seq, Line: c.Line(), Now: callJSON(n.Connector, n.Tool, n.Arguments)}
		}
		d.fillKey(t, n)
		return a, false, nil
	}
	if was.Key != "" {
		n.Arguments, n.Key = withKey(n.Arguments, was.Key, was.Run, n.Seq)
	}
	if diff := d.differs(was, *n); diff != nil {
		diff.Line = c.Line()
		return a, false, diff
	}
	switch was.State {
	case store.StepIntent, store.StepInDoubt:
		if d.record.replay {
			return a, false, errRecordEnds
		}
		if was.State == store.StepInDoubt || was.Risk != store.ReadOnly && !was.Cleared {
			return a, false, errInDoubt // nobody takes up such a run; it is never sent in any case
		}
		d.record.again, d.record.unsure = n.Seq, was.Unsure
		return a, false, nil
	}
	a, err = d.fromRecord(t, *n, was)
	return a, true, err
}

// fromRecord answers a call with what the journal has of it.
func (d *dispatcher) fromRecord(t *target, n store.NewStep, was store.Step) (hostfuncs.Answer, error) {
	d.begin(n, was.Simulated)
	a, err := answerOf(t, was)
	d.end(store.Outcome{State: was.State, Elapsed: was.Elapsed, Warnings: was.Warnings}, a.Err)
	return a, err
}

// differs compares a call with the recorded one. Secrets are taken out of it first, as they were then.
func (d *dispatcher) differs(was store.Step, n store.NewStep) *Difference {
	arguments, _ := d.attempt.engine.secrets.JSON(n.Arguments)
	switch {
	case was.Connector != n.Connector || was.Tool != n.Tool:
		return &Difference{What: DiffCall, Seq: n.Seq, Recorded: callJSON(was.Connector, was.Tool, was.Arguments), Now: callJSON(n.Connector, n.Tool, arguments)}
	case !bytes.Equal(was.Arguments, arguments):
		return &Difference{What: DiffArguments, Seq: n.Seq, Recorded: was.Arguments, Now: arguments}
	case was.Clock != n.Clock:
		return &Difference{What: DiffClock, Seq: n.Seq, Recorded: quote(was.Clock.String()), Now: quote(n.Clock.String())}
	}
	return nil
}

func callJSON(connector, tool string, arguments json.RawMessage) json.RawMessage {
	b, err := json.Marshal(map[string]any{"connector": connector, "tool": tool, "arguments": arguments})
	if err != nil {
		return quote(connector + "." + tool)
	}
	return b
}

// answerOf is the answer that a recorded step had.
func answerOf(t *target, was store.Step) (hostfuncs.Answer, error) {
	a := hostfuncs.Answer{Elapsed: was.Elapsed + was.Paused}
	if was.State == store.StepOK {
		a.Value = t.method.ResultToPython(was.Result)
		return a, nil
	}
	a.Err = &hostfuncs.Error{}
	if err := json.Unmarshal(was.Error, a.Err); err != nil {
		return a, fmt.Errorf("engine: error of step %d of run %s: %w", was.Seq, was.Run, err)
	}
	return a, nil
}
