package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/execfile"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
)

func newApprovals(o *output) *cobra.Command {
	p := &place{}
	cmd := &cobra.Command{
		Use:   "approvals [RUN]",
		Short: "Show what waits for a person's consent",
		Long: `Shows what waits for a person's consent, oldest first: what would be done, by which tools, where their calls go, with which
inputs, what a dry run on the same inputs saw, and the commands that answer. A run that waits with one step shows its arguments,
exactly as they will be sent. With a run it shows all that the run has asked, and what was answered.

Who has to consent to what is said by approval in config.json, and by policy.yaml for connectors and tools.`,
		Example: `  runlace approvals
  runlace approvals run_0123456789ab --json`,
		Args:              between(0, 1, "one run's id, or none"),
		ValidArgsFunction: p.completeParked,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, tolerant)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			cards, err := library.Cards(e, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if o.json {
				return o.object(map[string]any{"approvals": cards})
			}
			if len(cards) == 0 {
				o.note("nothing waits for consent")
			}
			for i, c := range cards {
				if i > 0 {
					if err := o.line(""); err != nil {
						return err
					}
				}
				if err := o.line("%s", term.Text(o.stdout, card(c))); err != nil {
					return err
				}
			}
			return nil
		},
	}
	p.homeFlag(cmd)
	return cmd
}

// cardChars is how much of a value a card shows.
const cardChars = 4000

// card is a question as text.
func card(c library.Card) string {
	var b strings.Builder
	if c.Run != "" {
		fmt.Fprintf(&b, "%s  ", c.Run)
	}
	fmt.Fprintf(&b, "%s, version %s, %s\n", c.Workflow, c.Version, c.Asks)
	for _, t := range c.Acts {
		fmt.Fprintf(&b, "  %s.%s", t.Connector, t.Tool)
		if t.Does != "" {
			fmt.Fprintf(&b, "  %s", t.Does)
		}
		if t.Target != "" {
			fmt.Fprintf(&b, "  -> %s", t.Target)
		}
		b.WriteString("\n")
	}
	if c.Seq > 0 {
		fmt.Fprintf(&b, "Step %d, arguments:\n%s\n", c.Seq, indented(c.Arguments))
	}
	fmt.Fprintf(&b, "Inputs:\n%s\n", indented(c.Inputs))
	if len(c.Preview) > 0 {
		b.WriteString(preview(c.Preview))
	} else {
		b.WriteString("No dry run on these inputs has been made: runlace dry-run shows what would be sent\n")
	}
	for _, t := range c.Trimmed {
		fmt.Fprintf(&b, "  cut: %s\n", t)
	}
	switch {
	case c.Yes != "":
		fmt.Fprintf(&b, "Asked %s, expires %s\n", when(c.AskedAt), when(c.ExpiresAt))
		fmt.Fprintf(&b, "  %s\n  %s", c.Yes, c.No)
	case c.Run != "":
		fmt.Fprintf(&b, "Asked %s, %s %s", when(c.AskedAt), c.State, when(c.AnsweredAt))
		if c.Note != "" {
			fmt.Fprintf(&b, ": %s", c.Note)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// preview is what a dry run saw, as text.
func preview(j json.RawMessage) string {
	var p engine.Preview
	if json.Unmarshal(j, &p) != nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The dry run of %s (%s, %s) saw:\n", when(p.At), p.RunID, p.Status)
	for _, a := range p.Acts {
		fmt.Fprintf(&b, "  %d  %s.%s %s\n", a.Seq, a.Connector, a.Tool, shortened(string(a.Arguments), 300))
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "  and %d more\n", p.More)
	}
	if len(p.Acts) == 0 {
		b.WriteString("  no acts\n")
	}
	return b.String()
}

// indented is a JSON value below a title. What is cut of a large one is said.
func indented(j json.RawMessage) string {
	if len(j) == 0 {
		j = json.RawMessage("{}")
	}
	return "  " + strings.ReplaceAll(shortened(execfile.Indent(j), cardChars), "\n", "\n  ")
}

func shortened(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d characters; --json has all)", string(r[:most]), len(r))
}

// person asks whoever sits at the terminal; nil if nobody can be asked.
func (o *output) person(e *engine.Engine, settle func()) engine.Person {
	if o.json || !term.Is(os.Stdin) || !term.Is(o.stderr) {
		return nil
	}
	return func(ctx context.Context, q engine.Question) (engine.Reply, error) {
		acts, err := json.Marshal(q.Acts)
		if err != nil {
			return engine.NobodyThere, err
		}
		c, err := library.CardOf(e, store.Approval{
			Workflow: q.Workflow, Version: q.Version, Seq: q.Seq, Acts: acts, Arguments: q.Arguments, Inputs: q.Inputs, Preview: q.Preview,
		})
		if err != nil {
			return engine.NobodyThere, err
		}
		settle()
		o.text(card(c))
		in := &ending{Reader: os.Stdin}
		yes, err := term.Ask(ctx, in, o.stderr, "Do you consent?")
		switch {
		case err != nil || !yes && in.ended: // Ctrl-C and Ctrl-D are no answers: it waits
			return engine.NobodyThere, nil
		case yes:
			return engine.Accepted, nil
		}
		return engine.Declined, nil
	}
}

// ending is a reader that remembers whether its end was reached.
type ending struct {
	io.Reader
	ended bool
}

func (r *ending) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.ended = r.ended || errors.Is(err, io.EOF)
	return n, err
}

