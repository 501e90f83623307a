package meter

import (
	"fmt"
	"math"
	"testing"
)

// TestCanonicalNaN: where the bits of a NaN can be seen, they are those of the canonical NaN, and other numbers are what they were.
func TestCanonicalNaN(t *testing.T) {
	const text = `
		memory 1
		func $store32 export (i32)->(i32)
			i32.const 0 local.get 0 f32.reinterpret_i32 f32.store 0
			i32.const 0 i32.load 0
		func $store64 export (i64)->(i32)
			i32.const 0 local.get 0 f64.reinterpret_i64 f64.store 0
			i32.const 4 i32.load 0
		func $bits32 export (i32)->(i32)
			local.get 0 f32.reinterpret_i32 i32.reinterpret_f32
		func $bits64 export (i64)->(i32)
			local.get 0 f64.reinterpret_i64 i64.reinterpret_f64 i64.const 32 i64.shr_u i32.wrap_i64
		func $sign32 export (i32)->(i32)
			f32.const 1 local.get 0 f32.reinterpret_i32 f32.copysign i32.trunc_f32_s
		func $sign64 export (i64)->(i32)
			f64.const 1 local.get 0 f64.reinterpret_i64 f64.copysign i32.trunc_f64_s`
	g := run(t, text, exact)
	for _, v := range []float64{0, math.Copysign(0, -1), 1.5, -1.5, math.Inf(1), math.Inf(-1)} {
		bits32, bits64 := math.Float32bits(float32(v)), math.Float64bits(v)
		sign := int32(math.Copysign(1, v))
		for name, want := range map[string]int32{
			"store32": int32(bits32), "bits32": int32(bits32), "sign32": sign,
			"store64": int32(bits64 >> 32), "bits64": int32(bits64 >> 32), "sign64": sign,
		} {
			arg := bits64
			if name[len(name)-2:] == "32" {
				arg = uint64(bits32)
			}
			if got := g.mustCall(name, arg); got != want {
				t.Errorf("%s(%v) = %#x, want %#x", name, v, got, want)
			}
		}
	}
	for _, nan32 := range []uint32{0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff} {
		nan64 := uint64(0x7ff0000000000000) | uint64(nan32&0x80000000)<<32 | uint64(nan32&0x7fffff)<<29 | 1
		for name, want := range map[string]int32{
			"store32": 0x7fc00000, "bits32": 0x7fc00000, "sign32": 1,
			"store64": 0x7ff80000, "bits64": 0x7ff80000, "sign64": 1,
		} {
			arg := nan64
			if name[len(name)-2:] == "32" {
				arg = uint64(nan32)
			}
			if got := g.mustCall(name, arg); got != want {
				t.Errorf("%s(NaN %#x) = %#x, want %#x", name, arg, got, want)
			}
		}
	}
	for _, cfg := range []Config{exact, {}} {
		want := 0
		if cfg.CanonicalNaN {
			want = 6
		}
		if _, rep := metered(t, text, cfg); rep.NaNs != want {
			t.Errorf("%+v: %s", cfg, fmt.Sprintf("%d places, want %d", rep.NaNs, want))
		}
	}
}
