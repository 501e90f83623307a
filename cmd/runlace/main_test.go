package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/runtime"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"runlace": main})
}

// TestScripts runs testdata/script. The scripts share a cache, so that the sandbox is compiled once: in $RUNLACE_CACHE if that
// is set, else in a folder of the test.
func TestScripts(t *testing.T) {
	cache := home.Cache()
	if cache == "" {
		cache = t.TempDir()
	}
	engine, err := runtime.Open(context.Background(), runtime.Config{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv(home.CacheVariable, cache)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonCmd, "bytes": bytesCmd, "repeat": repeatCmd, "interrupt": interruptCmd,
		},
	})
}

// exits CODE COMMAND ARGS... runs a command, which has to end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e := (*exec.ExitError)(nil)
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// json PATH VALUE looks at the last command's standard output, which has to be one JSON object on one line: at PATH, keys
// joined by dots, it has to have VALUE, in every digit. `json PATH > NAME` puts the value into a variable instead.
func jsonCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: json PATH VALUE, or json PATH > NAME")
	}
	out := ts.ReadFile("stdout")
	if strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
		ts.Fatalf("standard output is not one line")
	}
	value := json.RawMessage(out)
	for _, key := range strings.Split(args[0], ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			ts.Fatalf("%s: %v", args[0], err)
		}
		value = object[key]
	}
	if args[1] == ">" {
		text := string(value)
		_ = json.Unmarshal(value, &text) // a string's text, anything else as it is
		ts.Setenv(args[2], text)
		return
	}
	want := strings.Join(args[1:], " ")
	if (string(value) == want) == neg {
		ts.Fatalf("%s is %s, want %s", args[0], value, want)
	}
}

// bytes FILE TEXT writes a file with Go's escapes, for what a script cannot hold.
func bytesCmd(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// repeat FILE HEAD PIECE COUNT TAIL writes a large file.
func repeatCmd(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[3])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+strings.Repeat(args[2], n)+args[4]), 0o600))
}

// interrupt CODE FILE open|closed COMMAND ARGS... runs a command with a file as its standard input, which then stays open or is
// closed, sends it Ctrl-C half a second after it has begun to read, and expects that exit code.
func interruptCmd(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(args[3], args[4:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), home.CacheVariable+"="+ts.Getenv(home.CacheVariable))
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	// More than a pipe holds: the write ends only when the command reads, and it listens to signals before it does.
	_, err = in.Write([]byte(ts.ReadFile(args[1]) + strings.Repeat("#", 1<<20)))
	ts.Check(err)
	if args[2] == "closed" {
		ts.Check(in.Close())
	}
	time.Sleep(500 * time.Millisecond)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// Every command has --help with an example that begins with its own name, and no flag without a description.
func TestHelp(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "completion" {
			return
		}
		if c.Short == "" || c.Long == "" && c.Name() != "help" || !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s lacks a description or an example", c.CommandPath())
		}
		for _, line := range strings.Split(c.Long, "\n") {
			if len(line) > 130 {
				t.Errorf("%s --help has a line of %d characters", c.CommandPath(), len(line))
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&output{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}, nil))
}

// Every code can be met: a script shows how, or it is said here why none does.
func TestCodesAreProvoked(t *testing.T) {
	elsewhere := map[string]string{
		"result-too-large":   "there are no answers without connectors; runlace doctor provokes it",
		"result-invalid":     "as result-too-large; a test of package hostfuncs provokes it",
		"guest-crashed":      "a bug",
		"internal":           "a bug, see TestBug",
		"engine-unavailable": "a machine that is not supported",
		"unwritable-output":  "see TestUnwritableOutput",
	}
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var scripts strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(b)
	}
	for _, e := range fault.Table() {
		provoked := strings.Contains(scripts.String(), `json error.code '"`+e.Code+`"'`) ||
			strings.Contains(scripts.String(), `json error.data.code '"`+e.Code+`"'`)
		if _, ok := elsewhere[e.Code]; ok == provoked {
			t.Errorf("%s: provoked by a script: %v, excused: %v", e.Code, provoked, ok)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestUnwritableOutput(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"explain"}, {"explain", "exit"}, {"licenses"}, {"version", "--json"}} {
		var stderr bytes.Buffer
		o := &output{stdout: full{}, stderr: &stderr}
		if got := o.fail(newRoot(o, args).Execute()); got != fault.ExitUsage || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%v: exit code %d, %s", args, got, stderr.String())
		}
	}
}

func TestBug(t *testing.T) {
	var stdout, stderr bytes.Buffer
	o := &output{stdout: &stdout, stderr: &stderr}
	if got := o.fail(errors.New("odd")); got != 1 || !strings.Contains(stderr.String(), "unexpected error, which is a bug: odd") {
		t.Errorf("exit code %d, %s", got, stderr.String())
	}
	o.json = true
	if got := o.fail(errors.New("odd")); got != 1 || !strings.Contains(stdout.String(), `"output":null,"error":{"code":"internal","message":"odd"`) {
		t.Errorf("exit code %d, %s", got, stdout.String())
	}
}
