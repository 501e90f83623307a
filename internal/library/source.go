package library

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

// IsFile tells a workflow's file from its name on a command line: no name has a dot or a slash, or is a hyphen.
func IsFile(arg string) bool { return arg == "-" || strings.ContainsAny(arg, `./\`) }

// Source is a workflow in a file, as a command line gives it.
type Source struct {
	File        string // - is standard input
	Name        string // empty: the file's name without .py
	Description string // empty: what the workflow has
	Inputs      string // a schema, or a file with one; empty: the schema that the workflow has
	Outputs     string // the same
}

// Read reads the workflow. What is not given is taken from the latest version of that name, if there is one.
func (src Source) Read(ctx context.Context, in given.In, s *store.Store) (w engine.Workflow, err error) {
	w.Name, w.Description = src.Name, src.Description
	if w.Name == "" {
		if src.File == "-" {
			return w, fault.New("bad-usage", "a workflow from standard input needs --name")
		}
		w.Name = strings.TrimSuffix(filepath.Base(src.File), ".py")
	}
	if err := home.CheckName(w.Name); err != nil {
		return w, fault.Of(err).WithHint("choose another with --name, as in --name weekly-report")
	}
	code, err := in.File(ctx, src.File)
	if err != nil {
		return w, err
	}
	w.Code = string(code)
	if w.Inputs, err = in.JSON(ctx, "--inputs-schema", src.Inputs); err != nil {
		return w, err
	}
	if w.Outputs, err = in.JSON(ctx, "--outputs-schema", src.Outputs); err != nil {
		return w, err
	}
	latest, err := s.Version(w.Name, "")
	if errors.Is(err, fault.New("unknown-workflow", "")) {
		return w, nil
	} else if err != nil {
		return w, err
	}
	if w.Inputs == nil {
		w.Inputs = latest.Inputs
	}
	if w.Outputs == nil {
		w.Outputs = latest.Outputs
	}
	return w, nil
}
