package runtime

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/runlace/runlace/assets"
)

// tinyImage has two extents that are not aligned to WebAssembly pages, as a guest's are.
func tinyImage(t *testing.T, mapped bool) *image {
	t.Helper()
	file := make([]byte, 5*4096)
	for i := range file {
		file[i] = byte(i>>8) | 1
	}
	m := &assets.Manifest{Pages: 16, Extents: []assets.Extent{
		{Off: 4096, Len: 8192, At: 0}, {Off: 5*wasmPage - 4096, Len: 8192, At: 8192}, {Off: 15*wasmPage + 61440, Len: 4096, At: 16384},
	}}
	view, err := layOut(m, file)
	if err != nil {
		t.Fatal(err)
	}
	var im *image
	if mapped {
		b, f, done, err := hold(view)
		if err != nil {
			t.Skip("this system does not map: ", err)
		}
		im, err = newImage(m, b, f, done)
		if err != nil {
			t.Fatal(err)
		}
	} else if im, err = newImage(m, view, nil, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(im.close)
	want := make([]byte, 16*wasmPage)
	for _, e := range m.Extents {
		copy(want[e.Off:], file[e.At:e.At+int64(e.Len)])
	}
	got := make([]byte, len(want))
	im.read(got, 0)
	if !bytes.Equal(got, want) || !im.equals(want) {
		t.Fatal("the image does not read as it should")
	}
	want[7*wasmPage] = 1
	if im.equals(want) {
		t.Fatal("any memory equals the image")
	}
	return im
}

// memories returns each kind of memory that the system has.
func memories(t *testing.T) map[string]func(room uint64) memory {
	t.Helper()
	copying := tinyImage(t, false)
	kinds := map[string]func(uint64) memory{"copied": func(uint64) memory { return newCopied(copying) }}
	add := func(name string, p *pager) {
		im := tinyImage(t, true)
		kinds[name] = func(room uint64) memory {
			m, err := newMapping(im, p, room)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	p := newPager()
	t.Cleanup(p.close)
	add("mapped", p)
	if q := forgetful(); q != nil {
		add("mapped, dropped", q)
	}
	return kinds
}

func TestMemory(t *testing.T) {
	for name, open := range memories(t) {
		t.Run(name, func(t *testing.T) {
			m := open(32 * wasmPage)
			defer m.Free()
			b := m.Reallocate(16 * wasmPage)
			if m.size() != 16*wasmPage || !imageOf(m).equals(b) {
				t.Fatal("it does not start as the image")
			}
			r := rand.New(rand.NewPCG(1, 2))
			for round := range 50 {
				for range r.IntN(200) {
					off := r.IntN(len(b))
					n := min(1+r.IntN(3*4096), len(b)-off)
					if r.IntN(20) == 0 {
						n = min(8*wasmPage, len(b)-off)
					}
					for i := range n {
						b[off+i] = byte(round + i)
					}
				}
				if err := m.restore(); err != nil {
					t.Fatal(err)
				}
				if !imageOf(m).equals(b) {
					t.Fatalf("round %d: it is not the image again", round)
				}
			}
		})
	}
}

func TestMemoryGrows(t *testing.T) {
	for name, open := range memories(t) {
		t.Run(name, func(t *testing.T) {
			m := open(32 * wasmPage)
			defer m.Free()
			b := m.Reallocate(16 * wasmPage)
			b[0] = 7
			m.bound(20 * wasmPage)
			if m.Reallocate(21*wasmPage) != nil || m.Reallocate(1<<40) != nil {
				t.Fatal("it grows over its bound")
			}
			for pages := uint64(17); pages <= 20; pages++ {
				b = m.Reallocate(pages * wasmPage)
				if uint64(len(b)) != pages*wasmPage || uint64(cap(b)) != pages*wasmPage || b[0] != 7 || m.size() != pages*wasmPage {
					t.Fatalf("%d pages: length %d, capacity %d, size %d", pages, len(b), cap(b), m.size())
				}
				if b[len(b)-1] != 0 {
					t.Fatal("new memory is not zero")
				}
				b[len(b)-1] = 1
			}
			if m.Reallocate(21*wasmPage) != nil {
				t.Fatal("it grows over its bound")
			}
		})
	}
}

func TestImageOutOfMemory(t *testing.T) {
	for _, m := range []assets.Manifest{
		{Pages: 1, Extents: []assets.Extent{{Off: wasmPage, Len: 4096}}},
		{Pages: 1, Extents: []assets.Extent{{Off: 0, Len: 4096, At: 4096}}},
		{Pages: 1, Extents: []assets.Extent{{Off: 0, Len: 4096, At: -4096}}},
		{Pages: 2, Extents: []assets.Extent{{Off: wasmPage, Len: 4096}, {Off: 0, Len: 4096}}},
	} {
		if _, err := layOut(&m, make([]byte, 4096)); err == nil {
			t.Errorf("%+v is taken", m.Extents)
		}
	}
}
