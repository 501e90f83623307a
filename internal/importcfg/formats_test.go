package importcfg

import (
	"testing"
)

// TOML and YAML become one kind of tree, in the file's order, with every digit.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct{ path, text, want string }{
		"toml order":   {"x.toml", "[b]\nz = 1\na = 2\n[a]\nq.x = true\nq.a = 'y'", `{"b":{"z":1,"a":2},"a":{"q":{"x":true,"a":"y"}}}`},
		"toml values":  {"x.toml", "i = 9007199254740993\nf = 1.50\nd = 1979-05-27T07:32:00Z\nl = [1, 'a', {b = 2}]\ninf = inf", `{"i":9007199254740993,"f":1.5,"d":"1979-05-27T07:32:00Z","l":[1,"a",{"b":2}],"inf":"+Inf"}`},
		"toml tables":  {"x.toml", "[[a]]\nx = 1\n[[a]]\nx = 2\n[a.b]\nc = 3", `{"a":[{"x":1},{"x":2,"b":{"c":3}}]}`},
		"toml empty":   {"x.toml", "# nothing", `{}`},
		"toml quoted":  {"x.toml", "[\"a.b\"]\n\"c d\" = \"\\u00e9\\n\"\n[a.b]\nx = 1", `{"a.b":{"c d":"é\n"},"a":{"b":{"x":1}}}`},
		"yaml order":   {"x.yaml", "b: 1\na: {z: 2, c: 3}", `{"b":1,"a":{"z":2,"c":3}}`},
		"yaml values":  {"x.yml", "a: [1, 9007199254740993, 1.50, true, null, ~, yes, 'q', 0x1F, .inf, !!str 12, 2001-12-14]", `{"a":[1,9007199254740993,1.50,true,null,null,"yes","q",31,".inf","12","2001-12-14"]}`},
		"yaml text":    {"x.yaml", "a: |\n  two\n  lines\nb: >-\n  fol\n  ded\n", `{"a":"two\nlines\n","b":"fol ded"}`},
		"yaml anchors": {"x.yaml", "a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\nc: *x\nd: [&y 5, *y]", `{"a":{"p":1,"q":2},"b":{"q":3,"p":1},"c":{"p":1,"q":2},"d":[5,5]}`},
		"yaml twice":   {"x.yaml", "a: 1\na: 2", `{"a":1,"a":2}`},
		"yaml comment": {"x.yaml", "# c\n---\n# d\na: # e\n  b: 1 # f\n", `{"a":{"b":1}}`},
	} {
		doc, note, err := document(c.path, []byte(c.text))
		if err != nil || note != "" || string(doc.JSON()) != c.want {
			t.Errorf("%s:\n got %s (%s, %v)\nwant %s", name, doc.JSON(), note, err, c.want)
		}
	}
	if _, note, err := document("x.yaml", []byte("a: 1\n---\nb: 2\n---\n")); err != nil || note != "the file has 2 documents, and the first one counts" {
		t.Errorf("%q, %v", note, err)
	}
}
