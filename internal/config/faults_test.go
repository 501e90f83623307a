package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/home"
)

func TestFieldFault154_UnsetVariableIsNamed(t *testing.T) {
	c := Connector{Name: "docs", Transport: HTTP, URL: "https://docs.example/mcp", Headers: map[string]string{"Authorization": "Bearer ${MY_TOKEN}"}, File: "/h/config.json"}
	_, _, err := Resolve(c, home.NewEnv(nil))
	if code(err) != "unset-variable" || !strings.Contains(err.Error(), "MY_TOKEN is not set (in connectors.docs.headers.Authorization of /h/config.json)") {
		t.Errorf("unset: %v", err)
	}
	out, secrets, err := Resolve(c, home.NewEnv([]string{"MY_TOKEN=hunter2"}))
	if err != nil || out.Headers["Authorization"] != "Bearer hunter2" || len(secrets) != 1 {
		t.Errorf("set: %v, %v", out.Headers, err)
	}
}

// One function expands everything: every text of a connector is in the list, whatever its name.
func TestFieldFault158_OneExpansionForAllFields(t *testing.T) {
	env := home.NewEnv([]string{"V=value"})
	web := Connector{Name: "a", Transport: HTTP, URL: "https://x.example/${V}", Headers: map[string]string{"x-api-key": "${V}", "X-Other": "a ${V} b"}}
	out, _, err := Resolve(web, env)
	if err != nil || out.URL != "https://x.example/value" || out.Headers["x-api-key"] != "value" || out.Headers["X-Other"] != "a value b" {
		t.Errorf("%+v, %v", out, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "value.env"), []byte("FROM=file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	process := Connector{Name: "a", Transport: Stdio, Command: "x-${V}", Args: []string{"--k=${V}"}, Env: map[string]string{"K": "${V}"}, Dir: "/${V}",
		EnvFile: filepath.Join(dir, "${V}.env")}
	out, _, err = Resolve(process, env)
	if err != nil || out.Command != "x-value" || out.Args[0] != "--k=value" || out.Env["K"] != "value" || out.Dir != "/value" || out.Env["FROM"] != "file" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestFieldFault161_OwnFileKeepsWhatItDoesNotKnow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	before := `{
  // who: the ops team
  "version": 2,
  "extra": {"block": [1, 2.50]}, // of another program
  "connectors": {
    "a": {"transport": "stdio", "command": "a", "unknown": {"deep": true}}, /* keep */
    "broken": {"transport": "pigeon"},
  },
}
`
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Set(Connector{Name: "b", Transport: HTTP, URL: "https://b.example/mcp", Timeout: Duration(time.Minute), OpenTimeout: Duration(5 * time.Second)})
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"// who: the ops team", "2.50", "// of another program", `"unknown": {"deep": true}`, "/* keep */", `"broken": {"transport": "pigeon"}`, `"b"`} {
		if !strings.Contains(string(after), part) {
			t.Errorf("%s is gone:\n%s", part, after)
		}
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("something is left beside it: %v, %v", names, err)
	}
	again, _, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := again.Find("b")
	b.File = ""
	if d := cmp.Diff(Connector{Name: "b", Transport: HTTP, URL: "https://b.example/mcp", Timeout: Duration(time.Minute), OpenTimeout: Duration(5 * time.Second)}, b); d != "" {
		t.Error(d)
	}
}

// The time for opening is a setting of its own, and is read and checked as the other one is.
func TestOpenTimeout(t *testing.T) {
	f, problems, err := Parse("config.json", []byte(`{"connectors": {
		"a": {"command": "a", "openTimeout": "2m", "timeout": 10},
		"b": {"command": "b", "openTimeout": "soon"}}}`))
	if err != nil || len(f.Connectors) != 1 || f.Connectors[0].OpenTimeout != Duration(2*time.Minute) || f.Connectors[0].Timeout != Duration(10*time.Second) {
		t.Errorf("%+v, %v", f, err)
	}
	if len(problems) != 1 || problems[0].Key != "connectors.b.openTimeout" || !problems[0].Skipped {
		t.Errorf("%+v", problems)
	}
	if err := (Connector{Name: "a", Transport: Stdio, Command: "a", OpenTimeout: -1}).Check(); code(err) != "bad-connector" {
		t.Error(err)
	}
}
