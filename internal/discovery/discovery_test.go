package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

func TestMain(m *testing.M) {
	if os.Getenv(syncing) != "" {
		syncOnce()
		return
	}
	connectortest.Main(m)
}

// place is a home for a test.
func place(t *testing.T, env []string, connectors ...config.Connector) Options {
	t.Helper()
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	secrets := &store.Secrets{}
	s, err := store.Open(h.Database(), store.Options{Redactor: secrets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f := config.New()
	for _, c := range connectors {
		f.Set(c)
	}
	return Options{Home: h, Env: home.NewEnv(append(env, "PATH="+os.Getenv("PATH"))), Config: f, Store: s, Secrets: secrets.Add, Timeout: 10 * time.Second}
}

func fixture(t *testing.T, name string, flags ...string) config.Connector {
	c := connectortest.Fixture(t, flags...)
	c.Name = name
	return c
}

func run(t *testing.T, o Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func server(t *testing.T, r *Report, name string) Server {
	t.Helper()
	i := slices.IndexFunc(r.Servers, func(s Server) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("%s is not in the report", name)
	}
	return r.Servers[i]
}

// What one server does wrong costs its own time and nothing else, and each is told of.
func TestAllAtOnce(t *testing.T) {
	connectortest.NoLeaks(t)
	hangs := fixture(t, "hangs", "-hang-start")
	hangs.Timeout = config.Duration(700 * time.Millisecond)
	lists := fixture(t, "lists", "-hang-list")
	lists.Timeout = config.Duration(700 * time.Millisecond)
	off := fixture(t, "off")
	off.Disabled = true
	unset := fixture(t, "unset", "${NOT_SET_ANYWHERE}")
	o := place(t, nil, hangs, lists, off, unset, fixture(t, "good", "-pages", "3"), fixture(t, "dies", "-die-start", "2"),
		config.Connector{Name: "gone", Transport: config.Stdio, Command: "no-such-program"})
	o.Problems = []config.Problem{{Connector: "typo", Key: "connectors.typo.comand", Message: "there is no command", Skipped: true}}
	states := map[string][]string{}
	o.Progress = func(p Progress) { states[p.Server] = append(states[p.Server], p.State) }
	start := time.Now()
	r := run(t, o)
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("took %s", took)
	}
	for name, want := range map[string]string{
		"good": "connected", "hangs": "error connector-unreachable", "lists": "error call-timeout", "off": "skipped bad-connector",
		"unset": "skipped unset-variable", "dies": "error connector-unreachable", "gone": "error connector-unreachable", "typo": "skipped bad-config",
	} {
		s := server(t, r, name)
		got := s.Status
		if s.Err() != nil {
			got += " " + fault.Of(s.Err()).Code
		}
		if got != want || (s.Detail == "") != (name == "good") {
			t.Errorf("%s: %s (%s), want %s", name, got, s.Detail, want)
		}
	}
	if !slices.IsSortedFunc(r.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the servers are not in order")
	}
	if r.Connected != 1 || r.Tools < 20 || r.Tools != len(r.Changes.Added) {
		t.Errorf("%d connected, %d tools, %d added", r.Connected, r.Tools, len(r.Changes.Added))
	}
	if got := strings.Join(states["good"], " "); got != "starting listing connected" {
		t.Errorf("good: %s", got)
	}
	if s := server(t, r, "dies"); len(s.Stderr) == 0 || !strings.Contains(s.Stderr[0], "no such database") {
		t.Errorf("standard error: %q", s.Stderr)
	}
	if _, err := os.Stat(filepath.Join(o.Home.Types(), "connectors", "good.pyi")); err != nil {
		t.Error(err)
	}
}

// A server that is down keeps its tools, and one that is not configured any more loses them.
func TestKeepsAndForgets(t *testing.T) {
	o := place(t, nil, fixture(t, "a", "-only", "echo,note"), fixture(t, "b", "-only", "items"))
	run(t, o)
	o.Config.Set(fixture(t, "a", "-die-start", "1"))
	r := run(t, o)
	a := server(t, r, "a")
	if a.Status != Failed || a.Tools != 2 || !a.Stale || r.Tools != 3 || len(r.Changes.Removed) != 0 {
		t.Errorf("%+v, %+v", a, r.Changes)
	}
	if !slices.Contains(r.Warnings, "a keeps the 2 tools that it had when it last answered") {
		t.Errorf("warnings: %q", r.Warnings)
	}
	if _, err := os.Stat(filepath.Join(o.Home.Types(), "connectors", "a.pyi")); err != nil {
		t.Error("a tool that is stale has a stub:", err)
	}
	o.Config.Remove("a")
	o.Only = []string{"b"}
	if r = run(t, o); len(r.Forgotten) != 0 {
		t.Errorf("asked about b only, it forgets %v", r.Forgotten)
	}
	o.Only = nil
	if r = run(t, o); !slices.Equal(r.Forgotten, []string{"a"}) || len(r.Changes.Removed) != 2 {
		t.Errorf("forgotten: %v, %+v", r.Forgotten, r.Changes)
	}
	if _, err := os.Stat(filepath.Join(o.Home.Types(), "connectors", "a.pyi")); err == nil {
		t.Error("there is still a stub of a")
	}
	o.Only = []string{"nobody"}
	if _, err := Run(t.Context(), o); !errors.Is(err, fault.New("unknown-connector", "")) {
		t.Errorf("error %v", err)
	}
}

// A workflow whose tool changed or is gone is named, with the reason.
func TestAffected(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "flag")
	o := place(t, nil, fixture(t, "a", "-only", "echo,note,items", "-acts", filepath.Join(t.TempDir(), "acts"), "-drift", "echo", "-drift-file", flag))
	run(t, o)
	tools, err := o.Store.Tools("a")
	if err != nil {
		t.Fatal(err)
	}
	save := func(name string, uses ...string) {
		var pins []store.Pin
		for _, u := range tools {
			if slices.Contains(uses, u.Name) {
				pins = append(pins, store.Pin{Connector: "a", Tool: u.Name, Risk: u.Risk, Digest: u.Digest, InputSchema: u.InputSchema, OutputSchema: u.OutputSchema, Annotations: u.Annotations})
			}
		}
		if _, err := o.Store.SaveVersion(store.NewVersion{Name: name, Code: "pass", Inputs: json.RawMessage(`{}`), Pins: pins}); err != nil {
			t.Fatal(err)
		}
	}
	save("changes", "echo", "items")
	save("loses", "note")
	save("stays", "items")
	if r := run(t, o); len(r.Workflows) != 0 || r.Checked != 3 {
		t.Errorf("%+v of %d", r.Workflows, r.Checked)
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ := o.Config.Find("a")
	c.Args[1] = "echo,items"
	o.Config.Set(c)
	for range 2 { // and so it stays
		r := run(t, o)
		if len(r.Workflows) != 2 || r.Workflows[0].Name != "changes" || r.Workflows[1].Name != "loses" {
			t.Fatalf("%+v", r.Workflows)
		}
		if got := r.Workflows[0].Reasons; len(got) != 1 || got[0] != "a.echo changed: parameter `reason` is new and required: string" {
			t.Errorf("%q", got)
		}
		if got := r.Workflows[1].Reasons; !slices.Equal(got, []string{"a.note: the tool is gone"}) {
			t.Errorf("%q", got)
		}
	}
	o.Config.Remove("a")
	r := run(t, o)
	if len(r.Workflows) != 3 || r.Workflows[2].Reasons[0] != "a.items: there is no connector a any more, or it has no tools" {
		t.Errorf("%+v", r.Workflows)
	}
}

// A secret's value is in nothing that is written or reported.
func TestSecrets(t *testing.T) {
	const secret = "tok-9d1e77a0c4b2f853"
	define := filepath.Join(t.TempDir(), "define.json")
	text := `[{"tool": {"name": "x", "description": "it is ` + secret + `", "inputSchema": {"type": "object", "properties": {"a": {"type": "string", "default": "` + secret + `"}}}}, "result": {}, "act": false}]`
	if err := os.WriteFile(define, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := fixture(t, "a", "-only", "echo", "-secret", "TOKEN", "-die-start", "4"), fixture(t, "b", "-only", "x", "-define", define)
	a.Env, b.Env = map[string]string{"TOKEN": "${A_TOKEN}"}, map[string]string{"TOKEN": "${A_TOKEN}"}
	o := place(t, []string{"A_TOKEN=" + secret}, a, b)
	r := run(t, o)
	if s := server(t, r, "b"); s.Tools != 1 || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Reason, "a secret") {
		t.Errorf("%+v", s)
	}
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(got), secret) {
		t.Errorf("the report has it: %s", got)
	}
	err = filepath.WalkDir(o.Home.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), secret) {
			t.Errorf("%s has it", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPolicy(t *testing.T) {
	o := place(t, nil, fixture(t, "a", "-only", "echo,note"), fixture(t, "down", "-die-start", "1"))
	o.Policy = policy.Parse([]byte("risk:\n  a:\n    echo: side_effect\n    note: read_only\n    nothing: read_only\n  down:\n    x: read_only\n"), "policy.yaml")
	r := run(t, o)
	tools, err := o.Store.Tools("a")
	if err != nil {
		t.Fatal(err)
	}
	if tools[0].Risk != store.SideEffect || tools[1].Risk != store.ReadOnly {
		t.Errorf("%s %s, %s %s", tools[0].Name, tools[0].Risk, tools[1].Name, tools[1].Risk)
	}
	if !slices.Equal(r.Warnings, []string{"policy.yaml:5: a has no tool nothing"}) {
		t.Errorf("%q", r.Warnings)
	}
	l, err := List(o.Config, nil, "", policy.Parse([]byte("risk:\n  a:\n    note: side_effect\n"), ""), o.Store, "a")
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Tools) != 2 || l.Tools[0].Risk != string(catalog.SideEffect) || l.Tools[1].Risk != string(catalog.SideEffect) || l.Tools[1].Call != "ctx.a.note(...)" {
		t.Errorf("%+v", l.Tools)
	}
}

// Cancelled in between, it leaves everything as it was.
func TestCancelled(t *testing.T) {
	o := place(t, nil, fixture(t, "a", "-only", "echo"))
	run(t, o)
	o.Config.Set(fixture(t, "a", "-hang-start"))
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(Progress) { cancel() }
	if _, err := Run(ctx, o); !errors.Is(err, fault.New("cancelled", "")) {
		t.Errorf("error %v", err)
	}
	tools, err := o.Store.Tools("a")
	if err != nil || len(tools) != 1 || tools[0].Stale {
		t.Errorf("%+v, %v", tools, err)
	}
}

// The stubs are checked by pyright once, and again when they are other ones.
func TestStubsAreChecked(t *testing.T) {
	t.Setenv(pyright.Variable, filepath.Join(connectortest.Modules(t), "pyright"))
	names := []string{"a", "any", "none", "TypedDict", "class", "2cool", "ai", "a b", "a-b", "str"}
	var all []config.Connector
	for _, n := range names {
		all = append(all, fixture(t, n, "-only", "echo,items,note"))
	}
	o := place(t, nil, all...)
	o.Check = true
	checks := 0
	o.Progress = func(p Progress) {
		if p.State == "checking" {
			checks++
		}
	}
	for range 2 {
		r := run(t, o)
		if !r.Stubs.Checked || r.Stubs.Err() != nil || r.Stubs.Files != len(names) {
			t.Fatalf("%+v", r.Stubs)
		}
	}
	if checks != 1 {
		t.Errorf("checked %d times", checks)
	}
	if err := os.WriteFile(filepath.Join(o.Home.Types(), "connectors", "a.pyi"), []byte("x: Nothing = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command, err := pyright.Find("")
	if err != nil {
		t.Fatal(err)
	}
	found, err := pyright.CheckFolder(t.Context(), command, o.Home.Types())
	if err != nil || len(found) == 0 || found[0].File != "connectors/a.pyi" || found[0].Line != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	if err := (Stubs{Errors: found}).Err(); !errors.Is(err, fault.New("stubs-invalid", "")) || !strings.Contains(err.Error(), "line 1 of connectors/a.pyi") {
		t.Error(err)
	}

	// A checker that is not there is told of, and is no failure.
	t.Setenv(pyright.Variable, filepath.Join(t.TempDir(), "nowhere"))
	r := run(t, o)
	if r.Stubs.Checked || r.Stubs.Problem == nil || r.Stubs.Problem.Code != "checker-missing" {
		t.Errorf("%+v", r.Stubs)
	}
}
