package check

import (
	"io/fs"
	"os"
	"regexp"
	"testing"
)

// sample is a project as people have one, whose cases were recorded on real servers: see internal/recorder, TestSample.
const sample = "../../testdata/project"

// The sample is checked without its servers. Each of its workflows has one case to three.
func TestSample(t *testing.T) {
	r := checked(t, options(t, sample))
	if !r.OK || r.Workflows != 10 || r.Cases < 20 || r.Cached != 0 {
		t.Fatalf("%s\n%d workflows, %d cases, %d cached", text(t, r), r.Workflows, r.Cases, r.Cached)
	}
	cases := map[string]int{}
	for _, x := range r.Tests {
		if x.Case != "" {
			cases[x.Workflow]++
		}
	}
	for name, n := range cases {
		if n > 3 {
			t.Errorf("%s has %d cases", name, n)
		}
	}
	if len(cases) != r.Workflows {
		t.Errorf("%d of %d workflows have cases", len(cases), r.Workflows)
	}
}

// Nothing in the sample says on which machine it was recorded.
func TestSampleIsFromNowhere(t *testing.T) {
	somewhere := regexp.MustCompile(`(?i)/(tmp|home|users|root|var|private|mnt|work)/|[a-z]:\\|node_modules|localhost|127\.0\.0\.1`)
	err := fs.WalkDir(os.DirFS(sample), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(os.DirFS(sample), path)
		if at := somewhere.Find(b); at != nil {
			t.Errorf("%s has %s", path, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
