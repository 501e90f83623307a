package check

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/runtime"
)

// Differences are told by place, digits are not lost, and one item more in a list is one difference.
func TestDifferences(t *testing.T) {
	for _, c := range []struct{ name, expected, got, want string }{
		{"the same in another order", `{"a":1,"b":[1.0]}`, `{"b":[1],"a":1}`, ``},
		{"a value", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `$.a.b: expected 1, got 2`},
		{"a type", `[1]`, `{"a":1}`, `$: expected [1], got {"a":1}`},
		{"a key less, one more", `{"a b":1}`, `{"c":null}`, `$["a b"]: expected 1, got nothing; $.c: nothing expected, got null`},
		{"an item in front", `[1,2,3]`, `[0,1,2,3]`, `$[0]: nothing expected, got 0`},
		{"an item less", `["a","b","c"]`, `["a","c"]`, `$[1]: expected "b", got nothing`},
		{"large integers", `9007199254740993`, `9007199254740992`, `$: expected 9007199254740993, got 9007199254740992`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range differences(json.RawMessage(c.expected), json.RawMessage(c.got)) {
				got = append(got, d.String())
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("%s, want %s", text, c.want)
			}
		})
	}
}

// Acts are aligned: what is the same on both sides explains nothing else.
func TestGaps(t *testing.T) {
	for _, c := range []struct{ expected, got, want string }{
		{"abc", "abc", ""},
		{"abc", "abxc", "+x"},
		{"abc", "ac", "-b"},
		{"abc", "axc", "-b+x"},
		{"ab", "ba", "-a|+a"},
		{"", "ab", "+a+b"},
		{"abcd", "xbcy", "-a+x|-d+y"},
	} {
		var e []project.Call
		var g []step
		for _, x := range c.expected {
			e = append(e, project.Call{Tool: catalog.Key{Connector: "c", Tool: string(x)}, Arguments: json.RawMessage("{}")})
		}
		for _, x := range c.got {
			g = append(g, step{tool: catalog.Key{Connector: "c", Tool: string(x)}, arguments: json.RawMessage("{ }")})
		}
		var all []string
		for _, gap := range gaps(e, g) {
			text := ""
			for _, i := range gap.expected {
				text += "-" + e[i].Tool.Tool
			}
			for _, i := range gap.got {
				text += "+" + g[i].tool.Tool
			}
			all = append(all, text)
		}
		if got := strings.Join(all, "|"); got != c.want {
			t.Errorf("%s against %s: %s, want %s", c.expected, c.got, got, c.want)
		}
	}
}

// The sandbox repeats itself, so that two runs that differ have to be made by hand here.
func TestNotDeterministic(t *testing.T) {
	a := &run{result: &runtime.Result{Output: json.RawMessage("1"), Fuel: 10, Calls: 1}, steps: []step{{line: 1}}}
	for name, b := range map[string]*run{
		"fuel":      {result: &runtime.Result{Output: json.RawMessage("1"), Fuel: 11, Calls: 1}, steps: []step{{line: 1}}},
		"arguments": {result: &runtime.Result{Output: json.RawMessage("1"), Fuel: 10, Calls: 1}, steps: []step{{line: 1, clock: time.Second}}},
		"output":    {result: &runtime.Result{Output: json.RawMessage("2"), Fuel: 10, Calls: 1}, steps: []step{{line: 1}}},
		"log":       {result: &runtime.Result{Output: json.RawMessage("1"), Fuel: 10, Calls: 1, Log: "x"}, steps: []step{{line: 1}}},
	} {
		c := &comparison{workflow: &workflow{file: "w.py", defined: 3}, scenario: &scenario{Case: &project.Case{}}}
		c.repeats(a, a)
		if len(c.findings) > 0 {
			t.Fatal("a run differs from itself")
		}
		c.repeats(a, b)
		if len(c.findings) != 1 || c.findings[0].Code != "not-deterministic" || !strings.Contains(c.findings[0].Message, name) {
			t.Errorf("%s: %+v", name, c.findings)
		}
	}
}

// A kept result that is damaged, cut off, or another's counts as none, and is done again.
func TestDamagedCache(t *testing.T) {
	dir := good().write(t)
	o := options(t, dir)
	if r := checked(t, o); !r.OK {
		t.Fatal(text(t, r))
	}
	var kept []string
	if err := filepath.WalkDir(filepath.Join(o.CacheDir, "check"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			kept = append(kept, path)
		}
		return err
	}); err != nil || len(kept) != 2 {
		t.Fatal(kept, err)
	}
	for name, damage := range map[string]func(b []byte) []byte{
		"changed": func(b []byte) []byte { b[len(b)-3] ^= 1; return b },
		"cut off": func(b []byte) []byte { return b[:len(b)/2] },
		"empty":   func([]byte) []byte { return nil },
		"other": func([]byte) []byte {
			b, _ := os.ReadFile(kept[0])
			return b
		},
	} {
		b, err := os.ReadFile(kept[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(kept[1], damage(b), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := checked(t, o); !r.OK || r.Cached != 1 {
			t.Errorf("%s: %+v", name, r)
		}
		if r := checked(t, o); !r.OK || r.Cached != 2 {
			t.Errorf("%s, afterwards: %+v", name, r)
		}
	}
	c := openCache(o.CacheDir)
	c.sweep(time.Now())
	if r := checked(t, o); r.Cached != 2 {
		t.Error("what is fresh is swept away")
	}
	c.sweep(time.Now().Add(keepFor + time.Hour))
	if r := checked(t, o); r.Cached != 0 {
		t.Error("what is old is kept")
	}
}

// A step that is made to fail is answered as a run would see it, and the case can expect what comes of it.
func TestFailingSteps(t *testing.T) {
	const caught = `
    try:
        text = ctx.files.read_text_file(path=ctx.inputs["path"])["content"]
    except ToolError as e:
        return {"code": e.code, "message": e.message}
`
	for _, c := range []struct{ name, fail, output string }{
		{"an error", `{step: 1, error: {code: tool-error, message: down}}`, `{code: tool-error, message: down}`},
		{"a timeout", `{step: 1, timeout: true}`, `{code: call-timeout, message: files.read_text_file did not answer within 2m0s}`},
		{"another result", `{step: 1, result: {content: ""}}`, `{lines: 0, files: 3}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := good().with(t, aCode, `
    text = ctx.files.read_text_file(path=ctx.inputs["path"])["content"]
`, caught).with(t, aCode, "import Ctx", "import Ctx, ToolError")
			f[aCase] = "inputs: {path: a.txt}\nanswers:\n  - {call: files.list_sizes, arguments: {path: /}, result: {sizes: {b: 2, a: 3, c: 5}}}\n" +
				"fail: [" + c.fail + "]\noutput: " + c.output + "\n"
			if r := checked(t, options(t, f.write(t))); !r.OK {
				t.Error(text(t, r))
			}
		})
	}
	t.Run("an answer that is malformed", func(t *testing.T) {
		f := good()
		f[aCase] = "inputs: {path: a.txt}\nfail: [{step: 1, malformed: true}]\nerror: {code: workflow-failed, line: 5}\n"
		if r := checked(t, options(t, f.write(t))); !r.OK {
			t.Error(text(t, r))
		}
	})
	t.Run("an act that does not answer is in doubt", func(t *testing.T) {
		f := good().with(t, aCase, "output: {lines: 2, files: 3}", "error: {code: in-doubt, line: 9}\nfail: [{step: 4, timeout: true}]")
		if r := checked(t, options(t, f.write(t))); !r.OK {
			t.Error(text(t, r))
		}
	})
}
