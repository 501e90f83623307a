package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/setup"
	"github.com/runlace/runlace/internal/term"
)

// What init, add, remove and sync share: they ask servers, and report on it.

// timeoutFlag adds --timeout for servers.
func timeoutFlag(cmd *cobra.Command, d *time.Duration) {
	cmd.Flags().DurationVar(d, "timeout", discovery.DefaultTimeout, "limit for starting a server and again for listing its tools, a `DURATION` as in 90s; an entry's own goes before it")
}

func checkTimeout(d time.Duration) error {
	if d <= 0 {
		return fault.New("bad-usage", "--timeout is a time span over zero, and not %s", d)
	}
	return nil
}

// opening is where a command that asks servers begins. The function ends what is shown meanwhile, and may be called twice.
func (p *place) opening(o *output, timeout time.Duration) (setup.Options, func(), error) {
	h, env, err := p.open(o)
	if err == nil {
		err = checkTimeout(timeout)
	}
	board := term.NewBoard(o.stderr)
	return setup.Options{Home: h, Env: env, Timeout: timeout, Version: version(), Progress: shown(board)}, board.Close, err
}

// shown puts the progress of servers on a board.
func shown(b *term.Board) func(discovery.Progress) {
	const stubs = "stubs"
	return func(p discovery.Progress) {
		switch {
		case p.State == "checking":
			b.Set(stubs, "checking with pyright", false)
		case p.State == "installing":
			b.Set(stubs, p.Detail, false)
		case p.Server == "":
		case p.State == discovery.Connected:
			b.Set(p.Server, fmt.Sprintf("connected, %s, %s", tools(p.Tools), term.Duration(p.Elapsed)), true)
		case p.State == discovery.Failed || p.State == discovery.Skipped:
			b.Set(p.Server, p.State+": "+p.Detail, true)
		default:
			b.Set(p.Server, p.State, false)
		}
	}
}

// completeConnectors completes the names of connectors.
func (p *place) completeConnectors(many bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		h, err := home.Open(p.dir)
		if err != nil || !many && len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return setup.Names(h), cobra.ShellCompDirectiveNoFileComp
	}
}

// printServers prints the table of servers, and a line that counts.
func printServers(o *output, r *discovery.Report) error {
	if len(r.Servers) == 0 {
		return o.line("no servers")
	}
	rows := [][]string{{"SERVER", "TRANSPORT", "TOOLS", "STATUS"}, {"------", "---------", "-----", "------"}}
	for _, s := range r.Servers {
		status := s.Status
		if s.Detail != "" {
			status += " (" + s.Detail + ")"
		}
		rows = append(rows, []string{s.Name, s.Transport, fmt.Sprint(s.Tools), status})
	}
	if err := printTable(o, rows); err != nil {
		return err
	}
	all := 0 // of the servers in the table, which may be some of those that there are
	for _, s := range r.Servers {
		all += s.Tools
	}
	count := fmt.Sprintf("%d of %s connected, %s", r.Connected, counted(len(r.Servers), "server"), tools(all))
	return o.line("\n%s, stubs in %s", count, r.Stubs.Dir)
}

func printTable(o *output, rows [][]string) error {
	w := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = term.Text(o.stdout, oneLine(row[i]))
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return writeError(w.Flush())
}

// printChanges prints a line for each tool that was added, removed or changed.
func printChanges(o *output, c catalog.Changes) error {
	if len(c.Added)+len(c.Removed)+len(c.Changed) == 0 {
		return nil
	}
	if err := o.line("\n%d added, %d removed, %d changed", len(c.Added), len(c.Removed), len(c.Changed)); err != nil {
		return err
	}
	var lines []string
	for _, k := range c.Added {
		lines = append(lines, "  + "+k.String())
	}
	for _, k := range c.Removed {
		lines = append(lines, "  - "+k.String())
	}
	for _, t := range c.Changed {
		lines = append(lines, "  ~ "+t.Key.String())
		for _, x := range t.Changes {
			lines = append(lines, "      "+x.String())
		}
	}
	for _, l := range lines {
		if err := o.line("%s", term.Text(o.stdout, l)); err != nil {
			return err
		}
	}
	return nil
}

