package check

import (
	"encoding/json"
	"os"
	"slices"

	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/project"
)

// accepted are the findings that an update makes right. A workflow that runs into a limit is not.
func accepted(f report.Finding) bool {
	switch f.Code {
	case "act-differs", "act-missing", "act-extra", "output-differs", "error-differs", "workflow-failed", "in-doubt":
		return true
	}
	return false
}

// update rewrites what a case expects to what the run did, and returns the findings that are left.
func (k *kit) update(w *workflow, s *scenario, r *run, found []report.Finding) ([]report.Finding, error) {
	if r.missing != nil || !slices.ContainsFunc(found, accepted) || slices.ContainsFunc(found, func(f report.Finding) bool { return f.Code == "invalid-output" }) {
		return found, nil
	}
	text, err := os.ReadFile(s.File)
	if err != nil {
		return nil, fault.New("unreadable-file", "%s cannot be read", s.File).WithDetail(err)
	}
	result, end := "output", r.result.Output
	if failure, line := w.ending(r); failure != nil {
		result, end = "error", project.FailureJSON(failure, line)
	}
	text = project.SetKey(text, project.Entry{Key: "acts", Value: actsJSON(s, r)})
	text = project.SetKey(text, project.Entry{Key: result, Value: end}, "output", "error")
	if _, err := project.Replace(s.File, text); err != nil {
		return nil, err
	}
	u := report.Update{Workflow: s.Workflow, Case: s.Name, File: s.File}
	var left []report.Finding
	for _, f := range found {
		if !accepted(f) {
			left = append(left, f)
			continue
		}
		u.Changes = append(u.Changes, f.Summary()...)
	}
	if r.result.Err != nil && s.Failure == nil { // now that the failure is expected, it explains nothing
		c := &comparison{workflow: w, scenario: s}
		c.unused(r)
		left = append(left, c.findings...)
	}
	k.mu.Lock()
	k.report.Updated = append(k.report.Updated, u)
	k.mu.Unlock()
	return left, nil
}

// actsJSON are the acts of a run as a case has them, nil if there are none. One that the case expected keeps the result that the case gives it.
func actsJSON(s *scenario, r *run) json.RawMessage {
	var acts []project.Call
	used := map[int]bool{}
	for _, a := range r.acts() {
		c := project.Call{Tool: a.tool, Arguments: a.arguments}
		for i, e := range s.Acts {
			if !used[i] && e.Tool == a.tool && equal(e.Arguments, a.arguments) {
				used[i] = true
				e.Arguments = a.arguments
				c = e
				break
			}
		}
		acts = append(acts, c)
	}
	return project.CallsJSON(acts)
}
