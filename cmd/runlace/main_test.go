package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/connector/connectortest"
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
	fixture := filepath.Join(t.TempDir(), "fixture")
	if out, err := exec.Command("go", "build", "-o", fixture, "../../testdata/fixture").CombinedOutput(); err != nil {
		t.Fatalf("building the fixture: %v\n%s", err, out)
	}
	servers := connectortest.Modules(t)
	unauthorized := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(unauthorized.Close) // after the scripts, which run in parallel
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv(home.CacheVariable, cache)
			env.Setenv(home.Variable, filepath.Join(env.WorkDir, "home"))
			env.Setenv("HOME", filepath.Join(env.WorkDir, "user"))
			env.Setenv(pyright.Variable, filepath.Join(servers, "pyright"))
			env.Setenv("FIXTURE", fixture)               // the server that misbehaves on demand
			env.Setenv("SERVERS", servers)               // the real ones
			env.Setenv("UNAUTHORIZED", unauthorized.URL) // answers everything with 401
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"expand": expandCmd, "sqlite": sqliteCmd, "authserver": authserverCmd, "login": loginCmd,
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
// and indices joined by dots, it has to have VALUE, in every digit. `json PATH > NAME` puts the value into a variable instead.
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
		var list []json.RawMessage
		if i, err := strconv.Atoi(key); err == nil && json.Unmarshal(value, &list) == nil {
			if i >= len(list) {
				ts.Fatalf("%s: there are %d", args[0], len(list))
			}
			value = list[i]
			continue
		}
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

// expand FILE puts values in place of the variables of the script in a file.
func expandCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	text := os.Expand(ts.ReadFile(args[0]), func(name string) string { return filepath.ToSlash(ts.Getenv(name)) })
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// sqlite FILE SQL runs SQL in a database, which is made if there is none.
func sqliteCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE SQL")
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	db, err := sqlite3.Open(path)
	ts.Check(err)
	ts.Check(errors.Join(db.Exec(args[1]), db.Close()))
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

// Every code can be met: a script or another package's test shows how, or it is said here why none does.
func TestCodesAreProvoked(t *testing.T) {
	elsewhere := map[string]string{
		"guest-crashed":      "a bug",
		"internal":           "a bug, see TestBug",
		"engine-unavailable": "a machine that is not supported",
		"store-unavailable":  "a disk that fails",
		"unwritable-output":  "see TestUnwritableOutput",
		"typecheck-error":    "stands for the type checker's own codes, which begin with report",
		"call-refused":       "see the tests of package connector, which use its name in Go",
		"input-required":     "likewise",
	}
	var scripts, tests strings.Builder
	read := func(into *strings.Builder, pattern string) {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			into.Write(b)
		}
	}
	read(&scripts, "testdata/script/*.txtar")
	for _, pattern := range []string{"*_test.go", "../../hostfuncs/*_test.go", "../../runtime/*_test.go", "../../internal/*/*_test.go", "../../compiler/*_test.go", "../../compiler/*/*_test.go"} {
		read(&tests, pattern)
	}
	read(&tests, "../../compiler/testdata/*.txtar")
	provoked := func(code string) bool {
		if regexp.MustCompile(`json \S*code '"` + code + `"'`).MatchString(scripts.String()) {
			return true
		}
		if regexp.MustCompile(`"code":"` + code + `"`).MatchString(scripts.String()) {
			return true
		}
		if vectors, _ := filepath.Glob("../../compiler/lint/testdata/refused_" + code + "*.py"); len(vectors) > 0 {
			return true
		}
		return strings.Contains(tests.String(), `"`+code+`"`) || strings.Contains(tests.String(), " "+code+" ")
	}
	for _, e := range fault.Table() {
		if _, ok := elsewhere[e.Code]; ok == provoked(e.Code) && !ok {
			t.Errorf("%s: nothing provokes it, and nothing says why", e.Code)
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
