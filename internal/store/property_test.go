package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/fault"
)

// model is what the store should contain.
type model struct {
	workflows map[string][]string // name -> codes of its versions, oldest first
	latest    map[string]string   // name -> code
	runs      map[string]*modelRun
	order     []string
	tools     map[string]map[string]string // connector -> tool -> digest
}

type modelRun struct {
	workflow string
	mode     Mode
	status   RunStatus
	steps    []StepState
	acts     []bool
	cleared  bool // the last step
	j        *Journal
}

// state is a model in a form that can be compared: with the store's.
func (m *model) state() map[string]string {
	out := map[string]string{}
	for name, codes := range m.workflows {
		out["workflow "+name] = fmt.Sprint(codes, " ", m.latest[name])
	}
	for id, r := range m.runs {
		out[id] = fmt.Sprint(r.mode, " ", r.status, " ", r.steps)
	}
	for c, tools := range m.tools {
		var names []string
		for n, d := range tools {
			names = append(names, n+"="+d)
		}
		sort.Strings(names)
		out["connector "+c] = fmt.Sprint(names)
	}
	return out
}

func stored(t *testing.T, s *Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, w := range must[[]Workflow](t)(s.Workflows()) {
		var codes []string
		for _, v := range must[[]Version](t)(s.Versions(w.Name)) {
			codes = append(codes, must[Version](t)(s.VersionByID(v.ID)).Code)
		}
		out["workflow "+w.Name] = fmt.Sprint(codes, " ", must[Version](t)(s.Version(w.Name, "")).Code)
	}
	for _, r := range must[[]Run](t)(s.Runs(RunFilter{Limit: 1 << 20})) {
		var states []StepState
		for _, st := range must[[]Step](t)(s.Steps(r.ID)) {
			states = append(states, st.State)
		}
		out[r.ID] = fmt.Sprint(r.Mode, " ", r.Status, " ", states)
	}
	for _, c := range must[[]Connector](t)(s.Connectors()) {
		var names []string
		for _, tool := range must[[]Tool](t)(s.Tools(c.Name)) {
			names = append(names, tool.Name+"="+tool.Digest)
		}
		sort.Strings(names)
		out["connector "+c.Name] = fmt.Sprint(names)
	}
	return out
}

// Any sequence of operations gives what the model gives, and is still there after the store was opened again.
func TestRandomOperationsSurviveReopening(t *testing.T) {
	sequences, length := 12, 150
	if testing.Short() {
		sequences = 2
	}
	for seed := range sequences {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			randomOperations(t, uint64(seed), length)
		})
	}
}

func randomOperations(t *testing.T, seed uint64, length int) {
	r := rand.New(rand.NewPCG(seed, 99))
	path := filepath.Join(t.TempDir(), "runlace.db")
	c := newClock()
	s := open(t, path, Options{Now: c.now})
	m := &model{workflows: map[string][]string{}, latest: map[string]string{}, runs: map[string]*modelRun{}, tools: map[string]map[string]string{}}
	compare := func(i int) {
		t.Helper()
		if diff := cmp.Diff(m.state(), stored(t, s)); diff != "" {
			t.Fatalf("after operation %d: %s", i, diff)
		}
	}
	for i := range length {
		switch r.IntN(12) {
		case 0, 1:
			m.save(t, s, r)
		case 2:
			m.tool(t, s, r)
		case 3:
			m.start(t, s, r)
		case 4:
			m.delete(t, s, r)
		case 11: // the process ends and another one comes
			if r.IntN(3) > 0 {
				continue
			}
			ok(t, s.Close())
			s = open(t, path, Options{Now: c.now})
			compare(i)
			m.settle(t, s)
		default:
			m.step(t, s, r)
		}
	}
	compare(length)
	ok(t, s.Close())
	s = open(t, path, Options{Now: c.now})
	compare(length)
	undamaged(t, s)
}

func (m *model) save(t *testing.T, s *Store, r *rand.Rand) {
	name, code := fmt.Sprint("w", r.IntN(3)), fmt.Sprint("code ", r.IntN(4))
	saved := must[Saved](t)(s.SaveVersion(NewVersion{Name: name, Code: code, Inputs: raw("{}"), Pins: testPins}))
	if saved.New != !slices.Contains(m.workflows[name], code) || saved.Moved != (m.latest[name] != code) {
		t.Errorf("%+v", saved)
	}
	if saved.New {
		m.workflows[name] = append(m.workflows[name], code)
	}
	m.latest[name] = code
}

func (m *model) tool(t *testing.T, s *Store, r *rand.Rand) {
	name := fmt.Sprint("c", r.IntN(2))
	switch r.IntN(4) {
	case 0:
		ok(t, s.RemoveConnector(name))
		delete(m.tools, name)
	case 1:
		ok(t, s.SaveUnavailable(Connector{Name: name, Transport: "stdio", Status: ConnectorUnreachable, Detail: "down"}))
		if m.tools[name] == nil {
			m.tools[name] = map[string]string{}
		}
	default:
		var tools []Tool
		m.tools[name] = map[string]string{}
		for i := range r.IntN(4) {
			tool := Tool{Name: fmt.Sprint("t", i), Risk: ReadOnly, Digest: fmt.Sprint("d", r.IntN(3))}
			tools = append(tools, tool)
			m.tools[name][tool.Name] = tool.Digest
		}
		must[CatalogueChange](t)(s.SaveTools(Connector{Name: name, Transport: "stdio"}, tools, true))
	}
}

