// Package docs makes the pages of docs/ that say what the code says, and checks the others against it.
//
//	page := docs.Commands(root, docs.Examples(scripts))  // docs/commands.md
//	page := docs.Errors(fault.Table())                   // docs/errors.md
//	for _, line := range docs.CommandLines(markdown) {
//		err := docs.Parses(root, line)
//	}
//
// The pages are kept in the repository, where they are read. A test of cmd/runlace fails when one is not what this package makes, and writes it
// anew with -update.
package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
)

// made is the first line of a page that is generated.
const made = "<!-- Made by: go test ./cmd/runlace -run TestDocs -update -->\n"

// Visible are the commands that a user sees, depth first.
func Visible(root *cobra.Command) (list []*cobra.Command) {
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "completion" {
			continue
		}
		list = append(append(list, c), Visible(c)...)
	}
	return list
}

// Commands is the page of all commands: what each is for, its flags, and examples that a test runs.
func Commands(root *cobra.Command, examples []string) string {
	var b strings.Builder
	b.WriteString("# Commands\n\n" + made + `
Every command has ` + "`--help`" + `, and ` + "`--json`" + ` for one JSON object on standard output. The examples here are run by a test
(` + "`cmd/runlace/testdata/script`" + `); a comment behind one is its exit code, where that is not 0. What the codes of errors mean is in
[errors.md](errors.md).

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed; of ` + "`check`" + ` and ` + "`diff`" + `: something was found |
| 2 | usage or configuration |
| 3 | refused by a gate |
| 4 | waiting for a person; of ` + "`check`" + `: the type checker is missing |
| 5 | in doubt: an act may or may not have happened |
| 130 | interrupted or cancelled |

`)
	commands := Visible(root)
	for _, c := range commands {
		fmt.Fprintf(&b, "- [`%s`](#%s): %s\n", c.CommandPath(), anchor(c.CommandPath()), lower(c.Short))
	}
	for _, c := range commands {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.CommandPath(), paragraphs(c.Long, c.Short))
		if c.Runnable() {
			fmt.Fprintf(&b, "\n    %s\n", c.UseLine())
		}
		if lines := For(c, commands, examples); len(lines) > 0 {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.Join(lines, "\n"))
		}
		if flags := c.LocalNonPersistentFlags(); flags.HasAvailableFlags() && c.Runnable() {
			usage := flags.FlagUsagesWrapped(110)
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.TrimRight(noHelp.ReplaceAllString(usage, ""), "\n"))
		}
	}
	return b.String()
}

var noHelp = regexp.MustCompile(`(?m)^  -h, --help .*\n`)

func anchor(heading string) string { return strings.ReplaceAll(heading, " ", "-") }

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// paragraphs makes Markdown of a command's help: text in which a * or a _ is one, and where a line that was indented stays as it is.
func paragraphs(long, short string) string {
	if long == "" {
		long = short + "."
	}
	lines := strings.Split(strings.TrimSpace(long), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "  ") {
			lines[i] = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`).Replace(line)
		} else {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

var (
	exampleLine = regexp.MustCompile(`(?m)^(?:\[[^\]]*\] )?(?:exec |exits (\d+) )?(\S.*?)\s+# example(?:: (.*))?$`)
	variable    = strings.NewReplacer("$RUN", "run_0123456789ab", "$FIRST", "run_0123456789ab", "$OLD", "3f9a0c1d2b4e5f60", "$FIXTURE", "my-server", "$WORK/", "", "$DIGEST", "0123456789abcdef")
)

// Examples are the lines of test scripts that end with "# example", as a user would write them. A line that is no command of its own has
// it behind a colon.
func Examples(scripts ...string) (lines []string) {
	for _, s := range scripts {
		for _, m := range exampleLine.FindAllStringSubmatch(s, -1) {
			line := m[2]
			if m[3] != "" {
				line = m[3]
			}
			line = variable.Replace(line)
			if m[1] != "" && m[1] != "0" && m[3] == "" {
				line += "  # exit code " + m[1]
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// For are the examples of a command, without those of the commands below it.
func For(c *cobra.Command, all []*cobra.Command, examples []string) (mine []string) {
	is := func(line, path string) bool { return line == path || strings.HasPrefix(line, path+" ") }
	for _, line := range examples {
		below := slices.ContainsFunc(all, func(x *cobra.Command) bool { return x.Parent() == c && is(line, x.CommandPath()) })
		if is(line, c.CommandPath()) && !below {
			mine = append(mine, line)
		}
	}
	return mine
}

// kinds are the headings of the page of errors.
var kinds = []struct {
	kind  fault.Kind
	title string
}{
	{fault.Usage, "The command, its files or the machine"},
	{fault.Compile, "A workflow is refused, or a check has found something"},
	{fault.Gate, "A gate refused the run before it began"},
	{fault.Waiting, "A person has to answer"},
	{fault.Doubt, "A person has to find out what happened"},
	{fault.Workflow, "The workflow has to change"},
	{fault.Limit, "A limit of the run"},
	{fault.Tool, "A call failed; a workflow sees it as ToolError and may catch it"},
	{fault.Stopped, "Ended from outside"},
	{fault.Bug, "Bugs"},
}

// Errors is the page of all codes.
func Errors(table []fault.Entry) string {
	var b strings.Builder
	b.WriteString("# Error codes\n\n" + made + `
Every error has a code, which is in ` + "`--json`" + ` under ` + "`error.code`" + ` or ` + "`code`" + `, and over MCP in the structured content.
` + "`runlace explain CODE`" + ` prints what is here.

`)
	for _, k := range kinds {
		var rows []fault.Entry
		for _, e := range table {
			if e.Kind == k.kind {
				rows = append(rows, e)
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\nExit code %d.\n\n| code | meaning | what to do |\n|---|---|---|\n", k.title, rows[0].Exit)
		for _, e := range rows {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Code, cell(e.Meaning), cell(e.Hint))
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// cell is a text in a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "\n", " ").Replace(s)
}
