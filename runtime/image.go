package runtime

import (
	"bytes"
	"fmt"
	"os"

	"github.com/runlace/runlace/assets"
)

// image is what memory holds when a run starts. Its extents begin and end at WebAssembly pages, in memory as in the
// file, so that they can be mapped whatever the system's page size.
type image struct {
	bytes   uint64 // size of the memory
	extents []extent
	view    []byte   // the extents, one after the other
	file    *os.File // the same, to be mapped; nil if memory has to be copied
	unmap   func()   // ends view; may be nil
}

// extent is a part of memory that is not all zero.
type extent struct{ off, len, at uint64 }

// arrange widens the manifest's extents to whole WebAssembly pages.
func arrange(m *assets.Manifest) (exts []extent, total uint64, err error) {
	size := uint64(m.Pages) * wasmPage
	for _, e := range m.Extents {
		lo := uint64(e.Off) &^ (wasmPage - 1)
		hi := (uint64(e.Off) + uint64(e.Len) + wasmPage - 1) &^ (wasmPage - 1)
		if hi > size || e.At < 0 {
			return nil, 0, fmt.Errorf("runtime: extent %+v of the image is outside of memory", e)
		}
		n := len(exts)
		if n > 0 && uint64(e.Off) < exts[n-1].off {
			return nil, 0, fmt.Errorf("runtime: extents of the image are not sorted")
		}
		if n > 0 && lo <= exts[n-1].off+exts[n-1].len {
			exts[n-1].len = max(exts[n-1].len, hi-exts[n-1].off)
		} else {
			exts = append(exts, extent{off: lo, len: hi - lo})
		}
	}
	for i := range exts {
		exts[i].at = total
		total += exts[i].len
	}
	return exts, total, nil
}

// layOut makes an image's view from the guest's file.
func layOut(m *assets.Manifest, file []byte) ([]byte, error) {
	exts, total, err := arrange(m)
	if err != nil {
		return nil, err
	}
	view := make([]byte, total)
	for _, e := range m.Extents {
		if uint64(e.At)+uint64(e.Len) > uint64(len(file)) {
			return nil, fmt.Errorf("runtime: the image has %d bytes, too few for extent %+v", len(file), e)
		}
		for _, x := range exts {
			if off := uint64(e.Off); off >= x.off && off < x.off+x.len {
				copy(view[x.at+off-x.off:], file[e.At:e.At+int64(e.Len)])
			}
		}
	}
	return view, nil
}

// newImage makes an image of a view that layOut made.
func newImage(m *assets.Manifest, view []byte, file *os.File, unmap func()) (*image, error) {
	exts, total, err := arrange(m)
	if err != nil {
		return nil, err
	}
	if uint64(len(view)) != total {
		return nil, fmt.Errorf("runtime: the image has %d bytes, not %d", len(view), total)
	}
	return &image{bytes: uint64(m.Pages) * wasmPage, extents: exts, view: view, file: file, unmap: unmap}, nil
}

func (im *image) close() {
	if im.unmap != nil {
		im.unmap()
	}
	if im.file != nil {
		_ = im.file.Close()
	}
	im.view, im.unmap, im.file = nil, nil, nil
}

// read fills dst with the image's bytes from off on.
func (im *image) read(dst []byte, off uint64) {
	for _, e := range im.extents {
		if e.off+e.len <= off {
			continue
		}
		if e.off >= off+uint64(len(dst)) {
			break
		}
		if off < e.off {
			gap := e.off - off
			clear(dst[:gap])
			dst, off = dst[gap:], e.off
		}
		n := copy(dst, im.view[e.at+off-e.off:e.at+e.len])
		dst, off = dst[n:], off+uint64(n)
	}
	clear(dst)
}

// equals tells whether mem is the image.
func (im *image) equals(mem []byte) bool {
	if uint64(len(mem)) != im.bytes {
		return false
	}
	page := make([]byte, wasmPage)
	for off := uint64(0); off < im.bytes; off += wasmPage {
		im.read(page, off)
		if !bytes.Equal(page, mem[off:off+wasmPage]) {
			return false
		}
	}
	return true
}
