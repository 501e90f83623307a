package discovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/words"
)

// Stubs is what came of the stubs.
type Stubs struct {
	Dir       string                   `json:"dir"`
	Files     int                      `json:"files"`
	Checked   bool                     `json:"checked"`           // pyright has looked at them
	Checker   string                   `json:"checker,omitempty"` // its version, if that is known
	Installed bool                     `json:"installed"`         // it was installed just now
	Errors    []pyright.FileDiagnostic `json:"errors"`            // what it found, which is a bug
	Problem   *fault.Error             `json:"problem,omitempty"` // why it has not looked at them
}

// Err is the error about stubs that the checker refuses, nil if it does not.
func (s Stubs) Err() error {
	if len(s.Errors) == 0 {
		return nil
	}
	first := s.Errors[0]
	return fault.New("stubs-invalid", "the type checker finds %s in the stubs; the first in line %d of %s: %s",
		words.Counted(len(s.Errors), "error"), first.Line, first.File, first.Message)
}

// writeStubs writes the stubs of all tools that are stored, and checks them.
func (r *Report) writeStubs(ctx context.Context, o Options) (err error) {
	tell := func(p Progress) {
		if o.Progress != nil {
			o.Progress(p)
		}
	}
	tell(Progress{State: "stubs"})
	s := Stubs{Dir: o.Home.Types(), Errors: []pyright.FileDiagnostic{}}
	all, err := WriteStubs(o.Home, o.Store)
	if err != nil {
		return err
	}
	s.Files = len(all)
	for _, c := range all {
		for i := range r.Servers {
			if r.Servers[i].Name == c.Name && r.Servers[i].Tools > 0 {
				typing := c.Stats()
				r.Servers[i].Typing = &typing
			}
		}
	}
	r.Stubs, err = s.check(ctx, o, all, tell)
	return err
}

// WriteStubs writes the stubs of all tools that are stored. Several processes may do so at the same time: what is on the disk in the end
// is what the store has in the end, since each looks after writing whether it has written what is stored by then.
func WriteStubs(h home.Home, s *store.Store) ([]*stubs.Connector, error) {
	for range 100 {
		connectors, err := s.Connectors()
		if err != nil {
			return nil, err
		}
		tools, err := stored(s, "")
		if err != nil {
			return nil, err
		}
		all := stubs.BuildAll(grouped(connectors, tools))
		if err := stubs.Write(filepath.Dir(h.Types()), all); err != nil {
			return nil, fault.New("bad-home", "the stubs cannot be written to %s", h.Types()).WithDetail(err)
		}
		now, err := s.Connectors()
		if err != nil {
			return nil, err
		}
		if reflect.DeepEqual(connectors, now) {
			return all, nil
		}
	}
	return nil, fault.New("store-busy", "other processes change the tools all the time, and so the stubs are not those of the tools that are stored")
}

// check typechecks the stubs, if that is asked for.
func (s Stubs) check(ctx context.Context, o Options, all []*stubs.Connector, tell func(Progress)) (_ Stubs, err error) {
	if !o.Check || len(all) == 0 {
		return s, nil
	}
	command, installed, err := checker(ctx, o, tell)
	s.Installed = installed
	if err == nil {
		s.Checker = command.Version()
		mark := filepath.Join(o.Home.Types(), ".checked")
		sum := digest(s.Checker, all)
		if was, err := os.ReadFile(mark); err == nil && string(was) == sum {
			s.Checked = true // and found to be good
			return s, nil
		}
		tell(Progress{State: "checking"})
		s.Errors, err = pyright.CheckFolder(ctx, command, s.Dir)
		s.Checked = err == nil
		if s.Checked && len(s.Errors) == 0 {
			_ = os.WriteFile(mark, []byte(sum), 0o600) // else they are checked again
		}
	}
	switch {
	case ctx.Err() != nil:
		return s, fault.New("cancelled", "cancelled while the stubs were checked; all else is done")
	case err != nil:
		s.Problem = fault.Of(err)
	}
	return s, nil
}

// digest identifies what a check has looked at.
func digest(checker string, all []*stubs.Connector) string {
	files := stubs.Files(all)
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d %s", name, len(files[name]), files[name])
	}
	return checker + " " + hex.EncodeToString(h.Sum(nil)) + "\n"
}

// checker finds the type checker, and installs it where it is missing and npm is there.
func checker(ctx context.Context, o Options, tell func(Progress)) (pyright.Command, bool, error) {
	command, err := pyright.Find(o.Home.Pyright())
	if err == nil || os.Getenv(pyright.Variable) != "" {
		return command, false, err
	}
	if _, none := exec.LookPath("npm"); none != nil {
		return command, false, err
	}
	tell(Progress{State: "installing", Detail: fmt.Sprintf("installing pyright %s, the type checker, into %s with npm", pyright.Version, o.Home.Pyright())})
	if err := pyright.Install(ctx, o.Home.Pyright()); err != nil {
		return command, false, err
	}
	command, err = pyright.Find(o.Home.Pyright())
	return command, err == nil, err
}

// grouped has all connectors, also those without tools: each takes a name in Python.
func grouped(connectors []store.Connector, tools []catalog.Tool) map[string][]catalog.Tool {
	by := map[string][]catalog.Tool{}
	for _, c := range connectors {
		by[c.Name] = nil
	}
	for _, t := range tools {
		by[t.Connector] = append(by[t.Connector], t)
	}
	return by
}

func names(tools []catalog.Tool) *catalog.Names {
	var wires []string
	for _, t := range tools {
		wires = append(wires, t.Name)
	}
	return catalog.NewNames(catalog.Method, wires)
}
