package diff

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/runtime"
)

func inputs(before, now string) *Report {
	return Compare(Side{Label: "a", Inputs: json.RawMessage(before)}, Side{Label: "b", Inputs: json.RawMessage(now)})
}

func outputs(before, now string) *Report {
	return Compare(Side{Label: "a", Outputs: json.RawMessage(before)}, Side{Label: "b", Outputs: json.RawMessage(now)})
}

func reasons(r *Report) string {
	var out []string
	for _, x := range r.Reasons {
		out = append(out, string(x.Verdict)+": "+x.Message)
	}
	return strings.Join(out, "\n")
}

const (
	month    = `{"type":"object","properties":{"month":{"type":"string"}},"required":["month"]}`
	monthAny = `{"type":"object","properties":{"month":{"type":"string"}}}`
)

func TestInputs(t *testing.T) {
	for _, c := range []struct {
		name, before, now string
		want              string // all reasons; nothing: compatible
	}{
		{"the same", month, month, ""},
		{"another wording", month, `{"type":"object","title":"x","properties":{"month":{"type":"string","description":"y"}},"required":["month"]}`, ""},
		{"an optional one more", month, `{"type":"object","properties":{"month":{"type":"string"},"limit":{}},"required":["month"]}`, ""},
		{"an optional one with a type more", month, `{"type":"object","properties":{"month":{"type":"string"},"limit":{"type":"integer"}},"required":["month"]}`,
			"breaks: input `limit` has to be an integer now, and could be anything"},
		{"became optional", month, monthAny, ""},
		{"became required", monthAny, month, "breaks: input `month` is required now"},
		{"new and required", `{"type":"object","additionalProperties":false}`, month, "breaks: input `month` is new and required"},
		{"required with a default", `{"type":"object","additionalProperties":false}`, `{"properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, ""},
		{"required, and its default is gone", `{"properties":{"a":{"default":"x"}},"required":["a"]}`, `{"properties":{"a":{}},"required":["a"]}`, "breaks: input `a` is required now"},
		{"a default that does not fit", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","default":5}}}`,
			"breaks: input `a` has the default `5`, which its own schema does not allow"},
		{"defaults beside a condition on several keys", `{"properties":{"a":{"default":1}},"maxProperties":5}`, `{"properties":{"a":{"default":1}},"maxProperties":6}`,
			"unknown: the input has defaults beside conditions on several keys at once, which cannot be compared"},
		{"nothing declared, and nothing before", ``, `null`, ""},
		{"declared now", ``, month, "breaks: input `month` has to be a string now, and could be anything\nbreaks: input `month` is new and required"},
		{"another type", month, strings.Replace(month, "string", "integer", 1), "breaks: input `month` has to be an integer now, and could be a string"},
		{"a wider type", strings.Replace(month, `"string"`, `"integer"`, 1), strings.Replace(month, `"string"`, `"number"`, 1), ""},
		{"a narrower type", strings.Replace(month, `"string"`, `"number"`, 1), strings.Replace(month, `"string"`, `"integer"`, 1), "breaks: input `month` has to be an integer now, and could be a number"},
		{"null is accepted as well", month, `{"properties":{"month":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, ""},
		{"null is not accepted any more", `{"properties":{"month":{"type":["string","null"]}}}`, monthAny, "breaks: input `month` has to be a string now, and could be null"},
		{"fewer values", `{"properties":{"m":{"enum":["a","b","c"]}}}`, `{"properties":{"m":{"enum":["a","c"]}}}`, "breaks: input `m` may not be `\"b\"` any more"},
		{"more values", `{"properties":{"m":{"enum":["a","c"]}}}`, `{"properties":{"m":{"enum":["c","b","a"]}}}`, ""},
		{"a list of values now", `{"properties":{"m":{"type":"string"}}}`, `{"properties":{"m":{"enum":["a"]}}}`, "breaks: input `m` has to be `\"a\"` now"},
		{"a lower bound", `{"properties":{"n":{"type":"integer","maximum":100}}}`, `{"properties":{"n":{"type":"integer","maximum":10}}}`, "breaks: input `n` has to be at most 10 now"},
		{"the same bound in other words", `{"properties":{"n":{"type":"integer","exclusiveMinimum":0}}}`, `{"properties":{"n":{"type":"integer","minimum":1}}}`, ""},
		{"shorter texts", `{"properties":{"n":{"type":"string"}}}`, `{"properties":{"n":{"type":"string","maxLength":3}}}`, "breaks: input `n` may have 3 characters at most now"},
		{"a pattern", `{"properties":{"n":{"type":"string"}}}`, `{"properties":{"n":{"type":"string","pattern":"^a"}}}`, "breaks: input `n` has to match the pattern `\"^a\"` now"},
		{"another pattern", `{"properties":{"n":{"type":"string","pattern":"^q+$"}}}`, `{"properties":{"n":{"type":"string","pattern":"^qq?q?q*$"}}}`,
			"unknown: input `n` has to match the pattern `\"^qq?q?q*$\"` now"},
		{"closed", monthAny, `{"type":"object","properties":{"month":{"type":"string"}},"additionalProperties":false}`, "breaks: inputs: keys that are not declared are not accepted any more"},
		{"one less of a closed list", `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"properties":{"a":{}},"additionalProperties":false}`, "breaks: input `b` is not known any more"},
		{"opened", `{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{}}}`, ""},
		{"in a list", `{"properties":{"to":{"type":"array","items":{"type":"object","properties":{"n":{"type":"string"}}}}}}`,
			`{"properties":{"to":{"type":"array","items":{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}}}}`, "breaks: input `to[].n` is required now"},
		{"moved into a definition", `{"properties":{"p":{"type":"object","properties":{"x":{"type":"integer"}}}}}`,
			`{"properties":{"p":{"$ref":"#/$defs/P"}},"$defs":{"P":{"type":"object","properties":{"x":{"type":"integer"}}}}}`, ""},
		{"recursive, and wider", `{"properties":{"t":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/T"}}}}}`,
			`{"properties":{"t":{"$ref":"#/$defs/U"}},"$defs":{"U":{"type":["object","null"],"properties":{"v":{"type":"number"},"next":{"$ref":"#/$defs/U"}}}}}`, ""},
		{"recursive, and narrower inside", `{"properties":{"t":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"#/$defs/T"}}}}}`,
			`{"properties":{"t":{"$ref":"#/$defs/U"}},"$defs":{"U":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/U"}}}}}`,
			"breaks: input `t.v` has to be an integer now, and could be a number"},
		{"one form more", `{"properties":{"x":{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}}}`,
			`{"properties":{"x":{"oneOf":[{"type":"object","properties":{"k":{"const":"c"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]}]}}}`, ""},
		{"one form less", `{"properties":{"x":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`, `{"properties":{"x":{"anyOf":[{"type":"string"}]}}}`,
			"breaks: input `x` has to be a string now, and could be an integer"},
		{"a condition", `{"properties":{"a":{"type":"integer"}}}`, `{"properties":{"a":{"type":"integer"}},"not":{"required":["a"]}}`, "breaks: the input has another not, which cannot be compared"},
		{"no schema", `{}`, `{"type":`, "unknown: unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := reasons(inputs(c.before, c.now)); got != c.want {
				t.Errorf("from %s\nto   %s:\n%s\nwant\n%s", c.before, c.now, got, c.want)
			}
		})
	}
}

