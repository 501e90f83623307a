package content

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// Codes of failures.
const (
	CodeToolError      = "tool-error"          // the tool says that it failed
	CodeOutputMismatch = "output-mismatch"     // its answer is not what its output schema says
	CodeUnknownMedia   = "unknown-media"       // a handle that this run has not received
	CodeTooLarge       = "arguments-too-large" // what would be sent, with its media, is over MaxWire
)

// Rule is what is known of the tool whose answer is unwrapped.
type Rule struct {
	Check  func(value json.RawMessage) []schema.FieldError // by its output schema; nil if it has none that can be used
	Act    bool                                            // it is not known to be read-only
	Strict bool                                            // a read whose answer does not fit its schema fails
}

// Answer is the value of a result, or a failure.
type Answer struct {
	Value    json.RawMessage  // nil with Err
	Err      *hostfuncs.Error // without Tool, which the caller knows
	Warnings []string         // what was odd about the answer, and what is not part of the value
}

// Unwrap makes one value of a tool's result, as the package comment says.
func Unwrap(r connector.Result, rule Rule, blobs Blobs) Answer {
	u := &unwrapping{rule: rule}
	u.answer.Warnings = append(u.answer.Warnings, r.Odd...)
	for i, raw := range r.Content {
		u.blocks = append(u.blocks, u.block(i+1, raw, blobs))
	}
	switch {
	case r.IsError:
		u.failure(r.Structured)
	case r.Structured != nil && !u.absent(r.Structured):
		u.structured(r.Structured)
	default:
		u.content()
	}
	return u.answer
}

type unwrapping struct {
	rule   Rule
	blocks []block
	answer Answer
}

// block is a content block.
type block struct {
	number int             // from 1
	raw    json.RawMessage // with a handle in place of bytes
	kind   string          // its type, "" if it has none
	isText bool
	text   string
	media  string // what its media are, for a person; "" for others
}

func (u *unwrapping) warn(format string, args ...any) {
	u.answer.Warnings = append(u.answer.Warnings, fmt.Sprintf(format, args...))
}

// block reads a block, and puts its bytes away.
func (u *unwrapping) block(number int, raw json.RawMessage, blobs Blobs) block {
	b := block{number: number, raw: raw}
	var head struct {
		Type json.RawMessage `json:"type"`
		Text json.RawMessage `json:"text"`
	}
	if json.Unmarshal(raw, &head) != nil || json.Unmarshal(head.Type, &b.kind) != nil {
		return b
	}
	switch b.kind {
	case "text":
		b.isText = len(head.Text) > 0 && head.Text[0] == '"' && json.Unmarshal(head.Text, &b.text) == nil
	case "image", "audio", "resource":
		u.media(&b, blobs)
	}
	return b
}

func (u *unwrapping) failure(structured json.RawMessage) {
	var texts []string
	var others []block
	for _, b := range u.blocks {
		if b.isText {
			texts = append(texts, b.text)
		} else {
			others = append(others, b)
		}
	}
	e := &hostfuncs.Error{Code: CodeToolError, Message: strings.TrimSpace(strings.Join(texts, "\n")), Data: structured}
	switch {
	case structured != nil && string(structured) != "null":
		u.leftOut("the structured content", others)
	case len(others) > 0:
		e.Data = list(others)
	}
	if e.Message == "" {
		e.Message = "the tool failed and did not say why"
		if e.Data != nil && string(e.Data) != "null" {
			e.Message = "the tool failed; all that it said is in the error's data"
		}
	}
	u.answer.Err = e
}

// absent reports whether structured content is null where nothing is meant.
func (u *unwrapping) absent(structured json.RawMessage) bool {
	if string(bytes.TrimSpace(structured)) != "null" || len(u.blocks) == 0 {
		return false
	}
	if len(u.blocks) == 1 && u.blocks[0].isText {
		if t := strings.TrimSpace(u.blocks[0].text); t == "" || t == "null" {
			return false
		}
	}
	return u.rule.Check == nil || len(u.rule.Check(structured)) > 0
}

func (u *unwrapping) structured(value json.RawMessage) {
	u.leftOut("the structured content", u.others(value))
	u.checked(value)
}

