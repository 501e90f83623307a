//go:build unix

package connector

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// group is a process group. It is watched over by a shell that waits for Runlace's end: the pipe between them closes when
// Runlace is gone, even by SIGKILL, and then the shell ends the group. The signal that Linux sends on a parent's death would reach
// only the process that was started, and no system but Linux has it.
type group struct {
	id     int
	guard  *os.File      // the pipe to the shell, or nil
	done   chan struct{} // closed when the shell is gone
	strays []stray       // descendants that left the group
}

// commandLine has nothing to do: here a program gets the list of its arguments.
func commandLine(*exec.Cmd) error { return nil }

// The group gets two seconds to end by itself.
const guardScript = `trap '' HUP INT QUIT TERM
read -r _ && exit 0
kill -s TERM -- "-$1" 2>/dev/null
for _ in 1 2; do
  kill -s 0 -- "-$1" 2>/dev/null || exit 0
  sleep 1
done
kill -s KILL -- "-$1" 2>/dev/null`

func newGroup(p *os.Process) *group {
	g := &group{id: p.Pid, done: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil {
		close(g.done)
		return g
	}
	cmd := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", guardScript, "runlace-guard", strconv.Itoa(p.Pid)}, Stdin: r,
		Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/", SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	err = cmd.Start()
	_ = r.Close()
	if err != nil { // there is no shell: what is left is the parent-death signal, where there is one
		_ = w.Close()
		close(g.done)
		return g
	}
	g.guard = w
	go func() {
		_ = cmd.Wait()
		close(g.done)
	}()
	return g
}

// look remembers the descendants that are not in the group, as long as they can be found.
func (g *group) look() { g.strays = append(g.strays, descendants(g.id)...) }

func (g *group) terminate() { g.signal(syscall.SIGTERM) }

func (g *group) kill() { g.signal(syscall.SIGKILL) }

func (g *group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.id, s)
	for _, x := range g.strays {
		if x.alive() {
			_ = syscall.Kill(x.pid, s)
		}
	}
}

// alive reports whether anything of the tree runs.
func (g *group) alive() bool {
	for _, x := range g.strays {
		if x.alive() {
			return true
		}
	}
	err := syscall.Kill(-g.id, 0)
	return !errors.Is(err, syscall.ESRCH) && members(g.id)
}

// close lets the guard go.
func (g *group) close() {
	if g.guard != nil {
		_, _ = g.guard.Write([]byte("\n"))
		_ = g.guard.Close()
		g.guard = nil
	}
	<-g.done
}
