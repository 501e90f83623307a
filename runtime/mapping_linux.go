package runtime

import (
	goruntime "runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// keepPages is how many written pages a restored memory keeps: copying the image's bytes back into a page takes a tenth of
// the time of the fault that dropping it would cost the next run.
const keepPages = 1024

// pager restores mappings. It asks Linux 6.7 and later which pages were written, and copies the image's bytes back over
// them; an older system has to drop all of the mapping's own pages.
type pager struct {
	fd      int       // /proc/self/pagemap; -1: the system cannot tell
	vectors sync.Pool // of *[]region
}

func newPager() *pager {
	p := &pager{fd: -1, vectors: sync.Pool{New: func() any { v := make([]region, 512); return &v }}}
	fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return p
	}
	p.fd = fd
	if !p.works() {
		p.close()
	}
	return p
}

func (p *pager) close() {
	if p.fd >= 0 {
		_ = unix.Close(p.fd)
		p.fd = -1
	}
}

// works tries the system call out on one written page between two others.
func (p *pager) works() bool {
	page := unix.Getpagesize()
	b, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Munmap(b) }()
	advise(b)
	_ = b[0] // reading a page does not write it
	b[page] = 1
	n, right := 0, true
	err = p.written(b, func(lo, hi uint64) error {
		n++
		right = right && lo == uint64(page) && hi == uint64(2*page)
		return nil
	})
	return err == nil && n == 1 && right
}

func (p *pager) restore(m *mapping) error {
	if p.fd < 0 {
		return drop(m.buf[:m.used])
	}
	page := uint64(unix.Getpagesize())
	kept := uint64(0)
	return p.written(m.buf[:m.used], func(lo, hi uint64) error {
		pages := (hi - lo) / page
		if kept+pages > keepPages {
			return drop(m.buf[lo:hi])
		}
		kept += pages
		m.image.read(m.buf[lo:hi], lo)
		return nil
	})
}

// drop gives written pages back to the system: what is mapped reads as the file again, and the rest as zero.
func drop(b []byte) error { return unix.Madvise(b, unix.MADV_DONTNEED) }

// advise keeps the system from backing a few written bytes by a huge page.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_NOHUGEPAGE) }

// scanArg is struct pm_scan_arg of linux/fs.h, and region is struct page_region.
// See https://docs.kernel.org/admin-guide/mm/pagemap.html
type (
	scanArg struct {
		size, flags, start, end, walkEnd, vec, vecLen, maxPages uint64
		inverted, mask, anyOf, result                           uint64
	}
	region struct{ start, end, categories uint64 }
)

const (
	pagemapScan = 0xc0606610 // _IOWR('f', 16, struct pm_scan_arg)
	pageFile    = 1 << 2
	pagePresent = 1 << 3
	pageSwapped = 1 << 4
	pageZero    = 1 << 5 // the system's shared page of zeros: read, but never written
)

// written calls f for each run of pages of b that the mapping has of its own: present or swapped out, and neither the
// file's nor the zero page.
func (p *pager) written(b []byte, f func(lo, hi uint64) error) error {
	vec := p.vectors.Get().(*[]region)
	defer p.vectors.Put(vec)
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	end := base + uint64(len(b))
	for start := base; start < end; {
		arg := scanArg{
			start: start, end: end,
			vec: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(*vec)))), vecLen: uint64(len(*vec)),
			inverted: pageFile | pageZero, mask: pageFile | pageZero, anyOf: pagePresent | pageSwapped, result: pagePresent,
		}
		arg.size = uint64(unsafe.Sizeof(arg))
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(p.fd), pagemapScan, uintptr(unsafe.Pointer(&arg)))
		goruntime.KeepAlive(vec)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		for _, r := range (*vec)[:n] {
			if err := f(r.start-base, r.end-base); err != nil {
				return err
			}
		}
		if arg.walkEnd <= start {
			return unix.EIO
		}
		start = arg.walkEnd
	}
	return nil
}
