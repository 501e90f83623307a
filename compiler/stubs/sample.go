package stubs

import (
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/runlace/runlace/internal/schema/ordered"
)

// samples are the texts of formats: valid, and plainly not real.
var samples = map[string]string{
	"date-time": "1970-01-01T00:00:00Z", "date": "1970-01-01", "time": "00:00:00Z", "duration": "PT0S", "uuid": "00000000-0000-0000-0000-000000000000",
	"uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/", "uri-reference": "/", "iri-reference": "/", "uri-template": "/{id}",
	"email": "name@example.com", "idn-email": "name@example.com", "hostname": "example.com", "idn-hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"json-pointer": "/", "relative-json-pointer": "0", "regex": ".*", "json": "null", "color": "#000000",
}

// texts lists texts that could fit schemas, the plainest first. salt makes them differ.
func texts(all []*ordered.Value, salt int) []string {
	low, high := 0, -1
	format := ""
	var patterns []string
	var compiled []*regexp.Regexp
	for _, s := range all {
		if n, ok := s.Get("minLength").Small(1 << 20); ok {
			low = max(low, n)
		}
		if n, ok := s.Get("maxLength").Small(1 << 20); ok && (high < 0 || n < high) {
			high = n
		}
		if f := s.Get("format").Str(); f != "" && format == "" {
			format = f
		}
		if p := s.Get("pattern").Str(); p != "" {
			if re, err := regexp.Compile(p); err == nil { // it does: package schema has seen to it
				patterns, compiled = append(patterns, p), append(compiled, re)
			}
		}
	}
	var out []string
	add := func(s string) {
		if n := utf8.RuneCountInString(s); n < low || high >= 0 && n > high {
			return
		}
		for _, re := range compiled {
			if !re.MatchString(s) {
				return
			}
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if s, ok := samples[format]; ok {
		add(s)
		if len(s) < low && (format == "uri" || format == "url") {
			add(s + strings.Repeat("x", low-len(s)))
		}
	}
	for _, p := range patterns {
		re, err := syntax.Parse(p, syntax.Perl)
		if err != nil {
			continue
		}
		re = re.Simplify()
		for k := salt; k <= salt+min(low, 70)+2; k++ {
			s, ok := match(re, k)
			if !ok {
				break
			}
			add(s)
			if n := utf8.RuneCountInString(s); n < low {
				add(s + strings.Repeat("x", low-n))
			}
		}
	}
	if salt == 0 {
		add("")
	}
	add(strings.Repeat("x", low+salt))
	if len(out) == 0 {
		for _, s := range slices.Sorted(values(samples)) {
			add(s)
		}
	}
	return out
}

func values(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// match makes a text that a regular expression matches, with k rounds where there may be any number.
func match(re *syntax.Regexp, k int) (string, bool) {
	const longest = 1 << 16
	var b strings.Builder
	var walk func(*syntax.Regexp) bool
	rounds := func(re *syntax.Regexp, n int) bool {
		for range n {
			if b.Len() > longest || !walk(re) {
				return false
			}
		}
		return true
	}
	walk = func(re *syntax.Regexp) bool {
		switch re.Op {
		case syntax.OpLiteral:
			b.WriteString(string(re.Rune))
		case syntax.OpCharClass:
			r, ok := pick(re.Rune)
			if !ok {
				return false
			}
			b.WriteRune(r)
		case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
			b.WriteByte('x')
		case syntax.OpStar:
			return rounds(re.Sub[0], k)
		case syntax.OpPlus:
			return rounds(re.Sub[0], max(1, k))
		case syntax.OpQuest:
			return rounds(re.Sub[0], min(1, k))
		case syntax.OpRepeat:
			n := max(re.Min, k)
			if re.Max >= 0 {
				n = min(n, re.Max)
			}
			return rounds(re.Sub[0], n)
		case syntax.OpCapture:
			return walk(re.Sub[0])
		case syntax.OpConcat:
			for _, sub := range re.Sub {
				if !walk(sub) {
					return false
				}
			}
		case syntax.OpAlternate:
			return walk(re.Sub[0])
		case syntax.OpNoMatch:
			return false
		}
		return true
	}
	ok := walk(re) && b.Len() <= longest
	return b.String(), ok
}

// pick takes a character of a class, a readable one if there is one.
func pick(ranges []rune) (rune, bool) {
	for _, want := range "xa0A1 _-." {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want, true
			}
		}
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && r < ranges[i]+100; r++ {
			if r >= ' ' && utf8.ValidRune(r) {
				return r, true
			}
		}
	}
	if len(ranges) > 0 && utf8.ValidRune(ranges[0]) {
		return ranges[0], true
	}
	return 0, false
}

// number makes a number that fits schemas; 1 if that does.
func number(all []*ordered.Value, whole bool, salt int) string {
	var low, high, step *big.Rat
	lowOpen, highOpen := false, false
	for _, s := range all {
		for _, key := range []string{"minimum", "exclusiveMinimum"} {
			if r := s.Get(key).Rat(); r != nil && (low == nil || r.Cmp(low) > 0 || r.Cmp(low) == 0 && key != "minimum") {
				low, lowOpen = r, key != "minimum"
			}
		}
		for _, key := range []string{"maximum", "exclusiveMaximum"} {
			if r := s.Get(key).Rat(); r != nil && (high == nil || r.Cmp(high) < 0 || r.Cmp(high) == 0 && key != "maximum") {
				high, highOpen = r, key != "maximum"
			}
		}
		if r := s.Get("multipleOf").Rat(); r != nil {
			step = multiple(step, r)
		}
		if s.Get("type").Str() == "integer" {
			whole = true
		}
	}
	one := big.NewRat(1, 1)
	if whole {
		step = multiple(step, one)
	}
	fits := func(r *big.Rat) bool {
		if low != nil && (r.Cmp(low) < 0 || lowOpen && r.Cmp(low) == 0) || high != nil && (r.Cmp(high) > 0 || highOpen && r.Cmp(high) == 0) {
			return false
		}
		return step == nil || new(big.Rat).Quo(r, step).IsInt()
	}
	next := step
	if next == nil {
		next = one
	}
	start := one
	switch {
	case fits(one):
	case low != nil:
		start = up(low, next)
		if step == nil {
			start = low
		}
		if start.Cmp(low) == 0 && lowOpen {
			start = new(big.Rat).Add(start, next)
			if step == nil && high != nil && start.Cmp(high) >= 0 {
				start = new(big.Rat).Quo(new(big.Rat).Add(low, high), big.NewRat(2, 1))
			}
		}
	case high != nil:
		start = new(big.Rat).Neg(up(new(big.Rat).Neg(high), next))
		if step == nil {
			start = high
		}
		if start.Cmp(high) == 0 && highOpen {
			start = new(big.Rat).Sub(start, next)
		}
		next = new(big.Rat).Neg(next)
	case step != nil:
		start = step
	}
	if salt > 0 {
		moved := new(big.Rat).Add(start, new(big.Rat).Mul(next, big.NewRat(int64(salt), 1)))
		if !fits(moved) {
			moved = new(big.Rat).Sub(start, new(big.Rat).Mul(next, big.NewRat(int64(salt), 1)))
		}
		start = moved
	}
	return decimal(start)
}

// halfway is a number with a fraction, if one fits.
func halfway(all []*ordered.Value) string {
	half := ordered.NewObject()
	half.Set("multipleOf", &ordered.Value{Kind: ordered.Number, Text: "0.5"})
	low := ordered.NewObject()
	low.Set("minimum", &ordered.Value{Kind: ordered.Number, Text: number(all, false, 0)})
	r, ok := new(big.Rat).SetString(number(append(slices.Clone(all), half, low), false, 0))
	if !ok || !r.IsInt() {
		return number(all, false, 0)
	}
	return decimal(r.Add(r, big.NewRat(1, 2)))
}

// multiple returns the least common multiple.
func multiple(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	// a = x/d, b = y/d
	d := new(big.Int).Mul(a.Denom(), b.Denom())
	x, y := new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom())
	g := new(big.Int).GCD(nil, nil, x, y)
	return new(big.Rat).SetFrac(new(big.Int).Mul(new(big.Int).Quo(x, g), y), d)
}

// up returns the first multiple of step that is not below r.
func up(r, step *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(r, step)
	n := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(q.Num()), q.Denom()))
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
}

// decimal writes a number exactly; all that are made here have an end.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}
