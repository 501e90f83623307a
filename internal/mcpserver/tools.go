package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/store"
)

// tool is a tool as clients see it, and what it does. Schemas are JSON Schema 2020-12, in as few words as a model needs: a client reads
// all of them before the first call.
type tool struct {
	name, title, description string
	hints                    hints
	input, output            string
	handle                   func(s *Server, ctx context.Context, c *call) (answer, error)
}

// hints are the four annotations of MCP. All are written, since clients fill in what is missing differently.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

// answer is the structured content of a result. Failed makes it one with isError.
type answer struct {
	value  any
	failed bool
	ask    *mcp.CallToolResult // instead: a question that the client puts to its user
}

var reads = hints{readOnly: true, idempotent: true}

// tools are all tools. The order is the one in which they are needed; clients get them by name.
var tools = []tool{
	{
		name: "get_skill", title: "Learn to write workflows", hints: reads,
		description: "Read this first. Returns how to write a workflow for Runlace, and every connector with its tools: how to call each, " +
			"what it does in one line, and whether it acts (side_effect) or only reads (read_only). Signatures come from get_tools.",
		input:  object(``),
		output: outcome(`"skill":{"type":"string"},"connectors":{"type":"array","items":{"type":"object"}},"next":{"type":"string"}`),
		handle: (*Server).getSkill,
	},
	{
		name: "get_tools", title: "Get signatures of tools", hints: reads,
		description: "Returns the exact Python signatures, argument types and result types of a connector's tools. Ask only for the tools " +
			"that the workflow will call.",
		input: object(`"connector":{"type":"string","description":"as get_skill lists it"},
			"tools":{"type":"array","items":{"type":"string"},"description":"names of tools; all of the connector's if left out"}`, "connector"),
		output: outcome(`"connector":{"type":"string"},"types":{"type":"string"},"tools":{"type":"array","items":{"type":"object"}},
			"unknown":{"type":"array","items":{"type":"string"}}`),
		handle: (*Server).getTools,
	},
	{
		name: "create_workflow", title: "Create a workflow", hints: hints{idempotent: true},
		description: "Checks a workflow's Python code against the real tools and stores it as an immutable version. Refused code comes back " +
			"with errors: stage, code, line, column, message and a hint each. Correct them all, then call again. Nothing is run.",
		input: object(`"name":{"type":"string","description":"lower-case letters, digits, - and _, as in weekly-report"},
			"description":{"type":"string","description":"what it does, in one sentence"},
			"code":{"type":"string","description":"the whole Python file, which defines run(ctx)"},
			"inputs_schema":{"type":"object","description":"JSON Schema of ctx.inputs: an object with properties"},
			"outputs_schema":{"type":"object","description":"JSON Schema of what run returns"}`, "name", "description", "code", "inputs_schema"),
		output: created,
		handle: (*Server).createWorkflow,
	},
	{
		name: "edit_workflow", title: "Edit a workflow", hints: hints{},
		description: "Replaces one place in the code of a workflow's latest version, checks it all again and stores a new version. " +
			"old_string has to occur exactly once. What is left out stays as it is.",
		input: object(`"name":{"type":"string","description":"of the workflow, or its id"},"old_string":{"type":"string"},"new_string":{"type":"string"},
			"description":{"type":"string"},"inputs_schema":{"type":"object"},"outputs_schema":{"type":"object"}`, "name", "old_string", "new_string"),
		output: created,
		handle: (*Server).editWorkflow,
	},
	{
		name: "list_workflows", title: "List workflows", hints: reads,
		description: "Lists the stored workflows by name, with what each does and how its last run ended.",
		input:       object(``),
		output:      outcome(`"workflows":{"type":"array","items":{"type":"object"}}`),
		handle:      (*Server).listWorkflows,
	},
	{
		name: "get_workflow", title: "Read a workflow", hints: reads,
		description: "Returns a workflow's code, schemas and versions, the tools that it uses, and whether one of them has changed since (drift).",
		input: object(`"workflow":{"type":"string","description":"name or id"},
			"version":{"type":"string","description":"the latest if left out"}`, "workflow"),
		output: outcome(`"workflow_id":{"type":"string"},"name":{"type":"string"},"description":{"type":"string"},"version":{"type":"string"},
			"is_latest":{"type":"boolean"},"code":{"type":"string"},"inputs_schema":{},"outputs_schema":{},"tools_used":{"type":"array","items":{"type":"object"}},
			"drift":{"type":"array","items":{"type":"object"}},"versions":{"type":"array","items":{"type":"object"}}`),
		handle: (*Server).getWorkflow,
	},
	{
		name: "dry_run_workflow", title: "Rehearse a workflow", hints: hints{readOnly: true, idempotent: true, openWorld: true},
		description: "Runs a workflow without acting: tools that only read are called, tools that act are answered with made-up values and " +
			"listed under simulated. Do this before the first real run.",
		input: object(`"workflow_id":{"type":"string","description":"name or id"},"inputs":{"type":"object","description":"as its inputs_schema says"},
			"version":{"type":"string","description":"the latest if left out"},
			"wait":{"type":"number","minimum":0,"description":"seconds to wait for its end"}`, "workflow_id"),
		output: ran,
		handle: func(s *Server, ctx context.Context, c *call) (answer, error) { return s.runWorkflow(ctx, c, store.Dry) },
	},
	{
		name: "run_workflow", title: "Run a workflow", hints: hints{destructive: true, openWorld: true},
		description: "Runs a workflow for real. If it has tools that act, the first call is refused with needs-confirmation and lists them under " +
			"side_effects: show them to the user, and set confirm to true only after they have agreed. A run that answers awaiting-approval waits for a " +
			"person: tell the user, and look with get_run whether it has gone on.",
		input: object(`"workflow_id":{"type":"string","description":"name or id"},"inputs":{"type":"object","description":"as its inputs_schema says"},
			"confirm":{"type":"boolean","default":false,"description":"the user has agreed to what the workflow will do"},
			"version":{"type":"string","description":"the latest if left out"},
			"wait":{"type":"number","minimum":0,"description":"seconds to wait for its end, then get_run tells; 0 returns at once; for as long as it takes if left out"}`, "workflow_id"),
		output: ran,
		handle: func(s *Server, ctx context.Context, c *call) (answer, error) {
			return s.runWorkflow(ctx, c, store.Live)
		},
	},
	{
		name: "get_run", title: "Read a run", hints: reads,
		description: "Returns a run from the journal: its state, output or error, and its steps without their data.",
		input:       object(`"run_id":{"type":"string"}`, "run_id"),
		output:      again,
		handle:      (*Server).getRun,
	},
	{
		name: "get_step", title: "Read a step of a run", hints: reads,
		description: "Returns what one step of a run sent (payload) and got (result). Long lists and texts are cut; trimmed says where and how much.",
		input:       object(`"run_id":{"type":"string"},"seq":{"type":"integer","minimum":1,"description":"number of the step, from get_run"}`, "run_id", "seq"),
		output: outcome(`"run_id":{"type":"string"},"seq":{"type":"integer"},"connector":{"type":"string"},"tool":{"type":"string"},
			"state":{"type":"string"},"payload":{},"result":{},"result_chars":{"type":"integer"},"trimmed":{"type":"array","items":{"type":"string"}}`),
		handle: (*Server).getStep,
	},
	{
		name: "list_runs", title: "List runs", hints: reads,
		description: "Lists runs, newest first: of a workflow, or of a state such as awaiting_approval, failed or in_doubt.",
		input: object(`"workflow":{"type":"string","description":"name or id"},
			"status":{"type":"array","items":{"enum":["queued","running","awaiting_approval","waiting","interrupted","in_doubt","completed","failed","rejected","expired","cancelled"]}},
			"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},"before":{"type":"string","description":"id of a run: only older ones"}`),
		output: outcome(`"runs":{"type":"array","items":{"type":"object"}}`),
		handle: (*Server).listRuns,
	},
	{
		name: "cancel_run", title: "Cancel a run", hints: hints{destructive: true, idempotent: true},
		description: "Ends a run that is queued, running or waiting. What it has done stays done.",
		input:       object(`"run_id":{"type":"string"},"reason":{"type":"string"}`, "run_id"),
		output:      again,
		handle:      (*Server).cancelRun,
	},
	{
		name: "resume_run", title: "Resume a run", hints: hints{destructive: true, openWorld: true},
		description: "Continues a run that was interrupted: what is in its journal is not done again. It passes all gates anew. One that awaits " +
			"approval puts its question once more, where the client can ask. A run that is in_doubt is for a person to resolve first.",
		input:  object(`"run_id":{"type":"string"},"wait":{"type":"number","minimum":0,"description":"seconds to wait for its end"}`, "run_id"),
		output: again,
		handle: (*Server).resumeRun,
	},
	{
		name: "replay_run", title: "Replay a run", hints: reads,
		description: "Executes a run once more on the answers in its journal, calling no server, and compares everything: the proof that it does what the " +
			"journal says. Shows the first difference, if there is one.",
		input: object(`"run_id":{"type":"string"}`, "run_id"),
		output: outcome(`"run_id":{"type":"string"},"identical":{"type":"boolean"},"complete":{"type":"boolean"},"steps":{"type":"integer"},
			"difference":{},"note":{"type":"string"}`),
		handle: (*Server).replayRun,
	},
	{
		name: "add_connector", title: "Add a connector", hints: hints{destructive: true, idempotent: true, openWorld: true},
		description: "Adds an MCP server that is reached by URL, and lists its tools. The first call is refused with needs-confirmation: tell the user " +
			"which server it is, and set confirm to true only after they have agreed. Secrets are never passed here: write ${NAME} and tell the user to export NAME. " +
			"Servers that are started by a command are added by the user, with runlace add.",
		input: object(`"name":{"type":"string"},"url":{"type":"string"},
			"headers":{"type":"object","additionalProperties":{"type":"string"},"description":"with ${NAME} in place of secrets"},
			"transport":{"enum":["http","sse"],"default":"http"},
			"confirm":{"type":"boolean","default":false,"description":"the user has agreed"}`, "name", "url"),
		output: outcome(`"connector":{},"attr":{"type":"string"},"action":{"type":"string"},"tools":{"type":"integer"},
			"warnings":{"type":"array","items":{"type":"string"}},"next":{"type":"string"}`),
		handle: (*Server).addConnector,
	},
}

