package connector

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/runlace/runlace/internal/cmdline"
)

// attributes keeps Ctrl-C in Runlace's console from a server: it is told to end by its standard input.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// commandLine writes the command line for a batch file, as npx.cmd is one, which cmd.exe runs and not Windows.
func commandLine(cmd *exec.Cmd) error {
	if !cmdline.IsBatch(cmd.Path) {
		return nil
	}
	dir, err := windows.GetSystemDirectory()
	if err != nil {
		return err
	}
	comspec := filepath.Join(dir, "cmd.exe")
	line, err := cmdline.Batch(comspec, cmd.Path, cmd.Args[1:])
	cmd.Path, cmd.SysProcAttr.CmdLine = comspec, line
	return err
}

func spawn(f func() error) error { return f() }

// group is a job that ends with the last handle to it: when Runlace closes it, or when Runlace is gone.
type group struct{ job windows.Handle }

func newGroup(p *os.Process) *group {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return &group{}
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var h windows.Handle
		if h, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid)); err == nil {
			err = windows.AssignProcessToJobObject(job, h)
			_ = windows.CloseHandle(h)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return &group{}
	}
	return &group{job: job}
}

func (g *group) look() {}

// terminate: Windows has no signal that a program without a window would take as a request.
func (g *group) terminate() { g.kill() }

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
}

func (g *group) alive() bool {
	if g.job == 0 {
		return false
	}
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		userTime, kernelTime, periodUser, periodKernel int64
		faults, processes, active, terminatedProcesses uint32
	}
	const basicAccounting = 1
	err := windows.QueryInformationJobObject(g.job, basicAccounting, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

func (g *group) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}
