// Command runlace runs workflows that are written in Python: in a sandbox, deterministic to the instruction.
//
// Rules of the command line:
//
//   - Standard output has the answer and nothing else, so that it can be piped. Everything about the answer (logs, summaries,
//     warnings, errors) goes to standard error.
//   - With --json standard output has exactly one JSON object on one line, errors included, and its shape does not depend on
//     whether anybody watches. Standard error then has nothing that is in the object.
//   - An error is one line, "runlace: " and what happened, then "hint: " and what to do. Its code is in --json and in
//     `runlace explain`. An error without a code is a bug, and is printed as one.
//   - What is shown while a person waits goes away when the wait is over. Without a terminal it is one plain line.
//   - Nothing is asked where there is no terminal: a command has all it needs, or says what is missing. On a terminal a question
//     goes to standard error, and a flag answers it beforehand.
//   - Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 refused by a gate, 4 waiting, 5 in doubt, 130 interrupted.
//   - Every command has --help with an example that works.
//
// There is one file for each command, and it has flags and printing only. What a command does is in a package below internal.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/words"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run runs the command line and returns the exit code.
func run(args []string) (exit int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	o := &output{stdout: os.Stdout, stderr: os.Stderr}
	defer func() {
		if r := recover(); r != nil {
			exit = o.fail(fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	root := newRoot(o, args)
	if err := root.ExecuteContext(ctx); err != nil {
		return o.fail(err)
	}
	return 0
}

func newRoot(o *output, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "runlace",
		Short: "Runs workflows written in Python, in a sandbox, deterministic to the instruction",
		Long: `Runlace runs workflows that are written in Python: in a sandbox that has no files, no network, no clock and no
randomness of its own, so that the same inputs give the same output, the same log and the same count of instructions.`,
		Example: `  echo 'def run(ctx): return {"hello": ctx.inputs["name"]}' | runlace exec - --input name=Ada`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			e := fault.New("bad-usage", "there is no command %s", args[0])
			cmd.SuggestionsMinimumDistance = 2
			if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
				return e.WithHint("did you mean runlace %s? runlace --help lists the commands", s[0])
			}
			return e.WithHint("runlace --help lists the commands")
		},
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetArgs(args)
	root.SetOut(o.stdout)
	root.SetErr(o.stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		o.json = wantsJSON(args)
		return fault.New("bad-usage", "%s", flagProblem(err)).WithHint("%s --help lists the flags", cmd.CommandPath())
	})
	root.PersistentFlags().BoolVar(&o.json, "json", false, "print one JSON object")
	root.AddCommand(newInit(o), newImport(o), newAdd(o), newRemove(o), newSync(o), newDrift(o), newTools(o), newAuth(o))
	root.AddCommand(newCreate(o), newEdit(o), newDryRun(o), newRun(o), newResume(o), newResolve(o), newCancel(o), newReplay(o), newWorkflows(o), newShow(o), newDelete(o), newDiff(o), newRuns(o), newSteps(o), newApprovals(o), newApprove(o), newReject(o), newServe(o), newSkill(o))
	root.AddCommand(newNew(o), newExport(o), newPush(o), newLock(o), newRecord(o))
	root.AddCommand(newCheck(o), newExec(o), newDoctor(o), newExplain(o), newLicenses(o), newVersion(o))
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Example = "  runlace help exec"
		}
	}
	return root
}

// flagProblem says in our own words what is wrong with a flag's value; what the library says has Go's in it.
func flagProblem(err error) string {
	bad := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &bad) {
		return err.Error()
	}
	takes := map[string]string{
		"bool": "true or false", "int": "a whole number", "int64": "a whole number", "duration": "a time with its unit, as in 90s, 5m or 1h30m",
	}[bad.GetFlag().Value.Type()]
	if takes == "" {
		return err.Error()
	}
	if _, err := strconv.ParseFloat(bad.GetValue(), 64); errors.Is(bad, strconv.ErrRange) && err == nil {
		takes = "a smaller number"
	}
	return fmt.Sprintf("--%s takes %s, and not %q", bad.GetFlag().Name, takes, bad.GetValue())
}

// wantsJSON looks for --json where the flags cannot be parsed, so that the error about that is JSON as well.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// exactly is cobra.ExactArgs with an error for the user.
func exactly(n int, what string) cobra.PositionalArgs { return between(n, n, what) }

func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return fault.New("bad-usage", "%s takes %s, and got %s", cmd.CommandPath(), what, words.Counted(len(args), "argument")).
			WithHint("%s --help shows an example", cmd.CommandPath())
	}
}

// exitError ends the process with a code when all has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exitWith returns nil for 0.
func exitWith(code int) error {
	if code == 0 {
		return nil
	}
	return exitError(code)
}

func isExit(err error) (int, bool) {
	e := exitError(0)
	ok := errors.As(err, &e)
	return int(e), ok
}
