package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

// code is the code of a fault, or else the error's text.
func (s *sim) code(err error) string {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return f.Code
	}
	return err.Error()
}

// theEnd is what is withheld: the run's end and its last step, without the moments at which they were written.
const theEnd = `SELECT r.status, coalesce(r.output, '')||coalesce(r.output_at, ''), coalesce(r.error, ''), r.log, r.fuel, r.memory_bytes, r.calls, s.seq, s.tool, s.state,
	coalesce(s.result, '')||coalesce(s.result_at, ''), coalesce(s.error, ''), s.elapsed_ns, s.paused_ns, s.clock_ns, s.arguments
	FROM runs r LEFT JOIN steps s ON s.run=r.num WHERE r.id=? ORDER BY s.seq`

// withhold takes the final event out of a copy of the journal, of a run that came to its own end, and continues it there: it has to come out again.
func (s *sim) withhold() {
	if s.repolicied || s.chance(1, 2) {
		return // by another policy it would ask anew; and it costs as much as the rest
	}
	for _, id := range s.known(store.Completed, store.Failed) {
		run := s.byID[id]
		last := s.rows("SELECT s.seq, s.risk, s.state, s.elapsed_ns, s.paused_ns, s.clock_ns, r.started_at, r.gate, s.simulated FROM steps s JOIN runs r ON r.num=s.run WHERE r.id=? ORDER BY s.seq DESC LIMIT 1", id)
		if len(last) == 0 || last[0][7] != "" || run.dry {
			continue
		}
		s.withholdOne(id, last[0])
		return
	}
}

func (s *sim) withholdOne(id string, last []string) {
	dir := filepath.Join(s.home.Dir, "copy")
	if err := os.Mkdir(dir, 0o700); err != nil {
		s.failf("%v", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	h := home.Home{Dir: dir}
	s.rows("VACUUM INTO ?", h.Database())
	for _, name := range []string{"config.json", "policy.yaml"} {
		b, err := os.ReadFile(filepath.Join(s.home.Dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			s.failf("%v", err)
		}
	}
	db, err := sqlite3.Open(h.Database())
	if err != nil {
		s.failf("%v", err)
	}
	want := fmt.Sprint(s.rows(theEnd, id))
	var seq int
	var elapsed, paused, clock int64
	_, _ = fmt.Sscan(strings.Join([]string{last[0], last[3], last[4], last[5]}, " "), &seq, &elapsed, &paused, &clock)
	began, err := time.Parse("2006-01-02T15:04:05.000Z", last[6])
	if err != nil {
		s.failf("%v", err)
	}
	sql := fmt.Sprintf(`UPDATE runs SET status='running', executor='ex_gone', lease_until='2000-01-01T00:00:00.000Z', finished_at=NULL, output=NULL, output_at=NULL, error=NULL,
		log='', fuel=0, calls=0, cancel_at=NULL WHERE id=%q;`, id)
	outcome := last[1] == string(store.ReadOnly) && elapsed > 0 && s.world.replies[callName(s.byID[id].tag, seq)].plan.takes == time.Duration(elapsed)
	if outcome { // a call that acted is not made once more; and one that was refused unsent was none
		sql += fmt.Sprintf("UPDATE steps SET state='intent', result=NULL, result_at=NULL, error=NULL, elapsed_ns=0, paused_ns=0, finished_at=NULL WHERE seq=%d AND run=(SELECT num FROM runs WHERE id=%q);", seq, id)
	}
	sql = strings.ReplaceAll(sql, `"`, "'")
	if err := db.Exec(sql); err != nil {
		s.failf("%v\n%s", err, sql)
	}
	if err := db.Close(); err != nil {
		s.failf("%v", err)
	}
	// The clock of the copy reads what it read when the step was sent.
	c := &sim{t: s.t, r: s.r, seed: s.seed, home: h, ask: s.ask, policy: s.policy, runs: s.runs, byID: s.byID, past: newPast(), count: newCoverage(), now: s.now}
	if outcome {
		c.now = began.Add(time.Duration(clock + paused))
	}
	c.world = &world{s: c, replies: s.world.replies, again: true}
	p := c.open()
	defer func() {
		_ = p.e.store.Close()
		c.closeDB()
	}()
	if _, err := p.e.Resume(context.Background(), id, ResumeOptions{}); err != nil {
		s.failf("with the final event of %s withheld: %v", id, err)
	}
	if got := fmt.Sprint(c.rows(theEnd, id)); got != want {
		s.failf("the final event of %s (the outcome of its last step: %v) was\n%s\nand withheld it comes out as\n%s", id, outcome, want, got)
	}
	s.count.withheld++
}
