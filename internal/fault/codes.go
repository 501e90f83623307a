package fault

// Kind says whose move it is after an error.
type Kind string

// The kinds.
const (
	Limit    Kind = "limit"    // the run hit one of its limits
	Workflow Kind = "workflow" // the workflow has to change
	Compile  Kind = "compile"  // the same, found before anything is stored: what a workflow is refused with
	Tool     Kind = "tool"     // a call of a connector or the model failed; a workflow sees it as ToolError and may catch it
	Stopped  Kind = "stopped"  // ended from outside
	Usage    Kind = "usage"    // the command has to be called differently, or the machine set up differently
	Bug      Kind = "bug"      // Runlace has to change
)

// Exit codes of the process.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInterrupted = 130
)

// Entry explains a code.
type Entry struct {
	Code    string `json:"code"`
	Kind    Kind   `json:"kind"`
	Exit    int    `json:"exit"`
	Meaning string `json:"meaning"`
	Hint    string `json:"hint"` // what to do
}

// table has every code that a user can meet.
var table = []Entry{
	{"cpu-limit", Limit, ExitFailed,
		"The run used up its fuel, which counts the instructions that it executes. It stops at the same line each time, on any machine.",
		"look for a loop that does not end at the line given, let the tool do the filtering, or give more with --fuel"},
	{"memory-limit", Limit, ExitFailed,
		"The run needed more memory than it may have. The interpreter itself takes a part of it.",
		"keep less at once: handle pages one by one and keep only the fields that are needed, or give more with --memory"},
	{"output-limit", Limit, ExitFailed,
		"What run returned, or the text of the error that it ended with, is larger than the limit as JSON.",
		"return a summary, or only the fields that the caller needs"},
	{"log-limit", Limit, ExitFailed,
		"The run printed more than the limit. What fitted is in the log.",
		"print less: one line for each step, not one for each item"},
	{"call-limit", Limit, ExitFailed,
		"The run made more calls of tools and of the model than the limit.",
		"look for a loop of calls that does not end, or use a tool that takes many items in one call"},
	{"recursion-limit", Limit, ExitFailed,
		"Functions called each other too deeply, or a value is nested too deeply to be handled.",
		"look for a function that calls itself without an end, or use a loop"},
	{"input-limit", Limit, ExitFailed,
		"The inputs as JSON, or the workflow's source, are larger than the limit.",
		"pass less: a file's name or a query, with which the workflow fetches the data itself"},
	{"timeout", Limit, ExitFailed,
		"The run took longer on the wall clock than its time limit. That limit is for waiting: where a run computes, fuel ends it first.",
		"a tool or the machine is slow: try again, or give more with --timeout"},

	{"exception", Workflow, ExitFailed,
		"The workflow raised a Python exception and did not catch it.",
		"the traceback names the line: correct it, or catch the exception there"},
	{"syntax-error", Workflow, ExitFailed,
		"The source is not Python 3.13 in UTF-8.",
		"correct the line given"},
	{"missing-run", Workflow, ExitFailed,
		"A workflow is a file that defines a function run, which takes ctx. This one does not.",
		"define it: def run(ctx): ... return a value that JSON has"},
	{"output-invalid", Workflow, ExitFailed,
		"The value that run returned has a part that JSON does not have, such as a set, a date or NaN.",
		"convert the part named in the message before returning it"},
	{"import-refused", Workflow, ExitFailed,
		"The workflow imports a module that is not on the allowlist. Files, network and processes do not exist in the sandbox.",
		"use what the allowlist has; to reach the world, call a tool of a connector"},
	{"exit", Workflow, ExitFailed,
		"The workflow called exit, or raised SystemExit.",
		"return a value from run instead"},

	{"tool-error", Tool, ExitFailed,
		"A call failed with ToolError and the workflow did not catch it. The error's data has the tool's own code and data.",
		"correct the call, or catch it: from runlace_types import ToolError"},
	{"no-connector", Tool, ExitFailed,
		"The workflow called a tool or the model in a run that has no connectors.",
		"runlace exec gives none: keep to computing, or catch ToolError"},
	{"arguments-too-large", Tool, ExitFailed,
		"The arguments of a call are larger than the limit as JSON. The call was not made.",
		"send less at a time"},
	{"result-too-large", Tool, ExitFailed,
		"The answer to a call is larger than the limit as JSON. The call was made.",
		"ask for less: a page, a filter, fewer fields"},
	{"result-invalid", Tool, ExitFailed,
		"The answer to a call is not JSON, so that it cannot be handed to the workflow.",
		"this is a fault of the connector: tell those who keep it"},

	{"cancelled", Stopped, ExitInterrupted,
		"The run was ended from outside, as by Ctrl-C, before it was done.",
		"run it again"},

	{"bad-usage", Usage, ExitUsage,
		"The command line is not one that the command takes: an unknown command or flag, a missing argument, a value out of range.",
		"see runlace --help, or --help after the command"},
	{"bad-input", Usage, ExitUsage,
		"The inputs are not one JSON object (RFC 8259, UTF-8, no key twice), so that no run was started.",
		"correct the place named in the message"},
	{"no-such-file", Usage, ExitUsage,
		"A file that the command was given does not exist.",
		"check the path; - means standard input"},
	{"unreadable-file", Usage, ExitUsage,
		"A file that the command was given is a folder, or may not be read.",
		"check what the path leads to, and its permissions"},
	{"unwritable-output", Usage, ExitUsage,
		"Standard output could not be written: the disk is full, or its reader has gone.",
		"free space, or read all of the output"},
	{"unknown-code", Usage, ExitUsage,
		"There is no error code of that name.",
		"runlace explain lists them all"},
	{"engine-unavailable", Usage, ExitUsage,
		"The sandbox could not be set up on this machine: its CPU is not supported, or memory or permissions are missing.",
		"Runlace needs linux, macOS or Windows on amd64 or arm64, some 200 MiB of memory, and leave to map memory that is executable"},

	{"check-failed", Bug, ExitFailed,
		"A check of runlace doctor did not come out as it has to on every machine.",
		"do not run workflows that you do not trust here; report the output of runlace doctor --json"},
	{"guest-crashed", Bug, ExitFailed,
		"The Python interpreter inside the sandbox crashed. The host is not affected, and the run has had no effect beyond the calls that it made.",
		"this is a bug of Runlace or of CPython: report it with the workflow if you can"},
	{"internal", Bug, ExitFailed,
		"Something happened that Runlace does not foresee.",
		"this is a bug: report it with the command and this message"},
}
