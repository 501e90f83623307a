// Package module reads, edits and writes WebAssembly binaries: as much of the format as the build of the guest needs.
//
// [Parse] turns a binary into a [Module], a plain structure whose fields may be read and changed, and [Module.Encode]
// turns it back. Function bodies stay bytes; [Module.Code] reads their instructions one by one.
//
//	m, err := module.Parse(wasm)
//	…
//	m.DropCustom()
//	out := m.Encode()
//
// # What is accepted
//
// WebAssembly 2.0 without vector instructions, with tail calls. Anything else (vectors, threads, exceptions, garbage
// collection, 64-bit or multiple memories, computed constant expressions) is refused with a [*DecodeError] that says
// where and what: code that guessed at an unknown instruction could corrupt what follows it. Every index that
// a module holds is checked to exist, because an edit that adds a function or a global would otherwise give a meaning
// to an index that had none. Types are not checked; that is left to the engine, which has to do it anyway.
//
// Reading takes time and memory in proportion to the input, whatever the input.
//
// # Freezing
//
// A module and the state of one of its instances can be turned into a module that starts in that state:
//
//  1. [Module.CheckFreezable] makes sure that memory and mutable globals are the whole state.
//  2. [Module.ExportMutableGlobals] makes the globals visible to the host. Instantiate the result and run it.
//  3. [Module.SetGlobals] and [Module.SetMemory] write the state back; [Module.DropData] and [Module.DropStart] remove
//     what would overwrite it. The contents of memory are not part of the module: the host maps them.
//
// [Module.StubCode] then makes a skeleton: the same interface without code, cheap to decode, for use with compiled code
// that an engine has cached.
package module
