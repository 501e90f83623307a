package words

import "testing"

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 steps", 1: "1 step", 2: "2 steps", -1: "-1 steps"} {
		if got := Counted(n, "step"); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"äöüß", 3, "äöü…"}, {"x", 0, "…"}} {
		if got := Cut(test.text, test.most); got != test.want {
			t.Errorf("%q at %d is %q", test.text, test.most, got)
		}
	}
}