// content is the rule for an answer without structured content.
func (u *unwrapping) content() {
	value := u.value()
	if u.rule.Check == nil {
		u.answer.Value = value
		return
	}
	if fits, from := u.fitting(value); fits != nil {
		u.warn("there is no structured content, though the tool declares an output schema: the value was read from %s", from)
		u.answer.Value = fits
		return
	}
	if slices.ContainsFunc(u.blocks, func(b block) bool { return b.isText && json.Valid([]byte(b.text)) }) {
		u.warn("there is no structured content, though the tool declares an output schema: the value was read from the text")
		u.checked(value)
		return
	}
	const why = "there is no structured content, though the tool declares an output schema, and no text that is JSON"
	if u.rule.Act {
		u.warn(why)
		u.answer.Value = value
		return
	}
	u.answer.Err = &hostfuncs.Error{Code: CodeOutputMismatch, Message: why + ": what there is is in the error's data", Data: value}
}

// fitting looks for what fits the schema: the value itself, the one text that there is as any JSON or as text, or what the only fitting one of
// several texts holds. It returns nil if there is none, or more than one.
func (u *unwrapping) fitting(value json.RawMessage) (fits json.RawMessage, from string) {
	if len(u.rule.Check(value)) == 0 {
		return value, "the content"
	}
	if len(u.blocks) == 1 && u.blocks[0].isText {
		text := u.blocks[0].text
		for _, v := range []json.RawMessage{json.RawMessage(strings.TrimSpace(text)), ordered.AppendString(nil, text)} {
			if json.Valid(v) && len(u.rule.Check(v)) == 0 {
				return v, "the text"
			}
		}
		return nil, ""
	}
	at := -1
	for i, b := range u.blocks {
		if !b.isText || !json.Valid([]byte(b.text)) || len(u.rule.Check(json.RawMessage(b.text))) > 0 {
			continue
		}
		if at >= 0 {
			return nil, ""
		}
		at = i
	}
	if at < 0 {
		return nil, ""
	}
	from = fmt.Sprintf("block %d", at+1)
	u.leftOut(from, slices.Delete(slices.Clone(u.blocks), at, at+1))
	return json.RawMessage(strings.TrimSpace(u.blocks[at].text)), from
}

// checked takes a value that the output schema may object to.
func (u *unwrapping) checked(value json.RawMessage) {
	u.answer.Value = value
	if u.rule.Check == nil {
		return
	}
	wrong := u.rule.Check(value)
	if len(wrong) == 0 {
		return
	}
	what := "the answer is not what the tool's output schema says: " + fields(wrong)
	if u.rule.Strict && !u.rule.Act {
		u.answer.Value, u.answer.Err = nil, &hostfuncs.Error{Code: CodeOutputMismatch, Message: what, Data: value}
		return
	}
	u.warn("%s", what)
}

// value is the value of the content.
func (u *unwrapping) value() json.RawMessage {
	switch {
	case len(u.blocks) == 0:
		return json.RawMessage("null")
	case slices.ContainsFunc(u.blocks, func(b block) bool { return !b.isText }):
		return list(u.blocks)
	case len(u.blocks) == 1:
		return held(u.blocks[0].text)
	}
	texts := make([]block, len(u.blocks))
	for i, b := range u.blocks {
		texts[i].raw = held(b.text)
	}
	return list(texts)
}

// held is the JSON object or array that a text holds, else the text.
func held(text string) json.RawMessage {
	t := strings.TrimLeft(text, " \t\r\n")
	if t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		return json.RawMessage(strings.TrimRight(t, " \t\r\n"))
	}
	return ordered.AppendString(nil, text)
}

func list(blocks []block) json.RawMessage {
	out := []byte{'['}
	for i, b := range blocks {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, b.raw...)
	}
	return append(out, ']')
}

// mostFields is how many differences a warning names.
const mostFields = 5

func fields(wrong []schema.FieldError) string {
	var out []string
	for _, w := range wrong[:min(len(wrong), mostFields)] {
		out = append(out, w.String())
	}
	if more := len(wrong) - mostFields; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}