func TestOutputs(t *testing.T) {
	const ab = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}`
	for _, c := range []struct {
		name, before, now string
		want              string
	}{
		{"the same", ab, ab, ""},
		{"declared now", ``, ab, ""},
		{"not declared any more", ab, ``, "breaks: the output is not declared any more"},
		{"a key more", ab, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{}},"required":["a","c"]}`, ""},
		{"a key less", ab, `{"type":"object","properties":{"b":{"type":"string"}}}`, "breaks: output `a` is gone"},
		{"an optional key less", ab, `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, "breaks: output `b` is gone"},
		{"can be missing", ab, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`, "breaks: output `a` can be missing now"},
		{"can be null", ab, `{"type":"object","properties":{"a":{"type":["integer","null"]},"b":{"type":"string"}},"required":["a"]}`,
			"breaks: output `a` was an integer, and can be null now"},
		{"a value more", `{"properties":{"s":{"enum":["x"]}},"required":["s"]}`, `{"properties":{"s":{"enum":["x","y"]}},"required":["s"]}`, "breaks: output `s` can be `\"y\"` now"},
		{"a value less", `{"properties":{"s":{"enum":["x","y"]}},"required":["s"]}`, `{"properties":{"s":{"enum":["x"]}},"required":["s"]}`, ""},
		{"a narrower type", `{"properties":{"s":{"type":"number"}},"required":["s"]}`, `{"properties":{"s":{"type":"integer"}},"required":["s"]}`, ""},
		{"a key more of a closed list", `{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`,
			"breaks: output `b` is new, and keys that are not declared were excluded"},
		{"required, and never declared", `{"type":"object","required":["z"]}`, `{"type":"object"}`, "breaks: output `z` is gone"},
		{"in a list", `{"type":"array","items":{"type":"object","properties":{"n":{"type":"string"}}}}`, `{"type":"array","items":{"type":"object"}}`, "breaks: output `[].n` is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := reasons(outputs(c.before, c.now)); got != c.want {
				t.Errorf("from %s\nto   %s:\n%s\nwant\n%s", c.before, c.now, got, c.want)
			}
		})
	}
}

