package config

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/runtime"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (go test -update writes it anew):\n%s", path, d)
	}
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return fault.Of(err).Code
}

func TestLoad(t *testing.T) {
	f, problems, err := Parse("config.json", []byte(`{
	// by hand
	"version": 2,
	"approval": "human",
	"results": "strict",
	"limits": {"fuel": 5000000000, "timeout": "10m", "call_timeout": 90,},
	"connectors": {
		"files": {"transport": "stdio", "command": "npx", "args": ["-y", "server", 8080], "env": {"A": "${B}"}, "cwd": "~/x", "envFile": ".env", "timeout": "45s", "disabled": true, "source": "/x"},
		"docs": {"url": "https://docs.example/mcp", "headers": {"Authorization": "Bearer ${T}"}, "timeout": 1.5},
		"old": {"transport": "sse", "attr": "old", "url": "http://127.0.0.1:${PORT:-8000}/sse"},
	},
}`))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	want := &File{Version: 2, Approval: Human, Results: Strict, Limits: runtime.Limits{Fuel: 5000000000, Timeout: 10 * time.Minute, CallTimeout: 90 * time.Second},
		Connectors: []Connector{
			{Name: "docs", Transport: HTTP, URL: "https://docs.example/mcp", Headers: map[string]string{"Authorization": "Bearer ${T}"}, Timeout: Duration(1500 * time.Millisecond), File: "config.json"},
			{Name: "files", Transport: Stdio, Command: "npx", Args: []string{"-y", "server", "8080"}, Env: map[string]string{"A": "${B}"}, Dir: "~/x", EnvFile: ".env",
				Timeout: Duration(45 * time.Second), Disabled: true, Source: "/x", File: "config.json"},
			{Name: "old", Transport: SSE, URL: "http://127.0.0.1:${PORT:-8000}/sse", File: "config.json"},
		}}
	if d := cmp.Diff(want, f, cmpopts.IgnoreUnexported(File{})); d != "" {
		t.Error(d)
	}
}

// A connector that cannot be used costs only itself.
func TestProblems(t *testing.T) {
	f, problems, err := Parse("c", []byte(`{
"versoin": 2,
"limits": {"feul": 1},
"connectors": {
"a": 1,
"b": {},
"c": {"command": "x", "url": "https://y"},
"d": {"transport": "ws", "url": "wss://y"},
"e": {"url": "ftp://y"},
"f": {"url": "https://y", "headers": {"a b": "c"}},
"g": {"url": "https://y", "headers": {"A": "hunter2\nB: c"}},
"h": {"command": "x", "args": "y"},
"i": {"command": "x", "env": {"A": ["hunter2"]}},
"j": {"command": "x", "timeout": "soon"},
"k": {"command": "x", "disabled": "no"},
"l": {"command": "x", "extra": 1},
"m": {"command": "x"},
"m": {"command": "y"},
" ": {"command": "x"},
"n": {"transport": "http", "command": "x"},
"o": {"url": "https://"},
"p": {"url": "https://y:${PORT}/z"},
"q": {"transport": "stdio", "url": "https://y"},
"r": {"command": "x", "headers": {"A": "b"}}
}}`))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range problems {
		skipped := ""
		if p.Skipped {
			skipped = " (skipped)"
		}
		fmt.Fprintf(&b, "%v%s\n", p, skipped)
	}
	if strings.Contains(b.String(), "hunter2") {
		t.Error("a value is printed")
	}
	golden(t, "problems.txt", []byte(b.String()))
	var names []string
	for _, c := range f.Connectors {
		names = append(names, c.Name+"="+c.Command+c.URL)
	}
	if d := cmp.Diff([]string{"l=x", "m=y", "p=https://y:${PORT}/z"}, names); d != "" {
		t.Error(d)
	}
}

