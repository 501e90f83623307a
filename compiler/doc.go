// Package compiler turns the text of a workflow into something that can be stored and run, or says why not.
//
//	c := compiler.New(engine, checker)
//	compiled, problems, err := c.Compile(ctx, compiler.Source{Name: "report", Code: code, Inputs: inputs, Outputs: outputs}, catalog)
//
// # Stages
//
//	validate    the name and the two schemas can be used
//	lint        what a workflow must not do, over CPython's own syntax tree (package lint)
//	typecheck   pyright in strict mode, against the connectors that the workflow uses and its own schemas (package pyright)
//	extract     which tools the workflow calls, each found in the catalog
//	pin         what those tools are now: risk and digest
//
// Compile stops at the first stage that fails, and returns all of its problems, by line. Each has a message that says what is
// wrong and a hint that says what to write instead; both are for a model, and know this user's connectors. An error is for what
// no change of the workflow would repair: the checker is not installed, the engine is closed.
//
// # Identity
//
// A version is content-addressed over the code, both schemas and the pins: after a tool has changed, the same text compiles to
// another version.
package compiler
