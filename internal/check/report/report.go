// Package report has what a check of a project found, and writes it in the formats that people and CI systems read.
//
//	r := &report.Report{Version: "0.1.0", Workflows: 10, Cases: 31}
//	r.Findings = append(r.Findings, report.New("act-differs", report.Place{File: "workflows/x/cases/a.yaml", Line: 12}, "…"))
//	err := report.Write(os.Stdout, report.GitHub, r)
//
// The formats:
//
//	text    a line for each finding, file:line:column first, then its hint and both sides; for people and editors
//	json    the whole report, one object on one line
//	github  workflow commands of GitHub Actions, which annotate the lines of a pull request
//	gitlab  a Code Quality report of GitLab, with fingerprints that stay when lines move
//	junit   JUnit XML as Jenkins and Ant read it: a suite for each workflow, a test for its compilation and one for each case
//	sarif   SARIF 2.1.0, as code scanning takes it
//
// Files are as the check gives them: relative, with slashes. Lines and columns count from 1, columns in characters; 0 is not known.
package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// Place is where a finding is.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Difference is one place of two JSON values that are not equal. A side that is missing is null.
type Difference struct {
	Path     string          `json:"path"` // as $.items[0].name
	Expected json.RawMessage `json:"expected,omitempty"`
	Got      json.RawMessage `json:"got,omitempty"`
}

// Finding is one thing that is wrong.
type Finding struct {
	Place
	Code     string `json:"code"` // of the table in package fault
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Workflow string `json:"workflow,omitempty"` // empty: about the project
	Case     string `json:"case,omitempty"`     // empty: about the whole workflow

	// Both sides, where a value is not the one that a case expects.
	Expected    json.RawMessage `json:"expected,omitempty"`
	Got         json.RawMessage `json:"got,omitempty"`
	Differences []Difference    `json:"differences,omitempty"`
}

// New makes a finding with the hint of the table.
func New(code string, at Place, format string, args ...any) Finding {
	e := fault.New(code, format, args...)
	return Finding{Place: at, Code: e.Code, Message: e.Message, Hint: e.Hint}
}

// Test is a part of the check that passes or fails by itself: the compilation of a workflow, or one of its cases.
type Test struct {
	Workflow string        `json:"workflow"`
	Case     string        `json:"case,omitempty"` // empty: the compilation
	File     string        `json:"file"`
	Fuel     int64         `json:"fuel,omitempty"`
	Calls    int           `json:"calls,omitempty"`
	Cached   bool          `json:"cached"`
	Skipped  bool          `json:"skipped,omitempty"` // a case of a workflow that does not compile
	Duration time.Duration `json:"-"`                 // not in JSON, where the same check gives the same text
}

// Report is what a check came to.
type Report struct {
	OK        bool          `json:"ok"` // there are no findings
	Version   string        `json:"version"`
	Workflows int           `json:"workflows"`
	Cases     int           `json:"cases"`
	Cached    int           `json:"cached"` // of the tests
	Findings  []Finding     `json:"findings"`
	Tests     []Test        `json:"tests"`
	Updated   []Update      `json:"updated,omitempty"`
	Chaos     []Trial       `json:"chaos,omitempty"`
	Notes     []string      `json:"notes,omitempty"` // worth knowing, and no findings
	Started   time.Time     `json:"-"`
	Duration  time.Duration `json:"-"`
}

// Update is a case whose expectations were rewritten.
type Update struct {
	Workflow string   `json:"workflow"`
	Case     string   `json:"case"`
	File     string   `json:"file"`
	Changes  []string `json:"changes"` // what is different now, for a person
}

