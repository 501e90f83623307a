//go:build unix && !linux

package connector

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func spawn(f func() error) error { return f() }

func members(int) bool { return true }

// stray is a process that left the group. Here they cannot be found without a program's help.
type stray struct{ pid int }

func (stray) alive() bool { return false }

func descendants(int) []stray { return nil }
