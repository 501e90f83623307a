package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/mcpserver"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
)

func newServe(o *output) *cobra.Command {
	p := &place{}
	var listen mcpserver.Listen
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve agents, as an MCP server",
		Long: `Serves agents as an MCP server: on standard input and output for one that starts it, or with --http on a port. It gives them
tools to learn, check, store, rehearse and run workflows.

On HTTP the server is for this machine only, unless --host says otherwise; it then needs a token, which --token-env names a
variable for. Web pages cannot use it. --approval says who consents to acts: ask (the agent, after asking its user), human
(only a person) or allow (nobody is asked); the default is what config.json says.`,
		Example: `  runlace serve
  runlace serve --http 8000
  runlace serve --http 8000 --host 0.0.0.0 --token-env RUNLACE_TOKEN`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			listen.HTTP = cmd.Flags().Changed("http")
			h, env, err := p.open(o)
			if err != nil {
				return err
			}
			if err := listen.Check(env.Lookup); err != nil {
				return err
			}
			progress := term.NewProgress(o.stderr)
			defer progress.Done()
			e, err := p.engineAt(cmd, o, h, env, func(options *engine.Options) { options.Approval, options.Progress = listen.Approval, progress.Step })
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			s := mcpserver.New(e, mcpserver.Options{
				Version: version(), Setup: setup.Options{Home: h, Env: env, Version: version()},
			})
			if !listen.HTTP {
				return s.Stdio(cmd.Context(), os.Stdin, o.stdout)
			}
			return s.Listen(cmd.Context(), listen, func(url string) {
				if o.json {
					_ = o.object(map[string]string{"url": url})
					return
				}
				o.note("listening on %s", url)
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&listen.Port, "http", 0, "serve on HTTP, on this `PORT`; 0 takes one that is free")
	f.StringVar(&listen.Host, "host", "127.0.0.1", "the `ADDRESS` to listen on")
	f.StringVar(&listen.TokenVariable, "token-env", "", "the `NAME` of the variable with the token that every request has to bear")
	f.StringArrayVar(&listen.Names, "allow-host", nil, "a `NAME` by which clients call the server, besides localhost and addresses; repeatable")
	f.StringVar(&listen.Approval, "approval", "", "who consents to acts: `WHO` is ask, human or allow")
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}
