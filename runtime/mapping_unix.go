//go:build linux || darwin

package runtime

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapping is a memory that the system copies from the image page by page, as it is written to. It is a reservation of
// address space of which only the front is accessible, so that growing moves nothing.
type mapping struct {
	image *image
	pager *pager
	buf   []byte // the whole reservation
	limit uint64
	used  uint64 // accessible bytes: the size of the memory
}

// newMapping reserves room bytes, which is not less than the image, and maps the image.
func newMapping(im *image, pager *pager, room uint64) (memory, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(room), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("runtime: reserve %d MiB of address space: %w", room>>20, err)
	}
	m := &mapping{image: im, pager: pager, buf: unsafe.Slice((*byte)(p), room), limit: room, used: im.bytes}
	if err := m.lay(); err != nil {
		m.Free()
		return nil, fmt.Errorf("runtime: map the image: %w", err)
	}
	return m, nil
}

// lay maps the image and fresh zeros around it, in place of whatever is there.
func (m *mapping) lay() error {
	err := mapAt(m.buf[:m.image.bytes], -1, 0, unix.MAP_ANON)
	if err != nil {
		return err
	}
	advise(m.buf)
	for _, e := range m.image.extents {
		if err := mapAt(m.buf[e.off:e.off+e.len], int(m.image.file.Fd()), int64(e.at), 0); err != nil {
			return err
		}
	}
	return nil
}

func mapAt(b []byte, fd int, offset int64, flags int) error {
	_, err := unix.MmapPtr(fd, offset, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_FIXED|flags)
	return err
}

func (m *mapping) bound(bytes uint64) { m.limit = bytes }
func (m *mapping) room() uint64       { return uint64(len(m.buf)) }
func (m *mapping) size() uint64       { return m.used }
func (m *mapping) restore() error     { return m.pager.restore(m) }

// Reallocate implements experimental.LinearMemory.
func (m *mapping) Reallocate(size uint64) []byte {
	if size > m.limit || size > uint64(len(m.buf)) {
		return nil
	}
	if size > m.used {
		if unix.Mprotect(m.buf[m.used:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
			return nil
		}
		m.used = size
	}
	return m.buf[:size:size]
}

// Free implements experimental.LinearMemory.
func (m *mapping) Free() {
	if m.buf != nil {
		_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(m.buf)), uintptr(len(m.buf)))
		m.buf = nil
	}
}
