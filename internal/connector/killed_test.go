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
// standard input, and whatever starts them.
func TestFieldFault169_OwnerKilled(t *testing.T) {
	server := `"$0" -ignore-term -child "$1"`
	for _, c := range []struct {
		name, script string
		processes    int // at least
	}{
		{"field-fault-169 the server itself", `exec ` + server, 2},
		{"field-fault-167 through a shell", server + `; true`, 3},
		{"field-fault-167 through three shells", `sh -c 'sh -c "\"\$0\" -ignore-term -child \"\$1\"; true" "$0" "$1"; true' "$0" "$1"; true`, 5},
		{"field-fault-170 the wrapper goes first", `exec 3<&0; ` + server + ` <&3 & exit 0`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			child := filepath.Join(t.TempDir(), "child")
			args, _ := json.Marshal([]string{"/bin/sh", "-c", c.script, connectortest.Binary(t), child})
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "RUNLACE_TEST_OWNER="+string(args))
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadBytes('\n')
			var block struct{ Text string }
			var about struct{ Pid, Group int }
			if json.Unmarshal(line, &block) != nil || json.Unmarshal([]byte(block.Text), &about) != nil {
				t.Fatalf("%s", line)
			}
			var tree []int
			for _, p := range processes() {
				if p.group == about.Group {
					tree = append(tree, p.pid)
				}
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			b, _ := os.ReadFile(child)
			pid, _ := strconv.Atoi(string(b))
			if len(tree) < c.processes {
				t.Errorf("a tree of %d processes", len(tree))
			}
			for _, p := range append(tree, about.Pid, pid) {
				if p == 0 || !connectortest.Gone(p) {
					t.Errorf("%d lives", p)
				}
			}
		})
	}
}
