package wasm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/runlace/runlace/runtime"
)

// ends runs a file whose run is one expression, and says how it ended: with its output, or the error's code and message.
func ends(t *testing.T, expression string) string {
	t.Helper()
	r := run(t, "import decimal, fractions\nclass C: pass\ndef run(ctx):\n    return "+expression+"\n", runtime.Limits{Fuel: 4e9})
	if r.Err != nil {
		return r.Err.Code + ": " + r.Err.Message
	}
	return string(r.Output)
}

// None and omission are different on the wire.
func TestFieldFault31_none_is_null(t *testing.T) {
	for call, wire := range map[string]string{
		`assignee=None`: `{"assignee":null}`, ``: `{}`, `assignee=[None], title="null"`: `{"assignee":[null],"title":"null"}`, `**{"from": None}`: `{"from":null}`,
	} {
		if got, want := ends(t, "ctx.test.wire("+call+")"), fmt.Sprintf("%q", wire); got != want {
			t.Errorf("%s is sent as %s", call, got)
		}
	}
}

// Arguments travel as one mapping: no name of theirs is ours, and no object stands in for a value.
func TestFieldFault71_arguments_travel_as_one_mapping(t *testing.T) {
	for _, name := range []string{"self", "ctx", "name", "server_name", "team", "agent", "timeout", "id", "request", "run_context", "connector", "tool", "arguments", "args", "kwargs", "cls", "function"} {
		if got, want := ends(t, "ctx.test.echo("+name+`="x", other=1)`), `{"`+name+`":"x","other":1}`; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := ends(t, `ctx.test.echo({"raw": 1})`); !strings.Contains(got, "takes keyword arguments only") {
		t.Error(got)
	}
}

// Only what JSON can say crosses; anything else is a typed error that says what to write instead, and a crash of nothing.
func TestFieldFault211_only_json_crosses(t *testing.T) {
	for expression, want := range map[string]string{
		`C`:                                    "is of type type, which JSON does not have",
		`C()`:                                  "is of type C, which JSON does not have",
		`(x for x in [1])`:                     "is of type generator, which JSON does not have: write list(value)",
		`float("nan")`:                         "is nan, which JSON does not have: write None or a string",
		`[-float("inf")]`:                      "output[0] is -inf, which JSON does not have",
		`{"n": 10**5000}`:                      "output['n'] is an integer of more than 4300 digits",
		`"\ud800"`:                             "has a lone surrogate",
		`{"\udfff": 1}`:                        "has a lone surrogate",
		`{1: "a"}`:                             "has the key 1, of type int: write str(key)",
		`{(1, 2): "a"}`:                        "of type tuple: write str(key)",
		`1j`:                                   "is of type complex",
		`fractions.Fraction(1, 3)`:             "is of type Fraction, which JSON does not have: write str(value) or float(value)",
		`decimal.Decimal("sNaN")`:              "is Decimal('sNaN'), which JSON does not have",
		`ctx`:                                  "is of type Ctx",
		`ctx.test`:                             "is of type _Connector",
		`b"x"`:                                 "is of type bytes",
		`[y for y in [[]] if not y.append(y)]`: "contains itself",
	} {
		if got := ends(t, expression); !strings.HasPrefix(got, "output-invalid: ") || !strings.Contains(got, want) {
			t.Errorf("%s ended with %s", expression, got)
		}
		if got := ends(t, "ctx.test.echo(x="+expression+")"); !strings.HasPrefix(got, "exception: TypeError: the arguments of ctx.test.echo: arguments") {
			t.Errorf("%s as an argument ended with %s", expression, got)
		}
	}
	for expression, want := range map[string]string{`-0.0`: `-0.0`, `1.0`: `1.0`, `[1, True, 2**64]`: `[1,true,18446744073709551616]`, `10**4299`: "1" + strings.Repeat("0", 4299)} {
		if got := ends(t, expression); got != want {
			t.Errorf("%s ended with %s", expression, got)
		}
	}
}

// What goes through Python is the same number, for every number; and where a float does not say it exactly, the same text.
func TestFieldFault43_every_number_is_kept(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789"[r.IntN(10)]
		}
		return string(b)
	}
	texts := []string{"0", "-0", "0.0", "-0.0", "0e5", "1e22", "1e23", "9007199254740993", "9007199254740993.0", "1.7976931348623157e308", "1.7976931348623159e308", "5e-324", "2e-324",
		"2.2250738585072011e-308", "0.1", "0.10000000000000000555", "123456789012345.6", "1234567890123456.7", "12345678901234567.8", "0.30000000000000004", "1e-300", "1e300", "1e-301", "1e301"}
	for len(texts) < 4000 {
		text := []string{"", "-"}[r.IntN(2)]
		if r.IntN(3) == 0 {
			text += "0"
		} else {
			text += string("123456789"[r.IntN(9)]) + digits(r.IntN(20))
		}
		if r.IntN(3) > 0 {
			text += "." + digits(1+r.IntN(20))
		}
		if r.IntN(3) == 0 {
			text += []string{"e", "E"}[r.IntN(2)] + []string{"", "+", "-"}[r.IntN(3)] + strconv.Itoa(r.IntN(330))
		}
		texts = append(texts, text)
	}
	for range 1000 { // as floats are written
		texts = append(texts, strconv.FormatFloat(r.NormFloat64()*1e3, 'g', -1, 64), strconv.FormatFloat(r.ExpFloat64()*1e-9, 'e', 16, 64))
	}
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	limits := runtime.Limits{Fuel: 4e9}
	p, err := e.Compile(context.Background(), "def run(ctx):\n    return [ctx.inputs['n'], [type(x).__name__ for x in ctx.inputs['n']]]\n", limits)
	if err != nil {
		t.Fatal(err)
	}
	through := func(texts []string) (out, kinds []string) {
		res, err := e.Run(context.Background(), p, runtime.Job{Inputs: json.RawMessage(`{"n":[` + strings.Join(texts, ",") + `]}`), Limits: limits})
		if err != nil || res.Err != nil {
			t.Fatal(err, res)
		}
		var parts []json.RawMessage
		var numbers []json.RawMessage
		if json.Unmarshal(res.Output, &parts) != nil || json.Unmarshal(parts[0], &numbers) != nil || json.Unmarshal(parts[1], &kinds) != nil || len(numbers) != len(texts) {
			t.Fatalf("%.300s", res.Output)
		}
		for _, n := range numbers {
			out = append(out, string(n))
		}
		return out, kinds
	}
	once, kinds := through(texts)
	twice, _ := through(once)
	count := map[string]int{}
	for i, text := range texts {
		count[kinds[i]]++
		a, _ := new(big.Rat).SetString(text)
		b, ok := new(big.Rat).SetString(once[i])
		if !ok || a.Cmp(b) != 0 || strings.HasPrefix(text, "-0.") && !strings.HasPrefix(once[i], "-") {
			t.Errorf("%s became %s", text, once[i])
		}
		if once[i] != twice[i] {
			t.Errorf("%s became %s, and then %s", text, once[i], twice[i])
		}
		f, err := strconv.ParseFloat(text, 64)
		shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
		want := "exact_float"
		if !strings.ContainsAny(text, ".eE") {
			want = "int"
		} else if err == nil && shortest.Cmp(a) == 0 {
			want = "float"
		}
		if kinds[i] != want || want == "exact_float" && once[i] != text {
			t.Errorf("%s is %s %s, want %s", text, kinds[i], once[i], want)
		}
	}
	t.Log(count)
}
