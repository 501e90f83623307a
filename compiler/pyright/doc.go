// Package pyright typechecks workflows with pyright, through its language server: one process that stays, since starting one
// for each check takes a second and checking takes some milliseconds.
//
//	checker := pyright.New(pyright.In(home.Pyright()), pyright.Options{})
//	defer checker.Close()
//	diagnostics, err := checker.Check(ctx, pyright.Project{Code: code, Workflow: own, Types: types, Modules: modules})
//
// # The project
//
// The server has a folder of its own, with nothing of the user's in it:
//
//	pyrightconfig.json              strict, Python 3.13, no interpreter, no comments that switch rules off
//	workflow.py                     the workflow; its text exists only in the server's memory
//	runlace_types/_workflow.pyi     its Inputs and Output; likewise
//	runlace_types/__init__.pyi      Ctx, with the connectors that it uses; likewise
//	runlace_modules/s000.pyi ...    the stubs of connectors; each text is written once, and never changed
//
// pyright remembers what a folder contains, and what it made of a file. That is why the modules are there as empty files from
// the start, and why a new text takes the next empty one: nothing that it remembers is ever wrong, and the stubs of a connector
// are read once.
//
// # Many at once
//
// pyright is one thread, so checks take turns. Answers are kept by content: the same workflow against the same types is not
// checked twice.
package pyright
