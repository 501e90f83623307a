package recorder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/project"
)

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"a", "a/in", "b", "c"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "server.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "c"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	command := func(connector string) ([]string, string) {
		switch connector {
		case "one":
			return []string{"node", at("server.js"), at("a") + "/", at("a"), "--verbose", "relative", at("none"), string(filepath.Separator)}, ""
		case "two":
			return []string{at("b"), at("a/in"), at("b")}, at("c")
		case "linked":
			return []string{"node", at("link")}, ""
		}
		return nil, ""
	}
	for _, c := range []struct {
		name       string
		connectors []string
		want       []string
	}{
		{"a connector that is not started has none", []string{"remote"}, nil},
		{"a folder, but no file, nothing relative, nothing that is not there and not the root", []string{"one"}, []string{"a=/one"}},
		{"several, and the folder to start in; not the command; one in another goes first", []string{"one", "two"}, []string{"a/in=/two", "a=/one", "b=/two-2", "c=/two-3"}},
		{"where a link leads as well", []string{"linked"}, []string{"link=/linked", "c=/linked"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range places(command, c.connectors) {
				if rel, err := filepath.Rel(dir, p.here); err == nil && filepath.IsLocal(rel) { // else the folder of the test is behind a link itself
					got = append(got, filepath.ToSlash(rel)+"="+p.there)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestElsewhere(t *testing.T) {
	all := []place{{"/srv/team/in", "/in"}, {"/srv/team", "/files"}}
	for _, c := range []struct{ text, want string }{
		{"/srv/team", "/files"},
		{"/srv/team/a.txt and /srv/team/in/b.txt", "/files/a.txt and /in/b.txt"},
		{"open '/srv/team/a b.txt'", "open '/files/a b.txt'"},
		{"file:///srv/team/a", "file:///files/a"},
		{"it is in /srv/team.", "it is in /files."},
		{"/srv/team.old /srv/teams /srv/team-2 /srv/team_2", "/srv/team.old /srv/teams /srv/team-2 /srv/team_2"},
		{"/data/srv/team", "/data/srv/team"},
		{"/srv/team/inner", "/files/inner"},
		{"nothing", "nothing"},
	} {
		if got := (mover{all, map[place]bool{}}).text(c.text); got != c.want {
			t.Errorf("%s became %s, want %s", c.text, got, c.want)
		}
	}

	raw := func(s string) json.RawMessage { return json.RawMessage(strings.ReplaceAll(s, "@", "/srv/team")) }
	failure := &hostfuncs.Error{Code: "tool-error", Message: "no /srv/team/x", Data: raw(`{"path": "@/x"}`)}
	made := project.Case{
		Inputs: raw(`{"path": "@/x", "n": 1.50}`), Output: raw(`["\/srv\/team"]`), Failure: failure,
		Answers: []project.Call{{Arguments: raw(`{"@": {"a": ["@"]}}`), Err: failure}},
		Acts:    []project.Call{{Arguments: raw(`{"n": 1.50}`), Result: raw(`"@/y"`)}},
	}
	c := made
	if found := elsewhere(&c, all); !slices.Equal(found, all[1:]) {
		t.Errorf("%v were found", found)
	}
	for got, want := range map[string]string{
		string(c.Inputs):               `{"path":"/files/x","n":1.50}`,
		string(c.Output):               `["/files"]`,
		string(c.Answers[0].Arguments): `{"/files":{"a":["/files"]}}`,
		c.Answers[0].Err.Message + string(c.Answers[0].Err.Data): `no /files/x{"path":"/files/x"}`,
		c.Failure.Message:           "no /files/x",
		string(c.Acts[0].Arguments): `{"n": 1.50}`, // as it is written, where there is nothing to replace
		string(c.Acts[0].Result):    `"/files/y"`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if failure.Message != "no /srv/team/x" {
		t.Error("the failure of the run itself was changed")
	}

	// There and back.
	if got := here(c.Inputs, all); string(got) != `{"path":"/srv/team/x","n":1.50}` {
		t.Errorf("%s", got)
	}
	if got := here(raw(`["/in/a", "/files-2/b", "/filesystem"]`), all); string(got) != `["/srv/team/in/a","/files-2/b","/filesystem"]` {
		t.Errorf("%s", got)
	}
}

func TestLives(t *testing.T) {
	c := &project.Case{Answers: []project.Call{{Result: json.RawMessage(`"/home/ada/notes"`)}}}
	for home, want := range map[string]bool{"/home/ada": true, "/home/ad": false, "/": false, "": false, "ada": false} {
		if got := lives(c, home); got != want {
			t.Errorf("%q: %v", home, got)
		}
	}
	if string(c.Answers[0].Result) != `"/home/ada/notes"` {
		t.Errorf("%s", c.Answers[0].Result)
	}
}
