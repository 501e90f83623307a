//go:build linux || darwin

package runtime

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// readFile opens a file and returns its contents, mapped. Its bytes are good until done is called.
func readFile(path string) (b []byte, f *os.File, done func(), err error) {
	f, err = os.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	b, err = view(f)
	if err != nil {
		_ = f.Close()
		return nil, nil, nil, &os.PathError{Op: "map", Path: path, Err: err}
	}
	return b, f, func() { _ = unix.Munmap(b) }, nil
}

func view(f *os.File) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() == 0 || st.Size() != int64(int(st.Size())) {
		return nil, os.ErrInvalid
	}
	return unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE) // a sealed file cannot be shared on every kernel
}

// hold puts b into a file that has no name, so that it can be mapped.
func hold(b []byte) (mapped []byte, f *os.File, done func(), err error) {
	if f, err = unnamed(); err != nil {
		return nil, nil, nil, err
	}
	if _, err = f.Write(b); err == nil {
		seal(f)
		mapped, err = view(f)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, nil, err
	}
	return mapped, f, func() { _ = unix.Munmap(mapped) }, nil
}

// unlinked is a file of the temporary directory, already removed.
func unlinked() (*os.File, error) {
	f, err := os.CreateTemp("", "runlace-image-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// mine tells whether this user, and no other, can write to what st describes.
func mine(st os.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && st.Mode().Perm()&0o022 == 0
}
