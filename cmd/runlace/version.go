package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/assets"
)

// release is the version of the source. A binary that was installed from a tag has the tag's.
const release = "0.1.0-dev"

func newVersion(o *output) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and that of the Python inside",
		Long: `Prints the version of Runlace, of the Python inside and of the Go that it was built with, and the platform. The guest
build identifies the sandbox: runs of one build are repeatable to the instruction.`,
		Example: `  runlace version --json`,
		Args:    exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			guest, err := assets.Guest()
			if err != nil {
				return err
			}
			v := struct {
				Version  string `json:"version"`
				Guest    string `json:"guest"`
				Python   string `json:"python"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{version(), guest.Build, guest.Python, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if o.json {
				return o.object(v)
			}
			return o.line("runlace %s\nguest   %.16s\npython  %s\ngo      %s\non      %s", v.Version, v.Guest, v.Python, v.Go, v.Platform)
		},
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return release
}
