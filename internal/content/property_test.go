package content

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// generator makes results of all kinds, the odd ones too.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) value(depth int) string {
	if depth == 0 {
		return g.pick(`null`, `true`, `false`, `0`, `-1.50`, `12345678901234567890`, `""`, `"a"`, `"x is not defined"`, `"{\"a\":1}"`, `"`+handle+`"`)
	}
	switch g.IntN(3) {
	case 0:
		return g.value(0)
	case 1:
		return `[` + g.value(depth-1) + `,` + g.value(depth-1) + `]`
	default:
		return `{"` + g.pick("result", "content", "a", "type") + `":` + g.value(depth-1) + `,"b":` + g.value(depth-1) + `}`
	}
}

func (g generator) block() string {
	switch g.IntN(8) {
	case 0, 1:
		return text(g.pick("", "x is not defined", "[1, 2", "12", "true"))
	case 2, 3:
		return text(g.value(3))
	case 4:
		return `{"type":"` + g.pick("image", "audio") + `","data":"` + g.pick(png, "", "what?", handle) + `","mimeType":"a/b"}`
	case 5:
		return `{"type":"resource","resource":{"uri":"x:y","` + g.pick("text", "blob") + `":"` + png + `"}}`
	case 6:
		return `{"type":"resource_link","uri":"x:y","name":"n"}`
	default:
		return g.pick(`{"type":"new","a":`+g.value(2)+`}`, g.value(2), `{"type":"text"}`)
	}
}

func (g generator) result() connector.Result {
	structured := ""
	if g.IntN(2) == 0 {
		structured = g.value(3)
	}
	var blocks []string
	for range g.IntN(4) {
		blocks = append(blocks, g.block())
	}
	return result(structured, g.IntN(3) == 0, blocks...)
}

func (g generator) rule(t testing.TB) Rule {
	return Rule{Check: checker(t, g.pick("", `{}`, count, `{"type":"string"}`, `false`, `{"type":["array","null"]}`)), Act: g.IntN(2) == 0, Strict: g.IntN(2) == 0}
}

func say(r connector.Result) string {
	return fmt.Sprintf("isError %t, structured %s, content %s", r.IsError, r.Structured, r.Content)
}

// No path leads from isError to a normal return, and no other way from a failure to nothing.
func TestFieldFault98_AnErrorIsNeverAValue(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(4, 98))}
	for range 20_000 {
		r, rule := g.result(), g.rule(t)
		a := Unwrap(r, rule, &Memory{})
		switch {
		case (a.Err == nil) == (a.Value == nil):
			t.Fatalf("%s: value %s, failure %+v", say(r), a.Value, a.Err)
		case r.IsError && (a.Err == nil || a.Err.Code != CodeToolError || a.Err.Message == ""):
			t.Fatalf("%s: value %s, failure %+v", say(r), a.Value, a.Err)
		case !r.IsError && a.Err != nil && (a.Err.Code != CodeOutputMismatch || rule.Act || a.Err.Data == nil):
			t.Fatalf("%s: failure %+v", say(r), a.Err)
		case r.IsError && r.Structured != nil && string(a.Err.Data) != string(r.Structured):
			if string(r.Structured) != "null" { // then the blocks say more
				t.Fatalf("%s: data %s", say(r), a.Err.Data)
			}
		}
	}
}

// A value that is sent again, as structured content, is the same value: nothing is wrapped or unwrapped twice.
func TestFieldFault110_OnceIsEnough(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(4, 110))}
	for range 20_000 {
		r := g.result()
		r.IsError = false
		once := Unwrap(r, Rule{}, &Memory{})
		twice := Unwrap(connector.Result{Structured: once.Value}, Rule{}, &Memory{})
		if string(twice.Value) != string(once.Value) || twice.Err != nil || len(twice.Warnings) > 0 {
			t.Fatalf("%s: %s, then %s %q", say(r), once.Value, twice.Value, twice.Warnings)
		}
		wrapped := `{"result":` + string(once.Value) + `}`
		if a := Unwrap(result(wrapped, false), Rule{}, &Memory{}); string(a.Value) != wrapped {
			t.Fatalf("%s became %s", wrapped, a.Value)
		}
		if r.Structured == nil || string(r.Structured) == "null" {
			continue
		}
		if string(once.Value) != string(r.Structured) {
			t.Fatalf("%s: %s", say(r), once.Value)
		}
	}
}

