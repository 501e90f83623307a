package store

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// Mode says what a run does with the calls of its workflow.
type Mode string

// The modes.
const (
	Live   Mode = "live"
	Dry    Mode = "dry"
	Replay Mode = "replay"
	Resume Mode = "resume" // live, after the journal has answered the calls that it has
)

// Run is a run. Lists leave out Inputs, Limits, Output, Error's data and Log.
type Run struct {
	ID          string          `json:"run_id"`
	WorkflowID  string          `json:"workflow_id"`
	Workflow    string          `json:"name"`
	VersionID   string          `json:"version_id"`
	Version     string          `json:"version"`
	Mode        Mode            `json:"mode"`
	Status      RunStatus       `json:"status"`
	Of          string          `json:"of,omitempty"` // the run that this one repeats
	Confirmed   bool            `json:"confirmed"`
	Gate        string          `json:"gate,omitempty"` // the gate that refused it
	Seed        uint64          `json:"seed"`
	Guest       string          `json:"guest"`
	Fuel        int64           `json:"fuel"`
	MemoryBytes int64           `json:"memory_bytes"`
	Calls       int             `json:"calls"`
	Steps       int             `json:"steps"`       // that are in the journal
	Duration    time.Duration   `json:"duration_ns"` // how long it ran, without the time that it was parked
	Error       json.RawMessage `json:"error,omitempty"`
	Redacted    bool            `json:"redacted,omitempty"` // a secret was taken out of its inputs, output, error or log
	Executor    Executor        `json:"executor,omitzero"`
	CreatedAt   time.Time       `json:"created_at"`
	StartedAt   time.Time       `json:"started_at,omitzero"` // what the run's clock read at its start
	FinishedAt  time.Time       `json:"finished_at,omitzero"`
	Claims      int             `json:"claims"`             // how often a process has taken it up
	QueuedAt    time.Time       `json:"queued_at,omitzero"` // its place in the queue
	CancelAt    time.Time       `json:"cancel_at,omitzero"` // when somebody asked for its end

	Inputs json.RawMessage `json:"inputs,omitempty"`
	Limits json.RawMessage `json:"limits,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	Log    string          `json:"log,omitempty"`
}

// Step is a step of a run. Lists leave out Arguments and Result.
type Step struct {
	ID         string          `json:"step_id"`
	Run        string          `json:"run_id"`
	Seq        int             `json:"seq"` // from 1, without gaps
	Connector  string          `json:"connector"`
	Tool       string          `json:"tool"`
	Risk       Risk            `json:"risk"`
	State      StepState       `json:"state"`
	Attempt    int             `json:"attempt"`           // from 1; more if it was sent again
	Cleared    bool            `json:"cleared,omitempty"` // it may be sent again: the last attempt did not happen, or does no harm twice
	Unsure     bool            `json:"-"`                 // the latter, so that it may have happened
	Simulated  bool            `json:"simulated,omitempty"`
	Redacted   bool            `json:"redacted,omitempty"`  // a secret was taken out of its arguments, result or error
	Clock      time.Duration   `json:"clock_ns"`            // what the run's clock read at the call, from the run's start
	Elapsed    time.Duration   `json:"elapsed_ns"`          // how far the run's clock moved
	Paused     time.Duration   `json:"paused_ns,omitempty"` // how far it moved besides, for a time in which the run was parked
	Key        string          `json:"key,omitempty"`       // the parameter that was filled with an idempotency key
	Warnings   []string        `json:"warnings,omitempty"`  // what was odd about the result
	StartedAt  time.Time       `json:"started_at"`
	FinishedAt time.Time       `json:"finished_at,omitzero"`
	Error      json.RawMessage `json:"error,omitempty"`

	Arguments json.RawMessage `json:"arguments,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
}

// openStatuses is the SQL list of the statuses that are not final, as the index runs_open has them.
var openStatuses = func() string {
	var names []string
	for _, s := range RunStatuses() {
		if !s.Final() {
			names = append(names, "'"+string(s)+"'")
		}
	}
	return "(" + strings.Join(names, ", ") + ")"
}()

