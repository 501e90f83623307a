package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/runlace/runlace/internal/docs"
)

// action is what the test looks at of action.yml.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, Name, Uses, If, Shell, Run string
	With, Env                      map[string]string
}

func readAction(t *testing.T) (a action, text string) {
	t.Helper()
	b, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	return a, string(b)
}

func (a action) step(t *testing.T, name string) actionStep {
	t.Helper()
	i := slices.IndexFunc(a.Runs.Steps, func(s actionStep) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no step %s", name)
	}
	return a.Runs.Steps[i]
}

// The action is what GitHub takes: inputs with defaults that are used, outputs of steps that are there, scripts that are right for bash.
func TestAction(t *testing.T) {
	a, text := readAction(t)
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" {
		t.Errorf("%+v", a)
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !strings.Contains(text, "inputs."+name) {
			t.Errorf("input %s is not described, or not used", name)
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %s", m[1])
		}
	}
	for name, out := range a.Outputs {
		m := regexp.MustCompile(`^\$\{\{ steps\.([a-z]+)\.outputs\.([a-z]+) \}\}$`).FindStringSubmatch(out.Value)
		if m == nil {
			t.Errorf("output %s is %s", name, out.Value)
			continue
		}
		i := slices.IndexFunc(a.Runs.Steps, func(s actionStep) bool { return s.ID == m[1] })
		if i < 0 || !strings.Contains(a.Runs.Steps[i].Run, `"`+m[2]+`=`) {
			t.Errorf("output %s comes from nowhere", name)
		}
	}
	for i, s := range a.Runs.Steps {
		switch {
		case (s.Uses == "") == (s.Run == ""):
			t.Errorf("step %d has to use something, or run something", i)
		case s.Uses != "" && !regexp.MustCompile(`^[\w-]+/[\w-]+@v\d+$`).MatchString(s.Uses):
			t.Errorf("step %d uses %s", i, s.Uses)
		case s.Run != "":
			if s.Shell != "bash" || !strings.HasPrefix(s.Run, "set -euo pipefail\n") {
				t.Errorf("%s does not end at its first error", s.Name)
			}
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s puts an expression into its script, where an input could end it: it belongs into env", s.Name)
			}
			if out, err := exec.Command("bash", "-n", "-c", s.Run).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", s.Name, err, out)
			}
		}
	}
	files := regexp.MustCompile(`\$ACTION/([\w./-]+)`).FindAllStringSubmatch(text, -1)
	for _, m := range files {
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Error(err)
		}
	}
	if len(files) < 2 {
		t.Error("no files of the action were found")
	}
}

// The hooks for pre-commit call a command that there is.
func TestPreCommitHooks(t *testing.T) {
	b, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct{ ID, Name, Entry, Language, Files string }
	if err := yaml.Unmarshal(b, &hooks); err != nil || len(hooks) != 1 {
		t.Fatalf("%v: %+v", err, hooks)
	}
	for _, h := range hooks {
		if err := docs.Parses(newRoot(&output{}, nil), h.Entry); err != nil || h.ID == "" || h.Name == "" || h.Language != "golang" {
			t.Errorf("%+v: %v", h, err)
		}
		for path, want := range map[string]bool{
			"runlace.yaml": true, "flows/runlace.lock": true, "workflows/a/workflow.py": true, "workflows/a/cases/b/1.json": true, "README.md": false, "x/myworkflow.py": false,
		} {
			if regexp.MustCompile(h.Files).MatchString(path) != want {
				t.Errorf("%s: matches %s: %v", h.ID, path, !want)
			}
		}
	}
}

