package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
)

func newExplain(o *output) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Say what an error code means and what to do",
		Long:  `Says what an error code means and what to do. Without a code it lists them all.`,
		Example: `  runlace explain cpu-limit
  runlace explain`,
		Args: between(0, 1, "one code, or none"),
		ValidArgsFunction: func(*cobra.Command, []string, string) (codes []string, _ cobra.ShellCompDirective) {
			for _, e := range fault.Table() {
				codes = append(codes, e.Code)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listCodes(o)
			}
			e, ok := fault.Lookup(args[0])
			if !ok {
				return fault.New("unknown-code", "there is no error code %s", args[0])
			}
			if o.json {
				return o.object(e)
			}
			return o.line("%s (%s, exit code %d)\n\n%s\n\nWhat to do: %s.", e.Code, e.Kind, e.Exit, e.Meaning, e.Hint)
		},
	}
}

func listCodes(o *output) error {
	if o.json {
		return o.object(map[string]any{"codes": fault.Table()})
	}
	w := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', 0)
	for _, e := range fault.Table() {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", e.Code, e.Kind, firstSentence(e.Meaning))
	}
	return writeError(w.Flush())
}

func firstSentence(s string) string {
	first, _, _ := strings.Cut(s, ". ")
	return strings.TrimSuffix(first, ".")
}
