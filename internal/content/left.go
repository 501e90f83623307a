package content

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// others are the blocks that say something which the structured content does not.
func (u *unwrapping) others(structured json.RawMessage) []block {
	var out []block
	var parsed *ordered.Value
	for _, b := range u.blocks {
		if !b.isText {
			out = append(out, b)
			continue
		}
		text := strings.TrimSpace(b.text)
		if text == "" || bytes.Equal([]byte(text), structured) {
			continue
		}
		if parsed == nil {
			var err error
			if parsed, err = ordered.Parse(structured); err != nil { // nested too deeply to be compared
				parsed = ordered.NewObject()
			}
		}
		asJSON, err := ordered.Parse([]byte(text))
		if err != nil {
			asJSON = nil
		}
		if !within(parsed, b.text, asJSON) {
			out = append(out, b)
		}
	}
	return out
}

// within reports whether a text, or the value that it is as JSON (nil if it is none), is a value or a part of it.
func within(v *ordered.Value, text string, asJSON *ordered.Value) bool {
	if v.Kind == ordered.String && v.Text == text || asJSON != nil && equal(v, asJSON) {
		return true
	}
	for _, item := range v.Items {
		if within(item, text, asJSON) {
			return true
		}
	}
	for _, m := range v.Members {
		if within(m.Value, text, asJSON) {
			return true
		}
	}
	return false
}

// equal is as [ordered.Value.Equal], and cheap where values differ.
func equal(v, w *ordered.Value) bool {
	if v.Kind != w.Kind || len(v.Items) != len(w.Items) || len(v.Members) != len(w.Members) {
		return false
	}
	switch v.Kind {
	case ordered.Array:
		for i := range v.Items {
			if !equal(v.Items[i], w.Items[i]) {
				return false
			}
		}
		return true
	case ordered.Object:
		for _, m := range v.Members {
			if other := w.Get(m.Key); other == nil || !equal(m.Value, other) {
				return false
			}
		}
		return true
	default:
		return v.Equal(w)
	}
}

// shown is how many characters of a block a warning shows, and mostLeft how many blocks.
const (
	shown    = 200
	mostLeft = 20
)

// leftOut warns of blocks that are not part of the value.
func (u *unwrapping) leftOut(beside string, blocks []block) {
	for i, b := range blocks {
		if i == mostLeft {
			u.warn("not part of the value: %d more blocks beside %s", len(blocks)-mostLeft, beside)
			return
		}
		what := b.media
		switch {
		case b.isText:
			what = fmt.Sprintf("text of %d characters: %s", utf8.RuneCountInString(b.text), short(b.text))
		case what == "":
			what = short(string(b.raw))
		}
		u.warn("not part of the value: block %d beside %s, %s", b.number, beside, what)
	}
}

func short(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= shown {
		return text
	}
	return string([]rune(text)[:shown]) + " …"
}
