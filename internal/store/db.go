package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/runlace/runlace/internal/fault"
)

// conn is a connection to the database with its compiled statements. This file is the only one that speaks to SQLite's API.
type conn struct {
	db    *sqlite3.Conn
	stmts map[string]*sqlite3.Stmt
	full  bool // PRAGMA synchronous is FULL: a commit is on the disk when it returns
}

func openConn(uri string, flags sqlite3.OpenFlag, busy time.Duration) (*conn, error) {
	db, err := sqlite3.OpenFlags(uri, flags|sqlite3.OPEN_URI)
	if err != nil {
		return nil, trouble(err)
	}
	c := &conn{db: db, stmts: map[string]*sqlite3.Stmt{}, full: true}
	if err := db.BusyTimeout(busy); err != nil {
		_ = c.close()
		return nil, trouble(err)
	}
	return c, nil
}

func (c *conn) close() error {
	for _, st := range c.stmts {
		_ = st.Close() // repeats the error of its last use
	}
	return c.db.Close()
}

// script runs statements that have no arguments and whose rows do not matter.
func (c *conn) script(sql string) error { return trouble(c.db.Exec(sql)) }

// durable chooses whether the commits that follow wait for the disk. It must not be called within a transaction.
func (c *conn) durable(full bool) error {
	if c.full == full {
		return nil
	}
	mode := "NORMAL"
	if full {
		mode = "FULL"
	}
	if err := c.script("PRAGMA synchronous=" + mode); err != nil {
		return err
	}
	c.full = full
	return nil
}

func (c *conn) prepare(sql string) (*sqlite3.Stmt, error) {
	if st := c.stmts[sql]; st != nil {
		return st, nil
	}
	st, tail, err := c.db.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", trouble(err), sql)
	}
	if tail != "" {
		return nil, fmt.Errorf("more than one statement: %s", sql)
	}
	c.stmts[sql] = st
	return st, nil
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(sql string, args ...any) (int64, error) {
	st, err := c.bound(sql, args)
	if err != nil {
		return 0, err
	}
	err = st.Exec()
	_ = st.ClearBindings() // frees large values
	if err != nil {
		return 0, trouble(err)
	}
	return c.db.Changes(), nil
}

// query calls each for the rows of a statement.
func (c *conn) query(each func(row) error, sql string, args ...any) error {
	st, err := c.bound(sql, args)
	if err != nil {
		return err
	}
	defer func() {
		_ = st.Reset() // repeats the error of Step
		_ = st.ClearBindings()
	}()
	for st.Step() {
		if err := each(row{st}); err != nil {
			return err
		}
	}
	return trouble(st.Err())
}

// one calls scan for the first row of a statement, and reports whether there was one.
func (c *conn) one(scan func(row), sql string, args ...any) (found bool, err error) {
	err = c.query(func(r row) error {
		if !found {
			scan(r)
		}
		found = true
		return nil
	}, sql, args...)
	return found, err
}

func (c *conn) bound(sql string, args []any) (*sqlite3.Stmt, error) {
	st, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	if n := st.BindCount(); n != len(args) {
		return nil, fmt.Errorf("%d arguments for %d parameters: %s", len(args), n, sql)
	}
	for i, arg := range args {
		if err := bind(st, i+1, arg); err != nil {
			return nil, trouble(err)
		}
	}
	return st, nil
}

// blob is bytes that are not text.
type blob []byte

// orNull is text that is NULL when it is empty.
type orNull string

func bind(st *sqlite3.Stmt, i int, arg any) error {
	switch v := arg.(type) {
	case nil:
		return st.BindNull(i)
	case string:
		return st.BindText(i, v)
	case orNull:
		if v == "" {
			return st.BindNull(i)
		}
		return st.BindText(i, string(v))
	case RunStatus:
		return st.BindText(i, string(v))
	case StepState:
		return st.BindText(i, string(v))
	case Mode:
		return st.BindText(i, string(v))
	case Risk:
		return st.BindText(i, string(v))
	case json.RawMessage:
		return st.BindRawText(i, v) // nil is NULL
	case blob:
		if len(v) == 0 {
			return st.BindZeroBlob(i, 0) // nil would be NULL
		}
		return st.BindBlob(i, v)
	case int:
		return st.BindInt(i, v)
	case int64:
		return st.BindInt64(i, v)
	case bool:
		return st.BindBool(i, v)
	case time.Duration:
		return st.BindInt64(i, int64(v))
	case time.Time:
		if v.IsZero() {
			return st.BindNull(i)
		}
		return st.BindText(i, formatTime(v))
	}
	return fmt.Errorf("no way to store a %T", arg)
}

// row is the current row of a statement. Columns count from 0; NULL is the zero value.
type row struct{ st *sqlite3.Stmt }

func (r row) text(i int) string            { return r.st.ColumnText(i) }
func (r row) int(i int) int                { return r.st.ColumnInt(i) }
func (r row) int64(i int) int64            { return r.st.ColumnInt64(i) }
func (r row) bool(i int) bool              { return r.st.ColumnInt64(i) != 0 }
func (r row) bytes(i int) []byte           { return r.st.ColumnBlob(i, nil) }
func (r row) duration(i int) time.Duration { return time.Duration(r.st.ColumnInt64(i)) }

func (r row) json(i int) json.RawMessage {
	if r.st.ColumnType(i) == sqlite3.NULL {
		return nil
	}
	return append(json.RawMessage{}, r.st.ColumnRawText(i)...)
}

// time reads a time of ours. One that was damaged from outside is the zero time.
func (r row) time(i int) time.Time {
	t, _ := time.Parse(timeFormat, r.st.ColumnText(i))
	return t
}

// trouble makes an error of SQLite one for the user where it has a cause that they can remove.
func trouble(err error) error {
	var code sqlite3.ErrorCode
	if err == nil || errors.As(err, new(*fault.Error)) || !errors.As(err, &code) {
		return err
	}
	switch code {
	case sqlite3.BUSY, sqlite3.LOCKED:
		return fault.New("store-busy", "another process keeps the database locked").WithDetail(err)
	case sqlite3.FULL, sqlite3.IOERR, sqlite3.READONLY, sqlite3.CANTOPEN, sqlite3.PERM:
		return fault.New("store-unavailable", "the database cannot be read or written").WithDetail(err)
	case sqlite3.CORRUPT, sqlite3.NOTADB:
		return fault.New("bad-database", "the database is damaged").WithDetail(err)
	}
	return fmt.Errorf("store: %w", err)
}

// constraint reports whether err is the violation of a constraint.
func constraint(err error) bool { return errors.Is(err, sqlite3.CONSTRAINT) }
