package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Arguments that are equal have one digest, however they were written; others have others.
func TestFieldFault146_equal_arguments_are_equal_bytes(t *testing.T) {
	canonicals := map[string]string{}
	for _, class := range [][]string{
		{`{"a":1}`, `{"a":1.0}`, `{"a":1e0}`, `{"a":10E-1}`, `{ "a" : 0.1e1 }`, `{"\u0061":1.000}`},
		{`{"a":0}`, `{"a":-0}`, `{"a":-0.0}`, `{"a":0e999}`, `{"a":-0.000E-7}`},
		{`{"a":"1"}`}, {`{"a":true}`}, {`{"a":null}`}, {`{}`}, {`{"a":[1]}`}, {`{"1":"a"}`}, {`{"a":-1}`},
		{`{"a":1915883588174806058}`, `{"a":1915883588174806058.0}`, `{"a":1.915883588174806058e18}`}, {`{"a":1915883588174806000}`, `{"a":1915883588174806e3}`},
		{`{"a":0.1234567890123456789012345}`}, {`{"a":0.12345678901234568}`}, {`{"a":1e400}`, `{"a":10e399}`}, {`{"a":1e401}`}, {`{"a":1e-400}`, `{"a":0.1e-399}`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"b":2.0,"a":1.0}`}, {`{"a":2,"b":1}`}, {`{"A":1}`}, {`{"a ":1}`},
	} {
		first := mustCanonical(t, class[0])
		for _, same := range class {
			if got := mustCanonical(t, same); got != first {
				t.Errorf("%s and %s are equal, and become %s and %s", class[0], same, first, got)
			}
		}
		if other, twice := canonicals[first]; twice {
			t.Errorf("%s and %s both become %s", other, class[0], first)
		}
		canonicals[first] = class[0]
	}
	for _, in := range []string{`{1:"a"}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":1,"a":1.0}`} {
		if got, err := Canonical(json.RawMessage(in)); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%s gave %s, %v", in, got, err)
		}
	}
}

func mustCanonical(t *testing.T, in string) string {
	t.Helper()
	got, err := Canonical(json.RawMessage(in))
	if err != nil {
		t.Fatalf("%s: %v", in, err)
	}
	return string(got)
}

// A value that is written twice, with keys, spaces and numbers each time as it falls, is the same bytes; and those are its own canonical form.
func TestFieldFault146_spelling_does_not_count(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 6))
	for range 3000 {
		v := randomValue(r, 4)
		a, b := spell(r, v), spell(r, v)
		got := mustCanonical(t, a)
		if other := mustCanonical(t, b); other != got || mustCanonical(t, got) != got {
			t.Fatalf("%s is %s\n%s is %s\nagain %s", a, got, b, other, mustCanonical(t, got))
		}
		if !bytes.Equal([]byte(got), bytes.TrimSpace([]byte(got))) || !json.Valid([]byte(got)) {
			t.Fatal(got)
		}
	}
}

// randomValue is of map[string]any, []any, string, bool, nil or [2]int: digits and a power of ten.
func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case depth > 0 && n < 2:
		m := map[string]any{}
		for range r.IntN(5) {
			m[[]string{"a", "b", "é", "", "1", "\u2028", "<"}[r.IntN(7)]] = randomValue(r, depth-1)
		}
		return m
	case depth > 0 && n == 2:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomValue(r, depth-1)
		}
		return list
	case n == 3:
		return []string{"", "x", "ä\n", "\\\"", "😀"}[r.IntN(5)]
	case n == 4:
		return []any{true, false, nil}[r.IntN(3)]
	}
	return [2]int{r.IntN(2_000_001) - 1_000_000, r.IntN(70) - 35}
}

func spell(r *rand.Rand, v any) string {
	space := strings.Repeat(" ", r.IntN(2))
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for k, item := range v { // in Go's own random order
			parts = append(parts, space+spell(r, k)+":"+spell(r, item))
		}
		return "{" + strings.Join(parts, ",") + space + "}"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, spell(r, item))
		}
		return "[" + space + strings.Join(parts, space+",") + "]"
	case [2]int:
		digits, power := v[0], v[1]
		for r.IntN(2) == 0 && digits > -1<<50 && digits < 1<<50 {
			digits, power = digits*10, power-1
		}
		text := fmt.Sprint(digits)
		if r.IntN(2) == 0 {
			text += "." + strings.Repeat("0", 1+r.IntN(3))
		}
		return text + []string{"e", "E"}[r.IntN(2)] + []string{fmt.Sprint(power), fmt.Sprintf("%+d", power)}[r.IntN(2)]
	case string:
		if r.IntN(2) == 0 {
			b, _ := json.Marshal(v) // with the escapes for HTML
			return string(b)
		}
		b, _ := marshal(v)
		return string(b)
	default:
		b, _ := json.Marshal(v)
		return string(b)
	}
}
