package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/execfile"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/term"
)

func newShow(o *output) *cobra.Command {
	p := &place{}
	version, code := "", false
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a workflow: code, schemas, tools, versions",
		Long: `Shows a version of a workflow: what it does, its schemas, the tools that it uses and whether one of them has changed since,
all versions, and the code.`,
		Example: `  runlace show weekly-report
  runlace show weekly-report --code > weekly.py`,
		Args:              exactly(1, "one workflow's name"),
		ValidArgsFunction: p.completeWorkflows(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			shown, err := library.Show(e.Store(), e, args[0], version)
			if err != nil {
				return err
			}
			switch {
			case o.json:
				return o.object(shown)
			case code:
				_, err := io.WriteString(o.stdout, shown.Code)
				return writeError(err)
			}
			return printShown(o, shown)
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "the `VERSION` to show (default: the latest)")
	cmd.Flags().BoolVar(&code, "code", false, "print the code alone")
	p.homeFlag(cmd)
	return cmd
}

func printShown(o *output, s *library.Shown) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, version %s of %s\n", s.Name, s.Version, when(s.CreatedAt))
	if s.Description != "" {
		fmt.Fprintf(&b, "%s\n", s.Description)
	}
	fmt.Fprintf(&b, "%s\n\nTools:\n", s.File)
	for _, t := range s.ToolsUsed {
		fmt.Fprintf(&b, "  %s.%s  %s\n", t.Connector, t.Tool, t.Risk)
	}
	if len(s.ToolsUsed) == 0 {
		b.WriteString("  none\n")
	}
	if len(s.Drift) > 0 {
		b.WriteString("\nChanged since this version was made, so that it does not run:\n")
	}
	for _, d := range s.Drift {
		fmt.Fprintf(&b, "  %s.%s: %s\n", d.Connector, d.Tool, strings.Join(d.Changes, "; "))
	}
	b.WriteString("\nVersions:\n")
	for _, v := range s.Versions {
		mark := ""
		if v.Latest {
			mark = "  latest"
		}
		fmt.Fprintf(&b, "  %s  %s%s\n", v.Version, when(v.CreatedAt), mark)
	}
	fmt.Fprintf(&b, "\nInputs:\n%s\n", execfile.Indent(s.Inputs))
	if len(s.Outputs) > 0 {
		fmt.Fprintf(&b, "\nOutputs:\n%s\n", execfile.Indent(s.Outputs))
	}
	fmt.Fprintf(&b, "\nCode:\n%s", s.Code)
	return o.line("%s", strings.TrimSuffix(term.Text(o.stdout, b.String()), "\n"))
}
