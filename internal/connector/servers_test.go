package connector

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
)

// Real servers, from npm.

func TestFilesystemServer(t *testing.T) {
	connectortest.NoLeaks(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("première ligne\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open1(t, connectortest.Server(t, "filesystem", dir), Options{})
	l, err := s.List(t.Context())
	if err != nil || len(l.Tools) < 10 || len(l.Problems) > 0 {
		t.Fatal(l, err)
	}
	all := names(l.Tools)
	read := l.Tools[slices.Index(all, "read_text_file")]
	if read.Annotations.ReadOnly == nil || !*read.Annotations.ReadOnly || read.InputSchema == nil {
		t.Errorf("%+v", read)
	}
	path, _ := json.Marshal(filepath.Join(dir, "notes.txt"))
	if got := said(t, call(t, s, "read_text_file", `{"path":`+string(path)+`}`)); got != "première ligne\n" {
		t.Errorf("%q", got)
	}
	path, _ = json.Marshal(filepath.Join(dir, "new.txt"))
	if r := call(t, s, "write_file", `{"path":`+string(path)+`,"content":"<b>&\u00e9"}`); r.IsError {
		t.Errorf("%s", r.Content)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "new.txt")); string(b) != "<b>&é" {
		t.Errorf("%q", b)
	}
	if r := call(t, s, "read_text_file", `{"path":"/etc/passwd"}`); !r.IsError {
		t.Error("outside of its folder")
	}
}

func TestMemoryServer(t *testing.T) {
	connectortest.NoLeaks(t)
	c := connectortest.Server(t, "memory")
	c.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
	s := open1(t, c, Options{})
	call(t, s, "create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["wrote notes"]}]}`)
	var graph struct{ Entities []struct{ Name string } }
	if r := call(t, s, "read_graph", `{}`); json.Unmarshal(r.Structured, &graph) != nil || len(graph.Entities) != 1 || graph.Entities[0].Name != "Ada" {
		t.Errorf("%s", r.Structured)
	}
}

func TestEverythingServer(t *testing.T) {
	everything := func(t *testing.T, s *Session) {
		l, err := s.List(t.Context())
		if err != nil || !slices.Contains(names(l.Tools), "echo") || len(l.Problems) > 0 {
			t.Fatal(l, err)
		}
		if got := said(t, call(t, s, "echo", `{"message":"hello"}`)); got != "Echo: hello" {
			t.Errorf("%q", got)
		}
		began := time.Now()
		r := call(t, s, "trigger-long-running-operation", `{"duration":2.4,"steps":12}`)
		if r.IsError || time.Since(began) < 2*time.Second {
			t.Errorf("%s after %v", r.Content, time.Since(began))
		}
	}
	t.Run("stdio", func(t *testing.T) {
		connectortest.NoLeaks(t)
		everything(t, open1(t, connectortest.Server(t, "everything"), Options{CallTimeout: 1500 * time.Millisecond}))
	})
	for transport, mode := range map[string]string{"http": "streamableHttp", "sse": "sse"} {
		t.Run(transport, func(t *testing.T) {
			connectortest.NoLeaks(t)
			port := freePort(t)
			c := connectortest.Server(t, "everything", mode)
			var cmd *exec.Cmd
			kill := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
			start := func() {
				cmd = exec.Command(c.Command, c.Args...)
				cmd.Env = append(os.Environ(), "PORT="+port)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				for range 200 {
					if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
						_ = conn.Close()
						break
					}
					time.Sleep(50 * time.Millisecond)
				}
			}
			start()
			t.Cleanup(func() { kill() })
			url := "http://127.0.0.1:" + port + map[string]string{"http": "/mcp", "sse": "/sse"}[transport]
			s := open1(t, config.Connector{Name: "everything", Transport: transport, URL: url}, Options{CallTimeout: 1500 * time.Millisecond})
			everything(t, s)
			kill()
			_, err := s.Call(t.Context(), "echo", json.RawMessage(`{"message":"x"}`))
			if e := (*Error)(nil); !errors.As(err, &e) || e.Fault.Code != CodeLost && e.Fault.Code != CodeUnreachable {
				t.Errorf("a dead server: %v", err)
			}
			start() // field fault 196
			if got := said(t, call(t, s, "echo", `{"message":"again"}`)); got != "Echo: again" {
				t.Errorf("%q", got)
			}
		})
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// The lock file names no registry: it is the one of whoever installs.
func TestLockFile(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(connectortest.Modules(t), "..", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), `"resolved"`) {
		t.Error("it does")
	}
}
