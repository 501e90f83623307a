package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/catalog"
)

const (
	ro = catalog.ReadOnly
	se = catalog.SideEffect
)

func TestBothDirectionsAtDiscoveryOneLater(t *testing.T) {
	p := Parse([]byte("# mine\nrisk:\n  github:\n    search: read_only # reads\n    'get-it': side_effect\n  \"ai\":\n    qwen3:8b: read_only\n    big: side_effect\n  '1':\n    2: side_effect\n"), "policy.yaml")
	if w := p.Warnings(); w != nil {
		t.Fatal(w)
	}
	for _, c := range []struct {
		connector, tool, python string
		said, found, stored     catalog.Risk
	}{
		{"github", "search", "search", se, ro, se},
		{"github", "search", "search", ro, ro, ro},
		{"github", "get-it", "get_it", ro, se, se},
		{"github", "other", "other", ro, ro, ro},
		{"gitlab", "search", "search", se, se, se},
		{"1", "2", "n2", ro, se, se},
	} {
		if got := p.Risk(c.connector, c.tool, c.python, c.said); got != c.found {
			t.Errorf("%+v: %s at discovery", c, got)
		}
		if got := p.Tighten(c.connector, c.tool, c.python, c.said); got != c.stored {
			t.Errorf("%+v: %s when stored", c, got)
		}
	}
	if p.ModelRisk("qwen3:8b", se) != ro || p.ModelRisk("big", ro) != se || p.ModelRisk("x", ro) != ro {
		t.Error("the model goes by its name, in both directions")
	}
	if (*Policy)(nil).Risk("a", "b", "b", ro) != ro || (*Policy)(nil).Warnings() != nil || (*Policy)(nil).Unmatched(nil, nil) != nil {
		t.Error("no policy says nothing")
	}
}

// The policy is keyed by the connector and the exact name on the wire: what is said of one tool is not said of another that has the same name
// but for a separator, whatever the two are called in Python.
func TestFieldFault64_policy_goes_by_the_exact_name(t *testing.T) {
	names := catalog.NewNames(catalog.Method, []string{"read-only", "read_only"})
	for _, c := range []struct {
		policy            string
		dashed, underline catalog.Risk
	}{
		{"risk: {lab: {read-only: side_effect, read_only: read_only}}", se, ro},
		{"risk: {lab: {read-only: read_only}}", ro, se},
		{"risk: {lab: {read_only: read_only}}", se, ro},
		{"risk: {other: {read-only: read_only, read_only: read_only}}", se, se},
	} {
		tools := []catalog.Tool{{Connector: "lab", Name: "read-only", Risk: se}, {Connector: "lab", Name: "read_only", Risk: se}}
		Parse([]byte(c.policy), "p").Apply(tools, names)
		if tools[0].Risk != c.dashed || tools[1].Risk != c.underline {
			t.Errorf("%s: %s and %s", c.policy, tools[0].Risk, tools[1].Risk)
		}
	}
}

// What loosens matches the exact name only; what tightens matches both.
func TestFieldFault65_python_names_only_tighten(t *testing.T) {
	p := Parse([]byte("risk: {demo: {demo_read: read_only, demo_write: side_effect}}"), "p")
	if p.Risk("demo", "demo/read", "demo_read", se) != se || p.Risk("demo", "demo_read", "demo_read", se) != ro || p.Risk("demo", "demo/write", "demo_write", ro) != se {
		t.Error("a Python name loosened, or did not tighten")
	}
	want := []string{`p:1: demo.demo_read counts only under the tool's own name: write "demo/read"`}
	if diff := cmp.Diff(want, p.Unmatched(map[string][]string{"demo": {"demo/read", "demo/write"}}, []string{"demo"})); diff != "" {
		t.Error(diff)
	}
}

