package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/schema/ordered"
)

func TestTextIsReadable(t *testing.T) {
	got := string(Text(
		Entry{"inputs", json.RawMessage(`{"path":"a b.txt","count":1.50,"big":123456789012345678901234567890,"none":null}`)},
		Entry{"answers", json.RawMessage(`[{"call":"files.read","arguments":{"path":"x"},"result":{"content":"one\ntwo\n\n  three\n","tags":["a","b"]}},{"call":"f.g","arguments":{},"result":[]}]`)},
		Entry{"output", json.RawMessage(`"yes"`)},
	))
	want := `inputs: {path: a b.txt, count: 1.50, big: 123456789012345678901234567890, none: null}
answers:
  - call: files.read
    arguments: {path: x}
    result:
      content: |
        one
        two

          three
      tags: [a, b]
  - {call: f.g, arguments: {}, result: []}
output: "yes"
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Whatever is written is read back as it was, to the digit and to the space.
func TestTextRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"", "a", "true", "No", "~", "null", "1", "-1.50", "1e5", "1E400", "0x10", "0o7", "007", "1_000", "+1", ".5", ".inf", ".nan", "2026-01-01", "12:30:00", "- a", "a: b", "a #b",
		"#", "&a", "*a", "!t", "<<", "%", "@", "`", "'", "\"", "\\", "{", "}", "[", "]", ",", "|", ">", "?", ": ", " a", "a ", "\t", "a\tb", "\n", "a\n", "a\nb", "a\nb\n", "a\nb\n\n", "\na\nb",
		" a\nb\nc", "a\n b\n  c\n", "a \nb\nc", "a\n\nb\n", "a\r\nb\nc", "---\nb\nc", "...\nb\nc\n", "# a\n# b\nc: d\n", "- a\n- b\n- c", "é ü 漢字 🚀", "\u0000\u001b", "\u007f", "\u0085", "\u2028\u2029", "\ufeff", "\u00a0\u200b"}
	var make func(depth int) *ordered.Value
	make = func(depth int) *ordered.Value {
		switch k := r.IntN(8); {
		case k == 0:
			return &ordered.Value{}
		case k == 1:
			return ordered.NewBool(r.IntN(2) == 0)
		case k == 2:
			return &ordered.Value{Kind: ordered.Number, Text: []string{"0", "-0", "1", "-12", "1.50", "1e5", "1E+5", "-1.0e-7", "1e400", "12345678901234567890123", "0.1000"}[r.IntN(11)]}
		case k < 5 || depth > 3:
			return ordered.NewString(words[r.IntN(len(words))])
		case k < 6:
			v := ordered.NewArray()
			for range r.IntN(4) {
				v.Items = append(v.Items, make(depth+1))
			}
			return v
		}
		v := ordered.NewObject()
		for range r.IntN(4) {
			v.Set(words[r.IntN(len(words))], make(depth+1))
		}
		return v
	}
	for i := range 20000 {
		want := Entry{"a", make(0).JSON()}
		text := Text(want, Entry{"b", json.RawMessage("1")})
		if !same(text, []Entry{want}) {
			t.Fatalf("%d: %s\n%s", i, want.Value, text)
		}
	}
}

func TestSetKey(t *testing.T) {
	const text = "# first\na: 1\n\n# second\nb:\n- x # one\n-   y\n\n# third\nc: {d: 4}"
	for _, c := range []struct {
		name    string
		entry   Entry
		instead []string
		want    string
	}{
		{"in place", Entry{"b", json.RawMessage(`["z"]`)}, nil, "# first\na: 1\n\n# second\nb: [z]\n\n# third\nc: {d: 4}\n"},
		{"at the end", Entry{"e", json.RawMessage(`5`)}, nil, "# first\na: 1\n\n# second\nb:\n- x # one\n-   y\n\n# third\nc: {d: 4}\ne: 5\n"},
		{"instead", Entry{"e", json.RawMessage(`5`)}, []string{"a"}, "# first\ne: 5\n\n# second\nb:\n- x # one\n-   y\n\n# third\nc: {d: 4}\n"},
		{"away", Entry{"b", nil}, nil, "# first\na: 1\n\n# second\n\n# third\nc: {d: 4}\n"},
		{"nothing to take away", Entry{"e", nil}, nil, text + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(SetKey([]byte(text), c.entry, c.instead...)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if got := string(SetKey(nil, Entry{"a", json.RawMessage("1")})); got != "a: 1\n" {
		t.Errorf("%q", got)
	}
}

func TestReplace(t *testing.T) {
	file := t.TempDir() + "/a/b/c.yaml"
	for i, want := range []bool{true, false, true} {
		text := []byte(fmt.Sprint(i / 2))
		if changed, err := Replace(file, text); err != nil || changed != want {
			t.Errorf("%d: %v, %v", i, changed, err)
		}
	}
	if b, err := readFile(file); err != nil || !bytes.Equal(b, []byte("1")) {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := Replace(file+"/d", nil); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Error(err)
	}
}
