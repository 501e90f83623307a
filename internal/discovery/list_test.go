package discovery

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/policy"
)

// Each loss of precision has a pointer into the tool's definition and a reason, and so has what in the list is no tool.
func TestProblems(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	define(t, file,
		[3]string{"loose", `{"type":"object","properties":{"a/b":{},"at":{"type":"object","properties":{"deep":{"type":"array"}}},"$ref":{"$ref":"#/$defs/nowhere"}}}`, ""},
		[3]string{"fine", `{"type":"object","properties":{"q":{"type":"string"}}}`, `{"type":"object","properties":{"n":{"type":"integer"}}}`})
	off := fixture(t, "off")
	off.Disabled = true
	o := place(t, nil, fixture(t, "a", "-define", file, "-only", "loose,fine", "-malformed"), fixture(t, "twice", "-only", "echo,text", "-duplicate", "conflict"), fixture(t, "down", "-die-start", "1"), off)
	r := run(t, o)
	l, err := List(o.Config, nil, "", nil, o.Store, "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Issue{}
	for _, x := range l.Problems {
		if x.Code == "" || x.Message == "" || x.Connector == "" {
			t.Errorf("%+v", x)
		}
		got[x.Connector+"."+x.Tool+" "+x.Pointer+" "+x.Code] = x
	}
	for _, want := range []struct {
		key           string
		loss, skipped bool
	}{
		{"a.loose /inputSchema/properties/a~1b no-type", true, false},
		{"a.loose /inputSchema/properties/at/properties/deep no-items", true, false},
		{"a.loose /outputSchema no-output-schema", false, false},
		{"a.odd_hints  listing", false, false},
		{"a.  listing", false, true},
		{"twice.echo  listing", false, true},
		{"down.  unreachable", false, false},
		{"off.  not-asked", false, false},
	} {
		x, ok := got[want.key]
		if !ok || x.Loss != want.loss || x.Skipped != want.skipped && want.key != "a.  listing" {
			t.Errorf("%q: %+v, %v", want.key, x, ok)
		}
	}
	for key, x := range got {
		if x.Tool == "fine" {
			t.Errorf("%s: %+v", key, x)
		}
	}
	if t.Failed() {
		for key := range got {
			t.Log(key)
		}
	}
	s := server(t, r, "a")
	if s.Typing == nil || s.Typing.ParametersUntyped+s.Typing.ParametersPartly == 0 || len(s.Typing.Reasons) == 0 || server(t, r, "down").Typing != nil {
		t.Errorf("%+v", s.Typing)
	}
	if len(l.Typing) != 2 || l.Typing[0].Connector != "a" || l.Typing[0].Tools != s.Tools {
		t.Errorf("%+v", l.Typing)
	}
	if diff := cmp.Diff(*s.Typing, l.Typing[0].Stats); diff != "" {
		t.Error(diff)
	}
}

// The owner's word goes before the server's, in both directions, and what has become stricter counts at once.
func TestFieldFault115_the_owner_decides(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	define(t, file, [3]string{"get_and_delete", `{"type":"object"}`, ""})
	o := place(t, nil, fixture(t, "a", "-define", file, "-only", "get_and_delete,note"))
	o.Policy = policy.Parse([]byte("risk:\n  a:\n    get_and_delete: side_effect\n    note: read_only\n"), "policy.yaml")
	run(t, o)
	tools, err := stored(o.Store, "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tools {
		if want := map[string]catalog.Risk{"get_and_delete": catalog.SideEffect, "note": catalog.ReadOnly}[x.Name]; x.Risk != want {
			t.Errorf("%s: %s, want %s", x.Name, x.Risk, want)
		}
	}
	if hint := tools[0].Annotations.ReadOnlyHint; hint == nil || !*hint {
		t.Errorf("%s", must(t, o)[0].Name)
	}
	b, err := json.Marshal(tools[0].Annotations)
	if err != nil || string(b) != `{"readOnlyHint":true}` {
		t.Errorf("%s, %v", b, err)
	}
}
