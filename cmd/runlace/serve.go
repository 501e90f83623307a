package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/mcpserver"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
)

func newServe(o *output) *cobra.Command {
	p := &place{}
	var listen mcpserver.Listen
	unattended := false
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve agents, as an MCP server",
		Long: `Serves agents as an MCP server: on standard input and output for one that starts it, or with --http on a port. It gives them
tools to learn, check, store, rehearse and run workflows.

On HTTP the server is for this machine only, unless --host says otherwise; it then needs a token, which --token-env names a
variable for. Web pages cannot use it. --approval says who consents to acts: ask (the agent, after asking its user), human
(only a person) or allow (nobody is asked); the default is what config.json says.

Under human a run waits for a person. Where the client can put a question to its user, it does; --unattended says that nobody
sits there, or that the clients are not to be trusted with the answer. Else the person uses runlace approvals, approve and
reject. Connectors are then for a person to add as well.

On standard input and output a run is executed by the call that asks for it. On HTTP it goes into the queue of the home, which
this process drains, --workers at a time; another process on the same home is refused. What is under way when the process ends
is interrupted, and goes on when the next one starts.

On HTTP a person's program has paths of its own, with the token in the file operator-token of the home, which only its owner
can read, as the header Authorization: Bearer TOKEN:

  GET  /operator/approvals                    what waits
  GET  /operator/runs/RUN                     a run, whole
  POST /operator/runs/RUN/approve             {"digest": that of the question (required), "note": TEXT}
  POST /operator/runs/RUN/reject              {"digest": that of the question, "reason": TEXT}
  POST /operator/runs/RUN/cancel              {"reason": TEXT}

The answer is the run, with status 200. 400 and 413 are a body that cannot be read or is larger than 64 kB, 404 a run or path
that is not there, and 409 an answer that cannot be given: late (approval-expired), given before (already-approved,
already-rejected), to something else (approval-stale), or to a run that does not wait (not-awaiting-approval).`,
		Example: `  runlace serve
  runlace serve --http 8000
  runlace serve --http 8000 --approval human --workers 8
  runlace serve --http 8000 --host 0.0.0.0 --token-env RUNLACE_TOKEN`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			listen.HTTP = cmd.Flags().Changed("http")
			if listen.Workers < 1 {
				return fault.New("bad-usage", "--workers is %d, and has to be at least 1", listen.Workers)
			}
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
				Version: version(), Setup: setup.Options{Home: h, Env: env, Version: version()}, Queue: listen.HTTP, Unattended: unattended,
			})
			listen.OperatorFile, listen.Report = h.OperatorToken(), func(err error) { o.note("%s", err) }
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
	f.IntVar(&listen.Workers, "workers", 4, "how many `RUNS` are executed at a time, on HTTP")
	f.BoolVar(&unattended, "unattended", false, "nobody sits in front of the clients: never ask there")
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}
