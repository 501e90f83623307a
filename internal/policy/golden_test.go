package policy

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/catalog"
)

var update = flag.Bool("update", false, "write the golden files anew")

// report is all that a file comes to: warnings, then the answers about all that it mentions and about a tool that it does not.
func report(p *Policy) string {
	var b strings.Builder
	for _, w := range p.Warnings() {
		fmt.Fprintln(&b, w)
	}
	fmt.Fprintf(&b, "broken: %t\n", p.Broken())
	seen := map[catalog.Key]bool{}
	for _, m := range append(p.mentions, mention{key: catalog.Key{Connector: "any", Tool: "tool"}}) {
		if m.key.Tool == "" {
			m.key.Tool = "others"
		}
		if seen[m.key] {
			continue
		}
		seen[m.key] = true
		key, resend := p.Idempotent(m.key.Connector, m.key.Tool)
		again := map[bool]string{true: "resend", false: key}[resend]
		line := fmt.Sprintf("%-24s %-5s by default allow, %-5s by default ask; reads: %-11s acts: %-11s %s", m.key,
			p.Approval(m.key.Connector, m.key.Tool, "allow"), p.Approval(m.key.Connector, m.key.Tool, "ask"),
			p.Risk(m.key.Connector, m.key.Tool, "", ro), p.Risk(m.key.Connector, m.key.Tool, "", se), again)
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	return b.String()
}

// The files' names say what comes of them: nothing to say of good ones, warnings of wrong ones, and of broken ones that they are that.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := Parse(text, "policy.yaml")
			kind, _, _ := strings.Cut(name, "_")
			if want := map[string][2]bool{"good": {false, false}, "wrong": {true, false}, "broken": {true, true}}[kind]; want != [2]bool{len(p.Warnings()) > 0, p.Broken()} {
				t.Errorf("it is not %s: %q", kind, p.Warnings())
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(report(p)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), report(p)); diff != "" {
				t.Errorf("%s (go test -update writes it anew):\n%s", golden, diff)
			}
		})
	}
}
