package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/catalog"
)

func TestMostSpecificWordCounts(t *testing.T) {
	p := Parse([]byte("approval:\n  github: human\n  stripe: {create: each, refund: human, list: allow, '*': ask}\n  slack: {post: allow}\n  ai: {gpt: human}\n"), "p")
	for _, c := range []struct {
		connector, tool, byDefault string
		want                       Approval
	}{
		{"github", "merge", "allow", Human},
		{"github", "merge", "ask", Human},
		{"stripe", "create", "allow", Each},
		{"stripe", "refund", "allow", Human},
		{"stripe", "list", "human", Allow},
		{"stripe", "other", "allow", Ask},
		{"stripe", "other", "human", Ask},
		{"slack", "post", "human", Allow},
		{"slack", "other", "human", Human},
		{"slack", "other", "allow", Allow},
		{"gitlab", "merge", "ask", Ask},
		{"gitlab", "merge", "", Human},
		{"gitlab", "merge", "Allow", Human},
		{"ai", "gpt", "allow", Human},
		{"stripe", "*", "allow", Ask},
	} {
		if got := p.Approval(c.connector, c.tool, c.byDefault); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	var none *Policy
	if key, resend := none.Idempotent("a", "b"); none.Approval("a", "b", "allow") != Allow || none.Approval("a", "b", "ask") != Ask || none.Broken() || key != "" || resend {
		t.Error("no policy says nothing")
	}
}

func TestStricter(t *testing.T) {
	order := []Approval{Allow, Ask, Human, Each}
	for i, a := range order {
		for j, b := range order {
			if got := Stricter(a, b); got != order[max(i, j)] {
				t.Errorf("of %s and %s, %s", a, b, got)
			}
		}
	}
	if Stricter("", Allow) != Human || Stricter(Each, "whatever") != Each || Stricter("whatever", "") != Human {
		t.Error("what is no word counts as human")
	}
}

// Entries match the exact names of connector and tool. A name that Python has for a tool may be another tool's own.
func TestExactNames(t *testing.T) {
	python := catalog.NewNames(catalog.Method, []string{"a-b", "a b", "a_b"}).Python("a-b") // a_b_ and its suffix
	p := Parse([]byte("approval:\n  demo: {demo_read: allow, demo_write: human, read_only: allow, '*': ask}\n  both: {a_b: allow, a-b: human}\n"+
		"  suffixed: {"+python+": each}\n  loose: {a_b: human}\n  a.b: human\n  dotted.drop_it: each\n"+
		"idempotent:\n  demo: {demo_read: resend, demo_write: {key: id}}\n"), "p")
	for _, c := range []struct {
		row, connector, tool string
		want                 Approval
	}{
		{"field-fault-64 the word of one tool is not applied to its twin", "demo", "read-only", Ask},
		{"field-fault-64 each of two twins has its own word", "both", "a-b", Human},
		{"field-fault-64 and so has the other", "both", "a_b", Allow},
		{"field-fault-65 demo/read is not let in by demo_read", "demo", "demo/read", Ask},
		{"field-fault-65 demo_read is", "demo", "demo_read", Allow},
		{"field-fault-65 demo/write is held by demo_write", "demo", "demo/write", Human},
		{"a suffixed name in Python tightens", "suffixed", "a-b", Each},
		{"and is that of no other tool", "suffixed", "a b", Allow},
		{"an exact word leaves the Python one aside", "loose", "a_b", Human},
		{"connector and tool in one name tighten", "a", "b", Human},
		{"also with the tool's name in Python", "dotted", "drop-it", Each},
	} {
		t.Run(c.row, func(t *testing.T) {
			if got := p.Approval(c.connector, c.tool, "allow"); got != c.want {
				t.Errorf("%s.%s: %s", c.connector, c.tool, got)
			}
		})
	}
	t.Run("field-fault-65 only the exact name is sent again", func(t *testing.T) {
		for tool, want := range map[string]string{"demo/read": "", "demo_read": "resend", "demo/write": "", "demo_write": "id"} {
			key, resend := p.Idempotent("demo", tool)
			if got := map[bool]string{true: "resend", false: key}[resend]; got != want {
				t.Errorf("%s: %q", tool, got)
			}
		}
	})
}

// What names no connector or no tool is reported, in all sections, and so is a Python name that does not count.
func TestUnmatchedEverywhere(t *testing.T) {
	p := Parse([]byte(`approval:
  nowhere: {x: human, y: human}
  nothing: each
  down: {x: human}
  up: {gone: human, tool_a: ask, tool-a: human, "*": each, tool_b: each, tool_c: human}
  mild: {tool_c: human}
  up.tool-a: each
  ai: {m: human}
idempotent:
  nowhere: {x: resend}
  up: {gone: resend, tool_a: resend, tool-b: {key: k}}
risk:
  up: {tool_b: side_effect}
`), "p")
	want := []string{
		"p:2: there is no connector nowhere",
		"p:3: there is no connector nothing",
		"p:5: up has no tool gone",
		`p:5: up.tool_a counts only under the tool's own name: write "tool-a"`,
		`p:5: up.tool_c counts only under the tool's own name: write "tool-c"`,
		"p:7: there is no connector up.tool-a",
		"p:10: there is no connector nowhere",
		"p:11: up has no tool gone",
		`p:11: up.tool_a counts only under the tool's own name: write "tool-a"`,
	}
	tools := []string{"tool-a", "tool-b", "tool-c"}
	if diff := cmp.Diff(want, p.Unmatched(map[string][]string{"up": tools, "mild": tools}, []string{"up", "down", "mild"})); diff != "" {
		t.Error(diff)
	}
}

const whole = `risk:
  github:
    delete: side_effect
    list: read_only
approval:
  github: human
  stripe:
    create: each
    refund: human
    list: allow
    "*": ask
idempotent:
  stripe:
    put: resend
    create: {key: id}
`

// atLeastHuman checks what is true of every file that is broken.
func atLeastHuman(t *testing.T, text string, p *Policy) {
	t.Helper()
	for _, connector := range []string{"github", "stripe", "other", "ai"} {
		for _, tool := range []string{"delete", "create", "refund", "list", "put", "other", "*", ""} {
			for _, byDefault := range []string{"allow", "ask", "human", "each", ""} {
				if w := p.Approval(connector, tool, byDefault); Stricter(w, Human) != w {
					t.Errorf("%q: %s.%s is %s, by default %s", text, connector, tool, w, byDefault)
				}
			}
			if key, resend := p.Idempotent(connector, tool); key != "" || resend {
				t.Errorf("%q: %s.%s is sent again", text, connector, tool)
			}
			if p.Risk(connector, tool, tool, se) != se {
				t.Errorf("%q: %s.%s is read-only", text, connector, tool)
			}
		}
	}
	if len(p.Warnings()) < 2 || !p.Broken() {
		t.Errorf("%q: nothing is said of it: %q", text, p.Warnings())
	}
}

// Wherever a file is broken, no act is freer than it was when the file was whole.
func TestBrokenFileOpensNoGate(t *testing.T) {
	if w := Parse([]byte(whole), "p").Warnings(); w != nil {
		t.Fatal(w)
	}
	lines := strings.SplitAfter(whole, "\n")
	for _, junk := range []string{"\tx: y\n", "]\n", "  }\n", "<<<<<<< HEAD\n", "=======\n", "'\n", "no colon\n", "%\n", "risks: {}\n", "- a\n", "x: *y\n", "? {\n", ": :\n", "`\n", "\x01\n"} {
		for i := range lines {
			text := strings.Join(lines[:i], "") + junk + strings.Join(lines[i:], "")
			p := Parse([]byte(text), "p")
			if !p.Broken() { // it reads as something that is in order, such as a longer text
				if len(p.Warnings()) == 0 {
					t.Errorf("%q: nothing is said of it", text)
				}
				continue
			}
			atLeastHuman(t, text, p)
			if w := p.Approval("stripe", "create", "allow"); w != Each {
				t.Errorf("%q: stripe.create is %s", text, w)
			}
			if r := p.Tighten("github", "delete", "delete", ro); r != se {
				t.Errorf("%q: github.delete is %s", text, r)
			}
		}
	}
}

// An entry whose word is wrong gates what it is about, and nothing else changes.
func TestWrongWordOpensNoGate(t *testing.T) {
	for _, junk := range []string{"", "null", "~", "Human", "alow", "true", "1", "[allow]", "{allow: x}", `""`, "allow ask", "|\n      allow", "!!str x"} {
		for was, check := range map[string]func(p *Policy) bool{
			"side_effect": func(p *Policy) bool { return p.Risk("github", "delete", "delete", ro) == se },
			"read_only":   func(p *Policy) bool { return p.Risk("github", "list", "list", ro) == se },
			"each":        func(p *Policy) bool { return p.Approval("stripe", "create", "allow") == Human },
			"allow":       func(p *Policy) bool { return p.Approval("stripe", "list", "allow") == Human },
			`"*": ask`:    func(p *Policy) bool { return p.Approval("stripe", "other", "allow") == Human },
			"resend":      func(p *Policy) bool { _, resend := p.Idempotent("stripe", "put"); return !resend },
			"{key: id}":   func(p *Policy) bool { key, _ := p.Idempotent("stripe", "create"); return key == "" },
		} {
			now := junk
			if was == `"*": ask` {
				now = `"*": ` + junk
			}
			text := strings.Replace(whole, was, now, 1)
			p := Parse([]byte(text), "p")
			if p.Broken() || len(p.Warnings()) != 1 || !check(p) || p.Approval("stripe", "refund", "allow") != Human {
				t.Errorf("%s as %q: %q", was, junk, p.Warnings())
			}
		}
	}
}

// What a file that is no YAML calls each is that, however it is written.
func TestBrokenFileKeepsEach(t *testing.T) {
	for text, name := range map[string]string{
		"approval:\n\tstripe:\n\t\tcreate: each\n":            "create",
		"approval: {stripe: {list: allow, 'create': 'each'}":  "create",
		"approval:\n  stripe:\n    cre-ate:\n      each\n ]":  "cre-ate",
		"approval:\n  stripe:\n    cre_ate: each\n ]":         "cre-ate",
		"approval:\n  stripe:\n    \"*\": each\n ]":           "anything",
		"approve: {stripe: each}":                             "anything",
		"approval: {stripe.create: each}\nx: 1\n":             "create",
		"approvals:\r\n  stripe:\r\n    create: &x each\r\n ": "create",
	} {
		p := Parse([]byte(text), "p")
		if w := p.Approval("stripe", name, "allow"); w != Each || !p.Broken() {
			t.Errorf("%q: %s is %s, broken is %t", text, name, w, p.Broken())
		}
	}
}

// Whatever stands in a file, these are true.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"risk:\n  a: {b: read_only}\n", "risk: &x {a: *x}\n? [1]\n: 2\n---\nrisk: !!str x", whole, "approval: {a: each, a: {b: allow}, a.b: ask}",
		"approval:\n  a: {b: |\n  x\n", "idempotent: {a: {b: {key: k}, c: resend, b: resend}}", "approval:\n\ta: each", "%YAML 1.2\n---\n...\n", "risk: {<<: x}",
	} {
		f.Add(text, "a", "b")
	}
	f.Fuzz(func(t *testing.T, text, connector, tool string) {
		p := Parse([]byte(text), "p")
		if p.Tighten(connector, tool, tool, se) != se {
			t.Error("a stored version was loosened")
		}
		key, resend := p.Idempotent(connector, tool)
		if key != "" && resend {
			t.Error("two ways to send it again")
		}
		before := Allow
		for _, byDefault := range words {
			w := p.Approval(connector, tool, string(byDefault))
			if Stricter(before, w) != w {
				t.Errorf("by default %s it is %s, and by a looser default %s", byDefault, w, before)
			}
			before = w
		}
		if p.Broken() {
			atLeastHuman(t, text, p)
			if p.Approval(connector, tool, "allow") == Ask || key != "" || resend || p.Risk(connector, tool, tool, se) != se {
				t.Error("a broken file opens a gate")
			}
		}
		p.Unmatched(map[string][]string{connector: {tool}}, []string{connector})
		if strings.TrimSpace(text) != "" && !p.Broken() && len(p.mentions) == 0 && len(p.Warnings()) > 0 {
			t.Errorf("a warning about nothing: %q", p.Warnings())
		}
	})
}

