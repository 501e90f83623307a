//go:build !unix

package pyright

import "os/exec"

func ownGroup(*exec.Cmd) {}

// The server has no children, and ends by itself when this process is gone.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
