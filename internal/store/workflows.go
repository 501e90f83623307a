package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// Pin is a tool as it was when a version was compiled: its identity and digest, and what calls are checked against.
type Pin struct {
	Connector    string          `json:"connector"`
	Tool         string          `json:"tool"`
	Risk         Risk            `json:"risk"`
	Digest       string          `json:"digest"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Observed     json.RawMessage `json:"observed,omitempty"` // the schema of its results as they were observed, where it declares none
	Python       string          `json:"python,omitempty"`   // how the version's code spells it: attribute of ctx, dot, method
}

func sortedPins(pins []Pin) []Pin {
	return slices.SortedFunc(slices.Values(pins), func(a, b Pin) int {
		return cmp.Or(strings.Compare(a.Connector, b.Connector), strings.Compare(a.Tool, b.Tool))
	})
}

// Program is a version's bytecode for one build of the guest.
type Program struct {
	Guest string
	Code  []byte
	Fuel  int64 // what compiling cost
}

// NewVersion is a version to be saved.
type NewVersion struct {
	Name        string // of the workflow, which is made if there is none
	Description string // of the workflow; empty keeps the one it has
	Code        string
	Inputs      json.RawMessage // schema; nil means {}
	Outputs     json.RawMessage // schema, or nil
	Pins        []Pin
	Program     *Program // nil: none yet
	// Edits is the id of the version that this one was made from. If that is not the latest any more, nothing is saved and the error has
	// the code workflow-changed. Empty: it does not matter.
	Edits string
}

// Saved says what SaveVersion did.
type Saved struct {
	WorkflowID string `json:"workflow_id"`
	VersionID  string `json:"version_id"`
	Version    string `json:"version"`
	Digest     string `json:"digest"`
	Created    bool   `json:"created"`   // the workflow is new
	New        bool   `json:"new"`       // the version is new
	Moved      bool   `json:"moved"`     // it was not the latest before
	File       string `json:"file_path"` // for people
	FileError  error  `json:"-"`         // why File could not be written; the version is stored all the same
}

// versionDigits is how much of the digest is a version's short name.
const versionDigits = 16

// SaveVersion stores a version of a workflow and makes it the latest. Content that the workflow has already is not stored again.
func (s *Store) SaveVersion(v NewVersion) (Saved, error) {
	if err := home.CheckName(v.Name); err != nil {
		return Saved{}, err
	}
	if v.Inputs == nil {
		v.Inputs = json.RawMessage("{}")
	}
	digest, err := Digest(v.Code, v.Inputs, v.Outputs, v.Pins)
	if err != nil {
		return Saved{}, err
	}
	saved := Saved{Digest: digest, Version: digest[:versionDigits]}
	err = s.update(true, func(c *conn) error { return s.saveVersion(c, v, &saved) })
	if err != nil {
		return Saved{}, err
	}
	saved.File, saved.FileError = s.writeFile(v.Name, saved.Version, v.Code)
	return saved, nil
}

func (s *Store) saveVersion(c *conn, v NewVersion, saved *Saved) (err error) {
	now := s.now()
	var workflow, latest, version int64
	latestID := ""
	found, err := c.one(func(r row) {
		workflow, saved.WorkflowID, latest, latestID = r.int64(0), r.text(1), r.int64(2), r.text(3)
	}, `SELECT w.num, w.id, w.latest, v.id FROM workflows w LEFT JOIN versions v ON v.num=w.latest
		WHERE w.name=? AND w.deleted_at IS NULL`, v.Name)
	if err != nil {
		return err
	}
	if v.Edits != "" && v.Edits != latestID {
		return fault.New("workflow-changed", "workflow %s has another version since this edit began", v.Name)
	}
	if !found {
		saved.Created = true
		workflow, saved.WorkflowID, err = s.insert(c, "wf_", `INSERT INTO workflows (id, name, description, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`,
			v.Name, v.Description, now, now)
		if err != nil {
			return err
		}
	}
	found, err = c.one(func(r row) { version, saved.VersionID = r.int64(0), r.text(1) },
		"SELECT num, id FROM versions WHERE workflow=? AND digest=?", workflow, saved.Digest)
	if err != nil {
		return err
	}
	if !found {
		saved.New = true
		version, saved.VersionID, err = s.insert(c, "wv_", `INSERT INTO versions (id, workflow, version, digest, code, inputs_schema, outputs_schema,
			created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, workflow, saved.Version, saved.Digest, v.Code, v.Inputs, v.Outputs, now)
		if err != nil {
			return err
		}
		for _, p := range v.Pins {
			if _, err := c.exec("INSERT INTO pins (version, connector, tool, risk, digest, input_schema, output_schema, annotations, python, observed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				version, p.Connector, p.Tool, p.Risk, p.Digest, p.InputSchema, p.OutputSchema, p.Annotations, p.Python, p.Observed); err != nil {
				return fmt.Errorf("pin %s.%s: %w", p.Connector, p.Tool, err)
			}
		}
	}
	if v.Program != nil {
		if err := putProgram(c, version, *v.Program); err != nil {
			return err
		}
	}
	saved.Moved = latest != version
	_, err = c.exec(`UPDATE workflows SET latest=?1, description=coalesce(?2, description), updated_at=?3
		WHERE num=?4 AND (latest IS NOT ?1 OR description IS NOT coalesce(?2, description))`, version, orNull(v.Description), now, workflow)
	return err
}

