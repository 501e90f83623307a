package runtime

import (
	"context"
	"fmt"
	"hash/crc32"
)

// probe is what compiling a tiny workflow comes to. It differs between guests, and cannot be had from code that is not
// the guest's.
type probe struct {
	Fuel int64
	Sum  uint32 // of the bytecode
	Size uint32
}

const probeSource = "def run():\n    return [1, 'a', {}]\n"

// probe tests the engine by compiling. The instance that it takes is there for the first run.
func (e *Engine) probe() (probe, error) {
	in, err := e.start(0)
	if err != nil {
		return probe{}, err
	}
	defer in.Close()
	limits, err := Limits{Fuel: 2_000_000_000}.effective(e.MinMemory())
	if err != nil {
		return probe{}, err
	}
	r, err := in.compile(context.Background(), probeSource, limits)
	if err == nil && r.Err != nil {
		err = r.Err
	}
	if err != nil {
		return probe{}, fmt.Errorf("the self-test failed: %w", err)
	}
	return probe{Fuel: r.Fuel, Sum: crc32.Checksum(r.Output, crc32.MakeTable(crc32.Castagnoli)), Size: uint32(len(r.Output))}, nil
}
