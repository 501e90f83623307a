package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/recorder"
	"github.com/runlace/runlace/internal/words"
)

func newRecord(o *output) *cobra.Command {
	var p place
	var name, from, file, seed, at string
	var input []string
	var force bool
	dir := "."
	cmd := &cobra.Command{
		Use:   "record [NAME]",
		Short: "Make a case of a rehearsal, or of a run",
		Long: `Rehearses a workflow of a project on the real servers, without acting, and writes it down as a case: what reads answered, what
it would have done, and what it returned. runlace check rehearses that case from then on, without servers. The code is that of
the folder, stored or not.

With --from-run it makes a case of a run in the journal: its acts, with what they really answered, are expected, and seed,
start and times are kept, so that the case comes to the same output.

Secrets of the connectors are taken out. Folders that a connector is started with, as server-filesystem is, are called by the
connector's name, as in /files/a.txt. Of media, a case has the handles and not the bytes. Answers of more than 16 kB stand in
files beside the case.

A case that is there already is overwritten only with --force, and without inputs it is recorded anew with its own.`,
		Example: `  runlace record weekly-report --case week-12 --input week=12
  runlace record weekly-report --case week-12 --force
  runlace record --from-run run_0123456789ab --case march`,
		Args:              between(0, 1, "the name of a workflow, or --from-run"),
		ValidArgsFunction: p.completeWorkflows(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (len(args) == 1) == (from != ""):
				return fault.New("bad-usage", "a workflow is named, or a run with --from-run").WithHint("runlace record --help shows both")
			case from == "" && name == "":
				return fault.New("bad-usage", "a recording needs a name").WithHint("add --case, as in --case week-12")
			case from != "" && (file != "" || len(input) > 0 || seed != "" || at != ""):
				return fault.New("bad-usage", "the inputs, the seed and the start of a case --from-run are those of the run")
			}
			flows, err := project.Load(dir)
			if err != nil {
				return err
			}
			return withEngine(cmd, o, &p, func(e *engine.Engine, w *watch) error {
				if from != "" {
					rec, err := recorder.Past(e, flows, from, name)
					w.done()
					if err != nil {
						return err
					}
					return printRecorded(o, rec, force)
				}
				flow, err := flows.Workflow(args[0])
				if err != nil {
					return err
				}
				if err := flows.CodeErr(flow.Name); err != nil {
					return err
				}
				opts := recorder.Options{Case: name, Observe: w.observe}
				if force && file == "" && len(input) == 0 {
					opts.Again = flow.Case(name)
				}
				if opts.Inputs, err = (given.In{Stdin: os.Stdin}).Inputs(cmd.Context(), file, input); err != nil {
					return err
				}
				if seed != "" {
					if opts.Seed, err = given.Seed(seed); err != nil {
						return err
					}
				}
				if at != "" {
					if opts.At, err = given.Time(at); err != nil {
						return err
					}
				}
				if !force { // before any server is asked
					if _, err := os.Lstat(flow.CaseFile(name)); err == nil {
						return fault.New("file-exists", "the case %s is there already, in %s", name, shownPath(flow.CaseFile(name)))
					}
				}
				rec, err := recorder.Live(cmd.Context(), e, flows, flow, opts)
				w.done()
				if err != nil {
					return err
				}
				if rec.Case == nil {
					return o.run(rec.Run, shownPath(flow.Path()))
				}
				return printRecorded(o, rec, force)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&name, "case", "", "the `NAME` of the case (default: with --from-run, made of the run's id)")
	f.StringVar(&from, "from-run", "", "make the case of this `RUN`")
	f.StringArrayVar(&input, "input", nil, "an input as `NAME=VALUE`, repeatable; the value is JSON, or else text; goes over --inputs")
	f.StringVar(&file, "inputs", "", "a `FILE` with the inputs, one JSON object; - is standard input")
	f.StringVar(&seed, "seed", "", "the `NUMBER` that all randomness comes from (default: 1)")
	f.StringVar(&at, "at", "", "the `TIME` that the run's clock starts with, in RFC 3339 (default: 2026-01-01T00:00:00Z)")
	f.BoolVar(&force, "force", false, "overwrite the case")
	_ = cmd.RegisterFlagCompletionFunc("from-run", p.completeRuns)
	dirFlag(cmd, &dir)
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func printRecorded(o *output, rec *recorder.Recording, force bool) error {
	c := rec.Case
	written, err := c.Write(force)
	if err != nil {
		return err
	}
	files := []string{}
	for _, f := range written {
		files = append(files, shownPath(f))
	}
	if o.json {
		return o.object(struct {
			OK       bool     `json:"ok"`
			Workflow string   `json:"name"`
			Case     string   `json:"case"`
			Files    []string `json:"files"`
			Answers  int      `json:"answers"`
			Acts     int      `json:"acts"`
			Fails    bool     `json:"expects_failure"`
			Notes    []string `json:"notes,omitempty"`
		}{true, c.Workflow, c.Name, files, len(c.Answers), len(c.Acts), c.Failure != nil, rec.Notes})
	}
	for _, f := range files {
		if err := o.line("%s", f); err != nil {
			return err
		}
	}
	for _, n := range rec.Notes {
		o.note("warning: %s", n)
	}
	end := "an output"
	if c.Failure != nil {
		end = "the failure " + c.Failure.Code
	}
	o.note("recorded %s, %s and %s", words.Counted(len(c.Answers), "answer"), words.Counted(len(c.Acts), "act"), end)
	return nil
}
