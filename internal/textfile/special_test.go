//go:build unix

package textfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe is read to its end, and one that nobody writes into is not waited for.
func TestReadSpecial(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); !errors.Is(err, ErrFolder) {
		t.Errorf("a folder: %v", err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(pipe); !errors.Is(err, ErrNoWriter) {
		t.Errorf("a pipe without a writer: %v", err)
	}
	written := make(chan error, 1)
	both, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that the writer is there when the reading begins
	if err != nil {
		t.Fatal(err)
	}
	if _, err := both.WriteString("{}"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { written <- both.Close() })
	if b, err := Read(pipe); err != nil || string(b) != "{}" {
		t.Errorf("%q, %v", b, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
