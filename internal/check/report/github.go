package report

import (
	"fmt"
	"io"
	"strings"
)

// In a command's message, what would end the line is escaped; in a property, also what would end the property.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func writeGitHub(w io.Writer, r *Report) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "::error file=%s", githubProperty.Replace(f.File))
		if f.Line > 0 {
			fmt.Fprintf(&b, ",line=%d", f.Line)
		}
		if f.Column > 0 {
			fmt.Fprintf(&b, ",col=%d", f.Column)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", githubProperty.Replace(f.Code), githubData.Replace(f.full()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// full is all that a finding says, for formats that have one text for it.
func (f Finding) full() string {
	lines := append([]string{f.Message + f.in()}, f.sides()...)
	if f.Hint != "" {
		lines = append(lines, "hint: "+f.Hint)
	}
	return strings.Join(lines, "\n")
}
