package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/mcpserver"
)

// daemon is a server on HTTP in a process of its own.
type daemon struct {
	*exec.Cmd
	t    *testing.T
	url  string
	said *bytes.Buffer // on standard error; to be read when it has ended
}

// daemon starts one. It is killed at the end of the test, if it has not ended by then.
func (s *served) daemon(args ...string) *daemon {
	s.t.Helper()
	d := &daemon{Cmd: s.command(append([]string{"serve", "--http", "0", "--json"}, args...)...), t: s.t, said: &bytes.Buffer{}}
	d.Stderr = d.said
	out, err := d.StdoutPipe()
	if err == nil {
		err = d.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if d.ProcessState == nil {
			_ = d.Process.Kill()
			_ = d.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var answer struct{ URL string }
	if err != nil || json.Unmarshal(line, &answer) != nil {
		_ = d.Process.Kill()
		_ = d.Wait()
		s.t.Fatalf("%s: %v: %s", line, err, d.said)
	}
	d.url = answer.URL
	return d
}

// end tells it to end, and waits for that.
func (d *daemon) end() {
	d.t.Helper()
	if err := errors.Join(d.Process.Signal(syscall.SIGTERM), d.Wait()); err != nil {
		d.t.Errorf("the server ends with %v: %s", err, d.said)
	}
}

// call calls a tool, as an agent that came for this call alone.
func (d *daemon) call(tool string, arguments map[string]any) map[string]any {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: d.url}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		d.t.Fatal(err)
	}
	object, _ := r.StructuredContent.(map[string]any)
	return object
}

func (d *daemon) create(name, code string) {
	d.t.Helper()
	if r := d.call("create_workflow", map[string]any{"name": name, "description": "", "code": code, "inputs_schema": map[string]any{"type": "object"}}); r["ok"] != true {
		d.t.Fatal(r)
	}
}

// finished asks for a run until it is.
func (d *daemon) finished(id any) map[string]any {
	d.t.Helper()
	for start := time.Now(); time.Since(start) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
		if r := d.call("get_run", map[string]any{"run_id": id}); r["finished"] == true && r["status"] != "interrupted" {
			return r
		}
	}
	d.t.Fatalf("run %v does not end", id)
	return nil
}

func (s *served) lines() int {
	b, err := os.ReadFile(s.acts)
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return bytes.Count(b, []byte("\n"))
}

// home is the served folder.
func (s *served) home() string {
	for _, e := range s.env {
		if dir, ok := strings.CutPrefix(e, home.Variable+"="); ok {
			return dir
		}
	}
	return ""
}

// One process drains the queue of a home: a second one is refused, and says who has it. A process that was killed has it no more.
func TestServeTwice(t *testing.T) {
	s := newServed(t)
	first := s.daemon()
	second := s.command("serve", "--http", "0", "--json")
	out, err := second.CombinedOutput()
	host, _ := os.Hostname()
	if second.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), `"lease-held"`) ||
		!strings.Contains(string(out), fmt.Sprintf("process %d on %s (runlace serve on 127.0.0.1:", first.Process.Pid, host)) || !strings.Contains(string(out), "since 20") {
		t.Errorf("%v: %s", err, out)
	}
	first.create("sum", sumCode)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	third := s.daemon()
	if r := third.call("run_workflow", map[string]any{"workflow_id": "sum", "confirm": true}); r["ok"] != true || r["executed"] != "queued" {
		t.Errorf("%v", r)
	}
	third.end()
	s.daemon().end()
}

const slowCode = "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> int:\n    ctx.lab.note(text=\"before\")\n    ctx.lab.slow(ms=3000)\n    ctx.lab.note(text=\"after\")\n    return 2\n"

// What is under way when the server is told to end, or is killed, goes on in the next one, and nothing is done twice.
func TestServeGoesOn(t *testing.T) {
	for name, end := range map[string]func(*daemon){
		"told": (*daemon).end,
		"killed": func(d *daemon) {
			_ = d.Process.Kill()
			_ = d.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServed(t)
			first := s.daemon()
			first.create("slow", slowCode)
			var ids []any
			for range 6 { // of which four are under way
				r := first.call("run_workflow", map[string]any{"workflow_id": "slow", "confirm": true, "wait": 0})
				if r["finished"] != false || r["executed"] != "queued" {
					t.Fatal(r)
				}
				ids = append(ids, r["run_id"])
			}
			for start := time.Now(); s.lines() < 4 && time.Since(start) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
			}
			time.Sleep(300 * time.Millisecond) // they wait for the read now
			end(first)
			if n := s.lines(); n != 4 {
				t.Fatalf("%d acts", n)
			}
			second := s.daemon()
			for _, id := range ids {
				if r := second.finished(id); r["status"] != "completed" || r["output"] != 2.0 {
					t.Errorf("%v", r)
				}
			}
			if n := s.lines(); n != 12 {
				t.Errorf("%d acts instead of 12", n)
			}
			second.end()
		})
	}
}

// A protection that is misspelled protects nothing: the server says so at its start.
func TestServeWarns(t *testing.T) {
	s := newServed(t)
	policy := "approval:\n  lab:\n    notte: human\n  lap: human\n  lab2:\n    x: maybe\n"
	if err := os.WriteFile(filepath.Join(s.home(), "policy.yaml"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	d := s.daemon()
	d.end()
	for _, want := range []string{"policy.yaml:3: lab has no tool notte", "policy.yaml:4: there is no connector lap", "policy.yaml:6: the approval of lab2.x is"} {
		if strings.Count(d.said.String(), want) != 1 {
			t.Errorf("it does not say %q once: %s", want, d.said)
		}
	}
}

// The whole way of a run that needs a person, on the real binary: the agent cannot approve it, the person's program can.
func TestServeHuman(t *testing.T) {
	s := newServed(t)
	d := s.daemon("--approval", "human")
	d.create("sum", sumCode)
	r := d.call("run_workflow", map[string]any{"workflow_id": "sum", "confirm": true})
	if r["code"] != "awaiting-approval" {
		t.Fatal(r)
	}
	file := filepath.Join(s.home(), "operator-token")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	asked, _ := r["approval"].(map[string]any)
	post := func(token string) (int, string) {
		at := strings.TrimSuffix(d.url, mcpserver.Path) + mcpserver.OperatorPath + "runs/" + fmt.Sprint(r["run_id"]) + "/approve"
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(fmt.Sprintf(`{"digest":%q}`, asked["digest"])))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	if status, text := post(strings.Repeat("0", 64)); status != 401 || s.lines() != 0 {
		t.Errorf("%d %s, %d acts", status, text, s.lines())
	}
	if status, text := post(strings.TrimSpace(string(token))); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	if r := d.finished(r["run_id"]); r["status"] != "completed" || s.lines() != 1 {
		t.Errorf("%v, %d acts", r, s.lines())
	}
	d.end()
}
