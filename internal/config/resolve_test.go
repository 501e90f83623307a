package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

func TestReferences(t *testing.T) {
	env := home.NewEnv([]string{"A=hunter2", "EMPTY=", "NESTED=${A}", "B_1=b"})
	for in, want := range map[string]string{
		"${A}": "hunter2", "x${A}y${A}": "xhunter2yhunter2", "${env:A}": "hunter2", "${A:-d}": "hunter2", "${X:-d}": "d", "${X:-}": "", "${env:X:-d}": "d",
		"${EMPTY}": "", "${EMPTY:-d}": "d", "${X:-a b:-c$}": "a b:-c$", "${NESTED}": "${A}", "${B_1}": "b",
		"$A": "$A", "$$": "$$", "$${A}": "$hunter2", "$USD": "$USD", "100$": "100$", "{A}": "{A}", "}": "}", "$ {A}": "$ {A}", "é${A}é": "éhunter2é",
	} {
		c, _, err := Resolve(Connector{Name: "x", Transport: Stdio, Command: "c", Args: []string{in}}, env)
		if err != nil || c.Args[0] != want {
			t.Errorf("%s: %q, %v", in, c.Args, err)
		}
	}
	for in, want := range map[string]string{
		"${A": "bad-reference", "${}": "bad-reference", "${1A}": "bad-reference", "${config:A}": "bad-reference", "${A-d}": "bad-reference", "${A:?e}": "bad-reference", "${A:-${B}}": "bad-reference",
		"${X}": "unset-variable", "${env:X}": "unset-variable", "${env:}": "bad-reference", "${a-hunter2 !}": "bad-reference",
	} {
		_, _, err := Resolve(Connector{Name: "x", Transport: Stdio, Command: "c", Args: []string{"ok", in}, File: "/h/config.json"}, env)
		if code(err) != want || !strings.Contains(err.Error(), "connectors.x.args[1] of /h/config.json") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// Every field is resolved, and everything that is missing is told at once: file, key and variable.
func TestResolveFields(t *testing.T) {
	stdio := Connector{Name: "s", Transport: Stdio, Command: "${C}", Args: []string{"a b", "${A}"}, Env: map[string]string{"K": "${E}", "L": "${E2}"}, Dir: "${D}", EnvFile: "${F:-}", File: "/h/config.json"}
	remote := Connector{Name: "r", Transport: HTTP, URL: "https://${HOST}/${U}", Headers: map[string]string{"Authorization": "Bearer ${T}"}, File: "/h/config.json"}
	for _, c := range []struct {
		connector Connector
		want      string
	}{
		{stdio, "connector s: C is not set (in connectors.s.command of /h/config.json), A is not set (in connectors.s.args[1] of /h/config.json), " +
			"E is not set (in connectors.s.env.K of /h/config.json), E2 is not set (in connectors.s.env.L of /h/config.json), D is not set (in connectors.s.cwd of /h/config.json)"},
		{remote, "connector r: HOST is not set (in connectors.r.url of /h/config.json), U is not set (in connectors.r.url of /h/config.json), T is not set (in connectors.r.headers.Authorization of /h/config.json)"},
	} {
		_, _, err := Resolve(c.connector, home.NewEnv(nil))
		if code(err) != "unset-variable" || err.Error() != c.want {
			t.Errorf("\n got %v\nwant %s", err, c.want)
		}
		if n := len(Missing(c.connector, home.NewEnv(nil))); n != strings.Count(c.want, "is not set") {
			t.Errorf("Missing has %d", n)
		}
	}
	dir := t.TempDir()
	env := home.NewEnv([]string{"C=/bin/tool", "A=C:\\Work Dir\\A & B", "E=e-secret", "E2=e2-secret", "D=" + dir, "HOST=mcp.example", "U=mcp", "T=t-secret"})
	s, secrets, err := Resolve(stdio, env)
	if err != nil {
		t.Fatal(err)
	}
	want := stdio
	want.Command, want.Args, want.Env, want.Dir, want.EnvFile = "/bin/tool", []string{"a b", "C:\\Work Dir\\A & B"}, map[string]string{"K": "e-secret", "L": "e2-secret"}, dir, ""
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	if !strings.Contains(strings.Join(secrets, "\n"), "e-secret\n") && secrets[len(secrets)-1] != "e-secret" {
		t.Error(secrets)
	}
	r, secrets, err := Resolve(remote, env)
	if err != nil || r.URL != "https://mcp.example/mcp" || r.Headers["Authorization"] != "Bearer t-secret" || !strings.Contains(fmt.Sprint(secrets), "t-secret") {
		t.Errorf("%v, %v, %v", r, secrets, err)
	}
	if remote.Headers["Authorization"] != "Bearer ${T}" {
		t.Error("the connector itself keeps its references")
	}
}

func TestResolveBadValue(t *testing.T) {
	for name, c := range map[string]Connector{
		"no URL":     {Name: "x", Transport: HTTP, URL: "${V}"},
		"line break": {Name: "x", Transport: HTTP, URL: "https://x", Headers: map[string]string{"A": "${V}"}},
		"no command": {Name: "x", Transport: Stdio, Command: "${EMPTY}"},
	} {
		_, _, err := Resolve(c, home.NewEnv([]string{"V=hunter2\nhunter3", "EMPTY="}))
		if code(err) != "bad-connector" || strings.Contains(fmt.Sprint(err, fault.Of(err).Hint), "hunter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSecrets(t *testing.T) {
	env := home.NewEnv([]string{"HOME=/home/ada", "TOKEN=abcd-efgh", "LONGER_TOKEN=abcd-efgh-ijkl", "SHORT=ab", "MAX_TOKENS=4096", "ANY=something", "EMPTY_KEY=", "PIN_SECRET=12345"})
	c := Connector{Name: "x", Transport: Stdio, Command: "c", Args: []string{"${HOME}/x", "${SHORT}", "${MAX_TOKENS}", "${ANY}", "${EMPTY_KEY}"},
		Env: map[string]string{"A": "${TOKEN}", "B": "${LONGER_TOKEN}", "C": "${TOKEN}", "D": "${NOT:-a-default-value}", "E": "${PIN_SECRET}", "API_KEY": "literal-by-hand"}}
	_, secrets, err := Resolve(c, env)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"literal-by-hand", "abcd-efgh-ijkl", "abcd-efgh", "something", "12345"}, secrets); d != "" {
		t.Error("the longest first, without what would spoil every text:", d)
	}
}

func TestEnvFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("API_TOKEN=from-the-file\nMODE=file\nNODE_ENV=test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Connector{Name: "x", Transport: Stdio, Command: "~/bin/tool", Dir: "sub", EnvFile: ".env", Env: map[string]string{"MODE": "mine"}, File: filepath.Join(dir, "config.json")}
	out, secrets, err := Resolve(c, home.NewEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"API_TOKEN": "from-the-file", "MODE": "mine", "NODE_ENV": "test"}, out.Env); d != "" {
		t.Error(d)
	}
	if out.Dir != filepath.Join(dir, "sub") || out.EnvFile != "" || strings.HasPrefix(out.Command, "~") || !filepath.IsAbs(out.Command) {
		t.Errorf("%+v", out)
	}
	if d := cmp.Diff([]string{"from-the-file"}, secrets); d != "" {
		t.Error(d)
	}
	c.EnvFile = "missing"
	if _, _, err := Resolve(c, home.NewEnv(nil)); code(err) != "bad-env-file" || !strings.HasPrefix(err.Error(), "connector x, envFile: ") {
		t.Error(err)
	}
}
