package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/docs"
	"github.com/runlace/runlace/internal/fault"
)

var update = flag.Bool("update", false, "write the pages of docs/ that are made from the code")

const docsDir = "../../docs"

// The pages that are made from the code say what the code says. Every command has an example that a script runs.
func TestDocs(t *testing.T) {
	root := newRoot(&output{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}, nil)
	examples := docs.Examples(scripts(t)...)
	commands := docs.Visible(root)
	for _, c := range commands {
		if c.Runnable() && !c.HasSubCommands() && len(docs.For(c, commands, examples)) == 0 {
			t.Errorf("%s has no example: end a line of a script in testdata/script with # example", c.CommandPath())
		}
	}
	for name, want := range map[string]string{"commands.md": docs.Commands(root, examples), "errors.md": docs.Errors(fault.Table())} {
		path := filepath.Join(docsDir, name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if changes := diff.Diff("docs/"+name, got, "the code", []byte(want)); len(changes) > 0 {
			t.Errorf("docs/%s is stale: go test ./cmd/runlace -run TestDocs -update writes it anew\n%s", name, changes)
		}
	}
}

func scripts(t *testing.T) (texts []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	return texts
}

// What is shown in the pages can be written: each command is one, with flags that it has. So are the examples of --help.
func TestDocsCommandsParse(t *testing.T) {
	lines := map[string][]string{}
	pages := pages(t)
	for _, path := range pages {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines[path] = docs.CommandLines(string(b))
	}
	for _, c := range docs.Visible(newRoot(&output{}, nil)) {
		for _, line := range strings.Split(c.Example, "\n") {
			lines[c.CommandPath()+" --help"] = append(lines[c.CommandPath()+" --help"], docs.CommandLines("    "+strings.TrimSpace(line))...)
		}
	}
	n := 0
	for where, list := range lines {
		for _, line := range list {
			n++
			root := newRoot(&output{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}, nil) // flags keep what they were set to
			if err := docs.Parses(root, line); err != nil {
				t.Errorf("%s: %s: %v", where, line, err)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d commands were found", n)
	}
}

// The project that docs/ci.md shows passes its own check.
func TestDocsProject(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docsDir, "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range regexp.MustCompile("(?s)\n```(?:yaml|python)\n# ((?:runlace|workflows/)\\S+)\n(.*?)\n```\n").FindAllStringSubmatch(string(page), -1) {
		write(m[1], m[2]+"\n")
	}
	content := json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`)
	lock := map[string]any{"version": 1, "connectors": []any{map[string]any{"name": "files", "attr": "files", "tools": []any{
		locked("read_text_file", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, content, true),
		locked("write_file", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`, content, false),
	}}}}
	text, err := json.Marshal(lock)
	if err != nil {
		t.Fatal(err)
	}
	write("runlace.lock", string(text))
	t.Setenv(pyright.Variable, filepath.Join(connectortest.Modules(t), "pyright"))
	var stdout, stderr bytes.Buffer
	o := &output{stdout: &stdout, stderr: &stderr}
	if err := newRoot(o, []string{"check", dir, "--no-cache"}).Execute(); err != nil || !strings.Contains(stderr.String(), "1 workflow, 2 cases: no findings") {
		t.Errorf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
}

// locked is a tool in a lock.
func locked(name, input string, output json.RawMessage, reads bool) map[string]any {
	risk := catalog.SideEffect
	if reads {
		risk = catalog.ReadOnly
	}
	tool := catalog.Tool{Connector: "files", Name: name, InputSchema: json.RawMessage(input), OutputSchema: output, Annotations: catalog.Annotations{ReadOnlyHint: &reads}}
	return map[string]any{
		"name": name, "python": name, "risk": risk, "digest": catalog.Digest(tool), "annotations": tool.Annotations, "input_schema": tool.InputSchema, "output_schema": output,
	}
}

func TestDocsLinks(t *testing.T) {
	for _, path := range pages(t) {
		broken, err := docs.BrokenLinks(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(broken) > 0 {
			t.Errorf("%s leads nowhere with %s", path, strings.Join(broken, ", "))
		}
	}
}

// pages are those of docs/, and those on the top level.
func pages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(docsDir + "/*.md")
	if err != nil || len(pages) < 7 {
		t.Fatal(pages, err)
	}
	return append(pages, "../../README.md")
}
