package pyright

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/fault"
)

// installed is where the tests' pyright is.
const installed = "../../testdata/servers"

func command(t testing.TB) Command {
	t.Helper()
	c, err := at(installed)
	if err != nil {
		t.Fatalf("%v: npm ci --prefix testdata/servers", err)
	}
	return c
}

func fixed(c Command) func() (Command, error) { return func() (Command, error) { return c, nil } }

func checker(t testing.TB, o Options) *Checker {
	t.Helper()
	k := New(fixed(command(t)), o)
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

const types = `from typing import NotRequired, TypedDict

Inputs = TypedDict("Inputs", {"name": str, "days": NotRequired[int]})

class Ctx:
    inputs: Inputs
    crm: Crm
`

func crm(parameter string) Module {
	return Module{Text: "class Crm:\n    def find(self, *, " + parameter + ": str) -> dict[str, int]: ...\n", Class: "Crm", As: "Crm"}
}

func project(code string) Project {
	return Project{Code: "from runlace_types import Ctx\n\ndef run(ctx: Ctx) -> int:\n" + code, Types: types, Modules: []Module{crm("name")}}
}

func check(t *testing.T, k *Checker, p Project) []Diagnostic {
	t.Helper()
	found, err := k.Check(context.Background(), p)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return found
}

func TestCheck(t *testing.T) {
	k := checker(t, Options{})
	if found := check(t, k, project("    return ctx.crm.find(name=ctx.inputs[\"name\"])[\"x\"]\n")); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	got := check(t, k, project("    é = \"😀\"; return ctx.crm.find(nme=é)[\"x\"]\n"))
	want := []Diagnostic{
		{"reportCallIssue", `Argument missing for parameter "name"`, 4, 21, 4, 40},
		{"reportUnknownVariableType", "Return type is unknown", 4, 21, 4, 45},
		{"reportCallIssue", `No parameter named "nme"`, 4, 34, 4, 37},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = check(t, k, project("    return ctx.crm.fnd()\n"))
	if len(got) != 3 || got[2].Message != `Cannot access attribute "fnd" for class "Crm": Attribute "fnd" is unknown` {
		t.Errorf("%+v", got)
	}
	// The types of this check hold for this check only.
	p := project("    return ctx.crm.find(nme=ctx.inputs[\"nme\"])[\"x\"]\n")
	if found := check(t, k, p); len(found) != 4 {
		t.Errorf("%+v", found)
	}
	p.Modules = []Module{crm("nme")}
	p.Types = strings.Replace(types, `"name"`, `"nme"`, 1)
	if found := check(t, k, p); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	p.Modules = []Module{crm("name")}
	if found := check(t, k, p); len(found) != 3 {
		t.Errorf("%+v", found)
	}
	if k.Starts() != 1 {
		t.Errorf("%d servers", k.Starts())
	}
}

// TestRulesStay: no comment switches a rule off, and nothing of this machine's Python is seen.
func TestRulesStay(t *testing.T) {
	k := checker(t, Options{})
	for _, code := range []string{
		"# pyright: basic, reportCallIssue=false\n# type: ignore\nimport foo",
		"import foo # type: ignore",
		"import foo # pyright: ignore",
		"import foo # pyright:ignore[reportMissingImports]",
		"import foo #  pyright : ignore",
		"# pyright: strictListInference=false\nimport foo # noqa # pyright: ignore",
		"import yaml, pip", "import workflow_missing",
	} {
		found := check(t, k, Project{Code: code + "\nprint(foo)\n"})
		if len(found) == 0 {
			t.Errorf("%q: no errors", code)
		}
	}
	got := check(t, k, Project{Code: "x = \"a # pyright: ignore é\"; y: int = x"})
	if len(got) != 1 || got[0].Column != 39 || !strings.Contains(got[0].Message, "# pyright: ") {
		t.Errorf("%+v", got)
	}
	if got := check(t, k, Project{Code: "\ufeffx: int = 1\r\n\r\ny: str = x"}); len(got) != 1 || got[0].Line != 3 || got[0].Column != 10 {
		t.Errorf("%+v", got)
	}
	if got := check(t, k, Project{Code: "x = = 1"}); len(got) == 0 || got[len(got)-1].Rule != "" {
		t.Errorf("%+v", got)
	}
}

func TestAnswersAreKept(t *testing.T) {
	k := checker(t, Options{Answers: 2})
	p := project("    return ctx.crm.fnd()\n")
	first := check(t, k, p)
	first[0].Message = "changed"
	version := k.server.version
	if again := check(t, k, p); again[0].Message == "changed" || k.server.version != version {
		t.Error("the answer was not kept as it was")
	}
	check(t, k, project("    return 1\n"))
	check(t, k, project("    return 2\n"))
	version = k.server.version
	if check(t, k, p); k.server.version == version {
		t.Error("too many answers are kept")
	}
}

func TestMany(t *testing.T) {
	k := checker(t, Options{})
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			name := fmt.Sprintf("p%d", i%10)
			p := project(fmt.Sprintf("    return ctx.crm.find(%s=\"\")[\"x\"]\n\nx: str = %d\n", name, i))
			p.Modules = []Module{crm(name)}
			found, err := k.Check(context.Background(), p)
			if err != nil || len(found) != 1 || !strings.Contains(found[0].Message, fmt.Sprintf("[%d]", i)) {
				t.Errorf("%d: %+v, %v", i, found, err)
			}
		})
	}
	wg.Wait()
	if k.Starts() != 1 {
		t.Errorf("%d servers", k.Starts())
	}
}

