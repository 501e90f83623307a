package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/importcfg"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newImport(o *output) *cobra.Command {
	var p place
	var src setup.Sources
	var timeout time.Duration
	var webUI, tokenVar string
	cmd := &cobra.Command{
		Use:   "import [FILE...]",
		Short: "Add MCP servers that other programs have configured, and learn their tools",
		Long: `Adds the MCP servers of these files to the configuration, and asks them for their tools. Without a FILE it looks where
runlace init looks. A file may be that of Claude Code, Claude Desktop, Cursor, VS Code, Windsurf, Codex, Gemini CLI, Zed,
opencode, Goose, LM Studio, Continue, a JetBrains IDE, or Runlace itself: in JSON, TOML or YAML. It is read, and never written.

--from-open-webui asks an Open WebUI for its tool servers of type MCP, with the token of an administrator, which is in the
environment variable of --token-env.

It prints a line for each entry: imported, or skipped and why. What is configured already stays as it is. Secrets are not copied.`,
		Example: `  runlace import ~/.codex/config.toml .mcp.json
  runlace import --from-open-webui http://localhost:3000
  runlace import --yes --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			src.From, src.Naming, src.Ask = args, "runlace import", asker(cmd, o)
			open := func(opts setup.Options) (*setup.Setup, error) {
				if webUI == "" {
					return setup.Create(opts)
				}
				token, _ := opts.Env.Lookup(tokenVar)
				if strings.TrimSpace(token) == "" {
					return nil, fault.New("unset-variable", "Open WebUI is asked with a token, and %s is not set", tokenVar).
						WithHint("export %s, or give a file that has it with --env-file, or another variable with --token-env", tokenVar)
				}
				src.WebUI = &setup.WebUI{URL: webUI, Token: strings.TrimSpace(token)}
				return setup.Create(opts)
			}
			r, err := asking(&p, o, timeout, open, takeOver(cmd.Context(), &src, true))
			if err != nil {
				return err
			}
			return printImport(o, r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&webUI, "from-open-webui", "", "the `URL` of an Open WebUI whose tool servers are added")
	f.StringVar(&tokenVar, "token-env", "OPEN_WEBUI_TOKEN", "the `VARIABLE` with the token for --from-open-webui")
	takeFlags(cmd, &src)
	timeoutFlag(cmd, &timeout)
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

// takeOver imports from the sources and asks the servers. added says that only those that are new are asked.
func takeOver(ctx context.Context, src *setup.Sources, added bool) func(*setup.Setup) (*setup.Initialized, error) {
	return func(s *setup.Setup) (*setup.Initialized, error) {
		imported, err := s.Import(ctx, *src)
		if err != nil {
			return nil, err
		}
		return s.Discover(ctx, imported, added)
	}
}

// takeFlags adds the flags that answer the questions about files that are found.
func takeFlags(cmd *cobra.Command, src *setup.Sources) {
	cmd.Flags().BoolVarP(&src.Yes, "yes", "y", false, "take the servers of all of your own files that are found, without asking")
	cmd.Flags().BoolVar(&src.Trust, "trust-project", false,
		"take those of the current folder's files too: they came with the folder, and what they name is started")
}

// asker asks about each file on the terminal, if there is one. Of a file that came with the folder it shows first what it would start.
func asker(cmd *cobra.Command, o *output) func(importcfg.Source, []importcfg.Entry) (bool, error) {
	console := term.Console(os.Stdin, o.stderr)
	if console == nil || o.json {
		return nil
	}
	in := bufio.NewReader(os.Stdin)
	return func(f importcfg.Source, entries []importcfg.Entry) (bool, error) {
		ask, note := term.AskYes, ""
		if f.Project { // whoever only presses Enter starts nothing of what came with a folder
			ask, note = term.Ask, ", which belongs to this folder"
			for _, e := range entries {
				o.note("  %s", wouldDo(e))
			}
		}
		ok, err := ask(cmd.Context(), in, console, "%s: take %s of %s%s?", f.Client, words.Counted(len(entries), "server"), f.Path, note)
		if err != nil {
			return false, fault.New("cancelled", "cancelled; nothing was changed")
		}
		return ok, nil
	}
}

// wouldDo says what taking an entry would start, and which variables it would see.
func wouldDo(e importcfg.Entry) string {
	c := e.Connector
	if e.Skipped != "" {
		return fmt.Sprintf("%s: not taken, %s", e.Name, e.Skipped)
	}
	what := "connects to " + c.URL
	if c.Transport == config.Stdio {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(c.Env)) { // which may change what a harmless program does
			words = append(words, name+"="+home.Quote(c.Env[name]))
		}
		for _, a := range append([]string{c.Command}, c.Args...) {
			words = append(words, home.Quote(a))
		}
		what = "starts " + strings.Join(words, " ")
	}
	var vars []string
	for _, r := range c.References() {
		if !slices.Contains(vars, r.Var) {
			vars = append(vars, r.Var)
		}
	}
	if len(vars) > 0 {
		what += "; it gets the values of " + strings.Join(vars, ", ")
	}
	return fmt.Sprintf("%s: %s", e.Name, term.Plain(strings.NewReplacer("\r", " ", "\n", " ", "\t", " ").Replace(what)))
}

func printImport(o *output, r *setup.Initialized) error {
	failed := r.Stubs.Err()
	if o.json {
		out, exit := outcomeOf(failed)
		return o.last(struct {
			outcome
			*setup.Initialized
		}{out, r}, exit)
	}
	if err := printEntries(o, r.Entries); err != nil {
		return err
	}
	if len(r.Imported) > 0 {
		if err := o.line(""); err != nil {
			return err
		}
		if err := printServers(o, r.Report); err != nil {
			return err
		}
	}
	printSources(o, r)
	for _, n := range r.Notes {
		o.note("note: %s: %s", n.Connector, n.Text)
	}
	printNotes(o, r.Report)
	printWorkflows(o, r.Workflows)
	printExports(o, r)
	return failed
}

// printEntries prints the table of all entries.
func printEntries(o *output, rows []importcfg.Row) error {
	if len(rows) == 0 {
		return o.line("no servers")
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ENTRY\tRESULT\tSOURCE\tWHY")
	for _, r := range rows {
		why := r.Reason
		if r.Connector != "" && r.Connector != r.Name {
			why = "it is called " + r.Connector + " here"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, r.Result, r.Source, why)
	}
	_ = w.Flush() // into memory
	for line := range strings.Lines(b.String()) {
		if err := o.line("%s", term.Text(o.stdout, strings.TrimRight(line, " \n"))); err != nil {
			return err
		}
	}
	return nil
}

// printSources says which files were found and not taken.
func printSources(o *output, r *setup.Initialized) {
	for _, f := range r.Sources {
		switch {
		case f.Problem != "":
			o.note("skipped: %s: %s", f.Path, f.Problem)
		case f.Untrusted:
			o.note("skipped: %s: it came with this folder; take it with --trust-project, or by its name", f.Path)
		case !f.Taken && f.Servers > 0:
			o.note("skipped: %s: not selected", f.Path)
		}
	}
}

// printExports says which variables have to be set.
func printExports(o *output, r *setup.Initialized) {
	if len(r.Exports) == 0 {
		return
	}
	o.note("Secrets are not copied. Before these servers are used again, set their variables:")
	for _, e := range r.Exports {
		o.note("  %s", e.Instruction())
	}
}
