package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// The tools of the connector w, and who consents to them by policy.yaml. put is as the processes' own setting says.
var simTools = []struct {
	name   string
	risk   store.Risk
	policy string
}{
	{"get", store.ReadOnly, ""},
	{"put", store.SideEffect, ""},
	{"free", store.SideEffect, "allow"},
	{"sign", store.SideEffect, "human"},
	{"pay", store.SideEffect, "each"},
	{"safe", store.SideEffect, "allow"},  // idempotent, and may be sent again
	{"keyed", store.SideEffect, "allow"}, // likewise, with a key
}

const simPolicy = `approval:
  w: {free: allow, sign: human, pay: each, safe: allow, keyed: allow}
idempotent:
  w: {safe: resend, keyed: {key: key}}
`

// simWorkflows are workflows by the tools that they use. Their code is the tools' names: the script draws from them.
var simWorkflows = map[string]string{
	"reads":  "get",
	"puts":   "get put",
	"frees":  "get free",
	"signs":  "get sign",
	"pays":   "get pay free",
	"safes":  "get safe keyed",
	"mixed":  "get put free sign pay safe keyed",
	"mixed2": "get put pay",
}

var simWorkflowNames = []string{"reads", "puts", "frees", "signs", "pays", "safes", "mixed", "mixed2"}

const simInput = `{"type":"object","properties":{"tag":{"type":"string"},"call":{"type":"integer"},"x":{"type":"integer"},"key":{"type":"string"}},"required":["tag","call","x"],"additionalProperties":false}`

