package store

import (
	"fmt"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// applicationID is in the header of our databases: "RUNL".
const applicationID = 0x52554E4C

// migrations makes a database of each schema from the one before: migrations[0] makes schema 1 from nothing. They are never changed,
// only added to. Each runs in one transaction with the new number.
var migrations = []string{
	schema1,
	schema2, // approvals, the queue, payloads by content
	schema3, // what tools were seen to answer: observed.go
}

const schema1 = `
CREATE TABLE connectors (
  name          TEXT NOT NULL PRIMARY KEY,
  transport     TEXT NOT NULL,
  status        TEXT NOT NULL CHECK (status IN ('ok', 'unreachable', 'skipped')),
  detail        TEXT NOT NULL,  -- why it is not ok
  server        TEXT,           -- JSON: what the server says about itself
  checked_at    TEXT NOT NULL,  -- last attempt
  discovered_at TEXT            -- last success
) STRICT;

CREATE TABLE tools (
  connector     TEXT NOT NULL REFERENCES connectors ON DELETE CASCADE,
  name          TEXT NOT NULL,  -- exactly as on the wire
  title         TEXT NOT NULL,
  description   TEXT NOT NULL,
  input_schema  TEXT,
  output_schema TEXT,
  annotations   TEXT,
  risk          TEXT NOT NULL CHECK (risk IN ('read_only', 'side_effect')),
  digest        TEXT NOT NULL,
  status        TEXT NOT NULL CHECK (status IN ('ok', 'stale')),
  detail        TEXT NOT NULL,
  discovered_at TEXT NOT NULL,  -- when this digest was first seen
  seen_at       TEXT NOT NULL,  -- when it was last seen
  PRIMARY KEY (connector, name)
) STRICT;

CREATE TABLE workflows (
  num         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  name        TEXT NOT NULL,
  description TEXT NOT NULL,
  latest      INTEGER REFERENCES versions DEFERRABLE INITIALLY DEFERRED,
  created_at  TEXT NOT NULL,
  updated_at  TEXT NOT NULL,
  deleted_at  TEXT              -- it has no name any more; what its runs need is kept
) STRICT;
CREATE UNIQUE INDEX workflows_name ON workflows (name) WHERE deleted_at IS NULL;

CREATE TABLE versions (
  num            INTEGER PRIMARY KEY,
  id             TEXT NOT NULL UNIQUE,
  workflow       INTEGER NOT NULL REFERENCES workflows,
  version        TEXT NOT NULL, -- first digits of the digest
  digest         TEXT NOT NULL,
  code           TEXT NOT NULL,
  inputs_schema  TEXT NOT NULL,
  outputs_schema TEXT,
  created_at     TEXT NOT NULL,
  UNIQUE (workflow, digest),
  UNIQUE (workflow, version)
) STRICT;

CREATE TABLE pins (
  version       INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
  connector     TEXT NOT NULL,
  tool          TEXT NOT NULL,
  risk          TEXT NOT NULL,
  digest        TEXT NOT NULL,
  input_schema  TEXT,
  output_schema TEXT,
  annotations   TEXT,
  python        TEXT NOT NULL,
  PRIMARY KEY (version, connector, tool)
) STRICT;
CREATE INDEX pins_tool ON pins (connector, tool);

CREATE TABLE programs (
  version INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
  guest   TEXT NOT NULL,        -- the build of the guest that made it and can run it
  code    BLOB NOT NULL,
  fuel    INTEGER NOT NULL,
  PRIMARY KEY (version, guest)
) STRICT;

CREATE TABLE runs (
  num          INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  workflow     INTEGER NOT NULL REFERENCES workflows,
  version      INTEGER NOT NULL REFERENCES versions,
  mode         TEXT NOT NULL CHECK (mode IN ('live', 'dry', 'replay', 'resume')),
  status       TEXT NOT NULL,
  of           TEXT,            -- the run that this one repeats
  inputs       TEXT NOT NULL,
  seed         TEXT NOT NULL,   -- unsigned, 64 bits
  guest        TEXT NOT NULL,
  limits       TEXT,
  confirmed    INTEGER NOT NULL,
  gate         TEXT,            -- the gate that refused it
  fuel         INTEGER NOT NULL DEFAULT 0,
  memory_bytes INTEGER NOT NULL DEFAULT 0,
  calls        INTEGER NOT NULL DEFAULT 0,
  output       TEXT,
  error        TEXT,
  log          TEXT NOT NULL DEFAULT '',
  redacted     INTEGER NOT NULL DEFAULT 0,
  executor     TEXT,            -- the process that has it, or had it last
  pid          INTEGER,
  host         TEXT,
  lease_until  TEXT,
  created_at   TEXT NOT NULL,
  started_at   TEXT,            -- also what the run's clock reads at its start
  finished_at  TEXT
) STRICT;
CREATE INDEX runs_workflow ON runs (workflow, num);
CREATE INDEX runs_last ON runs (workflow, num) WHERE mode IN ('live', 'resume');
CREATE INDEX runs_version ON runs (version);
CREATE INDEX runs_open ON runs (status, num)
  WHERE status IN ('queued', 'running', 'awaiting_approval', 'waiting', 'interrupted', 'in_doubt');

CREATE TABLE steps (
  run         INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  seq         INTEGER NOT NULL,
  id          TEXT NOT NULL,
  connector   TEXT NOT NULL,
  tool        TEXT NOT NULL,
  risk        TEXT NOT NULL CHECK (risk IN ('read_only', 'side_effect')),
  state       TEXT NOT NULL CHECK (state IN ('intent', 'ok', 'error', 'in_doubt')),
  attempt     INTEGER NOT NULL, -- from 1
  cleared     INTEGER NOT NULL DEFAULT 0, -- it is known that the last attempt did not happen
  simulated   INTEGER NOT NULL DEFAULT 0,
  redacted    INTEGER NOT NULL DEFAULT 0,
  elapsed_ns  INTEGER NOT NULL DEFAULT 0, -- how far the run's clock moved
  started_at  TEXT NOT NULL,
  finished_at TEXT,
  arguments   TEXT NOT NULL,
  result      TEXT,
  error       TEXT,
  PRIMARY KEY (run, seq)
) STRICT;
CREATE INDEX steps_id ON steps (id);
`

// Payloads that are large lie in blobs, by their content: the column of the text is then empty, and the one beside it, _at, has the digest.
const schema2 = `
CREATE TABLE blobs (
  digest TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the bytes, in hexadecimal
  size   INTEGER NOT NULL,          -- of the bytes
  zstd   INTEGER NOT NULL,          -- whether data is compressed
  put_at TEXT NOT NULL,             -- last time
  data   BLOB NOT NULL
) STRICT;

ALTER TABLE steps ADD COLUMN arguments_at TEXT REFERENCES blobs;
ALTER TABLE steps ADD COLUMN result_at    TEXT REFERENCES blobs;
ALTER TABLE steps ADD COLUMN warnings     TEXT;    -- JSON list of texts
ALTER TABLE steps ADD COLUMN clock_ns     INTEGER NOT NULL DEFAULT 0; -- what the run's clock read at the call, from the run's start
ALTER TABLE steps ADD COLUMN paused_ns    INTEGER NOT NULL DEFAULT 0; -- how far the clock moved besides, for a time in which the run was parked
ALTER TABLE steps ADD COLUMN key          TEXT;    -- the parameter that was filled with an idempotency key
CREATE INDEX steps_arguments_at ON steps (arguments_at) WHERE arguments_at IS NOT NULL;
CREATE INDEX steps_result_at ON steps (result_at) WHERE result_at IS NOT NULL;

ALTER TABLE runs ADD COLUMN output_at   TEXT REFERENCES blobs;
ALTER TABLE runs ADD COLUMN duration_ns INTEGER NOT NULL DEFAULT 0; -- how long it ran, without the time that it was parked
ALTER TABLE runs ADD COLUMN queued_at   TEXT;      -- its place in the queue
ALTER TABLE runs ADD COLUMN claims      INTEGER NOT NULL DEFAULT 0; -- how often a process has taken it up
ALTER TABLE runs ADD COLUMN cancel_at   TEXT;      -- when somebody asked for its end
CREATE INDEX runs_queue ON runs (queued_at, num) WHERE status='queued';
CREATE INDEX runs_output_at ON runs (output_at) WHERE output_at IS NOT NULL;

CREATE TABLE media (                -- bytes that a run was given handles for
  run    INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  digest TEXT NOT NULL REFERENCES blobs,
  PRIMARY KEY (run, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX media_digest ON media (digest);

CREATE TABLE approvals (
  num         INTEGER PRIMARY KEY,
  run         INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  seq         INTEGER NOT NULL,     -- the step that waits; 0: the whole run
  acts        TEXT NOT NULL,        -- JSON list of what may be done
  arguments   TEXT,                 -- of the step
  digest      TEXT NOT NULL,        -- of all that the consent is for
  preview     TEXT,                 -- JSON: what the last dry run saw
  state       TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'expired', 'withdrawn')),
  note        TEXT NOT NULL DEFAULT '',
  asked_at    TEXT NOT NULL,
  expires_at  TEXT NOT NULL,
  answered_at TEXT,
  UNIQUE (run, seq)
) STRICT;
CREATE INDEX approvals_pending ON approvals (expires_at) WHERE state='pending';

ALTER TABLE pins ADD COLUMN observed TEXT; -- the schema of the results as they were observed, where the tool declares none

CREATE TABLE leases (
  name     TEXT NOT NULL PRIMARY KEY,
  executor TEXT NOT NULL,
  pid      INTEGER NOT NULL,
  host     TEXT NOT NULL,
  what     TEXT NOT NULL,           -- of the holder, for people
  since    TEXT NOT NULL,
  until    TEXT NOT NULL
) STRICT;
`

// migrate brings the database to the newest schema. Processes that do so at the same time wait for each other.
func (c *conn) migrate(steps []string) error {
	have, err := c.version(steps)
	if err != nil {
		return err
	}
	if have == len(steps) {
		return c.wal()
	}
	// Tables that are made anew must not take their dependants with them; the check at the end makes up for it.
	if err := c.script("PRAGMA foreign_keys=OFF"); err != nil {
		return err
	}
	for done := false; !done; {
		if err := c.begin(); err != nil {
			return err
		}
		if done, err = c.migrateOnce(steps); err != nil {
			c.rollback()
			return err
		}
		if err := c.script("COMMIT"); err != nil {
			c.rollback()
			return err
		}
	}
	if err := c.script("PRAGMA foreign_keys=ON"); err != nil {
		return err
	}
	// WAL comes after the first transaction, so that the file itself says whose it is from its first byte on: see look.go.
	return c.wal()
}

func (c *conn) migrateOnce(steps []string) (done bool, err error) {
	have, err := c.version(steps)
	if err != nil || have == len(steps) {
		return true, err
	}
	if err := c.script(steps[have]); err != nil {
		return false, fmt.Errorf("migration to schema %d: %w", have+1, err)
	}
	broken := ""
	if _, err := c.one(func(r row) { broken = r.text(0) }, "PRAGMA foreign_key_check"); err != nil {
		return false, err
	}
	if broken != "" {
		return false, fmt.Errorf("migration to schema %d leaves references of table %s that lead nowhere", have+1, broken)
	}
	return false, c.script(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, have+1))
}

// version returns the number of the database's schema.
func (c *conn) version(steps []string) (int, error) {
	n := 0
	if _, err := c.one(func(r row) { n = r.int(0) }, "PRAGMA user_version"); err != nil {
		return 0, err
	}
	if n > len(steps) {
		return 0, fault.New("newer-database", "the database has schema %d, and this Runlace knows up to %d", n, len(steps))
	}
	return n, nil
}

// wal switches to write-ahead logging. SQLite does not wait for other processes here, so this does.
func (c *conn) wal() error {
	mode := ""
	for wait := time.Millisecond; ; wait *= 2 {
		_, err := c.one(func(r row) { mode = r.text(0) }, "PRAGMA journal_mode=WAL")
		if err == nil && mode == "wal" {
			return nil
		}
		if wait > 4*time.Second {
			if err == nil {
				err = fault.New("store-unavailable", "the database's folder does not allow several processes at once: its journal mode stays %s", mode)
			}
			return err
		}
		time.Sleep(wait)
	}
}

func (c *conn) begin() error { return c.script("BEGIN IMMEDIATE") }

func (c *conn) rollback() {
	if !c.db.GetAutocommit() {
		_ = c.script("ROLLBACK") // the cause of it is what the caller reports
	}
}
