package catalog

import (
	"encoding/json"
	"testing"
)

// What is left out is wording and nothing else: the digest does not see it, properties of such names stay, and so does the order of keys.
func TestWordless(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"type":"object","title":"T","description":"d","properties":{"title":{"type":"string","title":"x","examples":["a"]},"description":{"default":{"title":1}}},"required":["title"]}`,
			`{"type":"object","properties":{"title":{"type":"string"},"description":{"default":{"title":1}}},"required":["title"]}`},
		{`{"$defs":{"example":{"$comment":"c","enum":[{"title":"kept"}]}},"anyOf":[{"$ref":"#/$defs/example","description":"d"},true]}`,
			`{"$defs":{"example":{"enum":[{"title":"kept"}]}},"anyOf":[{"$ref":"#/$defs/example"},true]}`},
		{`{"dependentRequired":{"title":["description"]},"const":{"description":"kept"},"maximum":1.50}`, `{"dependentRequired":{"title":["description"]},"const":{"description":"kept"},"maximum":1.50}`},
		{`true`, `true`}, {`not JSON`, `not JSON`},
	} {
		got := Wordless(json.RawMessage(c.schema))
		if string(got) != c.want {
			t.Errorf("%s\nis without words\n%s\nand not\n%s", c.schema, got, c.want)
		}
		if a, b := Digest(Tool{InputSchema: json.RawMessage(c.schema)}), Digest(Tool{InputSchema: got}); a != b {
			t.Errorf("%s has another digest without words", c.schema)
		}
	}
}
