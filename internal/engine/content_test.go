package engine_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
)

// script is a workflow of a few lines in run, which return what they have seen as text.
func (l *lab) script(name, body string) {
	l.t.Helper()
	code := "import base64\nimport json\nfrom typing import Any\n\nfrom runlace_types import Ctx, ToolError\n\n\ndef run(ctx: Ctx) -> dict[str, object]:\n"
	used := ""
	for _, line := range strings.Split(code, "\n") {
		module := strings.TrimPrefix(strings.TrimPrefix(line, "import "), "from typing import ")
		if (module == "base64" || module == "json" || module == "Any") && !strings.Contains(body, module) {
			continue
		}
		if !strings.Contains(body, "ToolError") {
			line = strings.Replace(line, ", ToolError", "", 1)
		}
		used += line + "\n"
	}
	code = strings.TrimSuffix(used, "\n")
	for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
		code += "    " + line + "\n"
	}
	c, err := l.Create(l.t.Context(), engine.Workflow{Name: name, Code: code,
		Inputs: json.RawMessage(`{"type":"object","properties":{"result":{},"handle":{"type":"string","default":""}}}`)})
	if err != nil {
		l.t.Fatal(err)
	}
	if !c.OK {
		l.t.Fatalf("%s does not compile: %+v\n%s", name, c.Errors, code)
	}
}

