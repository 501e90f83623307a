// Package assets holds the files that are embedded in the binary: the guest (CPython compiled to WebAssembly, initialised and
// frozen) and the licence texts of everything that is inside it.
//
// The guest is made by `make guest`; package wasm says how. Its parts are
//
//   - guest.wasm.zst: the metered module, without data; its globals start with the frozen values;
//   - guest.img.zst: the parts of linear memory that are not zero, one after the other;
//   - guest.json: the [Manifest], which says where they go and what all of it was made from.
//
// Package runtime is the only user of the module and the image.
package assets

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed guest.json guest.wasm.zst guest.img.zst
var files embed.FS

// Names of the guest's files.
const (
	ManifestFile = "guest.json"
	ModuleFile   = "guest.wasm.zst"
	ImageFile    = "guest.img.zst"
)

// Manifest describes the guest and what it was made from.
type Manifest struct {
	// Build identifies the guest: the SHA-256, in hex, over the uncompressed module and the layout and bytes of the image.
	// Two guests with the same Build behave the same, fuel included.
	Build string `json:"build"`
	// Python is the interpreter's version.
	Python string `json:"python"`
	// Sources are the packages that it was built from.
	Sources []Source `json:"sources"`
	// Compiler is the first line of the compiler's own version text; Flags are what it was given.
	Compiler string   `json:"compiler"`
	Flags    []string `json:"flags"`
	// Inputs has the SHA-256 of every file in the repository that the guest is made from, by path from the top.
	Inputs map[string]string `json:"inputs"`
	// Files has the size and the SHA-256 of the uncompressed module and image, by file name.
	Files map[string]File `json:"files"`
	// Allowlist are the modules that a workflow may import.
	Allowlist []string `json:"allowlist"`

	// Pages is the size of linear memory in 64 KiB pages, in the image and so at the start of every run.
	Pages uint32 `json:"pages"`
	// Extents say where the image's bytes go, sorted by Off. Everything else is zero.
	Extents []Extent `json:"extents"`
	// Globals are the mutable globals with their frozen values, the fuel counter aside.
	Globals []Global `json:"globals"`
	// StackPointer is the export name of the C stack pointer among Globals; the stack grows down to address zero.
	StackPointer string `json:"stack_pointer"`
	// IOBuf and IOLen are the guest's static buffer for what a run is given.
	IOBuf uint32 `json:"io_buf"`
	IOLen uint32 `json:"io_len"`
	// Mono is the last reading of the builder's monotonic clock in nanoseconds: the guest must never read less.
	Mono int64 `json:"mono"`
	// WASI are the functions that the module imports from wasi_snapshot_preview1.
	WASI []Import `json:"wasi"`
}

// Source is a Debian package, or a file of one.
type Source struct {
	Package string `json:"package"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
	License string `json:"license"`
}

// File is an embedded file before compression.
type File struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Extent is a run of linear memory. Off, Len and At are multiples of 4096.
type Extent struct {
	Off uint32 `json:"off"` // in linear memory
	Len uint32 `json:"len"`
	At  int64  `json:"at"` // in the uncompressed image
}

// Global is a mutable global.
type Global struct {
	Name  string `json:"name"` // its export
	Value uint64 `json:"value"`
}

// Import is an imported function. Params and Results have one byte a value type, as in the binary format.
type Import struct {
	Name    string `json:"name"`
	Params  []byte `json:"params"`
	Results []byte `json:"results"`
}

// Guest returns the manifest of the embedded guest.
var Guest = sync.OnceValues(func() (*Manifest, error) {
	b, err := files.ReadFile(ManifestFile)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("assets: %s: %w", ManifestFile, err)
	}
	return m, nil
})

// Module returns the guest's module, compressed with zstd.
func Module() ([]byte, error) { return files.ReadFile(ModuleFile) }

// Image returns the guest's image, compressed with zstd.
func Image() ([]byte, error) { return files.ReadFile(ImageFile) }
