package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// command runs the command line, as main does.
func command(args ...string) (exit int, stdout, stderr string) {
	var out, err bytes.Buffer
	o := &output{stdout: &out, stderr: &err}
	if e := newRoot(o, args).ExecuteContext(context.Background()); e != nil {
		exit = o.fail(e)
	}
	return exit, out.String(), err.String()
}

// Where a process drains the queue, run --queue and approve leave the run to it.
func TestDrained(t *testing.T) {
	h := home.Home{Dir: t.TempDir()}
	t.Setenv(home.Variable, h.Dir)
	acts := filepath.Join(t.TempDir(), "acts")
	lab := connectortest.Fixture(t, "-acts", acts)
	lab.Name, lab.Transport = "lab", config.Stdio
	text, err := json.Marshal(map[string]any{"connectors": map[string]any{"lab": map[string]any{"command": lab.Command, "args": lab.Args}}})
	if err != nil {
		t.Fatal(err)
	}
	workflow := filepath.Join(t.TempDir(), "tell.py")
	for path, text := range map[string]string{
		h.Config(): string(text),
		workflow:   "from runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> str:\n    return ctx.lab.note(text=\"ada\")[\"noted\"]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		exit, stdout, stderr := command(args...)
		if exit != want {
			t.Fatalf("%v: exit code %d, want %d\n%s%s", args, exit, want, stdout, stderr)
		}
		return stdout, stderr
	}
	t.Setenv("RUNLACE_PYRIGHT", filepath.Join(connectortest.Modules(t), "pyright"))
	must(0, "sync")
	must(0, "create", workflow)
	must(fault.ExitUsage, "run", "tell", "--confirm", "--queue") // nobody drains it

	e, err := engine.Open(t.Context(), engine.Options{Home: h, CacheDir: home.Cache()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	drained := make(chan error, 1)
	go func() {
		drained <- e.Drain(ctx, engine.DrainOptions{What: "a test", Report: func(err error) { t.Errorf("drain: %v", err) }})
	}()
	defer func() {
		stop()
		if err := <-drained; err != nil {
			t.Error(err)
		}
		_ = e.Close()
	}()
	for range 500 {
		if _, found, err := e.Drainer(); err != nil {
			t.Fatal(err)
		} else if found {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}

	happened := func(want int) {
		t.Helper()
		got := 0
		for range 500 {
			b, _ := os.ReadFile(acts)
			if got = bytes.Count(b, []byte("\n")); got == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%d acts, want %d", got, want)
	}
	stdout, _ := must(0, "run", "tell", "--confirm", "--queue", "--wait", "1m")
	if strings.TrimSpace(stdout) != `"ada"` {
		t.Errorf("waited for: %s", stdout)
	}
	stdout, _ = must(0, "run", "tell", "--confirm", "--queue", "--wait", "1m", "--json")
	var run engine.Run
	if err := json.Unmarshal([]byte(stdout), &run); err != nil || !run.OK || run.Executed != engine.Queued {
		t.Errorf("as JSON: %v, %s", err, stdout)
	}
	_, stderr := must(0, "run", "tell", "--confirm", "--queue")
	if !strings.Contains(stderr, "hint: runlace runs show run_") && !strings.Contains(stderr, "completed in") {
		t.Errorf("left to it: %s", stderr)
	}

	happened(3) // under the policy that it was asked for under

	if err := os.WriteFile(h.Policy(), []byte("approval:\n  lab: human\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _ = must(fault.ExitWaiting, "run", "tell", "--queue", "--json")
	if err := json.Unmarshal([]byte(stdout), &run); err != nil {
		t.Fatal(err)
	}
	_, stderr = must(0, "approve", run.ID)
	if !strings.Contains(stderr, "(a test) runs it") || !strings.Contains(stderr, "hint: runlace runs show "+run.ID+" --follow") {
		t.Errorf("approved: %s", stderr)
	}
	stdout, _ = must(0, "runs", "show", run.ID, "--follow")
	if !strings.Contains(stdout, "   1  lab.note  ") || !strings.Contains(stdout, "\ncompleted  ") {
		t.Errorf("followed: %s", stdout)
	}
	happened(4)
}
