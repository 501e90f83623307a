package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check"
	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
)

// exitNoChecker is the exit code of a check that lacks pyright, so that a CI job can tell it from findings.
const exitNoChecker = 4

// sinceBase is --changed without a revision. No revision has spaces in its name.
const sinceBase = "the default branch"

func newCheck(o *output) *cobra.Command {
	var p place
	var opts check.Options
	var format, file, changed, chaos string
	var live bool
	cmd := &cobra.Command{
		Use:   "check [DIR...]",
		Short: "Compile and rehearse all workflows of a project, without servers",
		Long: `Compiles every workflow of a project (see runlace new) against the tools in runlace.lock, and runs every case of every
workflow in the sandbox: its reads are answered as recorded, and its acts and its output compared with what the case expects.
Each case is run again, and has to be the same to the instruction; and once with the keys of all objects turned around and once
with slower tools, and has to do the same. DIR is the project's folder, or one below it; without DIR it is the current folder.

It needs no server, no home and no network; of programs it needs pyright. What has not changed since the last check is not
checked again. The report goes to standard output, and one line about it to standard error. With --output it goes to a file, and
the findings as text to standard output.

--update rewrites what the cases expect, acts and output, to what the workflows do now, and shows the differences.
--chaos makes every step of every case fail, one at a time, and tells what the workflow makes of it.
--changed checks only workflows that git says have changed: since this branch left the default branch, or since a revision, as in
--changed=v1.2. All of them, if runlace.yaml or runlace.lock has.

Exit codes: 0 no findings, 1 findings, 2 it could not be done, 4 pyright is missing, 130 it was interrupted.`,
		Example: `  runlace check
  runlace check flows --workflow weekly-report --case empty --update
  runlace check --changed --format github
  runlace check --format junit --output report.xml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := chosenFormat(o, format)
			if err != nil {
				return err
			}
			switch chaos {
			case "":
			case "try":
				opts.Chaos = check.TryFailures
			case "strict":
				opts.Chaos = check.StrictChaos
			default:
				return fault.New("bad-usage", "--chaos is try or strict, and not %s", chaos).WithHint("write --chaos, or --chaos=strict to make findings of it")
			}
			if changed != "" {
				opts.Changed = true
				if opts.Ref = changed; changed == sinceBase {
					opts.Ref, args = revision(args)
				}
			}
			if opts.Jobs < 0 || opts.Jobs == 0 && cmd.Flags().Changed("jobs") {
				return fault.New("bad-usage", "--jobs is a number from 1")
			}
			opts.Dirs, opts.CacheDir, opts.Version, opts.Salt = args, home.Cache(), version(), salt()
			if h, err := home.Open(p.dir); err == nil { // it is where pyright may be; a check needs nothing else of it
				opts.Pyright = h.Pyright()
			}
			if live {
				opts.Live = func(ctx context.Context, connectors []string) ([]catalog.Tool, map[string]error, error) {
					return p.liveTools(ctx, o, connectors)
				}
			}
			show, waiting := term.NewLive(o.stderr), term.NewProgress(o.stderr)
			opts.Progress = func(done, total int, name string) { show.Now("checking %d/%d %s", done, total, name) }
			opts.Waiting = waiting.Step
			r, err := check.Run(cmd.Context(), opts)
			waiting.Done()
			show.Done()
			if err != nil {
				return checkFailed(o, err)
			}
			return printChecked(o, f, file, r)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.Workflow, "workflow", "", "check only the workflow `NAME`")
	fl.StringVar(&opts.Case, "case", "", "run only the cases called `CASE`")
	fl.BoolVar(&live, "live", false, "also ask the servers in the home, and compare their tools with the lock")
	fl.BoolVar(&opts.Update, "update", false, "rewrite what the cases expect")
	fl.StringVar(&chaos, "chaos", "", "make each step fail, and tell what comes of it; `strict` makes findings of acts that are left half done")
	fl.Lookup("chaos").NoOptDefVal = "try"
	fl.StringVar(&changed, "changed", "", "check only what git says has changed, since the default branch or a `REF`")
	fl.Lookup("changed").NoOptDefVal = sinceBase
	fl.StringVar(&format, "format", "", "how to write the report, a `FORMAT`: "+formats()+" (default: text)")
	fl.StringVar(&file, "output", "", "write the report to a `FILE`")
	fl.BoolVar(&opts.NoCache, "no-cache", false, "check everything anew, and keep nothing")
	fl.IntVar(&opts.Jobs, "jobs", 0, "check `N` workflows and cases at a time (default: one for each core)")
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func formats() string {
	names := make([]string, len(report.Formats))
	for i, f := range report.Formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// chosenFormat reads --format, of which --json is a short form.
func chosenFormat(o *output, name string) (report.Format, error) {
	if name == "" {
		name = string(report.Text)
		if o.json {
			name = string(report.JSON)
		}
	}
	for _, f := range report.Formats {
		if string(f) == name {
			o.json = o.json || f == report.JSON // errors are JSON too then
			return f, nil
		}
	}
	return "", fault.New("bad-usage", "there is no format %s", name).WithHint("the formats are %s", formats())
}

// revision takes a revision from the arguments: --changed main is what people write, and a flag with an optional value does not take it.
func revision(args []string) (ref string, dirs []string) {
	if len(args) > 0 {
		if _, err := os.Stat(args[0]); err != nil {
			return args[0], args[1:]
		}
	}
	return "", args
}

// salt tells builds of a development version apart.
func salt() string {
	if !strings.HasSuffix(version(), "-dev") {
		return ""
	}
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(program)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// checkFailed gives a missing checker its own exit code.
func checkFailed(o *output, err error) error {
	if check.IsMissing(err) {
		f := *fault.Of(err)
		f.Exit = exitNoChecker
		return &f
	}
	if errors.Is(err, context.Canceled) {
		return fault.New("cancelled", "the check was interrupted")
	}
	return err
}

func printChecked(o *output, f report.Format, file string, r *report.Report) error {
	from, err := os.Getwd()
	if err != nil {
		return err
	}
	if f.FromTop() {
		from = check.Top(from)
	}
	check.Relative(r, from)
	if file != "" {
		if err := reportTo(file, f, r); err != nil {
			return err
		}
		f = report.Text
	}
	if err := writeError(report.Write(o.stdout, f, r)); err != nil {
		return err
	}
	for _, n := range r.Notes {
		o.note("note: %s", n)
	}
	if f != report.JSON {
		o.note("%s", r.Summary())
	}
	if !r.OK {
		return exitWith(fault.ExitFailed)
	}
	return nil
}

// reportTo writes the report to a file, all of it or nothing.
func reportTo(file string, f report.Format, r *report.Report) error {
	var b bytes.Buffer
	if err := report.Write(&b, f, r); err != nil {
		return err
	}
	path, err := filepath.Abs(file)
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		return fault.New("unwritable-output", "the report cannot be written to %s", file).WithDetail(err)
	}
	return nil
}

// liveTools asks the servers in the home.
func (p *place) liveTools(ctx context.Context, o *output, connectors []string) ([]catalog.Tool, map[string]error, error) {
	var missing map[string]error
	tools, err := asking(p, o, discovery.DefaultTimeout, setup.Open, func(s *setup.Setup) (tools []catalog.Tool, err error) {
		tools, _, missing, err = s.LiveServers(ctx, connectors)
		return tools, err
	})
	return tools, missing, err
}
