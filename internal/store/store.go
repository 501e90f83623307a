package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Options says how to open a store. The zero value is good.
type Options struct {
	Files    string           // folder for the texts of versions; empty means workflows beside the database
	Now      func() time.Time // the one clock; nil means time.Now
	Redactor Redactor         // takes secrets out of what is stored; nil stores everything as it is
	Busy     time.Duration    // how long to wait for other processes; 0 means 10 s
	Lease    time.Duration    // how long a run stays this process's without a heartbeat; 0 means 30 s
	Random   io.Reader        // for ids; nil means crypto/rand
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	path     string
	files    string
	clock    func() time.Time
	redactor Redactor
	busy     time.Duration
	lease    time.Duration
	random   io.Reader
	executor Executor
	codec    *codec

	write  sync.Mutex // guards writer
	writer *conn

	readers chan *conn    // idle ones
	tickets chan struct{} // one for each reader in use
	done    chan struct{} // closed by Close
	closing sync.Once

	ids sync.Mutex // guards random
}

// Executor is a process that runs runs.
type Executor struct {
	ID         string    `json:"id"` // of this process alone, also where process ids are used again
	PID        int       `json:"pid"`
	Host       string    `json:"host"`
	LeaseUntil time.Time `json:"lease_until,omitzero"`
}

const maxReaders = 4

// Open opens the database at path, and makes it and its folder if they do not exist. It refuses another program's database, the first
// implementation's (old-home), and one that a newer Runlace has changed (newer-database), and leaves them as they are.
func Open(path string, o Options) (_ *Store, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	kind, err := Look(path)
	if err != nil {
		return nil, err
	}
	if err := refusal(path, kind); err != nil {
		return nil, err
	}
	s := &Store{
		path: path, files: o.Files, clock: o.Now, redactor: o.Redactor, busy: o.Busy, lease: o.Lease, random: o.Random,
		readers: make(chan *conn, maxReaders), tickets: make(chan struct{}, maxReaders), done: make(chan struct{}),
	}
	if s.files == "" {
		s.files = filepath.Join(filepath.Dir(path), "workflows")
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.redactor == nil {
		s.redactor = noSecrets{}
	}
	if s.busy == 0 {
		s.busy = 10 * time.Second
	}
	if s.lease == 0 {
		s.lease = 30 * time.Second
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	s.executor.PID = os.Getpid()
	if s.executor.Host, err = os.Hostname(); err != nil {
		s.executor.Host = "" // it is only shown
	}
	if s.executor.ID, err = s.newID("ex_"); err != nil {
		return nil, err
	}
	if s.codec, err = newCodec(); err != nil {
		return nil, err
	}
	if err := s.private(); err != nil {
		return nil, unreadable(path, err)
	}
	if s.writer, err = s.connect(); err != nil {
		return nil, err
	}
	if err := s.writer.migrate(migrations); err != nil {
		return nil, errors.Join(err, s.writer.close())
	}
	if err := s.hideSharedMemory(); err != nil {
		return nil, errors.Join(unreadable(path, err), s.writer.close())
	}
	return s, nil
}

// private makes sure that the database and its folder are its owner's alone. A folder that was there before is left as it is: it need
// not be only ours.
func (s *Store) private() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return hide(s.path)
}

// hideSharedMemory does for the index of the write-ahead log what modeof does for the log itself. They exist once something was read.
func (s *Store) hideSharedMemory() error {
	if _, err := s.writer.one(func(row) {}, "SELECT 1 FROM sqlite_schema"); err != nil {
		return err
	}
	for _, suffix := range []string{"-shm", "-wal"} {
		if err := hide(s.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func hide(path string) error {
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, 0o600)
}

func (s *Store) connect() (*conn, error) {
	c, err := openConn(fileURI(s.path, url.Values{"modeof": {s.path}}), sqlite3.OPEN_READWRITE, s.busy)
	if err != nil {
		return nil, err
	}
	// fullfsync matters on macOS only, where a plain fsync does not reach the disk.
	if err := c.script("PRAGMA foreign_keys=ON; PRAGMA fullfsync=ON; PRAGMA trusted_schema=OFF; PRAGMA synchronous=FULL"); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// Close waits for what is in progress and closes the database. Closing twice does nothing.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		close(s.done)
		for range maxReaders {
			s.tickets <- struct{}{}
		}
		for len(s.readers) > 0 {
			err = errors.Join(err, (<-s.readers).close())
		}
		s.write.Lock()
		defer s.write.Unlock()
		err = errors.Join(err, s.writer.close()) // last, so that it empties the log
	})
	return err
}

func (s *Store) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Path is where the database is.
func (s *Store) Path() string { return s.path }

// ErrClosed: the store was closed.
var ErrClosed = errors.New("store: closed")

// update runs f in a transaction. With durable the commit is on the disk when update returns.
func (s *Store) update(durable bool, f func(c *conn) error) error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed() {
		return ErrClosed
	}
	c := s.writer
	if err := c.durable(durable); err != nil {
		return err
	}
	if err := c.begin(); err != nil {
		return err
	}
	defer c.rollback() // does nothing after a commit
	if err := f(c); err != nil {
		return err
	}
	return c.script("COMMIT")
}

// updateOne is update for a single statement, which is a transaction by itself.
func (s *Store) updateOne(durable bool, sql string, args ...any) (int64, error) {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed() {
		return 0, ErrClosed
	}
	if err := s.writer.durable(durable); err != nil {
		return 0, err
	}
	return s.writer.exec(sql, args...)
}

// view runs f with a connection that only reads. All that it reads is of one moment.
func (s *Store) view(f func(c *conn) error) error {
	select {
	case s.tickets <- struct{}{}:
	case <-s.done:
		return ErrClosed
	}
	defer func() { <-s.tickets }()
	if s.closed() {
		return ErrClosed
	}
	var c *conn
	select {
	case c = <-s.readers:
	default:
		var err error
		if c, err = s.connect(); err != nil {
			return err
		}
		if err := c.script("PRAGMA query_only=ON"); err != nil {
			return errors.Join(err, c.close())
		}
	}
	defer func() { s.readers <- c }()
	if err := c.script("BEGIN"); err != nil {
		return err
	}
	defer c.rollback()
	return f(c)
}

// Check reports damage of the database, "" if there is none. It reads all of it.
func (s *Store) Check() (damage string, err error) {
	err = s.view(func(c *conn) error {
		if _, err := c.one(func(r row) { damage = r.text(0) }, "PRAGMA integrity_check(1)"); err != nil {
			return err
		}
		if damage != "ok" {
			return nil
		}
		damage = ""
		_, err := c.one(func(r row) { damage = "a reference of table " + r.text(0) + " leads nowhere" }, "PRAGMA foreign_key_check")
		return err
	})
	return damage, err
}

const timeFormat = "2006-01-02T15:04:05.000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

// now reads the clock, in UTC and milliseconds.
func (s *Store) now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

func (s *Store) newID(prefix string) (string, error) {
	var b [6]byte
	s.ids.Lock()
	defer s.ids.Unlock()
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return "", fmt.Errorf("store: no randomness for an id: %w", err)
	}
	return prefix + hex.EncodeToString(b[:]), nil
}
