package ordered

import (
	"math/big"
	"strconv"
	"strings"
)

// MaxExponent bounds the numbers that are computed with: 1e999999999 is eleven bytes of JSON, and a gigabyte of digits.
const MaxExponent = 5000

// split takes a JSON number apart: its digits without leading and trailing zeros, and the power of ten that they are
// multiplied with. Zero has no digits. ok is false where the exponent itself is out of all bounds.
func split(text string) (negative bool, digits string, exponent int64, ok bool) {
	rest, negative := strings.CutPrefix(text, "-")
	mantissa, exp, has := strings.Cut(strings.ToLower(rest), "e")
	if has {
		e, err := strconv.ParseInt(exp, 10, 40)
		if err != nil {
			return negative, "", 0, false
		}
		exponent = e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent -= int64(len(fraction))
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	if trimmed == "" {
		return false, "", 0, true
	}
	return negative, trimmed, exponent, true
}

// CanonicalNumber spells a JSON number in one way for each value: 1.0, 1e0 and 1 are 1; -0 is 0.
func CanonicalNumber(text string) string {
	negative, digits, exponent, ok := split(text)
	if !ok {
		return text
	}
	if digits == "" {
		return "0"
	}
	sign := ""
	if negative {
		sign = "-"
	}
	switch point := int64(len(digits)) + exponent; {
	case exponent >= 0 && point <= 40:
		return sign + digits + strings.Repeat("0", int(exponent))
	case exponent < 0 && point > 0:
		return sign + digits[:point] + "." + digits[point:]
	case point <= 0 && point > -7:
		return sign + "0." + strings.Repeat("0", int(-point)) + digits
	default:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return sign + digits + "e" + strconv.FormatInt(point-1, 10)
	}
}

// Integer returns the value of a number that has no fraction, as in 5, 5.0 and 5e3; else "".
func (v *Value) Integer() string {
	if !v.Is(Number) {
		return ""
	}
	negative, digits, exponent, ok := split(v.Text)
	if !ok || exponent < 0 || exponent > MaxExponent {
		return ""
	}
	if digits == "" {
		return "0"
	}
	if negative {
		digits = "-" + digits
	}
	return digits + strings.Repeat("0", int(exponent))
}

// Rat returns the exact value of a number; nil if v is none or its exponent is over [MaxExponent].
func (v *Value) Rat() *big.Rat {
	if !v.Is(Number) {
		return nil
	}
	if _, _, exponent, ok := split(v.Text); !ok || exponent > MaxExponent || exponent < -MaxExponent {
		return nil
	}
	r, ok := new(big.Rat).SetString(v.Text)
	if !ok {
		return nil
	}
	return r
}

// Small returns the value of a number that counts something, cut off at limit; ok is false if v is no number or negative.
func (v *Value) Small(limit int) (n int, ok bool) {
	r := v.Rat()
	if r == nil || r.Sign() < 0 {
		return 0, false
	}
	if r.Cmp(new(big.Rat).SetInt64(int64(limit))) >= 0 {
		return limit, true
	}
	return int(new(big.Int).Quo(r.Num(), r.Denom()).Int64()), true
}
