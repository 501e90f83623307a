package discovery

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
)

// answered puts a run into the journal in which a tool gave these results.
func answered(t *testing.T, s *store.Store, connector, tool string, mode store.Mode, results ...string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.SaveVersion(store.NewVersion{Name: "w", Code: "pass", Inputs: json.RawMessage(`{}`)})
	check(err)
	j, err := s.StartRun(store.NewRun{Version: v.VersionID, Mode: mode, Guest: "g"})
	check(err)
	for i, r := range results {
		n := store.NewStep{Seq: i + 1, Connector: connector, Tool: tool, Risk: store.ReadOnly}
		check(j.Intent(n, false))
		check(j.Outcome(i+1, store.Outcome{State: store.StepOK, Result: json.RawMessage(r)}))
	}
	check(j.Finish(store.Finish{Status: store.Completed}))
}

func learn(t *testing.T, o Options, what string, l Learning) *Learned {
	t.Helper()
	learned, err := Learn(o, what, l)
	if err != nil {
		t.Fatal(err)
	}
	return learned
}

// A tool whose server does not say what it returns is typed by what it has returned.
func TestLearn(t *testing.T) {
	o := place(t, nil, fixture(t, "my.srv", "-only", "text,about,echo"))
	run(t, o)
	stub := func() string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(o.Home.Types(), "connectors", "my_srv.pyi"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before, plain := stub(), must(t, o)
	if _, err := Learn(o, "my.srv.text", Learning{}); !errors.Is(err, fault.New("nothing-to-learn", "")) || !strings.Contains(err.Error(), "no run in the journal has a result of it") {
		t.Errorf("error %v", err)
	}
	answered(t, o.Store, "my.srv", "text", store.Live, `{"from":"a","id":1}`, `{"from":"b","id":2,"size":null}`)
	answered(t, o.Store, "my.srv", "text", store.Dry, `{"from":"c","id":3,"size":4}`)
	answered(t, o.Store, "my.srv", "text", store.Replay, `"never"`)
	answered(t, o.Store, "my.srv", "echo", store.Live, `{"value":1}`)
	want := `{"type":"object","properties":{"from":{"type":"string"},"id":{"type":"integer"},"size":{"type":["integer","null"]}},"required":["from","id"]}`

	l := learn(t, o, "my.srv.text", Learning{Only: true})
	if len(l.Tools) != 1 || l.Stored || string(l.Tools[0].Schema) != want || l.Tools[0].State != LessonNew || l.Tools[0].Samples != 3 || l.Tools[0].Runs != 2 || len(l.Tools[0].Notes) != 0 {
		t.Errorf("%+v", l)
	}
	if stub() != before {
		t.Error("a look at it changes the stub")
	}
	l = learn(t, o, "my.srv", Learning{})
	var states []string
	for _, x := range l.Tools {
		states = append(states, x.Tool+" "+x.State+" "+x.Reason)
	}
	if diff := cmp.Diff([]string{"about skipped no run in the journal has a result of it", "echo skipped its server says what it returns", "text new "}, states); diff != "" || !l.Stored {
		t.Error(diff)
	}
	if now := stub(); now == before || !strings.Contains(now, "observed") || !strings.Contains(now, `"from"`) {
		t.Error(now)
	}
	if x := l.Tools[2]; x.Returns == "" || strings.Contains(x.Returns, "Any") {
		t.Errorf("returns %q", x.Returns)
	}
	after := must(t, o)
	for i := range after {
		if after[i].Digest != plain[i].Digest {
			t.Errorf("%s has another digest", after[i].Name)
		}
	}

	t.Run("field-fault-124 a stand-in is as it was observed", func(t *testing.T) {
		m := stubs.Build("my.srv", after).Tool("text")
		if got := string(m.StandIn()); !strings.Contains(got, `"from"`) || !m.StandInValid() {
			t.Error(got)
		}
	})
	t.Run("the same results say the same", func(t *testing.T) {
		if l := learn(t, o, "my.srv.text", Learning{}); l.Tools[0].State != LessonSame || l.Stored {
			t.Errorf("%+v", l)
		}
	})
	t.Run("other results say something else", func(t *testing.T) {
		answered(t, o.Store, "my.srv", "text", store.Live, `"none"`)
		l := learn(t, o, "my.srv.text", Learning{})
		if x := l.Tools[0]; x.State != LessonChanged || string(x.Before) != want || !l.Stored || !strings.Contains(string(x.Schema), "anyOf") {
			t.Errorf("%+v", x)
		}
	})
	t.Run("few results are warned of", func(t *testing.T) {
		answered(t, o.Store, "my.srv", "about", store.Live, `{"pid":1}`)
		if l := learn(t, o, "my.srv.about", Learning{}); len(l.Tools[0].Notes) != 1 || !strings.HasPrefix(l.Tools[0].Notes[0], "1 result is not much") {
			t.Errorf("%+v", l)
		}
	})
	t.Run("it outlives a sync, and is no change of the tool", func(t *testing.T) {
		if r := run(t, o); len(r.Changes.Changed) != 0 || !strings.Contains(stub(), "observed") {
			t.Errorf("%+v", r.Changes)
		}
	})
	t.Run("it is forgotten when asked to", func(t *testing.T) {
		if l := learn(t, o, "my.srv", Learning{Forget: true, Only: true}); len(l.Tools) != 2 || l.Stored {
			t.Errorf("%+v", l)
		}
		if l := learn(t, o, "my.srv", Learning{Forget: true}); len(l.Tools) != 2 || l.Tools[0].State != LessonForgotten || !l.Stored || stub() != before {
			t.Errorf("%+v", l)
		}
		if _, err := Learn(o, "my.srv.text", Learning{Forget: true}); !errors.Is(err, fault.New("nothing-to-learn", "")) {
			t.Errorf("error %v", err)
		}
	})
	for what, code := range map[string]string{"my.srv.nothing": "unknown-tool", "nobody.text": "unknown-connector", "my": "unknown-connector", "my.srv.echo": "nothing-to-learn"} {
		if _, err := Learn(o, what, Learning{}); !errors.Is(err, fault.New(code, "")) {
			t.Errorf("%s: error %v, want %s", what, err, code)
		}
	}
	o.Config.Set(fixture(t, "later"))
	for what, c := range map[string]struct {
		learning Learning
		hint     string
	}{
		"my.srv.echo": {Learning{}, "as the server gives it"},
		"my.srv.text": {Learning{Forget: true}, "there is nothing to do"},
	} {
		if _, err := Learn(o, what, c.learning); err == nil || !strings.Contains(fault.Of(err).Hint, c.hint) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Learn(o, "later.text", Learning{}); !errors.Is(err, fault.New("unknown-connector", "")) || !strings.Contains(err.Error(), "has not been asked") {
		t.Errorf("error %v", err)
	}
}

// must returns the tools that are stored.
func must(t *testing.T, o Options) []catalog.Tool {
	t.Helper()
	tools, err := stored(o.Store, "")
	if err != nil {
		t.Fatal(err)
	}
	return tools
}
