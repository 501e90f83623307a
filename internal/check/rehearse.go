package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/content"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/runtime"
)

// twist is how a run of a case departs from its recordings.
type twist struct {
	turned bool // the keys of all objects stand in the opposite order
	slower bool // tools take longer
	fails  []failing
}

// step is a call of a tool that a run has made.
type step struct {
	tool      catalog.Key
	act       bool
	arguments json.RawMessage // in wire spelling
	clock     time.Duration
	line      int
	failed    bool
}

func (s step) String() string { return s.tool.String() }

// run is what a run of a case came to.
type run struct {
	result  *runtime.Result
	steps   []step
	answers []bool       // which recordings were used
	fails   []bool       // which failures came to pass
	missing *step        // the call that has no recording, at which the run ended
	lost    bool         // the run ended with an act in doubt
	given   map[int]bool // which expected acts have given their results
}

// acts are the acts among the steps.
func (r *run) acts() (acts []step) {
	for _, s := range r.steps {
		if s.act {
			acts = append(acts, s)
		}
	}
	return acts
}

// done counts the acts that were done: not those that failed.
func (r *run) done() (n int) {
	for _, s := range r.acts() {
		if !s.failed {
			n++
		}
	}
	return n
}

var (
	errMissing = errors.New("check: there is no recording for a call")
	errLost    = errors.New("check: the answer of an act is lost")
)

// host answers the calls of one run from its case: reads from the recordings, acts as expected or with a stand-in.
type host struct {
	*run
	scenario *scenario
	twist    twist
	targets  map[string]*stubs.Method // by "attr.method"
	blobs    content.Blobs
	limits   runtime.Limits
}

// rehearse runs a program on a case.
func (k *kit) rehearse(ctx context.Context, p *runtime.Program, s *scenario, t twist) (*run, error) {
	r := &run{answers: make([]bool, len(s.Answers)), fails: make([]bool, len(t.fails)), given: map[int]bool{}}
	h := &host{run: r, scenario: s, twist: t, targets: k.targets, blobs: &content.Memory{}, limits: s.limits}
	inputs := s.Inputs
	if t.turned {
		inputs = turned(inputs)
	}
	result, err := k.engine.Run(ctx, p, runtime.Job{Inputs: inputs, Seed: s.Seed, At: s.At, Limits: s.limits, Host: h.answer})
	r.result = result
	if err != nil && !errors.Is(err, errMissing) && !errors.Is(err, errLost) {
		return nil, err
	}
	if err == nil && result.Err != nil && result.Err.Code == runtime.CodeCancelled {
		return nil, context.Canceled
	}
	return r, nil
}

// answer is the run's Host. A failure of a tool has the tool's name.
func (h *host) answer(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
	switch {
	case c.Media:
		data, failure := content.Read(c.Arguments, h.blobs)
		return hostfuncs.Answer{Bytes: data, Err: failure}, nil
	case c.IsModel():
		return failed("no-model-configured", "no model is configured for ctx.ai"), nil
	}
	m := h.targets[c.Connector+"."+c.Tool]
	if m == nil {
		return failed("unknown-tool", fmt.Sprintf("ctx.%s.%s is not in runlace.lock", c.Connector, c.Tool)), nil
	}
	a, err := h.call(m, c)
	if a.Err != nil {
		named := *a.Err
		named.Tool = m.Tool.Key().String()
		a.Err = &named
	}
	a.Value = m.ResultToPython(h.order(a.Value))
	if h.twist.slower {
		a.Elapsed = 3*a.Elapsed + 700*time.Millisecond
	}
	return a, err
}

// call answers one call of a tool, in wire spelling.
func (h *host) call(m *stubs.Method, c hostfuncs.Call) (hostfuncs.Answer, error) {
	wire, err := m.ArgumentsToWire(c.Arguments)
	if err != nil {
		return failed("invalid-arguments", err.Error()), nil
	}
	key := m.Tool.Key()
	s := step{tool: key, act: m.Tool.Risk != catalog.ReadOnly, arguments: wire, clock: c.Clock, line: c.Line()}
	sent, failure := content.Fill(wire, h)
	if failure == nil {
		if wrong := m.CheckArguments(sent); len(wrong) > 0 {
			failure = invalidArguments(c, wrong)
		}
	}
	if failure != nil { // not sent, and so no act
		s.act, s.failed = false, true
		h.steps = append(h.steps, s)
		return hostfuncs.Answer{Err: failure}, nil
	}
	number := len(h.steps) + 1
	if i := slices.IndexFunc(h.twist.fails, func(f failing) bool { return f.Step == number }); i >= 0 {
		h.fails[i] = true
		h.recording(s, m) // which is used up, as it would be
		f := h.twist.fails[i]
		s.failed = f.Err != nil || f.Timeout && !s.act
		h.steps = append(h.steps, s)
		return h.fail(f, m, s)
	}
	a, ok := h.recording(s, m)
	if !ok {
		h.missing = &s
		return a, errMissing
	}
	s.failed = a.Err != nil
	h.steps = append(h.steps, s)
	return a, nil
}

