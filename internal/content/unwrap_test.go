package content

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// result makes a tool's result of the JSON on the wire; "" is no structured content.
func result(structured string, isError bool, blocks ...string) connector.Result {
	r := connector.Result{IsError: isError}
	if structured != "" {
		r.Structured = json.RawMessage(structured)
	}
	for _, b := range blocks {
		r.Content = append(r.Content, json.RawMessage(b))
	}
	return r
}

func text(s string) string {
	return `{"type":"text","text":` + string(ordered.AppendString(nil, s)) + `}`
}

// checker validates by an output schema, as the stubs do; nil for "".
func checker(t testing.TB, output string) func(json.RawMessage) []schema.FieldError {
	if output == "" {
		return nil
	}
	v, err := schema.Compile(json.RawMessage(output))
	if err != nil {
		t.Fatal(err)
	}
	return v.Validate
}

const (
	png    = "iVBORw0KGgo=" // 8 bytes
	handle = "media:sha256:4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6"
)

type expectation struct {
	name       string
	structured string
	blocks     []string
	output     string // schema
	act        bool
	strict     bool
	isError    bool

	want     string // the value
	code     string // or the failure's code,
	message  string // its message
	data     string // and data
	warnings []string
}

func (e expectation) check(t *testing.T) {
	t.Helper()
	a := Unwrap(result(e.structured, e.isError, e.blocks...), Rule{Check: checker(t, e.output), Act: e.act, Strict: e.strict}, &Memory{})
	if e.code == "" {
		if a.Err != nil || string(a.Value) != e.want {
			t.Errorf("value %s, failure %+v, want %s", a.Value, a.Err, e.want)
		}
	} else if a.Err == nil || a.Err.Code != e.code || !strings.Contains(a.Err.Message, e.message) || string(a.Err.Data) != e.data || a.Value != nil {
		t.Errorf("value %s, failure %+v, want %s %q with the data %s", a.Value, a.Err, e.code, e.message, e.data)
	}
	same := func(got, want string) bool {
		beginning, open := strings.CutSuffix(want, "…") // how the schema's reader goes on is its own affair
		return got == want || open && strings.HasPrefix(got, beginning)
	}
	if !slices.EqualFunc(a.Warnings, e.warnings, same) {
		t.Errorf("warnings\n%s\nwant\n%s", strings.Join(a.Warnings, "\n"), strings.Join(e.warnings, "\n"))
	}
}

const (
	count   = `{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`
	missing = "there is no structured content, though the tool declares an output schema: the value was read from "
	prose   = "there is no structured content, though the tool declares an output schema, and no text that is JSON"
	differs = "the answer is not what the tool's output schema says: "
)

