package runtime

import (
	"encoding/binary"

	"github.com/runlace/runlace/hostfuncs"
)

const (
	logFuel     = 2_000 // as write_log in package hostfuncs
	logByteFuel = 4
)

// fdWrite writes to the run's log.
func fdWrite(r *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	if err := r.meter.charge(logFuel); err != nil {
		return 0, err
	}
	if p[0] != 1 && p[0] != 2 {
		return errnoBadf, nil
	}
	if p[2] > 1024 { // IOV_MAX
		return errnoInval, nil
	}
	vectors, ok := m.Read(uint32(p[1]), uint32(p[2])*8)
	if !ok {
		return errnoFault, nil
	}
	total := uint32(0)
	for ; len(vectors) >= 8; vectors = vectors[8:] {
		text, ok := m.Read(binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:]))
		if !ok {
			return errnoFault, nil
		}
		if err := r.meter.charge(logByteFuel * int64(len(text))); err != nil {
			return 0, err
		}
		if err := r.session.Log(text); err != nil {
			return 0, err
		}
		total += uint32(len(text))
	}
	return put32(m, p[3], total), nil
}

// fdRead finds standard input at its end.
func fdRead(_ *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	if p[0] != 0 {
		return errnoBadf, nil
	}
	return put32(m, p[3], 0), nil
}

func fdClose(_ *run, _ hostfuncs.Memory, p []uint64) (errno, error) {
	if p[0] > 2 {
		return errnoBadf, nil
	}
	return errnoOK, nil
}

// fdSeek serves fd_tell too.
func fdSeek(_ *run, _ hostfuncs.Memory, p []uint64) (errno, error) {
	if p[0] > 2 {
		return errnoBadf, nil
	}
	return errnoSpipe, nil
}

const (
	characterDevice = 2
	directory       = 3
	maxPreopen      = 9
)

// fdFdstatGet knows the three streams. The first descriptors after them may be directories that were open when the guest
// was built, which its C library remembers. It asks for them before it looks for a path, and shall find that there is
// no such path.
func fdFdstatGet(_ *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	if p[0] > maxPreopen {
		return errnoBadf, nil
	}
	var b [24]byte
	b[0] = characterDevice
	if p[0] > 2 {
		b[0] = directory
	}
	for i := 8; i < 24; i++ {
		b[i] = 0xff // all rights
	}
	return put(m, p[1], b[:]), nil
}

func fdFilestatGet(_ *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	if p[0] > 2 {
		return errnoBadf, nil
	}
	var b [64]byte
	b[16] = characterDevice
	return put(m, p[1], b[:]), nil
}

func put(m hostfuncs.Memory, ptr uint64, b []byte) errno {
	if !m.Write(uint32(ptr), b) {
		return errnoFault
	}
	return errnoOK
}

func put32(m hostfuncs.Memory, ptr uint64, v uint32) errno {
	return put(m, ptr, binary.LittleEndian.AppendUint32(nil, v))
}

func put64(m hostfuncs.Memory, ptr uint64, v uint64) errno {
	return put(m, ptr, binary.LittleEndian.AppendUint64(nil, v))
}
