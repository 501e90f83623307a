package runtime

import (
	"encoding/binary"
	"math"

	"github.com/runlace/runlace/hostfuncs"
)

// Clocks. The last two measure CPU time.
const (
	clockRealtime  = 0
	clockMonotonic = 1
	clockThread    = 3
)

// read returns the clock in nanoseconds.
func (c *clock) read(id uint64) (int64, bool) {
	switch {
	case id == clockRealtime:
		return c.at + c.elapsed, true
	case id <= clockThread:
		return c.mono + c.elapsed, true
	}
	return 0, false
}

func clockTimeGet(r *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	now, ok := r.clock.read(p[0])
	if !ok {
		return errnoInval, nil
	}
	return put64(m, p[2], uint64(now)), nil
}

func clockResGet(_ *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	if p[0] > clockThread {
		return errnoInval, nil
	}
	return put64(m, p[1], 1), nil
}

// pollOneoff sleeps until the first of the clocks is due, which takes no time: the clock moves. Descriptors cannot be
// waited for.
func pollOneoff(r *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	const subscription, event = 48, 32
	if p[2] == 0 || p[2] > 1024 {
		return errnoInval, nil
	}
	subs, ok := m.Read(uint32(p[0]), uint32(p[2])*subscription)
	if !ok {
		return errnoFault, nil
	}
	first, userdata := int64(math.MaxInt64), []byte(nil)
	for ; len(subs) > 0; subs = subs[subscription:] {
		if subs[8] != 0 {
			return errnoNotsup, nil
		}
		now, ok := r.clock.read(uint64(binary.LittleEndian.Uint32(subs[16:])))
		if !ok {
			return errnoInval, nil
		}
		wait := int64(min(binary.LittleEndian.Uint64(subs[24:]), math.MaxInt64))
		if binary.LittleEndian.Uint16(subs[40:])&1 != 0 { // an absolute time
			wait = max(0, wait-now)
		}
		if userdata == nil || wait < first {
			first, userdata = wait, subs[:8]
		}
	}
	var b [event]byte
	copy(b[:], userdata)
	if put(m, p[1], b[:]) != errnoOK {
		return errnoFault, nil
	}
	r.clock.advance(first)
	return put32(m, p[3], 1), nil
}