func TestStricterReadingWins(t *testing.T) {
	for _, c := range []struct{ name, text, warning string }{
		{"not YAML", "risk:\n  g:\n    good: read_only\n    bad: side_effect\n   x: [", "p:"},
		{"a tab", "risk:\n\tg:\n\t\tgood: read_only\n\t\t\"bad\": side_effect\n", "p:2"},
		{"unknown word", "risk:\n  g:\n    good: readonly\n    bad: side_effect", `p:3: the risk of g.good is read_only or side_effect, and not "readonly": taken as side_effect`},
		{"twice", "risk:\n  g:\n    good: read_only\n    good: side_effect\n    bad: side_effect\n    bad: read_only", "p:4: g.good is there twice"},
		{"connector twice", "risk:\n  g:\n    good: side_effect\n  g:\n    good: read_only\n    bad: side_effect", "p:5: g.good is there twice"},
	} {
		p := Parse([]byte(c.text), "p")
		if len(p.Warnings()) == 0 || !strings.HasPrefix(p.Warnings()[0], c.warning) {
			t.Errorf("%s: %q", c.name, p.Warnings())
		}
		if p.Risk("g", "good", "good", se) != se {
			t.Errorf("%s: loosened", c.name)
		}
		if p.Tighten("g", "bad", "bad", ro) != se {
			t.Errorf("%s: no longer gated", c.name)
		}
	}
	for text, want := range map[string]string{
		"": "", "# nothing\n": "", "risk:\n": "", "risk:\n  g:\n": "",
		"[1, 2]":            "p:1: is not a mapping; it begins with risk:, approval: or idempotent:",
		"risk: 5":           "p:1: risk is not a mapping of connectors",
		"risk:\n  g: [a]":   "p:2: the connector g has no mapping of tools in risk",
		"risks:\n  g: {}\n": `p:1: "risks" is not known; there are risk, approval and idempotent`,
	} {
		p := Parse([]byte(text), "p")
		if got := append(p.Warnings(), "")[0]; got != want || p.Broken() != (want != "") {
			t.Errorf("%q: %q, broken is %t", text, got, p.Broken())
		}
	}
}

func TestUnmatched(t *testing.T) {
	p := Parse([]byte("risk:\n  up: {tool-a: side_effect, tool_a: side_effect, gone: side_effect}\n  down: {x: side_effect}\n  nowhere: {x: side_effect}\n  ai: {m: read_only}\n"), "p")
	want := []string{"p:2: up has no tool gone", "p:4: there is no connector nowhere"}
	if diff := cmp.Diff(want, p.Unmatched(map[string][]string{"up": {"tool-a"}}, []string{"up", "down"})); diff != "" {
		t.Error(diff)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if p := Load(filepath.Join(dir, "none.yaml")); p.Warnings() != nil || p.Risk("a", "b", "b", ro) != ro {
		t.Error(p.Warnings())
	}
	if p := Load(dir); len(p.Warnings()) != 2 || !p.Broken() || p.Approval("a", "b", "allow") != Human {
		t.Error(p.Warnings())
	}
	file := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(file, []byte("\ufeffrisk: {g: {a-b: side_effect}}\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := []catalog.Tool{{Connector: "g", Name: "a-b", Risk: ro}, {Connector: "g", Name: "c", Risk: ro}}
	p := Load(file)
	p.Apply(tools, catalog.NewNames(catalog.Method, []string{"a-b", "c"}))
	if tools[0].Risk != se || tools[1].Risk != ro || p.Warnings() != nil {
		t.Error(tools, p.Warnings())
	}
}

// What stands in the wrong place was meant to tighten, and does.
func TestMisplacedTightens(t *testing.T) {
	for _, text := range []string{"risks:\n  lab:\n    read: side_effect\n", "risk:\n  lab.read: side_effect\n", "lab:\n  read: side_effect\n", "risk: side_effect\nread: side_effect\n"} {
		p := Parse([]byte(text), "policy.yaml")
		if r := p.Tighten("lab", "read", "read", catalog.ReadOnly); r != catalog.SideEffect {
			t.Errorf("%q: read is %s", text, r)
		}
		if r := p.Risk("lab", "write", "write", catalog.SideEffect); r != catalog.SideEffect {
			t.Errorf("%q: write is %s", text, r)
		}
		if len(p.Warnings()) == 0 {
			t.Errorf("%q: no warning", text)
		}
	}
	if r := Parse([]byte("risks:\n  lab:\n    write: read_only\n"), "policy.yaml").Risk("lab", "write", "write", catalog.SideEffect); r != catalog.SideEffect {
		t.Errorf("write is %s", r)
	}
	if r := Parse([]byte("risk:\n  lab: {write: read_only}\nrisks:\n  lab: {}\n"), "policy.yaml").Risk("lab", "write", "write", catalog.SideEffect); r != catalog.SideEffect {
		t.Errorf("of a broken file, write is %s", r)
	}
	flow := Parse([]byte(`risk: {lab: {"a,b": side_effect, read: !!str side_effect, 'x.y': 'side_effect'}`), "policy.yaml")
	for _, tool := range []string{"read", "y", "x.y"} {
		if r := flow.Tighten("lab", tool, tool, catalog.ReadOnly); r != catalog.SideEffect {
			t.Errorf("of a broken file on one line, %s is %s", tool, r)
		}
	}
}

// A link that leads nowhere is no absent file: what it was to say is not known.
func TestDanglingLink(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.Symlink(file+".gone", file); err != nil {
		t.Skip("this machine makes no links: ", err)
	}
	if p := Load(file); !p.Broken() || p.Approval("a", "b", "allow") != Human {
		t.Errorf("broken %v, approval %s", p.Broken(), p.Approval("a", "b", "allow"))
	}
}
