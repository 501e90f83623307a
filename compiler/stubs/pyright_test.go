package stubs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
)

// pyright finds the checker; the test is skipped without one.
func pyright(t *testing.T) string {
	t.Helper()
	for _, path := range []string{os.Getenv("RUNLACE_PYRIGHT"), "../../testdata/servers/node_modules/.bin/pyright"} {
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			if path, err = filepath.Abs(path); err == nil {
				return path
			}
		}
	}
	if path, err := exec.LookPath("pyright"); err == nil {
		return path
	}
	t.Fatal("there is no pyright: run make servers, or set RUNLACE_PYRIGHT")
	return ""
}

// The stubs of the corpus and of all vectors together pass pyright in strict mode, and a workflow is refused exactly where it has to be.
func TestPyright(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it checks the stubs of 3 633 tools with pyright, which takes seconds")
	}
	checker := pyright(t)
	tools := corpus(t)
	for name, list := range vectors(t) {
		tools[name] = list
	}
	tools["ai"] = []catalog.Tool{{Name: "c"}}
	tools["faults"], tools["awkward"] = faultTools(), awkwardTools()
	g := newGenerator(5)
	for i := range 60 {
		name := fmt.Sprintf("generated-%d", i)
		tools["generated"] = append(tools["generated"], catalog.Tool{Name: name, InputSchema: json.RawMessage(g.document()), OutputSchema: json.RawMessage(g.document())})
	}
	dir := t.TempDir()
	if err := Write(dir, BuildAll(tools)); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("testdata/uses.py")
	if err != nil {
		t.Fatal(err)
	}
	typed, _, err := Workflow(json.RawMessage(`{"type":"object","properties":{"class":{"type":"string"},"rows":{"$ref":"#/$defs/R"}},"$defs":{"R":{"type":"array","items":{"$ref":"#/$defs/R"}}}}`),
		json.RawMessage(`{"anyOf":[{"type":"object","properties":{"from":{"type":"integer"}},"additionalProperties":{"type":"string"}},{"type":"null"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"uses.py": string(source), "typed.pyi": typed,
		"pyrightconfig.json": `{"include":["runlace_types","uses.py","typed.pyi"],"typeCheckingMode":"strict","pythonVersion":"3.13","reportUnusedExpression":"none"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(checker, "--outputjson")
	cmd.Dir = dir
	out, err := cmd.Output() // it ends with 1 where there are errors
	var report struct {
		GeneralDiagnostics []struct {
			File, Severity, Message, Rule string
			Range                         struct{ Start struct{ Line int } }
		}
		Summary struct{ FilesAnalyzed int }
	}
	if e := json.Unmarshal(out, &report); e != nil {
		t.Fatalf("%v, %v: %s", err, e, out)
	}
	if report.Summary.FilesAnalyzed < len(tools) {
		t.Errorf("only %d files were checked", report.Summary.FilesAnalyzed)
	}
	expected := map[int]string{}
	mark := regexp.MustCompile(`# error (\S+)$`)
	for i, line := range strings.Split(string(source), "\n") {
		if m := mark.FindStringSubmatch(line); m != nil {
			expected[i] = m[1]
		}
	}
	met := map[int]bool{}
	for _, d := range report.GeneralDiagnostics {
		if d.Severity != "error" {
			continue
		}
		line := d.Range.Start.Line
		if filepath.Base(d.File) == "uses.py" && strings.Contains("|"+expected[line]+"|", "|"+d.Rule+"|") {
			met[line] = true
			continue
		}
		t.Errorf("%s:%d: %s (%s)", filepath.Base(d.File), line+1, d.Message, d.Rule)
	}
	for line, rule := range expected {
		if !met[line] {
			t.Errorf("uses.py:%d passed, and should be refused (%s)", line+1, rule)
		}
	}
}
