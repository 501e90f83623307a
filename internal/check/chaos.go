package check

import (
	"context"
	"slices"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/runtime"
)

// chaos makes each step of a case fail, one at a time: with an error and, where the step is an act, also so that it is done and its answer lost.
func (k *kit) chaos(ctx context.Context, w *workflow, p *runtime.Program, s *scenario, whole *run) (trials []report.Trial, err error) {
	for i, step := range whole.steps {
		if slices.ContainsFunc(s.Fails, func(f project.Fail) bool { return f.Step == i+1 }) || step.failed {
			continue // it fails already
		}
		failures := []failing{{Fail: project.Fail{Step: i + 1, Err: &hostfuncs.Error{Code: "tool-error", Message: "made to fail by runlace check --chaos"}}}}
		if step.act {
			failures = append(failures, failing{project.Fail{Step: i + 1}, true})
		}
		for _, f := range failures {
			r, err := k.rehearse(ctx, p, s, twist{fails: append(s.failures(), f)})
			if err != nil {
				return nil, err
			}
			t := report.Trial{
				Workflow: s.Workflow, Case: s.Name, Step: f.Step, Call: step.String(), Act: step.act, Failure: "error", Acts: r.done(), Of: whole.done(),
			}
			if f.lost {
				t.Failure = "lost"
			}
			t.Verdict, t.Why = w.verdict(r, t)
			trials = append(trials, t)
		}
	}
	return trials, nil
}

// verdict says how a workflow took a failure.
func (w *workflow) verdict(r *run, t report.Trial) (report.Verdict, string) {
	if r.missing != nil {
		return report.Unknown, "it then calls " + r.missing.String() + ", for which the case has no recording"
	}
	failure, _ := w.ending(r)
	switch {
	case failure == nil:
		return report.Survives, ""
	case t.Acts > 0 && t.Acts < t.Of:
		return report.Half, failure.Message
	}
	return report.Clean, failure.Message
}

// strict makes findings of the trials that leave acts half done.
func strict(s *scenario, trials []report.Trial) (found []report.Finding) {
	for _, t := range trials {
		if t.Verdict != report.Half {
			continue
		}
		how := "fails"
		if t.Failure == "lost" {
			how = "is done and its answer is lost"
		}
		f := report.New("acts-half-done", report.Place{File: s.File, Line: 1}, "when step %d (%s) %s, the workflow ends with %d of %d acts done", t.Step, t.Call, how, t.Acts, t.Of)
		f.Workflow, f.Case = t.Workflow, t.Case
		found = append(found, f)
	}
	return found
}
