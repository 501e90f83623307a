package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// Claim makes the run that has been in the queue for the longest time this process's, see [Store.Adopt]. It returns nil if the queue is empty. Of
// processes that claim at the same time each gets another run.
func (s *Store) Claim(guest string) (*Journal, error) {
	for {
		id := ""
		if err := s.view(func(c *conn) error {
			_, err := c.one(func(r row) { id = r.text(0) }, "SELECT id FROM runs WHERE status='queued' ORDER BY queued_at, num LIMIT 1")
			return err
		}); err != nil || id == "" {
			return nil, err
		}
		j, err := s.Adopt(id, guest)
		if moved := (*TransitionError)(nil); errors.As(err, &moved) {
			continue // another process was faster, or it was cancelled
		}
		return j, err
	}
}

// Cancel ends a run from outside. One that a process has is only asked to end: the process sees it by [Journal.CancelRequested], and the run that is
// returned is still running. One that is over is refused with a *TransitionError.
func (s *Store) Cancel(id, why string) (run Run, err error) {
	failure, err := failureJSON("cancelled", why)
	if err != nil {
		return run, err
	}
	redacted := false
	if failure, err = s.clean(failure, &redacted); err != nil {
		return run, err
	}
	err = s.update(true, func(c *conn) error {
		num, now, err := int64(0), s.now(), error(nil)
		if num, run, err = s.readRun(c, id); err != nil {
			return err
		}
		if err := moveRun(id, run.Status, Cancelled); err != nil {
			return err
		}
		if run.Status == Running {
			_, err = c.exec("UPDATE runs SET cancel_at=coalesce(cancel_at, ?) WHERE num=?", now, num)
		} else {
			err = s.move(c, num, Cancelled, failure, redacted, now)
		}
		if err != nil {
			return err
		}
		if err := withdraw(c, num, now); err != nil {
			return err
		}
		_, run, err = s.readRun(c, id)
		return err
	})
	return run, err
}

// CancelRequested reports whether the run was asked to end, or is not this process's any more.
func (j *Journal) CancelRequested() (bool, error) {
	requested := false
	err := j.s.view(func(c *conn) error {
		goes, err := c.one(func(row) {}, "SELECT 1 FROM runs WHERE num=? AND status='running' AND executor=? AND claims=? AND cancel_at IS NULL",
			j.num, j.s.executor.ID, j.run.Claims)
		requested = !goes
		return err
	})
	return requested && err == nil, err
}

// Lease is a task that one process at a time has.
type Lease struct {
	Name     string    `json:"name"`
	Executor Executor  `json:"executor"`
	What     string    `json:"what"` // the holder, for people
	Since    time.Time `json:"since"`
}

// Hold makes a task this process's for the time of Options.Lease, unless another has it: then the error has the code lease-held and says who. A lease
// that is over is taken over, and one of a process that gone reports to be.
func (s *Store) Hold(name, what string, gone func(Executor) bool) error {
	return s.update(true, func(c *conn) error {
		now := s.now()
		l, found, err := readLease(c, name)
		if err != nil {
			return err
		}
		if found && l.Executor.ID != s.executor.ID && now.Before(l.Executor.LeaseUntil) && !gone(l.Executor) {
			return fault.New("lease-held", "process %d on %s (%s) has the task %s since %s", l.Executor.PID, l.Executor.Host, l.What, name, formatTime(l.Since))
		}
		e := s.lent(now)
		_, err = c.exec("INSERT OR REPLACE INTO leases (name, executor, pid, host, what, since, until) VALUES (?, ?, ?, ?, ?, ?, ?)",
			name, e.ID, e.PID, e.Host, what, now, e.LeaseUntil)
		return err
	})
}

// Renew prolongs a lease of this process. ErrLost says that it has none.
func (s *Store) Renew(name string) error {
	n, err := s.updateOne(false, "UPDATE leases SET until=? WHERE name=? AND executor=?", s.now().Add(s.lease), name, s.executor.ID)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

// Release gives a lease of this process back. One that it has not is no error.
func (s *Store) Release(name string) error {
	_, err := s.updateOne(true, "DELETE FROM leases WHERE name=? AND executor=?", name, s.executor.ID)
	return err
}

// Lease returns who has a task; false if nobody has.
func (s *Store) Lease(name string) (l Lease, found bool, err error) {
	err = s.view(func(c *conn) error {
		l, found, err = readLease(c, name)
		return err
	})
	return l, found && s.now().Before(l.Executor.LeaseUntil), err
}

func readLease(c *conn, name string) (l Lease, found bool, err error) {
	found, err = c.one(func(r row) {
		l = Lease{Name: r.text(0), Executor: Executor{ID: r.text(1), PID: r.int(2), Host: r.text(3), LeaseUntil: r.time(6)}, What: r.text(4), Since: r.time(5)}
	}, "SELECT name, executor, pid, host, what, since, until FROM leases WHERE name=?", name)
	return l, found, err
}

// Pruned is what Prune removed, or would remove.
type Pruned struct {
	Runs  int   `json:"runs"`
	Steps int   `json:"steps"`
	Blobs int   `json:"blobs"`
	Bytes int64 `json:"bytes"` // of the blobs
}

// Prune removes runs that were over before a moment, with their steps, and the bytes that nothing refers to then. A run that is not over stays, however
// old it is, and so does one in doubt. With dry it only counts.
func (s *Store) Prune(before time.Time, dry bool) (p Pruned, err error) {
	const old = "finished_at IS NOT NULL AND finished_at<?"
	undone := errors.New("store: only counted")
	err = s.update(true, func(c *conn) error {
		p = Pruned{}
		if _, err := c.one(func(r row) { p.Runs, p.Steps = r.int(0), r.int(1) },
			"SELECT count(*), coalesce(sum((SELECT count(*) FROM steps WHERE run=r.num)), 0) FROM runs r WHERE "+old, before); err != nil {
			return err
		}
		if _, err := c.exec("DELETE FROM runs WHERE "+old, before); err != nil {
			return err
		}
		const unused = ` FROM blobs WHERE put_at<? AND NOT EXISTS (SELECT 1 FROM steps WHERE arguments_at=digest) AND NOT EXISTS (SELECT 1 FROM steps
			WHERE result_at=digest) AND NOT EXISTS (SELECT 1 FROM runs WHERE output_at=digest) AND NOT EXISTS (SELECT 1 FROM media WHERE media.digest=blobs.digest)`
		grace := s.now().Add(-blobGrace)
		if _, err := c.one(func(r row) { p.Blobs, p.Bytes = r.int(0), r.int64(1) }, "SELECT count(*), coalesce(sum(length(data)), 0)"+unused, grace); err != nil {
			return err
		}
		if _, err := c.exec("DELETE"+unused, grace); err != nil {
			return err
		}
		if dry {
			return undone
		}
		return nil
	})
	if errors.Is(err, undone) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("prune: %w", err)
	}
	return p, err
}
