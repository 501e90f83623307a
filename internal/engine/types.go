package engine

import (
	"encoding/json"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/runtime"
)

// Problem is one thing that keeps a workflow from being stored.
type Problem struct {
	Stage   string `json:"stage"` // validate, edit, lint, typecheck, extract
	Code    string `json:"code"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Workflow is the source of a workflow, as it is handed in.
type Workflow struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Code        string          `json:"code"`
	Inputs      json.RawMessage `json:"inputs_schema"`            // nil: an object of any kind
	Outputs     json.RawMessage `json:"outputs_schema,omitempty"` // nil: any value
}

// Edit changes one place of a workflow's latest version. Nil fields stay as they are.
type Edit struct {
	Name, Old, New  string
	Description     *string
	Inputs, Outputs json.RawMessage
}

// ToolUse is a tool that a version uses, as it was pinned.
type ToolUse struct {
	Connector string     `json:"connector"`
	Tool      string     `json:"tool"`
	Risk      store.Risk `json:"risk"`
	Digest    string     `json:"digest"`
}

// Created says what came of Create or Edit: a stored version, or Problems.
type Created struct {
	OK         bool      `json:"ok"`
	WorkflowID string    `json:"workflow_id,omitempty"`
	Name       string    `json:"name,omitempty"`
	Version    string    `json:"version,omitempty"`
	VersionID  string    `json:"version_id,omitempty"`
	New        bool      `json:"new"` // the version did not exist
	File       string    `json:"file_path,omitempty"`
	ToolsUsed  []ToolUse `json:"tools_used,omitempty"`
	Warnings   []string  `json:"warnings,omitempty"`
	Stage      string    `json:"stage,omitempty"` // that failed
	Errors     []Problem `json:"errors,omitempty"`
}

// Request asks for a run.
type Request struct {
	Workflow string          // name or id
	Version  string          // empty: the latest
	Source   *Workflow       // instead of Workflow: compiled and rehearsed without being stored; only with Mode Dry
	Inputs   json.RawMessage // a JSON object; nil means {}
	Mode     store.Mode      // Live or Dry
	Confirm  bool            // the caller's consent to acts, see Options.Approval
	Person   Person          // asks whoever is there; nil: nobody is, so that a run that needs a person parks
	Queue    bool            // leaves the run to the process that drains the queue, see Engine.Drain
	Seed     *uint64         // nil: a random one
	At       time.Time       // zero: now
	Limits   runtime.Limits  // zero fields: the configuration's, then the defaults
	Observe  func(Event)     // told of each step as it happens; may be nil. Called from one goroutine at a time
}

// Event is something that happened in a run.
type Event struct {
	Kind      string        // "opening", "opened", "asking", "started", "step", "stepped"
	Run       string        // its id, from "started" on
	Seq       int           // of the step
	Connector string        //
	Tool      string        //
	Simulated bool          //
	State     string        // of a step that is over: ok or error
	Code      string        // of its error
	Elapsed   time.Duration // how far the run's clock moved

	// What was sent and answered, in wire spelling and without secrets: Arguments of a step that begins, Result or Failure of one that is over.
	Risk      store.Risk
	Arguments json.RawMessage
	Result    json.RawMessage
	Failure   json.RawMessage
	Redacted  bool // a secret was taken out of them
}

// Run is what a request came to. It is the same object however it was asked for.
type Run struct {
	ID          string              `json:"run_id,omitempty"` // empty: it did not reach a stored version
	WorkflowID  string              `json:"workflow_id,omitempty"`
	Name        string              `json:"name,omitempty"`
	Version     string              `json:"version,omitempty"`
	OK          bool                `json:"ok"`
	Status      store.RunStatus     `json:"status"`
	Mode        store.Mode          `json:"mode"`
	DryRun      bool                `json:"dry_run"`
	Code        string              `json:"code,omitempty"` // why it is not ok
	Error       string              `json:"error,omitempty"`
	Hint        string              `json:"hint,omitempty"`
	Detail      *runtime.Error      `json:"detail,omitempty"`       // of a workflow that failed: type, line, traceback
	Errors      []schema.FieldError `json:"errors,omitempty"`       // of invalid inputs or output
	Problems    []Problem           `json:"problems,omitempty"`     // of a source that does not compile
	Drift       []Drift             `json:"drift,omitempty"`        // of a tool that is not what it was
	SideEffects []ToolUse           `json:"side_effects,omitempty"` // that the run needs consent for
	Simulated   []ToolUse           `json:"simulated,omitempty"`    // acts that a dry run did not send
	Approval    *store.Approval     `json:"approval,omitempty"`     // what a person is asked, or was asked last
	Executed    string              `json:"executed,omitempty"`     // Inline or Queued
	Output      json.RawMessage     `json:"output"`                 // null if there is none
	Steps       []Step              `json:"steps"`
	Log         string              `json:"log,omitempty"`
	Fuel        int64               `json:"fuel,omitempty"`
	Seed        uint64              `json:"seed"`
	Inputs      json.RawMessage     `json:"inputs,omitempty"` // of a run that was read from the journal
	Guest       string              `json:"guest,omitempty"`  // likewise: the build of the guest that it ran in
	StartedAt   time.Time           `json:"started_at,omitzero"`
	Duration    time.Duration       `json:"-"`
	DurationMS  int64               `json:"duration_ms"`
	Fault       *fault.Error        `json:"-"` // the same as Code, Error and Hint, with the exit code; nil if OK
}

// Values of Run.Executed.
const (
	Inline = "inline" // by the process that was asked for the run
	Queued = "queued" // by the process that drains the queue
)

// Step is a step of a run without arguments and result.
type Step struct {
	ID         string          `json:"step_id,omitempty"` // empty: it is not in the journal
	Seq        int             `json:"seq"`
	Connector  string          `json:"connector"`
	Tool       string          `json:"tool"`
	Risk       store.Risk      `json:"risk"`
	State      store.StepState `json:"state"`
	Simulated  bool            `json:"simulated,omitempty"`
	DurationMS int64           `json:"duration_ms"`
	Warnings   []string        `json:"warnings,omitempty"` // what was odd about the result
	Error      json.RawMessage `json:"error,omitempty"`    // code and message
}

// Drift says how a tool is not what it was when the version was compiled.
type Drift struct {
	Connector string   `json:"connector"`
	Tool      string   `json:"tool"`
	Changes   []string `json:"changes"`
}

// StepDetail is a step with its arguments and its result, both trimmed.
type StepDetail struct {
	RunID string `json:"run_id"`
	Step
	Arguments   json.RawMessage `json:"payload"`
	Result      json.RawMessage `json:"result"`
	ResultChars int             `json:"result_chars"` // of the result before it was trimmed
	Trimmed     []string        `json:"trimmed"`      // what was cut, and how much of it
}
