// Package engine knows all the parts: it compiles workflows against the user's own tools, stores them, and runs them through the gates
// and the dispatcher, with every step in the journal.
//
//	e, err := engine.Open(ctx, engine.Options{Home: h, Env: env})
//	defer e.Close()
//	created, err := e.Create(ctx, engine.Workflow{Name: "report", Code: code, Inputs: schema})
//	run, err := e.Run(ctx, engine.Request{Workflow: "report", Mode: store.Dry})
//
// # The gates
//
// An attempt to run passes, in this order: the workflow and the version exist; the inputs are valid; no tool has drifted; there is
// consent for acts; the connectors open; the run; its output is valid. The first that objects ends the attempt, and every attempt
// that reached a stored version is journaled, refusals too. See gates.go.
//
// # The dispatcher
//
// Every call of a workflow goes through one function (dispatch.go), in this order: arguments are translated and validated by the pinned
// schema; the mode decides whether a call is sent; the gate is asked again for an act; the intent is journaled; the call is sent; its
// outcome is journaled; the result is unwrapped, translated and given to the workflow. A dry run cannot act because this function does
// not send, whoever asks.
package engine
