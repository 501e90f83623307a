// Package term is the etiquette for output that a person may be watching: what is shown while they wait goes away again,
// and text from a workflow cannot move the cursor or change the terminal's settings.
package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/term"
)

// Patience is how long a step may take before a person is told about it.
const Patience = time.Second

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Progress tells of steps that take long. On a terminal its message is one line that goes away at the end of the step;
// elsewhere it is a plain line, and only one for each step. A step that ends soon is not mentioned at all.
type Progress struct {
	w        io.Writer
	terminal bool
	after    time.Duration

	mu    sync.Mutex
	timer *time.Timer
	shown bool // there is a line to erase
}

// NewProgress returns a Progress that writes to w.
func NewProgress(w io.Writer) *Progress { return &Progress{w: w, terminal: Is(w), after: Patience} }

// Step begins a step, and ends the one before it.
func (p *Progress) Step(message string) {
	p.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	var t *time.Timer
	t = time.AfterFunc(p.after, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer != t {
			return // it ended in the meantime
		}
		if p.terminal {
			_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s ...", message)
			p.shown = true
		} else {
			_, _ = fmt.Fprintf(p.w, "%s\n", message)
		}
	})
	p.timer = t
}

// Done ends the step, and erases its line.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if p.shown {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// Text makes text from a workflow fit for w: on a terminal, characters that would act on it are shown as escapes.
func Text(w io.Writer, s string) string {
	if !Is(w) {
		return s
	}
	return Plain(s)
}

// Plain shows control and formatting characters as escapes, line feeds and tabs aside.
func Plain(s string) string {
	acts := func(c rune) bool {
		return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029')
	}
	if strings.IndexFunc(s, acts) < 0 {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		switch {
		case !acts(c):
			b.WriteRune(c)
		case c < 0x100:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

// Count writes a large number for a person: 1.2 M.
func Count(n int64) string {
	for _, u := range []struct {
		unit float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x := float64(n) / u.unit; x >= 1 {
			return fmt.Sprintf("%.*f %s", decimals(x), x, u.name)
		}
	}
	return fmt.Sprint(n)
}

// Duration writes a time span for a person: 12 ms, 1.2 s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

func decimals(x float64) int {
	if x < 10 {
		return 1
	}
	return 0
}
