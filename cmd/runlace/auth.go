package main

import (
	"bufio"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/auth"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

func newAuth(o *output) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Log in to MCP servers that want OAuth",
		Long: `Logs in to MCP servers that want OAuth, shows the logins, and ends them. Tokens are renewed when they run out. They are kept in
the home, in a file that is encrypted where the operating system has a keyring for its key; RUNLACE_KEYRING=off does
without the keyring.`,
		Example: `  runlace auth login linear
  runlace auth status
  runlace auth logout linear`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fault.New("bad-usage", "there is no command auth %s", args[0]).WithHint("there are login, status and logout")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuthLogin(o), newAuthStatus(o), newAuthLogout(o))
	return cmd
}

func newAuthLogin(o *output) *cobra.Command {
	var p place
	var l auth.Login
	var quiet bool
	cmd := &cobra.Command{
		Use:   "login CONNECTOR",
		Short: "Log a connector in, in the browser",
		Long: `Opens the browser at the address where the connector's server has people log in, and takes the answer at an address of this
machine. What the login may do is what the server asks for, or --scope.

With --no-browser the address is printed. The answer is then taken from a browser on this machine, or from the address that
any browser was sent to, pasted here: on another machine it shows a page that cannot be reached, and its address is the answer.

An authorization server that knows no strangers needs a client: --client-id, and for its secret the name of a variable that has
it. Where an operator keeps a client id metadata document, its address is --client-metadata or RUNLACE_CLIENT_METADATA.

Exit codes: 0 logged in, 1 not, 2 usage or configuration, 130 interrupted.`,
		Example: `  runlace auth login linear
  runlace auth login github --client-id Iv1.abc --client-secret-env GITHUB_CLIENT_SECRET --scope "repo read:user"
  runlace auth login linear --no-browser`,
		Args:              exactly(1, "one connector's name"),
		ValidArgsFunction: p.completeConnectors(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if l.Wait <= 0 {
				return checkTimeout(l.Wait)
			}
			h, env, f, err := p.configured(o)
			if err != nil {
				return err
			}
			c, ok := f.Find(args[0])
			switch {
			case !ok:
				return discovery.Unknown(f, args[0], h.Config())
			case c.Transport == config.Stdio:
				return fault.New("bad-usage", "%s is started by a command, and has no login: its credentials are in its environment", c.Name).
					WithHint("runlace auth is for connectors with a url")
			}
			if c, _, err = config.Resolve(c, env); err != nil {
				return err
			}
			for name := range c.Headers {
				if strings.EqualFold(name, "Authorization") {
					return fault.New("bad-usage", "%s has a header Authorization in %s, which would be sent in place of a token", c.Name, h.Config()).
						WithHint("take it out to log in instead")
				}
			}
			l.Connector, l.URL, l.Headers, l.Version = c.Name, c.URL, c.Headers, version()
			l.Note = func(text string) { o.note("%s", text) }
			l.Visit = func(address string) {
				if !quiet && auth.Browse(address) == nil {
					o.note("the browser opens %s", address)
					o.note("waiting for the login there ... (--no-browser prints the address only)")
					return
				}
				o.note("log in at:\n%s", address)
				o.note("waiting; the address that the browser is sent to can also be pasted here")
			}
			l.Pasted = lines(os.Stdin)
			st, err := auth.Open(h, env, nil).Login(cmd.Context(), l)
			if err != nil {
				return err
			}
			if o.json {
				out, _ := outcomeOf(nil)
				return o.object(struct {
					outcome
					Login *auth.Status `json:"login"`
				}{out, st})
			}
			if err := o.line("%s is logged in at %s", st.Connector, st.Issuer); err != nil {
				return err
			}
			if len(st.Scopes) > 0 {
				o.note("it may: %s", strings.Join(st.Scopes, " "))
			}
			if !st.Renewable && st.ExpiresAt != nil {
				o.note("it ends at %s, and cannot be renewed", when(*st.ExpiresAt))
			}
			o.note("next: runlace sync %s", home.Quote(st.Connector))
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&quiet, "no-browser", false, "print the address to log in at, and open no browser")
	f.StringArrayVar(&l.Scopes, "scope", nil, "what to ask for, as `SCOPES` with spaces between them; repeatable (default: what the server names)")
	f.StringVar(&l.ClientID, "client-id", "", "the `ID` of a client that is registered with the authorization server")
	f.StringVar(&l.SecretVar, "client-secret-env", "", "the `VARIABLE` that has the client's secret")
	f.StringVar(&l.Document, "client-metadata", "", "the `ADDRESS` of a client id metadata document (default: $"+auth.DocumentVariable+")")
	f.IntVar(&l.Port, "port", 0, "the `PORT` of the redirect address on 127.0.0.1, where the client is registered with one (default: any)")
	f.DurationVar(&l.Wait, "timeout", auth.DefaultWait, "limit for logging in, a `DURATION` as in 5m")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		var all []string
		for _, s := range l.Scopes {
			all = append(all, strings.Fields(s)...)
		}
		l.Scopes = all
		return nil
	}
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

// configured opens the home and its configuration.
func (p *place) configured(o *output) (home.Home, home.Env, *config.File, error) {
	h, env, err := p.open(o)
	if err != nil {
		return h, env, nil, err
	}
	f, _, err := config.Load(h.Config())
	return h, env, f, err
}

// lines gives the lines of an input as they come.
func lines(r io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(r); s.Scan(); {
			out <- s.Text()
		}
	}()
	return out
}

