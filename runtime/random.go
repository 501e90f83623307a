package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// randomLabel separates this use of a seed from any other.
const randomLabel = "runlace random_get 1\x00"

// random is the source of all randomness in a run: ChaCha8 with a key that is the SHA-256 of a label and the seed.
type random struct {
	seed   uint64
	stream *rand.ChaCha8 // made when first needed
}

func (r *random) fill(b []byte) {
	if r.stream == nil {
		r.stream = rand.NewChaCha8(sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(randomLabel), r.seed)))
	}
	_, _ = r.stream.Read(b) // never fails
}