// step is a step of a run as the journal has it.
func (l *lab) step(r *engine.Run, seq int) store.Step {
	l.t.Helper()
	s, err := l.Store().Step(r.ID, seq)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// seen is what a script has returned under the key seen.
func seen(t *testing.T, r *engine.Run) string {
	t.Helper()
	var out struct{ Seen json.RawMessage }
	if !r.OK || json.Unmarshal(r.Output, &out) != nil {
		t.Fatalf("%q %q %s", r.Code, r.Error, r.Output)
	}
	return string(out.Seen)
}

// What a workflow sees of a failure is all that the tool said.
func TestFailuresOfTools(t *testing.T) {
	l := newLab(t, config.Allow)
	l.script("failing", `
try:
    ctx.lab.raw(result=ctx.inputs.get("result"))
except ToolError as e:
    return {"seen": [e.code, e.message, e.data, e.tool]}
return {"seen": "nothing"}
`)
	for _, test := range []struct{ name, result, want string }{
		{"field-fault-97 isError with text", `{"isError":true,"content":[{"type":"text","text":"not stored"}]}`, `["tool-error","not stored",null,"lab.raw"]`},
		{"field-fault-98 isError with text that looks like a result", `{"isError":true,"content":[{"type":"text","text":"x is not defined"}]}`,
			`["tool-error","x is not defined",null,"lab.raw"]`},
		{"field-fault-107 isError with structured data", `{"isError":true,"content":[{"type":"text","text":"1 error"}],"structuredContent":[{"line":3,"severity":1.0}]}`,
			`["tool-error","1 error",[{"line":3,"severity":1.0}],"lab.raw"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := l.run(engine.Request{Workflow: "failing", Inputs: json.RawMessage(`{"result":` + test.result + `}`)})
			if got := seen(t, r); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if s := l.step(r, 1); s.State != store.StepError || len(s.Error) == 0 {
				t.Errorf("the journal has %+v", s)
			}
		})
	}
	t.Run("with much data", func(t *testing.T) {
		l.script("much", `
try:
    ctx.lab.declared(result={"content": [{"type": "text", "text": "prose " * 100_000}]})
except ToolError as e:
    return {"seen": len(e.data)}
return {}
`)
		r := l.run(engine.Request{Workflow: "much"})
		if got := seen(t, r); got != "600000" {
			t.Errorf("the workflow has %s characters", got)
		}
		again, err := l.GetRun(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		step, err := l.GetStep(r.ID, 1)
		if err != nil {
			t.Fatal(err)
		}
		for what, answer := range map[string]any{"the run's answer": r, "the run": again, "the step": step} {
			if b, err := json.Marshal(answer); err != nil || len(b) > 5000 || !strings.Contains(string(b), "output-mismatch") {
				t.Errorf("%s has %d bytes, %v: %.200s", what, len(b), err, b)
			}
		}
		if !strings.Contains(strings.Join(step.Trimmed, "; "), "error.data: kept 300 of 600000 characters") {
			t.Errorf("cut: %q", step.Trimmed)
		}
	})
	t.Run("field-fault-97 not caught", func(t *testing.T) {
		l.script("uncaught", `return {"seen": ctx.lab.raw(result=ctx.inputs.get("result"))}`)
		r := l.run(engine.Request{Workflow: "uncaught", Inputs: json.RawMessage(`{"result":{"isError":true,"content":[{"type":"text","text":"not stored"}]}}`)})
		if r.OK || !strings.Contains(r.Error, "not stored") {
			t.Errorf("%q %q %s", r.Code, r.Error, r.Output)
		}
	})
}

// An answer that is not what the tool declares is a value and a warning, and only for a read in strict mode a failure.
func TestDeclaredResults(t *testing.T) {
	for _, test := range []struct {
		name, tool, results, result, want, warning string
	}{
		{"field-fault-104 JSON in text", "declared", config.Lenient, `{"content":[{"type":"text","text":"{\"count\": 3}"}]}`, `{"count":3}`, "no structured content"},
		{"field-fault-104 only prose", "declared", config.Lenient, `{"content":[{"type":"text","text":"three"}]}`, `["output-mismatch","three"]`, ""},
		{"field-fault-104 only prose, of an act", "declared_act", config.Strict, `{"content":[{"type":"text","text":"three"}]}`, `"three"`, "no text that is JSON"},
		{"field-fault-106 null where a number is declared", "declared", config.Lenient, `{"content":[],"structuredContent":{"count":null}}`, `{"count":null}`, "output schema says: count"},
		{"field-fault-106 in strict mode", "declared", config.Strict, `{"content":[],"structuredContent":{"count":null}}`, `["output-mismatch",{"count":null}]`, ""},
		{"field-fault-106 of an act in strict mode", "declared_act", config.Strict, `{"content":[],"structuredContent":{"count":null}}`, `{"count":null}`, "output schema says: count"},
		{"as declared, in strict mode", "declared", config.Strict, `{"content":[],"structuredContent":{"count":3}}`, `{"count":3}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, config.Allow)
			f, _, err := config.Load(l.home.Config())
			if err != nil {
				t.Fatal(err)
			}
			f.Results = test.results
			if err := f.Save(l.home.Config()); err != nil {
				t.Fatal(err)
			}
			l.script("declared", `
value: Any = ctx.inputs.get("result")
try:
    return {"seen": ctx.lab.`+test.tool+`(result=value)}
except ToolError as e:
    return {"seen": [e.code, e.data]}
`)
			r := l.run(engine.Request{Workflow: "declared", Inputs: json.RawMessage(`{"result":` + test.result + `}`)})
			if got := seen(t, r); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			s := l.step(r, 1)
			if warnings := strings.Join(s.Warnings, "; "); !strings.Contains(warnings, test.warning) || (warnings == "") != (test.warning == "") {
				t.Errorf("warnings %q, want %q", warnings, test.warning)
			}
			if acts := strings.Count(test.tool, "act"); l.acted() != acts {
				t.Errorf("%d acts", l.acted())
			}
		})
	}
}

