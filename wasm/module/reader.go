package module

import "fmt"

// DecodeError says what is wrong with a binary, or not supported, and where.
type DecodeError struct {
	Offset int // in the input of Parse
	Reason string
}

func (e *DecodeError) Error() string { return fmt.Sprintf("wasm: offset %#x: %s", e.Offset, e.Reason) }

// reader walks bytes. After the first error every read gives zero, so callers look at err when it suits them. That is
// only safe because count never promises more items than there are bytes.
type reader struct {
	buf  []byte // up to the end of the innermost window
	pos  int
	base int // offset of buf in the input
	err  *DecodeError
}

func (r *reader) fail(format string, args ...any) { r.failAt(r.pos, format, args...) }

func (r *reader) failAt(pos int, format string, args ...any) {
	if r.err == nil {
		r.err = &DecodeError{r.base + pos, fmt.Sprintf(format, args...)}
	}
	r.pos = len(r.buf)
}

// failure is err as an error: nil if there is none.
func (r *reader) failure() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

func (r *reader) more() bool { return r.pos < len(r.buf) }

func (r *reader) left() int { return len(r.buf) - r.pos }

func (r *reader) byte() byte {
	if r.pos >= len(r.buf) {
		r.fail("unexpected end")
		return 0
	}
	c := r.buf[r.pos]
	r.pos++
	return c
}

func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(r.left()) {
		r.fail("%d bytes expected, %d left", n, r.left())
		return nil
	}
	b := r.buf[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// unsigned reads an unsigned LEB128 number.
func (r *reader) unsigned(bits uint) uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		c := r.byte()
		if shift+7 > bits && c>>(bits-shift) != 0 {
			r.failAt(r.pos-1, "number does not fit %d bits", bits)
			return 0
		}
		v |= uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			return v
		}
	}
}

// signed reads a signed LEB128 number.
func (r *reader) signed(bits uint) int64 {
	var v int64
	for shift := uint(0); ; shift += 7 {
		c := r.byte()
		digits := int64(int8(c<<1) >> 1) // seven bits, sign extended
		if shift+7 >= bits {
			if rest := digits >> (bits - shift - 1); c&0x80 != 0 || rest != 0 && rest != -1 {
				r.failAt(r.pos-1, "number does not fit %d bits", bits)
				return 0
			}
		}
		if c&0x80 == 0 {
			return v | digits<<shift
		}
		v |= int64(c&0x7f) << shift
	}
}

func (r *reader) u32() uint32 {
	if r.pos < len(r.buf) && r.buf[r.pos] < 0x80 {
		r.pos++
		return uint32(r.buf[r.pos-1])
	}
	return uint32(r.unsigned(32))
}

// count reads the length of a vector, whose items take a byte or more each.
func (r *reader) count() int {
	start := r.pos
	n := r.u32()
	if uint64(n) > uint64(r.left()) {
		r.failAt(start, "%d items in %d bytes", n, r.left())
		return 0
	}
	return int(n)
}

func (r *reader) name() string { return string(r.bytes(r.u32())) }

// window runs f with the end of the input at the next n bytes, which f has to use up.
func (r *reader) window(n uint32, what string, f func()) {
	if uint64(n) > uint64(r.left()) {
		r.fail("%s of %d bytes, %d left", what, n, r.left())
		return
	}
	outer := r.buf
	r.buf = r.buf[:r.pos+int(n)]
	f()
	if r.more() {
		r.fail("%d bytes left over in the %s", r.left(), what)
	}
	r.buf = outer
	if r.err != nil {
		r.pos = len(r.buf)
	}
}

func (r *reader) valType() ValType {
	switch t := r.byte(); t {
	case I32, I64, F32, F64, FuncRef, ExternRef:
		return t
	default:
		r.failAt(r.pos-1, "value type %#x is not supported", t)
		return 0
	}
}

func (r *reader) refType() ValType {
	switch t := r.byte(); t {
	case FuncRef, ExternRef:
		return t
	default:
		r.failAt(r.pos-1, "reference type %#x is not supported", t)
		return 0
	}
}

// valTypes reads a vector of value types.
func (r *reader) valTypes() []ValType {
	n := r.count()
	start := r.pos
	for range n {
		r.valType()
	}
	if r.err != nil {
		return nil
	}
	return r.buf[start:r.pos:r.pos]
}
