package assets_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/assets"
)

// The texts are those of what is really in the binary, no more and no less. When this fails after a change of dependencies, `make
// licenses` puts it right.
func TestLicensesOfModules(t *testing.T) {
	linked := map[string]string{}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		goos, goarch, _ := strings.Cut(platform, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../cmd/runlace")
		cmd.Env = append(cmd.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		list, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", platform, err)
		}
		for line := range strings.Lines(string(list)) {
			if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				linked[path] = version
			}
		}
	}
	all, err := assets.Licenses()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Module == "" {
			continue
		}
		if linked[c.Module] != c.Version {
			t.Errorf("%s %s has a licence, and the binary links version %q of it", c.Module, c.Version, linked[c.Module])
		}
		delete(linked, c.Module)
	}
	for path, version := range linked {
		t.Errorf("%s %s is linked, and has no licence", path, version)
	}
}

func TestLicensesOfGuest(t *testing.T) {
	m, err := assets.Guest()
	if err != nil {
		t.Fatal(err)
	}
	all, err := assets.Licenses()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]assets.Component{}
	for _, c := range all {
		if c.Part == assets.PartGuest {
			of[c.Name] = c
			for _, p := range c.Packages {
				of["package "+p] = c
			}
		}
	}
	for _, s := range m.Sources {
		c, ok := of["package "+s.Package]
		if !ok {
			t.Errorf("the guest is built from %s, which has no licence", s.Package)
		} else if c.Version != s.Version && c.Version != m.Python {
			t.Errorf("the guest is built from %s %s, and the licence is of %s", s.Package, s.Version, c.Version)
		}
	}
	for _, part := range []string{"compiler-rt", "libmpdec", "HACL*", "mimalloc", "Mersenne Twister", "SipHash24", "Unicode Character Database"} {
		if len(of[part].Files) == 0 {
			t.Errorf("the guest contains %s, which has no licence", part)
		}
	}
}

func TestLicenseTexts(t *testing.T) {
	all, err := assets.Licenses()
	if err != nil {
		t.Fatal(err)
	}
	phrases := map[string]string{
		"Apache-2.0": "Apache License", "MIT": "Permission is hereby granted, free of charge", "BSD-3-Clause": "Redistribution and use in source and binary forms",
		"PSF-2.0": "PYTHON SOFTWARE FOUNDATION LICENSE", "Unicode-3.0": "UNICODE LICENSE V3",
	}
	var files []string
	for _, c := range all {
		if len(c.Files) == 0 || c.License == "" || c.Part != assets.PartGuest && c.Part != assets.PartHost {
			t.Errorf("%s: not complete", c.Name)
		}
		var texts strings.Builder
		for _, f := range c.Files {
			text, err := assets.LicenseText(f)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) < 40 {
				t.Errorf("%s is no licence: %s", f, text)
			}
			texts.WriteString(text)
			if slices.Contains(files, f) {
				t.Errorf("%s is listed twice", f)
			}
			files = append(files, f)
		}
		for license, phrase := range phrases {
			if slices.Contains(strings.Split(c.License, " AND "), license) && !strings.Contains(texts.String(), phrase) {
				t.Errorf("%s: the text of %s is not there", c.Name, license)
			}
		}
	}
}
