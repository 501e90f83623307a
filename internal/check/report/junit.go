package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The elements of JUnit XML, in the common part of what Ant and Jenkins have written down: attributes and elements that only one of them knows are
// left out, and those that one of them wants are there.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}
	suite struct {
		Name       string     `xml:"name,attr"`
		Package    string     `xml:"package,attr"`
		ID         int        `xml:"id,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"`
		Time       string     `xml:"time,attr"`
		Timestamp  string     `xml:"timestamp,attr"`
		Hostname   string     `xml:"hostname,attr"`
		Properties []property `xml:"properties>property"`
		Cases      []testcase `xml:"testcase"`
		Out        string     `xml:"system-out"`
		Err        string     `xml:"system-err"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testcase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Time    string   `xml:"time,attr"`
		Failure *failure `xml:"failure"`
	}
	failure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// project is the name of the suite of what belongs to no workflow.
const project = "project"

func writeJUnit(w io.Writer, r *Report) error {
	tests := append([]Test{{}}, r.Tests...) // the project first
	for _, f := range r.Findings {
		if t := (Test{Workflow: f.Workflow, Case: f.Case}); !slices.ContainsFunc(tests, func(o Test) bool { return o.Workflow == t.Workflow && o.Case == t.Case }) {
			tests = append(tests, t)
		}
	}
	var out suites
	took := map[int]time.Duration{}
	at := map[string]int{}
	for _, t := range tests {
		if t.Skipped {
			continue // the workflow's own test says why
		}
		name := t.Workflow
		if name == "" {
			name = project
		}
		i, ok := at[t.Workflow]
		if !ok {
			i = len(out.Suites)
			at[t.Workflow] = i
			out.Suites = append(out.Suites, suite{
				Name: name, Package: "runlace", ID: i, Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"), Hostname: "localhost",
				Properties: []property{{"runlace.version", r.Version}},
			})
		}
		s := &out.Suites[i]
		c := testcase{Name: t.title(), Class: "runlace." + name, Time: seconds(t.Duration), Failure: failed(r.Of(t))}
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
		took[i] += t.Duration
		s.Time = seconds(took[i])
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (t Test) title() string {
	switch {
	case t.Workflow == "":
		return "project and lock"
	case t.Case == "":
		return "compile"
	}
	return "case " + t.Case
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// failed is one failure with all findings, since readers show the first one only.
func failed(found []Finding) *failure {
	if len(found) == 0 {
		return nil
	}
	f := &failure{Type: found[0].Code, Message: found[0].Message}
	if n := len(found) - 1; n > 0 {
		f.Message += fmt.Sprintf(" (and %d more)", n)
	}
	var lines []string
	for _, x := range found {
		lines = append(lines, fmt.Sprintf("%s: %s: %s", x.Place, x.Code, x.full()))
	}
	f.Text = strings.Join(lines, "\n")
	return f
}