func TestUnwrap(t *testing.T) {
	link := `{"type":"resource_link","uri":"file:///a","name":"a"}`
	for _, e := range []expectation{
		// Structured content is the value, whatever it is.
		{name: "structured", structured: `{"a":1.10}`, want: `{"a":1.10}`},
		{name: "structured null", structured: `null`, want: `null`},
		{name: "structured zero", structured: `0`, want: `0`},
		{name: "structured empty text", structured: `""`, want: `""`},
		{name: "structured empty list", structured: `[]`, blocks: []string{text("[]")}, want: `[]`},
		{name: "field-fault-103 structured false is the value", structured: `false`, blocks: []string{text("false")}, want: `false`},
		{name: "null beside text that says null", structured: `null`, blocks: []string{text("null")}, want: `null`},
		{name: "null that the schema allows", structured: `null`, blocks: []string{text("none found")}, output: `{"type":["object","null"]}`, want: `null`,
			warnings: []string{"not part of the value: block 1 beside the structured content, text of 10 characters: none found"}},
		{name: "null in place of nothing", structured: `null`, blocks: []string{text("hello")}, want: `"hello"`},
		{name: "null in place of nothing, with a schema", structured: `null`, blocks: []string{text(`{"count":1}`)}, output: count, want: `{"count":1}`,
			warnings: []string{missing + "the content"}},

		// Without it, the content is.
		{name: "nothing", want: `null`},
		{name: "text", blocks: []string{text("a <b> & é")}, want: `"a <b> & é"`},
		{name: "empty text", blocks: []string{text("")}, want: `""`},
		{name: "JSON object in text", blocks: []string{text(` {"a": 12345678901234567890}`)}, want: `{"a": 12345678901234567890}`},
		{name: "JSON array in text", blocks: []string{text("[1, 2]\n")}, want: `[1, 2]`},
		{name: "JSON scalar in text stays text", blocks: []string{text(`12`)}, want: `"12"`},
		{name: "JSON text in text stays text", blocks: []string{text(`"a"`)}, want: `"\"a\""`},
		{name: "broken JSON stays text", blocks: []string{text(`{"a":`)}, want: `"{\"a\":"`},
		{name: "texts", blocks: []string{text("a"), text("b")}, want: `["a","b"]`},
		{name: "field-fault-109 the second block is JSON", blocks: []string{text("two found"), text(`{"a":1}`)}, want: `["two found",{"a":1}]`},
		{name: "field-fault-110 a list wrapped in result", structured: `{"result":[1,2]}`, blocks: []string{text("1"), text("2")}, want: `{"result":[1,2]}`},
		{name: "field-fault-110 result inside of result", structured: `{"result":{"result":[1]}}`, want: `{"result":{"result":[1]}}`},

		// With blocks of other kinds, it is the list of all.
		{name: "field-fault-100 text and a resource with the file",
			blocks: []string{text("read 83 bytes"), `{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"the file"}}`},
			want:   `[` + text("read 83 bytes") + `,{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"the file"}}]`},
		{name: "field-fault-101 a resource with text", blocks: []string{`{"type":"resource","resource":{"uri":"x:a","text":""}}`},
			want: `[{"type":"resource","resource":{"uri":"x:a","text":""}}]`},
		{name: "field-fault-101 a made-up block", blocks: []string{`{"type":"hologram","data":"AAAA", "n": 1.0}`}, want: `[{"type":"hologram","data":"AAAA", "n": 1.0}]`},
		{name: "a link", blocks: []string{link}, want: `[` + link + `]`},
		{name: "blocks that are none", blocks: []string{`"text"`, `null`, `{"type":7}`, `{"type":"text"}`, `{"type":"text","text":null}`},
			want: `["text",null,{"type":7},{"type":"text"},{"type":"text","text":null}]`},
		{name: "annotated text keeps them among others", blocks: []string{`{"type":"text","text":"a","annotations":{"priority":1}}`, link},
			want: `[{"type":"text","text":"a","annotations":{"priority":1}},` + link + `]`},

		// What is not part of the value has a warning, unless it says the same.
		{name: "the same as text, written otherwise", structured: `{"a":1.0,"b":[true]}`, blocks: []string{text("{\n  \"b\": [true],\n  \"a\": 1\n}")}, want: `{"a":1.0,"b":[true]}`},
		{name: "a part of it as text", structured: `{"content":"the file"}`, blocks: []string{text("the file")}, want: `{"content":"the file"}`},
		{name: "one text for each item", structured: `{"result":[{"id":1},{"id":2}]}`, blocks: []string{text(`{"id":1}`), text(`{"id": 2}`)},
			want: `{"result":[{"id":1},{"id":2}]}`},
		{name: "more in the text", structured: `{"ok":true}`, blocks: []string{text("Created issue 7"), link}, want: `{"ok":true}`, warnings: []string{
			"not part of the value: block 1 beside the structured content, text of 15 characters: Created issue 7",
			"not part of the value: block 2 beside the structured content, " + link}},
		{name: "an image beside it", structured: `{"ok":true}`, blocks: []string{`{"type":"image","mimeType":"image/png","data":"` + png + `"}`}, want: `{"ok":true}`,
			warnings: []string{"not part of the value: block 1 beside the structured content, image image/png of 8 bytes, " + handle}},

		// A tool that declares its output.
		{name: "declared", structured: `{"count":3}`, output: count, want: `{"count":3}`},
		{name: "field-fault-104 JSON in text", blocks: []string{text(`{"count":3}`)}, output: count, want: `{"count":3}`, warnings: []string{missing + "the content"}},
		{name: "field-fault-104 only prose", blocks: []string{text("three")}, output: count, code: "output-mismatch", message: prose, data: `"three"`},
		{name: "field-fault-104 only prose, of an act", act: true, blocks: []string{text("three")}, output: count, want: `"three"`, warnings: []string{prose}},
		{name: "field-fault-104 nothing at all", output: count, code: "output-mismatch", message: prose, data: `null`},
		{name: "JSON in text that does not fit", blocks: []string{text(`{"count":"3"}`)}, output: count, want: `{"count":"3"}`,
			warnings: []string{missing + "the text", differs + "count has to be an integer…"}},
		{name: "a number in text", blocks: []string{text("12")}, output: `{"type":"integer"}`, want: `12`, warnings: []string{missing + "the text"}},
		{name: "a text in text", blocks: []string{text("[1]")}, output: `{"type":"string"}`, want: `"[1]"`, warnings: []string{missing + "the text"}},
		{name: "field-fault-109 the one of several that fits", blocks: []string{text("two found"), text(`{"count":2}`)}, output: count, want: `{"count":2}`, warnings: []string{
			"not part of the value: block 1 beside block 2, text of 9 characters: two found", missing + "block 2"}},
		{name: "field-fault-109 two of several that fit", blocks: []string{text(`{"count":1}`), text(`{"count":2}`)}, output: count, want: `[{"count":1},{"count":2}]`,
			warnings: []string{missing + "the text", differs + "the value has to be an object…"}},
		{name: "field-fault-106 null where text is declared", structured: `{"name":null}`, output: `{"type":"object","properties":{"name":{"type":"string"}}}`,
			want: `{"name":null}`, warnings: []string{differs + "name has to be a string…"}},
		{name: "mismatch in strict mode", strict: true, structured: `{"count":"three"}`, output: count, code: "output-mismatch",
			message: differs + "count has to be an integer", data: `{"count":"three"}`},
		{name: "an act has happened, also in strict mode", strict: true, act: true, structured: `{"count":"three"}`, output: count, want: `{"count":"three"}`,
			warnings: []string{differs + "count has to be an integer…"}},
		{name: "a strict read that fits", strict: true, blocks: []string{text(`{"count":3}`)}, output: count, want: `{"count":3}`, warnings: []string{missing + "the content"}},

		// An error is an error.
		{name: "field-fault-97 isError with text", isError: true, blocks: []string{text("no such memory")}, code: "tool-error", message: "no such memory"},
		{name: "field-fault-98 isError with text that looks like a result", isError: true, blocks: []string{text("x is not defined")}, code: "tool-error", message: "x is not defined"},
		{name: "field-fault-107 isError with structured data", isError: true, structured: `[{"line":3,"message":"type mismatch"}]`, blocks: []string{text("1 error")}, output: count,
			code: "tool-error", message: "1 error", data: `[{"line":3,"message":"type mismatch"}]`},
		{name: "isError with several texts", isError: true, blocks: []string{text("a"), text("b\n")}, code: "tool-error", message: "a\nb"},
		{name: "isError of an act", isError: true, act: true, blocks: []string{text("no")}, code: "tool-error", message: "no"},
		{name: "isError with other blocks", isError: true, blocks: []string{text("see the screenshot"), `{"type":"image","data":"` + png + `"}`}, code: "tool-error",
			message: "see the screenshot", data: `[{"type":"image","data":"` + handle + `","size":8}]`},
		{name: "isError with both", isError: true, structured: `{"a":1}`, blocks: []string{link}, code: "tool-error", message: "all that it said is in the error's data", data: `{"a":1}`,
			warnings: []string{"not part of the value: block 1 beside the structured content, " + link}},
		{name: "isError with nothing", isError: true, code: "tool-error", message: "did not say why"},
	} {
		t.Run(e.name, e.check)
	}
}

