package inputs

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty object", `{}`, `{}`},
		{"white space", " \r\n\t{ } \n", `{}`},
		{"byte order mark", "\uFEFF{\"a\":1}", `{"a":1}`},
		{"order of keys", `{"z":1,"a":2,"m":{"y":1,"b":2}}`, `{"z":1,"a":2,"m":{"y":1,"b":2}}`},
		{"digits", `{"n": 12345678901234567890.000, "e": 1E+2, "z": -0, "d": 0.10}`, `{"n":12345678901234567890.000,"e":1E+2,"z":-0,"d":0.10}`},
		{"long integer", `{"n":` + strings.Repeat("9", MaxDigits) + `}`, `{"n":` + strings.Repeat("9", MaxDigits) + `}`},
		{"tiny float", `{"n":1e-999}`, `{"n":1e-999}`},
		{"characters of HTML", `{"<&>":"<&>"}`, `{"<&>":"<&>"}`},
		{"pair of surrogates", `{"a":"\uD83D\uDE00"}`, `{"a":"\uD83D\uDE00"}`},
		{"escaped backslash before u", `{"a":"\\ud83d"}`, `{"a":"\\ud83d"}`},
		{"same key in different objects", `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`, `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`},
		{"value like a key", `{"a":"a","b":"a"}`, `{"a":"a","b":"a"}`},
		{"empty key", `{"":null}`, `{"":null}`},
		{"replacement character", `{"a":"�"}`, `{"a":"�"}`},
		{"every kind", `{"a":[true,false,null,"",0,[],{}]}`, `{"a":[true,false,null,"",0,[],{}]}`},
		{"deep", nested(MaxDepth), nested(MaxDepth)},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Parse([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(o.JSON()); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func nested(n int) string {
	return strings.Repeat(`{"a":`, n-1) + `{}` + strings.Repeat(`}`, n-1)
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		line, column int
		reason       string
	}{
		{"nothing", "", 1, 1, "nothing here"},
		{"only a byte order mark", "\uFEFF", 1, 1, "nothing here"},
		{"only white space", "\n\n ", 3, 2, "nothing here"},
		{"array", ` [1]`, 1, 2, "an array"},
		{"string", `"a"`, 1, 1, "a string"},
		{"number", `-1`, 1, 1, "a number"},
		{"null", `null`, 1, 1, "null"},
		{"boolean", `true`, 1, 1, "a boolean"},
		{"cut", `{"a": [1, 2`, 1, 12, "ends before"},
		{"cut in a string", `{"a": "x`, 1, 9, "ends before"},
		{"two values", "{}\n{}", 2, 1, "more after"},
		{"text after", `{} x`, 1, 4, "more after"},
		{"trailing comma", `{"a":1,}`, 1, 8, "invalid"},
		{"no comma", `{"a":1 "b":2}`, 1, 8, "invalid"},
		{"single quotes", `{'a':1}`, 1, 2, "invalid"},
		{"comment", "{\n// no\n}", 2, 1, "invalid"},
		{"bare key", `{a:1}`, 1, 2, "invalid"},
		{"NaN", "{\"a\":\n  NaN}", 2, 3, "NaN is not JSON"},
		{"Infinity", `{"a":[1,-Infinity]}`, 1, 9, "-Infinity is not JSON"},
		{"leading zero", `{"a":01}`, 1, 7, "invalid"},
		{"plus", `{"a":+1}`, 1, 6, "invalid"},
		{"hexadecimal", `{"a":0x10}`, 1, 7, "invalid"},
		{"control character", "{\"a\":\"\x01\"}", 1, 6, "invalid"},
		{"key twice", "{\"a\":1,\n \"b\":2,\n \"a\":3}", 3, 2, `the key "a" occurs twice`},
		{"key twice, escaped", `{"a":1,"\u0061":2}`, 1, 8, `the key "a" occurs twice`},
		{"key twice, deep", `{"x":[{"k":1,"k":2}]}`, 1, 14, `the key "k" occurs twice`},
		{"key twice after a container", `{"k":{"a":[]},"k":0}`, 1, 15, `the key "k" occurs twice`},
		{"not UTF-8", "{\"a\":\"\xff\"}", 1, 7, "not UTF-8"},
		{"UTF-16", "\xff\xfe{\x00}\x00", 1, 1, "not UTF-8"},
		{"half a pair, high", `{"a":"\ud83d"}`, 1, 6, `\ud83d is half`},
		{"half a pair, low", `{"a":"x\ude00"}`, 1, 6, `\ude00 is half`},
		{"half a pair, twice", `{"a":"\ud83d\ud83d"}`, 1, 6, `\ud83d is half`},
		{"half a pair in a key", `{"\ud83d":1}`, 1, 2, `\ud83d is half`},
		{"large float", `{"a":1e999}`, 1, 6, "too large for a float"},
		{"long integer", `{"a":` + strings.Repeat("9", MaxDigits+1) + `}`, 1, 6, "more than 4300 digits"},
		{"too deep", nested(MaxDepth + 1), 1, 5*MaxDepth + 1, "nested more than 500 deep"},
		{"columns are characters", `{"ä":1,"ä":2}`, 1, 8, "twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.text))
			e := (*Error)(nil)
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Line != c.line || e.Column != c.column || !strings.Contains(e.Reason, c.reason) {
				t.Errorf("got %v, want line %d, column %d: ...%s...", e, c.line, c.column, c.reason)
			}
		})
	}
}

