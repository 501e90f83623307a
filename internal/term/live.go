package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Live shows work that has many steps to a person who watches: a line for each step that is over, and one for what goes on now, which is
// written over. Where nobody watches it writes nothing.
type Live struct {
	w        io.Writer
	terminal bool
	width    int

	mu    sync.Mutex
	shown bool // there is a line to erase
}

// NewLive returns a Live that writes to w.
func NewLive(w io.Writer) *Live {
	l := &Live{w: w, terminal: Is(w), width: 80}
	if f, ok := w.(*os.File); ok && l.terminal {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			l.width = width
		}
	}
	return l
}

// Now shows what goes on. It is cut to the width of the terminal, since a line that wraps could not be erased.
func (l *Live) Now(format string, args ...any) {
	if l.terminal {
		text := []rune(strings.ReplaceAll(Plain(fmt.Sprintf(format, args...)), "\n", " "))
		l.write(string(text[:min(len(text), max(l.width-1, 1))]), true)
	}
}

// Line shows a step that is over.
func (l *Live) Line(format string, args ...any) {
	if l.terminal {
		l.write(Plain(fmt.Sprintf(format, args...))+"\n", false)
	}
}

// Done erases what goes on.
func (l *Live) Done() {
	if l.terminal {
		l.write("", false)
	}
}

func (l *Live) write(text string, shown bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		text = "\r\x1b[K" + text
	}
	l.shown = shown
	_, _ = io.WriteString(l.w, text)
}
