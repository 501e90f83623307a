package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// Only what a server answered counts: no made-up results, none of a replay, no errors; the newest first.
func TestSamples(t *testing.T) {
	s := temp(t, Options{})
	saved := save(t, s, "report", "code")
	use := func(mode Mode, simulated bool, o Outcome) {
		j := start(t, s, saved.VersionID, mode)
		n := read(1)
		if simulated {
			ok(t, j.Answered(n, o, true))
		} else {
			ok(t, j.Intent(n, false))
			ok(t, j.Outcome(1, o))
		}
		ok(t, j.Finish(Finish{Status: Completed}))
	}
	result := func(text string) Outcome { return Outcome{State: StepOK, Result: raw(text)} }
	use(Live, false, result(`{"n":1}`))
	use(Dry, true, result(`{"n":2}`))
	use(Dry, false, result(`{"n":3}`))
	use(Replay, false, result(`{"n":4}`))
	use(Live, false, Outcome{State: StepError, Error: raw(`{"code":"tool-error"}`)})
	use(Live, false, result(fmt.Sprintf(`{"large":%q}`, slices.Repeat([]byte("x"), spillBytes))))
	var got []string
	each := func(x Sample) error {
		got = append(got, string(x.Result)[:7])
		return nil
	}
	ok(t, s.Samples(read(1).Connector, read(1).Tool, 10, each))
	if want := []string{`{"large`, `{"n":3}`, `{"n":1}`}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = nil
	ok(t, s.Samples(read(1).Connector, read(1).Tool, 2, each))
	if len(got) != 2 {
		t.Errorf("%q", got)
	}
	got = nil
	if ok(t, s.Samples("nobody", "x", 10, each)); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// What was adopted of a tool goes with it, is counted at its connector, outlives a time in which the tool is gone, and is forgotten with
// the connector.
func TestObserved(t *testing.T) {
	s := temp(t, Options{})
	if err := s.SaveObserved([]Observed{{Connector: "a", Tool: "x", Schema: raw(`{}`)}}); !errors.Is(err, fault.New("unknown-connector", "")) {
		t.Errorf("error %v", err)
	}
	a := Connector{Name: "a", Transport: "stdio"}
	tools := []Tool{{Name: "x", Risk: ReadOnly, Digest: "1"}, {Name: "y", Risk: ReadOnly, Digest: "2"}}
	must[CatalogueChange](t)(s.SaveTools(a, tools, false))
	for range 2 {
		ok(t, s.SaveObserved([]Observed{{Connector: "a", Tool: "x", Schema: raw(`{"type":"string"}`), Samples: 3, Runs: 2}}))
	}
	if err := s.SaveObserved([]Observed{{Connector: "a", Tool: "x", Schema: raw(`{`)}}); !errors.Is(err, ErrNotJSON) {
		t.Errorf("error %v", err)
	}
	must[CatalogueChange](t)(s.SaveTools(a, tools[1:], false))
	must[CatalogueChange](t)(s.SaveTools(a, tools, false))
	list := must[[]Tool](t)(s.Tools("a"))
	if string(list[0].Observed) != `{"type":"string"}` || list[1].Observed != nil || list[0].Digest != "1" {
		t.Errorf("%+v", list)
	}
	c := must[[]Connector](t)(s.Connectors())[0]
	if c.Observed != 1 || c.LearnedAt.IsZero() {
		t.Errorf("%+v", c)
	}
	if o := must[[]Observed](t)(s.Observed("")); len(o) != 1 || o[0].Samples != 3 || o[0].Runs != 2 || o[0].LearnedAt != c.LearnedAt {
		t.Errorf("%+v", o)
	}
	if gone := must[[]string](t)(s.ForgetObserved("a", "y")); gone != nil {
		t.Errorf("%q", gone)
	}
	if gone := must[[]string](t)(s.ForgetObserved("a", "")); !slices.Equal(gone, []string{"x"}) {
		t.Errorf("%q", gone)
	}
	ok(t, s.SaveObserved([]Observed{{Connector: "a", Tool: "y", Schema: raw(`{}`)}}))
	ok(t, s.RemoveConnector("a"))
	if o := must[[]Observed](t)(s.Observed("")); len(o) != 0 {
		t.Errorf("%+v", o)
	}
}

// An answer does not replace one to a question that was asked later, and each process is told what it has replaced itself.
func TestLaterQuestionsWin(t *testing.T) {
	s := temp(t, Options{})
	now := time.Now()
	ask := func(at time.Time, digests ...string) CatalogueChange {
		var tools []Tool
		for i, d := range digests {
			tools = append(tools, Tool{Name: string(rune('x' + i)), Risk: ReadOnly, Digest: d})
		}
		return must[CatalogueChange](t)(s.SaveTools(Connector{Name: "a", Transport: "stdio", AskedAt: at}, tools, false))
	}
	if c := ask(now, "1", "2"); len(c.Added) != 2 || len(c.Before) != 0 || c.Outdated {
		t.Errorf("%+v", c)
	}
	if c := ask(now.Add(-time.Second), "9"); !c.Outdated || len(c.Removed)+len(c.Changed) > 0 || len(c.Before) != 2 {
		t.Errorf("%+v", c)
	}
	ok(t, s.SaveUnavailable(Connector{Name: "a", Transport: "stdio", Status: ConnectorUnreachable, Detail: "down", AskedAt: now.Add(-time.Second)}))
	if c := must[[]Connector](t)(s.Connectors())[0]; c.Status != ConnectorOK || c.Tools != 2 {
		t.Errorf("%+v", c)
	}
	if c := ask(now.Add(time.Second), "1", "3"); len(c.Changed) != 1 || c.Outdated || len(c.Before) != 2 {
		t.Errorf("%+v", c)
	}
	if c := ask(time.Time{}, "1"); len(c.Removed) != 1 || c.Outdated { // who does not say when is believed
		t.Errorf("%+v", c)
	}
	ok(t, s.SaveUnavailable(Connector{Name: "a", Transport: "stdio", Status: ConnectorUnreachable, Detail: "down", AskedAt: now.Add(2 * time.Second)}))
	if list := must[[]Tool](t)(s.Tools("a")); len(list) != 1 || !list[0].Stale {
		t.Errorf("%+v", list)
	}
}
