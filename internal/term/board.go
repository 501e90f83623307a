package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Board tells of several things that go on at once. On a terminal each has a line, and all lines go away at the end; elsewhere one
// that takes long gets a plain line when that is clear, and another when it is over.
type Board struct {
	w        io.Writer
	terminal bool

	mu     sync.Mutex
	keys   []string // in the order of their first mention
	lines  map[string]*boardLine
	drawn  int // lines on the terminal
	closed bool
}

type boardLine struct {
	text  string
	over  bool
	told  bool // elsewhere than on a terminal
	timer *time.Timer
}

// NewBoard returns a Board that writes to w.
func NewBoard(w io.Writer) *Board {
	return &Board{w: w, terminal: Is(w), lines: map[string]*boardLine{}}
}

// Set says how it is with key. With over nothing more will be said of it.
func (b *Board) Set(key, text string, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	l := b.lines[key]
	if l == nil {
		l = &boardLine{}
		b.lines[key] = l
		b.keys = append(b.keys, key)
		if !b.terminal {
			l.timer = time.AfterFunc(Patience, func() {
				b.mu.Lock()
				defer b.mu.Unlock()
				if !b.closed && !l.over {
					l.told = true
					b.plain(key, l.text)
				}
			})
		}
	}
	l.text, l.over = text, over
	if b.terminal {
		b.draw()
	} else if over && l.told {
		b.plain(key, text)
	}
}

// Close takes the lines away.
func (b *Board) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, l := range b.lines {
		if l.timer != nil {
			l.timer.Stop()
		}
	}
	b.erase()
}

func (b *Board) plain(key, text string) { _, _ = fmt.Fprintf(b.w, "%s: %s\n", key, text) }

func (b *Board) erase() {
	if b.drawn > 0 {
		_, _ = fmt.Fprintf(b.w, "\x1b[%dA\r\x1b[J", b.drawn)
		b.drawn = 0
	}
}

// draw shows what fits, and what is not over before what is.
func (b *Board) draw() {
	width, height := 80, 24
	if f, ok := b.w.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 10 && h > 2 {
			width, height = w, h
		}
	}
	longest, most := 0, max(1, height-2)
	for _, k := range b.keys {
		longest = max(longest, len([]rune(k)))
	}
	shown := b.keys
	for pass := 0; len(shown) > most && pass < 2; pass++ {
		shown = nil
		for _, k := range b.keys {
			if !b.lines[k].over && len(shown) < most {
				shown = append(shown, k)
			}
		}
	}
	var s strings.Builder
	for _, k := range shown {
		line := []rune(fmt.Sprintf("%-*s  %s", min(longest, 40), Plain(k), strings.Join(strings.Fields(Plain(b.lines[k].text)), " ")))
		if len(line) >= width {
			line = append(line[:width-2], '…')
		}
		s.WriteString(string(line) + "\n")
	}
	b.erase()
	_, _ = io.WriteString(b.w, s.String())
	b.drawn = len(shown)
}
