package config

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

const (
	lockWait  = 10 * time.Second
	lockStale = 30 * time.Second // longer than anybody holds it: its holder has died
)

// lock keeps other processes from writing the file at path until the function that it returns is called.
func lock(path string) (unlock func(), err error) {
	name := path + ".lock"
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_ = f.Close()
			return func() { _ = os.Remove(name) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fault.New("bad-home", "%s cannot be written", path).WithDetail(err)
		}
		if st, err := os.Stat(name); err == nil && time.Since(st.ModTime()) > lockStale {
			_ = os.Remove(name)
		} else if time.Since(start) > lockWait {
			return nil, fault.New("config-changed", "%s is being written by another process", path)
		}
	}
}
