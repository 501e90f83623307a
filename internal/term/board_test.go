package term

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func TestAskYes(t *testing.T) {
	in := bufio.NewReader(strings.NewReader("\nmaybe\nn\nyes")) // all questions read on from there
	for i, want := range []bool{true, false, true, false} {
		var out strings.Builder
		got, err := AskYes(t.Context(), in, &out, "Take %d?", i)
		if got != want || err != nil || !strings.HasPrefix(out.String(), fmt.Sprintf("Take %d? [Y/n] ", i)) {
			t.Errorf("question %d: %v, %v: %q", i, got, err, out.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	if _, err := AskYes(ctx, r, io.Discard, "?"); err == nil {
		t.Error("it goes on when it is cancelled")
	}
}

// Elsewhere than on a terminal, only what takes long is told of.
func TestBoardPlain(t *testing.T) {
	s := &screen{}
	b := NewBoard(s)
	b.Set("quick", "starting", false)
	b.Set("slow", "starting", false)
	b.Set("quick", "connected", true)
	time.Sleep(Patience + 300*time.Millisecond)
	b.Set("slow", "listing", false)
	b.Set("slow", "connected", true)
	b.Close()
	b.Set("slow", "again", false)
	if got := s.String(); got != "slow: starting\nslow: connected\n" {
		t.Errorf("%q", got)
	}
}

func TestBoardTerminal(t *testing.T) {
	s := &screen{}
	b := NewBoard(s)
	b.terminal = true
	b.Set("a", "starting", false)
	b.Set("long", "starting\x1b[2J", false)
	b.Close()
	want := "a  starting\n\x1b[1A\r\x1b[Ja     starting\nlong  starting\\x1b[2J\n\x1b[2A\r\x1b[J"
	if got := s.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	many := NewBoard(s)
	many.terminal = true
	for i := range 60 {
		many.Set(fmt.Sprint(i), "x", i%2 == 0)
	}
	if many.drawn != 22 {
		t.Errorf("%d lines", many.drawn)
	}
}