// A setting that cannot be followed is no reason to follow another one.
func TestBadConfig(t *testing.T) {
	for _, text := range []string{
		``, " \n", `// only this`, `[]`, `{`, `{"version": "2"}`, `{"version": 3}`, `{"version": 0}`, `{"version": 2.0}`, `{"approval": "humam"}`, `{"approval": true}`, `{"results": "strct"}`, `{"results": null}`, `{"approval": "human", "approval": "allow"}`,
		`{"limits": 1}`, `{"limits": {"fuel": 0}}`, `{"limits": {"fuel": 1e9}}`, `{"limits": {"recursion": "1"}}`, `{"limits": {"timeout": "soon"}}`, `{"limits": {"timeout": 0}}`,
		`{"limits": {"timeout": -1}}`, `{"connectors": []}`,
	} {
		if _, _, err := Parse("/h/config.json", []byte(text)); code(err) != "bad-config" || !strings.Contains(err.Error(), "/h/config.json") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, _, err := Load(filepath.Join(t.TempDir(), "config.json")); code(err) != "no-config" {
		t.Error(err)
	}
	if _, _, err := Load(t.TempDir()); code(err) != "bad-config" {
		t.Error(err)
	}
}

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	f := New()
	f.Set(Connector{Name: "files", Transport: Stdio, Command: "npx", Args: []string{"-y", "server-files", `C:\Work Dir\A & B`, "${HOME}"}, Env: map[string]string{"B": "2", "A": "1"}, Timeout: Duration(45 * time.Second)})
	if f.Set(Connector{Name: "docs", Transport: HTTP, URL: "https://docs.example/mcp", Headers: map[string]string{"Authorization": "Bearer ${DOCS_TOKEN}"}}) {
		t.Error("there was none")
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "saved.json", text)
	again, problems, err := Load(path)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if d := cmp.Diff(f, again, cmpopts.IgnoreUnexported(File{}), cmpopts.IgnoreFields(Connector{}, "File")); d != "" {
		t.Error(d)
	}
	if err := again.Save(path); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(path); string(now) != string(text) {
		t.Errorf("saving what was read changes it: %s", now)
	}
	// and once more with the same File, which knows what it wrote
	if !again.Remove("docs") || again.Remove("docs") {
		t.Error("Remove")
	}
	if err := again.Save(path); err != nil {
		t.Fatal(err)
	}
	if last, _, err := Load(path); err != nil || len(last.Connectors) != 1 {
		t.Error(last, err)
	}
}

