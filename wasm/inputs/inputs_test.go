package inputs

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/assets"
)

const top = "../.."

// The guest in assets/ is the one that the sources describe.
func TestManifestIsOfTheseSources(t *testing.T) {
	m, err := assets.Guest()
	if err != nil {
		t.Fatal(err)
	}
	now, err := Sum(top)
	if err != nil {
		t.Fatal(err)
	}
	if len(now) < 20 {
		t.Errorf("only %d inputs found", len(now))
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		switch sum, ok := m.Inputs[name]; {
		case !ok:
			t.Errorf("%s is new since the guest was built", name)
		case sum != now[name]:
			t.Errorf("%s has changed since the guest was built", name)
		}
	}
	for name := range m.Inputs {
		if _, ok := now[name]; !ok {
			t.Errorf("%s was removed since the guest was built", name)
		}
	}
	if t.Failed() {
		t.Log("run `make guest` and commit what it writes to assets/")
	}

	list, err := Allowlist(top)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(list, "base64") || !slices.Contains(list, "urllib.parse") {
		t.Errorf("the allowlist is read wrongly: %v", list)
	}
	if d := cmp.Diff(list, m.Allowlist); d != "" {
		t.Errorf("allowlist, -sources +guest:\n%s", d)
	}
	sources, err := Sources(top)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sources, m.Sources); d != "" {
		t.Errorf("sources, -file +guest:\n%s", d)
	}
}
