package connector

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
)

const (
	keptLines   = 100     // of standard error, at least; up to twice as many
	errorLines  = 10      // of those, in an error
	longestLine = 1 << 10 // a longer line is cut
	longestRead = 8 << 10 // of a line that has no end, this much is looked at; longer than longestLine so that a secret at the cut is whole
)

// ring keeps the last lines of what a server says on the side.
type ring struct {
	redact *Redactor
	tell   func(line string) // may be nil

	mu    sync.Mutex
	lines []string // oldest first
	count int64    // all lines ever
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)`)

func (r *ring) add(line string) {
	line = strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "�")
	if strings.Contains(line, "\x1b") {
		line = escapes.ReplaceAllString(line, "")
	}
	line = r.redact.String(line)
	if len(line) > longestLine {
		line = strings.ToValidUTF8(line[:longestLine], "") + "…"
	}
	r.mu.Lock()
	r.count++
	if strings.TrimSpace(line) != "" {
		if len(r.lines) == 2*keptLines {
			r.lines = r.lines[:copy(r.lines, r.lines[keptLines:])]
		}
		r.lines = append(r.lines, line)
	}
	r.mu.Unlock()
	if r.tell != nil {
		r.tell(line)
	}
}

// last returns up to n lines, oldest first.
func (r *ring) last(n int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines[max(0, len(r.lines)-n):]...)
}

// drain reads until the end, so that the writer never has to wait, however much it writes.
func (r *ring) drain(from io.Reader) {
	b := bufio.NewReaderSize(from, longestRead)
	skip := false // the rest of a line that was too long
	for {
		line, err := b.ReadSlice('\n')
		if !skip && len(line) > 0 {
			r.add(string(line))
		}
		skip = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !skip {
			return
		}
	}
}
