package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample has a finding of every form: about the project, about a workflow, about a case with a list of differences, and one whose text is made to
// break out of each format.
func sample() *Report {
	r := &Report{
		Version: "0.1.0", Workflows: 2, Cases: 3, Cached: 1, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: 3140 * time.Millisecond,
		Tests: []Test{
			{Workflow: "mail", File: "workflows/mail/workflow.py", Duration: 20 * time.Millisecond},
			{Workflow: "mail", Case: "empty", File: "workflows/mail/cases/empty.yaml", Fuel: 1000, Calls: 2, Duration: 3 * time.Millisecond},
			{Workflow: "mail", Case: "full", File: "workflows/mail/cases/full.yaml", Fuel: 9007199254740993, Calls: 3, Cached: true},
			{Workflow: "sum", File: "workflows/sum/workflow.py", Duration: 10 * time.Millisecond},
			{Workflow: "sum", Case: "one", File: "workflows/sum/cases/one.yaml", Skipped: true},
		},
	}
	damaged := New("lock-damaged", Place{File: "runlace.lock", Line: 12}, "files.read has the digest aaa in the lock, and its schemas give bbb")
	typed := Finding{Place: Place{File: "workflows/sum/workflow.py", Line: 7, Column: 12}, Code: "reportAttributeAccessIssue", Workflow: "sum",
		Message: `Cannot access attribute "reed" for class "Files"`, Hint: "write ctx.files.read(...)"}
	differs := New("output-differs", Place{File: "workflows/mail/cases/full.yaml", Line: 30, Column: 3}, "the workflow returns something else than expected")
	differs.Workflow, differs.Case = "mail", "full"
	differs.Expected, differs.Got = json.RawMessage(`{"n":9007199254740993,"a b":1}`), json.RawMessage(`{"n":9007199254740992}`)
	differs.Differences = []Difference{{"$.n", json.RawMessage("9007199254740993"), json.RawMessage("9007199254740992")}, {`$["a b"]`, json.RawMessage("1"), nil}}
	hostile := New("act-extra", Place{File: "workflows/mail/a,b:c d%/workflow.py", Line: 3}, "%s", "100%\r\n::error::forged]]>\x01<b>\u00e9, a: b")
	hostile.Workflow, hostile.Case, hostile.Got = "mail", "full", json.RawMessage(`{"call":"mail.send","arguments":{"to":"<x>&\"y\""}}`)
	r.Findings = []Finding{damaged, typed, differs, hostile}
	r.Sort()
	return r
}