// insert inserts a row whose first column is a new id, and returns its number as well.
func (s *Store) insert(c *conn, prefix, sql string, args ...any) (int64, string, error) {
	for try := 0; ; try++ {
		id, err := s.newID(prefix)
		if err != nil {
			return 0, "", err
		}
		if _, err = c.exec(sql, append([]any{id}, args...)...); err == nil {
			return c.db.LastInsertRowID(), id, nil
		}
		if !constraint(err) || try == 2 { // an id that is taken is another one's bad luck
			return 0, "", err
		}
	}
}

// Workflow is a workflow without its versions.
type Workflow struct {
	ID          string    `json:"workflow_id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Latest      string    `json:"latest_version"`
	LatestID    string    `json:"latest_version_id"`
	Versions    int       `json:"versions"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	LastRun     *LastRun  `json:"last_run"` // nil: none
}

// LastRun is the last run that was not a rehearsal: dry runs and replays do not count, refusals do.
type LastRun struct {
	ID     string    `json:"run_id"`
	Status RunStatus `json:"status"`
	At     time.Time `json:"at"`
}

const selectWorkflow = `SELECT w.id, w.name, w.description, v.version, v.id, (SELECT count(*) FROM versions WHERE workflow=w.num),
	w.created_at, w.updated_at, r.id, r.status, coalesce(r.started_at, r.created_at)
	FROM workflows w LEFT JOIN versions v ON v.num=w.latest
	LEFT JOIN runs r ON r.num=(SELECT max(num) FROM runs WHERE workflow=w.num AND mode IN ('live', 'resume'))
	WHERE w.deleted_at IS NULL`

func scanWorkflow(r row) Workflow {
	w := Workflow{ID: r.text(0), Name: r.text(1), Description: r.text(2), Latest: r.text(3), LatestID: r.text(4), Versions: r.int(5),
		CreatedAt: r.time(6), UpdatedAt: r.time(7)}
	if id := r.text(8); id != "" {
		w.LastRun = &LastRun{ID: id, Status: RunStatus(r.text(9)), At: r.time(10)}
	}
	return w
}

// Workflows returns all workflows by name.
func (s *Store) Workflows() ([]Workflow, error) {
	var list []Workflow
	err := s.view(func(c *conn) error {
		return c.query(func(r row) error {
			list = append(list, scanWorkflow(r))
			return nil
		}, selectWorkflow+" ORDER BY w.name")
	})
	return list, err
}

// Workflow finds a workflow by name or id.
func (s *Store) Workflow(ref string) (w Workflow, err error) {
	err = s.view(func(c *conn) error {
		w, err = workflow(c, ref)
		return err
	})
	return w, err
}

func workflow(c *conn, ref string) (w Workflow, err error) {
	// A name goes before an id; no valid name has the form of another's id but by somebody's intent.
	found, err := c.one(func(r row) { w = scanWorkflow(r) }, selectWorkflow+" AND (w.name=?1 OR w.id=?1) ORDER BY w.name<>?1", ref)
	if err == nil && !found {
		err = fault.New("unknown-workflow", "there is no workflow %s", ref)
	}
	return w, err
}

// Version is a version with all that was stored.
type Version struct {
	ID         string          `json:"version_id"`
	Version    string          `json:"version"`
	Digest     string          `json:"digest"`
	WorkflowID string          `json:"workflow_id"`
	Name       string          `json:"name"` // of the workflow
	Latest     bool            `json:"is_latest"`
	CreatedAt  time.Time       `json:"created_at"`
	Code       string          `json:"code,omitempty"`
	Inputs     json.RawMessage `json:"inputs_schema,omitempty"`
	Outputs    json.RawMessage `json:"outputs_schema,omitempty"`
	Pins       []Pin           `json:"pins,omitempty"`
	File       string          `json:"file_path,omitempty"`
}

