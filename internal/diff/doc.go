// Package diff compares two versions of a workflow as those who call it see them: what it takes, what it returns, what it does to the world
// and how much it may use come first, the code second.
//
//	r := diff.Compare(before, now)
//	fmt.Print(r.Text())               // or r.Markdown(), for a comment on a pull request
//	if r.Verdict != diff.Compatible { … }
//
// It is a pure comparison: where the two sides come from is the caller's affair.
//
// # Verdicts
//
// [Compatible] is a proof: all inputs that were accepted are accepted now, all outputs that are allowed now were allowed before, and a run
// that needed no consent needs none now. [Breaks] is a proof of the contrary, mostly by an example that both schemas were asked about. What lies
// between is [Unknown]: a schema says something that this package does not reason about, such as two patterns that differ.
//
// Both proofs are about the validator of package schema, defaults of inputs included, and about what is declared: nothing is said of what the
// code makes of its inputs.
package diff
