// Package store keeps what Runlace must not forget: the catalogue of connectors and tools, workflows and their versions, runs, and
// the journal of every step. It is one SQLite database in WAL mode; any number of goroutines and processes may use it at once.
//
//	s, err := store.Open(home.Database(), store.Options{Redactor: secrets})
//	defer s.Close()
//
//	saved, err := s.SaveVersion(store.NewVersion{Name: "report", Code: code, Inputs: schema, Pins: pins, Program: program})
//
//	j, err := s.StartRun(store.NewRun{Version: saved.VersionID, Mode: store.Live, Inputs: inputs, Seed: 1, Guest: build})
//	err = j.Intent(store.NewStep{Seq: 1, Connector: "files", Tool: "write_file", Risk: store.SideEffect, Arguments: args}, true)
//	...                                                           // only now on the wire
//	err = j.Outcome(1, store.Outcome{State: store.StepOK, Result: result, Elapsed: took})
//	err = j.Finish(store.Finish{Status: store.Completed, Output: output, Fuel: fuel, Calls: 1})
//
// # The journal
//
// A step is written before it is sent and completed after. An intent that is durable is on the disk when Intent returns, which is
// what an act needs: after a power failure, too, the journal knows that it may have happened. One that is not is safe against the
// death of the process, which is enough for a read. So a process that dies leaves its run running and at most one step in the state
// intent, and [Store.Settle] tells them apart: a read that is in flight is repeated, an act is in doubt until [Store.Resolve].
//
// What may follow what is in one place, states.go: [RunStatus.CanBecome], [StepState.CanBecome]. Every other change is refused with
// a [*TransitionError]. A [Journal] belongs to the process that started or adopted the run; once another process has settled that run,
// it is refused with [ErrLost], but an outcome that comes late is still taken, since it is the truth about a doubt.
//
// # What is stored
//
// JSON is stored as it comes, byte for byte, after the Redactor has taken the secrets out; a row says when that changed it. Times are
// UTC, RFC 3339, in milliseconds, from the one clock in Options. Nothing takes a context: everything is local, and waiting for another
// process is bounded by Options.Busy.
//
// A version is addressed by its content: code, both schemas and pins, see [Digest]. The same content is the same version, and saving it
// again only makes it the latest. The text of a version also lies in a file for people, <Files>/<name>/<version>.py; the database does
// not depend on it.
package store
