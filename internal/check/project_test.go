package check

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/home"
)

// TestMain sets up what every test needs: the pinned pyright.
func TestMain(m *testing.M) {
	if os.Getenv(pyright.Variable) == "" {
		path, err := filepath.Abs("../../testdata/servers/node_modules/pyright")
		if err == nil {
			err = os.Setenv(pyright.Variable, path)
		}
		if err != nil {
			panic(err)
		}
	}
	shared = pyright.New(pyright.In(""), pyright.Options{})
	code := m.Run()
	_ = shared.Close()
	os.Exit(code)
}

// shared is one process of pyright for all tests.
var shared *pyright.Checker

// options are those of a check with an empty cache, but for the compiled sandbox.
func options(t testing.TB, dir string) Options {
	t.Helper()
	cache := t.TempDir()
	if shared := home.Cache(); shared != "" { // the sandbox is compiled already
		entries, err := os.ReadDir(shared)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "check" && e.IsDir() {
				if err := os.Symlink(filepath.Join(shared, e.Name()), filepath.Join(cache, e.Name())); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return Options{Dirs: []string{dir}, CacheDir: cache, Version: "test", Checker: shared}
}

// The tools of the projects in these tests. They are like those of server-filesystem.
var tools = []catalog.Tool{
	catalog.New("files", catalog.Tool{
		Name: "read_text_file", Annotations: catalog.Annotations{ReadOnlyHint: yes()},
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"integer"}},"required":["path"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`),
	}),
	catalog.New("files", catalog.Tool{
		Name: "list_sizes", Annotations: catalog.Annotations{ReadOnlyHint: yes()},
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"sizes":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["sizes"]}`),
	}),
	catalog.New("files", catalog.Tool{
		Name:         "write_file",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`),
	}),
}

func yes() *bool { b := true; return &b }

// lockText is a lock of tools.
func lockText(tools []catalog.Tool) string {
	var blocks []string
	for _, t := range tools {
		a, _ := json.Marshal(t.Annotations)
		blocks = append(blocks, `        {
          "name": "`+t.Name+`",
          "python": "`+t.Name+`",
          "risk": "`+string(t.Risk)+`",
          "digest": "`+t.Digest+`",
          "annotations": `+string(a)+`,
          "input_schema": `+string(t.InputSchema)+`,
          "output_schema": `+string(t.OutputSchema)+`
        }`)
	}
	return `{
  "version": 1,
  "connectors": [
    {
      "name": "files",
      "attr": "files",
      "server": {"name": "files", "version": "1"},
      "tools": [
` + strings.Join(blocks, ",\n") + `
      ]
    }
  ]
}
`
}

const (
	goodCode = `from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    text = ctx.files.read_text_file(path=ctx.inputs["path"])["content"]
    sizes = ctx.files.list_sizes(path="/")["sizes"]
    for name in sorted(sizes):
        if sizes[name] > 10:
            ctx.files.write_file(path=name, content=text)
    return {"lines": len(text.splitlines()), "files": len(sizes)}
`
	goodSettings = `description: copies a text over all large files
inputs:
  type: object
  properties:
    path: {type: string}
  required: [path]
`
	goodCase = `inputs: {path: a.txt}
answers:
  - call: files.read_text_file
    arguments: {path: a.txt}
    result: {content: "one\ntwo"}
    elapsed: 12ms
  - call: files.list_sizes
    arguments: {path: /}
    result: {sizes: {b: 20, a: 30, c: 5}}
    elapsed: 3ms
acts:
  - call: files.write_file
    arguments: {path: a, content: "one\ntwo"}
  - call: files.write_file
    arguments: {path: b, content: "one\ntwo"}
output: {lines: 2, files: 3}
`
)

// files are those of a project, by path.
type files map[string]string

const (
	aCode     = "workflows/copy/workflow.py"
	aSettings = "workflows/copy/workflow.yaml"
	aCase     = "workflows/copy/cases/two.yaml"
	aLock     = "runlace.lock"
	aProject  = "runlace.yaml"
)

// good is a project without findings.
func good() files {
	return files{aProject: "version: 1\nconnectors: {files: {}}\n", aLock: lockText(tools), aCode: goodCode, aSettings: goodSettings, aCase: goodCase}
}

// with replaces a text in a file, which has to be there.
func (f files) with(t *testing.T, file, old, now string) files {
	t.Helper()
	if !strings.Contains(f[file], old) {
		t.Fatalf("%s has no %q", file, old)
	}
	f[file] = strings.Replace(f[file], old, now, 1)
	return f
}

// write writes a project into a folder of the test.
func (f files) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	f.writeTo(t, dir)
	return dir
}

func (f files) writeTo(t testing.TB, dir string) {
	t.Helper()
	for name, text := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// checked checks a project; files in the report are as seen from it.
func checked(t *testing.T, o Options) *report.Report {
	t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	Relative(r, o.Dirs[0])
	return r
}

// text is a report as text, for messages.
func text(t *testing.T, r *report.Report) string {
	t.Helper()
	var b strings.Builder
	if err := report.Write(&b, report.Text, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
