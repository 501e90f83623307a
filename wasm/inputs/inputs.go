// Package inputs says what the embedded guest is made from: which files of this repository, and which packages. The builder
// records it in the manifest, and a test compares the manifest with the repository, so that a changed source without
// a new guest is noticed.
package inputs

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/runlace/runlace/assets"
)

// Folders and files, from the top of the repository, that decide the bytes of the guest.
var parts = []string{
	"wasm/build.sh", "wasm/sources.txt", "wasm/profile/cpython.profdata.zst",
	"wasm/guest", "wasm/freeze", "wasm/meter", "wasm/module", "wasm/inputs",
}

// Sum returns the SHA-256 of each input, by path, for the repository at top.
func Sum(top string) (map[string]string, error) {
	out := map[string]string{}
	in := os.DirFS(top)
	for _, part := range parts {
		err := fs.WalkDir(in, part, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if base := path.Base(name); d.IsDir() {
				if base == "testdata" || base == "__pycache__" || base == "wasmtest" {
					return fs.SkipDir
				}
				return nil
			} else if strings.HasSuffix(base, "_test.go") {
				return nil
			}
			b, err := fs.ReadFile(in, name)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(b)
			out[name] = hex.EncodeToString(sum[:])
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
	}
	return out, nil
}

// Sources reads wasm/sources.txt: the packages that the guest is built from.
func Sources(top string) ([]assets.Source, error) {
	f, err := os.DirFS(top).Open("wasm/sources.txt")
	if err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	defer f.Close()
	var out []assets.Source
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		w := strings.Fields(line)
		if len(w) != 6 {
			return nil, fmt.Errorf("inputs: wasm/sources.txt: %q has %d fields, not 6", line, len(w))
		}
		out = append(out, assets.Source{Package: w[1], Version: w[2], File: w[3], SHA256: w[4], License: w[5]})
	}
	return out, nil
}

var quoted = regexp.MustCompile(`"([A-Za-z0-9_.]+)"`)

// Allowlist reads the modules that a workflow may import from the guest's own list.
func Allowlist(top string) ([]string, error) {
	const name = "wasm/guest/python/_runlace/allowlist.py"
	b, err := fs.ReadFile(os.DirFS(top), name)
	if err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	_, list, ok := strings.Cut(string(b), "MODULES = (")
	list, _, closed := strings.Cut(list, ")")
	if !ok || !closed {
		return nil, fmt.Errorf("inputs: %s has no MODULES", name)
	}
	var out []string
	for _, m := range quoted.FindAllStringSubmatch(list, -1) {
		out = append(out, m[1])
	}
	return out, nil
}