func written(t *testing.T, f Format, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every format is what its golden file is.
func TestFormats(t *testing.T) {
	for _, f := range Formats {
		t.Run(string(f), func(t *testing.T) {
			got := written(t, f, sample())
			file := filepath.Join("testdata", string(f)+".golden")
			if *update {
				if err := os.WriteFile(file, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
			empty := written(t, f, &Report{OK: true, Version: "0.1.0"})
			if f != Text && f != GitHub && len(empty) == 0 {
				t.Error("a report without findings is no document")
			}
		})
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		r    Report
		want string
	}{
		{Report{Workflows: 10, Cases: 31, Findings: make([]Finding, 2), Duration: 3100 * time.Millisecond}, "10 workflows, 31 cases: 2 findings in 3.1 s"},
		{Report{Workflows: 1, Cases: 1, Findings: make([]Finding, 1)}, "1 workflow, 1 case: 1 finding in 0.0 s"},
		{Report{}, "0 workflows, 0 cases: no findings in 0.0 s"},
	} {
		if got := c.r.Summary(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// A SARIF file is valid by the schema that OASIS has published, and one that is not is told apart.
func TestSARIFIsValid(t *testing.T) {
	text, err := os.ReadFile("testdata/schemas/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Report{sample(), {OK: true, Version: "0.1.0"}} {
		got := written(t, SARIF, r)
		for _, e := range v.Validate(got) {
			t.Errorf("%s", e)
		}
		for _, wrong := range [][2]string{{`"version": "2.1.0"`, `"version": "2.0"`}, {`"driver": {`, `"drivers": {`}, {`"results": [`, `"results": {}, "more": [`}} {
			if len(v.Validate(bytes.Replace(got, []byte(wrong[0]), []byte(wrong[1]), 1))) == 0 {
				t.Errorf("with %s it is still valid: the schema is not read", wrong[1])
			}
		}
	}
	wrong := bytes.Replace(written(t, SARIF, sample()), []byte(`"startLine": 12`), []byte(`"startLine": 0`), 1)
	if len(v.Validate(wrong)) == 0 {
		t.Error("line 0 is taken")
	}
}

// A JUnit file is valid by the schema that Jenkins uses, and has what Ant's wants besides; one that is not is told apart.
func TestJUnitIsValid(t *testing.T) {
	text, err := os.ReadFile("testdata/schemas/jenkins-junit.xsd")
	if err != nil {
		t.Fatal(err)
	}
	x := readXSD(t, text)
	got := written(t, JUnit, sample())
	for _, e := range x.validate(t, got) {
		t.Error(e)
	}
	if e := x.validate(t, written(t, JUnit, &Report{OK: true})); len(e) > 0 {
		t.Error(e)
	}
	for name, wrong := range map[string][2]string{
		"an attribute that is not there": {`<testcase name=`, `<testcase file="x" name=`},
		"no name":                        {`<testcase name="compile"`, `<testcase`},
		"an element that is not there":   {`<properties>`, `<metadata></metadata><properties>`},
		"the wrong order":                {`<properties>`, `<system-err></system-err><properties>`},
		"text where there is none":       {`<properties>`, `text<properties>`},
	} {
		if len(x.validate(t, bytes.Replace(got, []byte(wrong[0]), []byte(wrong[1]), 1))) == 0 {
			t.Errorf("%s is taken", name)
		}
	}
	// Of Ant's own schema, which is not the same: these have to be there, and a test has one failure.
	for _, attr := range []string{"package", "id", "timestamp", "hostname", "errors", "time"} {
		if n := strings.Count(string(got), " "+attr+`="`); n < 3 {
			t.Errorf("%s is there %d times", attr, n)
		}
	}
	var doc suites
	if err := xml.Unmarshal(got, &doc); err != nil {
		t.Fatal(err)
	}
	for _, s := range doc.Suites {
		failures := 0
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures {
			t.Errorf("%s says %d tests and %d failures, and has %d and %d", s.Name, s.Tests, s.Failures, len(s.Cases), failures)
		}
	}
}

// Annotations are one line each, at their file and line, and what they say comes back as it was.
func TestGitHubEscapes(t *testing.T) {
	r := sample()
	lines := strings.Split(strings.TrimSuffix(string(written(t, GitHub, r)), "\n"), "\n")
	if len(lines) != len(r.Findings) {
		t.Fatalf("%d lines for %d findings:\n%s", len(lines), len(r.Findings), strings.Join(lines, "\n"))
	}
	back := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	for i, line := range lines {
		properties, message, ok := strings.Cut(strings.TrimPrefix(line, "::error "), "::")
		if !ok || strings.ContainsAny(line, "\r\n") {
			t.Fatalf("%q is no command", line)
		}
		got := map[string]string{}
		for p := range strings.SplitSeq(properties, ",") {
			name, value, _ := strings.Cut(p, "=")
			got[name] = back.Replace(value)
		}
		f := r.Findings[i]
		if got["file"] != f.File || got["title"] != f.Code || back.Replace(message) != f.full() {
			t.Errorf("%q is read as %v", line, got)
		}
	}
}

// A fingerprint stays when a finding moves, and no two are the same.
func TestFingerprintsAreStable(t *testing.T) {
	a, b := sample(), sample()
	for i := range b.Findings {
		b.Findings[i].Line += 100
		b.Findings[i].Column++
		b.Findings[i].Hint = "other words"
	}
	if !slices.Equal(a.fingerprints(), b.fingerprints()) {
		t.Error("they change with lines")
	}
	b.Findings[0].Message += "!"
	if a.fingerprints()[0] == b.fingerprints()[0] {
		t.Error("another message is another finding")
	}
	a.Findings = append(a.Findings, a.Findings...)
	prints := a.fingerprints()
	slices.Sort(prints)
	if len(slices.Compact(prints)) != len(a.Findings) {
		t.Error("two findings have one fingerprint")
	}
}
