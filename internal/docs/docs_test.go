package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/runlace/runlace/internal/fault"
)

func root() *cobra.Command {
	root := &cobra.Command{Use: "tool"}
	do := &cobra.Command{Use: "do NAME", Short: "Does", Long: "Does it.\n\n  as *is*", Args: cobra.ExactArgs(1), RunE: func(*cobra.Command, []string) error { return nil }}
	do.Flags().Int("times", 1, "how `OFTEN`")
	do.AddCommand(&cobra.Command{Use: "undo", Short: "Undoes", Run: func(*cobra.Command, []string) {}})
	root.AddCommand(do, &cobra.Command{Use: "secret", Hidden: true, Run: func(*cobra.Command, []string) {}})
	return root
}

func TestCommands(t *testing.T) {
	page := Commands(root(), Examples("exec tool do x # example\nexits 3 tool do y # example\n[unix] exec tool do undo   # example\nlogin 0 z # example: tool do z\nexec tool do w\n"))
	for _, want := range []string{
		"- [`tool do undo`](#tool-do-undo): undoes\n", "\n## tool do\n\nDoes it.\n\n    as *is*\n\n    tool do NAME [flags]\n\n",
		"```sh\ntool do x\ntool do y  # exit code 3\ntool do z\n```\n", "```sh\ntool do undo\n```\n", "--times OFTEN",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	for _, not := range []string{"secret", "--help ", "tool do w"} {
		if strings.Contains(strings.SplitN(page, "\n- ", 2)[1], not) {
			t.Errorf("%q is in it", not)
		}
	}
}

func TestErrors(t *testing.T) {
	page := Errors(fault.Table())
	for _, e := range fault.Table() {
		if strings.Count(page, "\n| `"+e.Code+"` |") != 1 {
			t.Errorf("%s is not in the page once", e.Code)
		}
	}
}

func TestCommandLines(t *testing.T) {
	page := "text runlace no\n\n```sh\n$ runlace a\nX=1 runlace b 'c d' \\\n  --e\necho x | runlace f -\nls runlace\n```\n\n    runlace g  # why\n\n1. x\n   ```yaml\n   - run: runlace h\n   ```\n"
	want := []string{"runlace a", "runlace b 'c d'    --e", "runlace f -", "runlace h", "runlace g  # why"}
	if diff := cmp.Diff(want, CommandLines(page)); diff != "" {
		t.Error(diff)
	}
}

func TestParses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"tool do x --times 3 # often", ""},
		{"tool do 'x y' > file", ""},
		{"tool do NAME [flags]", ""},
		{"tool do", "accepts 1 arg(s), received 0"},
		{"tool do x --time 3", "unknown flag: --time"},
		{"tool don x", `unknown command "don" for "tool"`},
		{"tool do 'x", "a quote stays open"},
	} {
		got := ""
		if err := Parses(root(), c.line); err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# One: `two`\n[x](b.md) [x](b.md#part) [x](#one-two) [x](c.md) [x](b.md#no) [x](#no) [x](https://example.com/no)\n```\n[x](d.md)\n```\n",
		"b.md": "## Part\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	broken, err := BrokenLinks(filepath.Join(dir, "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c.md", "b.md#no", "#no"}, broken); diff != "" {
		t.Error(diff)
	}
}