func TestMediaInResults(t *testing.T) {
	with := func(data, mime string) string {
		return `{"type":"image","data":"` + data + `","mimeType":"` + mime + `"}`
	}
	kept := `{"type":"image","data":"` + handle + `","mimeType":"image/png","size":8}`
	for _, e := range []expectation{
		{name: "an image", blocks: []string{with(png, "image/png")}, want: `[` + kept + `]`},
		{name: "beside text", blocks: []string{text("see"), with(png, "image/png")}, want: `[` + text("see") + `,` + kept + `]`},
		{name: "audio", blocks: []string{`{"type":"audio","data":"` + png + `","mimeType":"audio/wav","_meta":{"n":1.0}}`},
			want: `[{"type":"audio","data":"` + handle + `","mimeType":"audio/wav","_meta":{"n":1.0},"size":8}]`},
		{name: "a resource with bytes", blocks: []string{`{"type":"resource","resource":{"uri":"x:a","blob":"` + png + `"},"annotations":{}}`},
			want: `[{"type":"resource","resource":{"uri":"x:a","blob":"` + handle + `","size":8},"annotations":{}}]`},
		{name: "no padding", blocks: []string{with("iVBORw0KGgo", "image/png")}, want: `[` + kept + `]`},
		{name: "white space", blocks: []string{with(`iVBO\nRw0K Ggo=\n`, "image/png")}, want: `[` + kept + `]`},
		{name: "a data address", blocks: []string{with("data:image/png;base64,"+png, "image/png")}, want: `[` + kept + `]`},
		{name: "the other alphabet", blocks: []string{with("_--8", "image/png")},
			want: `[{"type":"image","data":"` + Prefix + digest(t, []byte{0xff, 0xef, 0xbc}) + `","mimeType":"image/png","size":3}]`},
		{name: "no bytes", blocks: []string{with("", "image/png")},
			want: `[{"type":"image","data":"media:sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","mimeType":"image/png","size":0}]`},
		{name: "a size of the server's", blocks: []string{`{"type":"image","size":"big","data":"` + png + `"}`},
			want: `[{"type":"image","size":8,"data":"` + handle + `"}]`, warnings: []string{`block 1: its size is 8, and not "big" as the server says`}},
		{name: "not base64", blocks: []string{with("what?", "image/png")}, want: `[` + with("what?", "image/png") + `]`,
			warnings: []string{"block 1: the data of this image is not base64, and is passed on as it is"}},
		{name: "a handle of the server's own is no handle", blocks: []string{with(handle, "image/png")}, want: `[` + with(handle, "image/png") + `]`,
			warnings: []string{"block 1: the data of this image is not base64, and is passed on as it is"}},
		{name: "without data", blocks: []string{`{"type":"image"}`, `{"type":"resource"}`, `{"type":"audio","data":1}`}, want: `[{"type":"image"},{"type":"resource"},{"type":"audio","data":1}]`},
	} {
		t.Run(e.name, e.check)
	}
}

