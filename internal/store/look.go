package store

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// Kind says whose database a file is.
type Kind string

// The kinds.
const (
	Missing Kind = "missing" // there is none, or an empty file
	Ours    Kind = "ours"
	Old     Kind = "old"     // the first implementation's
	Foreign Kind = "foreign" // another program's, or no database at all
)

// Look says whose database path is. It changes nothing there, neither the file nor what lies beside it.
func Look(path string) (Kind, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		kind, settled, err := look(path)
		if err != nil {
			return "", unreadable(path, err)
		}
		if settled || wait > time.Second {
			return kind, nil
		}
		time.Sleep(wait) // another process is making it just now
	}
}

const (
	magic    = "SQLite format 3\x00"
	offsetID = 68 // of the application id, https://sqlite.org/fileformat.html#the_database_header
)

func look(path string) (kind Kind, settled bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return Missing, true, nil
	}
	if err != nil {
		return "", true, err
	}
	header := make([]byte, 100)
	n, err := io.ReadFull(f, header)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return Missing, true, nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return "", true, err
	case n < len(header) || !strings.HasPrefix(string(header), magic):
		if _, err := os.Stat(path + "-journal"); err == nil {
			return Missing, false, nil // the making of a database was cut off: SQLite will take it back
		}
		return Foreign, false, nil
	}
	switch binary.BigEndian.Uint32(header[offsetID:]) {
	case applicationID:
		return Ours, true, nil
	case 0: // the first implementation did not set it
		if old, err := home.IsOld(path); old || errors.Is(err, fs.ErrPermission) {
			return Old, true, err
		}
	}
	return Foreign, true, nil
}

// refusal is the error for a database that is not ours, nil for one that is or will be.
func refusal(path string, kind Kind) error {
	switch kind {
	case Old:
		return fault.New("old-home", "%s was made by the first implementation of Runlace, and is left as it is", path)
	case Foreign:
		return fault.New("bad-database", "%s is not a database of Runlace", path)
	}
	return nil
}

func unreadable(path string, err error) error {
	if errors.As(err, new(*fault.Error)) {
		return err
	}
	return fault.New("store-unavailable", "%s cannot be read", path).WithDetail(err)
}

func fileURI(path string, query url.Values) string {
	path = filepath.ToSlash(path)
	if len(path) > 1 && path[1] == ':' {
		path = "/" + path // file:///C:/...
	}
	q := strings.ReplaceAll(query.Encode(), "+", "%20") // a plus is a plus to SQLite
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q}).String()
}
