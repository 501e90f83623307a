package project

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
)

// lockOf is the text of a lock with tools of these names, of one connector.
func lockOf(names ...string) []byte {
	c := Locked{Name: "files", Attr: "files", Server: Server{"lab", "1"}}
	for _, n := range names {
		c.Add(catalog.New("files", catalog.Tool{
			Name: n, Description: "said to readers", InputSchema: json.RawMessage(`{"type":"object","properties":{"` + n + `":{"type":"string"}},"required":["` + n + `"]}`),
		}), n)
	}
	return (&Lock{Connectors: []Locked{c}}).JSON()
}

// Two branches that each begin to use a tool of their own merge without a person, into the lock that runlace lock would write.
func TestLocksMerge(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func(names ...string) {
		t.Helper()
		if _, err := Replace(filepath.Join(dir, LockFile), lockOf(names...)); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-q", "-m", "tools")
	}
	git("init", "-q", "-b", "main", ".")
	commit("copy", "move", "read", "write")
	git("checkout", "-q", "-b", "one")
	commit("append", "copy", "move", "read", "write")
	git("checkout", "-q", "main")
	git("checkout", "-q", "-b", "two")
	commit("copy", "move", "open", "read") // one more, and one that nobody uses any more
	git("merge", "-q", "-m", "both", "one")
	got, err := os.ReadFile(filepath.Join(dir, LockFile))
	if err != nil {
		t.Fatal(err)
	}
	if want := lockOf("append", "copy", "move", "open", "read"); !slices.Equal(got, want) {
		t.Errorf("merged\n%s\nand not\n%s", got, want)
	}
}
