package project

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/schema/ordered"
)

const newProject = `# What all workflows of this folder share. runlace check checks them, without servers.
version: 1

# The connectors that the workflows use. They are set up in Runlace's home (runlace add), and their tools are in runlace.lock (runlace lock).
#
#   connectors:
#     files: {note: "the team's folder"}

# Folders with one folder for each workflow.
workflows: [workflows]

# Limits of every run, as in config.json, and which tools act, as in policy.yaml.
#
#   limits: {fuel: 10000000000, call_timeout: 2m}
#   policy: {risk: {files: {list_directory: read_only}}}
`

const newCode = `"""Greets somebody. Replace it: this workflow compiles as it is, and passes the case in cases/example.yaml.

A workflow has a function run(ctx). The type checker knows its inputs and its output from workflow.yaml, and the tools from runlace.lock.
"""

from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    # An input that workflow.yaml does not declare is refused before anything runs.
    name = ctx.inputs["name"]

    # A tool is a method of its connector, with keyword arguments, and returns what the tool answers:
    #
    #     text = ctx.files.read_text_file(path="names.txt")["content"]
    #
    # runlace tools lists what there is; runlace lock writes down what is used. A call that fails raises ToolError.
    print("greeting", name)
    return {"greeting": f"Hello, {name}!"}
`

const newSettings = `description: Greets somebody
inputs:
  type: object
  properties:
    name: {type: string, description: whom to greet}
  required: [name]
  additionalProperties: false
outputs:
  type: object
  properties:
    greeting: {type: string}
  required: [greeting]
`

const newCase = `# What is expected of the workflow. runlace record makes a case of a rehearsal on real servers, or of a run.
inputs: {name: Ada}
output: {greeting: "Hello, Ada!"}
`

// Made says which files were written.
type Made struct {
	Dir   string   // of the workflow
	Files []string // that are new or have changed
}

// New makes a workflow in the project that a folder is in, or makes the folder a project first. The workflow compiles, and has a case that passes.
func New(dir, name string) (*Made, error) {
	m, err := place(dir, name)
	if err != nil {
		return nil, err
	}
	for _, file := range []string{CodeFile, SettingsFile, filepath.Join(CasesDir, "example.yaml")} {
		if _, err := os.Lstat(filepath.Join(m.Dir, file)); err == nil {
			return nil, fault.New("file-exists", "there is a workflow %s already, in %s", name, m.Dir).WithHint("choose another name, or remove the folder")
		}
	}
	return m, m.write(map[string]string{CodeFile: newCode, SettingsFile: newSettings, filepath.Join(CasesDir, "example.yaml"): newCase})
}

// place finds the folder of a workflow that is to be written, and makes the project if there is none.
func place(dir, name string) (*Made, error) {
	if err := home.CheckName(name); err != nil {
		return nil, err
	}
	top, err := Find(dir)
	m := &Made{}
	folder := Folder
	switch {
	case err == nil:
		p, err := Load(top)
		if err != nil {
			return nil, err
		}
		if w := p.find(name); w != nil {
			m.Dir = w.Dir
			return m, nil
		}
		if len(p.Folders) > 0 {
			folder = p.Folders[0]
		}
	case errors.Is(err, fault.New("no-project", "")):
		if top, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		if err := m.start(top); err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	m.Dir = filepath.Join(top, filepath.FromSlash(folder), name)
	return m, nil
}

// start makes a folder a project. A lock that is there already is somebody's.
func (m *Made) start(top string) error {
	for _, f := range []struct {
		name string
		text []byte
	}{{File, []byte(newProject)}, {LockFile, (&Lock{}).JSON()}} {
		file := filepath.Join(top, f.name)
		if _, err := os.Lstat(file); err == nil {
			continue
		}
		if _, err := Replace(file, f.text); err != nil {
			return err
		}
		m.Files = append(m.Files, file)
	}
	return nil
}

func (m *Made) write(files map[string]string) error {
	for _, name := range []string{CodeFile, SettingsFile, filepath.Join(CasesDir, "example.yaml")} {
		text, ok := files[name]
		if !ok {
			continue
		}
		file := filepath.Join(m.Dir, name)
		changed, err := Replace(file, []byte(text))
		if err != nil {
			return err
		}
		if changed {
			m.Files = append(m.Files, file)
		}
	}
	return nil
}

// Source is a workflow as a store has it.
type Source struct {
	Name, Description, Code string
	Inputs, Outputs         json.RawMessage
}

// Export writes a workflow into the project that a folder is in, or makes the folder a project first. What is there already and says otherwise is
// overwritten only with force; limits, comments and cases stay.
func Export(dir string, s Source, force bool) (*Made, error) {
	m, err := place(dir, s.Name)
	if err != nil {
		return nil, err
	}
	files := map[string]string{CodeFile: s.Code}
	before := &Workflow{}
	if _, err := os.Lstat(filepath.Join(m.Dir, CodeFile)); err == nil {
		p, w, err := LoadWorkflow(m.Dir)
		if err != nil {
			return nil, err
		}
		for _, f := range p.Findings {
			if f.Workflow == s.Name && f.Case == "" {
				return nil, AsError(f)
			}
		}
		before = w
		if before.Code != s.Code && !force {
			return nil, fault.New("file-exists", "%s is there already, and has other code", before.Path())
		}
	}
	text, err := readFile(filepath.Join(m.Dir, SettingsFile))
	if err != nil && before.Dir == "" {
		text = nil
	}
	was := string(text)
	for _, e := range []struct {
		key      string
		now, was json.RawMessage
	}{
		{"description", orNil(s.Description), orNil(before.Description)},
		{"inputs", declared(s.Inputs), declared(before.Inputs)},
		{"outputs", orNone(s.Outputs), orNone(before.Outputs)},
	} {
		if (e.now == nil) != (e.was == nil) || e.now != nil && !parsed(e.now).Equal(parsed(e.was)) {
			text = SetKey(text, Entry{e.key, e.now})
		}
	}
	if was != "" && string(text) != was && !force {
		return nil, fault.New("file-exists", "%s is there already, and says otherwise", filepath.Join(m.Dir, SettingsFile))
	}
	if len(text) > 0 {
		files[SettingsFile] = string(text)
	}
	return m, m.write(files)
}

func orNil(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return ordered.NewString(s).JSON()
}

// declared are inputs that say something: a workflow that declares none takes any object.
func declared(schema json.RawMessage) json.RawMessage {
	if schema = orNone(schema); schema != nil && string(parsed(schema).Canonical()) == `{"type":"object"}` {
		return nil
	}
	return schema
}

func orNone(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 || string(schema) == "null" {
		return nil
	}
	return schema
}
