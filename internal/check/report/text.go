package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/runlace/runlace/internal/term"
)

// most is how many places of a difference are listed, and wide how long a value may be.
const (
	most = 20
	wide = 120
)

func writeText(w io.Writer, r *Report) error {
	var b bytes.Buffer
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s: %s%s\n", f.Place, f.Code, indented(f.Message), f.in())
		for _, line := range f.sides() {
			fmt.Fprintf(&b, "    %s\n", indented(line))
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "    hint: %s\n", indented(f.Hint))
		}
	}
	for _, u := range r.Updated {
		fmt.Fprintf(&b, "updated %s\n", u.File)
		for _, c := range u.Changes {
			fmt.Fprintf(&b, "    %s\n", indented(c))
		}
	}
	writeTrials(&b, r.Chaos)
	_, err := io.WriteString(w, term.Text(w, b.String()))
	return err
}

// indented keeps what a workflow or a server has said from passing for a line of ours.
func indented(s string) string {
	return strings.NewReplacer("\r\n", "\n      ", "\n", "\n      ", "\r", "\n      ").Replace(s)
}

// in says in which case a finding is, where its file is not the case's own.
func (f Finding) in() string {
	if f.Case == "" {
		return ""
	}
	return fmt.Sprintf(" (case %s)", f.Case)
}

// sides are both sides of a finding, as lines: the places that differ, or both values where there is no such list.
func (f Finding) sides() (lines []string) {
	for i, d := range f.Differences {
		if i == most {
			return append(lines, fmt.Sprintf("and %d more", len(f.Differences)-most))
		}
		lines = append(lines, d.String())
	}
	if len(lines) > 0 {
		return lines
	}
	if f.Expected != nil {
		lines = append(lines, "expected: "+Brief(f.Expected))
	}
	if f.Got != nil {
		lines = append(lines, "got:      "+Brief(f.Got))
	}
	return lines
}

func (d Difference) String() string {
	switch {
	case d.Expected == nil:
		return fmt.Sprintf("%s: nothing expected, got %s", d.Path, Brief(d.Got))
	case d.Got == nil:
		return fmt.Sprintf("%s: expected %s, got nothing", d.Path, Brief(d.Expected))
	}
	return fmt.Sprintf("%s: expected %s, got %s", d.Path, Brief(d.Expected), Brief(d.Got))
}

// Brief is a value on one line.
func Brief(v json.RawMessage) string {
	var b bytes.Buffer
	text := string(v)
	if json.Compact(&b, v) == nil {
		text = b.String()
	}
	if r := []rune(text); len(r) > wide {
		return fmt.Sprintf("%s… (%d characters)", string(r[:wide]), len(r))
	}
	return text
}

// writeTrials writes a table of failures: a line for each case and verdict, with the steps that had it.
func writeTrials(b *bytes.Buffer, trials []Trial) {
	if len(trials) == 0 {
		return
	}
	width := len("failure")
	rows := make([][4]string, len(trials))
	for i, t := range trials {
		rows[i] = [4]string{t.Workflow + "/" + t.Case, fmt.Sprintf("%d %s", t.Step, t.Call), t.Failure, t.verdict()}
	}
	widths := [3]int{len("case"), len("step"), width}
	for _, r := range rows {
		for i := range widths {
			widths[i] = max(widths[i], len([]rune(r[i])))
		}
	}
	for _, r := range append([][4]string{{"case", "step", "failure", "the workflow"}}, rows...) {
		fmt.Fprintf(b, "%-*s  %-*s  %-*s  %s\n", widths[0], r[0], widths[1], r[1], widths[2], r[2], r[3])
	}
}

func (t Trial) verdict() string {
	switch t.Verdict {
	case Survives:
		return "survives"
	case Clean:
		return fmt.Sprintf("fails cleanly, %d of %d acts done", t.Acts, t.Of)
	case Half:
		return fmt.Sprintf("leaves acts half done: %d of %d", t.Acts, t.Of)
	}
	return "cannot be told: " + t.Why
}

// Summary is what a finding says, without its place and hint: a line, and both sides.
func (f Finding) Summary() []string { return append([]string{f.Message}, f.sides()...) }
