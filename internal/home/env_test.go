package home

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/fault"
)

func TestParseEnv(t *testing.T) {
	for name, c := range map[string]struct {
		in      string
		want    []EnvVar
		ignored int
	}{
		"plain":             {"A=1\nB_2=two words\n", []EnvVar{{"A", "1"}, {"B_2", "two words"}}, 0},
		"space":             {"  A = 1 \t\n", []EnvVar{{"A", "1"}}, 0},
		"comments":          {"# c\n\nA=1 # c\nB=a#b\n  # d", []EnvVar{{"A", "1"}, {"B", "a#b"}}, 0},
		"export":            {"export A=1\nexport\tB=2\nexportC=3", []EnvVar{{"A", "1"}, {"B", "2"}, {"exportC", "3"}}, 0},
		"double":            {`A="a \"b\" \n#c \$d \x"`, []EnvVar{{"A", "a \"b\" \n#c $d \\x"}}, 0},
		"single":            {`A='a \n "b" #c' # d`, []EnvVar{{"A", `a \n "b" #c`}}, 0},
		"empty":             {"A=\nB=\"\"\nC=''", []EnvVar{{"A", ""}, {"B", ""}, {"C", ""}}, 0},
		"lines":             {"A=\"one\ntwo\"\nB=3", []EnvVar{{"A", "one\ntwo"}, {"B", "3"}}, 0},
		"lines with return": {"A='one\r\ntwo'\r\nB=3\r\n", []EnvVar{{"A", "one\ntwo"}, {"B", "3"}}, 0},
		"not closed":        {"A=\"one\nB=2", []EnvVar{{"A", "one"}, {"B", "2"}}, 0},
		"equals":            {"A=b=c==", []EnvVar{{"A", "b=c=="}}, 0},
		"dollar":            {"A=$B ${C}", []EnvVar{{"A", "$B ${C}"}}, 0},
		"prose":             {"some words\n1A=2\nA-B=3\n=4\nC=5", []EnvVar{{"C", "5"}}, 4},
		"after the quote":   {"A='b' c\nD=1", []EnvVar{{"D", "1"}}, 1},
		"twice":             {"A=1\nA=2", []EnvVar{{"A", "1"}, {"A", "2"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, ignored := ParseEnv(c.in)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if len(ignored) != c.ignored {
				t.Errorf("ignored: %v", ignored)
			}
		})
	}
}

func TestIgnoredLinesHaveTheirNumber(t *testing.T) {
	_, ignored := ParseEnv("A='x\ny'\nhunter2\nB=1\nhunter3 = 4 5\n")
	if d := cmp.Diff([]int{3}, lines(ignored[:1])); d != "" {
		t.Error(d, ignored)
	}
}

func lines(l []IgnoredLine) (n []int) {
	for _, i := range l {
		n = append(n, i.Line)
	}
	return n
}

func TestLoadEnv(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("RUNLACE_TEST_SET", "mine")
	t.Setenv("RUNLACE_TEST_EMPTY", "")
	first := write("first", "\uFEFFRUNLACE_TEST_SET=theirs\nRUNLACE_TEST_A=hunter2\nRUNLACE_TEST_EMPTY=x\nhunter3\n")
	second := write("second", "RUNLACE_TEST_A=other\nRUNLACE_TEST_B=b\n")
	env, err := LoadEnv([]string{first, second})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"RUNLACE_TEST_SET": "mine", "RUNLACE_TEST_EMPTY": "", "RUNLACE_TEST_A": "hunter2", "RUNLACE_TEST_B": "b"} {
		if got, ok := env.Lookup(name); !ok || got != want {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
	if _, ok := env.Lookup("RUNLACE_TEST_NOT_SET"); ok {
		t.Error("what is not set is not set")
	}
	if _, ok := os.LookupEnv("RUNLACE_TEST_A"); ok {
		t.Error("the process's own environment stays as it is")
	}
	var said []string
	for _, f := range env.Files() {
		said = append(said, f.String())
	}
	want := []string{
		first + ": loaded RUNLACE_TEST_A; already set: RUNLACE_TEST_SET, RUNLACE_TEST_EMPTY; line 4 ignored: there is no = in it",
		second + ": loaded RUNLACE_TEST_B; already set: RUNLACE_TEST_A",
	}
	if d := cmp.Diff(want, said); d != "" {
		t.Error(d)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if s := fmt.Sprintf(verb, env); strings.Contains(s, "hunter") || strings.Contains(s, "mine") {
			t.Errorf("%s prints values: %s", verb, s)
		}
	}
	more := env.With(map[string]string{"RUNLACE_TEST_SET": "theirs", "RUNLACE_TEST_C": "c"})
	if v, _ := more.Lookup("RUNLACE_TEST_SET"); v != "mine" {
		t.Errorf("%q", v)
	}
	if v, _ := more.Lookup("RUNLACE_TEST_C"); v != "c" {
		t.Errorf("%q", v)
	}
	if _, ok := env.Lookup("RUNLACE_TEST_C"); ok {
		t.Error("With does not change what it is called on")
	}
}

func TestLoadEnvMissing(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "missing"), t.TempDir()} {
		if _, err := LoadEnv([]string{path}); fault.Of(err).Code != "bad-env-file" || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
}

func FuzzParseEnv(f *testing.F) {
	for _, s := range []string{"A=1", "export A='b\nc' # d", `A="\`, "A=\"\\\"\n", "=", "'", "A='b'c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		vars, ignored := ParseEnv(s)
		for _, v := range vars {
			if !identifier.MatchString(v.Name) {
				t.Fatalf("%q", v.Name)
			}
		}
		for _, i := range ignored {
			if i.Line < 1 || i.Line > strings.Count(s, "\n")+1 {
				t.Fatalf("line %d of %q", i.Line, s)
			}
		}
	})
}
