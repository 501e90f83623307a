package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// NewRun is an attempt to run a version.
type NewRun struct {
	Version   string // id
	Mode      Mode
	Of        string          // the run that this one repeats
	Inputs    json.RawMessage // with defaults filled in; nil means {}
	Seed      uint64
	Guest     string          // the build of the guest
	Limits    json.RawMessage // runtime.Limits
	Confirmed bool
	StartedAt time.Time // what the run's clock reads at its start; the zero time means now. It is kept in milliseconds
	Approved  *Ask      // what a person has consented to already, as in the client's own dialogue; nil: nothing
}

// Errors of a Journal.
var (
	// ErrLost: another process has settled the run or taken it over. What has not been sent yet must not be.
	ErrLost = errors.New("store: the run is not this process's any more")
	// ErrDryAct: a dry run was about to act. Nothing was written.
	ErrDryAct = errors.New("store: a dry run cannot act")
)

// SequenceError says that a step is not the one that comes next, or that the one before is not over.
type SequenceError struct {
	Run string
	Seq int
}

func (e *SequenceError) Error() string {
	return fmt.Sprintf("store: step %d of run %s is not the next one, or the one before is not over", e.Seq, e.Run)
}

// Journal writes what one run does. It is safe for concurrent use, but steps come one after the other.
type Journal struct {
	s     *Store
	num   int64
	run   Run
	mu    sync.Mutex
	acted bool // an act was sent, so that the end of the run is worth waiting for the disk
	// The step that was begun last by this process.
	seq, attempt int
}

// Run is the run as it was when this process took it. Its StartedAt is what the run's clock has to start at.
func (j *Journal) Run() Run { return j.run }

// StartRun begins a run in this process.
func (s *Store) StartRun(n NewRun) (*Journal, error) {
	num, run, err := s.newRun(n, Running, "", nil, nil)
	if err != nil {
		return nil, err
	}
	return &Journal{s: s, num: num, run: run}, nil
}

// QueueRun records a run that a process will pick up, see [Store.Claim].
func (s *Store) QueueRun(n NewRun) (Run, error) {
	_, run, err := s.newRun(n, Queued, "", nil, nil)
	return run, err
}

// ParkRun records a run that waits for a person's consent.
func (s *Store) ParkRun(n NewRun, a Ask) (Run, error) {
	_, run, err := s.newRun(n, AwaitingApproval, "", nil, &a)
	return run, err
}

// RefuseRun records that a gate refused a run before it began.
func (s *Store) RefuseRun(n NewRun, gate string, failure json.RawMessage) (Run, error) {
	_, run, err := s.newRun(n, Failed, gate, failure, nil)
	return run, err
}