func newAuthStatus(o *output) *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use:   "status [CONNECTOR]",
		Short: "Show which connectors are logged in, where and until when",
		Long: `Shows the login of each connector with a url: valid, renew (the token has run out, and its next use renews it), expired, or none.
It asks no server, so that a login that was ended elsewhere still shows as valid.`,
		Example: `  runlace auth status
  runlace auth status linear --json`,
		Args:              between(0, 1, "one connector's name, or none"),
		ValidArgsFunction: p.completeConnectors(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, env, f, err := p.configured(o)
			if err != nil {
				return err
			}
			connectors := f.Connectors
			for i, c := range connectors { // the address as it is when the connection opens
				if resolved, _, err := config.Resolve(c, env); err == nil {
					connectors[i].URL = resolved.URL
				}
			}
			all, err := auth.Open(h, env, nil).Statuses(cmd.Context(), connectors)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				one := []auth.Status{}
				for _, s := range all {
					if s.Connector == args[0] {
						one = append(one, s)
					}
				}
				if _, ok := f.Find(args[0]); !ok && len(one) == 0 {
					return discovery.Unknown(f, args[0], h.Config())
				}
				all = one
			}
			return printLogins(o, all)
		},
	}
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func printLogins(o *output, all []auth.Status) error {
	if o.json {
		out, _ := outcomeOf(nil)
		return o.object(struct {
			outcome
			Logins []auth.Status `json:"logins"`
		}{out, all})
	}
	if len(all) == 0 {
		return o.line("no connector with a url")
	}
	rows := [][]string{{"CONNECTOR", "LOGIN", "UNTIL", "ISSUER", "SCOPES"}, {"---------", "-----", "-----", "------", "------"}}
	dash := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	for _, s := range all {
		until := time.Time{}
		if s.ExpiresAt != nil {
			until = *s.ExpiresAt
		}
		ends := when(until)
		if s.Renewable {
			ends += " (renewable)"
		}
		rows = append(rows, []string{s.Connector, s.State, ends, dash(s.Issuer), dash(strings.Join(s.Scopes, " "))})
	}
	if err := printTable(o, rows); err != nil {
		return err
	}
	for _, s := range all {
		switch {
		case !s.Configured:
			o.note("%s at %s is not configured any more; to end its login: runlace auth logout %s", s.Connector, s.URL, home.Quote(s.Connector))
		case s.State == auth.Expired:
			if s.Reason != "" {
				o.note("%s: %s", s.Connector, s.Reason)
			}
			o.note("hint: runlace auth login %s", home.Quote(s.Connector))
		}
	}
	return nil
}

func newAuthLogout(o *output) *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use:   "logout CONNECTOR",
		Short: "End a connector's login",
		Long: `Tells the authorization server that the connector's tokens are not to be taken any more, where it can be told, and forgets them
in any case. It works for a connector that is not configured any more, too.`,
		Example:           `  runlace auth logout linear`,
		Args:              exactly(1, "one connector's name"),
		ValidArgsFunction: p.completeConnectors(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, env, err := p.open(o)
			if err != nil {
				return err
			}
			ended, err := auth.Open(h, env, nil).Logout(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if o.json {
				out, _ := outcomeOf(nil)
				return o.object(struct {
					outcome
					Logins []auth.Ended `json:"logins"`
				}{out, ended})
			}
			for _, e := range ended {
				if err := o.line("%s is logged out of %s", e.Connector, e.Issuer); err != nil {
					return err
				}
				if !e.Revoked {
					o.note("warning: %s", e.Problem)
				}
			}
			return nil
		},
	}
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}
