package store

import (
	"encoding/json"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// ApprovalState is where a question to a person stands.
type ApprovalState string

// The states.
const (
	ApprovalPending   ApprovalState = "pending"
	ApprovalApproved  ApprovalState = "approved"
	ApprovalRejected  ApprovalState = "rejected"
	ApprovalExpired   ApprovalState = "expired"   // nobody answered in time
	ApprovalWithdrawn ApprovalState = "withdrawn" // the run was cancelled or refused, or what it asks for has changed
)

// Ask is what a person is asked for a run that parks. A run asks once for itself (Seq 0) and once for each step that is to be approved by
// itself. Asked again, as after a change of the policy, the new question takes the place of the old one.
type Ask struct {
	Seq       int             // the step that waits; 0: the whole run
	Acts      json.RawMessage // what may be done
	Arguments json.RawMessage // of the step, exactly as they will be sent; nil for the whole run
	Digest    string          // of all that the consent is for
	Preview   json.RawMessage // what the last dry run saw; nil if there was none
	ExpiresAt time.Time
	// AnsweredAt is when a person has consented, where that is before it is written; zero: now.
	AnsweredAt time.Time
}

// Approval is a question and what came of it.
type Approval struct {
	Run        string          `json:"run_id"`
	Workflow   string          `json:"name"`
	WorkflowID string          `json:"workflow_id"`
	Version    string          `json:"version"`
	Seq        int             `json:"seq"` // the step that waits; 0: the whole run
	State      ApprovalState   `json:"state"`
	Acts       json.RawMessage `json:"side_effects"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Inputs     json.RawMessage `json:"inputs"`
	Digest     string          `json:"digest"`
	Preview    json.RawMessage `json:"preview,omitempty"`
	Note       string          `json:"note,omitempty"`
	AskedAt    time.Time       `json:"asked_at"`
	ExpiresAt  time.Time       `json:"expires_at"`
	AnsweredAt time.Time       `json:"answered_at,omitzero"`
}

const approvalColumns = `r.id, w.name, w.id, v.version, a.seq, a.state, a.acts, a.arguments, r.inputs, a.digest, a.preview, a.note, a.asked_at, a.expires_at,
	a.answered_at`

const approvalTables = ` FROM approvals a JOIN runs r ON r.num=a.run JOIN workflows w ON w.num=r.workflow JOIN versions v ON v.num=r.version`

func scanApproval(r row) Approval {
	return Approval{
		Run: r.text(0), Workflow: r.text(1), WorkflowID: r.text(2), Version: r.text(3), Seq: r.int(4), State: ApprovalState(r.text(5)),
		Acts: r.json(6), Arguments: r.json(7), Inputs: r.json(8), Digest: r.text(9), Preview: r.json(10), Note: r.text(11),
		AskedAt: r.time(12), ExpiresAt: r.time(13), AnsweredAt: r.time(14),
	}
}

// ask writes a question in the transaction that parks its run.
func (s *Store) ask(c *conn, run int64, a Ask, state ApprovalState, note string) error {
	redacted, now, answered := false, s.now(), time.Time{}
	if state != ApprovalPending {
		answered = a.AnsweredAt
		if answered.IsZero() {
			answered = now
		}
	}
	for _, v := range []*json.RawMessage{&a.Acts, &a.Arguments, &a.Preview} {
		clean, err := s.clean(*v, &redacted)
		if err != nil {
			return err
		}
		*v = clean
	}
	_, err := c.exec(`INSERT INTO approvals (run, seq, acts, arguments, digest, preview, state, note, asked_at, expires_at, answered_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (run, seq) DO UPDATE SET acts=excluded.acts, arguments=excluded.arguments, digest=excluded.digest, preview=excluded.preview,
			state=excluded.state, note=excluded.note, asked_at=excluded.asked_at, expires_at=excluded.expires_at, answered_at=excluded.answered_at`,
		run, a.Seq, a.Acts, a.Arguments, a.Digest, a.Preview, string(state), note, now, a.ExpiresAt, answered)
	return err
}

// answeredAtOnce is the note of a consent that was given before the run could park.
const answeredAtOnce = "given in the client"

// Approved records that a person has consented to a step at once, before it is sent.
func (j *Journal) Approved(a Ask) error {
	return j.s.update(true, func(c *conn) error {
		ours, err := j.ours(c)
		if err != nil {
			return err
		}
		if !ours {
			return ErrLost
		}
		return j.s.ask(c, j.num, a, ApprovalApproved, answeredAtOnce)
	})
}

// AskAgain puts another question in the place of one that is pending. The run goes on waiting.
func (s *Store) AskAgain(run string, a Ask) error {
	return s.update(true, func(c *conn) error {
		num, r, err := s.readRun(c, run)
		if err != nil {
			return err
		}
		if r.Status != AwaitingApproval {
			return &TransitionError{Run: run, From: string(r.Status), To: string(AwaitingApproval)}
		}
		return s.ask(c, num, a, ApprovalPending, "")
	})
}

// Approvals lists questions, oldest first: those that are pending, or of a run all that there were.
func (s *Store) Approvals(run string) (list []Approval, err error) {
	where, args := "a.state='pending' AND r.status='awaiting_approval'", []any{}
	if run != "" {
		where, args = "r.id=?", []any{run}
	}
	err = s.view(func(c *conn) error {
		if run != "" {
			if _, err := runNum(c, run); err != nil {
				return err
			}
		}
		return c.query(func(r row) error {
			list = append(list, scanApproval(r))
			return nil
		}, "SELECT "+approvalColumns+approvalTables+" WHERE "+where+" ORDER BY a.asked_at, a.num, a.seq", args...)
	})
	return list, err
}

// Approval returns the question of a run that was asked last. A run that never asked has the code not-awaiting-approval.
func (s *Store) Approval(run string) (a Approval, err error) {
	err = s.view(func(c *conn) error {
		a, err = lastApproval(c, run)
		return err
	})
	return a, err
}

// lastApproval is the question that a run waits with, or has asked last. One for the whole run may come after one for a step, when the policy has changed.
func lastApproval(c *conn, run string) (a Approval, err error) {
	num, err := runNum(c, run)
	if err != nil {
		return a, err
	}
	found, err := c.one(func(r row) { a = scanApproval(r) },
		"SELECT "+approvalColumns+approvalTables+" WHERE a.run=? ORDER BY a.state='pending' DESC, a.asked_at DESC, a.num DESC LIMIT 1", num)
	if err == nil && !found {
		err = fault.New("not-awaiting-approval", "run %s has never asked for approval", run)
	}
	return a, err
}

// Approve gives consent to what a run waits with, and puts it into the queue. With a digest it is refused unless that is what is asked. An answer
// that comes late, twice, or to what is not asked any more has a code of its own, and changes nothing; except that a question whose time is over
// expires, with its run.
func (s *Store) Approve(run, digest, note string) (Approval, error) {
	return s.answer(run, digest, note, ApprovalApproved)
}

// Reject refuses consent, and ends the run.
func (s *Store) Reject(run, digest, reason string) (Approval, error) {
	return s.answer(run, digest, reason, ApprovalRejected)
}

func (s *Store) answer(run, digest, note string, to ApprovalState) (a Approval, err error) {
	redacted := false
	note = s.cleanText(note, &redacted)
	var refused error
	err = s.update(true, func(c *conn) error {
		refused = nil
		num, r, err := s.readRun(c, run)
		if err != nil {
			return err
		}
		if a, err = lastApproval(c, run); err != nil {
			return err
		}
		if refused = unanswerable(a, r, digest); refused != nil {
			return nil
		}
		now := s.now()
		if !now.Before(a.ExpiresAt) {
			refused = lateAnswer(a)
			return s.expire(c, num, a, now)
		}
		status, failure := Queued, json.RawMessage(nil)
		if to == ApprovalRejected {
			status = Rejected
			if failure, err = failureJSON("rejected", "a person refused it: "+note); err != nil {
				return err
			}
		}
		if err := moveRun(run, r.Status, status); err != nil {
			return err
		}
		if _, err := c.exec("UPDATE approvals SET state=?, note=?, answered_at=? WHERE run=? AND seq=?", string(to), note, now, num, a.Seq); err != nil {
			return err
		}
		if err := s.move(c, num, status, failure, redacted, now); err != nil {
			return err
		}
		a, err = lastApproval(c, run)
		return err
	})
	if err == nil {
		err = refused
	}
	return a, err
}

// unanswerable says why a question cannot be answered, apart from its time; nil if it can.
func unanswerable(a Approval, r Run, digest string) error {
	when := formatTime(a.AnsweredAt)
	switch {
	case a.State == ApprovalApproved:
		return fault.New("already-approved", "run %s was approved at %s, and is %s", a.Run, when, r.Status)
	case a.State == ApprovalRejected:
		return fault.New("already-rejected", "run %s was rejected at %s", a.Run, when)
	case a.State == ApprovalExpired:
		return lateAnswer(a)
	case a.State == ApprovalWithdrawn, r.Status != AwaitingApproval:
		return fault.New("not-awaiting-approval", "run %s does not wait for approval any more: it is %s", a.Run, r.Status)
	case digest != "" && digest != a.Digest:
		return fault.New("approval-stale", "run %s asks for something else by now", a.Run)
	}
	return nil
}

func lateAnswer(a Approval) error {
	return fault.New("approval-expired", "the question of run %s expired at %s, and the run with it", a.Run, formatTime(a.ExpiresAt))
}

// expire ends a question and its run.
func (s *Store) expire(c *conn, num int64, a Approval, now time.Time) error {
	failure, err := failureJSON("approval-expired", "nobody answered until "+formatTime(a.ExpiresAt))
	if err != nil {
		return err
	}
	if _, err := c.exec("UPDATE approvals SET state='expired', answered_at=? WHERE run=? AND seq=?", now, num, a.Seq); err != nil {
		return err
	}
	return s.move(c, num, Expired, failure, false, now)
}

// withdraw takes back what a run asks: it will not go on for the answer.
func withdraw(c *conn, run int64, now time.Time) error {
	_, err := c.exec("UPDATE approvals SET state='withdrawn', answered_at=? WHERE run=? AND state='pending'", now, run)
	return err
}

// Expire ends the questions whose time is over, each with its run. It returns the runs.
func (s *Store) Expire() (ids []string, err error) {
	due := false
	if err := s.view(func(c *conn) error {
		due, err = c.one(func(row) {}, "SELECT 1 FROM approvals WHERE state='pending' AND expires_at<=?", s.now())
		return err
	}); err != nil || !due {
		return nil, err
	}
	err = s.update(true, func(c *conn) error {
		ids = nil
		now := s.now()
		var over []Approval
		if err := c.query(func(r row) error {
			over = append(over, scanApproval(r))
			return nil
		}, "SELECT "+approvalColumns+approvalTables+" WHERE a.state='pending' AND a.expires_at<=? AND r.status='awaiting_approval' ORDER BY a.num", now); err != nil {
			return err
		}
		for _, a := range over {
			num, err := runNum(c, a.Run)
			if err != nil {
				return err
			}
			if err := s.expire(c, num, a, now); err != nil {
				return err
			}
			ids = append(ids, a.Run)
		}
		return nil
	})
	return ids, err
}

func failureJSON(code, message string) (json.RawMessage, error) {
	return json.Marshal(map[string]string{"code": code, "message": message})
}
