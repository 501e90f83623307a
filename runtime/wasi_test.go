package runtime

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/runlace/runlace/hostfuncs"
)

// flat is a guest's memory.
type flat []byte

func (m flat) Read(off, n uint32) ([]byte, bool) {
	if uint64(off)+uint64(n) > uint64(len(m)) {
		return nil, false
	}
	return m[off : off+n : off+n], true
}

func (m flat) Write(off uint32, b []byte) bool {
	v, ok := m.Read(off, uint32(len(b)))
	copy(v, b)
	return ok
}

func (m flat) u32(off int, v ...uint32) {
	for i, x := range v {
		binary.LittleEndian.PutUint32(m[off+4*i:], x)
	}
}

func wasiRun() *run {
	r := &run{ctx: tcontext}
	r.session.Caps.LogBytes = 1000
	return r
}

// TestWASIPointersThatLie gives every function numbers that a hostile guest might.
func TestWASIPointersThatLie(t *testing.T) {
	values := []uint64{0, 1, 2, 3, 8, 47, 65528, 65536, 1<<28 + 1, 1 << 29, 1<<31 - 1, 1 << 31, 1<<32 - 8, 1<<32 - 1}
	for name, f := range wasiTable() {
		r, m := wasiRun(), make(flat, wasmPage)
		for i := range m {
			m[i] = 0xff
		}
		p := make([]uint64, f.params)
		var try func(i int)
		try = func(i int) {
			if i == len(p) {
				q := append([]uint64(nil), p...)
				if _, err := f.call(r, m, q); err != nil && name != "proc_exit" && name != "fd_write" {
					t.Fatalf("%s %v: %v", name, p, err)
				}
				return
			}
			for _, v := range values {
				p[i] = v
				try(i + 1)
			}
		}
		try(0)
	}
}

func TestFdWrite(t *testing.T) {
	r, m := wasiRun(), make(flat, wasmPage)
	copy(m, "hello world")
	m.u32(100, 0, 6, 6, 5)
	write := func(fd, iovs, n, written uint64) (errno, error) {
		return fdWrite(r, m, []uint64{fd, iovs, n, written})
	}
	if n, err := write(1, 100, 2, 200); n != errnoOK || err != nil || r.session.Logged() != "hello world" || binary.LittleEndian.Uint32(m[200:]) != 11 {
		t.Errorf("%d, %v, %q", n, err, r.session.Logged())
	}
	for _, c := range []struct {
		args [4]uint64
		want errno
	}{
		{[4]uint64{0, 100, 2, 200}, errnoBadf}, {[4]uint64{3, 100, 2, 200}, errnoBadf},
		{[4]uint64{1, 100, 1 << 29, 200}, errnoInval}, // 8 times that overflows
		{[4]uint64{1, 65530, 1, 200}, errnoFault}, {[4]uint64{2, 100, 0, 65535}, errnoFault},
	} {
		if n, err := write(c.args[0], c.args[1], c.args[2], c.args[3]); n != c.want || err != nil {
			t.Errorf("%v: %d, %v", c.args, n, err)
		}
	}
	m.u32(100, 0, wasmPage)
	var s *hostfuncs.Stop
	if _, err := write(1, 100, 1, 200); !errors.As(err, &s) || s.Code != hostfuncs.CodeLogLimit {
		t.Errorf("over the limit: %v", err)
	}
}

func TestPollOneoff(t *testing.T) {
	m := make(flat, wasmPage)
	sub := func(i int, userdata uint64, kind byte, clock uint32, timeout uint64, absolute bool) {
		b := m[48*i:]
		clear(b[:48])
		binary.LittleEndian.PutUint64(b, userdata)
		b[8] = kind
		binary.LittleEndian.PutUint32(b[16:], clock)
		binary.LittleEndian.PutUint64(b[24:], timeout)
		if absolute {
			b[40] = 1
		}
	}
	poll := func(r *run, n uint64) errno {
		e, err := pollOneoff(r, m, []uint64{0, 1000, n, 2000})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	r := wasiRun()
	r.clock = clock{at: 5000, mono: 100}
	sub(0, 11, 0, 1, 70, false)
	sub(1, 22, 0, 0, 5030, true)
	if poll(r, 2) != errnoOK || r.clock.elapsed != 30 || binary.LittleEndian.Uint64(m[1000:]) != 22 || m[2000] != 1 {
		t.Errorf("elapsed %d, userdata %d", r.clock.elapsed, m[1000])
	}
	if poll(r, 2) != errnoOK || r.clock.elapsed != 30 { // the second is due
		t.Errorf("elapsed %d", r.clock.elapsed)
	}
	sub(0, 1, 0, 1, math.MaxUint64, false)
	for range 3 {
		if poll(r, 1) != errnoOK || r.clock.at+r.clock.elapsed != math.MaxInt64 {
			t.Errorf("elapsed %d", r.clock.elapsed)
		}
	}
	sub(0, 1, 1, 0, 0, false)
	if poll(r, 1) != errnoNotsup {
		t.Error("a descriptor is waited for")
	}
	sub(0, 1, 0, 9, 0, false)
	if poll(r, 1) != errnoInval || poll(r, 0) != errnoInval || poll(r, 1<<28) != errnoInval || poll(r, 1<<32/48+1) != errnoInval {
		t.Error("it takes anything")
	}
}