func tool(connector, name string, risk catalog.Risk, input string) Tool {
	return Tool{Tool: catalog.Tool{Connector: connector, Name: name, InputSchema: json.RawMessage(input)}, Risk: risk}
}

func TestTools(t *testing.T) {
	read, other := tool("files", "read", catalog.ReadOnly, `{}`), tool("files", "list", catalog.ReadOnly, `{}`)
	write, send := tool("files", "write", catalog.SideEffect, `{}`), tool("mail", "send", catalog.SideEffect, `{}`)
	acts := read
	acts.Risk = catalog.SideEffect
	for _, c := range []struct {
		name        string
		before, now []Tool
		reasons     string
		changes     string
	}{
		{"the same", []Tool{read, write}, []Tool{write, read}, "", ""},
		{"one that reads more", []Tool{read}, []Tool{read, other}, "", "files.list is used now, and only reads"},
		{"one less", []Tool{read, write}, []Tool{read}, "", "files.write is not used any more; it acted"},
		{"the first that acts", []Tool{read}, []Tool{read, write}, "breaks: files.write acts, and nothing acted before: the workflow needs consent now",
			"files.write is used now, and acts"},
		{"one more that acts", []Tool{write}, []Tool{write, send}, "", "mail.send is used now, and acts; consent covers mail.send now as well"},
		{"one that turns to acting", []Tool{read}, []Tool{acts}, "breaks: files.read acts, and nothing acted before: the workflow needs consent now", "files.read acts now, and only read before"},
		{"drift", []Tool{read}, []Tool{tool("files", "read", catalog.ReadOnly, `{"properties":{"path":{"type":"string"}},"required":["path"]}`)}, "",
			"files.read: parameter `path` is new and required: string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Compare(Side{Tools: c.before}, Side{Tools: c.now})
			var changes []string
			for _, x := range r.Tools {
				changes = append(changes, x.Message)
			}
			if got := strings.Join(changes, "; "); got != c.changes || reasons(r) != c.reasons {
				t.Errorf("%s\n%s", got, reasons(r))
			}
		})
	}
	t.Run("not known", func(t *testing.T) {
		r := Compare(Side{Label: "x", ToolsError: "there is no runlace.lock"}, Side{Tools: []Tool{write}})
		if r.Verdict != Unknown || reasons(r) != "unknown: the tools of x are not known: there is no runlace.lock" {
			t.Error(reasons(r))
		}
	})
}

