//go:build linux

package connector

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/runlace/runlace/internal/connector/connectortest"
)

// Nothing is left of a server when Runlace is killed with SIGKILL, although the server and its child ignore SIGTERM and the end of
// standard input.
func TestOwnerKilled(t *testing.T) {
	connectortest.NoLeaks(t)
	child := filepath.Join(t.TempDir(), "child")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RUNLACE_TEST_OWNER="+connectortest.Binary(t), "RUNLACE_TEST_CHILD="+child)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadBytes('\n')
	var block struct{ Text string }
	var about struct{ Pid int }
	if json.Unmarshal(line, &block) != nil || json.Unmarshal([]byte(block.Text), &about) != nil {
		t.Fatalf("%s", line)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	b, _ := os.ReadFile(child)
	pid, _ := strconv.Atoi(string(b))
	for _, p := range []int{about.Pid, pid} {
		if p == 0 || !connectortest.Gone(p) {
			t.Errorf("%d lives", p)
		}
	}
}