const selectVersion = `SELECT v.num, v.id, v.version, v.digest, w.id, w.name, v.num IS w.latest, v.created_at, v.code, v.inputs_schema, v.outputs_schema
	FROM versions v JOIN workflows w ON w.num=v.workflow`

// Versions returns the versions of a workflow, oldest first, without code, schemas and pins.
func (s *Store) Versions(ref string) ([]Version, error) {
	var list []Version
	err := s.view(func(c *conn) error {
		w, err := workflow(c, ref)
		if err != nil {
			return err
		}
		return c.query(func(r row) error {
			list = append(list, s.scanVersion(r))
			return nil
		}, strings.Replace(selectVersion, "v.code, v.inputs_schema, v.outputs_schema", "'', NULL, NULL", 1)+" WHERE w.id=? ORDER BY v.num", w.ID)
	})
	return list, err
}

// Version finds a version of a workflow: by id, by its short name or digest, or by at least four digits of those that no other version
// of the workflow begins with. An empty version is the latest.
func (s *Store) Version(ref, version string) (v Version, err error) {
	err = s.view(func(c *conn) error {
		w, err := workflow(c, ref)
		if err != nil {
			return err
		}
		if version == "" {
			version = w.LatestID
		}
		prefix := "none" // no digit
		if len(version) >= 4 && strings.Trim(version, "0123456789abcdef") == "" {
			prefix = version
		}
		var ids []string
		if err := c.query(func(r row) error {
			ids = append(ids, r.text(0))
			return nil
		}, "SELECT v.id FROM versions v JOIN workflows w ON w.num=v.workflow WHERE w.id=?1 AND (v.id=?2 OR substr(v.digest, 1, ?3)=?4)",
			w.ID, version, len(prefix), prefix); err != nil {
			return err
		}
		switch len(ids) {
		case 0:
			return fault.New("unknown-version", "workflow %s has no version %s", w.Name, version)
		case 1:
			v, err = s.version(c, ids[0])
			return err
		}
		return fault.New("unknown-version", "workflow %s has %d versions that begin with %s", w.Name, len(ids), version)
	})
	return v, err
}

// VersionByID finds a version by its id alone, also one whose workflow was deleted, as a replay needs it.
func (s *Store) VersionByID(id string) (v Version, err error) {
	err = s.view(func(c *conn) error {
		v, err = s.version(c, id)
		return err
	})
	return v, err
}

func (s *Store) version(c *conn, id string) (v Version, err error) {
	num := int64(0)
	found, err := c.one(func(r row) { num, v = r.int64(0), s.scanVersion(r) }, selectVersion+" WHERE v.id=?", id)
	if err != nil {
		return v, err
	}
	if !found {
		return v, fault.New("unknown-version", "there is no version %s", id)
	}
	return v, c.query(func(r row) error {
		v.Pins = append(v.Pins, Pin{Connector: r.text(0), Tool: r.text(1), Risk: Risk(r.text(2)), Digest: r.text(3),
			InputSchema: r.json(4), OutputSchema: r.json(5), Annotations: r.json(6), Python: r.text(7), Observed: r.json(8)})
		return nil
	}, "SELECT connector, tool, risk, digest, input_schema, output_schema, annotations, python, observed FROM pins WHERE version=? ORDER BY connector, tool", num)
}

func (s *Store) scanVersion(r row) Version {
	v := Version{ID: r.text(1), Version: r.text(2), Digest: r.text(3), WorkflowID: r.text(4), Name: r.text(5), Latest: r.bool(6),
		CreatedAt: r.time(7), Code: r.text(8), Inputs: r.json(9), Outputs: r.json(10)}
	v.File = s.filePath(v.Name, v.Version)
	return v
}

// Users returns the names of the workflows whose latest version pins a tool, or any tool of the connector if tool is empty.
func (s *Store) Users(connector, tool string) ([]string, error) {
	var names []string
	err := s.view(func(c *conn) error {
		return c.query(func(r row) error {
			names = append(names, r.text(0))
			return nil
		}, `SELECT DISTINCT w.name FROM pins p JOIN workflows w ON w.latest=p.version
			WHERE p.connector=?1 AND (?2 IS NULL OR p.tool=?2) AND w.deleted_at IS NULL ORDER BY w.name`, connector, orNull(tool))
	})
	return names, err
}

// Program returns a version's bytecode for a build of the guest, nil if there is none.
func (s *Store) Program(versionID, guest string) (p *Program, err error) {
	err = s.view(func(c *conn) error {
		_, err := c.one(func(r row) { p = &Program{Guest: guest, Code: r.bytes(0), Fuel: r.int64(1)} },
			"SELECT p.code, p.fuel FROM programs p JOIN versions v ON v.num=p.version WHERE v.id=? AND p.guest=?", versionID, guest)
		return err
	})
	return p, err
}