// Trial is what became of a case when one of its calls was made to fail.
type Trial struct {
	Workflow string  `json:"workflow"`
	Case     string  `json:"case"`
	Step     int     `json:"step"`
	Call     string  `json:"call"`
	Act      bool    `json:"act"`
	Failure  string  `json:"failure"` // error, or lost: an act that was done, and whose answer is lost
	Verdict  Verdict `json:"verdict"`
	Acts     int     `json:"acts"` // that were done
	Of       int     `json:"of"`   // that the case does when nothing fails
	Why      string  `json:"why,omitempty"`
}

// Verdict says how a workflow takes a failure.
type Verdict string

// The verdicts.
const (
	Survives Verdict = "survives"        // it completes
	Clean    Verdict = "fails-cleanly"   // it fails, and has done none of its acts, or all
	Half     Verdict = "half-done"       // it fails, with some of its acts done and others not
	Unknown  Verdict = "needs-recording" // it takes a way for which the case has no recordings
)

// Sort puts findings into the order of files and lines.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Case, b.Case), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	slices.SortStableFunc(r.Tests, func(a, b Test) int { return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Case, b.Case)) })
	slices.SortStableFunc(r.Updated, func(a, b Update) int { return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Case, b.Case)) })
	slices.SortStableFunc(r.Chaos, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Case, b.Case), cmp.Compare(a.Step, b.Step), cmp.Compare(a.Failure, b.Failure))
	})
}

// Of lists the findings of a test.
func (r *Report) Of(t Test) (found []Finding) {
	for _, f := range r.Findings {
		if f.Workflow == t.Workflow && f.Case == t.Case {
			found = append(found, f)
		}
	}
	return found
}

// fingerprints identify the findings of a report, in its order. They do not depend on lines, so that a finding keeps its own when something is
// written above it; of several that are otherwise the same, each has its own.
func (r *Report) fingerprints() []string {
	seen := map[string]int{}
	out := make([]string, len(r.Findings))
	for i, f := range r.Findings {
		key, _ := json.Marshal([]string{f.Code, f.File, f.Workflow, f.Case, f.Message}) // strings can always be written
		seen[string(key)]++
		sum := sha256.Sum256(fmt.Appendf(key, " %d", seen[string(key)]))
		out[i] = hex.EncodeToString(sum[:16])
	}
	return out
}

// Summary is the one line at the end: 10 workflows, 31 cases: 2 findings in 3.1 s.
func (r *Report) Summary() string {
	found := "no findings"
	if n := len(r.Findings); n > 0 {
		found = count(n, "finding")
	}
	return fmt.Sprintf("%s, %s: %s in %.1f s", count(r.Workflows, "workflow"), count(r.Cases, "case"), found, r.Duration.Seconds())
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Format is a way to write a report.
type Format string

// The formats.
const (
	Text   Format = "text"
	JSON   Format = "json"
	GitHub Format = "github"
	GitLab Format = "gitlab"
	JUnit  Format = "junit"
	SARIF  Format = "sarif"
)

// Formats are all of them.
var Formats = []Format{Text, JSON, GitHub, GitLab, JUnit, SARIF}

// FromTop tells whether a format's readers take files from the top of the repository, wherever the check was started.
func (f Format) FromTop() bool { return f == GitHub || f == GitLab || f == SARIF }

// Write writes a report.
func Write(w io.Writer, f Format, r *Report) error {
	switch f {
	case Text:
		return writeText(w, r)
	case JSON:
		return writeJSON(w, r)
	case GitHub:
		return writeGitHub(w, r)
	case GitLab:
		return writeGitLab(w, r)
	case JUnit:
		return writeJUnit(w, r)
	case SARIF:
		return writeSARIF(w, r)
	}
	return fmt.Errorf("report: there is no format %q", string(f))
}

// encode writes JSON as it is, without escapes for HTML.
func encode(w io.Writer, v any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(v)
}

func writeJSON(w io.Writer, r *Report) error {
	c := *r
	if c.Findings == nil {
		c.Findings = []Finding{}
	}
	if c.Tests == nil {
		c.Tests = []Test{}
	}
	return encode(w, &c, "")
}
