// Package wasm is how the embedded Python is made. It holds no code of its own but the tests of the guest.
//
//	build.sh        the whole build, step by step: compiler, sources, CPython, reactor, freeze; `make guest` runs it
//	sources.txt     the packages that it starts from, with checksums
//	profile/        the profile that CPython is optimised with, and the load that it was taken from
//	guest/          the C that is linked to CPython: entry points, host functions, JSON, freeze
//	guest/python/   the Python that stands between a workflow and the host functions
//	guest/prepare/  what runs once in the interpreter before it is frozen: load, warm, seal
//	module/         reads and writes WebAssembly binaries
//	meter/          the fuel pass: makes a module count its work
//	freeze/         the builder: meters the reactor, starts it, writes module, image and manifest to assets/
//	inputs/         which files all of this is made from, for the manifest and the test that compares them
//
// A fresh clone needs none of it: the results are in assets/. After a change of any input run `make guest` and commit the
// assets with it; the test in inputs/ fails until then. The result is the same, byte for byte, on every machine with the same
// compiler.
package wasm
