package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/given"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
	"github.com/runlace/runlace/internal/words"
)

func newRunsPrune(o *output) *cobra.Command {
	p := &place{}
	older, dry, yes := "", false, false
	cmd := &cobra.Command{
		Use:   "prune --older-than TIME",
		Short: "Delete old runs from the journal",
		Long: `Deletes the runs that were over before a time from the journal, with their steps and what persons were asked, and the large
payloads that nothing refers to then. A run that is not over stays however old it is: one that waits, was interrupted or is in
doubt. It counts first and asks; --yes answers in advance, and is needed where nobody can be asked. What is deleted can neither
be replayed nor exported any more.`,
		Example: `  runlace runs prune --older-than 30d --dry-run
  runlace runs prune --older-than 12w --yes`,
		Args: exactly(0, "no arguments, and --older-than"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if older == "" {
				return fault.New("bad-usage", "it is not said which runs are old").WithHint("add --older-than TIME, as in --older-than 30d")
			}
			now := time.Now()
			before, err := given.Since("--older-than", older, now)
			if err != nil {
				return err
			}
			if before.After(now) {
				return given.OutOfRange("--older-than", older, "a time in the past")
			}
			e, err := p.engine(cmd, o, tolerant)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			n, err := e.Store().Prune(before, true)
			if err != nil {
				return err
			}
			if !dry && !yes && n.Runs+n.Blobs > 0 {
				if o.json || !term.Is(os.Stdin) {
					return fault.New("bad-usage", "nobody can be asked whether %s are to be deleted", pruned(n)).WithHint("add --yes")
				}
				ok, err := term.Ask(cmd.Context(), os.Stdin, o.stderr, "Delete %s, all from before %s?", pruned(n), when(before))
				if err != nil || !ok {
					return fault.New("cancelled", "nothing was deleted")
				}
			}
			if !dry {
				if n, err = e.Store().Prune(before, false); err != nil {
					return err
				}
			}
			if o.json {
				return o.object(struct {
					OK     bool      `json:"ok"`
					Dry    bool      `json:"dry_run"`
					Before time.Time `json:"before"`
					store.Pruned
				}{true, dry, before.UTC().Truncate(time.Millisecond), n})
			}
			if dry {
				o.note("would delete %s, all from before %s", pruned(n), when(before))
			} else {
				o.note("deleted %s", pruned(n))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&older, "older-than", "", "a `TIME`: a span such as 30d or 12w, or a date such as 2026-01-31")
	f.BoolVar(&dry, "dry-run", false, "only count what would go")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	p.homeFlag(cmd)
	return cmd
}

func pruned(n store.Pruned) string {
	return fmt.Sprintf("%s with %s, and %s of %s bytes", words.Counted(n.Runs, "run"), steps(n.Steps), words.Counted(n.Blobs, "payload"), digits(n.Bytes))
}
