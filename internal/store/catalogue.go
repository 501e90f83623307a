package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// Risk says what a call of a tool may do.
type Risk string

// The risks.
const (
	ReadOnly   Risk = "read_only"
	SideEffect Risk = "side_effect"
)

// ConnectorStatus says what came of the last attempt to discover a connector's tools.
type ConnectorStatus string

// The statuses.
const (
	ConnectorOK          ConnectorStatus = "ok"
	ConnectorUnreachable ConnectorStatus = "unreachable" // it did not answer
	ConnectorSkipped     ConnectorStatus = "skipped"     // it was not asked: disabled, or a variable is not set
)

// Connector is what is known of a connector. How to reach it is in the configuration.
type Connector struct {
	Name         string          `json:"name"`
	Transport    string          `json:"transport"`
	Status       ConnectorStatus `json:"status"`
	Detail       string          `json:"detail,omitempty"` // why it is not ok
	Server       json.RawMessage `json:"server,omitempty"` // what the server says about itself
	Tools        int             `json:"tools"`
	CheckedAt    time.Time       `json:"checked_at"`
	DiscoveredAt time.Time       `json:"discovered_at,omitzero"` // last success
	AskedAt      time.Time       `json:"asked_at,omitzero"`      // when the question was asked whose answer this is
	Observed     int             `json:"observed,omitempty"`     // tools with a schema that was learned
	LearnedAt    time.Time       `json:"learned_at,omitzero"`    // the last of them
}

// Tool is a tool as it was last seen. (Connector, Name) is its identity.
type Tool struct {
	Connector    string          `json:"connector"`
	Name         string          `json:"name"` // exactly as on the wire
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Observed     json.RawMessage `json:"observed,omitempty"` // the schema of what it was seen to answer, if one was adopted
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Risk         Risk            `json:"risk"`
	Digest       string          `json:"digest"`
	Stale        bool            `json:"stale,omitempty"`  // its connector could not be asked since
	Detail       string          `json:"detail,omitempty"` // what about it could not be understood
	DiscoveredAt time.Time       `json:"discovered_at"`    // when this digest was first seen
	SeenAt       time.Time       `json:"seen_at"`          // when it was last seen
}

// CatalogueChange is what a discovery changed, by wire name and in order. A tool is changed if its digest is.
type CatalogueChange struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Changed []string `json:"changed,omitempty"`
	// Before is what was stored until then. It is read in the transaction that replaces it: of several processes that ask at the same
	// time, one is first, and each is told what it changed itself.
	Before []Tool `json:"-"`
	// Outdated: what is stored already is the answer to a question that was asked later. Nothing was changed.
	Outdated bool `json:"outdated,omitempty"`
}

