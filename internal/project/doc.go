// Package project reads and writes workflows in a repository: one folder for each, with its code, its schemas and the cases that it is checked with, and
// the tools that all of them use in one lock. It is made for review, so every file is text in which a small change is a small difference.
//
//	p, err := project.Load(".")             // the project that a folder is in
//	for _, f := range p.Findings {          // what is wrong with its files, each with its place
//		fmt.Println(f.File, f.Line, f.Message)
//	}
//	w := p.Workflow("weekly-report")
//	c := w.Cases[0]                         // what it is given, and what is expected of it
//
// # Files
//
//	runlace.yaml                  connectors that are expected, folders of workflows, limits, policy
//	runlace.lock                  the tools that workflows use, as their servers describe them: see [Lock]
//	workflows/NAME/workflow.py    the code
//	workflows/NAME/workflow.yaml  description, inputs and outputs (JSON Schema, written in YAML), limits
//	workflows/NAME/cases/CASE.yaml  see [Case]; large answers stand beside it, in CASE/1.json
//
// YAML is read as JSON written otherwise: every number keeps its digits, and anchors, aliases, merges and tags are findings. So is a key that is not
// known.
//
// # Writing
//
//	made, err := project.New(dir, "weekly-report")        // a workflow to change, and the project if there is none
//	made, err := project.Export(dir, source, false)       // a stored one
//	files, err := c.Write(false)                          // a case, and files with its large results
//	changed, err := project.Replace(file, lock.JSON())    // the lock
//	text = project.SetKey(text, project.Entry{Key: "output", Value: now}, "error")
//
// What is written is the same for the same content. A file that exists is changed key by key, so that comments and all else in it stay, or it is left as
// it is: see [SetKey].
package project
