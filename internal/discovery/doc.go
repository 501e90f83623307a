// Package discovery asks the configured servers for their tools, and writes down what they say: in the store, and as stubs.
//
//	report, err := discovery.Run(ctx, discovery.Options{Home: h, Env: env, Config: f, Policy: policy.Load(h.Policy()), Store: s,
//		Secrets: secrets.Add, Progress: func(p discovery.Progress) { ... }})
//
// All servers are asked at once, each within its own time limit; what one of them does wrong costs the others nothing. A server
// that does not answer keeps the tools that it had, which are stale from then on. The report says of every server what came of it, of
// every tool what changed, and of every workflow that uses a changed tool why it will not run.
//
// Any number of processes may ask at the same time: what a server said to the question that was asked last is what stays, and each report
// has the changes that it made itself.
//
// [List] is what is known without asking anybody. [StoredDrift] and [LiveDrift] compare and change nothing. A [Refresher] asks single
// servers again while a program runs. [Learn] types the results of tools whose servers do not say what they return, by what they have returned.
package discovery
