package discovery

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

// define writes definitions of tools for the fixture: name, input schema, output schema or "".
func define(t *testing.T, path string, tools ...[3]string) {
	t.Helper()
	var all []string
	for _, x := range tools {
		out := ""
		if x[2] != "" {
			out = `,"outputSchema":` + x[2]
		}
		all = append(all, fmt.Sprintf(`{"tool":{"name":%q,"description":"It is %s.","inputSchema":%s%s,"annotations":{"readOnlyHint":true}}}`, x[0], x[0], x[1], out))
	}
	if err := os.WriteFile(path, []byte("["+strings.Join(all, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// joined joins the names of tools for -only.
func joined(tools ...string) string { return strings.Join(tools, ",") }

// The map of digests says of each tool whether it is the same, added, removed or changed.
func TestFieldFault118_digest_map(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	takes := func(required string) string {
		return `{"type":"object","properties":{"limit":{"type":"integer"}},"required":[` + required + `]}`
	}
	define(t, file, [3]string{"stays", takes(""), ""}, [3]string{"changes", takes(""), ""}, [3]string{"goes", takes(""), ""})
	o := place(t, nil, fixture(t, "a", "-define", file, "-only", joined("stays", "changes", "goes", "comes")))
	first := run(t, o)
	if len(first.Changes.Added) != 3 || len(first.Digests) != 3 || first.Digests[0].Change != catalog.Added {
		t.Fatalf("%+v", first.Digests)
	}
	define(t, file, [3]string{"stays", takes(""), ""}, [3]string{"changes", takes(`"limit"`), ""}, [3]string{"comes", takes(""), ""})

	live, err := LiveDrift(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	second := run(t, o)
	var got []string
	for _, d := range second.Digests {
		if (d.Before == "") != (d.Change == catalog.Added) || (d.Now == "") != (d.Change == catalog.Removed) || (d.Before == d.Now) != (d.Change == catalog.Same) {
			t.Errorf("%+v", d)
		}
		got = append(got, d.Tool+" "+d.Change)
	}
	if diff := cmp.Diff([]string{"changes changed", "comes added", "goes removed", "stays same"}, got); diff != "" {
		t.Error(diff)
	}
	changes, err := json.Marshal(second.Changes)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"added":[{"connector":"a","tool":"comes"}],"removed":[{"connector":"a","tool":"goes"}],"changed":[{"connector":"a","tool":"changes","changes":[` +
		`{"where":"arguments.limit","pointer":"/inputSchema/required","what":"became required","before":false,"now":true}]}]}`
	if diff := cmp.Diff(want, string(changes)); diff != "" {
		t.Error(diff)
	}
	t.Run("a comparison with the servers says the same before, and stores nothing", func(t *testing.T) {
		if diff := cmp.Diff(second.Digests, live.Digests); diff != "" || !live.Live || len(live.Servers) != 1 {
			t.Error(diff)
		}
		again, err := LiveDrift(t.Context(), o)
		if err != nil || len(again.Changes.Added)+len(again.Changes.Removed)+len(again.Changes.Changed) > 0 {
			t.Errorf("%+v, %v", again, err)
		}
	})
	t.Run("no change is an empty map of changes", func(t *testing.T) {
		if r := run(t, o); len(r.Changes.Added)+len(r.Changes.Removed)+len(r.Changes.Changed) > 0 || len(r.Digests) != 3 || r.Digests[0].Change != catalog.Same {
			t.Errorf("%+v", r.Changes)
		}
	})
}

// StoredDrift compares with what versions have pinned.
func TestStoredDrift(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "flag")
	o := place(t, nil, fixture(t, "a", "-only", "echo,note,items", "-drift", "echo", "-drift-file", flag), fixture(t, "b", "-only", "text"))
	run(t, o)
	tools, err := o.Store.Tools("")
	if err != nil {
		t.Fatal(err)
	}
	var pins []store.Pin
	for _, u := range tools {
		pins = append(pins, store.Pin{Connector: u.Connector, Tool: u.Name, Risk: u.Risk, Digest: u.Digest, InputSchema: u.InputSchema, OutputSchema: u.OutputSchema, Annotations: u.Annotations})
	}
	for i, name := range []string{"one", "two"} {
		if _, err := o.Store.SaveVersion(store.NewVersion{Name: name, Code: name, Inputs: json.RawMessage(`{}`), Pins: pins[:4-i]}); err != nil {
			t.Fatal(err)
		}
	}
	if d, err := StoredDrift(o.Store); err != nil || d.Checked != 2 || len(d.Digests) != 4 || len(d.Workflows) != 0 || d.Unanswered() != nil {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ := o.Config.Find("a")
	c.Args[1] = "echo,items"
	o.Config.Set(c)
	o.Config.Set(fixture(t, "b", "-die-start", "1"))
	run(t, o)
	d, err := StoredDrift(o.Store)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range d.Digests {
		got = append(got, x.Key.String()+" "+x.Change)
	}
	if diff := cmp.Diff([]string{"a.echo changed", "a.items same", "a.note removed", "b.text same"}, got); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(d.Stale, []string{"b"}) || len(d.Workflows) != 2 || len(d.Changes.Removed) != 1 || len(d.Changes.Changed) != 1 {
		t.Errorf("%+v", d)
	}
	w := d.Workflows[0]
	if len(w.Tools) != 2 || w.Tools[0].Change != catalog.Changed || w.Tools[0].Changes[0].Pointer != "/inputSchema/properties/reason" || w.Tools[1].Change != catalog.Removed {
		t.Errorf("%+v", w.Tools)
	}
	if !strings.HasPrefix(w.Todo, "take out or replace") || !strings.Contains(w.Todo, "runlace create one.py --name one") {
		t.Errorf("%q", w.Todo)
	}
	live, err := LiveDrift(t.Context(), o)
	if err != nil || !errors.Is(live.Unanswered(), fault.New("connector-unreachable", "")) || len(live.Workflows) != 2 {
		t.Errorf("%+v, %v", live, err)
	}
}

// syncing makes the test's program a process that syncs a home once, when its standard input says so.
const syncing = "RUNLACE_TEST_SYNC"

func syncOnce() {
	h, err := home.Open(os.Getenv(syncing))
	fail := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	fail(err)
	f, problems, err := config.Load(h.Config())
	fail(err)
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		fail(err)
	}
	secrets := &store.Secrets{}
	s, err := store.Open(h.Database(), store.Options{Redactor: secrets})
	fail(err)
	r, err := Run(context.Background(), Options{Home: h, Env: home.NewEnv(os.Environ()), Config: f, Problems: problems, Store: s, Secrets: secrets.Add})
	fail(err)
	fail(s.Close())
	fail(json.NewEncoder(os.Stdout).Encode(r))
}

// Processes that observe servers for the first time at the same time: each tool is new to exactly one of them, and all is stored once.
func TestFieldFault119_first_observation_is_exclusive(t *testing.T) {
	o := place(t, nil)
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	o.Home = h
	for _, name := range []string{"a", "b", "c"} {
		o.Config.Set(fixture(t, name))
	}
	if err := o.Config.Save(h.Config()); err != nil {
		t.Fatal(err)
	}
	const processes = 3
	var all sync.WaitGroup
	reports := make([]Report, processes)
	var starts []func() error
	for i := range processes {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), syncing+"="+h.Dir)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out := bufio.NewReader(pipe)
		if line, err := out.ReadString('\n'); line != "ready\n" {
			t.Fatalf("%s, %v", line, err)
		}
		starts = append(starts, func() error { _, err := in.Write([]byte("go\n")); return err })
		all.Go(func() {
			line, err := out.ReadString('\n')
			if err == nil {
				err = json.Unmarshal([]byte(line), &reports[i])
			}
			if wait := cmd.Wait(); err != nil || wait != nil {
				t.Errorf("process %d: %v, %v: %s", i, err, wait, line)
			}
		})
	}
	for _, start := range starts {
		if err := start(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	s, err := store.Open(h.Database(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	tools, err := s.Tools("")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[catalog.Key]int{}
	for _, r := range reports {
		if r.Connected != 3 || len(r.Changes.Removed)+len(r.Changes.Changed) > 0 {
			t.Errorf("%d connected, %+v", r.Connected, r.Changes)
		}
		for _, k := range r.Changes.Added {
			seen[k]++
		}
	}
	for _, x := range tools {
		k := catalog.Key{Connector: x.Connector, Tool: x.Name}
		if seen[k] != 1 {
			t.Errorf("%s was new to %d processes", k, seen[k])
		}
	}
	if len(tools) < 60 || len(tools) != len(seen) {
		t.Errorf("%d tools, %d were new", len(tools), len(seen))
	}
}

// A server that answers with no tools once keeps those that it had, until it is said that this is right.
func TestFieldFault193_an_empty_list_needs_confirmation(t *testing.T) {
	o := place(t, nil, fixture(t, "a", "-only", "echo,note"), fixture(t, "b", "-only", "text"))
	run(t, o)
	o.Config.Set(fixture(t, "a", "-empty-after", "0"))
	live, err := LiveDrift(t.Context(), o)
	if err != nil || len(live.Changes.Removed) != 0 || !errors.Is(live.Unanswered(), fault.New("catalogue-emptied", "")) {
		t.Errorf("%+v, %v", live, err)
	}
	r := run(t, o)
	a := server(t, r, "a")
	if a.Status != Failed || a.Code != "catalogue-emptied" || a.Tools != 2 || !a.Stale || len(r.Changes.Removed) != 0 ||
		a.Hint != "if it is right that it has none any more: runlace sync --accept-empty a" {
		t.Errorf("%+v, %+v", a, r.Changes)
	}
	o.AcceptEmpty = []string{"b"} // which says nothing about a
	if r = run(t, o); server(t, r, "a").Tools != 2 {
		t.Errorf("%+v", r.Servers)
	}
	o.AcceptEmpty = []string{"a"}
	if r = run(t, o); server(t, r, "a").Status != Connected || len(r.Changes.Removed) != 2 {
		t.Errorf("%+v, %+v", r.Servers, r.Changes)
	}
	o.Only = []string{"b"}
	if _, err := Run(t.Context(), o); !errors.Is(err, fault.New("bad-usage", "")) {
		t.Errorf("error %v", err)
	}
	o.AcceptEmpty = []string{"nobody"}
	if _, err := Run(t.Context(), o); !errors.Is(err, fault.New("unknown-connector", "")) {
		t.Errorf("error %v", err)
	}
}

// 240 tools, each with the same output schema of 30 kB: a list of tools has none of it, and the stub of one tool only its own types.
func TestFieldFault13_answers_stay_small(t *testing.T) {
	var properties []string
	for i := range 200 {
		properties = append(properties, fmt.Sprintf(`"field_%d":{"type":"object","properties":{"id":{"type":"integer"},"value_%d":{"type":["string","null"],"description":%q}}}`, i, i, strings.Repeat("word ", 10)))
	}
	output := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
	if len(output) < 25_000 {
		t.Fatalf("the schema has %d bytes", len(output))
	}
	var all [][3]string
	var names []string
	for i := range 240 {
		all = append(all, [3]string{fmt.Sprintf("tool_%d", i), `{"type":"object","properties":{"q":{"type":"string"}}}`, output})
		names = append(names, all[i][0])
	}
	file := filepath.Join(t.TempDir(), "tools.json")
	define(t, file, all...)
	o := place(t, nil, fixture(t, "big", "-define", file, "-only", joined(names...)))
	r := run(t, o)
	if r.Tools != 240 {
		t.Fatalf("%+v", r.Servers)
	}
	l, err := List(o.Config, nil, "", nil, o.Store, "")
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(l.Tools)
	if err != nil {
		t.Fatal(err)
	}
	if each := len(list) / 240; each > 250 {
		t.Errorf("%d bytes for each tool in the list", each)
	}
	tools, err := stored(o.Store, "big")
	if err != nil {
		t.Fatal(err)
	}
	c := stubs.Build("big", tools)
	one, whole := len(c.Stub("tool_7")), len(c.Stub())
	if one > 3*len(output) || whole > one+240*400 {
		t.Errorf("the stub of one tool has %d bytes, that of all %d: equal types are there once", one, whole)
	}
}

// The methods of a stub on the disk are those of the table that calls go through, before and after a tool is disabled.
func TestFieldFault91_stubs_and_calls_are_of_one_table(t *testing.T) {
	o := place(t, nil, fixture(t, "a", "-only", "echo,note,items"), connectortest.Server(t, "everything"))
	check := func(want int) {
		t.Helper()
		tools, err := stored(o.Store, "a")
		if err != nil {
			t.Fatal(err)
		}
		c := stubs.Build("a", tools)
		text, err := os.ReadFile(filepath.Join(o.Home.Types(), "connectors", "a.pyi"))
		if err != nil {
			t.Fatal(err)
		}
		var inStub, inTable []string
		for _, m := range regexp.MustCompile(`(?m)^    def (\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			inStub = append(inStub, m[1])
		}
		for _, m := range c.Methods() {
			inTable = append(inTable, m.Python)
		}
		if diff := cmp.Diff(inTable, inStub); diff != "" || len(inStub) != want {
			t.Errorf("%d methods\n%s", len(inStub), diff)
		}
	}
	run(t, o)
	check(3)
	c, _ := o.Config.Find("a")
	c.Args[1] = "echo,items"
	o.Config.Set(c)
	run(t, o)
	check(2)
}

// What another process was told later stays, and what it has just added is not forgotten.
func TestSlowerThanAnother(t *testing.T) {
	o := place(t, nil, fixture(t, "a", "-only", "echo,note"))
	run(t, o)
	slow := fixture(t, "a", "-only", "echo")
	o.Config.Set(slow)
	o.Progress = func(p Progress) {
		if p.State != Connected {
			return
		}
		tools, err := o.Store.Tools("a") // between the answer and its being stored
		if err != nil {
			t.Error(err)
		}
		if _, err := o.Store.SaveTools(store.Connector{Name: "a", Transport: "stdio", AskedAt: time.Now().Add(time.Second)}, tools, false); err != nil {
			t.Error(err)
		}
		if _, err := o.Store.SaveTools(store.Connector{Name: "added", Transport: "stdio"}, tools, false); err != nil {
			t.Error(err)
		}
	}
	r := run(t, o)
	if s := server(t, r, "a"); s.Tools != 2 || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Reason, "another process asked it later") {
		t.Errorf("%+v", s)
	}
	if len(r.Forgotten) != 0 || len(r.Changes.Removed) != 0 {
		t.Errorf("%v, %+v", r.Forgotten, r.Changes)
	}
}

// A server is asked once at a time, and once more for all who wanted to know meanwhile.
func TestRefresher(t *testing.T) {
	connectortest.NoLeaks(t)
	flag := filepath.Join(t.TempDir(), "flag")
	o := place(t, nil, fixture(t, "a", "-only", "echo,note", "-drift", "echo", "-drift-file", flag), fixture(t, "b", "-only", "text"))
	run(t, o)
	var asked, told atomic.Int32
	gate := make(chan struct{})
	o.Progress = func(p Progress) {
		if p.State == "starting" && p.Server == "a" {
			asked.Add(1)
			<-gate
		}
	}
	r := NewRefresher(func() (Options, error) { return o, nil }, func(name string, report *Report, err error) {
		if name == "a" && err == nil && len(report.Servers) == 1 {
			told.Add(1)
		}
	})
	answers := []*answer{r.want("a")}
	for range 50 {
		answers = append(answers, r.want("a"))
		r.Changed("a")
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	close(gate)
	for _, a := range answers {
		<-a.done
		if a.err != nil || server(t, a.report, "a").Status != Connected {
			t.Fatalf("%+v, %v", a.report, a.err)
		}
	}
	if asked.Load() != 2 || told.Load() != 2 {
		t.Errorf("asked %d times, told %d times", asked.Load(), told.Load())
	}
	if report, err := r.Refresh(t.Context(), "a"); err != nil || len(report.Changes.Changed) != 0 || asked.Load() != 3 {
		t.Errorf("%+v, %v", report, err)
	}
	tools, err := o.Store.Tools("a")
	if err != nil || !strings.Contains(string(tools[0].InputSchema), "reason") {
		t.Errorf("%s, %v", tools[0].InputSchema, err)
	}
	if _, err := r.Refresh(t.Context(), "nobody"); !errors.Is(err, fault.New("unknown-connector", "")) {
		t.Errorf("error %v", err)
	}
	r.Close()
	if _, err := r.Refresh(t.Context(), "a"); !errors.Is(err, fault.New("cancelled", "")) {
		t.Errorf("error %v", err)
	}

	t.Run("the configuration is read each time", func(t *testing.T) {
		if err := o.Config.Save(o.Home.Config()); err != nil {
			t.Fatal(err)
		}
		r := NewRefresher(Loader(o.Home, o.Env, o.Store, o.Secrets, "1"), nil)
		defer r.Close()
		if report, err := r.Refresh(t.Context(), "b"); err != nil || server(t, report, "b").Tools != 1 {
			t.Errorf("%+v, %v", report, err)
		}
		o.Config.Remove("b")
		if err := o.Config.Save(o.Home.Config()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Refresh(t.Context(), "b"); !errors.Is(err, fault.New("unknown-connector", "")) {
			t.Errorf("error %v", err)
		}
	})
}
