package connector

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is a server that Runlace started, with everything that it starts in turn: on Unix a process group of its own, on
// Windows a job. It ends with Runlace, however Runlace ends.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // our ends of its pipes
	stdout *os.File
	stderr *os.File
	exited chan struct{} // closed when the process that was started, not its children, is gone
	err    error         // of waiting for it, valid then
	group  *group
}

// start starts the program at path.
func start(path string, args, env []string, dir string) (_ *process, err error) {
	var files []*os.File
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			if r, w, err = os.Pipe(); err == nil {
				files = append(files, r, w)
			}
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: args, Env: env, Dir: dir, Stdin: inR, Stdout: outW, Stderr: errW, SysProcAttr: attributes()}
	if err := commandLine(cmd); err != nil {
		return nil, err
	}
	if err := spawn(cmd.Start); err != nil {
		return nil, err
	}
	for _, f := range []*os.File{inR, outW, errW} {
		_ = f.Close()
	}
	p := &process{cmd: cmd, stdin: inW, stdout: outR, stderr: errR, exited: make(chan struct{}), group: newGroup(cmd.Process)}
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// stop ends the process and all that it started: it closes standard input, which is how MCP says goodbye, waits, asks with
// SIGTERM, waits, and kills. It returns when nothing of the tree is left, or after a second more than three times grace.
func (p *process) stop(grace time.Duration) {
	p.group.look()
	_ = p.stdin.Close()
	if !p.gone(grace) {
		p.group.look()
		p.group.terminate()
		if !p.gone(grace) {
			p.group.kill()
			_ = p.cmd.Process.Kill() // where there is no group
			p.gone(grace + time.Second)
		}
	}
	p.group.close()
	_ = p.stdout.Close()
	_ = p.stderr.Close()
}

// gone waits until the whole tree is gone.
func (p *process) gone(patience time.Duration) bool {
	deadline := time.Now().Add(patience)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-p.exited:
			if !p.group.alive() {
				return true
			}
			if time.Now().After(deadline) {
				return false
			}
			time.Sleep(min(pause, time.Until(deadline)))
		case <-time.After(time.Until(deadline)):
			return false
		}
	}
}

// ended says how the process ended, or "" if it has not.
func (p *process) ended() string {
	select {
	case <-p.exited:
	default:
		return ""
	}
	exit := (*exec.ExitError)(nil)
	switch {
	case p.err == nil:
		return "ended by itself"
	case errors.As(p.err, &exit):
		if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			return fmt.Sprintf("was killed by signal %d (%s)", int(w.Signal()), w.Signal())
		}
		return fmt.Sprintf("ended with exit code %d", exit.ExitCode())
	default:
		return "ended: " + p.err.Error()
	}
}