const runColumns = `r.num, r.id, w.id, w.name, v.id, v.version, r.mode, r.status, r.of, r.confirmed, r.gate, r.seed, r.guest, r.fuel, r.memory_bytes,
	r.calls, (SELECT count(*) FROM steps WHERE run=r.num), r.error, r.redacted, r.executor, r.pid, r.host, r.lease_until,
	r.created_at, r.started_at, r.finished_at, r.duration_ns, r.queued_at, r.cancel_at, r.claims`

const runPayloads = `r.inputs, r.limits, r.output, r.log, r.output_at`

const runTables = ` FROM runs r JOIN workflows w ON w.num=r.workflow JOIN versions v ON v.num=r.version`

func scanRun(r row, payloads bool) (num int64, run Run) {
	seed, _ := strconv.ParseUint(r.text(11), 10, 64)
	run = Run{
		ID: r.text(1), WorkflowID: r.text(2), Workflow: r.text(3), VersionID: r.text(4), Version: r.text(5), Mode: Mode(r.text(6)),
		Status: RunStatus(r.text(7)), Of: r.text(8), Confirmed: r.bool(9), Gate: r.text(10), Seed: seed, Guest: r.text(12), Fuel: r.int64(13),
		MemoryBytes: r.int64(14), Calls: r.int(15), Steps: r.int(16), Error: r.json(17), Redacted: r.bool(18),
		Executor:  Executor{ID: r.text(19), PID: r.int(20), Host: r.text(21), LeaseUntil: r.time(22)},
		CreatedAt: r.time(23), StartedAt: r.time(24), FinishedAt: r.time(25), Duration: r.duration(26), QueuedAt: r.time(27), CancelAt: r.time(28), Claims: r.int(29),
	}
	if payloads {
		run.Inputs, run.Limits, run.Output, run.Log = r.json(30), r.json(31), r.json(32), r.text(33)
	}
	return r.int64(0), run
}

// RunFilter selects runs. The zero value selects the newest 50.
type RunFilter struct {
	Workflow string      // name or id; runs of a deleted workflow are found by its id. Empty: of all, also of deleted ones
	Statuses []RunStatus // none: all
	Modes    []Mode      // none: all
	Before   string      // a run's id: only those that were made before it
	Since    time.Time   // only those that were made then or later; zero: all
	Limit    int         // 0: 50
}

// Runs lists runs, newest first.
func (s *Store) Runs(f RunFilter) ([]Run, error) {
	const defaultLimit = 50
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	where, args := []string{"1"}, []any{}
	var list []Run
	err := s.view(func(c *conn) error {
		if f.Workflow != "" {
			num, err := workflowNum(c, f.Workflow)
			if err != nil {
				return err
			}
			where, args = append(where, "r.workflow=?"), append(args, num)
		}
		if f.Before != "" {
			num, err := runNum(c, f.Before)
			if err != nil {
				return err
			}
			where, args = append(where, "r.num<?"), append(args, num)
		}
		if !f.Since.IsZero() {
			where, args = append(where, "r.created_at>=?"), append(args, f.Since)
		}
		where, args = in(where, args, "r.status", f.Statuses)
		where, args = in(where, args, "r.mode", f.Modes)
		return c.query(func(r row) error {
			_, run := scanRun(r, false)
			list = append(list, run)
			return nil
		}, "SELECT "+runColumns+runTables+" WHERE "+strings.Join(where, " AND ")+" ORDER BY r.num DESC LIMIT ?", append(args, f.Limit)...)
	})
	return list, err
}

func in[T ~string](where []string, args []any, column string, values []T) ([]string, []any) {
	if len(values) == 0 {
		return where, args
	}
	for _, v := range values {
		args = append(args, string(v))
	}
	return append(where, column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")"), args
}

