package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/project"
)

func newNew(o *output) *cobra.Command {
	dir := "."
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a workflow in a project",
		Long: `Makes the folder of a workflow, with code that compiles, its description and schemas, and a case that passes: something to
change. It is made in the project that the current folder is in; where there is none, the folder becomes one, with a
runlace.yaml. No home, no server and no pyright are needed for that.

A project is workflows in a repository: runlace check compiles and rehearses them, without servers, and runlace push stores them.`,
		Example: `  runlace new weekly-report
  runlace new weekly-report --dir flows`,
		Args: exactly(1, "the name of a workflow"),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := project.New(dir, args[0])
			if err != nil {
				return err
			}
			return printMade(o, m, "change "+filepath.Join(shownPath(m.Dir), project.CodeFile)+", then: runlace check")
		},
	}
	dirFlag(cmd, &dir)
	return cmd
}

// dirFlag adds --dir, which every command has that works with a project.
func dirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "dir", ".", "a `FOLDER` of the project (default: the current one)")
	_ = cmd.MarkFlagDirname("dir")
	cmd.Flags().Lookup("dir").DefValue = ""
}

// printMade says which files were written, and what comes next.
func printMade(o *output, m *project.Made, next string) error {
	files := []string{}
	for _, f := range m.Files {
		files = append(files, shownPath(f))
	}
	if o.json {
		return o.object(struct {
			OK    bool     `json:"ok"`
			Dir   string   `json:"dir"`
			Files []string `json:"files"`
		}{true, shownPath(m.Dir), files})
	}
	for _, f := range files {
		if err := o.line("%s", f); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		o.note("nothing has changed in %s", shownPath(m.Dir))
		return nil
	}
	o.note("%s", next)
	return nil
}

// shownPath is a path as seen from the current folder, if it is below it.
func shownPath(path string) string {
	if here, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path
}