// What is not ours stays: comments, unknown keys, connectors that cannot be used, settings in other words.
func TestSaveKeeps(t *testing.T) {
	for name, in := range map[string]string{
		"keeps.jsonc": `// my connectors
{
  "version": 1, // of old
  "mine": {"a": [1.0, 12345678901234567890]},
  "limits": {"timeout": 600, "fuel": 7, "new_limit": 3},
  "connectors": {
    "broken": {"url": 5}, // to be repaired
    // the files
    "files": {"command": "old", "args": ["x"], "note": "keep me", "attr": "files", "cwd": "/gone"},
    "gone": {"command": "x"},
    "same": {"command": "s", "timeout": 90}, // stays as it is
  },
}
`,
		"keeps.json": `{"mine": {"a": [1.0, 12345678901234567890]}, "connectors": {"broken": 1, "files": {"command": "old", "note": "keep me"}, "gone": {"command": "x"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
				t.Fatal(err)
			}
			f, _, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			f.Set(Connector{Name: "files", Transport: Stdio, Command: "new"})
			f.Set(Connector{Name: "added", Transport: HTTP, URL: "https://x"})
			f.Remove("gone")
			f.Approval = Human
			f.Limits.Fuel = 0
			if err := f.Save(path); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, got)
			if again, _, err := Load(path); err != nil || again.Approval != Human {
				t.Error(err)
			}
		})
	}
}

func TestSaveKeepsHowResultsAreTaken(t *testing.T) {
	for _, test := range []struct {
		in, results, want string
	}{
		{`{}`, Lenient, ""},
		{`{}`, Strict, `"results": "strict"`},
		{`{"results": "strict"}`, Strict, `"results": "strict"`},
		{`{"results": "strict"}`, Lenient, `"results": "lenient"`},
	} {
		path := filepath.Join(t.TempDir(), "config.json")
		f, _, err := Parse(path, []byte(test.in))
		if err != nil {
			t.Fatal(err)
		}
		f.Results = test.results
		_, text, err := f.render()
		if err != nil || !strings.Contains(string(text), test.want) || test.want == "" && strings.Contains(string(text), "results") {
			t.Errorf("%s with %s became %s, %v", test.in, test.results, text, err)
		}
	}
}

func TestSaveRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.json")
	f := New()
	f.Set(Connector{Name: "x", Transport: HTTP, URL: "https://x", Headers: map[string]string{"Authorization": "Bearer hunter2hunter2"}})
	err := f.Save(path)
	if code(err) != "literal-secret" || strings.Contains(fmt.Sprint(err, fault.Of(err).Hint), "hunter2") || !strings.Contains(fault.Of(err).Hint, "${RUNLACE_X_AUTHORIZATION}") {
		t.Errorf("%v, %s", err, fault.Of(err).Hint)
	}
	f.Remove("x")
	f.Set(Connector{Name: "x", Transport: HTTP})
	if err := f.Save(path); code(err) != "bad-connector" {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("nothing is written")
	}
	// What was there before by a person's hand is no reason to refuse another change.
	if err := os.WriteFile(path, []byte(`{"connectors": {"x": {"url": "https://x", "headers": {"Authorization": "Bearer hunter2hunter2"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _, err = Load(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Set(Connector{Name: "y", Transport: HTTP, URL: "https://y"})
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	// Somebody else writes in the meantime.
	if err := os.WriteFile(path, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(path); code(err) != "config-changed" {
		t.Error(err)
	}
	if err := New().Save(path); code(err) != "config-changed" {
		t.Error("a file that nobody read is not overwritten:", err)
	}
	if err := New().Save(filepath.Join(dir, "missing", "config.json")); code(err) != "bad-home" {
		t.Error(err)
	}
}

func TestDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{`"90s"`: 90 * time.Second, `90`: 90 * time.Second, `0.25`: 250 * time.Millisecond, `"1m30s"`: 90 * time.Second, `"0s"`: 0} {
		var d Duration
		if err := json.Unmarshal([]byte(in), &d); err != nil || time.Duration(d) != want {
			t.Errorf("%s: %v, %v", in, d, err)
		}
	}
	for _, in := range []string{`"90"`, `-1`, `"-1s"`, `1e3`, `true`, `null`, `[]`, `1e400`, `99999999999999999999`} {
		var d Duration
		if err := json.Unmarshal([]byte(in), &d); err == nil {
			t.Errorf("%s: %v", in, d)
		}
	}
	if b, _ := json.Marshal(Connector{Name: "x", Timeout: Duration(90 * time.Second)}); string(b) != `{"name":"x","transport":"","timeout":"1m30s"}` {
		t.Errorf("%s", b)
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"github": true, "GitHub Server": true, "@scope/x.y": true, "naïve": true, "服务器": true, "ai": true,
		"": false, " ": false, " x": false, "x\n": false, "a\tb": false, "a\x1b[31m": false, "\u202e": false, "\xff": false, strings.Repeat("x", 101): false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What can be read can be written, and is then the same.
func FuzzConfig(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json*")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil {
			f.Add(string(b))
		}
	}
	f.Add(`{"connectors": {"a": {"command": "x", /* c */}, // d
}, "limits": {"timeout": "1s",},}`)
	f.Add(`{"connectors": {"a": {"command": "x"}, "a": {"command": "y", "command": "z"}}, "connectors": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		file, problems, err := Parse("config.json", []byte(text))
		if err != nil {
			if code(err) != "bad-config" {
				t.Fatal(err)
			}
			return
		}
		for _, p := range problems {
			_ = p.String()
		}
		added := Connector{Name: "fuzz", Transport: HTTP, URL: "https://fuzz"}
		file.Set(added)
		_, out, err := file.render()
		if err != nil {
			t.Fatalf("%v of %q", err, text)
		}
		again, _, err := Parse("config.json", out)
		if err != nil {
			t.Fatalf("%v of %q", err, out)
		}
		for i := range file.Connectors {
			file.Connectors[i].File = "config.json"
		}
		if d := cmp.Diff(file, again, cmpopts.IgnoreUnexported(File{}), cmpopts.IgnoreFields(File{}, "Version"), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%q\n%q\n%s", text, out, d)
		}
		if problem := "fuzz"; !again.Remove(problem) {
			t.Fatal("it is lost")
		}
	})
}
