package connector

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

// attributes puts a server into a process group of its own, and has it told when Runlace dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// The parent whose death is signalled is the thread that started the process, not the program. So all are started by one thread
// that never ends.
var starter = sync.OnceValue(func() chan func() {
	c := make(chan func())
	go startAll(c)
	return c
})

func startAll(c chan func()) {
	runtime.LockOSThread()
	for f := range c {
		f()
	}
}

func spawn(f func() error) error {
	done := make(chan error)
	starter() <- func() { done <- f() }
	return <-done
}

// stat is what /proc tells about a process.
type stat struct {
	pid, parent, group int
	state              byte
	started            uint64 // in ticks since the machine's start: with pid, what identifies a process
}

func readStat(pid string) (s stat, ok bool) {
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return s, false
	}
	// 12 (a name with any character) S 1 12 ...
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return s, false
	}
	f := bytes.Fields(b[i+1:])
	if len(f) < 20 {
		return s, false
	}
	s.pid, _ = strconv.Atoi(pid)
	s.state = f[0][0]
	s.parent, _ = strconv.Atoi(string(f[1]))
	s.group, _ = strconv.Atoi(string(f[2]))
	s.started, _ = strconv.ParseUint(string(f[19]), 10, 64)
	return s, s.pid > 0
}

// processes are those that run; a zombie has ended, and only waits for a parent that may never look.
func processes() []stat {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(-1)
	var all []stat
	for _, n := range names {
		if n[0] < '0' || n[0] > '9' {
			continue
		}
		if s, ok := readStat(n); ok && s.state != 'Z' && s.state != 'X' {
			all = append(all, s)
		}
	}
	return all
}

func members(group int) bool {
	for _, s := range processes() {
		if s.group == group {
			return true
		}
	}
	return false
}

// stray is a process that left the group of the one that started it.
type stray struct {
	pid     int
	started uint64
}

func (x stray) alive() bool {
	s, ok := readStat(strconv.Itoa(x.pid))
	return ok && s.started == x.started && s.state != 'Z' && s.state != 'X'
}

// descendants finds those of root that are not in its group.
func descendants(root int) []stray {
	all := processes()
	in := map[int]bool{root: true}
	for more := true; more; {
		more = false
		for _, s := range all {
			if in[s.parent] && !in[s.pid] {
				in[s.pid], more = true, true
			}
		}
	}
	var out []stray
	for _, s := range all {
		if in[s.pid] && s.pid != root && s.group != root {
			out = append(out, stray{s.pid, s.started})
		}
	}
	return out
}
