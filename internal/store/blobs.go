package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/runlace/runlace/internal/fault"
)

// spillBytes is the size from which a payload lies in a blob of its own: the rows of the journal stay small, and what many steps
// carry is stored once.
const spillBytes = 32 << 10

// blobGrace is how long a blob that nothing refers to is kept: its writer may be about to.
const blobGrace = time.Hour

// codec compresses blobs. Both are safe for concurrent use, and have no goroutines of their own.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newCodec() (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	return &codec{enc, dec}, nil
}

// PutBlob stores bytes by their content and returns their digest: SHA-256 in lowercase hexadecimal. What nothing refers to is removed
// by [Store.Prune] in time. The Redactor does not look into it.
func (s *Store) PutBlob(data []byte) (digest string, err error) {
	return s.putBlob(data, nil)
}

// putBlob stores bytes, and does what else belongs into the transaction.
func (s *Store) putBlob(data []byte, also func(c *conn, digest string) error) (string, error) {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	packed := s.codec.enc.EncodeAll(data, make([]byte, 0, len(data)/2))
	compressed := len(packed) < len(data)
	if !compressed {
		packed = data
	}
	return digest, s.update(false, func(c *conn) error {
		if _, err := c.exec(`INSERT INTO blobs (digest, size, zstd, put_at, data) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (digest) DO UPDATE SET put_at=excluded.put_at`, digest, len(data), compressed, s.now(), blob(packed)); err != nil {
			return err
		}
		if also == nil {
			return nil
		}
		return also(c, digest)
	})
}

// Blob returns the bytes of a digest. One that is not there has the code unknown-blob.
func (s *Store) Blob(digest string) (data []byte, err error) {
	err = s.view(func(c *conn) error {
		data, err = s.readBlob(c, digest)
		return err
	})
	return data, err
}

func (s *Store) readBlob(c *conn, digest string) ([]byte, error) {
	var data []byte
	compressed := false
	found, err := c.one(func(r row) { data, compressed = r.bytes(0), r.bool(1) }, "SELECT data, zstd FROM blobs WHERE digest=?", digest)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fault.New("unknown-blob", "there are no bytes with the digest %s", digest)
	}
	if compressed {
		if data, err = s.codec.dec.DecodeAll(data, nil); err != nil {
			return nil, fault.New("bad-database", "the bytes with the digest %s are damaged", digest).WithDetail(err)
		}
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return nil, fault.New("bad-database", "the bytes with the digest %s are others", digest)
	}
	return data, nil
}

// PutBlob stores bytes that the run has been given, see [Store.PutBlob]. The run, and no other, can read them.
func (j *Journal) PutBlob(data []byte) (digest string, err error) {
	return j.s.putBlob(data, func(c *conn, digest string) error {
		_, err := c.exec("INSERT OR IGNORE INTO media (run, digest) VALUES (?, ?)", j.num, digest)
		return err
	})
}

// Blob returns bytes that the run has been given. Others have the code unknown-blob.
func (j *Journal) Blob(digest string) ([]byte, error) { return j.s.RunBlob(j.run.ID, digest) }

// RunBlob returns bytes that a run has been given. Others have the code unknown-blob.
func (s *Store) RunBlob(run, digest string) (data []byte, err error) {
	err = s.view(func(c *conn) error {
		num, err := runNum(c, run)
		if err != nil {
			return err
		}
		given, err := c.one(func(row) {}, "SELECT 1 FROM media WHERE run=? AND digest=?", num, digest)
		if err != nil {
			return err
		}
		if !given {
			return fault.New("unknown-blob", "run %s has no bytes with the digest %s", run, digest)
		}
		data, err = s.readBlob(c, digest)
		return err
	})
	return data, err
}

// spilled is a payload as it is stored: as text, or where its blob is.
type spilled struct {
	text json.RawMessage
	at   orNull
}

// spill stores a payload that is large in a blob.
func (s *Store) spill(value json.RawMessage) (spilled, error) {
	if len(value) < spillBytes {
		return spilled{text: value}, nil
	}
	digest, err := s.PutBlob(value)
	return spilled{json.RawMessage{}, orNull(digest)}, err
}

// payload reads a payload from the column of its text, or from the blob that the column at names.
func (s *Store) payload(c *conn, text json.RawMessage, at string) (json.RawMessage, error) {
	if at == "" {
		return text, nil
	}
	data, err := s.readBlob(c, at)
	if err != nil {
		return nil, fmt.Errorf("a payload of the journal: %w", err)
	}
	return data, nil
}