func newApprove(o *output) *cobra.Command {
	p := &place{}
	note, digest, stay := "", "", false
	cmd := &cobra.Command{
		Use:   "approve RUN",
		Short: "Consent to what a run waits with",
		Long: `Consents to what a run waits with, as runlace approvals shows it, and runs it right here; or leaves it to the process that drains
the queue (runlace serve --http), if one does. Drift and the policy are looked at again first: what has changed since it was asked
is not consented to. With --digest consent is given to that question and to no other. A note is kept in the journal.

Exit codes: those of runlace run; 0 also if another process runs it, or with --no-run; 2 if it does not wait, or was answered
before; 3 if it is too late, or something has changed.`,
		Example: `  runlace approve run_0123456789ab --note "checked the recipients"
  runlace approve run_0123456789ab --digest 0123456789abcdef --no-run`,
		Args:              exactly(1, "one run's id"),
		ValidArgsFunction: p.completeParked,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEngine(cmd, o, p, func(e *engine.Engine, w *watch) error {
				run, err := e.Approve(cmd.Context(), args[0], digest, note)
				if err != nil {
					return err
				}
				w.done()
				if !o.json {
					o.note("approved: %s", approvedActs(run))
				}
				drainer, drained, err := e.Drainer()
				if err != nil {
					return err
				}
				if !stay && !drained {
					return resumed(cmd, o, e, w, run.ID)
				}
				if o.json {
					return o.object(run)
				}
				if drained {
					o.note("process %d on %s (%s) runs it", drainer.Executor.PID, drainer.Executor.Host, drainer.What)
					o.note("hint: runlace runs show %s --follow", run.ID)
				} else {
					o.note("it is in the queue, which no process drains")
					o.note("hint: runlace resume %s", run.ID)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&note, "note", "", "`TEXT` that is kept with the consent")
	f.StringVar(&digest, "digest", "", "the `DIGEST` of the question that was seen: consent to any other is refused")
	f.BoolVar(&stay, "no-run", false, "leave it in the queue")
	p.homeFlag(cmd)
	p.envFlag(cmd)
	return cmd
}

func approvedActs(r *engine.Run) string {
	var acts []engine.ToolUse
	if r.Approval == nil || json.Unmarshal(r.Approval.Acts, &acts) != nil {
		return r.ID
	}
	var names []string
	for _, t := range acts {
		names = append(names, t.Connector+"."+t.Tool)
	}
	what := strings.Join(names, ", ")
	if r.Approval.Seq > 0 {
		what = fmt.Sprintf("step %d, %s", r.Approval.Seq, what)
	}
	return what + ", in run " + r.ID
}

func newReject(o *output) *cobra.Command {
	p := &place{}
	reason, digest := "", ""
	cmd := &cobra.Command{
		Use:   "reject RUN",
		Short: "Refuse what a run waits with, which ends it",
		Long: `Refuses what a run waits with, which ends it. The reason is kept in the journal, and told to whoever asked for the run.

Exit codes: 0 rejected, 2 it does not wait, or was answered before, 3 it is too late.`,
		Example:           `  runlace reject run_0123456789ab --reason "the second recipient has left"`,
		Args:              exactly(1, "one run's id"),
		ValidArgsFunction: p.completeParked,
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return fault.New("bad-usage", "a rejection needs a reason").WithHint("add --reason TEXT, for whoever asked for the run")
			}
			e, err := p.engine(cmd, o, tolerant)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			run, err := e.Reject(args[0], digest, reason)
			if err != nil {
				return err
			}
			if o.json {
				return o.object(run)
			}
			o.note("rejected: run %s of %s is over", run.ID, run.Name)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&reason, "reason", "", "why, in a `SENTENCE`")
	f.StringVar(&digest, "digest", "", "the `DIGEST` of the question that was seen: an answer to any other is refused")
	p.homeFlag(cmd)
	return cmd
}

// completeParked completes the first argument with the ids of runs that wait for a person.
func (p *place) completeParked(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return p.completeRunsIn(args, store.AwaitingApproval)
}
