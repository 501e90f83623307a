package compiler

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
)

func tool(connector, name, input, output string, readOnly bool) catalog.Tool {
	t := catalog.Tool{Name: name, InputSchema: json.RawMessage(input), OutputSchema: json.RawMessage(output)}
	if readOnly {
		t.Annotations.ReadOnlyHint = &readOnly
	}
	return catalog.New(connector, t)
}

// TestFromStubs compiles against connectors as they are made of what servers send.
func TestFromStubs(t *testing.T) {
	all := stubs.BuildAll(map[string][]catalog.Tool{
		"my server": {
			tool("my server", "send-email", `{"type":"object","properties":{"from":{"type":"string"},"content-type":{"type":"string"},"n":{"type":"integer"}},"required":["n","from"]}`, "", false),
			tool("my server", "2cool", `{"type":"object"}`, `{"type":"object","properties":{"class":{"type":"string"},"Output":{"$ref":"#/$defs/Ctx"}},"required":["class","Output"],"$defs":{"Ctx":{"type":"object","title":"Ctx","properties":{"next":{"$ref":"#/$defs/Ctx"}}}}}`, true),
		},
		"my-server": {tool("my-server", "get", `{"type":"object","properties":{}}`, `{"type":"array","items":{"type":"string"}}`, true)},
		"ai":        {tool("ai", "ask", `{}`, "", false)},
	})
	c := FromStubs(all, false)
	attr := map[string]string{}
	for _, k := range c.Connectors {
		attr[k.Name] = k.Attr
	}
	code := `from runlace_types import Ctx, Inputs, Output


def pick(inputs: Inputs) -> str:
    return inputs["from"]


def run(ctx: Ctx) -> Output:
    cool = ctx.ONE.n2cool()
    ctx.ONE.send_email(n=1, from_=pick(ctx.inputs), content_type=cool["class_"])
    ctx.ai_.ask()
    return {"class": ctx.TWO.get()[0], "next": "next" in cool["Output"]}
`
	code = strings.NewReplacer("ONE", attr["my server"], "TWO", attr["my-server"]).Replace(code)
	s := Source{Name: "x", Code: code, Inputs: json.RawMessage(`{"properties":{"from":{"type":"string"}},"required":["from"]}`),
		Outputs: json.RawMessage(`{"type":"object","properties":{"class":{"type":"string"},"next":{"type":"boolean"}},"required":["class"]}`)}
	compiled, problems, err := newCompiler().Compile(context.Background(), s, c)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	got := []string{}
	for _, p := range compiled.Pins {
		got = append(got, p.Connector+" "+p.Tool+" "+p.Risk)
		if len(p.Digest) != 64 {
			t.Error(p)
		}
	}
	want := []string{"ai ask side_effect", "my server 2cool read_only", "my server send-email side_effect", "my-server get read_only"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !slices.Equal(c.connector(attr["my server"]).method("send_email").Parameters, []string{"n", "from_", "content_type"}) &&
		!slices.Equal(c.connector(attr["my server"]).method("send_email").Parameters, []string{"from_", "n", "content_type"}) {
		t.Error(c.connector(attr["my server"]).Methods)
	}
	s.Code = strings.Replace(code, "from_=", "from=", 1)
	if _, problems, err = newCompiler().Compile(context.Background(), s, c); err != nil || len(problems) != 1 || problems[0].Code != "syntax-error" {
		t.Error(problems, err)
	}
	s.Code = strings.Replace(code, "content_type=", "contenttype=", 1)
	if _, problems, err = newCompiler().Compile(context.Background(), s, c); err != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].Hint, "write content_type=") {
		t.Error(problems, err)
	}
}
