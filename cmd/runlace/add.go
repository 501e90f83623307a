package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/setup"
)

func newAdd(o *output) *cobra.Command {
	var p place
	var e setup.Entry
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an MCP server, and learn its tools",
		Long: `Adds a connector to the configuration, in place of the one of its name if there is one, and asks its server for its tools. The
server is a command that is started, or a URL. Values may have references as in ${TOKEN}, which are replaced when a connection
opens; secrets themselves are refused.

Exit codes: 0 the server answered, 1 it is configured and did not answer, 2 it was not added.`,
		Example: `  runlace add files --command npx --arg -y --arg @modelcontextprotocol/server-filesystem --arg ~/notes
  runlace add docs --url https://docs.example/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'`,
		Args:              exactly(1, "one name"),
		ValidArgsFunction: p.completeConnectors(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.Name = args[0]
			if cmd.Flags().Changed("timeout") {
				e.Timeout = config.Duration(timeout)
			}
			c, err := e.Connector()
			if err != nil {
				return err
			}
			for _, now := range []string{c.Command, c.Dir} {
				if !o.json && now != e.Command && now != e.Dir {
					o.note("it is kept as %s, so that it can be started from any folder", now)
				}
			}
			r, err := asking(&p, o, timeout, setup.Create, func(s *setup.Setup) (*setup.Changed, error) { return s.Add(cmd.Context(), c) })
			if err != nil {
				return err
			}
			return printAdd(o, r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&e.Command, "command", "", "the `PROGRAM` that is the server, spoken to over its standard input and output")
	f.StringArrayVar(&e.Args, "arg", nil, "an `ARGUMENT` of the program; repeatable, in order")
	f.StringArrayVar(&e.Env, "env", nil, "a variable of the program, as `NAME=VALUE`; repeatable")
	f.StringVar(&e.Dir, "cwd", "", "the `DIR` in which the program starts")
	f.StringVar(&e.URL, "url", "", "the `URL` of a server")
	f.StringArrayVar(&e.Headers, "header", nil, "a header of every request, as `'NAME: VALUE'`; repeatable")
	f.StringVar(&e.Transport, "transport", "", "how the URL is spoken to: http (streamable, the default) or sse; a `WORD`")
	f.DurationVar(&timeout, "timeout", discovery.DefaultTimeout, "the connector's own time limit, for opening it and for each call, a `DURATION`; it is kept in the configuration if it is given")
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func printAdd(o *output, r *setup.Changed) error {
	failed := r.Servers[0].Err()
	if failed == nil {
		failed = r.Stubs.Err()
	}
	if failed == nil {
		failed = setup.Affected(r.Workflows, r.Checked)
	}
	if o.json {
		out, exit := outcomeOf(failed)
		return o.last(struct {
			outcome
			*setup.Changed
		}{out, r}, exit)
	}
	word := "+ %s\n"
	if r.Replaced {
		word = "~ %s (replaced)\n"
	}
	err := errors.Join(o.line(word, r.Name), printServers(o, r.Report))
	if r.Replaced {
		err = errors.Join(err, printChanges(o, r.Changes))
	}
	if err != nil {
		return err
	}
	if s := r.Servers[0]; s.Err() != nil {
		o.note("it is configured; when the server is well, run: runlace sync %s", s.Name)
	} else {
		printNotes(o, r.Report)
	}
	printWorkflows(o, r.Workflows)
	return failed
}
