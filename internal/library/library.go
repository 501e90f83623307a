// Package library reads what is stored of workflows and runs, in the form in which both an agent and a person get it.
package library

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
)

// Drifter tells how the tools of a version are not what they were when it was compiled.
type Drifter interface {
	Drift(version store.Version) ([]engine.Drift, error)
}

// Shown is one version of a workflow, with the list of all.
type Shown struct {
	OK          bool             `json:"ok"`
	WorkflowID  string           `json:"workflow_id"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Version     string           `json:"version"`
	VersionID   string           `json:"version_id"`
	Latest      bool             `json:"is_latest"`
	CreatedAt   time.Time        `json:"created_at"`
	File        string           `json:"file_path"`
	Code        string           `json:"code"`
	Inputs      json.RawMessage  `json:"inputs_schema"`
	Outputs     json.RawMessage  `json:"outputs_schema"`
	ToolsUsed   []engine.ToolUse `json:"tools_used"`
	Drift       []engine.Drift   `json:"drift"`
	Versions    []Version        `json:"versions"` // oldest first
	LastRun     *store.LastRun   `json:"last_run"`
}

// Version is a line in the list of versions.
type Version struct {
	Version   string    `json:"version"`
	VersionID string    `json:"version_id"`
	CreatedAt time.Time `json:"created_at"`
	Latest    bool      `json:"is_latest"`
}

// Show reads a version of a workflow: by name or id; an empty version is the latest.
func Show(s *store.Store, d Drifter, ref, version string) (*Shown, error) {
	w, err := s.Workflow(ref)
	if err != nil {
		return nil, err
	}
	versions, err := s.Versions(w.ID)
	if err != nil {
		return nil, err
	}
	v, err := s.Version(w.ID, version)
	if errors.Is(err, fault.New("unknown-version", "")) {
		return nil, fault.Of(err).WithHint("its versions are %s", names(versions))
	} else if err != nil {
		return nil, err
	}
	shown := &Shown{
		OK: true, WorkflowID: w.ID, Name: w.Name, Description: w.Description, Version: v.Version, VersionID: v.ID, Latest: v.Latest,
		CreatedAt: v.CreatedAt, File: v.File, Code: v.Code, Inputs: v.Inputs, Outputs: v.Outputs, LastRun: w.LastRun,
		ToolsUsed: []engine.ToolUse{}, Drift: []engine.Drift{},
	}
	for _, p := range v.Pins {
		shown.ToolsUsed = append(shown.ToolsUsed, engine.ToolUse{Connector: p.Connector, Tool: p.Tool, Risk: p.Risk, Digest: p.Digest})
	}
	for _, x := range versions {
		shown.Versions = append(shown.Versions, Version{Version: x.Version, VersionID: x.ID, CreatedAt: x.CreatedAt, Latest: x.Latest})
	}
	drift, err := d.Drift(v)
	if err != nil {
		return nil, err
	}
	shown.Drift = append(shown.Drift, drift...)
	return shown, nil
}

func names(versions []store.Version) string {
	var list []string
	for _, v := range versions {
		list = append(list, v.Version)
	}
	return strings.Join(list, ", ")
}
