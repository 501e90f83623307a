package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/setup"
)

func newInit(o *output) *cobra.Command {
	var p place
	var src setup.Sources
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Take over the MCP servers of your other programs, and learn their tools",
		Long: `Looks for the MCP servers that Claude Code, Claude Desktop, Cursor, VS Code, Windsurf, Codex, Gemini CLI, Zed, opencode, Goose,
LM Studio, Continue and JetBrains IDEs have configured, takes them over into the home, asks all servers for their tools, and
writes type stubs of them, which it checks with pyright. Where pyright is missing and npm is there, it installs the pinned version
under the home. No other program's file is written.

On a terminal it asks about each file that it finds; --yes takes all of your own, and --from names the files to read. Files of the
current folder came with it, and are taken only with --trust-project or by their name. What is configured already stays as it is.
Secrets are not copied: references as in ${TOKEN} take their place, and it says what to export.

Servers that do not answer do not fail it: runlace sync asks them again.`,
		Example: `  runlace init
  runlace init --from ~/.cursor/mcp.json --from .mcp.json
  runlace init --yes --json`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			src.Ask = asker(cmd, o)
			r, err := asking(&p, o, timeout, setup.Create, takeOver(cmd.Context(), &src, false))
			if err != nil {
				return err
			}
			return printInit(o, r)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&src.From, "from", nil, "a `FILE` with MCP servers to take over, in the form of any of those programs or of Runlace; repeatable")
	takeFlags(cmd, &src)
	timeoutFlag(cmd, &timeout)
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func printInit(o *output, r *setup.Initialized) error {
	failed := r.Stubs.Err()
	if o.json {
		out, exit := outcomeOf(failed)
		return o.last(struct {
			outcome
			*setup.Initialized
		}{out, r}, exit)
	}
	if err := o.line("home: %s\n", r.Home); err != nil {
		return err
	}
	if err := printServers(o, r.Report); err != nil {
		return err
	}
	printSources(o, r)
	for _, s := range r.Skipped {
		o.note("skipped: %s of %s: %s", s.Name, s.Source, s.Reason)
	}
	for _, n := range r.Notes {
		o.note("note: %s: %s", n.Connector, n.Text)
	}
	printNotes(o, r.Report)
	printWorkflows(o, r.Workflows)
	printExports(o, r)
	return failed
}
