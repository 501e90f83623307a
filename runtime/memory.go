package runtime

import "github.com/tetratelabs/wazero/experimental"

const (
	wasmPage  = 64 << 10
	maxMemory = 4 << 30
)

// memory is the linear memory of one module instance. It starts as the image.
type memory interface {
	experimental.LinearMemory
	// bound sets how far the memory may grow from now on.
	bound(bytes uint64)
	// room is the largest bound that the memory can have.
	room() uint64
	// size is the current size.
	size() uint64
	// restore makes the memory the image again. It is called only when it has not grown.
	restore() error
}

// allocation hands the memory that wazero asks for while it instantiates a module to who asked for the module.
type allocation struct{ memory }

// Allocate implements experimental.MemoryAllocator.
func (a *allocation) Allocate(_, _ uint64) experimental.LinearMemory { return a.memory }

// copied is a memory in the Go heap, for systems without copy-on-write mappings.
type copied struct {
	image *image
	buf   []byte // as long as the memory, with room to grow
	limit uint64
}

func newCopied(im *image) *copied { return &copied{image: im, limit: maxMemory} }

func (c *copied) bound(bytes uint64) { c.limit = bytes }
func (c *copied) room() uint64       { return maxMemory }
func (c *copied) size() uint64       { return uint64(len(c.buf)) }
func (c *copied) Free()              { c.buf = nil }

func (c *copied) restore() error {
	c.image.read(c.buf, 0)
	return nil
}

// Reallocate grows by a quarter at least: a guest grows its memory page by page.
func (c *copied) Reallocate(size uint64) []byte {
	switch {
	case size > c.limit:
		return nil
	case c.buf == nil:
		c.buf = make([]byte, size)
		c.image.read(c.buf, 0)
	case size > uint64(cap(c.buf)):
		b := make([]byte, size, min(c.limit, size+size/4))
		copy(b, c.buf)
		c.buf = b
	default:
		c.buf = c.buf[:size]
	}
	return c.buf[:size:size]
}