func workflowNum(c *conn, ref string) (num int64, err error) {
	found, err := c.one(func(r row) { num = r.int64(0) },
		"SELECT num FROM workflows WHERE id=?1 OR name=?1 AND deleted_at IS NULL ORDER BY deleted_at IS NOT NULL, name<>?1", ref)
	if err == nil && !found {
		err = fault.New("unknown-workflow", "there is no workflow %s", ref)
	}
	return num, err
}

func runNum(c *conn, id string) (num int64, err error) {
	found, err := c.one(func(r row) { num = r.int64(0) }, "SELECT num FROM runs WHERE id=?", id)
	if err == nil && !found {
		err = unknownRun(id)
	}
	return num, err
}

func unknownRun(id string) error { return fault.New("unknown-run", "there is no run %s", id) }

// Run returns a run with all that was stored.
func (s *Store) Run(id string) (run Run, err error) {
	err = s.view(func(c *conn) error {
		_, run, err = s.readRun(c, id)
		return err
	})
	return run, err
}

func (s *Store) readRun(c *conn, id string) (num int64, run Run, err error) {
	at := ""
	found, err := c.one(func(r row) {
		num, run = scanRun(r, true)
		at = r.text(34)
	}, "SELECT "+runColumns+", "+runPayloads+runTables+" WHERE r.id=?", id)
	if err == nil && !found {
		err = unknownRun(id)
	}
	if err == nil {
		run.Output, err = s.payload(c, run.Output, at)
	}
	return num, run, err
}

const stepColumns = `s.id, r.id, s.seq, s.connector, s.tool, s.risk, s.state, s.attempt, s.cleared, s.simulated, s.redacted, s.elapsed_ns,
	s.started_at, s.finished_at, s.error, s.clock_ns, s.paused_ns, s.key, s.warnings`

const stepPayloads = ", s.arguments, s.result, s.arguments_at, s.result_at"

const stepTables = ` FROM steps s JOIN runs r ON r.num=s.run`

func (s *Store) scanStep(c *conn, r row, payloads bool) (st Step, err error) {
	st = Step{
		ID: r.text(0), Run: r.text(1), Seq: r.int(2), Connector: r.text(3), Tool: r.text(4), Risk: Risk(r.text(5)), State: StepState(r.text(6)),
		Attempt: r.int(7), Cleared: r.bool(8), Unsure: r.int(8) == clearedByPolicy, Simulated: r.bool(9), Redacted: r.bool(10), Elapsed: r.duration(11),
		StartedAt: r.time(12), FinishedAt: r.time(13), Error: r.json(14), Clock: r.duration(15), Paused: r.duration(16), Key: r.text(17),
	}
	if w := r.json(18); w != nil {
		_ = json.Unmarshal(w, &st.Warnings) // it was written by warningsJSON
	}
	if payloads {
		arguments, result, argumentsAt, resultAt := r.json(19), r.json(20), r.text(21), r.text(22)
		if st.Arguments, err = s.payload(c, arguments, argumentsAt); err == nil {
			st.Result, err = s.payload(c, result, resultAt)
		}
	}
	return st, err
}

// oneStep reads the step that a condition selects.
func (s *Store) oneStep(c *conn, where string, args ...any) (st Step, found bool, err error) {
	err = c.query(func(r row) (err error) {
		if !found {
			found = true
			st, err = s.scanStep(c, r, true)
		}
		return err
	}, "SELECT "+stepColumns+stepPayloads+stepTables+" WHERE "+where, args...)
	return st, found, err
}

// Steps lists the steps of a run in order, without arguments and results.
func (s *Store) Steps(run string) ([]Step, error) {
	return s.steps(run, false, "")
}

// steps reads those steps of a run that also fulfil a condition, in order.
func (s *Store) steps(run string, payloads bool, and string) ([]Step, error) {
	columns := stepColumns
	if payloads {
		columns += stepPayloads
	}
	var list []Step
	err := s.view(func(c *conn) error {
		num, err := runNum(c, run)
		if err != nil {
			return err
		}
		return c.query(func(r row) error {
			st, err := s.scanStep(c, r, payloads)
			list = append(list, st)
			return err
		}, "SELECT "+columns+stepTables+" WHERE s.run=?"+and+" ORDER BY s.seq", num)
	})
	return list, err
}

