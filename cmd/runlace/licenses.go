package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/assets"
)

func newLicenses(o *output) *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of everything inside",
		Long: `Prints the licence texts of everything that is inside the binary: the Go modules that it is made of, the Python that runs
workflows, and what that contains.`,
		Example: `  runlace licenses | less
  runlace licenses --json`,
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			components, err := assets.Licenses()
			if err != nil {
				return err
			}
			if o.json {
				return licensesJSON(o, components)
			}
			for _, c := range components {
				if err := o.line("%-32s %-24s %s", c.Name, c.Version, c.License); err != nil {
					return err
				}
			}
			rule := strings.Repeat("=", 80)
			for _, c := range components {
				if err := o.line("\n%s\n%s\n%s", rule, strings.TrimSpace(c.Name+" "+c.Version), rule); err != nil {
					return err
				}
				for _, f := range c.Files {
					text, err := assets.LicenseText(f)
					if err != nil {
						return err
					}
					if err := o.line("\n%s", strings.TrimRight(text, "\n")); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

func licensesJSON(o *output, components []assets.Component) error {
	type full struct {
		assets.Component
		Texts []string `json:"texts"` // of Files
	}
	all := make([]full, len(components))
	for i, c := range components {
		all[i].Component = c
		for _, f := range c.Files {
			text, err := assets.LicenseText(f)
			if err != nil {
				return err
			}
			all[i].Texts = append(all[i].Texts, text)
		}
	}
	return o.object(map[string]any{"components": all})
}
