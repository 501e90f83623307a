package report

import "io"

// issue is an entry of a Code Quality report.
type issue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

func writeGitLab(w io.Writer, r *Report) error {
	issues := make([]issue, len(r.Findings))
	prints := r.fingerprints()
	for i, f := range r.Findings {
		x := &issues[i]
		x.Description, x.CheckName, x.Fingerprint, x.Severity = f.full(), f.Code, prints[i], "major"
		x.Location.Path = f.File
		x.Location.Lines.Begin = max(f.Line, 1) // it has to be there
	}
	return encode(w, issues, "  ")
}
