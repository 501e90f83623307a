// Package recorder writes down what servers say and answer, for checks that have no servers: answers into the cases of a project, tools into its lock.
//
//	w, err := p.Workflow("weekly-report")
//	rec, err := recorder.Live(ctx, e, p, w, recorder.Options{Case: "week-12", Inputs: inputs})  // a dry run on the real servers
//	rec, err := recorder.Past(e, p, "run_0123456789ab", "week-12")                                 // a run of the journal
//	files, err := rec.Case.Write(false)
//
//	r, err := recorder.Tools(ctx, p, linter, configured, ask)                                    // what the workflows use, as it is now
//	err = r.Write()
//
// What reads answered becomes a recorded answer, what acted an expected act, and how it ended is expected as well. Secrets of the home's connectors are
// taken out, as in the journal, and a comment at the top of the case says so.
//
// # Paths
//
// A case is read on other machines. The folders that a connector is started with, as server-filesystem is with those that it serves, are called by the
// connector's name in all that the case says: /files/a.txt, and of a second folder /files-2/a.txt. The workflow itself has seen the real ones, so that one that
// looks at a path, and does not just pass it on, may do something else in a check: the recording says when a folder was replaced, and the check says whether it
// matters. Inputs with paths relative to the folder, where a server takes them, avoid all that.
//
// # Media
//
// A case has the handles of media and not their bytes. A workflow that passes a handle on does the same in a check; for ctx.media it gets the text media.
package recorder
