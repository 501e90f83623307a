package diff

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// The schemas of real tools: each is compatible with itself, with one more optional key and, where it is open, with one less; and not with one more
// required key, of which there is an example.
func TestCorpus(t *testing.T) {
	b, err := os.ReadFile("../../compiler/stubs/testdata/corpus.json.zst")
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct{ Tools []catalog.Tool }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	schemas := map[string]bool{}
	for _, server := range all {
		for _, tool := range server.Tools {
			schemas[string(tool.InputSchema)] = true
		}
	}
	delete(schemas, "")
	if len(schemas) < 1000 {
		t.Fatalf("%d schemas", len(schemas))
	}
	compare := func(before, now string) *Report {
		return Compare(Side{Inputs: json.RawMessage(before)}, Side{Inputs: json.RawMessage(now)})
	}
	unproved := 0
	for s := range schemas {
		if r := compare(s, s); !r.Same {
			t.Errorf("%s: %s", s, reasons(r))
		}
		more := with(t, s, false)
		if r := compare(s, more); r.Verdict != Compatible {
			t.Errorf("%s with an optional key: %s", s, reasons(r))
		}
		if r := compare(s, with(t, s, true)); r.Verdict == Compatible {
			t.Errorf("%s with a required key: %s", s, reasons(r))
		} else if r.Verdict != Breaks {
			unproved++
		}
		closed := strings.Contains(s, `"additionalProperties":false`)
		if r := compare(more, s); !closed && r.Verdict != Compatible {
			t.Errorf("%s without a key: %s", more, reasons(r))
		}
	}
	if unproved > len(schemas)/50 {
		t.Errorf("of %d schemas with another required key %d are not known to break", len(schemas), unproved)
	}
	t.Logf("%d schemas, %d without an example", len(schemas), unproved)
}

// with is a schema with another key.
func with(t *testing.T, s string, required bool) string {
	v, err := ordered.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	out, properties, keys := ordered.NewObject(), ordered.NewObject(), ordered.NewArray()
	for _, m := range v.Members {
		out.Set(m.Key, m.Value)
	}
	for _, m := range v.Get("properties").Entries() {
		properties.Set(m.Key, m.Value)
	}
	properties.Set("one more", ordered.NewObject())
	out.Set("properties", properties)
	if required {
		if r := v.Get("required"); r.Is(ordered.Array) {
			keys = ordered.NewArray(r.Items...)
		}
		keys.Items = append(keys.Items, ordered.NewString("one more"))
		out.Set("required", keys)
	}
	return string(out.JSON())
}
