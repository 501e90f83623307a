//go:build unix

package pyright

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's Ctrl-C from the server, and lets kill reach all that it started.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
