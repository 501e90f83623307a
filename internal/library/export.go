package library

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
)

// Exported counts what was written.
type Exported struct {
	OK        bool   `json:"ok"`
	File      string `json:"file,omitempty"`
	Runs      int    `json:"runs"`
	Steps     int    `json:"steps"`
	Approvals int    `json:"approvals"`
}

// Export writes runs as JSON lines, each with all that the journal has of them: {"type":"run", …}, then its steps in order, {"type":"step", …}, then what
// persons were asked, {"type":"approval", …}. With ids it is these runs, each once, as they are given; else those that the filter selects, oldest first.
// The same journal gives the same bytes.
func (f Filter) Export(s *store.Store, ids []string, out io.Writer) (*Exported, error) {
	if len(ids) == 0 {
		f.Limit = 1 << 30
		list, err := f.Runs(s)
		if err != nil {
			return nil, err
		}
		for _, r := range slices.Backward(list) {
			ids = append(ids, r.ID)
		}
	}
	w := bufio.NewWriter(out)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	n, seen := &Exported{OK: true}, map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if err := n.run(s, e, id); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil {
		return nil, &WriteError{err}
	}
	return n, nil
}

// ExportFile writes them into a file, in one step: the file is what it was until all is written. Its owner alone can read it.
func (f Filter) ExportFile(s *store.Store, ids []string, path string) (n *Exported, err error) {
	defer func() {
		if errors.As(err, new(*WriteError)) || errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) {
			err = fault.New("unwritable-file", "%s cannot be written", path).WithDetail(err)
		}
	}()
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // as /dev/stdout, or a named pipe
		out, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		if n, err = f.Export(s, ids, out); err == nil {
			n.File = path
		}
		return n, errors.Join(err, out.Close())
	}
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // makes it 0600
	if err != nil {
		return nil, err
	}
	if n, err = f.Export(s, ids, out); err == nil {
		n.File = path
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(out.Name()))
	}
	return n, nil
}

// WriteError is an export that could not be written.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return e.Err.Error() }
func (e *WriteError) Unwrap() error { return e.Err }

func (n *Exported) run(s *store.Store, e *json.Encoder, id string) error {
	write := func(v any) error {
		if err := e.Encode(v); err != nil {
			return &WriteError{err}
		}
		return nil
	}
	run, err := s.Run(id)
	if err != nil {
		return err
	}
	n.Runs++
	if err := write(struct {
		Type string `json:"type"`
		store.Run
	}{"run", run}); err != nil {
		return err
	}
	if err := s.Recorded(id, func(st store.Step) error {
		n.Steps++
		return write(struct {
			Type string `json:"type"`
			store.Step
		}{"step", st})
	}); err != nil {
		return err
	}
	asked, err := s.Approvals(id)
	if err != nil {
		return err
	}
	for _, a := range asked {
		n.Approvals++
		if err := write(struct {
			Type string `json:"type"`
			store.Approval
		}{"approval", a}); err != nil {
			return err
		}
	}
	return nil
}
