package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

// past is what has been seen of the journal, and may not be otherwise later.
type past struct {
	intents map[string]bool   // steps whose intent was written
	over    map[string]string // steps that have an outcome, as they were
	final   map[string]string // runs that are over, as they were
}

func newPast() past {
	return past{intents: map[string]bool{}, over: map[string]string{}, final: map[string]string{}}
}

func stepName(run string, seq int) string { return fmt.Sprintf("%s/%d", run, seq) }

func (p past) at(point, run string, seq int) {
	if point == "after-intent" {
		p.intents[stepName(run, seq)] = true
	}
}

// rows reads the journal past the code under test.
func (s *sim) rows(sql string, args ...any) [][]string {
	if s.db == nil {
		db, err := sqlite3.OpenFlags("file:"+s.home.Database(), sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI)
		if err != nil {
			s.failf("the observer: %v", err)
		}
		s.db, s.prepared = db, map[string]*sqlite3.Stmt{}
	}
	st, err := s.prepared[sql], error(nil)
	if st == nil {
		if st, _, err = s.db.Prepare(sql); err != nil {
			s.failf("%s: %v", sql, err)
		}
		s.prepared[sql] = st
	}
	defer func() { _ = st.Reset() }()
	for i, a := range args {
		switch a := a.(type) {
		case string:
			err = st.BindText(i+1, a)
		case int:
			err = st.BindInt(i+1, a)
		}
		if err != nil {
			s.failf("%v", err)
		}
	}
	var out [][]string
	for st.Step() {
		row := make([]string, st.ColumnCount())
		for i := range row {
			row[i] = st.ColumnText(i)
		}
		out = append(out, row)
	}
	if err := st.Err(); err != nil {
		s.failf("%s: %v", sql, err)
	}
	return out
}

// learn finds the ids of the runs by their tags.
func (s *sim) learn() {
	for _, row := range s.rows("SELECT id, json_extract(inputs, '$.tag') FROM runs ORDER BY num") {
		for _, r := range s.runs {
			if r.tag == row[1] && r.id == "" {
				r.id = row[0]
				s.byID[r.id] = r
			}
		}
	}
}

// mayAct is asked by the world itself when a call acts: was there consent, by the journal as it is at this moment?
func (s *sim) mayAct(tag, tool string, seq int, arguments json.RawMessage) {
	id := s.idOf(tag)
	run := s.byID[id]
	if run.dry {
		s.failf("step %d of the dry run %s acts: %s", seq, tag, tool)
	}
	if n := s.world.effects[callName(tag, seq)]; n > 0 && tool != "safe" {
		s.failf("step %d of run %s acts once more: %s", seq, tag, tool)
	}
	rows := s.rows("SELECT s.state, s.tool, s.arguments FROM steps s JOIN runs r ON r.num=s.run WHERE r.id=? AND s.seq=?", id, seq)
	if len(rows) != 1 || rows[0][1] != tool || rows[0][2] != string(arguments) || rows[0][0] != "intent" && rows[0][0] != "in_doubt" {
		s.failf("step %d of run %s acts with %s %s, and the journal has %v", seq, tag, tool, arguments, rows)
	}
	word := policy.Approval(s.ask)
	if w := s.policy[tool]; w != "" {
		word = policy.Approval(w)
	}
	approved := func(seq int, arguments string) bool {
		for _, row := range s.rows(`SELECT a.acts, coalesce(a.arguments, ''), a.answered_at<a.expires_at FROM approvals a JOIN runs r ON r.num=a.run
			WHERE r.id=? AND a.seq=? AND a.state='approved'`, id, seq) {
			if strings.Contains(row[0], fmt.Sprintf(`"tool":%q`, tool)) && row[1] == arguments && row[2] == "1" {
				return true
			}
		}
		return false
	}
	ok := false
	switch word {
	case policy.Allow:
		ok = true
	case policy.Ask:
		ok = run.confirmed || approved(0, "")
	case policy.Human:
		ok = approved(0, "")
	case policy.Each:
		ok = approved(seq, string(arguments))
	}
	if !ok {
		s.failf("step %d of run %s acts without consent (%s): %s %s", seq, tag, word, tool, arguments)
	}
}

