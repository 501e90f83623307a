package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/home"
)

// served is a home with the fixture as its connector, and the binary that serves it.
type served struct {
	t    *testing.T
	env  []string
	acts string
}

func newServed(t *testing.T) *served {
	t.Helper()
	servers := connectortest.Modules(t)
	dir := t.TempDir()
	s := &served{t: t, acts: filepath.Join(dir, "acts")}
	s.env = append(os.Environ(), home.Variable+"="+filepath.Join(dir, "home"), pyright.Variable+"="+filepath.Join(servers, "pyright"))
	fixture := connectortest.Fixture(t, "-acts", s.acts)
	args := []string{"add", "lab", "--command", fixture.Command}
	for _, a := range fixture.Args {
		args = append(args, "--arg", a)
	}
	if out, err := s.command(args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return s
}

func (s *served) command(args ...string) *exec.Cmd {
	c := exec.Command("runlace", args...)
	c.Env = s.env
	return c
}

// http starts the server on a free port.
func (s *served) http(args ...string) (url string) {
	c := s.command(append([]string{"serve", "--http", "0", "--json"}, args...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			s.t.Errorf("the server ends with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var answer struct{ URL string }
	if err != nil || json.Unmarshal(line, &answer) != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	return answer.URL
}

const sumCode = "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> int:\n    total = ctx.lab.add(a=1, b=3)\n    ctx.lab.note(text=str(total[\"sum\"]))\n    return total[\"sum\"]\n"

// The loop, driven by the SDK's client against the real binary.
func TestServe(t *testing.T) {
	for name, transport := range map[string]func(*served) mcp.Transport{
		"stdio": func(s *served) mcp.Transport { return &mcp.CommandTransport{Command: s.command("serve")} },
		"http":  func(s *served) mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: s.http()} },
	} {
		t.Run(name, func(t *testing.T) {
			s := newServed(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, transport(s), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			call := func(tool string, arguments any, ok bool) map[string]any {
				t.Helper()
				r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
				if err != nil {
					t.Fatal(err)
				}
				object, _ := r.StructuredContent.(map[string]any)
				if object["ok"] != ok || r.IsError == ok {
					t.Fatalf("%s: %v", tool, object)
				}
				return object
			}
			type args map[string]any
			empty := args{"type": "object", "properties": args{}}
			call("get_skill", nil, true)
			call("create_workflow", args{"name": "sum", "description": "", "code": strings.Replace(sumCode, "b=3", "bee=3", 1), "inputs_schema": empty}, false)
			call("create_workflow", args{"name": "sum", "description": "", "code": sumCode, "inputs_schema": empty}, true)
			call("dry_run_workflow", args{"workflow_id": "sum"}, true)
			if call("run_workflow", args{"workflow_id": "sum"}, false)["code"] != "needs-confirmation" {
				t.Error("the run was not refused")
			}
			if _, err := os.Stat(s.acts); err == nil {
				t.Error("something acted")
			}
			run := call("run_workflow", args{"workflow_id": "sum", "confirm": true}, true)
			if run["output"] != 4.0 {
				t.Errorf("%v", run)
			}
			if call("get_run", args{"run_id": run["run_id"]}, true)["status"] != "completed" {
				t.Error("the run is not in the journal")
			}
			call("get_step", args{"run_id": run["run_id"], "seq": 2}, true)
		})
	}
}

// The loop, driven by the inspector's command line, which is another client in another language.
func TestInspector(t *testing.T) {
	modules, err := filepath.Abs(connectortest.Modules(t))
	if err != nil {
		t.Fatal(err)
	}
	cli := filepath.Join(modules, "@modelcontextprotocol", "inspector-cli")
	if _, err := os.Stat(cli); err != nil {
		t.Fatalf("the inspector is not installed: run %s", connectortest.Install)
	}
	// The package reads its version from the package around it, which is not published with it.
	dir := t.TempDir()
	for from, to := range map[string]string{modules: "node_modules", cli: "cli"} {
		if err := os.Symlink(from, filepath.Join(dir, to)); err != nil {
			t.Skip("this machine makes no links, which the inspector is put together with: ", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name":"@modelcontextprotocol/inspector","version":"1.0.3"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServed(t)
	binary, err := exec.LookPath("runlace")
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "RUNLACE_TEST_TOKEN=0123456789abcdef0123")
	for name, server := range map[string][]string{
		"stdio": {binary, "serve"},
		"http":  {s.http("--token-env", "RUNLACE_TEST_TOKEN"), "--transport", "http", "--header", "Authorization: Bearer 0123456789abcdef0123"},
	} {
		ask := func(args ...string) (result struct {
			StructuredContent map[string]any
			IsError           bool
			Tools             []struct{ Name string }
		}) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			all := append([]string{"--preserve-symlinks", "--preserve-symlinks-main", filepath.Join(dir, "cli", "build", "index.js")}, server...)
			c := exec.CommandContext(ctx, "node", append(all, args...)...)
			c.Env = s.env
			out, err := c.Output()
			if e := (*exec.ExitError)(nil); err != nil {
				if x, ok := err.(*exec.ExitError); ok {
					e = x
					t.Fatalf("%s: %v: %v\n%s%s", name, args, err, out, e.Stderr)
				}
				t.Fatal(err)
			}
			if err := json.Unmarshal(out, &result); err != nil {
				t.Fatalf("%s: %v: %s", name, err, out)
			}
			return result
		}
		call := func(tool string, args ...string) map[string]any {
			t.Helper()
			all := []string{"--method", "tools/call", "--tool-name", tool}
			for _, a := range args {
				all = append(all, "--tool-arg", a)
			}
			r := ask(all...)
			if r.IsError == (r.StructuredContent["ok"] == true) {
				t.Errorf("%s: %s: %+v", name, tool, r)
			}
			return r.StructuredContent
		}
		if tools := ask("--method", "tools/list").Tools; len(tools) != 15 {
			t.Errorf("%s: %v", name, tools)
		}
		create := func(code string) map[string]any {
			t.Helper()
			return call("create_workflow", "name=sum-"+name, "description=test", "code="+code, `inputs_schema={"type":"object","properties":{}}`)
		}
		if r := create(strings.Replace(sumCode, "b=3", "bee=3", 1)); r["stage"] != "typecheck" {
			t.Errorf("%s: %v", name, r)
		}
		create(sumCode)
		if r := call("dry_run_workflow", "workflow_id=sum-"+name); r["output"] != 4.0 {
			t.Errorf("%s: %v", name, r)
		}
		if r := call("run_workflow", "workflow_id=sum-"+name); r["code"] != "needs-confirmation" {
			t.Errorf("%s: %v", name, r)
		}
		r := call("run_workflow", "workflow_id=sum-"+name, "confirm=true")
		if r["ok"] != true {
			t.Fatalf("%s: %v", name, r)
		}
		id, _ := r["run_id"].(string)
		call("get_run", "run_id="+id)
		call("get_step", "run_id="+id, "seq=2")
	}
}