// recording finds the answer to a call: of a read the next recording with the same call that is not used, of an act what the case expects of it.
func (h *host) recording(s step, m *stubs.Method) (hostfuncs.Answer, bool) {
	same := func(c project.Call) bool { return c.Tool == s.tool && equal(c.Arguments, s.arguments) }
	if !s.act {
		for i, c := range h.scenario.Answers {
			if !h.answers[i] && same(c) {
				h.answers[i] = true
				return recorded(c), true
			}
		}
		for i, c := range h.scenario.Answers { // a slower run may ask with other times in its arguments
			if h.twist.slower && !h.answers[i] && c.Tool == s.tool {
				h.answers[i] = true
				return recorded(c), true
			}
		}
		return hostfuncs.Answer{}, false
	}
	for i, c := range h.scenario.Acts {
		if !h.given[i] && same(c) {
			h.given[i] = true
			if c.Result == nil && c.Err == nil {
				break
			}
			return recorded(c), true
		}
	}
	return hostfuncs.Answer{Value: m.StandIn()}, true
}

func recorded(c project.Call) hostfuncs.Answer {
	return hostfuncs.Answer{Value: c.Result, Err: c.Err, Elapsed: c.Elapsed}
}

// fail answers a step that is made to fail, as a run would see that failure.
func (h *host) fail(f failing, m *stubs.Method, s step) (hostfuncs.Answer, error) {
	switch {
	case f.lost, f.Timeout && s.act: // nobody knows whether it was done: the run ends in doubt
		h.lost = true
		return hostfuncs.Answer{}, errLost
	case f.Timeout:
		limit := h.limits.CallTimeout
		if limit == 0 {
			limit = runtime.Defaults().CallTimeout
		}
		a := failed(connector.CodeCallTimeout, fmt.Sprintf("%s did not answer within %s", s.tool, limit))
		a.Elapsed = limit
		return a, nil
	case f.Malformed:
		rule := content.Rule{Act: s.act}
		if len(m.Tool.OutputSchema) > 0 {
			rule.Check = m.CheckResult
		}
		u := content.Unwrap(connector.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"{malformed"}`)}}, rule, h.blobs)
		return hostfuncs.Answer{Value: u.Value, Err: u.Err}, nil
	case f.Err != nil:
		return hostfuncs.Answer{Err: f.Err}, nil
	}
	return hostfuncs.Answer{Value: f.Result}, nil
}

// order is a value as the run is given it.
func (h *host) order(v json.RawMessage) json.RawMessage {
	if h.twist.turned && v != nil {
		return turned(v)
	}
	return v
}

// Blob stands in for the bytes of media, which a case does not have: for those that an answer of the case has a handle of.
func (h *host) Blob(digest string) ([]byte, error) {
	for _, c := range slices.Concat(h.scenario.Answers, h.scenario.Acts) {
		if bytes.Contains(c.Result, []byte(digest)) {
			return []byte("media"), nil
		}
	}
	return h.blobs.Blob(digest)
}

// PutBlob is never called: what a case answers has handles already.
func (h *host) PutBlob(data []byte) (string, error) { return h.blobs.PutBlob(data) }

func failed(code, message string) hostfuncs.Answer {
	return hostfuncs.Answer{Err: &hostfuncs.Error{Code: code, Message: message}}
}

func invalidArguments(c hostfuncs.Call, wrong []schema.FieldError) *hostfuncs.Error {
	data, _ := json.Marshal(wrong) // texts can always be written
	return &hostfuncs.Error{
		Code: "invalid-arguments", Message: fmt.Sprintf("the arguments of ctx.%s.%s are not what the tool takes: %s", c.Connector, c.Tool, fields(wrong)), Data: data,
	}
}

// fields joins errors for a message.
func fields(wrong []schema.FieldError) string {
	var out []string
	for _, w := range wrong {
		out = append(out, w.String())
	}
	return strings.Join(out, "; ")
}