func (m *model) start(t *testing.T, s *Store, r *rand.Rand) {
	name := fmt.Sprint("w", r.IntN(3))
	if m.latest[name] == "" {
		return
	}
	v := must[Version](t)(s.Version(name, ""))
	n := NewRun{Version: v.ID, Mode: []Mode{Live, Live, Dry}[r.IntN(3)]}
	run := &modelRun{workflow: v.WorkflowID, mode: n.Mode}
	var id string
	switch r.IntN(5) {
	case 0:
		run.status = Queued
		id = put(t, s, n, Queued)
	case 1:
		run.status = AwaitingApproval
		id = put(t, s, n, AwaitingApproval)
	case 2:
		run.status = Failed
		id = must[Run](t)(s.RefuseRun(n, "inputs", nil)).ID
	default:
		run.status = Running
		run.j = must[*Journal](t)(s.StartRun(n))
		id = run.j.Run().ID
	}
	m.runs[id] = run
	m.order = append(m.order, id)
}

func (m *model) delete(t *testing.T, s *Store, r *rand.Rand) {
	name := fmt.Sprint("w", r.IntN(3))
	if m.latest[name] == "" || r.IntN(3) > 0 {
		return
	}
	id := must[Workflow](t)(s.Workflow(name)).ID
	open := false
	for _, run := range m.runs {
		open = open || run.workflow == id && !run.status.Final()
	}
	_, err := s.Delete(name)
	if open {
		if !errors.Is(err, fault.New("workflow-busy", "")) {
			t.Errorf("deleting with open runs: %v", err)
		}
		return
	}
	ok(t, err)
	delete(m.workflows, name)
	delete(m.latest, name)
}

func (m *model) settle(t *testing.T, s *Store) {
	n := 0
	for _, run := range m.runs {
		if run.status != Running {
			continue
		}
		n++
		run.status, run.j = Interrupted, nil
		if last := len(run.steps) - 1; last >= 0 && run.steps[last] == StepIntent && run.acts[last] && !run.cleared {
			run.steps[last], run.status = StepInDoubt, InDoubt
		} else if last >= 0 && run.steps[last] == StepInDoubt {
			run.status = InDoubt
		}
	}
	if got := must[[]Run](t)(s.Settle(func(Run) bool { return true })); len(got) != n {
		t.Errorf("%d runs were settled, want %d", len(got), n)
	}
}

// step does something that is legal with a run.
func (m *model) step(t *testing.T, s *Store, r *rand.Rand) {
	if len(m.order) == 0 {
		return
	}
	id := m.order[len(m.order)-1-r.IntN(min(4, len(m.order)))]
	run := m.runs[id]
	last := len(run.steps) - 1
	switch run.status {
	case Queued, AwaitingApproval, Interrupted:
		if r.IntN(4) == 0 {
			must[Run](t)(s.Move(id, Cancelled, nil))
			run.status = Cancelled
			m.over(run)
			return
		}
		run.j = must[*Journal](t)(s.Adopt(id, "g"))
		run.status = Running
		if run.mode == Live && len(run.steps) > 0 {
			run.mode = Resume
		}
		if last >= 0 && run.steps[last] == StepIntent {
			ok(t, run.j.Again(last+1, true))
			run.cleared = false
		}
	case InDoubt:
		happened := r.IntN(2) == 0
		ok(t, s.Resolve(id, last+1, happened, Outcome{State: StepOK}))
		run.status, run.steps[last], run.cleared = Interrupted, StepOK, false
		if !happened {
			run.steps[last], run.cleared = StepIntent, true
		}
	case Running:
		m.running(t, run, r)
	}
}

func (m *model) running(t *testing.T, run *modelRun, r *rand.Rand) {
	last := len(run.steps) - 1
	if last >= 0 && run.steps[last] == StepInDoubt {
		ok(t, run.j.Finish(Finish{Status: InDoubt}))
		run.status = InDoubt
		return
	}
	if last >= 0 && run.steps[last] == StepIntent {
		if r.IntN(10) == 0 {
			ok(t, run.j.Finish(Finish{Status: Failed}))
			run.status = Failed
			m.over(run)
			return
		}
		state := []StepState{StepOK, StepOK, StepError, StepInDoubt}[r.IntN(4)]
		ok(t, run.j.Outcome(last+1, Outcome{State: state, Result: raw(`{"x":1.0}`)}))
		run.steps[last] = state
		return
	}
	acts := r.IntN(2) == 0
	n := read(last + 2)
	if acts {
		n = act(last + 2)
	}
	switch {
	case r.IntN(8) == 0:
		run.status = []RunStatus{Completed, Failed, Cancelled}[r.IntN(3)]
		ok(t, run.j.Finish(Finish{Status: run.status, Output: raw("[1.0]"), Log: "log"}))
	case acts && run.mode == Dry || r.IntN(6) == 0:
		ok(t, run.j.Answered(n, Outcome{State: StepOK}, true))
		run.steps, run.acts = append(run.steps, StepOK), append(run.acts, acts)
	default:
		ok(t, run.j.Intent(n, acts))
		run.steps, run.acts = append(run.steps, StepIntent), append(run.acts, acts)
	}
}

// over settles the last step of a run that is over.
func (m *model) over(run *modelRun) {
	if last := len(run.steps) - 1; last >= 0 && run.steps[last] == StepIntent {
		run.steps[last] = StepInDoubt
		if run.cleared {
			run.steps[last] = StepError
		}
	}
}
