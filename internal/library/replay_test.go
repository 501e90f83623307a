package library

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ recorded, now, want string }{
		{`{"a":1,"b":[1,2]}`, `{"a":1,"b":[1,3]}`, `b[1]: 2, 3`},
		{`{"a":{"b":{"c":"x"}}}`, `{"a":{"b":{"c":"<y>"}}}`, `a.b.c: "x", "<y>"`},
		{`{"a":1}`, `{"b":1}`, `a: 1, null; b: null, 1`},
		{`[1]`, `[1,2,3]`, `[1]: null, 2; [2]: null, 3`},
		{`{"n":1.0}`, `{"n":1}`, `n: 1.0, 1`},
		{`{"n":12345678901234567890}`, `{"n":12345678901234567891}`, `n: 12345678901234567890, 12345678901234567891`},
		{`{"a":[1,2,3,4,5,6,7]}`, `{"a":[0,0,0,0,0,0,0]}`, `a[0]: 1, 0; a[1]: 2, 0; a[2]: 3, 0; a[3]: 4, 0; a[4]: 5, 0`},
		{`{"a":[1]}`, `{"a":{"0":1}}`, `a: [1], {"0":1}`},
		{`1`, `2`, ``},
		{``, `{"connector":"a"}`, ``},
	} {
		var got []string
		for _, p := range places(json.RawMessage(c.recorded), json.RawMessage(c.now)) {
			got = append(got, p.At+": "+string(p.Recorded)+", "+string(p.Now))
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s and %s: %s, want %s", c.recorded, c.now, g, c.want)
		}
	}
}
