package jsonc

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	doc, err := Parse([]byte(`// a comment
{
  "a": {"b": "x\u00e9", /* twice */ "b": [1, 1.50, true, null, "t",],},
  "n": null,
} // the end`))
	if err != nil {
		t.Fatal(err)
	}
	a := doc.Get("a")
	if n := len(a.Members()); n != 2 || a.Members()[0].Name != "b" {
		t.Errorf("both members are there: %v", a.Members())
	}
	if v, ok := a.Members()[0].Value.Text(); !ok || v != "xé" {
		t.Errorf("%q", v)
	}
	b := a.Get("b")
	var kinds, scalars []string
	for _, e := range b.Elements() {
		s, _ := e.Scalar()
		kinds, scalars = append(kinds, e.Kind()), append(scalars, s)
	}
	if d := cmp.Diff([]string{"a number", "a number", "true", "null", "text"}, kinds); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"1", "1.50", "true", "", "t"}, scalars); d != "" {
		t.Error(d)
	}
	if b.Line() != 3 || doc.Get("n").Line() != 4 || !doc.Get("n").IsNull() || !doc.Get("n").Exists() {
		t.Error(b.Line(), doc.Get("n").Line())
	}
	if string(b.JSON()) != `[1,1.50,true,null,"t"]` {
		t.Errorf("%s", b.JSON())
	}
	none := doc.Get("x").Get("y")
	if none.Exists() || none.IsObject() || none.Members() != nil || none.Elements() != nil || none.Line() != 0 || none.Kind() != "nothing" || none.JSON() != nil {
		t.Error("nothing has nothing in it")
	}
}

func TestEmpty(t *testing.T) {
	for _, s := range []string{"", " \n", "// only a comment", "/* a */ // b"} {
		if n, err := Parse([]byte(s)); err != nil || n.Exists() {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// Errors have a place, and never a part of the text, which may be a secret.
func TestErrors(t *testing.T) {
	for in, want := range map[string]string{
		"{\"a\": \"hunter2\\q\"}":            "line 1, column 7: a string that JSON does not have: a backslash has to be written twice, a line break as \\n",
		"{\n \"p\": \"C:\\Users\\hunter2\"}": "line 2, column 7: a string that JSON does not have: a backslash has to be written twice, a line break as \\n",
		"{\"a\": hunter2}":                   "line 1, column 7: neither a number nor true, false or null",
		"{\"a\": \"hunter2":                  "line 1, column 15: the text ends in the middle of a value",
		"{\"é\": 1 2}":                       "line 1, column 9: unexpected '2' after object value (expecting ',' or '}')",
		"{} {}":                              "line 1, column 4: unexpected '{' after top-level value",
		"/* hunter2":                         "line 1, column 1: the text ends in the middle of a value",
		"{'a': 1}":                           `line 1, column 2: unexpected '\'' at start of value`,
		strings.Repeat("[", MaxDepth+1):      "line 1, column 501: nested more than 500 deep",
	} {
		_, err := Parse([]byte(in))
		e := (*Error)(nil)
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error has the text: %v", in, err)
		}
		if !strings.HasPrefix(in, "/*") && err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %v", in, err, want)
		}
	}
	if _, err := Parse([]byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))); err != nil {
		t.Error(err)
	}
	if _, err := Parse([]byte(`["` + strings.Repeat("[", 1000) + `"] // ` + strings.Repeat("[", 1000))); err != nil {
		t.Error("brackets in text and comments are no nesting:", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", `{"a": [1, "x", null,],} // c`, "\"\\u00", "/*", "{", `{"a": 1e999, "a": -0.0}`, "[[[]]]", "/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := Parse([]byte(s))
		if err != nil {
			e := (*Error)(nil)
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 {
				t.Fatalf("%v", err)
			}
			return
		}
		if json.Valid([]byte(s)) && !doc.Exists() {
			t.Fatal("standard JSON is lost")
		}
		if doc.Exists() && !json.Valid(doc.JSON()) {
			t.Fatalf("%q", doc.JSON())
		}
	})
}