func TestModulesRunOut(t *testing.T) {
	k := checker(t, Options{Modules: 2})
	for i := range 5 {
		p := project(fmt.Sprintf("    return ctx.crm.find(p%d=\"\")[\"x\"]\n", i))
		p.Modules = []Module{crm(fmt.Sprintf("p%d", i))}
		if found := check(t, k, p); len(found) != 0 {
			t.Errorf("%d: %+v", i, found)
		}
	}
	if k.Starts() != 3 {
		t.Errorf("%d servers", k.Starts())
	}
}

// TestServerDies: one that died is started anew, and leaves no folder.
func TestServerDies(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	k := New(fixed(command(t)), Options{})
	check(t, k, project("    return 1\n"))
	kill(k.server.conn.cmd)
	check(t, k, project("    return 2\n"))
	if k.Starts() != 2 {
		t.Errorf("%d servers", k.Starts())
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "runlace-*"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	if _, err := k.Check(context.Background(), project("    return 3\n")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestTimeout: a check that takes too long ends its server, and the next check has another.
func TestTimeout(t *testing.T) {
	k := checker(t, Options{})
	check(t, k, project("    return 1\n"))
	k.options.Timeout = time.Millisecond
	_, err := k.Check(context.Background(), project(strings.Repeat("    print([{\"a\": [1, \"b\"]}])\n", 1000)))
	if !errors.Is(err, fault.New("typecheck-timeout", "")) {
		t.Error(err)
	}
	k.options.Timeout = time.Minute
	check(t, k, project("    return 2\n"))
	if k.Starts() != 2 {
		t.Errorf("%d servers", k.Starts())
	}
}

// The fakes are shell scripts.
func fake(t *testing.T, script string) *Checker {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("this machine has no sh, which the fakes of pyright are written for")
	}
	k := New(fixed(Command{Path: "sh", Args: []string{"-c", script}}), Options{Timeout: 2 * time.Second})
	t.Cleanup(func() { _ = k.Close() })
	return k
}

func TestBrokenServers(t *testing.T) {
	missing := New(func() (Command, error) { return Command{}, fault.New("checker-missing", "gone") }, Options{})
	if _, err := missing.Check(context.Background(), Project{}); !errors.Is(err, fault.New("checker-missing", "")) {
		t.Error(err)
	}
	for name, c := range map[string]struct{ script, code, detail string }{
		"ends":         {"echo no room on disk >&2; exit 3", "checker-failed", "no room on disk"},
		"not a server": {"echo hello; cat >/dev/null", "checker-failed", "malformed MIME header"},
		"too large":    {`printf 'Content-Length: 999999999\r\n\r\n'; cat >/dev/null`, "checker-failed", "999999999"},
		"not JSON":     {`printf 'Content-Length: 2\r\n\r\n{]'; cat >/dev/null`, "checker-failed", "invalid character"},
		"never reads":  {`printf 'Content-Length: 36\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}'; sleep 1000`, "typecheck-timeout", ""},
		"silent":       {"cat >/dev/null", "typecheck-timeout", ""},
		"with a child": {"sleep 1000 & sleep 1000", "typecheck-timeout", ""},
		"refuses":      {`printf 'Content-Length: 68\r\n\r\n{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"not now"}}'; cat >/dev/null`, "checker-failed", "not now"},
	} {
		t.Run(name, func(t *testing.T) {
			k := fake(t, c.script)
			_, err := k.Check(context.Background(), project("    return 1\n"+strings.Repeat("# more than a pipe holds\n", 10_000)))
			f := (*fault.Error)(nil)
			if !errors.As(err, &f) || f.Code != c.code || !strings.Contains(f.Detail, c.detail) {
				t.Errorf("%+v", err)
			}
		})
	}
	k := New(fixed(Command{Path: "/nowhere/node"}), Options{})
	if _, err := k.Check(context.Background(), Project{}); !errors.Is(err, fault.New("checker-failed", "")) {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	k := fake(t, "cat >/dev/null")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := k.Check(ctx, Project{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	// Close ends a check that runs, and one that waits for its turn.
	k = fake(t, "cat >/dev/null")
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := k.Check(context.Background(), Project{})
			errs <- err
		}()
	}
	time.Sleep(50 * time.Millisecond)
	start := time.Now()
	_ = k.Close()
	for range 2 {
		if err := <-errs; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("closing took %v", d)
	}
}

func TestFind(t *testing.T) {
	real, err := filepath.Abs(installed)
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir() // a PATH with node alone
	if err := os.Symlink(node, filepath.Join(bin, "node")); err != nil {
		t.Skip("this machine makes no links, which a PATH with node alone needs: ", err)
	}
	script := filepath.Join(real, "node_modules", "pyright", script)
	expect := func(dir, from string) {
		t.Helper()
		c, err := Find(dir)
		if err != nil || c.From != from || c.Args[0] != script || c.Version() != Version {
			t.Errorf("%+v, %v", c, err)
		}
	}
	t.Setenv("PATH", bin)
	for _, where := range []string{real, filepath.Join(real, "node_modules"), filepath.Join(real, "node_modules", "pyright"), script,
		filepath.Join(real, "node_modules", ".bin", "pyright-langserver"), filepath.Join(real, "node_modules", ".bin", "pyright")} {
		t.Setenv(Variable, where)
		expect("", Variable)
	}
	t.Setenv(Variable, "")
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(real, "node_modules", "pyright"), filepath.Join(home, "node_modules", "pyright")); err != nil {
		t.Fatal(err)
	}
	c, err := Find(home)
	if err != nil || c.From != "home" || c.Version() != Version {
		t.Errorf("%+v, %v", c, err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+filepath.Join(real, "node_modules", ".bin"))
	expect(t.TempDir(), "PATH")

	refused := func(dir, hint string) {
		t.Helper()
		c, err := Find(dir)
		f := (*fault.Error)(nil)
		if !errors.As(err, &f) || f.Code != "checker-missing" || !strings.Contains(f.Hint, hint) {
			t.Errorf("%+v, %+v", c, err)
		}
	}
	t.Setenv("PATH", bin)
	empty := t.TempDir()
	refused(empty, "run: npm install --prefix "+empty+" pyright@"+Version)
	t.Setenv(Variable, empty)
	refused("", "run: npm install --global")
	t.Setenv(Variable, filepath.Join(empty, "x"))
	refused("", "")
	t.Setenv(Variable, "")
	t.Setenv("PATH", empty)
	refused(home, "install Node.js")
}

// fakeNPM stands in for npm: it says what it was called with, and makes what npm ci would.
const fakeNPM = `#!/bin/sh
echo "$@" > called
[ -f package-lock.json ] || exit 9
[ "$FAKE_NPM" = fails ] && { echo "no such registry" >&2; exit 1; }
mkdir -p node_modules/pyright && touch node_modules/pyright/langserver.index.js
`

func TestInstall(t *testing.T) {
	if strings.Contains(string(lock), "://") {
		t.Error("the lock file names a host")
	}
	dir := filepath.Join(t.TempDir(), "a b", "pyright")
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if err := Install(context.Background(), dir); !errors.Is(err, fault.New("checker-missing", "")) {
		t.Error(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(fakeNPM), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+path)
	for range 2 { // the second time over the first
		if err := Install(context.Background(), dir); err != nil {
			t.Fatalf("%+v", err)
		}
		called, err := os.ReadFile(filepath.Join(dir, "called"))
		if err != nil || !strings.HasPrefix(string(called), "ci --ignore-scripts") {
			t.Errorf("%s, %v", called, err)
		}
	}
	t.Setenv(Variable, "")
	if c, err := Find(dir); err != nil || c.From != "home" {
		t.Errorf("%+v, %v", c, err)
	}
	t.Setenv("FAKE_NPM", "fails")
	err := Install(context.Background(), dir)
	f := (*fault.Error)(nil)
	if !errors.As(err, &f) || f.Code != "checker-missing" || !strings.Contains(f.Detail, "no such registry") || !strings.Contains(f.Hint, `--prefix "`) {
		t.Errorf("%+v", err)
	}
	if _, err := Find(dir); err != nil {
		t.Error("a failure took what was there", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".pyright-*")); len(left) > 0 {
		t.Error(left)
	}
}

func BenchmarkCheck(b *testing.B) {
	k := checker(b, Options{})
	code, err := os.ReadFile("../../testdata/bench/workflows/forty.py")
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		i++
		if _, err := k.Check(context.Background(), Project{Code: fmt.Sprintf("%s# %d\n", code, i), Types: types, Modules: []Module{crm("name")}}); err != nil {
			b.Fatal(err)
		}
	}
}