// SaveProgram keeps a version's bytecode, as after an update of the guest. What is there already stays.
func (s *Store) SaveProgram(versionID string, p Program) error {
	return s.update(false, func(c *conn) error {
		num := int64(0)
		found, err := c.one(func(r row) { num = r.int64(0) }, "SELECT num FROM versions WHERE id=?", versionID)
		if err != nil {
			return err
		}
		if !found {
			return fault.New("unknown-version", "there is no version %s", versionID)
		}
		return putProgram(c, num, p)
	})
}

func putProgram(c *conn, version int64, p Program) error {
	_, err := c.exec("INSERT OR IGNORE INTO programs (version, guest, code, fuel) VALUES (?, ?, ?, ?)", version, p.Guest, blob(p.Code), p.Fuel)
	return err
}

// Deleted says what Delete did.
type Deleted struct {
	WorkflowID string `json:"workflow_id"`
	Name       string `json:"name"`
	Runs       int    `json:"runs"` // that are kept
	FileError  error  `json:"-"`    // why its files are still there; the workflow is gone all the same
}

// Delete deletes a workflow. It is refused with the code workflow-busy while one of its runs is not over.
//
// Its runs stay, and so do the versions that they ran: a journal says what was done to the world, and that is still true when nobody
// wants to do it again. The name is free at once. A workflow that never ran leaves nothing behind.
func (s *Store) Delete(ref string) (d Deleted, err error) {
	var versions []string
	err = s.update(true, func(c *conn) error {
		w, err := workflow(c, ref)
		if err != nil {
			return err
		}
		d = Deleted{WorkflowID: w.ID, Name: w.Name}
		var num int64
		var open []string
		if _, err := c.one(func(r row) { num, d.Runs = r.int64(0), r.int(1) },
			"SELECT num, (SELECT count(*) FROM runs WHERE workflow=w.num) FROM workflows w WHERE id=?", w.ID); err != nil {
			return err
		}
		if err := c.query(func(r row) error {
			open = append(open, r.text(0)+" ("+r.text(1)+")")
			return nil
		}, "SELECT id, status FROM runs WHERE workflow=? AND status IN "+openStatuses+" ORDER BY num", num); err != nil {
			return err
		}
		if len(open) > 0 {
			return fault.New("workflow-busy", "workflow %s has runs that are not over: %s", w.Name, list(open))
		}
		if err := c.query(func(r row) error {
			versions = append(versions, r.text(0))
			return nil
		}, "SELECT version FROM versions WHERE workflow=?", num); err != nil {
			return err
		}
		return deleteWorkflow(c, num, d.Runs == 0, s.now())
	})
	if err != nil {
		return Deleted{}, err
	}
	d.FileError = s.removeFiles(d.Name, versions)
	return d, nil
}

func deleteWorkflow(c *conn, num int64, whole bool, now time.Time) error {
	if whole {
		// The reference to the latest version is checked at the end of the transaction only.
		if _, err := c.exec("DELETE FROM versions WHERE workflow=?", num); err != nil {
			return err
		}
		_, err := c.exec("DELETE FROM workflows WHERE num=?", num)
		return err
	}
	if _, err := c.exec("UPDATE workflows SET deleted_at=?, latest=NULL WHERE num=?", now, num); err != nil {
		return err
	}
	_, err := c.exec("DELETE FROM versions WHERE workflow=?1 AND num NOT IN (SELECT version FROM runs WHERE workflow=?1)", num)
	return err
}

// list names some things.
func list(items []string) string {
	const most = 5
	if len(items) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
	}
	return strings.Join(items, ", ")
}

func (s *Store) filePath(name, version string) string {
	return filepath.Join(s.files, name, version+".py")
}

// writeFile puts a version's text where people can read it, whole or not at all.
func (s *Store) writeFile(name, version, code string) (path string, err error) {
	path = s.filePath(name, version)
	if have, err := os.ReadFile(path); err == nil && string(have) == code {
		return path, nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return path, err
	}
	f, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return path, err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.WriteString(code)
	if err = errors.Join(err, f.Close()); err != nil {
		return path, err
	}
	return path, os.Rename(f.Name(), path)
}

// removeFiles removes the texts of a workflow that is gone. What else is in its folder is not ours, and stays.
func (s *Store) removeFiles(name string, versions []string) error {
	if home.CheckName(name) != nil {
		return nil // it was put into the database from outside, and never had a file
	}
	var errs []error
	for _, v := range versions {
		if err := os.Remove(s.filePath(name, v)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	_ = os.Remove(filepath.Dir(s.filePath(name, ""))) // unless there is something in it
	return errors.Join(errs...)
}
