package ordered

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOrderAndDigits(t *testing.T) {
	const text = `{"b":1.50,"a":[1915883588174806058,1e400,-0.0,null,true],"":{"z":"\u2028 \" \\ \n é"}}`
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(v.JSON()), strings.Replace(text, `\u2028`, "\u2028", 1); got != want {
		t.Errorf("written as\n%s\nand not\n%s", got, want)
	}
	if got, want := string(v.Canonical()), "{\"\":{\"z\":\"\u2028 \\\" \\\\ \\n é\"},\"a\":[1915883588174806058,1e400,0,null,true],\"b\":1.5}"; got != want {
		t.Errorf("canonical\n%s\nand not\n%s", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "{", `{"a":}`, "1 2", "nul", strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.20q was read", text)
		}
	}
	if v, err := Parse([]byte(`{"a":1,"b":2,"a":3}`)); err != nil || string(v.JSON()) != `{"a":3,"b":2}` {
		t.Errorf("%s, %v", v.JSON(), err)
	}
}

func TestManyKeys(t *testing.T) {
	v := NewObject()
	for i := range 100 {
		v.Set(strings.Repeat("k", i), NewInt(i))
	}
	v.Set("kkk", NewInt(-1))
	if len(v.Members) != 100 || v.Get("kkk").Text != "-1" || v.Get(strings.Repeat("k", 99)).Text != "99" || v.Get("x") != nil {
		t.Error("an object with an index differs from one without")
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ text, canonical, integer string }{
		{"1", "1", "1"}, {"1.0", "1", "1"}, {"10e-1", "1", "1"}, {"-0", "0", "0"}, {"0e99999999", "0", "0"}, {"1.50", "1.5", ""}, {"15e-1", "1.5", ""},
		{"1E3", "1000", "1000"}, {"0.00000001", "1e-8", ""}, {"1e-8", "1e-8", ""}, {"0.000001", "0.000001", ""}, {"123456789012345678901234567890", "123456789012345678901234567890", "123456789012345678901234567890"},
		{"1e50", "1e50", "1" + strings.Repeat("0", 50)}, {"12e999999", "1.2e1000000", ""}, {"1e99999999999999999999", "1e99999999999999999999", ""},
	} {
		v := &Value{Kind: Number, Text: c.text}
		if got := CanonicalNumber(c.text); got != c.canonical {
			t.Errorf("%s is %s, not %s", c.text, got, c.canonical)
		}
		if got := v.Integer(); got != c.integer {
			t.Errorf("%s as an integer is %q, not %q", c.text, got, c.integer)
		}
		if !json.Valid(v.Canonical()) {
			t.Errorf("%s is no JSON", v.Canonical())
		}
	}
	if (&Value{Kind: Number, Text: "1e9999999"}).Rat() != nil {
		t.Error("a number of ten million digits was computed")
	}
	if n, ok := (&Value{Kind: Number, Text: "1e30"}).Small(10); !ok || n != 10 {
		t.Error(n, ok)
	}
}
