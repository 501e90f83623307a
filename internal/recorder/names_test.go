package recorder

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/sandbox"
)

// A name that has a suffix has it beside others. The lock has those as well, used or not, so that a check calls everything as the home does; of the
// rest it has what is used.
func TestLockKeepsNames(t *testing.T) {
	engine, err := sandbox.Open(t.Context(), home.Cache(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	known := map[string][]string{
		"my files": {"get-item", "get item", "get.item", "plain", "other"},
		"my-files": {"x"},
		"alone":    {"exact", "e-x", "other"},
	}
	all := map[string][]catalog.Tool{}
	var listed []catalog.Tool
	for connector, tools := range known {
		for _, name := range tools {
			listed = append(listed, catalog.New(connector, catalog.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}))
		}
	}
	for _, tool := range listed {
		all[tool.Connector] = append(all[tool.Connector], tool)
	}
	python := map[catalog.Key]string{}
	for _, c := range stubs.BuildAll(all) {
		for _, m := range c.Methods() {
			python[m.Tool.Key()] = "ctx." + c.Attr + "." + m.Python
		}
	}
	call := func(connector, tool string) string {
		return python[catalog.Key{Connector: connector, Tool: tool}] + "()"
	}
	for _, c := range []struct {
		name, code string
		want       []string // connectors, each with its tools
	}{
		{"nothing", "pass", nil},
		{"a plain name", call("alone", "exact"), []string{"alone: exact"}},
		{"a tool with a suffix, of a connector with one", call("my files", "get.item"), []string{"my files: get item, get-item, get.item", "my-files: "}},
		{"a plain tool of a connector with a suffix", call("my-files", "x") + "\n    " + call("alone", "e-x"), []string{"alone: e-x", "my files: ", "my-files: x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{project.File: "version: 1\n", "workflows/w/workflow.py": "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> object:\n    " + c.code + "\n    return None\n"} {
				if _, err := project.Replace(filepath.Join(dir, file), []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			ask := func(_ context.Context, connectors []string) (*Answer, error) {
				return &Answer{Tools: slices.DeleteFunc(slices.Clone(listed), func(t catalog.Tool) bool { return !slices.Contains(connectors, t.Connector) })}, nil
			}
			tools := func() *Lock {
				p, err := project.Load(dir)
				if err != nil {
					t.Fatal(err)
				}
				l, err := Tools(t.Context(), p, lint.New(engine), []string{"my files", "alone", "my-files"}, ask)
				if err != nil || len(l.Findings) > 0 {
					t.Fatal(err, l.Findings)
				}
				return l
			}
			l := tools()
			var got []string
			for _, x := range l.Now.Connectors {
				var names []string
				for _, tool := range x.Tools {
					names = append(names, tool.Name)
				}
				slices.Sort(names)
				got = append(got, x.Name+": "+strings.Join(names, ", "))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, x := range stubs.BuildAll(l.Now.ByConnector()) {
				for _, m := range x.Methods() {
					if "ctx."+x.Attr+"."+m.Python != python[m.Tool.Key()] {
						t.Errorf("%s is called ctx.%s.%s beside the tools of the lock, and %s beside all", m.Tool.Key(), x.Attr, m.Python, python[m.Tool.Key()])
					}
				}
			}
			if err := l.Write(); err != nil {
				t.Fatal(err)
			}
			slices.Reverse(listed)
			if again := tools(); again.Stale || string(again.Text) != string(l.Text) {
				t.Errorf("the second lock is another:\n%s\n%s", l.Text, again.Text)
			}
		})
	}
}
