// Package proof shows at scale what Runlace promises of a run: that it can be repeated exactly, and that whatever becomes of the process that runs it,
// nothing is lost and nothing is done twice. It has tests only. In the ordinary test each takes a sample; with RUNLACE_PROOF=full it does all, and what it
// has counted is printed:
//
//	make proof
//	RUNLACE_PROOF=full go test ./internal/proof -count 1 -timeout 2h -v -run TestKilled
//
// # The proofs
//
//	TestReplays        100 generated workflows, 1 000 replays of each, also in another process and on arm64 (replay_test.go, generate_test.go)
//	TestKilled         1 000 kill -9 at random moments of runs that act on a server that counts (kill_test.go)
//	TestParked         a run waits for a person over the death of its process, and a day (park_test.go)
//	TestQueueDrains    10 000 runs in the queue, two daemons on one home, one of them killed (queue_test.go)
//
// The processes that are killed are this test binary once more, which then is a small runlace (child_test.go), or the real one.
package proof
