package runtime

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// Files of the cache end with a footer that says what they are and proves that they are whole. It stands at the end
// because the image has to begin at the start of its file to be mapped, and because wazero, which reads the compiled
// code, does not mind what follows it.

// footer is written as it is, little-endian, behind the contents.
type footer struct {
	Kind  [8]byte
	Build [32]byte // SHA-256 of Manifest.Build
	Code  [32]byte // of the skeleton: the name of the file with its compiled code
	Probe probe    // of the skeleton: what the self-test has to find
	Size  int64    // of the contents
	Magic [8]byte
	Sum   uint32 // CRC-32C of all before it
}

// Kinds of files.
var (
	kindImage    = [8]byte([]byte("image   "))
	kindSkeleton = [8]byte([]byte("skeleton"))
	kindCode     = [8]byte([]byte("code    "))
)

var footerMagic = [8]byte([]byte("runlace1"))

var footerSize = binary.Size(footer{})

// writeSealed writes contents and footer to path, by way of a temporary file beside it.
func writeSealed(path string, contents []byte, f footer) error {
	f.Size, f.Magic = int64(len(contents)), footerMagic
	tail, err := binary.Append(nil, binary.LittleEndian, f)
	if err != nil {
		return err
	}
	tail = tail[:len(tail)-4]
	table := crc32.MakeTable(crc32.Castagnoli)
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Update(crc32.Checksum(contents, table), table, tail))

	t, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = t.Write(contents)
	if err == nil {
		_, err = t.Write(tail)
	}
	err = errors.Join(err, t.Close())
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		_ = os.Remove(t.Name())
	}
	return err
}

// openSealed checks a file's bytes against its footer and returns the contents.
func openSealed(b []byte, kind [8]byte, build [32]byte) (contents []byte, f footer, err error) {
	n := len(b) - footerSize
	if n < 0 {
		return nil, f, errors.New("too short")
	}
	if err := binary.Read(bytes.NewReader(b[n:]), binary.LittleEndian, &f); err != nil {
		return nil, f, err
	}
	switch {
	case f.Magic != footerMagic || f.Size != int64(n):
		return nil, f, errors.New("cut short or not ours")
	case f.Kind != kind:
		return nil, f, fmt.Errorf("it is of kind %.8s", f.Kind)
	case f.Build != build:
		return nil, f, errors.New("it belongs to another build of the guest")
	case f.Sum != crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)):
		return nil, f, errors.New("its checksum is wrong")
	}
	return b[:n], f, nil
}