// Step returns a step of a run with all that was stored.
func (s *Store) Step(run string, seq int) (st Step, err error) {
	err = s.view(func(c *conn) error {
		st, err = s.readStep(c, run, seq)
		return err
	})
	return st, err
}

func (s *Store) readStep(c *conn, run string, seq int) (st Step, err error) {
	num, err := runNum(c, run)
	if err != nil {
		return st, err
	}
	st, found, err := s.oneStep(c, "s.run=? AND s.seq=?", num, seq)
	if err == nil && !found {
		err = fault.New("unknown-step", "run %s has no step %d", run, seq)
	}
	return st, err
}

// StepByID finds a step by its id alone.
func (s *Store) StepByID(id string) (st Step, err error) {
	err = s.view(func(c *conn) error {
		found := false
		st, found, err = s.oneStep(c, "s.id=? ORDER BY s.run DESC", id)
		if err == nil && !found {
			err = fault.New("unknown-step", "there is no step %s", id)
		}
		return err
	})
	return st, err
}

// Recorded calls each for the steps of a run in order, with all that was stored, one at a time: they may be large together.
func (s *Store) Recorded(run string, each func(Step) error) error {
	for seq := 1; ; seq++ {
		var st Step
		found := false
		err := s.view(func(c *conn) error {
			num, err := runNum(c, run)
			if err != nil {
				return err
			}
			st, found, err = s.oneStep(c, "s.run=? AND s.seq=?", num, seq)
			return err
		})
		if err != nil || !found {
			return err
		}
		if err := each(st); err != nil {
			return err
		}
	}
}

// Counts says how much there is.
type Counts struct {
	Connectors int               `json:"connectors"`
	Tools      int               `json:"tools"`
	StaleTools int               `json:"stale_tools"`
	Workflows  int               `json:"workflows"`
	Versions   int               `json:"versions"` // of workflows that are not deleted
	Runs       map[RunStatus]int `json:"runs"`
	Steps      int               `json:"steps"`
}

// Counts counts everything.
func (s *Store) Counts() (Counts, error) {
	n := Counts{Runs: map[RunStatus]int{}}
	err := s.view(func(c *conn) error {
		if _, err := c.one(func(r row) {
			n.Connectors, n.Tools, n.StaleTools, n.Workflows, n.Versions, n.Steps = r.int(0), r.int(1), r.int(2), r.int(3), r.int(4), r.int(5)
		}, `SELECT (SELECT count(*) FROM connectors), (SELECT count(*) FROM tools), (SELECT count(*) FROM tools WHERE status='stale'),
			(SELECT count(*) FROM workflows WHERE deleted_at IS NULL),
			(SELECT count(*) FROM versions v JOIN workflows w ON w.num=v.workflow WHERE w.deleted_at IS NULL),
			(SELECT count(*) FROM steps)`); err != nil {
			return err
		}
		return c.query(func(r row) error {
			n.Runs[RunStatus(r.text(0))] = r.int(1)
			return nil
		}, "SELECT status, count(*) FROM runs GROUP BY status")
	})
	return n, err
}

// LastDry finds the newest dry run of a version on the same inputs that came to its end.
func (s *Store) LastDry(version string, inputs json.RawMessage) (run Run, found bool, err error) {
	redacted := false
	if inputs, err = s.clean(inputs, &redacted); err != nil {
		return run, false, err
	}
	err = s.view(func(c *conn) error {
		found, err = c.one(func(r row) { _, run = scanRun(r, false) },
			"SELECT "+runColumns+runTables+" WHERE v.id=? AND r.mode='dry' AND r.inputs=? AND r.status IN ('completed', 'failed') AND r.gate IS NULL ORDER BY r.num DESC LIMIT 1",
			version, inputs)
		return err
	})
	return run, found, err
}