// flows writes a project with a workflow, of which each part can be another.
func flows(t *testing.T, dir, code, inputs string) {
	t.Helper()
	for name, text := range map[string]string{
		"runlace.yaml":                        "version: 1\n",
		"workflows/greet/workflow.py":         "from runlace_types import Ctx, Output\n\n\ndef run(ctx: Ctx) -> Output:\n    return {\"text\": " + code + "}\n",
		"workflows/greet/workflow.yaml":       "inputs: " + inputs + "\noutputs: {type: object, properties: {text: {type: string}}, required: [text]}\n",
		"workflows/greet/cases/ada case.yaml": "inputs: {name: Ada, mark: \"!\"}\noutput: {text: Hello Ada}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The scripts of the action do what they are for, with the command itself.
func TestActionRuns(t *testing.T) {
	const inputs = `{type: object, properties: {name: {type: string}, mark: {type: string}}, required: [name]}`
	a, _ := readAction(t)
	dir := t.TempDir()
	binary := filepath.Join(dir, "runlace")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	good := `"Hello " + ctx.inputs["name"]`
	flows(t, filepath.Join(dir, "good"), good, inputs)
	for _, name := range []string{"good", "other output", "breaking", "new", "gone"} {
		flows(t, filepath.Join(dir, "base", name), good, inputs)
	}
	flows(t, filepath.Join(dir, "new"), good, inputs)
	flows(t, filepath.Join(dir, "gone"), good, inputs)
	for from, to := range map[string]string{"new/workflows/greet": "new/workflows/greet two", "gone/workflows/greet": "gone/.other"} {
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	flows(t, filepath.Join(dir, "other output"), `"Goodbye " + ctx.inputs["name"]`, inputs)
	flows(t, filepath.Join(dir, "breaking"), `"Hello " + ctx.inputs["name"] + ctx.inputs["mark"]`, strings.Replace(inputs, "required: [name]", "required: [name, mark]", 1))
	pyright, err := filepath.Abs("../../testdata/servers/node_modules/pyright")
	if err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("RUNLACE_CACHE")
	if cache == "" {
		cache = filepath.Join(dir, "cache")
	}
	run := func(t *testing.T, name string, env map[string]string) (code int, stdout string, outputs string) {
		t.Helper()
		step := a.step(t, name)
		into := filepath.Join(t.TempDir(), "output")
		c := exec.Command("bash", "-c", step.Run)
		c.Dir = dir
		c.Env = append(os.Environ(), "GITHUB_OUTPUT="+into, "GITHUB_STEP_SUMMARY="+into+"-summary", "RUNNER_TEMP="+dir, "RUNLACE_PYRIGHT="+pyright, "RUNLACE_CACHE="+cache, "BINARY="+binary)
		for key := range step.Env {
			if _, ok := env[key]; !ok && key != "BINARY" && key != "RUNLACE_CACHE" {
				c.Env = append(c.Env, key+"=")
			}
		}
		for key, value := range env {
			c.Env = append(c.Env, key+"="+value)
		}
		out, err := c.Output()
		if err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(into)
		if err != nil && c.ProcessState.ExitCode() <= 1 {
			t.Fatal(err)
		}
		return c.ProcessState.ExitCode(), string(out), string(written)
	}

	t.Run("check without findings", func(t *testing.T) {
		code, out, outputs := run(t, "Check", map[string]string{"DIRECTORY": "good", "ARGUMENTS": "--jobs 1 --no-cache"})
		if code != 0 || out != "" || outputs != "findings=false\n" {
			t.Errorf("%d %q %q", code, out, outputs)
		}
	})
	t.Run("check with findings, and SARIF", func(t *testing.T) {
		code, out, outputs := run(t, "Check", map[string]string{"DIRECTORY": "other output", "SARIF": "findings.sarif"})
		if code != 1 || outputs != "findings=true\n" || !regexp.MustCompile(`(?m)^::error file=other output/workflows/greet/cases/ada case.yaml,line=2,`).MatchString(out) {
			t.Errorf("%d %q %q", code, out, outputs)
		}
		sarif, err := os.ReadFile(filepath.Join(dir, "findings.sarif"))
		if err != nil || !strings.Contains(string(sarif), `"ruleId": "output-differs"`) {
			t.Errorf("%v: %s", err, sarif)
		}
	})
	t.Run("check of no project", func(t *testing.T) {
		if code, _, _ := run(t, "Check", map[string]string{"DIRECTORY": ".", "SARIF": "none.sarif"}); code != 2 {
			t.Errorf("exit code %d", code)
		}
	})
	for _, c := range []struct {
		now     string
		breaks  bool
		comment string
	}{
		{"good", false, ""},
		{"other output", false, "### Workflow `greet`: callers do not break"},
		{"breaking", true, "### Workflow `greet`: callers break"},
		{"new", true, "### Workflow `greet two`: new\n\n### Workflow `greet`: gone\n"},
		{"gone", true, "### Workflow `greet`: gone\n"},
	} {
		t.Run("compare "+c.now, func(t *testing.T) {
			code, _, outputs := run(t, "Compare", map[string]string{"DIRECTORY": c.now, "BASE": "base", "COMMENT": "comment.md"})
			text, err := os.ReadFile(filepath.Join(dir, "comment.md"))
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("breaks=%v\n", c.breaks)
			if c.comment != "" {
				want = "comment=comment.md\n" + want
			}
			if code != 0 || outputs != want || !strings.HasPrefix(string(text), c.comment) || (c.comment == "") != (len(text) == 0) {
				t.Errorf("%d %q\n%s", code, outputs, text)
			}
		})
	}
}
