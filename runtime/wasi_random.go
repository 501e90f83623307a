package runtime

import "github.com/runlace/runlace/hostfuncs"

const (
	randomFuel     = 1_000
	randomByteFuel = 4
	randomChunk    = 1 << 20
)

// randomGet fills the guest's memory from the seed. It pays as it goes, so that a large request ends at the fuel limit.
func randomGet(r *run, m hostfuncs.Memory, p []uint64) (errno, error) {
	if err := r.meter.charge(randomFuel); err != nil {
		return 0, err
	}
	b, ok := m.Read(uint32(p[0]), uint32(p[1]))
	if !ok {
		return errnoFault, nil
	}
	for len(b) > 0 {
		n := min(len(b), randomChunk)
		if err := r.meter.charge(randomByteFuel * int64(n)); err != nil {
			return 0, err
		}
		if err := r.Interrupted(); err != nil {
			return 0, err
		}
		r.random.fill(b[:n])
		b = b[n:]
	}
	return errnoOK, nil
}
