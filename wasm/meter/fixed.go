package meter

import "math/bits"

// fixed is a fixed-point number that is not negative: a cost, or a probability with 1 as one. Floating point would make the
// output depend on the machine that runs the pass, which may fuse operations.
type fixed int64

const (
	fixedBits       = 30
	one       fixed = 1 << fixedBits
	maxFixed  fixed = 1 << 60
)

func units(n int) fixed { return fixed(n) << fixedBits }

// round returns the nearest whole number of units.
func (a fixed) round() int64 { return int64(a+one/2) >> fixedBits }

func (a fixed) add(b fixed) fixed { return min(a+b, maxFixed) }

func (a fixed) mul(b fixed) fixed {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= 1<<(fixedBits-4) {
		return maxFixed
	}
	return fixed(hi<<(64-fixedBits) | lo>>fixedBits)
}

// ratio returns a/b, at most 1.
func ratio(a, b fixed) fixed {
	if a >= b {
		return one
	}
	hi, lo := bits.Mul64(uint64(a), uint64(one))
	q, _ := bits.Div64(hi, lo, uint64(b))
	return fixed(q)
}
