// Package connectortest gives tests their MCP servers: the fixture, which misbehaves on demand (testdata/fixture says how), and the
// real ones of testdata/servers. It also finds what a test has left behind.
//
//	func TestMain(m *testing.M) { connectortest.Main(m) }
//
//	c := connectortest.Fixture(t, "-acts", acts)
//	c := connectortest.Server(t, "filesystem", dir)
package connectortest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
)

// Install is the command that installs the real servers.
const Install = "npm ci --prefix testdata/servers --no-audit --no-fund"

// Main runs the tests and removes what was built for them.
func Main(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// root is the folder of the module.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Binary returns the path of the fixture, which is built once for all tests of a package. The package has to have [Main] as its
// TestMain.
func Binary(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "runlace-fixture-"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "fixture")
		if runtime.GOOS == "windows" {
			built.path += ".exe"
		}
		cmd := exec.Command("go", "build", "-o", built.path, "./testdata/fixture")
		cmd.Dir = root()
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("building the fixture: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// Fixture is the entry of a fixture server with these flags.
func Fixture(t testing.TB, flags ...string) config.Connector {
	t.Helper()
	return config.Connector{Name: "fixture", Transport: config.Stdio, Command: Binary(t), Args: flags}
}

// Server is the entry of a real server: everything, filesystem or memory. It fails the test when they are not installed.
func Server(t testing.TB, name string, args ...string) config.Connector {
	t.Helper()
	script := filepath.Join(Modules(t), "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("%v: run %s", err, Install)
	}
	return config.Connector{Name: name, Transport: config.Stdio, Command: "node", Args: append([]string{script}, args...)}
}

// Modules is the folder of the installed npm packages: the servers, pyright, @modelcontextprotocol/inspector-cli.
func Modules(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(root(), "testdata", "servers", "node_modules")
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the servers that this test needs are not installed: run %s", Install)
	}
	return dir
}

// NoLeaks fails the test when, at its end, there are goroutines, file descriptors or child processes that were not there at its
// beginning. It has to be called before anything else registers a cleanup.
func NoLeaks(t testing.TB) {
	t.Helper()
	Binary(t)
	warm.Do(func() { _ = exec.Command(built.path, "-die-start", "0").Run() })
	before := snapshot()
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		var now state
		for range 100 {
			if now = snapshot(); now.fits(before) {
				return
			}
			time.Sleep(30 * time.Millisecond)
		}
		t.Errorf("left behind: %d goroutines (%d before), %d descriptors (%d before), children %v (%v before)\n%s",
			now.goroutines, before.goroutines, len(now.files), len(before.files), now.children, before.children, stacks())
		t.Logf("descriptors: %v\nbefore: %v", now.files, before.files)
	})
}

var warm sync.Once // what the Go runtime itself opens for the first process

type state struct {
	goroutines int
	files      []string
	children   []string
}

func (s state) fits(before state) bool {
	return s.goroutines <= before.goroutines && len(s.files) <= len(before.files) && len(s.children) <= len(before.children)
}

func snapshot() state {
	var s state
	for _, g := range strings.Split(stacks(), "\n\n") {
		// The thread that starts all processes stays.
		if !strings.Contains(g, "connector.startAll") {
			s.goroutines++
		}
	}
	if names, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, n := range names {
			if to, err := os.Readlink("/proc/self/fd/" + n.Name()); err == nil && !strings.HasPrefix(to, "/proc/") {
				s.files = append(s.files, n.Name()+" "+to)
			}
		}
	}
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range tasks {
		b, _ := os.ReadFile(f)
		s.children = append(s.children, strings.Fields(string(b))...)
	}
	return s
}

func stacks() string {
	b := make([]byte, 1<<20)
	return strings.TrimSpace(string(b[:runtime.Stack(b, true)]))
}

// Gone reports whether a process has ended, or does so within a few seconds. One that has ended and whose parent has not looked counts.
func Gone(pid int) bool {
	for range 200 {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return true
		}
		if i := strings.LastIndexByte(string(b), ')'); i >= 0 && i+2 < len(b) && (b[i+2] == 'Z' || b[i+2] == 'X') {
			return true
		}
		time.Sleep(25 * time.Millisecond)
	}
	return false
}