var (
	created = outcome(`"workflow_id":{"type":"string"},"name":{"type":"string"},"version":{"type":"string"},"new":{"type":"boolean"},
		"tools_used":{"type":"array","items":{"type":"object"}},"warnings":{"type":"array","items":{"type":"string"}},
		"stage":{"type":"string"},"errors":{"type":"array","items":{"type":"object"}}`)
	ran = outcome(`"run_id":{"type":"string"},"name":{"type":"string"},"version":{"type":"string"},"status":{"type":"string"},
		"finished":{"type":"boolean"},"dry_run":{"type":"boolean"},"output":{},"steps":{"type":"array","items":{"type":"object"}},
		"simulated":{"type":"array","items":{"type":"object"}},"side_effects":{"type":"array","items":{"type":"object"}}`)
	again = outcome(`"run_id":{"type":"string"},"status":{"type":"string"},"finished":{"type":"boolean"},"output":{}`) // the same object, in fewer words
)

// object writes the schema of an object. Required follows the properties.
func object(properties string, required ...string) string {
	text := `{"type":"object","properties":{` + properties + `}`
	if len(required) > 0 {
		names, _ := json.Marshal(required)
		text += `,"required":` + string(names)
	}
	return text + `}`
}

// outcome writes the schema of an answer. There are clients that hold failures to it as well, so that only ok is required.
func outcome(properties string) string {
	return object(`"ok":{"type":"boolean"},"code":{"type":"string"},"error":{},"hint":{"type":"string"},`+properties, "ok")
}