func TestPair(t *testing.T) {
	for _, c := range []struct{ in, key, value, err string }{
		{in: "a=1", key: "a", value: "1"},
		{in: "a=1.50", key: "a", value: "1.50"},
		{in: "a= 1 ", key: "a", value: "1"},
		{in: `a="1"`, key: "a", value: `"1"`},
		{in: "a=true", key: "a", value: "true"},
		{in: "a=True", key: "a", value: `"True"`},
		{in: "a=null", key: "a", value: "null"},
		{in: "a=", key: "a", value: `""`},
		{in: "a=x=y", key: "a", value: `"x=y"`},
		{in: "a=two words", key: "a", value: `"two words"`},
		{in: "a=[1, {}]", key: "a", value: "[1, {}]"},
		{in: "a=[1,", key: "a", value: `"[1,"`},
		{in: "a=NaN", key: "a", value: `"NaN"`},
		{in: "a=007", key: "a", value: `"007"`},
		{in: "a=<b>", key: "a", value: `"<b>"`},
		{in: "ключ=да", key: "ключ", value: `"да"`},
		{in: "a b=1", key: "a b", value: "1"},
		{in: "a", err: "not of the form name=value"},
		{in: "=1", err: "not of the form name=value"},
		{in: "", err: "not of the form name=value"},
		{in: "a=\xff", err: "not UTF-8"},
		{in: `a={"k":1,"k":2}`, err: `the value of a: the key "k" occurs twice`},
		{in: `a="\ud800"`, err: "half of a surrogate pair"},
		{in: "a=1e999", err: "too large for a float"},
	} {
		key, value, err := Pair(c.in)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: got %v, want an error with %q", c.in, err, c.err)
			}
			continue
		}
		if err != nil || key != c.key || string(value) != c.value {
			t.Errorf("%q: got %q, %s, %v; want %q, %s", c.in, key, value, err, c.key, c.value)
		}
	}
}

func TestFieldFault43_digits_of_inputs(t *testing.T) {
	for _, n := range []string{
		"1915883588174806058", "-9223372036854775809", "1" + strings.Repeat("0", 30), "0.1234567890123456789012345", "1.10", "-0.0", "-0", "1E5", "1e-400", "9007199254740993.0",
	} {
		if o, err := Parse([]byte(`{"n":[ ` + n + ` ]}`)); err != nil || string(o.JSON()) != `{"n":[`+n+`]}` {
			t.Errorf("%s in a file: %v, %v", n, o, err)
		}
		if key, value, err := Pair("n=" + n); err != nil || key != "n" || string(value) != n {
			t.Errorf("n=%s: %s, %v", n, value, err)
		}
	}
}

func TestSet(t *testing.T) {
	o, err := Parse([]byte(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	o.Set("a", json.RawMessage(`[1, 2]`))
	o.Set("c", json.RawMessage(`"x"`))
	if got, want := string(o.JSON()), `{"a":[1,2],"b":2,"c":"x"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !o.Has("c") || o.Has("d") {
		t.Error("Has")
	}
}

// What Parse accepts is JSON for Go as well, an object, and stays the same when it is read again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,{"b":"\u00e4"}]}`, "\uFEFF{\"a\":1e3}", `{"a":1,"a":2}`, `[1]`, `{"a":"\ud83d\ude00"}`, `{"a":NaN}`, "{\"\xff\":1}", `{"a":1}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := Parse(text)
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.Line < 1 || e.Column < 1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		once := o.JSON()
		var m map[string]json.RawMessage
		if err := json.Unmarshal(once, &m); err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if len(m) != len(o.members) {
			t.Fatalf("%s has %d keys, not %d", once, len(o.members), len(m))
		}
		o, err = Parse(once)
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if string(o.JSON()) != string(once) {
			t.Fatalf("%s became %s", once, o.JSON())
		}
	})
}

// What Pair accepts can stand in an object.
func FuzzPair(f *testing.F) {
	for _, s := range []string{"a=1", "a=x", `a={"b":[1,2]}`, `a="\ud800"`, "a", "=", "a=1e999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, value, err := Pair(s)
		if err != nil {
			return
		}
		o := &Object{}
		o.Set(key, value)
		if _, err := Parse(o.JSON()); err != nil {
			if e := (*Error)(nil); errors.As(err, &e) && strings.HasPrefix(e.Reason, "nested more") {
				return
			}
			t.Fatalf("%q became %s: %v", s, o.JSON(), err)
		}
	})
}
