package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/runlace/runlace/assets"
)

// incorporated are the parts of CPython that have a licence of their own, those that are in the guest. Each has a section in
// CPython's Doc/license.rst, or the comment at the top of a source file.
var incorporated = []struct {
	name, license string
	section       string // its title
	file          string // or the file
}{
	{name: "Mersenne Twister", license: "BSD-3-Clause", section: "Mersenne Twister"},
	{name: "SipHash24", license: "MIT", section: "SipHash24"},
	{name: "strtod and dtoa", license: "dtoa", section: "strtod and dtoa"},
	{name: "cfuhash", license: "BSD-3-Clause", section: "cfuhash"},
	{name: "libmpdec", license: "BSD-2-Clause", section: "libmpdec"},
	{name: "mimalloc", license: "MIT", section: "mimalloc"},
	{name: "Global Unbounded Sequences", license: "BSD-2-Clause", section: "Global Unbounded Sequences (GUS)"},
	{name: "uuencode", license: "HPND", section: "UUencode and UUdecode functions"},
	{name: "Unicode Character Database", license: "Unicode-3.0", section: "Unicode Character Database"},
	{name: "HACL*", license: "MIT", file: "Modules/_hacl/Hacl_Hash_SHA2.c"},
	{name: "BLAKE2", license: "CC0-1.0", file: "Modules/_blake2/impl/blake2b.c"},
	{name: "getopt", license: "HPND", file: "Python/getopt.c"},
}

const debianCommon = "/usr/share/common-licenses"

// guestComponents reads the guest's licences from where it was built.
func guestComponents(w *writer, guest, zones string) error {
	m, err := assets.Guest()
	if err != nil {
		return err
	}
	version := map[string]string{}
	for _, s := range m.Sources {
		version[s.Package] = s.Version
	}
	python := filepath.Join(guest, "src", "Python-"+m.Python)
	b, err := os.ReadFile(filepath.Join(python, "LICENSE"))
	if err != nil {
		return err
	}
	w.add(assets.Component{Name: "CPython", Version: m.Python, License: "PSF-2.0", Part: assets.PartGuest, Packages: []string{"python3.13"}},
		text{"LICENSE", b})
	manual, err := os.ReadFile(filepath.Join(python, "Doc", "license.rst"))
	if err != nil {
		return err
	}
	for _, p := range incorporated {
		var body []byte
		if p.section != "" {
			body, err = section(manual, p.section)
		} else {
			body, err = heading(filepath.Join(python, p.file))
		}
		if err != nil {
			return err
		}
		w.add(assets.Component{Name: p.name, Version: "in CPython " + m.Python, License: p.license, Part: assets.PartGuest}, text{"LICENSE", body})
	}

	apache, err := os.ReadFile(filepath.Join(debianCommon, "Apache-2.0"))
	if err != nil {
		return err
	}
	cc0, err := os.ReadFile(filepath.Join(debianCommon, "CC0-1.0"))
	if err != nil {
		return err
	}
	if b, err = os.ReadFile(filepath.Join(guest, "sysroot/usr/share/doc/wasi-libc/copyright")); err != nil {
		return err
	}
	w.add(assets.Component{
		Name: "wasi-libc", Version: version["wasi-libc"], Part: assets.PartGuest, Packages: []string{"wasi-libc"},
		License: "Apache-2.0 WITH LLVM-exception AND Apache-2.0 AND MIT AND BSD-2-Clause AND BSD-3-Clause AND ISC AND CC0-1.0",
	}, text{"copyright", withoutPackaging(b)}, text{"Apache-2.0", apache}, text{"CC0-1.0", cc0})

	rt, err := filepath.Glob("/usr/share/doc/libclang-rt-*-dev-wasm32/copyright")
	if err != nil {
		return err
	}
	if b, err = readFirst(rt...); err != nil {
		return err
	}
	w.add(assets.Component{Name: "compiler-rt", License: "Apache-2.0 WITH LLVM-exception", Part: assets.PartGuest},
		text{"copyright", withoutPackaging(b)}, text{"Apache-2.0", apache})

	if b, err = os.ReadFile(filepath.Join(zones, "usr/share/doc/tzdata/copyright")); err != nil {
		return err
	}
	w.add(assets.Component{
		Name: "tzdata", Version: version["tzdata"], License: "LicenseRef-public-domain", Part: assets.PartGuest,
		Packages: []string{"tzdata", "tzdata-legacy"},
	}, text{"copyright", withoutPackaging(b)})
	return nil
}

// section cuts the section of that title out of a text in reStructuredText.
func section(manual []byte, title string) ([]byte, error) {
	lines := strings.SplitAfter(string(manual), "\n")
	isTitle := func(i int) bool {
		rule := strings.TrimSpace(lines[min(i+1, len(lines)-1)])
		return i+1 < len(lines) && len(rule) >= 3 && (strings.Trim(rule, "-") == "" || strings.Trim(rule, "=") == "") && strings.TrimSpace(lines[i]) != ""
	}
	for i := range lines {
		if strings.TrimSpace(lines[i]) != title || !isTitle(i) {
			continue
		}
		end := i + 1
		for end < len(lines) && (end < i+2 || !isTitle(end)) {
			end++
		}
		for strings.TrimSpace(lines[end-1]) == "" || strings.HasPrefix(lines[end-1], ".. _") {
			end--
		}
		return []byte(strings.Join(lines[i:end], "")), nil
	}
	return nil, fmt.Errorf("license.rst has no section %s", title)
}

// heading returns the comment at the top of a C file.
func heading(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	start, end := bytes.Index(b, []byte("/*")), bytes.Index(b, []byte("*/"))
	if start < 0 || end < start {
		return nil, fmt.Errorf("%s does not begin with a comment", path)
	}
	return append(b[start:end+2:end+2], '\n'), nil
}

// withoutPackaging leaves out of a Debian copyright file what is about Debian's own files, none of which is embedded: its first
// field, which names the format, and the paragraph about debian/*.
func withoutPackaging(b []byte) []byte {
	var kept []string
	for _, paragraph := range strings.Split(string(b), "\n\n") {
		if strings.HasPrefix(paragraph, "Files: debian/") {
			continue
		}
		var lines []string
		for _, line := range strings.Split(paragraph, "\n") {
			if !strings.HasPrefix(line, "Format: ") {
				lines = append(lines, line)
			}
		}
		kept = append(kept, strings.Join(lines, "\n"))
	}
	return []byte(strings.Join(kept, "\n\n"))
}