func (s *Store) newRun(n NewRun, status RunStatus, gate string, failure json.RawMessage, ask *Ask) (num int64, run Run, err error) {
	if err := moveRun("new", "", status); err != nil {
		return 0, run, err
	}
	if n.Inputs == nil {
		n.Inputs = json.RawMessage("{}")
	}
	redacted := false
	inputs, err := s.clean(n.Inputs, &redacted)
	if err != nil {
		return 0, run, fmt.Errorf("inputs: %w", err)
	}
	if redacted && (status == Queued || status == AwaitingApproval) {
		return 0, run, fault.New("secret-input", "the inputs contain the value of a secret, which the journal does not keep, so that the run cannot be put off")
	}
	failure, err = s.clean(failure, &redacted)
	if err != nil {
		return 0, run, fmt.Errorf("error: %w", err)
	}
	limits, err := s.clean(n.Limits, &redacted)
	if err != nil {
		return 0, run, fmt.Errorf("limits: %w", err)
	}
	now := s.now()
	started, finished := n.StartedAt.UTC().Truncate(time.Millisecond), time.Time{}
	if n.StartedAt.IsZero() {
		started = now
	}
	e, queued := Executor{}, time.Time{}
	switch status {
	case Running:
		e = s.lent(now)
	case Failed:
		finished = now
	default:
		if status == Queued {
			queued = now
		}
		if n.StartedAt.IsZero() {
			started = time.Time{} // it is set when the run begins
		}
	}
	err = s.update(ask != nil || n.Approved != nil, func(c *conn) error {
		var workflow, version int64
		found, err := c.one(func(r row) { version, workflow = r.int64(0), r.int64(1) }, "SELECT num, workflow FROM versions WHERE id=?", n.Version)
		if err != nil {
			return err
		}
		if !found {
			return fault.New("unknown-version", "there is no version %s", n.Version)
		}
		num, run.ID, err = s.insert(c, "run_", `INSERT INTO runs (id, workflow, version, mode, status, of, inputs, seed, guest, limits, confirmed, gate,
			error, redacted, executor, pid, host, lease_until, created_at, started_at, finished_at, queued_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			workflow, version, n.Mode, status, orNull(n.Of), inputs, strconv.FormatUint(n.Seed, 10), n.Guest, limits, n.Confirmed, orNull(gate),
			failure, redacted, orNull(e.ID), e.PID, orNull(e.Host), e.LeaseUntil, now, started, finished, queued)
		if err != nil {
			return err
		}
		if ask != nil {
			if err := s.ask(c, num, *ask, ApprovalPending, ""); err != nil {
				return err
			}
		}
		if n.Approved != nil {
			if err := s.ask(c, num, *n.Approved, ApprovalApproved, answeredAtOnce); err != nil {
				return err
			}
		}
		_, run, err = s.readRun(c, run.ID)
		return err
	})
	return num, run, err
}

// lent is this process as the holder of a run.
func (s *Store) lent(now time.Time) Executor {
	e := s.executor
	e.LeaseUntil = now.Add(s.lease)
	return e
}

// Adopt makes a run this process's that nobody has: one that is queued, parked or interrupted. A live run that has steps becomes one of
// mode Resume; a dry run stays dry. guest is the build of the guest that will run it. Of two processes one succeeds, and the other has a *TransitionError.
func (s *Store) Adopt(id, guest string) (*Journal, error) {
	j := &Journal{s: s}
	err := s.update(true, func(c *conn) (err error) {
		now := s.now()
		if j.num, j.run, err = s.readRun(c, id); err != nil {
			return err
		}
		if err := moveRun(id, j.run.Status, Running); err != nil {
			return err
		}
		mode := j.run.Mode
		if mode == Live && j.run.Steps > 0 {
			mode = Resume
		}
		e := s.lent(now)
		if _, err := c.exec(`UPDATE runs SET status=?, mode=?, executor=?, pid=?, host=?, lease_until=?, started_at=coalesce(started_at, ?),
			guest=?, claims=claims+1, cancel_at=NULL WHERE num=?`, Running, mode, e.ID, e.PID, orNull(e.Host), e.LeaseUntil, now, guest, j.num); err != nil {
			return err
		}
		_, j.run, err = s.readRun(c, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return j, nil
}

// Move changes the status of a run that no process has: it puts one into the queue, or settles a parked one. A final status needs a
// failure to say why, and takes it as the run's error.
func (s *Store) Move(id string, to RunStatus, failure json.RawMessage) (run Run, err error) {
	redacted := false
	if failure, err = s.clean(failure, &redacted); err != nil {
		return run, err
	}
	err = s.update(true, func(c *conn) error {
		num, now, err := int64(0), s.now(), error(nil)
		if num, run, err = s.readRun(c, id); err != nil {
			return err
		}
		if run.Status == Running || to == Running {
			return &TransitionError{Run: id, From: string(run.Status), To: string(to), Reason: "only the process that runs it can do that"}
		}
		if err := moveRun(id, run.Status, to); err != nil {
			return err
		}
		if run.Status == InDoubt && to == Interrupted {
			return &TransitionError{Run: id, From: string(run.Status), To: string(to), Reason: "it has a step in doubt, which has to be resolved"}
		}
		if err := s.move(c, num, to, failure, redacted, now); err != nil {
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

// move writes the status of a run that no process has.
func (s *Store) move(c *conn, num int64, to RunStatus, failure json.RawMessage, redacted bool, now time.Time) error {
	finished, queued := time.Time{}, time.Time{}
	switch {
	case to.Final():
		finished = now
		if err := settleSteps(c, num, true, now); err != nil {
			return err
		}
	case to == Queued:
		queued = now
	}
	_, err := c.exec("UPDATE runs SET status=?, error=coalesce(?, error), redacted=redacted OR ?, finished_at=?, queued_at=coalesce(?, queued_at) WHERE num=?",
		to, failure, redacted, finished, queued, num)
	return err
}

// NewStep is a call that is about to be made.
type NewStep struct {
	Seq       int // from 1, without gaps
	Connector string
	Tool      string // exactly as on the wire
	Risk      Risk
	Arguments json.RawMessage // as they go on the wire; nil means {}
	Clock     time.Duration   // what the run's clock reads, from the run's start
	Key       string          // the parameter that was filled with an idempotency key
}

// Outcome is what came of a call.
type Outcome struct {
	State   StepState       // StepOK, StepError or StepInDoubt
	Result  json.RawMessage // as it came
	Error   json.RawMessage
	Elapsed time.Duration // how far the run's clock moves
	Paused  time.Duration // how far it moves besides, for a time in which the run was parked
	// Warnings tell what was odd about the result.
	Warnings []string
}

// Intent records a step that is about to be sent. With durable it is on the disk when Intent returns, as it has to be for an act. A
// step must not be sent when Intent returns an error.
func (j *Journal) Intent(n NewStep, durable bool) error {
	return j.insert(n, Outcome{State: StepIntent}, false, durable)
}

// Answered records a step that was answered without being sent: simulated, as an act in a dry run is, or refused before it was sent.
func (j *Journal) Answered(n NewStep, o Outcome, simulated bool) error {
	return j.insert(n, o, simulated, false)
}

func (j *Journal) insert(n NewStep, o Outcome, simulated, durable bool) error {
	state := o.State
	if err := moveStep(j.run.ID, n.Seq, "", state); err != nil {
		return err
	}
	if state == StepIntent && j.run.Mode == Dry && n.Risk != ReadOnly {
		return ErrDryAct
	}
	if n.Arguments == nil {
		n.Arguments = json.RawMessage("{}")
	}
	redacted := false
	arguments, err := j.s.clean(n.Arguments, &redacted)
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	result, err := j.s.clean(o.Result, &redacted)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	failure, err := j.s.clean(o.Error, &redacted)
	if err != nil {
		return fmt.Errorf("error: %w", err)
	}
	args, err := j.s.spill(arguments)
	if err != nil {
		return err
	}
	res, err := j.s.spill(result)
	if err != nil {
		return err
	}
	warnings := warningsJSON(j.s, o.Warnings, &redacted)
	id, err := j.s.newID("st_")
	if err != nil {
		return err
	}
	started, finished := j.s.now(), time.Time{}
	if state != StepIntent {
		finished = started
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// One statement: it is a transaction by itself, and writes nothing unless all is as it should be.
	written, err := j.s.updateOne(durable, `INSERT INTO steps (run, seq, id, connector, tool, risk, state, attempt, simulated, redacted, elapsed_ns,
			started_at, finished_at, arguments, result, error, clock_ns, key, arguments_at, result_at, paused_ns, warnings)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?17, ?18, ?19, ?20, ?21, ?22
		WHERE EXISTS (SELECT 1 FROM runs WHERE num=?1 AND status='running' AND executor=?16 AND claims=?23)
		AND (?2=1 OR EXISTS (SELECT 1 FROM steps WHERE run=?1 AND seq=?2-1 AND state IN ('ok', 'error')))
		AND NOT EXISTS (SELECT 1 FROM steps WHERE run=?1 AND seq>=?2)`,
		j.num, n.Seq, id, n.Connector, n.Tool, n.Risk, state, simulated, redacted, o.Elapsed, started, finished, args.text, res.text, failure,
		j.s.executor.ID, n.Clock, orNull(n.Key), args.at, res.at, o.Paused, warnings, j.run.Claims)
	if err != nil {
		return err
	}
	if written == 0 {
		return j.refused(n.Seq)
	}
	j.seq, j.attempt = n.Seq, 1
	j.acted = j.acted || state == StepIntent && n.Risk != ReadOnly
	return nil
}

// refused says why a step was not written.
func (j *Journal) refused(seq int) error {
	ours := false
	if err := j.s.view(func(c *conn) (err error) {
		ours, err = j.ours(c)
		return err
	}); err != nil {
		return err
	}
	if !ours {
		return ErrLost
	}
	return &SequenceError{Run: j.run.ID, Seq: seq}
}

// ours tells whether the run is still the one that this journal was made for. The same process may have taken it up once more since: a machine that
// slept finds its runs settled by another process, and its queue has them again.
func (j *Journal) ours(c *conn) (bool, error) {
	return c.one(func(row) {}, "SELECT 1 FROM runs WHERE num=? AND status='running' AND executor=? AND claims=?", j.num, j.s.executor.ID, j.run.Claims)
}

// Again records that a step which was begun before is about to be sent once more: a read that was in flight when its process died, or an
// act of which it is known that it did not happen (see Resolve). Any other is refused with a *TransitionError.
func (j *Journal) Again(seq int, durable bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.s.update(durable, func(c *conn) error {
		ours, err := j.ours(c)
		if err != nil {
			return err
		}
		if !ours {
			return ErrLost
		}
		st, err := j.s.readStep(c, j.run.ID, seq)
		if err != nil {
			return err
		}
		if st.State != StepIntent {
			return &TransitionError{Run: j.run.ID, Seq: seq, From: string(st.State), To: string(StepIntent), Reason: "it is not in flight"}
		}
		if st.Risk != ReadOnly && !st.Cleared {
			return &TransitionError{Run: j.run.ID, Seq: seq, From: string(st.State), To: string(StepIntent), Reason: "it may have happened"}
		}
		if _, err := c.exec("UPDATE steps SET attempt=attempt+1, cleared=0, started_at=? WHERE run=? AND seq=?", j.s.now(), j.num, seq); err != nil {
			return err
		}
		j.seq, j.attempt = seq, st.Attempt+1
		j.acted = j.acted || st.Risk != ReadOnly
		return nil
	})
}

// Outcome records what came of the step that this process began last. It is taken also when the run was settled in the meantime. A
// result that is not JSON is stored as a string, and the error is then ErrNotJSON.
func (j *Journal) Outcome(seq int, o Outcome) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq != j.seq {
		return &SequenceError{Run: j.run.ID, Seq: seq}
	}
	if o.State == StepIntent {
		return &TransitionError{Run: j.run.ID, Seq: seq, From: string(StepIntent), To: string(StepIntent), Reason: "it is not an outcome"}
	}
	if err := moveStep(j.run.ID, seq, StepIntent, o.State); err != nil {
		return err
	}
	redacted := false
	result, notJSON := j.s.clean(o.Result, &redacted)
	failure, err := j.s.clean(o.Error, &redacted)
	notJSON = errors.Join(notJSON, err)
	warnings := warningsJSON(j.s, o.Warnings, &redacted)
	res, err := j.s.spill(result)
	if err != nil {
		return err
	}
	written, err := j.s.updateOne(false, `UPDATE steps SET state=?1, result=?2, error=?3, elapsed_ns=?4, finished_at=?5, redacted=redacted OR ?6,
			result_at=?10, paused_ns=?11, warnings=?12
		WHERE run=?7 AND seq=?8 AND attempt=?9 AND state='intent'
		AND EXISTS (SELECT 1 FROM runs WHERE num=?7 AND status='running' AND executor=?13 AND claims=?14)`,
		o.State, res.text, failure, o.Elapsed, j.s.now(), redacted, j.num, seq, j.attempt, res.at, o.Paused, warnings, j.s.executor.ID, j.run.Claims)
	if err == nil && written == 0 {
		err = j.late(seq, o, res, failure, warnings, redacted)
	}
	return errors.Join(err, notJSON)
}

// warningsJSON are warnings as they are stored, nil if there are none.
func warningsJSON(s *Store, warnings []string, redacted *bool) json.RawMessage {
	if len(warnings) == 0 {
		return nil
	}
	clean := make([]string, len(warnings))
	for i, w := range warnings {
		clean[i] = s.cleanText(w, redacted)
	}
	b, _ := json.Marshal(clean) // strings can always be written
	return b
}

// late is Outcome for a run that this process has lost, or for a step that is not in flight any more. What is known to have happened is taken, as long as
// nobody has said what did.
func (j *Journal) late(seq int, o Outcome, result spilled, failure, warnings json.RawMessage, redacted bool) error {
	return j.s.update(true, func(c *conn) error {
		st, err := j.s.readStep(c, j.run.ID, seq)
		if err != nil {
			return err
		}
		ours, err := j.ours(c)
		switch {
		case err != nil:
			return err
		case st.Attempt != j.attempt:
			return ErrLost
		case !ours && (st.State.Final() || o.State == StepInDoubt):
			return ErrLost
		}
		if err := moveStep(j.run.ID, seq, st.State, o.State); err != nil {
			return err
		}
		return j.s.resolve(c, j.num, seq, o, result, failure, warnings, redacted, 0)
	})
}

// Finish is the end of a run's stay in this process.
type Finish struct {
	Status      RunStatus // what Running can become
	Gate        string    // the gate that refused it, if one did
	Output      json.RawMessage
	Error       json.RawMessage
	Log         string
	Fuel        int64
	MemoryBytes int64
	Calls       int
	Duration    time.Duration // how long the run was in this process
	Ask         *Ask          // with AwaitingApproval: what a person is asked
}

// Finish ends the run, or parks it. An act that is still in flight becomes in doubt, and a run with a step in flight cannot complete.
func (j *Journal) Finish(f Finish) error {
	redacted := false
	output, err := j.s.clean(f.Output, &redacted)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	failure, err := j.s.clean(f.Error, &redacted)
	if err != nil {
		return fmt.Errorf("error: %w", err)
	}
	log := j.s.cleanText(f.Log, &redacted)
	out, err := j.s.spill(output)
	if err != nil {
		return err
	}
	if (f.Ask != nil) != (f.Status == AwaitingApproval) {
		return &TransitionError{Run: j.run.ID, From: string(Running), To: string(f.Status), Reason: "a run awaits approval of something"}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.s.update(j.acted || f.Ask != nil, func(c *conn) error {
		ours, err := j.ours(c)
		if err != nil {
			return err
		}
		if !ours {
			return ErrLost
		}
		if err := moveRun(j.run.ID, Running, f.Status); err != nil {
			return err
		}
		now := j.s.now()
		if f.Status != Completed {
			if err := settleSteps(c, j.num, f.Status.Final(), now); err != nil {
				return err
			}
		}
		to := f.Status
		if f.Status, err = j.ending(c, to); err != nil {
			return err
		}
		if f.Status == Cancelled && to != Cancelled {
			failure, f.Ask = wasCancelled, nil
			if err := settleSteps(c, j.num, true, now); err != nil {
				return err
			}
		}
		finished := time.Time{}
		if f.Status.Final() {
			finished = now
		}
		_, err = c.exec(`UPDATE runs SET status=?, gate=?, output=?, error=?, log=?, fuel=?, memory_bytes=?, calls=?, redacted=redacted OR ?,
			lease_until=NULL, finished_at=?, output_at=?, duration_ns=duration_ns+? WHERE num=?`,
			f.Status, orNull(f.Gate), out.text, failure, log, f.Fuel, f.MemoryBytes, f.Calls, redacted, finished, out.at, f.Duration, j.num)
		if err != nil || f.Ask == nil {
			return err
		}
		return j.s.ask(c, j.num, *f.Ask, ApprovalPending, "")
	})
}

// wasCancelled is the error of a run that somebody asked to end, and that its process has left without doing so.
var wasCancelled = json.RawMessage(`{"code":"cancelled","message":"the run was cancelled"}`)

// ending checks that the steps of a run are as its next status says. Interrupted is in doubt if a step is, and a run that somebody has asked to end is
// not put off.
func (j *Journal) ending(c *conn, to RunStatus) (RunStatus, error) {
	refused := func(reason string) (RunStatus, error) {
		return to, &TransitionError{Run: j.run.ID, From: string(Running), To: string(to), Reason: reason}
	}
	doubt, err := hasDoubt(c, j.num)
	if err != nil {
		return to, err
	}
	flight, err := c.one(func(row) {}, "SELECT 1 FROM steps WHERE run=? AND state='intent'", j.num)
	if err != nil {
		return to, err
	}
	asked, err := c.one(func(row) {}, "SELECT 1 FROM runs WHERE num=? AND cancel_at IS NOT NULL", j.num)
	switch {
	case err != nil:
		return to, err
	case asked && !doubt && !to.Final():
		return Cancelled, nil
	case to == Interrupted && doubt:
		return InDoubt, nil
	case to == InDoubt && !doubt:
		return refused("nothing is in doubt")
	case to == Completed && (doubt || flight):
		return refused("it has a step in flight")
	case (to == AwaitingApproval || to == Waiting) && doubt: // what else is in flight can be sent again
		return refused("it cannot be parked with a step in doubt")
	}
	return to, nil
}

// settleSteps puts acts that are in flight in doubt. Reads stay in flight, to be repeated, unless the run is over. A step that is known
// not to have happened stays to be sent again, or is an error if the run is over; one that only may be sent again is in doubt then.
func settleSteps(c *conn, run int64, over bool, now time.Time) error {
	if _, err := c.exec(`UPDATE steps SET state='in_doubt', cleared=0, finished_at=?1 WHERE run=?2 AND state='intent'
		AND (cleared=0 OR cleared=2 AND ?3) AND (risk<>'read_only' OR ?3)`, now, run, over); err != nil || !over {
		return err
	}
	_, err := c.exec("UPDATE steps SET state='error', finished_at=?, error=? WHERE run=? AND state='intent'",
		now, notSent, run)
	return err
}

// notSent is the error of a step that did not happen, in a run that is over.
var notSent = json.RawMessage(`{"code":"not-sent","message":"the run was over before it was sent again"}`)

// Beat renews this process's hold on the run. ErrLost says that it has none.
func (j *Journal) Beat() error {
	n, err := j.s.updateOne(false, "UPDATE runs SET lease_until=? WHERE num=? AND status='running' AND executor=? AND claims=?",
		j.s.now().Add(j.s.lease), j.num, j.s.executor.ID, j.run.Claims)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

// Settle goes through the runs that are running and asks gone whether their process is. Those become in doubt if an act was in flight,
// else interrupted, or cancelled if somebody has asked for their end. It returns them as they are then. The store's own runs are not asked about.
func (s *Store) Settle(gone func(Run) bool) ([]Run, error) {
	var settled []Run
	running, err := s.Runs(RunFilter{Statuses: []RunStatus{Running}, Limit: 1 << 30})
	if err != nil {
		return nil, err
	}
	for _, r := range running {
		if r.Executor.ID == s.executor.ID || !gone(r) {
			continue
		}
		err := s.update(true, func(c *conn) error {
			num, now, err := int64(0), s.now(), error(nil)
			was := r
			if num, r, err = s.readRun(c, r.ID); err != nil {
				return err
			}
			if r.Status != Running || r.Executor != was.Executor {
				return nil // it came back, ended, or another process was faster
			}
			if err := settleSteps(c, num, false, now); err != nil {
				return err
			}
			doubt, err := hasDoubt(c, num)
			if err != nil {
				return err
			}
			to, failure := Interrupted, json.RawMessage(nil)
			switch {
			case doubt:
				to = InDoubt
			case !r.CancelAt.IsZero():
				to, failure = Cancelled, wasCancelled
			}
			if err := moveRun(r.ID, r.Status, to); err != nil {
				return err
			}
			if err := s.move(c, num, to, failure, false, now); err != nil {
				return err
			}
			if _, err := c.exec("UPDATE runs SET lease_until=NULL WHERE num=?", num); err != nil {
				return err
			}
			if _, r, err = s.readRun(c, r.ID); err == nil {
				settled = append(settled, r)
			}
			return err
		})
		if err != nil {
			return settled, err
		}
	}
	return settled, nil
}

func hasDoubt(c *conn, run int64) (bool, error) {
	return c.one(func(row) {}, "SELECT 1 FROM steps WHERE run=? AND state='in_doubt'", run)
}

// Resolve settles a step in doubt. With happened its outcome is o, which is StepOK or StepError. Without it will be sent again when the run is
// resumed; in a run that is over it is an error then. A run that has no other doubt becomes interrupted, and can be resumed, or cancelled if
// somebody has asked for its end.
func (s *Store) Resolve(run string, seq int, happened bool, o Outcome) error {
	if happened {
		return s.settle(run, seq, o, 0)
	}
	return s.settle(run, seq, Outcome{State: StepIntent}, clearedForGood)
}

// Resend lets a step in doubt be sent again, although it may have happened: it does no harm twice. Else it is like Resolve.
func (s *Store) Resend(run string, seq int) error {
	return s.settle(run, seq, Outcome{State: StepIntent}, clearedByPolicy)
}

// How a step in the state intent is cleared to be sent again.
const (
	clearedForGood  = 1 // it is known that it did not happen
	clearedByPolicy = 2 // it may have happened
)

func (s *Store) settle(run string, seq int, o Outcome, cleared int) error {
	to := o.State
	redacted := false
	result, err := s.clean(o.Result, &redacted)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	failure, err := s.clean(o.Error, &redacted)
	if err != nil {
		return fmt.Errorf("error: %w", err)
	}
	res, err := s.spill(result)
	if err != nil {
		return err
	}
	warnings := warningsJSON(s, o.Warnings, &redacted)
	return s.update(true, func(c *conn) error {
		num, r, err := s.readRun(c, run)
		if err != nil {
			return err
		}
		st, err := s.readStep(c, run, seq)
		if err != nil {
			return err
		}
		if st.State != StepInDoubt {
			return &TransitionError{Run: run, Seq: seq, From: string(st.State), To: string(to), Reason: "it is not in doubt"}
		}
		if err := moveStep(run, seq, st.State, to); err != nil {
			return err
		}
		if r.Status == Running {
			return &TransitionError{Run: run, Seq: seq, From: string(st.State), To: string(to), Reason: "its process has not left it yet"}
		}
		if cleared == clearedForGood && r.Status.Final() {
			return s.resolve(c, num, seq, Outcome{State: StepError}, res, notSent, warnings, redacted, 0)
		}
		return s.resolve(c, num, seq, o, res, failure, warnings, redacted, cleared)
	})
}

func (s *Store) resolve(c *conn, run int64, seq int, o Outcome, result spilled, failure, warnings json.RawMessage, redacted bool, cleared int) error {
	finished := s.now()
	if cleared != 0 {
		finished = time.Time{}
	}
	if _, err := c.exec(`UPDATE steps SET state=?, result=?, error=?, elapsed_ns=?, finished_at=?, redacted=redacted OR ?, cleared=?,
		result_at=?, warnings=?, paused_ns=? WHERE run=? AND seq=?`,
		o.State, result.text, failure, o.Elapsed, finished, redacted, cleared, result.at, warnings, o.Paused, run, seq); err != nil {
		return err
	}
	doubt, err := hasDoubt(c, run)
	if err != nil || doubt {
		return err
	}
	asked, inDoubt := false, false
	if _, err := c.one(func(r row) { asked, inDoubt = !r.time(0).IsZero(), RunStatus(r.text(1)) == InDoubt },
		"SELECT cancel_at, status FROM runs WHERE num=?", run); err != nil || !inDoubt {
		return err
	}
	if asked {
		return s.move(c, run, Cancelled, wasCancelled, false, s.now())
	}
	_, err = c.exec("UPDATE runs SET status=? WHERE num=?", Interrupted, run)
	return err
}

// InFlight returns the steps of a run that were begun and have no outcome: in the state intent, or in doubt.
func (s *Store) InFlight(run string) ([]Step, error) {
	return s.steps(run, true, " AND s.state IN ('intent', 'in_doubt')")
}
