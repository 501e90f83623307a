// Command licenses brings the texts and the index in this folder up to date:
//
//	go run ./assets/licenses [-guest DIR]
//
// Go modules are found by asking Go what the binary links on each platform, so that a new dependency needs no change here. What
// is in the guest is listed in guest.go; it is read from the folder where wasm/build.sh worked. If that folder is not there,
// the guest's part stays as it is.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/runlace/runlace/assets"
)

const folder = "assets/licenses"

// platforms are those that the binary is built for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("licenses: ")
	guest := flag.String("guest", envOr("RUNLACE_GUEST_DIR", ".guest"), "the `folder` where wasm/build.sh worked")
	zones := flag.String("zones", "", "the `folder` with the unpacked tzdata (default: zones in the guest's)")
	flag.Parse()
	if *zones == "" {
		*zones = filepath.Join(*guest, "zones")
	}
	if err := refresh(*guest, *zones); err != nil {
		log.Fatal(err)
	}
}

func envOr(name, value string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return value
}

func refresh(guest, zones string) error {
	out := &writer{texts: map[string][]byte{}}
	if _, err := os.Stat(filepath.Join(guest, "src")); err == nil {
		if err := guestComponents(out, guest, zones); err != nil {
			return err
		}
	} else if err := out.keep(assets.PartGuest); err != nil {
		return err
	}
	if err := hostComponents(out); err != nil {
		return err
	}
	return out.write()
}

// writer collects the new contents of the folder.
type writer struct {
	components []assets.Component
	texts      map[string][]byte
}

// add adds a component. Its files' names begin with the component's.
func (w *writer) add(c assets.Component, texts ...text) {
	for _, t := range texts {
		file := slug(c.Name) + "." + slug(t.name) + ".txt"
		if _, twice := w.texts[file]; twice {
			log.Fatalf("two texts would be called %s", file)
		}
		w.texts[file] = t.body
		c.Files = append(c.Files, file)
	}
	w.components = append(w.components, c)
	log.Printf("%s %s: %s, %d texts", c.Name, c.Version, c.License, len(texts))
}

// keep takes over what is there now.
func (w *writer) keep(part string) error {
	all, err := assets.Licenses()
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Part != part {
			continue
		}
		for _, f := range c.Files {
			t, err := assets.LicenseText(f)
			if err != nil {
				return err
			}
			w.texts[f] = []byte(t)
		}
		w.components = append(w.components, c)
	}
	log.Printf("the %s's part stays as it is", part)
	return nil
}

func (w *writer) write() error {
	old, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return err
	}
	for _, f := range old {
		if _, ok := w.texts[filepath.Base(f)]; !ok {
			if err := os.Remove(f); err != nil {
				return err
			}
		}
	}
	for name, body := range w.texts {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o644); err != nil {
			return err
		}
	}
	var index bytes.Buffer
	e := json.NewEncoder(&index)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(w.components); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "index.json"), index.Bytes(), 0o644)
}

// text is a licence text: a whole file, or the part of one that is the licence.
type text struct {
	name string
	body []byte
}

func slug(s string) string {
	s = strings.NewReplacer("/", "_", " ", "_", "*", "").Replace(s)
	return strings.TrimSuffix(s, ".txt")
}

// hostComponents finds the Go modules, and Go itself.
func hostComponents(w *writer) error {
	root, err := goOutput(nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "LICENSE"))
	if err != nil {
		return err
	}
	w.add(assets.Component{Name: "Go", License: spdx(b), Part: assets.PartHost}, text{"LICENSE", b})

	modules := map[string]*linked{}
	for _, p := range platforms {
		goos, goarch, _ := strings.Cut(p, "/")
		list, err := goOutput([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"},
			"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/runlace")
		if err != nil {
			return err
		}
		for line := range strings.Lines(list) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(f) != 4 {
				continue
			}
			if modules[f[0]] == nil {
				modules[f[0]] = &linked{version: f[1], dir: f[2], folders: map[string]bool{}}
			}
			modules[f[0]].add(f[3])
		}
	}
	var paths []string
	for p := range modules {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		m := modules[p]
		texts, err := m.texts()
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		var all []byte
		for _, t := range texts {
			all = append(all, t.body...)
		}
		name := spdx(all)
		if name == "" {
			return fmt.Errorf("%s: its licence is not one that spdx knows: read it, and add it there", p)
		}
		w.add(assets.Component{Name: p, Version: m.version, License: name, Part: assets.PartHost, Module: p}, texts...)
	}
	return nil
}

// linked is a module with those of its folders whose code, or that of a folder below, is in the binary.
type linked struct {
	version, dir string
	folders      map[string]bool
}

func (l *linked) add(dir string) {
	for strings.HasPrefix(dir, l.dir) {
		l.folders[dir] = true
		if dir == l.dir {
			return
		}
		dir = filepath.Dir(dir)
	}
}

var isLicense = regexp.MustCompile(`^(?i:licen[cs]e|copying|notice|patents)(?:[._-].*)?$`)

func (l *linked) texts() (texts []text, err error) {
	for dir := range l.folders {
		files, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if f.IsDir() || !isLicense.MatchString(f.Name()) || strings.HasSuffix(f.Name(), ".go") {
				continue
			}
			path := filepath.Join(dir, f.Name())
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(l.dir, path)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text{filepath.ToSlash(name), b})
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("it has no licence text")
	}
	sort.Slice(texts, func(i, j int) bool { return texts[i].name < texts[j].name })
	return texts, nil
}

// spdx names the licences that a text has, by phrases that only they have.
func spdx(b []byte) string {
	s := strings.Join(strings.Fields(string(b)), " ")
	var names []string
	for _, l := range []struct{ name, phrase string }{
		{"Apache-2.0", "Apache License"},
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
		{"BSD-3-Clause", "may be used to endorse or promote products"},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
	} {
		if strings.Contains(s, l.phrase) {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 && strings.Contains(s, "Redistribution and use in source and binary forms") {
		names = append(names, "BSD-2-Clause")
	}
	return strings.Join(names, " AND ")
}

func goOutput(env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(b), nil
}

func readFirst(paths ...string) ([]byte, error) {
	for _, p := range paths {
		if b, err := os.ReadFile(p); !errors.Is(err, fs.ErrNotExist) {
			return b, err
		}
	}
	return nil, fmt.Errorf("there is none of %s", strings.Join(paths, ", "))
}
