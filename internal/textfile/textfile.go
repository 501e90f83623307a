// Package textfile reads text that people and editors wrote, and replaces files so that a reader never sees half of one.
//
//	text, err := textfile.Read(path)           // UTF-8, whatever the byte order mark says
//	err = textfile.Write(path, text)           // all or nothing, for the owner's eyes only
//
// Errors of [Read] and [Write] are those of package os, or [ErrNotText] and [ErrTooLarge]; none has a part of the text in it, for it may
// be a secret.
package textfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxBytes bounds what [Read] reads: a Claude Code user file holds the history of all projects, and grows to tens of megabytes.
const MaxBytes = 128 << 20

// Patience is how long [Read] waits for the end of a pipe.
const Patience = 10 * time.Second

var (
	// ErrFolder is for a path that leads to a folder.
	ErrFolder = errors.New("it is a folder")
	// ErrNoWriter is for a pipe into which nobody writes.
	ErrNoWriter = errors.New("it is a pipe into which nobody writes")
	// ErrNotText is for a file that is neither UTF-8 nor, with its byte order mark, UTF-16.
	ErrNotText = errors.New("it is not text in UTF-8")
	// ErrTooLarge is for a file of more than MaxBytes.
	ErrTooLarge = fmt.Errorf("it is larger than %d MiB", MaxBytes>>20)
)

// Read returns the text of a file as UTF-8 without a byte order mark. Windows tools write UTF-16 with one; that is converted.
// What is no regular file (a device, a pipe) is read too, up to [MaxBytes]; a pipe that nobody writes into, or not to its end within
// [Patience], is an error.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // or a pipe without a writer would wait for one
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, ErrFolder
	}
	pipe := info.Mode()&fs.ModeNamedPipe != 0
	if pipe {
		_ = f.SetReadDeadline(time.Now().Add(Patience)) // where there are none, the writer decides
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if pipe && len(b) == 0 {
		return nil, ErrNoWriter
	}
	if len(b) > MaxBytes {
		return nil, ErrTooLarge
	}
	return Decode(b)
}

// Decode is [Read] for bytes.
func Decode(b []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(b, []byte{0xEF, 0xBB, 0xBF}):
		b = b[3:]
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		return utf16Text(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		return utf16Text(b[2:], binary.BigEndian)
	}
	if !utf8.Valid(b) {
		return nil, ErrNotText
	}
	return b, nil
}

func utf16Text(b []byte, order binary.ByteOrder) ([]byte, error) {
	if len(b)%2 != 0 {
		return nil, ErrNotText
	}
	out := make([]byte, 0, len(b)/2)
	for i := 0; i < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			if i+4 > len(b) {
				return nil, ErrNotText
			}
			i += 2
			if r = utf16.DecodeRune(r, rune(order.Uint16(b[i:]))); r == utf8.RuneError {
				return nil, ErrNotText
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}

// Write makes text the content of the file, in one step: whoever reads the file sees the old text or the new one, also after a power
// cut. The file can be read and written by its owner only. Where path is a symbolic link, the file that it leads to is replaced. The
// folder must exist.
func Write(path string, text []byte) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // makes it 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close() // a second time does no harm
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // where a folder cannot be synced
		if d, err := os.Open(filepath.Dir(path)); err == nil {
			defer d.Close()
			return ignoreUnsupported(d.Sync())
		}
	}
	return nil
}

// ignoreUnsupported drops the error of file systems that cannot sync a folder: the file itself is synced.
func ignoreUnsupported(err error) error {
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		return nil
	}
	return err
}
