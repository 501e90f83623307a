package engine

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/runlace/runlace/internal/connector"
)

// unwrap makes one JSON value of a tool's result:
//
//   - structured content is the value, whatever it is;
//   - one block of text is the JSON object or array that it holds, else the text;
//   - several blocks of text are a list of texts;
//   - with any other block, it is the list of the blocks as they are;
//   - nothing at all is null.
func unwrap(r connector.Result) json.RawMessage {
	if r.Structured != nil {
		return r.Structured
	}
	if len(r.Content) == 0 {
		return json.RawMessage("null")
	}
	var texts []string
	for _, block := range r.Content {
		text, ok := textOf(block)
		if !ok {
			return list(r.Content)
		}
		texts = append(texts, text)
	}
	if len(texts) == 1 {
		if c := firstByte([]byte(texts[0])); (c == '{' || c == '[') && json.Valid([]byte(texts[0])) {
			return json.RawMessage(texts[0])
		}
		return quote(texts[0])
	}
	out := make([]json.RawMessage, len(texts))
	for i, t := range texts {
		out[i] = quote(t)
	}
	return list(out)
}

// errorText is the message of a result that is an error.
func errorText(r connector.Result) string {
	var texts []string
	for _, block := range r.Content {
		if t, ok := textOf(block); ok {
			texts = append(texts, t)
		}
	}
	if text := strings.TrimSpace(strings.Join(texts, "\n")); text != "" {
		return text
	}
	return "the tool failed and did not say why"
}

func textOf(block json.RawMessage) (string, bool) {
	var b struct {
		Type string
		Text *string
	}
	if json.Unmarshal(block, &b) != nil || b.Type != "text" || b.Text == nil {
		return "", false
	}
	return *b.Text, true
}

// quote writes text as JSON without touching characters that HTML minds.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can always be written
	return bytes.TrimRight(b.Bytes(), "\n")
}

func list(items []json.RawMessage) json.RawMessage {
	return append(append([]byte{'['}, bytes.Join(asBytes(items), []byte{','})...), ']')
}

func asBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, b := range items {
		out[i] = b
	}
	return out
}