// Whether a person is wanted for anything at all.
func TestPersons(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "approval:\n  a: ask\n": false, "approval:\n  a:\n    x: allow\n": false, "risk:\n  a:\n    x: side_effect\n": false,
		"approval:\n  a: human\n": true, "approval:\n  a:\n    x: each\n": true, "approval:\n  a:\n    x: maybe\n": true, "approval: [": true,
	} {
		if got := Parse([]byte(text), "policy.yaml").Persons(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if (*Policy)(nil).Persons() {
		t.Error("no policy wants nobody")
	}
}

// What idempotent says of a tool that is not made for it is reported: it would be taken for a protection that is not there.
func TestUnsendable(t *testing.T) {
	p := Parse([]byte(`risk:
  up: {silent: side_effect}
idempotent:
  up: {said: resend, silent: resend, denied: resend, keyed: {key: k}, unkeyed: {key: k}, gone: resend}
  down: {said: resend}
`), "p")
	yes, no := true, false
	schema := json.RawMessage(`{"type":"object","properties":{"k":{"type":"string"}}}`)
	tools := []catalog.Tool{
		{Connector: "up", Name: "said", Annotations: catalog.Annotations{IdempotentHint: &yes}},
		{Connector: "up", Name: "silent"},
		{Connector: "up", Name: "denied", Annotations: catalog.Annotations{IdempotentHint: &no}},
		{Connector: "up", Name: "keyed", InputSchema: schema},
		{Connector: "up", Name: "unkeyed"},
	}
	want := []string{
		"p:4: resend has no effect on up.silent: its server does not call it idempotent (idempotentHint)",
		"p:4: resend has no effect on up.denied: its server does not call it idempotent (idempotentHint)",
		"p:4: the key has no effect on up.unkeyed: it has no parameter k",
	}
	if diff := cmp.Diff(want, p.Unsendable(tools)); diff != "" {
		t.Error(diff)
	}
	if w := (*Policy)(nil).Unsendable(tools); w != nil {
		t.Error(w)
	}
}