func TestLimits(t *testing.T) {
	r := Compare(Side{Limits: runtime.Limits{Fuel: 100}}, Side{Limits: runtime.Limits{Fuel: 50, CallTimeout: 1e12}})
	if r.Verdict != Unknown || len(r.Limits) != 2 || r.Limits[0].Message != "limit fuel is 50, and was 100" || !strings.Contains(r.Limits[1].Message, "limit call_timeout is 16m40s, and was ") {
		t.Errorf("%+v\n%s", r.Limits, reasons(r))
	}
	if r := Compare(Side{Limits: runtime.Limits{Fuel: 100}}, Side{NoLimits: true}); !r.Same {
		t.Errorf("%+v", r)
	}
}

// What comes from workflows can look like anything, and stays what it is.
func TestMarkdown(t *testing.T) {
	hostile := "</details> @team <img src=x> [a](b) `` ``` *"
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	before := Side{Label: "x@1", Name: "x", Code: "```\n</details>\n", Outputs: json.RawMessage(`{"properties":{"k":{"enum":["a"]}},"required":["k"]}`)}
	now := Side{Label: "x@2", Name: "x", Code: "````\n@team\n", Outputs: json.RawMessage(`{"properties":{"k":{"enum":["a",` + string(quoted) + `]}},"required":["k"]}`)}
	text := Compare(before, now).Markdown()
	outside, fence := []string{}, ""
	for _, line := range strings.Split(text, "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = strings.TrimSuffix(line, "diff")
		case line == fence:
			fence = ""
		case fence == "":
			outside = append(outside, line)
		}
	}
	markup := strings.ReplaceAll(withoutSpans(strings.Join(outside, "\n")), `\<`, "")
	for _, bad := range []string{"@team", "<img", "[a](b)"} {
		if strings.Contains(markup, bad) {
			t.Errorf("%s is not text:\n%s", bad, text)
		}
	}
	if n := strings.Count(markup, "<details>"); n != 2 || strings.Count(markup, "</details>") != n {
		t.Errorf("the folds do not match:\n%s", text)
	}
	if fence != "" {
		t.Errorf("the fence stays open:\n%s", text)
	}
}

func withoutSpans(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 1 {
			parts[i] = ""
		}
	}
	return strings.Join(parts, "`")
}

func TestMarkdownIsBounded(t *testing.T) {
	properties, longer := []string{}, []string{}
	for i := range 3000 {
		key := strings.Repeat("ключ", 10) + string(rune('0'+i%10)) + strings.Repeat("x", i%7) + string(rune(0x4e00+i))
		properties = append(properties, `"`+key+`":{"type":"string"}`)
		longer = append(longer, `"`+key+`":{"type":"integer"}`)
	}
	schema := func(list []string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{` + strings.Join(list, ",") + `}}`)
	}
	r := Compare(Side{Label: "a", Inputs: schema(properties), Code: strings.Repeat("α = 1\n", 50_000)}, Side{Label: "b", Inputs: schema(longer), Code: strings.Repeat("β = 2\n", 50_000)})
	text := r.Markdown()
	if n := utf8.RuneCountInString(text); n > MostMarkdown || n < MostMarkdown/2 {
		t.Errorf("%d characters", n)
	}
	for _, want := range []string{"more, which `runlace diff` shows", "- … and ", "**Callers break**"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it", want)
		}
	}
}

func TestText(t *testing.T) {
	r := Compare(Side{Label: "a@1", Code: "x = 1\n", Inputs: json.RawMessage(monthAny)}, Side{Label: "a@2", Code: "x = 2\n", Inputs: json.RawMessage(month)})
	const want = "a@1 -> a@2: callers break\n\nCallers break:\n  input `month` is required now; refused now, as an example: `{}`\n\n" +
		"Inputs:\n  input `month` became required\n\nCode:\n--- a@1\n+++ a@2\n@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"
	if got := r.Text(); got != want {
		t.Errorf("%s", got)
	}
	if got := Compare(Side{Label: "a@1"}, Side{Label: "a@1"}).Text(); got != "a@1 -> a@1: nothing is different\n" {
		t.Errorf("%s", got)
	}
}
