package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/doctor"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/sandbox"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newDoctor(o *output) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check on this machine what the sandbox promises",
		Long: `Checks on this machine what the sandbox promises: that every limit stops a run and says at which line, that a run reaches no
files, variables, network, processes or clock, that runs are repeatable to the instruction, and that the cache works. Prints a
line for each check, and exits with 1 if one fails.`,
		Example: `  runlace doctor
  runlace doctor --json`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			progress := term.NewProgress(o.stderr)
			defer progress.Done()
			engine, err := sandbox.Open(cmd.Context(), home.Cache(), progress.Step)
			if err != nil {
				return err
			}
			defer func() { _ = engine.Close() }()
			progress.Done()
			var printing error
			checks := doctor.Run(cmd.Context(), engine, func(c doctor.Check) {
				if !o.json {
					printing = errors.Join(printing, printCheck(o, c))
				}
			})
			if printing != nil {
				return printing
			}
			return verdict(o, checks, cmd.Context().Err() != nil)
		},
	}
}

func printCheck(o *output, c doctor.Check) error {
	word := "ok"
	if !c.OK {
		word = "FAIL"
	}
	err := o.line("%-4s  %-28s  %s", word, c.Name, c.Detail)
	if err == nil && c.Hint != "" {
		err = o.line("%-4s  %-28s  hint: %s", "", "", c.Hint)
	}
	return err
}

// verdict says what the checks come to.
func verdict(o *output, checks []doctor.Check, cancelled bool) error {
	failed := doctor.Failed(checks)
	var e *fault.Error
	switch {
	case cancelled:
		e = fault.New("cancelled", "cancelled after %s", words.Counted(len(checks), "check"))
	case len(failed) > 0:
		e = fault.New("check-failed", "%d of %s failed: %s", len(failed), words.Counted(len(checks), "check"), strings.Join(failed, ", "))
		if len(failed) == 1 && failed[0] == "cache" {
			e = e.WithHint("the sandbox itself is sound; only its start is slow")
		}
	}
	if o.json {
		answer := struct {
			Status string         `json:"status"`
			Error  *fault.Error   `json:"error"`
			Checks []doctor.Check `json:"checks"`
		}{"completed", e, checks}
		if e == nil {
			return o.object(answer)
		}
		answer.Status = "failed"
		return o.last(answer, e.Exit)
	}
	if e != nil {
		return e
	}
	o.note("%s, all ok", words.Counted(len(checks), "check"))
	return nil
}
