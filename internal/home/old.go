package home

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// The header of an SQLite file: https://sqlite.org/fileformat.html#the_database_header.
const (
	magic               = "SQLite format 3\x00"
	headerBytes         = 100
	applicationIDOffset = 68
)

// IsOld reports whether a database was made by the first implementation: it has that one's tables, meta has a schema_version, and there
// is no application_id, which package store sets. A file that does not exist is not old. Nothing is written, not even the files that
// SQLite puts beside a database.
func IsOld(database string) (bool, error) {
	header, err := readHeader(database)
	if err != nil || header == nil {
		return false, err
	}
	wal, err := os.Stat(database + "-wal")
	logged := err == nil && wal.Size() > 0
	if !logged {
		if binary.BigEndian.Uint32(header[applicationIDOffset:]) != 0 {
			return false, nil // the way that every start takes
		}
		return hasOldTables(database)
	}
	// The newest pages are in the log, and the header may be of another time. SQLite does not read a log without writing beside it:
	// so it reads a copy. That happens while the database is in use and after a crash.
	if id := binary.BigEndian.Uint32(header[applicationIDOffset:]); id != 0 {
		return false, nil // it is never taken back
	}
	dir, err := os.MkdirTemp("", "runlace-look-*")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	lookAt := filepath.Join(dir, "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(lookAt+suffix, database+suffix); err != nil {
			return false, err
		}
	}
	return hasOldTables(lookAt)
}

// readHeader returns nil for what is not an SQLite file.
func readHeader(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(f, header); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, nil
		}
		return nil, err
	}
	if string(header[:len(magic)]) != magic {
		return nil, nil
	}
	return header, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a log that has been written back in the meantime
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// hasOldTables opens a database without locks, log or side files, unless it is a copy with a log.
func hasOldTables(path string) (bool, error) {
	uri, flags := fileURI(path, "immutable=1"), sqlite3.OPEN_READONLY|sqlite3.OPEN_URI
	if _, err := os.Stat(path + "-wal"); err == nil && filepath.Base(path) == "copy.db" {
		uri, flags = fileURI(path, ""), sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI
	}
	db, err := sqlite3.OpenFlags(uri, flags)
	if err != nil {
		return false, err
	}
	defer db.Close()
	id, err := integer(db, `PRAGMA application_id`)
	if err != nil || id != 0 {
		return false, err
	}
	n, err := integer(db, `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'connectors', 'workflows', 'workflow_versions', 'runs')`)
	if err != nil || n != 5 {
		return false, err
	}
	n, err = integer(db, `SELECT count(*) FROM meta WHERE key = 'schema_version'`)
	return n > 0, err
}

func integer(db *sqlite3.Conn, query string) (int64, error) {
	stmt, _, err := db.Prepare(query)
	if err != nil {
		return 0, err
	}
	defer stmt.Close()
	if !stmt.Step() {
		return 0, stmt.Err()
	}
	return stmt.ColumnInt64(0), nil
}
