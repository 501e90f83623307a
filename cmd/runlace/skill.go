package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/term"
)

func newSkill(o *output) *cobra.Command {
	p := &place{}
	cmd := &cobra.Command{
		Use:   "skill",
		Short: "Print what an agent reads before it writes a workflow",
		Long: `Prints how to write a workflow, and the calls of all tools: what an agent gets from the tool get_skill. To give it to an
agent that does not speak MCP, put it into its instructions.`,
		Example: `  runlace skill > SKILL.md`,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := p.engine(cmd, o, nil)
			if err != nil {
				return err
			}
			defer func() { _ = e.Close() }()
			skill, err := e.Skill()
			if err != nil {
				return err
			}
			if o.json {
				return o.object(skill)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s\n# Tools here\n", strings.TrimSuffix(skill.Text, "\n")+"\n")
			for _, c := range skill.Connectors {
				fmt.Fprintf(&b, "\n## %s (%s)\n\n", c.Connector, c.Status)
				for _, t := range c.Tools {
					fmt.Fprintf(&b, "- `%s` (%s): %s\n", t.Call, t.Risk, t.Description)
				}
			}
			return o.line("%s", strings.TrimSuffix(term.Text(o.stdout, b.String()), "\n"))
		},
	}
	p.homeFlag(cmd)
	return cmd
}