// SaveTools records that a connector answered with these tools, which replace those from before. A server that suddenly has none at all is
// more likely to be in trouble than empty: then the tools are kept, as stale, and the error has the code catalogue-emptied,
// unless acceptEmpty is set. If c.AskedAt is set, an answer to a question that was asked later is not replaced.
func (s *Store) SaveTools(c Connector, tools []Tool, acceptEmpty bool) (CatalogueChange, error) {
	var change CatalogueChange
	var emptied error
	err := s.update(true, func(db *conn) error {
		change, emptied = CatalogueChange{}, nil
		had, err := toolsOf(db, c.Name)
		if err != nil {
			return err
		}
		change.Before = had
		if change.Outdated, err = outdated(db, c.Name, c.AskedAt); err != nil || change.Outdated {
			return err
		}
		if len(tools) == 0 && len(had) > 0 && !acceptEmpty {
			emptied = fault.New("catalogue-emptied", "%s answered that it has no tools, and had %d before", c.Name, len(had))
			return s.putUnavailable(db, Connector{Name: c.Name, Transport: c.Transport, Status: ConnectorUnreachable,
				Detail: "it answered that it has no tools", AskedAt: c.AskedAt})
		}
		c.Status = ConnectorOK
		if err := s.putConnector(db, c, true); err != nil {
			return err
		}
		before := map[string]Tool{}
		for _, t := range had {
			before[t.Name] = t
		}
		seen := map[string]bool{}
		for _, t := range tools {
			if seen[t.Name] {
				return fmt.Errorf("store: connector %s has the tool %q twice", c.Name, t.Name)
			}
			seen[t.Name] = true
			old, known := before[t.Name]
			switch {
			case !known:
				change.Added = append(change.Added, t.Name)
			case old.Digest != t.Digest:
				change.Changed = append(change.Changed, t.Name)
			}
			t.Connector = c.Name
			if err := s.putTool(db, t, old); err != nil {
				return err
			}
		}
		for _, t := range had {
			if seen[t.Name] {
				continue
			}
			change.Removed = append(change.Removed, t.Name)
			if _, err := db.exec("DELETE FROM tools WHERE connector=? AND name=?", c.Name, t.Name); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = emptied
	}
	return change, err
}

// outdated reports whether what is stored of a connector was asked for later. The zero time is never too late.
func outdated(db *conn, name string, asked time.Time) (later bool, err error) {
	if asked.IsZero() {
		return false, nil
	}
	_, err = db.one(func(r row) { later = r.time(0).After(asked) }, "SELECT asked_at FROM connectors WHERE name=?", name)
	return later, err
}

// SaveUnavailable records that a connector could not be asked: its Status, and why in its Detail. It keeps its tools, which are stale from
// now on, unless it has answered a question since that was asked later.
func (s *Store) SaveUnavailable(c Connector) error {
	return s.update(true, func(db *conn) error {
		if later, err := outdated(db, c.Name, c.AskedAt); err != nil || later {
			return err
		}
		return s.putUnavailable(db, c)
	})
}

// RemoveConnector forgets a connector and its tools. One that is not there is no error.
func (s *Store) RemoveConnector(name string) error {
	_, err := s.updateOne(true, "DELETE FROM connectors WHERE name=?", name)
	return err
}

func (s *Store) putUnavailable(db *conn, c Connector) error {
	if c.Status == ConnectorOK {
		return fmt.Errorf("store: connector %s is not available, so it is not ok", c.Name)
	}
	if err := s.putConnector(db, c, false); err != nil {
		return err
	}
	_, err := db.exec("UPDATE tools SET status='stale' WHERE connector=?", c.Name)
	return err
}

func (s *Store) putConnector(db *conn, c Connector, discovered bool) error {
	now, found := s.now(), time.Time{}
	if discovered {
		found = now
	}
	redacted := false
	server, err := s.clean(c.Server, &redacted)
	if err != nil {
		return fmt.Errorf("connector %s: server: %w", c.Name, err)
	}
	_, err = db.exec(`INSERT INTO connectors (name, transport, status, detail, server, checked_at, discovered_at, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET transport=excluded.transport, status=excluded.status, detail=excluded.detail,
			server=coalesce(excluded.server, server), checked_at=excluded.checked_at,
			discovered_at=coalesce(excluded.discovered_at, discovered_at), asked_at=coalesce(excluded.asked_at, asked_at)`,
		c.Name, c.Transport, string(c.Status), s.cleanText(c.Detail, &redacted), server, now, found, c.AskedAt)
	return err
}

func (s *Store) putTool(db *conn, t, old Tool) error {
	for _, v := range []json.RawMessage{t.InputSchema, t.OutputSchema, t.Annotations} {
		if v != nil && !json.Valid(v) {
			return fmt.Errorf("tool %s of %s: %w", t.Name, t.Connector, ErrNotJSON)
		}
	}
	now := s.now()
	since := now
	if old.Digest == t.Digest && !old.DiscoveredAt.IsZero() {
		since = old.DiscoveredAt
	}
	_, err := db.exec(`INSERT OR REPLACE INTO tools (connector, name, title, description, input_schema, output_schema, annotations, risk, digest,
		status, detail, discovered_at, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'ok', ?, ?, ?)`,
		t.Connector, t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations, t.Risk, t.Digest, t.Detail, since, now)
	return err
}

// Connectors returns all connectors by name.
func (s *Store) Connectors() ([]Connector, error) {
	var list []Connector
	err := s.view(func(c *conn) error {
		return c.query(func(r row) error {
			list = append(list, Connector{
				Name: r.text(0), Transport: r.text(1), Status: ConnectorStatus(r.text(2)), Detail: r.text(3), Server: r.json(4),
				CheckedAt: r.time(5), DiscoveredAt: r.time(6), AskedAt: r.time(7), Tools: r.int(8), Observed: r.int(9), LearnedAt: r.time(10),
			})
			return nil
		}, `SELECT name, transport, status, detail, server, checked_at, discovered_at, asked_at,
			(SELECT count(*) FROM tools WHERE connector=connectors.name),
			(SELECT count(*) FROM observed WHERE connector=connectors.name),
			(SELECT max(learned_at) FROM observed WHERE connector=connectors.name) FROM connectors ORDER BY name`)
	})
	return list, err
}

// Tools returns the tools of a connector, or of all if connector is empty, by connector and wire name.
func (s *Store) Tools(connector string) (list []Tool, err error) {
	err = s.view(func(c *conn) error {
		list, err = toolsOf(c, connector)
		return err
	})
	return list, err
}

func toolsOf(c *conn, connector string) ([]Tool, error) {
	var list []Tool
	err := c.query(func(r row) error {
		list = append(list, Tool{
			Connector: r.text(0), Name: r.text(1), Title: r.text(2), Description: r.text(3),
			InputSchema: r.json(4), OutputSchema: r.json(5), Annotations: r.json(6),
			Risk: Risk(r.text(7)), Digest: r.text(8), Stale: r.text(9) == "stale", Detail: r.text(10), DiscoveredAt: r.time(11), SeenAt: r.time(12),
			Observed: r.json(13),
		})
		return nil
	}, `SELECT t.connector, t.name, title, description, input_schema, output_schema, annotations, risk, digest, status, detail, discovered_at, seen_at, o.schema
		FROM tools t LEFT JOIN observed o ON o.connector=t.connector AND o.tool=t.name
		WHERE ?1 IS NULL OR t.connector=?1 ORDER BY t.connector, t.name`, orNull(connector))
	return list, err
}