// makeTemplate makes a home with the connector's tools and the workflows, and returns its files.
func makeTemplate(dir string) (map[string][]byte, error) {
	h := home.Home{Dir: dir}
	if err := h.Ensure(); err != nil {
		return nil, err
	}
	f := config.New()
	f.Set(config.Connector{Name: "w", Transport: config.Stdio, Command: "none"})
	if err := f.Save(h.Config()); err != nil {
		return nil, err
	}
	s, err := store.Open(h.Database(), store.Options{Files: h.Workflows()})
	if err != nil {
		return nil, err
	}
	pins := map[string]store.Pin{}
	var tools []store.Tool
	for _, d := range simTools {
		idempotent, readOnly := d.name == "safe", d.risk == store.ReadOnly
		tool := catalog.Tool{Connector: "w", Name: d.name, InputSchema: json.RawMessage(simInput), Risk: catalog.Risk(d.risk)}
		tool.Annotations.IdempotentHint, tool.Annotations.ReadOnlyHint = &idempotent, &readOnly
		tool.Digest = catalog.Digest(tool)
		annotations, err := json.Marshal(tool.Annotations)
		if err != nil {
			return nil, err
		}
		tools = append(tools, store.Tool{Connector: "w", Name: d.name, InputSchema: tool.InputSchema, Annotations: annotations, Risk: d.risk, Digest: tool.Digest})
		pins[d.name] = store.Pin{
			Connector: "w", Tool: d.name, Risk: d.risk, Digest: tool.Digest, InputSchema: tool.InputSchema, Annotations: annotations, Python: "w." + d.name,
		}
	}
	if _, err := s.SaveTools(store.Connector{Name: "w", Transport: "stdio", Status: "ok"}, tools, false); err != nil {
		return nil, err
	}
	for _, name := range simWorkflowNames {
		v := store.NewVersion{Name: name, Code: name + ": " + simWorkflows[name], Program: &store.Program{Guest: script{}.Build(), Code: []byte(name)}}
		for _, tool := range strings.Fields(simWorkflows[name]) {
			v.Pins = append(v.Pins, pins[tool])
		}
		if _, err := s.SaveVersion(v); err != nil {
			return nil, err
		}
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range []string{h.Config(), h.Database()} {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// mix is a number that depends on all of its parts.
func mix(parts ...any) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%v|", p)
	}
	b := h.Sum(nil)
	x := binary.LittleEndian.Uint64(b)
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// script is the guest: a program whose next move depends on the seed, on all answers, and on the clock, so that whatever is not as it
// was makes it do something else.
type script struct{}

func (script) Build() string { return "script" }

func (script) Compile(_ context.Context, source string, _ runtime.Limits) (*runtime.Program, error) {
	return &runtime.Program{Source: source, Code: []byte(source), Build: "script"}, nil
}

func (script) Run(ctx context.Context, p *runtime.Program, job runtime.Job) (*runtime.Result, error) {
	var in struct {
		Tag   string   `json:"tag"`
		Most  int      `json:"most"`
		Tools []string `json:"tools"` // exactly these calls, for a scenario
	}
	if err := json.Unmarshal(job.Inputs, &in); err != nil {
		return nil, err
	}
	_, names, _ := strings.Cut(p.Source, ": ")
	tools := strings.Fields(names)
	state := mix(job.Seed, job.At.UnixMilli())
	res := &runtime.Result{}
	var log strings.Builder
	calls := int(state % uint64(max(1, in.Most+1)))
	if len(in.Tools) > 0 {
		calls = len(in.Tools)
	}
	cancelled := func() bool {
		if ctx.Err() != nil {
			res.Err = &runtime.Error{Code: runtime.CodeCancelled, Message: "the run was cancelled"}
		}
		return ctx.Err() != nil
	}
	end := func() *runtime.Result {
		res.Fuel, res.MemoryBytes, res.Log = int64(100+10*res.Calls)+int64(state%7), 1<<20, log.String()
		return res
	}
	for n := 1; n <= calls; n++ {
		tool := tools[state%uint64(len(tools))]
		if len(in.Tools) > 0 {
			tool = in.Tools[n-1]
		}
		if cancelled() {
			return end(), nil
		}
		res.Calls++
		a, err := job.Host(ctx, hostfuncs.Call{
			Seq: n, Connector: "w", Tool: tool, Clock: res.Elapsed, Line: func() int { return n },
			Arguments: json.RawMessage(fmt.Sprintf(`{"tag":%q,"call":%d,"x":%d}`, in.Tag, n, state%1000)),
		})
		if err == nil {
			res.Elapsed += max(a.Elapsed, 0)
		}
		if cancelled() {
			return end(), nil
		}
		if err != nil {
			return end(), err
		}
		state = mix(state, string(a.Value), res.Elapsed)
		if a.Err != nil {
			fmt.Fprintf(&log, "%d: %s %s\n", n, a.Err.Code, a.Err.Message)
			state = mix(state, a.Err.Code, a.Err.Message)
			if state%5 == 0 && len(in.Tools) == 0 { // it is not caught
				res.Err = &runtime.Error{Code: runtime.CodeToolError, Message: a.Err.Message, Type: "ToolError", Line: n}
				return end(), nil
			}
		}
		fmt.Fprintf(&log, "%d: %s at %v\n", n, tool, res.Elapsed)
		if state%11 == 0 && len(in.Tools) == 0 {
			calls = min(calls+1, 9)
		}
	}
	if state%13 == 0 && len(in.Tools) == 0 {
		res.Err = &runtime.Error{Code: runtime.CodeException, Message: "ValueError", Type: "ValueError", Line: 99}
		return end(), nil
	}
	res.Output = json.RawMessage(fmt.Sprintf(`{"calls":%d,"state":%d}`, res.Calls, state))
	return end(), nil
}

// world is what the tools act on. Every call has a name: the run's tag and its number in it.
type world struct {
	s        *sim
	effects  map[string]int   // how often a call has acted
	attempts map[string]int   // how often a call has arrived
	keys     map[string]bool  // idempotency keys that were used
	replies  map[string]reply // the last one of a call
	plan     func(name, tool string, attempt int) plan
	again    bool // a copy of the world: calls are answered as they were, and take as long
}

// plan is how a call fares.
type plan struct {
	acts  bool
	reply string // ok, tool-error, unknown, not-sent
	takes time.Duration
}

type reply struct {
	plan   plan
	result connector.Result
	err    error
}

func newWorld(s *sim) *world {
	w := &world{s: s, effects: map[string]int{}, attempts: map[string]int{}, keys: map[string]bool{}, replies: map[string]reply{}}
	w.plan = w.byChance
	return w
}

func callName(tag string, call int) string { return fmt.Sprintf("%s/%d", tag, call) }

// byChance is a function of the schedule's seed and the call.
func (w *world) byChance(name, tool string, attempt int) plan {
	h := mix(w.s.seed, name, tool, attempt)
	p := plan{reply: "ok", acts: tool != "get", takes: time.Duration(h>>8%50) * time.Millisecond}
	switch h >> 32 % 40 {
	case 0:
		p.takes = 12 * time.Second
	case 1:
		p.takes = 40 * time.Second
	}
	if attempt > 2 {
		return p
	}
	switch n := h % 100; {
	case n < 8:
		p.reply, p.acts = "tool-error", false
	case n < 18:
		p.reply = "unknown"
	case n < 23:
		p.reply, p.acts = "unknown", false
	case n < 27:
		p.reply, p.acts = "not-sent", false
	}
	return p
}

// session is the connector w as a process has it.
type session struct {
	w *world
	p *proc
}

func (c session) Call(ctx context.Context, tool string, arguments json.RawMessage) (connector.Result, error) {
	w, s := c.w, c.w.s
	var in struct {
		Tag  string `json:"tag"`
		Call int    `json:"call"`
		Key  string `json:"key"`
	}
	if err := json.Unmarshal(arguments, &in); err != nil {
		return connector.Result{}, err
	}
	name, id := callName(in.Tag, in.Call), s.idOf(in.Tag)
	if w.again {
		r := w.replies[name]
		s.now = s.now.Add(r.plan.takes)
		return r.result, r.err
	}
	began := s.now
	lost := func(code string, o connector.Outcome) (connector.Result, error) {
		return connector.Result{}, &connector.Error{Connector: "w", Outcome: o, Fault: fault.New(code, "connector w: %s", name)}
	}
	s.point("before-send", id, in.Call)
	w.attempts[name]++
	p := w.plan(name, tool, w.attempts[name])
	if p.reply == "tool-error" && w.effects[name] > 0 {
		p.reply = "ok" // what is idempotent answers as it did
	}
	if p.acts && !(in.Key != "" && w.keys[in.Key]) {
		s.mayAct(in.Tag, tool, in.Call, arguments)
		w.keys[in.Key] = in.Key != ""
		w.effects[name]++
		s.count.acts++
	}
	r := reply{plan: p}
	switch p.reply {
	case "ok":
		r.result.Structured = json.RawMessage(fmt.Sprintf(`{"n":%d}`, mix(name, tool)%100000))
		if mix(name, "size")%60 == 0 {
			r.result.Structured = json.RawMessage(fmt.Sprintf(`{"big":%q}`, strings.Repeat("x", 40000)))
		}
	case "tool-error":
		r.result.IsError = true
		r.result.Content = []json.RawMessage{json.RawMessage(`{"type":"text","text":"it did not want to"}`)}
	case "unknown":
		r.result, r.err = lost(connector.CodeLost, connector.Unknown)
	case "not-sent":
		r.result, r.err = lost(connector.CodeUnreachable, connector.NotSent)
	}
	s.pass(p.takes)
	s.point("after-send", id, in.Call)
	if ctx.Err() != nil {
		r.result, r.err = lost(connector.CodeCancelled, connector.Unknown)
	}
	s.point("answered", id, in.Call)
	r.plan.takes = s.now.Sub(began)
	w.replies[name] = r
	return r.result, r.err
}

// idOf is the id of the run with a tag. It is learned when the run is first seen in the journal.
func (s *sim) idOf(tag string) string {
	for _, r := range s.runs {
		if r.tag == tag {
			if r.id == "" {
				s.learn()
			}
			return r.id
		}
	}
	s.failf("a call of the unknown run %q", tag)
	return ""
}