// printNotes prints what there is to say about a discovery besides its table: why servers are not connected, what in their lists could
// not be used, which workflows will not run.
func printNotes(o *output, r *discovery.Report) {
	for _, s := range r.Servers {
		if s.Status == discovery.Failed && len(s.Stderr) > 0 {
			o.note("%s: the last lines of its standard error:", s.Name)
			for _, l := range s.Stderr[max(0, len(s.Stderr)-5):] {
				o.note("  %s", l)
			}
		}
		if s.Hint != "" && s.Code != "connector-unreachable" { // of which the detail says all
			o.note("hint: %s: %s", s.Name, s.Hint)
		}
		for _, p := range s.Problems {
			name, word := s.Name, "warning"
			if p.Tool != "" {
				name += "." + p.Tool
			}
			if p.Skipped {
				word = "skipped"
			}
			o.note("%s: %s: %s", word, name, p.Reason)
		}
	}
	for _, f := range r.Forgotten {
		o.note("forgotten: %s is not configured any more", f)
	}
	for _, w := range r.Warnings {
		o.note("warning: %s", w)
	}
	switch s := r.Stubs; {
	case s.Installed:
		o.note("pyright %s, the type checker, was installed", s.Checker)
	case s.Problem != nil:
		o.note("warning: the stubs were not checked: %s", s.Problem.Message)
		if s.Problem.Detail != "" {
			o.note("  %s", s.Problem.Detail)
		}
		o.note("hint: %s", s.Problem.Hint)
	}
	for _, d := range r.Stubs.Errors {
		rule := ""
		if d.Rule != "" {
			rule = " (" + d.Rule + ")"
		}
		o.note("  %s:%d: %s%s", d.File, d.Line, d.Message, rule)
	}
}

// printWorkflows prints which workflows will not run, why, and what to do.
func printWorkflows(o *output, workflows []discovery.Affected) {
	for _, w := range workflows {
		o.note("will not run: %s (%s)", w.Name, w.Version)
		for _, reason := range w.Reasons {
			o.note("  %s", reason)
		}
		o.note("  to do: %s", w.Todo)
	}
}

// printTyping prints what of the servers' tools is typed loosely, and why.
func printTyping(o *output, servers []discovery.Server) error {
	var err error
	for _, s := range servers {
		if s.Typing == nil {
			continue
		}
		if text := loose(*s.Typing); text != "" {
			err = errors.Join(err, o.line("%s", term.Text(o.stdout, "  "+s.Name+": "+text)))
		}
	}
	return err
}

// loose says how much is typed loosely, and why; nothing if all is typed.
func loose(s stubs.Stats) string {
	var parts []string
	of := func(what string, all, whole, partly int) {
		if whole+partly > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s typed loosely", whole+partly, counted(all, what)))
		}
	}
	of("parameter", s.Parameters, s.ParametersUntyped, s.ParametersPartly)
	of("result", s.Results, s.ResultsUntyped, s.ResultsPartly)
	if len(parts) > 0 {
		var reasons []string
		for _, code := range slices.Sorted(maps.Keys(s.Reasons)) {
			reasons = append(reasons, fmt.Sprintf("%s %d", code, s.Reasons[code]))
		}
		parts = []string{strings.Join(parts, ", ") + " (" + strings.Join(reasons, ", ") + ")"}
	}
	if s.NoOutputSchema > 0 {
		parts = append(parts, "no output schema "+fmt.Sprint(s.NoOutputSchema))
	}
	return strings.Join(parts, ", ")
}

// outcome is what all objects of these commands have in common.
type outcome struct {
	Status string       `json:"status"`
	Error  *fault.Error `json:"error"`
}

func outcomeOf(err error) (outcome, int) {
	if err == nil {
		return outcome{Status: "completed"}, 0
	}
	e := fault.Of(err)
	return outcome{"failed", e}, e.Exit
}

func tools(n int) string { return counted(n, "tool") }

func counted(n int, what string) string { return fault.Counted(n, what) }
