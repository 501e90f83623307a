package hostfuncs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

var errMalformed = errors.New("hostfuncs: malformed request")

func decodeCallTool(request []byte) (c Call, err error) {
	o, err := decodeObject(request, "connector", "tool", "arguments")
	if err != nil {
		return c, err
	}
	if c.Connector, err = text(o["connector"]); err != nil {
		return c, err
	}
	if c.Tool, err = text(o["tool"]); err != nil {
		return c, err
	}
	if c.Connector == "" || c.Tool == "" || !isObject(o["arguments"]) {
		return c, errMalformed
	}
	c.Arguments = o["arguments"]
	return c, nil
}

func decodeAskModel(request []byte) (c Call, err error) {
	o, err := decodeObject(request, "system", "user", "schema")
	if err != nil {
		return c, err
	}
	for _, name := range []string{"system", "user"} {
		if _, err := text(o[name]); err != nil {
			return c, err
		}
	}
	if schema, ok := o["schema"]; ok && !isObject(schema) {
		return c, errMalformed
	}
	c.Arguments = bytes.Clone(request)
	return c, nil
}

func decodeReadMedia(request []byte) (c Call, err error) {
	o, err := decodeObject(request, "handle")
	if err != nil {
		return c, err
	}
	if _, err := text(o["handle"]); err != nil {
		return c, err
	}
	c.Media, c.Arguments = true, bytes.Clone(request)
	return c, nil
}

// decodeObject takes one JSON object apart. Names are exact, may come once, and must be among those listed: encoding/json
// alone would take "Tool" for "tool", and the last of two.
func decodeObject(b []byte, names ...string) (map[string]json.RawMessage, error) {
	if !utf8.Valid(b) {
		return nil, errMalformed
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errMalformed
	}
	o := make(map[string]json.RawMessage, len(names))
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, errMalformed
		}
		name, _ := t.(string)
		if _, twice := o[name]; twice || !contains(names, name) {
			return nil, errMalformed
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, errMalformed
		}
		o[name] = v
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, errMalformed
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errMalformed
	}
	return o, nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// text decodes a JSON string. A missing one, or null, is an error.
func text(raw json.RawMessage) (s string, err error) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", errMalformed
	}
	return s, json.Unmarshal(raw, &s)
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// encodeAnswer makes the guest's form of a, which is never much larger than limit.
func encodeAnswer(a Answer, limit int) []byte {
	if a.Err != nil {
		return encodeError(*a.Err, limit)
	}
	if len(a.Value) > limit {
		return tooLarge(len(a.Value), limit)
	}
	var b bytes.Buffer
	b.Grow(len(a.Value) + 16)
	b.WriteString(`{"value":`)
	if err := compact(&b, a.Value); err != nil {
		return encodeError(Error{Code: CodeResultInvalid, Message: "the answer is not JSON: " + err.Error()}, limit)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encodeBytes makes the guest's form of an answer to read_media: a zero, which no JSON begins with, before the bytes.
func encodeBytes(a Answer, limit int) []byte {
	if a.Err != nil {
		return encodeError(*a.Err, limit)
	}
	if len(a.Bytes) > limit {
		return tooLarge(len(a.Bytes), limit)
	}
	return append(make([]byte, 1, len(a.Bytes)+1), a.Bytes...)
}

func encodeError(e Error, limit int) []byte {
	if size := len(e.Code) + len(e.Message) + len(e.Data) + len(e.Tool); size > max(limit, 1<<10) {
		return tooLarge(size, limit)
	}
	if len(e.Data) > 0 {
		var b bytes.Buffer
		if err := compact(&b, e.Data); err != nil {
			return encodeError(Error{Code: CodeResultInvalid, Message: "the data of error " + e.Code + " is not JSON: " + err.Error()}, limit)
		}
		e.Data = b.Bytes()
	}
	b, err := json.Marshal(struct {
		Error Error `json:"error"`
	}{e})
	if err != nil { // cannot happen: the data is valid by now
		return encodeError(Error{Code: CodeResultInvalid, Message: err.Error()}, limit)
	}
	return b
}

func tooLarge(size, limit int) []byte {
	return encodeError(Error{Code: CodeResultTooLarge, Message: fmt.Sprintf("the answer has %d bytes, and the limit is %d", size, limit)}, limit)
}

// compact appends v without insignificant white space. Bytes that are not UTF-8, which can only be inside strings, are
// replaced.
func compact(b *bytes.Buffer, v json.RawMessage) error {
	if !utf8.Valid(v) {
		v = bytes.ToValidUTF8(v, []byte("\uFFFD"))
	}
	return json.Compact(b, v)
}
