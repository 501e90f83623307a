package library

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/store"
)

// Filter selects runs by words.
type Filter struct {
	Workflow, Before string
	Since            string // --since
	Statuses, Modes  []string
	Limit            int
}

// Statuses are the words for the states of a run.
func Statuses() []string { return texts(store.RunStatuses()) }

// Modes are the words for the modes of a run.
func Modes() []string { return texts([]store.Mode{store.Live, store.Dry, store.Replay, store.Resume}) }

func texts[T ~string](values []T) (list []string) {
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

// Runs returns the runs, newest first.
func (f Filter) Runs(s *store.Store) ([]store.Run, error) {
	if f.Limit < 1 {
		return nil, fault.New("bad-usage", "--limit is %d, and has to be at least 1", f.Limit)
	}
	filter := store.RunFilter{Workflow: f.Workflow, Before: f.Before, Limit: f.Limit}
	var err error
	if filter.Statuses, err = known[store.RunStatus]("--status", f.Statuses, Statuses()); err != nil {
		return nil, err
	}
	if f.Since != "" {
		if filter.Since, err = given.Since("--since", f.Since, time.Now()); err != nil {
			return nil, err
		}
	}
	if filter.Modes, err = known[store.Mode]("--mode", f.Modes, Modes()); err != nil {
		return nil, err
	}
	if slices.Contains(filter.Modes, store.Live) && !slices.Contains(filter.Modes, store.Resume) {
		filter.Modes = append(filter.Modes, store.Resume) // a live run that was taken up again
	}
	list, err := s.Runs(filter)
	return append([]store.Run{}, list...), err
}

func known[T ~string](flag string, given, all []string) (list []T, err error) {
	for _, g := range given {
		if !slices.Contains(all, g) {
			return nil, fault.New("bad-usage", "%s is %s, and has to be one of %s", flag, g, strings.Join(all, ", "))
		}
		list = append(list, T(g))
	}
	return list, nil
}

// Step reads a step: cut to what shows its form, or with full as it is in the journal.
func Step(e *engine.Engine, run string, seq int, full bool) (*engine.StepDetail, error) {
	d, err := e.GetStep(run, seq)
	if err != nil || !full {
		return d, err
	}
	s, err := e.Store().Step(run, seq)
	if err != nil {
		return nil, err
	}
	d.Arguments, d.Trimmed = s.Arguments, []string{}
	if len(s.Result) > 0 {
		d.Result = s.Result
	}
	return d, nil
}

// FindStep finds a step by its run and its number, by its run and its id, or by its id alone.
func FindStep(s *store.Store, words []string) (run string, seq int, err error) {
	word := words[len(words)-1]
	if strings.HasPrefix(word, "st_") {
		st, err := s.StepByID(word)
		if err == nil && len(words) > 1 && words[0] != st.Run {
			err = fault.New("unknown-step", "run %s has no step %s", words[0], word)
		}
		return st.Run, st.Seq, err
	}
	if seq, err = strconv.Atoi(word); err != nil || seq < 1 || len(words) < 2 {
		return "", 0, fault.New("bad-usage", "%s is not a step: that is a run and the number of one of its steps, or a step's id", strings.Join(words, " "))
	}
	return words[0], seq, nil
}
