// Package runtime runs Python in a sandbox: CPython compiled to WebAssembly, inside this process, without any system call
// of its own.
//
//	engine, err := runtime.Open(ctx, runtime.Config{})      // once; compiles Python on the first start on a machine
//	defer engine.Close()
//	program, err := engine.Compile(ctx, source, runtime.Limits{})
//	result, err := engine.Run(ctx, program, runtime.Job{Inputs: inputs, Seed: 1, At: time.Now(), Host: host})
//
// An error of Run means that something outside of the workflow went wrong. How the workflow itself failed is in
// Result.Err, with the line that it was on.
//
// # A run is a pure function
//
// What a run prints, calls, returns and costs depends on the [Program], the [Job] and the Host's answers, and on nothing
// else: not on the machine, the time, other runs, or what ran before. Its clock stands at Job.At and moves only when a
// call returns (by Answer.Elapsed) or the workflow sleeps, which takes no time. Its randomness is a stream of Job.Seed.
// Only the two limits that are times depend on the world, and a run that they end is ended from outside.
//
// # Limits
//
// Every run is bounded by [Limits]. The workflow cannot catch that a limit ends it. The codes:
//
//	cpu-limit memory-limit recursion-limit call-limit log-limit input-limit output-limit   always at the same instruction
//	timeout cancelled                                                                      on the wall clock
//	guest-crashed                                                                          a bug, ours or CPython's
//
// and those that the guest reports about the workflow itself: exception, syntax-error, source-too-complex, missing-run, output-invalid,
// import-refused, tool-error, exit.
//
// # Engine, instance, memory
//
// An [Engine] holds the compiled code and the image: the memory of an interpreter that has started and imported all that
// a workflow may import. An [Instance] is a module instance of the WebAssembly engine whose memory is the image, mapped
// copy-on-write where the system can and copied elsewhere. After a run its memory and globals are put back, byte for
// byte, and it serves another; one that trapped, was stopped or grew is thrown away.
//
// # Cache
//
// Compiling takes some seconds, so its result is kept in Config.CacheDir beside the uncompressed image, for this guest,
// this version of the WebAssembly engine and this kind of CPU. Everything there is checked before it is used and made
// anew when it is wrong. The directory must belong to the user: what is in it is run as code. [Engine.CacheState] tells
// what came of it.
package runtime
