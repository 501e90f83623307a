package project

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// What is made can be read, and nothing that is there is touched.
func TestNew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "flows")
	m, err := New(dir, "one")
	if err != nil || len(m.Files) != 5 {
		t.Fatal(m, err)
	}
	p, err := Load(dir)
	if err != nil || len(p.Findings) > 0 || len(p.Workflows) != 1 || len(p.Workflows[0].Cases) != 1 || p.Lock == nil || len(p.Lock.Tools()) != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if m, err := New(filepath.Join(dir, "workflows", "one", "cases"), "two"); err != nil || len(m.Files) != 3 || m.Dir != filepath.Join(dir, "workflows", "two") {
		t.Error(m, err)
	}
	for _, name := range []string{"../x", "X", ""} {
		if _, err := New(dir, name); !errors.Is(err, fault.New("bad-name", "")) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, file := range []string{CodeFile, SettingsFile, "cases/example.yaml"} {
		dir := tree(t, map[string]string{File: "version: 1\n", "workflows/one/" + file: "mine"})
		if _, err := New(dir, "one"); !errors.Is(err, fault.New("file-exists", "")) {
			t.Errorf("%s: %v", file, err)
		}
		if b, _ := os.ReadFile(filepath.Join(dir, "workflows", "one", file)); string(b) != "mine" {
			t.Errorf("%s is overwritten: %s", file, b)
		}
	}
	lone := tree(t, map[string]string{LockFile: aLock})
	if m, err := New(lone, "one"); err != nil || len(m.Files) != 4 {
		t.Error(m, err)
	}
	if b, _ := os.ReadFile(filepath.Join(lone, LockFile)); string(b) != aLock {
		t.Error("a lock is overwritten")
	}
}

// A workflow that is exported is read as it was: code to the byte, schemas in order and digits.
func TestExportIsRead(t *testing.T) {
	for name, s := range map[string]Source{
		"nothing declared":     {Code: "x"},
		"any object":           {Code: "x", Inputs: json.RawMessage(`{"type":"object"}`)},
		"order and digits":     {Code: "x", Inputs: json.RawMessage(`{"type":"object","properties":{"z":{"maximum":1.50e3},"a":{"const":12345678901234567890}},"required":["z"]}`)},
		"words that are text":  {Code: "x", Outputs: json.RawMessage(`{"enum":["yes","1","~",null,true,"a: b","- c","x\ny\n","\t"," "]}`), Description: "yes"},
		"a schema of one word": {Code: "x", Outputs: json.RawMessage(`true`), Description: "# not a comment: 'x' \"y\"\nsecond\n\nthird"},
		"odd code":             {Code: "a\tb # é 🚀\u2028\n\n"},
		"a carriage return":    {Code: "a\r\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			s.Name = "one"
			dir := t.TempDir()
			if _, err := Export(dir, s, false); err != nil {
				t.Fatal(err)
			}
			_, w, err := LoadWorkflow(filepath.Join(dir, "workflows", "one"))
			if err != nil {
				t.Fatal(err)
			}
			same := func(a, b json.RawMessage) bool {
				a, b = declared(a), declared(b)
				return (a == nil) == (b == nil) && (a == nil || string(parsed(a).JSON()) == string(parsed(b).JSON()))
			}
			if w.Code != s.Code || w.Description != s.Description || !same(w.Inputs, s.Inputs) || !same(w.Outputs, s.Outputs) {
				t.Errorf("%+v is read as %+v", s, w)
			}
			if m, err := Export(dir, s, false); err != nil || len(m.Files) > 0 {
				t.Errorf("a second export writes %v, %v", m.Files, err)
			}
			if s.Outputs != nil {
				other := s
				other.Outputs = ordered.NewObject().JSON()
				if _, err := Export(dir, other, false); !errors.Is(err, fault.New("file-exists", "")) {
					t.Errorf("what is there is overwritten: %v", err)
				}
			}
		})
	}
}

// Limits, comments and cases belong to the folder, and stay.
func TestExportKeeps(t *testing.T) {
	files := aProject()
	files["workflows/one/workflow.yaml"] = "# mine\ndescription: first # word\nlimits: {calls: 20} # few\n"
	dir := tree(t, files)
	if _, err := Export(dir, Source{Name: "one", Code: "new", Description: "second"}, false); !errors.Is(err, fault.New("file-exists", "")) {
		t.Error(err)
	}
	if _, err := Export(dir, Source{Name: "one", Code: "new", Description: "second"}, true); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "workflows", "one", SettingsFile))
	if err != nil || !strings.Contains(string(b), "# mine\ndescription: second\nlimits: {calls: 20} # few\n") {
		t.Errorf("%s, %v", b, err)
	}
	if p, w, err := LoadWorkflow(filepath.Join(dir, "workflows", "one")); err != nil || len(w.Cases) != 2 || w.Code != "new" || w.Limits.Calls != 20 || p.Lock == nil {
		t.Errorf("%+v, %v", w, err)
	}
}