// check looks for what must not be, at any moment.
func (s *sim) check() {
	s.learn()
	type run struct{ num, id, status, cancel, whole string }
	var runs []run
	for _, r := range s.rows(`SELECT num, id, status, coalesce(cancel_at, ''), coalesce(queued_at, ''), mode, coalesce(output, '')||coalesce(error, '')||log||fuel||calls||
		coalesce(finished_at, '')||duration_ns||claims||coalesce(lease_until, ''), coalesce(finished_at, ''), coalesce(executor, '') FROM runs ORDER BY num`) {
		x := run{r[0], r[1], r[2], r[3], strings.Join(r[2:8], "|")}
		runs = append(runs, x)
		status := store.RunStatus(x.status)
		switch {
		case s.byID[x.id] == nil:
			s.failf("run %s is nobody's", x.id)
		case status == store.Running && r[8] == "":
			s.failf("run %s is running in no process", x.id)
		case status == store.Queued && r[4] == "":
			s.failf("run %s has no place in the queue", x.id)
		case status.Final() != (r[7] != ""):
			s.failf("run %s is %s, and finished at %q", x.id, x.status, r[7])
		case x.cancel != "" && slices.Contains([]store.RunStatus{store.Queued, store.AwaitingApproval, store.Interrupted}, status):
			s.failf("run %s was cancelled while it ran, and is %s", x.id, x.status)
		case !s.byID[x.id].dry && r[5] == "dry" || s.byID[x.id].dry && r[5] != "dry":
			s.failf("run %s has the mode %s", x.id, r[5])
		}
	}
	steps := map[string][][]string{}
	for _, r := range s.rows(`SELECT run, seq, tool, risk, state, simulated, cleared, coalesce(result, '')||coalesce(result_at, '')||coalesce(error, '')||elapsed_ns||'|'||paused_ns||
		arguments||clock_ns||attempt FROM steps ORDER BY run, seq`) {
		steps[r[0]] = append(steps[r[0]], r)
	}
	approvals := map[string][][]string{}
	for _, r := range s.rows("SELECT run, seq, state, digest, coalesce(answered_at, ''), expires_at FROM approvals ORDER BY run, seq") {
		approvals[r[0]] = append(approvals[r[0]], r)
	}
	for _, x := range runs {
		doubts, flights := 0, 0
		for i, st := range steps[x.num] {
			name := stepName(x.id, i+1)
			if st[1] != fmt.Sprint(i+1) {
				s.failf("run %s has a gap before step %s", x.id, st[1])
			}
			act := st[3] != string(store.ReadOnly)
			effects := s.world.effects[callName(s.byID[x.id].tag, i+1)]
			state := store.StepState(st[4])
			switch {
			case act && s.byID[x.id].dry && (st[5] != "1" || effects > 0):
				s.failf("step %s of a dry run is not simulated, or acted", name)
			case s.byID[x.id].dry:
			case effects > 1 && st[2] != "safe":
				s.failf("step %s acted %d times", name, effects)
			case act && state == store.StepOK && effects == 0:
				s.failf("step %s is ok, and never acted", name)
			case act && state == store.StepError && effects > 0:
				s.failf("step %s is an error, and acted", name)
			case state == store.StepInDoubt && !act && !store.RunStatus(x.status).Final():
				s.failf("step %s is in doubt, and does not act", name)
			case state == store.StepInDoubt && !s.past.intents[name]:
				s.failf("step %s is in doubt, and was never begun", name)
			case effects > 0 && !s.past.intents[name]:
				s.failf("step %s acted before it was in the journal", name)
			case state == store.StepIntent && st[6] == "0" && act && x.status != string(store.Running):
				s.failf("step %s, which acts, is in flight in a run that is %s", name, x.status)
			case state == store.StepIntent && store.RunStatus(x.status).Final():
				s.failf("step %s is in flight in a run that is %s", name, x.status)
			}
			if state == store.StepInDoubt {
				doubts++
			}
			if state == store.StepIntent {
				flights++
			}
			whole := strings.Join(st[2:], "|")
			if was, over := s.past.over[name]; over && was != whole {
				s.failf("step %s had the outcome %s, and now %s", name, was, whole)
			}
			if state.Final() {
				s.past.over[name] = whole
			}
		}
		pending, expired := 0, 0
		for _, a := range approvals[x.num] {
			switch a[2] {
			case "pending":
				pending++
			case "expired":
				expired++
				if a[4] < a[5] {
					s.failf("the question %s of run %s expired at %s, before its time %s", a[1], x.id, a[4], a[5])
				}
			case "approved":
				if a[4] >= a[5] {
					s.failf("the question %s of run %s was approved at %s, after its time %s", a[1], x.id, a[4], a[5])
				}
			}
		}
		status := store.RunStatus(x.status)
		switch {
		case (status == store.AwaitingApproval) != (pending == 1) || pending > 1:
			s.failf("run %s is %s with %d open questions", x.id, x.status, pending)
		case (status == store.Expired) != (expired == 1) || expired > 1:
			s.failf("run %s is %s, and %d of its questions expired", x.id, x.status, expired)
		case status == store.InDoubt && doubts == 0:
			s.failf("run %s is in doubt, and none of its steps is", x.id)
		case doubts > 0 && slices.Contains([]store.RunStatus{store.Completed, store.Interrupted, store.Queued, store.AwaitingApproval}, status):
			s.failf("run %s is %s, and has %d steps in doubt", x.id, x.status, doubts)
		case flights > 0 && status == store.Completed:
			s.failf("run %s is %s, and has a step in flight", x.id, x.status)
		}
		if was, over := s.past.final[x.id]; over && was != x.whole+fmt.Sprint(len(steps[x.num]), approvals[x.num]) {
			s.failf("run %s was over as %s, and is now %s", x.id, was, x.whole+fmt.Sprint(len(steps[x.num]), approvals[x.num]))
		}
		if status.Final() {
			s.past.final[x.id] = x.whole + fmt.Sprint(len(steps[x.num]), approvals[x.num])
		}
	}
}
