package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// schema3 has what users have adopted of what tools were seen to answer, and makes observations of servers exclusive.
const schema3 = `
CREATE TABLE observed (
  connector  TEXT NOT NULL REFERENCES connectors ON DELETE CASCADE,
  tool       TEXT NOT NULL,     -- exactly as on the wire; kept while the tool is gone for a time
  schema     TEXT NOT NULL,     -- of its results, as the journal shows them
  samples    INTEGER NOT NULL,  -- how many results it is made of
  runs       INTEGER NOT NULL,  -- of how many runs
  learned_at TEXT NOT NULL,
  PRIMARY KEY (connector, tool)
) STRICT, WITHOUT ROWID;

ALTER TABLE connectors ADD COLUMN asked_at TEXT;  -- when the server was asked for what is stored: a later answer stays
`

// Observed is the schema of what a tool was seen to answer, which a user adopted.
type Observed struct {
	Connector string          `json:"connector"`
	Tool      string          `json:"tool"`
	Schema    json.RawMessage `json:"schema"`
	Samples   int             `json:"samples"` // how many results it is made of
	Runs      int             `json:"runs"`    // of how many runs
	LearnedAt time.Time       `json:"learned_at"`
}

// Sample is a result that a tool gave to a run.
type Sample struct {
	Run    string
	Seq    int
	Result json.RawMessage
}

// Samples calls each for the results that a tool has given, the newest first, and at most that many: those that its server answered
// a live or a dry run with, and no made-up ones. If each returns an error, it ends there.
func (s *Store) Samples(connector, tool string, most int, each func(Sample) error) error {
	type place struct {
		run string
		seq int
	}
	var places []place
	err := s.view(func(c *conn) error {
		return c.query(func(r row) error {
			places = append(places, place{r.text(0), r.int(1)})
			return nil
		}, `SELECT r.id, s.seq FROM steps s JOIN runs r ON r.num=s.run
			WHERE s.connector=? AND s.tool=? AND s.state='ok' AND s.simulated=0 AND r.mode<>'replay' AND (s.result IS NOT NULL OR s.result_at IS NOT NULL)
			ORDER BY s.run DESC, s.seq DESC LIMIT ?`, connector, tool, most)
	})
	if err != nil {
		return err
	}
	for _, p := range places { // one at a time: they may be large together
		st, err := s.Step(p.run, p.seq)
		if err != nil {
			return err
		}
		if err := each(Sample{p.run, p.seq, st.Result}); err != nil {
			return err
		}
	}
	return nil
}

// SaveObserved adopts schemas, each in place of the one that its tool had.
func (s *Store) SaveObserved(list []Observed) error {
	return s.update(true, func(c *conn) error {
		for _, o := range list {
			if !json.Valid(o.Schema) {
				return fmt.Errorf("observed schema of %s.%s: %w", o.Connector, o.Tool, ErrNotJSON)
			}
			known, err := c.one(func(row) {}, "SELECT 1 FROM connectors WHERE name=?", o.Connector)
			if err != nil {
				return err
			}
			if !known {
				return fault.New("unknown-connector", "there is no connector %s", o.Connector)
			}
			schema, _ := s.redactor.JSON(o.Schema)
			if _, err := c.exec("INSERT OR REPLACE INTO observed (connector, tool, schema, samples, runs, learned_at) VALUES (?, ?, ?, ?, ?, ?)",
				o.Connector, o.Tool, schema, o.Samples, o.Runs, s.now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetObserved gives up the schema of a tool, or of all of a connector's tools if tool is empty. It returns the tools that had one.
func (s *Store) ForgetObserved(connector, tool string) (forgotten []string, err error) {
	err = s.update(true, func(c *conn) error {
		forgotten = nil
		if err := c.query(func(r row) error {
			forgotten = append(forgotten, r.text(0))
			return nil
		}, "SELECT tool FROM observed WHERE connector=?1 AND (?2 IS NULL OR tool=?2) ORDER BY tool", connector, orNull(tool)); err != nil {
			return err
		}
		_, err := c.exec("DELETE FROM observed WHERE connector=?1 AND (?2 IS NULL OR tool=?2)", connector, orNull(tool))
		return err
	})
	return forgotten, err
}

// Observed lists what was adopted of a connector's tools, or of all if it is empty, by connector and tool.
func (s *Store) Observed(connector string) (list []Observed, err error) {
	err = s.view(func(c *conn) error {
		return c.query(func(r row) error {
			list = append(list, Observed{r.text(0), r.text(1), r.json(2), r.int(3), r.int(4), r.time(5)})
			return nil
		}, "SELECT connector, tool, schema, samples, runs, learned_at FROM observed WHERE ?1 IS NULL OR connector=?1 ORDER BY connector, tool", orNull(connector))
	})
	return list, err
}