var numbered = regexp.MustCompile(`block \d+ beside`)

// Each block is in the value, or in the data of the failure, or says the same as it, or has a warning.
func TestNothingIsLost(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(4, 100))}
	for range 20_000 {
		r, rule := g.result(), g.rule(t)
		a := Unwrap(r, rule, &Memory{})
		where := a.Value
		if a.Err != nil {
			where = append(ordered.AppendString(nil, a.Err.Message), a.Err.Data...)
			if len(a.Err.Data) == 0 {
				where = append(where, "null"...)
			}
		}
		u := &unwrapping{}
		for i, raw := range r.Content {
			b := u.block(i+1, raw, &Memory{})
			kept := strings.Contains(string(where), string(b.raw))
			if b.isText {
				t := strings.TrimSpace(b.text)
				kept = kept || t == "" || strings.Contains(string(where), string(ordered.AppendString(nil, t)[1:len(ordered.AppendString(nil, t))-1])) ||
					strings.Contains(string(where), t)
			}
			if !kept && !strings.Contains(strings.Join(a.Warnings, "\n"), fmt.Sprintf("block %d beside", i+1)) {
				t.Fatalf("%s: block %d is not in %s, and the warnings are %q", say(r), i+1, where, a.Warnings)
			}
		}
		if r.Structured == nil && rule.Check == nil && numbered.MatchString(strings.Join(a.Warnings, "\n")) {
			t.Fatalf("%s: the content is the value, and something was left out: %q", say(r), a.Warnings)
		}
	}
}

// Bytes that came in go out as they were, and never stand in the value.
func TestThereAndBack(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 101))
	for range 300 {
		data := make([]byte, 64+g.IntN(5000))
		for i := range data {
			data[i] = byte(g.Uint32())
		}
		blobs := &Memory{}
		block, _ := json.Marshal(map[string]any{"type": "image", "data": data}) // []byte is base64 in JSON
		a := Unwrap(result("", false, string(block)), Rule{}, blobs)
		if a.Err != nil || len(a.Value) > 200 {
			t.Fatalf("%s, %+v", a.Value, a.Err)
		}
		wire, failure := Fill(a.Value, blobs)
		var sent []struct{ Data []byte }
		if failure != nil || json.Unmarshal(wire, &sent) != nil || string(sent[0].Data) != string(data) {
			t.Fatalf("%d bytes came back as %s, %+v", len(data), wire, failure)
		}
	}
}

func FuzzUnwrap(f *testing.F) {
	f.Add([]byte(`{"a":1}`), []byte(text(`{"a":1}`)), []byte(`{"type":"image","data":"`+png+`"}`), byte(0))
	f.Add([]byte(nil), []byte(`{"type":"resource","resource":{"blob":"AAAA"}}`), []byte(`{"type":"text","text":"\ud800"}`), byte(7))
	f.Add([]byte(`null`), []byte(`7`), []byte(`{"type":["text"]}`), byte(11))
	f.Fuzz(func(t *testing.T, structured, one, two []byte, how byte) {
		r := connector.Result{IsError: how&1 != 0}
		for _, b := range [][]byte{one, two} {
			if json.Valid(b) {
				r.Content = append(r.Content, b)
			}
		}
		if json.Valid(structured) {
			r.Structured = structured
		}
		rule := Rule{Act: how&2 != 0, Strict: how&4 != 0}
		if how&8 != 0 {
			rule.Check = checker(t, count)
		}
		blobs := &Memory{}
		a := Unwrap(r, rule, blobs)
		if (a.Err == nil) == (a.Value == nil) || r.IsError && a.Err == nil {
			t.Fatalf("%s: value %s, failure %+v", say(r), a.Value, a.Err)
		}
		out := a.Value
		if a.Err != nil {
			if out = a.Err.Data; out == nil {
				return
			}
		}
		if !json.Valid(out) {
			t.Fatalf("%s: not JSON: %s", say(r), out)
		}
		if wire, failure := Fill(out, blobs); failure == nil && !json.Valid(wire) {
			t.Fatalf("filled: not JSON: %s", wire)
		}
	})
}