// A tool whose output schema is none is a tool all the same.
func TestFieldFault8_OutputSchemaThatIsNone(t *testing.T) {
	define := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(define, []byte(`[{"tool": {"name": "odd", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
		"outputSchema": {"type": "object", "properties": {"kind": {"type": {"type": "string"}}}}}, "result": {"content": [], "structuredContent": {"kind": 7}}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLab(t, config.Allow, "-define", define)
	l.script("odd", `
value: Any = ctx.lab.odd()
return {"seen": value}
`)
	if got := seen(t, l.run(engine.Request{Workflow: "odd"})); got != `{"kind":7}` {
		t.Error(got)
	}
}

// Bytes go from one tool to another without the workflow, the journal or the run's answer having them.
func TestMediaFromToolToTool(t *testing.T) {
	l := newLab(t, config.Allow)
	l.script("copy", `
found: Any = ctx.lab.picture(bytes=100_000)
image = found[1]
ctx.lab.upload(data=image["data"], more=[image["data"]])
data = ctx.media(image["data"])
return {"seen": [found, len(data), data == b"\xff" * 100_000]}
`)
	for _, mode := range []store.Mode{store.Dry, store.Live} {
		r := l.run(engine.Request{Workflow: "copy", Mode: mode})
		const want = `[[{"text":"here it is","type":"text"},{"data":"media:sha256:be87f6dbe42cdf682276fbecab3636fbfcaa008cf454d635dd77872b50d940aa","mimeType":"image/png",`
		got := seen(t, r)
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `"type":"image","size":100000}],100000,true]`) {
			t.Errorf("%s: %s", mode, got)
		}
		answer, err := json.Marshal(r)
		if err != nil || len(answer) > 5000 {
			t.Errorf("the answer of the run has %d bytes, %v", len(answer), err)
		}
		for seq := 1; seq <= 2; seq++ {
			s := l.step(r, seq)
			if s.State != store.StepOK || len(s.Arguments)+len(s.Result) > 500 || len(s.Warnings) > 0 {
				t.Errorf("%s: step %d: %s %s %q", mode, seq, s.State, s.Arguments, s.Warnings)
			}
		}
		if again := l.replay(r.ID, nil); !again.Identical || again.Fuel != r.Fuel {
			t.Errorf("%s: the replay differs: %+v", mode, again.Difference)
		}
		if s := l.step(r, 2); !bytes.Contains(s.Arguments, []byte("media:sha256:")) {
			t.Errorf("the journal has %s", s.Arguments)
		}
	}
	sent, err := os.ReadFile(l.acts)
	if err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 100_000))
	if want := `{"arguments":{"data":"` + data + `","more":["` + data + `"]},"tool":"upload"}` + "\n"; string(sent) != want {
		t.Errorf("the server was sent %d bytes, want %d: %.100s", len(sent), len(want), sent)
	}
	// A source that is not stored keeps its media in memory.
	v, err := l.Store().Version("copy", "")
	if err != nil {
		t.Fatal(err)
	}
	r := l.run(engine.Request{Source: &engine.Workflow{Name: "draft", Code: v.Code}, Mode: store.Dry})
	if got := seen(t, r); !strings.HasSuffix(got, `,100000,true]`) {
		t.Error(got)
	}
}

// A handle that a workflow has from elsewhere stands for nothing: not in a call, not in ctx.media, and not when a server repeats it.
func TestHandlesOfOtherRuns(t *testing.T) {
	l := newLab(t, config.Allow)
	l.script("first", `
found: Any = ctx.lab.picture(bytes=10)
return {"seen": found[1]["data"]}
`)
	var handle string
	if err := json.Unmarshal([]byte(seen(t, l.run(engine.Request{Workflow: "first"}))), &handle); err != nil {
		t.Fatal(err)
	}
	l.script("thief", `
handle = ctx.inputs.get("handle", "")
out: list[str] = []
blocks: list[Any] = [
    {"content": [{"type": "text", "text": json.dumps({"type": "image", "data": handle})}]},
    {"content": [{"type": "text", "text": json.dumps([{"type": "image", "data": handle, "size": 10}])}]},
]
repeated: list[Any] = [ctx.lab.raw(result=block) for block in blocks]
for value in [handle, repeated[0]["data"], repeated[1][0]["data"]]:
    try:
        out.append(str(len(ctx.media(value))))
    except ToolError as e:
        out.append(e.code)
    try:
        ctx.lab.upload(data=value)
        out.append("sent")
    except ToolError as e:
        out.append(e.code)
ctx.lab.text(text=f"see {handle}")
return {"seen": out}
`)
	for _, mode := range []store.Mode{store.Dry, store.Live} {
		r := l.run(engine.Request{Workflow: "thief", Mode: mode, Inputs: json.RawMessage(`{"handle":"` + handle + `"}`)})
		const no = `"unknown-media","unknown-media"`
		if got := seen(t, r); got != "["+no+","+no+","+no+"]" || l.acted() != 0 {
			t.Errorf("%s: %s, %d acts", mode, got, l.acted())
		}
	}
}

// What a workflow sees of media counts by its handle; the bytes count when they are asked for, and on the wire.
func TestLimitsOfMedia(t *testing.T) {
	l := newLab(t, config.Allow)
	l.script("large", `
found: Any = ctx.lab.picture(bytes=30 << 20)
handle = found[1]["data"]
out: list[str] = [str(found[1]["size"])]
for ask in range(2):
    try:
        if ask:
            ctx.lab.upload(data=handle, more=[handle])
        else:
            ctx.media(handle)
    except ToolError as e:
        out.append(e.code)
try:
    ctx.lab.huge(bytes=9 << 20)
except ToolError as e:
    out.append(e.code)
try:
    ctx.lab.huge(bytes=65 << 20)
except ToolError as e:
    out.append(e.code)
return {"seen": out}
`)
	r := l.run(engine.Request{Workflow: "large"})
	if got := seen(t, r); got != `["31457280","result-too-large","arguments-too-large","result-too-large","result-too-large"]` {
		t.Error(got)
	}
	if l.acted() != 0 {
		t.Error("what is too large was sent")
	}
}

// The blocks of the reference server, by a workflow.
func TestBlocksOfARealServer(t *testing.T) {
	l := newLabWith(t, config.Allow, func(c *config.Connector) {
		*c = connectortest.Server(t, "everything")
		c.Name = "lab"
	})
	l.script("blocks", `
image: Any = ctx.lab.get_tiny_image()
message: Any = ctx.lab.get_annotated_message(messageType="error", includeImage=True)
blob: Any = ctx.lab.get_resource_reference(resourceType="Blob", resourceId=2)
text: Any = ctx.lab.get_resource_reference(resourceType="Text", resourceId=2)
links: Any = ctx.lab.get_resource_links(count=2)
weather = ctx.lab.get_structured_content(location="New York")
picture = ctx.media(image[1]["data"])
inside = ctx.media(blob[1]["resource"]["blob"]).decode()
return {"seen": [
    [block["type"] for block in image], image[1]["mimeType"], image[1]["size"] == len(picture), picture[:4].hex(),
    message[0]["annotations"], message[1]["data"] == image[1]["data"],
    inside.startswith("Resource 2: "), text[1]["resource"]["text"].startswith("Resource 2: "),
    [link["type"] for link in links], links[1]["uri"], sorted(weather),
]}
`)
	r := l.run(engine.Request{Workflow: "blocks"})
	const want = `[["text","image","text"],"image/png",true,"89504e47",{"audience":["user","assistant"],"priority":1},true,true,true,` +
		`["text","resource_link","resource_link"],"demo://resource/dynamic/blob/1",["conditions","humidity","temperature"]]`
	if got := seen(t, r); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	for _, s := range r.Steps {
		if len(s.Warnings) > 0 {
			t.Errorf("%s: %q", s.Tool, s.Warnings)
		}
	}
	if answer, err := json.Marshal(r); err != nil || len(answer) > 5000 {
		t.Errorf("the answer of the run has %d bytes, %v", len(answer), err)
	}
}
