package catalog_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/runtime"
)

// guest runs a workflow in the embedded Python, which is the one whose rules count.
func guest(t *testing.T, source string, into any) {
	t.Helper()
	e, err := runtime.Open(context.Background(), runtime.Config{CacheDir: os.Getenv("RUNLACE_CACHE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	limits := runtime.Limits{Fuel: 100e9}
	p, err := e.Compile(context.Background(), source, limits)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(context.Background(), p, runtime.Job{Inputs: json.RawMessage("{}"), Limits: limits})
	if err != nil || r.Err != nil {
		t.Fatal(err, r)
	}
	if err := json.Unmarshal(r.Output, into); err != nil {
		t.Fatal(err)
	}
}

// Field fault 62: the list of keywords is that of the guest's Python, and no other Python is asked.
func TestKeywordsAreTheGuests(t *testing.T) {
	var said [2][]string
	guest(t, "import collections\ndef run(ctx):\n    k = collections._iskeyword.__self__\n    return [sorted(k), []]\n", &said)
	if len(said[0]) < 35 {
		t.Fatalf("the guest has %d keywords", len(said[0]))
	}
	for _, word := range said[0] {
		if !catalog.IsKeyword(word) {
			t.Errorf("%s is a keyword of the guest", word)
		}
	}
	soft := []string{"case", "match", "type"}
	for _, word := range soft {
		if !catalog.IsKeyword(word) || slices.Contains(said[0], word) {
			t.Errorf("%s is a soft keyword", word)
		}
	}
	for _, word := range []string{"", "_", "print", "self", "none", "Class", "exec", "nonlocal_"} {
		if catalog.IsKeyword(word) {
			t.Errorf("%q is no keyword", word)
		}
	}
}

// What we take for an identifier, the guest does too, and does not spell it otherwise: character by character.
func TestIdentifiersAreTheGuests(t *testing.T) {
	var said struct{ Start, Part []rune } // from, to, from, to …
	guest(t, `import unicodedata
def ranges(ok):
    out, inside = [], False
    for c in range(0x110000):
        if ok(chr(c)) != inside:
            inside = not inside
            out.append(c)
    return out

def run(ctx):
    return {"start": ranges(str.isidentifier), "part": ranges(lambda c: ("a" + c).isidentifier() and unicodedata.normalize("NFKC", c) == c)}
`, &said)
	within := func(list []rune, r rune) bool {
		i, exact := slices.BinarySearch(list, r)
		return exact == (i%2 == 0)
	}
	if !within(said.Start, 'a') || within(said.Start, '1') || !within(said.Part, '1') || within(said.Part, '-') {
		t.Fatal("the ranges are read wrongly")
	}
	wrong := 0
	for r := rune(0); r < 0x110000 && wrong < 20; r++ {
		if catalog.IsIdentifier(string(r)) && !within(said.Start, r) || catalog.IsIdentifier("a"+string(r)) && !within(said.Part, r) {
			wrong++
			t.Errorf("%U %c cannot stand in a name of the guest's Python", r, r)
		}
	}
}