func digest(t testing.TB, data []byte) string {
	d, err := (&Memory{}).PutBlob(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A disk that is full costs the bytes, not the answer: the call has been made.
func TestMediaThatCannotBeKept(t *testing.T) {
	full := &Memory{size: mostMemory}
	a := Unwrap(result("", false, `{"type":"image","data":"`+png+`"}`), Rule{}, full)
	if string(a.Value) != `[{"type":"image","data":null,"size":8}]` || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "could not be kept") {
		t.Errorf("%s %q", a.Value, a.Warnings)
	}
}

func TestWarningsAreShort(t *testing.T) {
	var blocks []string
	for range 100 {
		blocks = append(blocks, text(strings.Repeat("é", 10_000)))
	}
	a := Unwrap(result("{}", false, blocks...), Rule{}, &Memory{})
	if len(a.Warnings) != mostLeft+1 || len(strings.Join(a.Warnings, "")) > 12_000 {
		t.Errorf("%d warnings of %d bytes", len(a.Warnings), len(strings.Join(a.Warnings, "")))
	}
	many := checker(t, `{"type":"array","items":{"type":"integer"}}`)
	a = Unwrap(result(`["a","b","c","d","e","f","g"]`, false), Rule{Check: many}, &Memory{})
	if len(a.Warnings) != 1 || !strings.HasSuffix(a.Warnings[0], "; and 2 more") {
		t.Errorf("%q", a.Warnings)
	}
}

func BenchmarkUnwrap(b *testing.B) {
	structured := `{"items":[` + strings.Repeat(`{"id":1,"name":"item"},`, 100) + `{}]}`
	r := result(structured, false, text(structured))
	image := result("", false, `{"type":"image","mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString(make([]byte, 1<<20))+`"}`)
	b.Run("structured", func(b *testing.B) {
		for b.Loop() {
			Unwrap(r, Rule{}, nil)
		}
	})
	b.Run("image of 1 MiB", func(b *testing.B) {
		for b.Loop() {
			Unwrap(image, Rule{}, &Memory{})
		}
	})
}
