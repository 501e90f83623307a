package diff

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// article is String with articles.
func (t types) article() string {
	names := strings.Split(t.String(), " or ")
	for i, n := range names {
		switch n {
		case "null":
		case "integer", "array", "object":
			names[i] = "an " + n
		default:
			names[i] = "a " + n
		}
	}
	return strings.Join(names, " or ")
}

func (p *prover) bound(f facts, s *ordered.Value, sign int, path []string) []finding {
	t := f.types()
	if t&isNumber == 0 {
		return nil
	}
	want := facts{doc: p.b, list: []*ordered.Value{s}}.bound(sign)
	if want == nil {
		return nil
	}
	if t&isFraction == 0 {
		want = want.whole(sign)
	}
	have := f.bound(sign)
	if have != nil && have.within(want, sign) {
		return nil
	}
	candidates := []*ordered.Value{beyond(want, sign)}
	if have != nil {
		candidates = append(candidates, numeral(have.value))
	}
	inputs, outputs := "has to be at least %s now", "can be less than %s now"
	switch {
	case sign > 0 && want.exclusive:
		inputs, outputs = "has to be above %s now", "can be %s or less now"
	case sign < 0 && want.exclusive:
		inputs, outputs = "has to be below %s now", "can be %s or more now"
	case sign < 0:
		inputs, outputs = "has to be at most %s now", "can be more than %s now"
	}
	value := numeral(want.value).Text
	return p.say(path, "bound", fmt.Sprintf(inputs, value), fmt.Sprintf(outputs, value), candidates...)
}

// beyond is a number that a bound does not allow.
func beyond(b *bound, sign int) *ordered.Value {
	if b.exclusive {
		return numeral(b.value)
	}
	return numeral(new(big.Rat).Sub(b.value, big.NewRat(int64(sign), 1)))
}

// numeral writes a number as JSON, exactly: those that come from JSON end.
func numeral(r *big.Rat) *ordered.Value {
	text := r.RatString()
	if !r.IsInt() {
		digits, _ := r.FloatPrec()
		text = r.FloatString(digits)
	}
	v, err := ordered.Parse([]byte(text))
	if err != nil {
		panic(err) // digits
	}
	return v
}

func (p *prover) multiple(f facts, v *ordered.Value, path []string) []finding {
	t, want := f.types(), v.Rat()
	if t&isNumber == 0 || want == nil {
		return nil
	}
	divides := func(r *big.Rat) bool { return r != nil && want.Sign() != 0 && new(big.Rat).Quo(r, want).IsInt() }
	if t&isFraction == 0 && divides(big.NewRat(1, 1)) || slices.ContainsFunc(f.list, func(s *ordered.Value) bool { return divides(rat(s.Get("multipleOf"))) }) {
		return nil
	}
	return p.say(path, "multipleOf", "has to be a multiple of "+v.Text+" now", "does not have to be a multiple of "+v.Text+" any more",
		numeral(new(big.Rat).Quo(want, big.NewRat(2, 1))), numeral(new(big.Rat).Add(want, big.NewRat(1, 1))))
}

func (p *prover) count(f facts, kind types, keyword string, v *ordered.Value, things string, path []string) []finding {
	sign := 1
	if strings.HasPrefix(keyword, "max") {
		sign = -1
	}
	want, have := v.Rat(), f.count(keyword, sign)
	if f.types()&kind == 0 || want == nil || sign > 0 && want.Sign() <= 0 || have != nil && have.Cmp(want)*sign >= 0 {
		return nil
	}
	var candidates []*ordered.Value
	if n, ok := v.Small(1000); ok && n < 1000 {
		candidates = sized(kind, n-sign)
	}
	if sign > 0 {
		return p.say(path, keyword, fmt.Sprintf("needs %s %s at least now", v.Text, things), fmt.Sprintf("can have less than %s %s now", v.Text, things), candidates...)
	}
	return p.say(path, keyword, fmt.Sprintf("may have %s %s at most now", v.Text, things), fmt.Sprintf("can have more than %s %s now", v.Text, things), candidates...)
}
