package compiler

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
)

// compile compiles a workflow whose body is given against one tool, find, of a connector called it.
func compile(t *testing.T, body, input, output string) []Problem {
	t.Helper()
	tools := map[string][]catalog.Tool{"it": {catalog.New("it", catalog.Tool{Name: "find", InputSchema: json.RawMessage(input), OutputSchema: json.RawMessage(output)})}}
	code := "from typing import Any\n\nfrom runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> dict[str, Any]:\n" + body + "    return {}\n"
	_, problems, err := newCompiler().Compile(context.Background(), Source{Name: "x", Code: code}, FromStubs(stubs.BuildAll(tools), false))
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// joined repeats a text with #N replaced by a number.
func joined(n int, separator, text string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(text, "#N", fmt.Sprint(i))
	}
	return strings.Join(parts, separator)
}

// What takes checkers long is answered within the deadline of the tests' checker, which refuses what is not.

func TestFieldFault85_sixteen_membership_tests(t *testing.T) {
	output := `{"type":"object","properties":{` + joined(16, ",", `"k#N":{"type":"integer"}`) + `}}`
	body := "    r = ctx.it.find()\n    total = 0\n" + joined(16, "", "    if \"k#N\" in r:\n        total += r[\"k#N\"]\n") + "    print(total)\n"
	if problems := compile(t, body, `{"type":"object","properties":{}}`, output); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestFieldFault86_twelve_variants_that_refer_to_each_other(t *testing.T) {
	defs := joined(12, ",", `"V#N":{"type":"object","properties":{"kind":{"const":"v#N"},"of":{"type":"array","items":{"$ref":"#/$defs/Node"}},"n#N":{"type":"integer"}},"required":["kind"],"additionalProperties":false}`)
	schema := `{"type":"object","properties":{"node":{"$ref":"#/$defs/Node"}},"required":["node"],"$defs":{"Node":{"oneOf":[` + joined(12, ",", `{"$ref":"#/$defs/V#N"}`) + `]},` + defs + `}}`
	node := `{"kind": "v11", "n11": 1}`
	for i := range 11 {
		node = fmt.Sprintf(`{"kind": "v%d", "n%d": %d, "of": [%s, {"kind": "v%d"}]}`, i, i, i, node, i+1)
	}
	body := "    r = ctx.it.find(node=" + node + ")[\"node\"]\n" + joined(12, "", "    if r[\"kind\"] == \"v#N\":\n        print(r.get(\"n#N\", 0) + len(r.get(\"of\", [])))\n")
	if problems := compile(t, body, schema, schema); len(problems) > 0 {
		t.Error(problems)
	}
	body = "    ctx.it.find(node=" + strings.Replace(node, `"kind": "v11"`, `"kind": "v12"`, 1) + ")\n"
	if problems := compile(t, body, schema, ""); len(problems) != 1 || problems[0].Stage != StageTypecheck {
		t.Error(problems)
	}
}

func TestFieldFault88_a_literal_of_a_hundred_keys(t *testing.T) {
	schema := `{"type":"object","properties":{"o":{"type":"object","properties":{` + joined(100, ",", `"k#N":{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"a":{"type":"number"},"b":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}}`) + `}}}}`
	literal := "{" + joined(100, ", ", `"k#N": [[{"a": #N, "b": None}, {"a": 1.5}], []]`) + "}"
	if problems := compile(t, "    ctx.it.find(o="+literal+")\n", schema, ""); len(problems) > 0 {
		t.Error(problems)
	}
	half := strings.Replace(literal, `"k99": [[{"a": 99`, `"k99": [[{"a": [99]`, 1)
	if problems := compile(t, "    ctx.it.find(o="+half+")\n", schema, ""); len(problems) != 1 || problems[0].Stage != StageTypecheck {
		t.Error(problems)
	}
}

// A tool that takes one key or another is refused with the parameter that is wrong, and not only with "no overloads match".
func TestFaultsInOverloads(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"},"dry":{"type":"boolean"}},"oneOf":[{"required":["id"]},{"required":["name"]}]}`
	for call, want := range map[string]string{
		"id=1": "", `name="a", dry=True`: "", `dry=True, id=2`: "",
		"idd=1": "idd", "dry=True": "id", `id="x"`: "id", "name=5": "name", "id=1, dri=True": "dri",
	} {
		problems := compile(t, "    ctx.it.find("+call+")\n", schema, "")
		if want == "" {
			if len(problems) > 0 {
				t.Errorf("%s: %v", call, problems)
			}
			continue
		}
		if len(problems) == 0 || !strings.Contains(problems[0].Message+problems[0].Hint, want) {
			t.Errorf("%s: %v", call, problems)
		}
	}
}

// What is wrong inside of an argument is named by its key.
func TestFaultsInside(t *testing.T) {
	const schema = `{"type":"object","properties":{"o":{"type":"object","properties":{"to":{"type":"array","items":{"type":"object","properties":{"email":{"type":"string"}},"required":["email"],"additionalProperties":false}},"n":{"type":"integer"},"v":{"anyOf":[{"type":"integer"},{"type":"null"}]},"w":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}}]}}}}}`
	for argument, want := range map[string]string{
		`{"n": 1, "to": [{"email": "a"}]}`:   "",
		`{"n": "x"}`:                         `the value under "n" in o has to be of type int`,
		`{"v": "x"}`:                         `the value under "v" in o has to be of type int | None.`,
		`{"w": "x"}`:                         `the value under "w" in o has to be of type int | list[str].`,
		`{"n": 1, "to": [{"email": 5}]}`:     "email",
		`{"n": 1, "to": [{}]}`:               "email",
		`{"to": [{"email": "a", "nam": 1}]}`: "nam",
		`{"nn": 1}`:                          "nn",
	} {
		problems := compile(t, "    ctx.it.find(o="+argument+")\n", schema, "")
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message+problems[0].Hint, want)) {
			t.Errorf("%s: %v, and not %q", argument, problems, want)
			for _, p := range problems {
				t.Log(p.Hint)
			}
		}
	}
}
