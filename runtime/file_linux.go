package runtime

import (
	"os"

	"golang.org/x/sys/unix"
)

func unnamed() (*os.File, error) {
	fd, err := unix.MemfdCreate("runlace-image", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return unlinked()
	}
	return os.NewFile(uintptr(fd), "runlace-image"), nil
}

// seal makes sure that nothing changes the file any more.
func seal(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE|unix.F_SEAL_SEAL)
}