func (s *Server) getSkill(context.Context, *call) (answer, error) {
	// Who reads this is about to write a workflow: the compiler starts meanwhile.
	s.warm.Do(func() { s.calls.Go(func() { _ = s.engine.Warm(s.ctx) }) })
	skill, err := s.engine.Skill()
	return answer{value: struct {
		OK bool `json:"ok"`
		*engine.Skill
	}{true, skill}}, err
}

func (s *Server) getTools(_ context.Context, c *call) (answer, error) {
	var a struct {
		Connector string
		Tools     []string
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	types, err := s.engine.Tools(a.Connector, a.Tools)
	return answer{value: struct {
		OK bool `json:"ok"`
		*engine.ToolsText
	}{true, types}}, err
}

func (s *Server) createWorkflow(ctx context.Context, c *call) (answer, error) {
	var w engine.Workflow
	if err := c.arguments(&w); err != nil {
		return answer{}, err
	}
	return handedIn(s.engine.Create(ctx, w))
}

func (s *Server) editWorkflow(ctx context.Context, c *call) (answer, error) {
	var a struct {
		Name        string
		Old         string `json:"old_string"`
		New         string `json:"new_string"`
		Description *string
		Inputs      json.RawMessage `json:"inputs_schema"`
		Outputs     json.RawMessage `json:"outputs_schema"`
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	return handedIn(s.engine.Edit(ctx, engine.Edit{Name: a.Name, Old: a.Old, New: a.New, Description: a.Description, Inputs: a.Inputs, Outputs: a.Outputs}))
}

// handedIn makes an answer of a workflow that was handed in. One that was refused has the first error's code for itself.
func handedIn(c *engine.Created, err error) (answer, error) {
	if err != nil || c.OK || len(c.Errors) == 0 {
		return answer{value: c}, err
	}
	first := c.Errors[0]
	return answer{failed: true, value: struct {
		*engine.Created
		Code  string `json:"code"`
		Error string `json:"error"`
		Hint  string `json:"hint,omitempty"`
	}{c, first.Code, first.Message, first.Hint}}, nil
}

func (s *Server) listWorkflows(context.Context, *call) (answer, error) {
	list, err := s.engine.Store().Workflows()
	if list == nil {
		list = []store.Workflow{}
	}
	return answer{value: map[string]any{"ok": true, "workflows": list}}, err
}

func (s *Server) getWorkflow(_ context.Context, c *call) (answer, error) {
	var a struct{ Workflow, Version string }
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	shown, err := library.Show(s.engine.Store(), s.engine, a.Workflow, a.Version)
	return answer{value: shown}, err
}

func (s *Server) getStep(_ context.Context, c *call) (answer, error) {
	var a struct {
		Run string `json:"run_id"`
		Seq int
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	step, err := s.engine.GetStep(a.Run, a.Seq)
	if err == nil {
		return answer{value: struct {
			OK bool `json:"ok"`
			*engine.StepDetail
		}{true, step}}, nil
	}
	if e := fault.Of(err); e.Code == "unknown-step" {
		steps, listing := s.engine.Store().Steps(a.Run)
		numbers := []int{}
		for _, st := range steps {
			numbers = append(numbers, st.Seq)
		}
		if listing == nil {
			return answer{failed: true, value: struct {
				failure
				Steps []int `json:"steps"`
			}{failed(e), numbers}}, nil
		}
	}
	return answer{}, err
}
