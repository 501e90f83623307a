package term

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a writer for two goroutines.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *screen) await(t *testing.T, text string) {
	for range 1000 {
		if strings.Contains(s.String(), text) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%q does not come: %q", text, s.String())
}

func TestProgressOnTerminal(t *testing.T) {
	s := &screen{}
	p := &Progress{w: s, terminal: true, after: time.Millisecond}
	p.Step("one")
	s.await(t, "one ...")
	p.Step("two")
	s.await(t, "two ...")
	p.Done()
	p.Done()
	const line = "\r\x1b[K"
	if got, want := s.String(), line+"one ..."+line+line+"two ..."+line; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgressElsewhere(t *testing.T) {
	s := &screen{}
	p := &Progress{w: s, after: time.Millisecond}
	p.Step("one")
	s.await(t, "one\n")
	p.Done()
	time.Sleep(5 * time.Millisecond)
	if s.String() != "one\n" {
		t.Errorf("%q", s.String())
	}
}

func TestProgressOfShortStep(t *testing.T) {
	s := &screen{}
	p := &Progress{w: s, terminal: true, after: 20 * time.Millisecond}
	p.Step("one")
	p.Done()
	time.Sleep(40 * time.Millisecond)
	if s.String() != "" {
		t.Errorf("%q", s.String())
	}
	if Is(s) || NewProgress(s).terminal {
		t.Error("this is no terminal")
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain\n\ttext ä 😀":        "plain\n\ttext ä 😀",
		"\x1b[31mred":              `\x1b[31mred`,
		"\x1b]0;title\x07":         `\x1b]0;title\x07`,
		"over\rwritten\b":          `over\x0dwritten\x08`,
		"\u009b31m":                `\x9b31m`,
		"a\u202eb\u2066c\u2028d":   `a\u202eb\u2066c\u2028d`,
		"\x00\x7f":                 `\x00\x7f`,
		"half \xff of a character": "half \uFFFD of a character",
	} {
		if strings.Contains(in, "\xff") {
			in += "\x1b"
			want += `\x1b`
		}
		if got := Plain(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if s := "\x1b[31m"; Text(&bytes.Buffer{}, s) != s {
		t.Error("what is not a terminal gets the text as it is")
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1.0 k", 1_234_567: "1.2 M", 12_345_678: "12 M", 20_000_000_000: "20 G", 3_000_000_000_000: "3.0 T",
	} {
		if got := Count(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0 ms", 340 * time.Microsecond: "0.3 ms", 12*time.Millisecond + 9: "12 ms", 1250 * time.Millisecond: "1.2 s", 3 * time.Minute: "180.0 s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is %s, want %s", time.Duration(d), got, want)
		}
	}
}

func TestLive(t *testing.T) {
	s := &screen{}
	l := &Live{w: s, terminal: true, width: 8}
	l.Now("one step too long")
	l.Line("one done\x1b")
	l.Now("two")
	l.Done()
	l.Done()
	const line = "\r\x1b[K"
	if got, want := s.String(), "one ste"+line+"one done\\x1b\ntwo"+line; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	quiet := &screen{}
	l = NewLive(quiet)
	l.Now("one")
	l.Line("one")
	l.Done()
	if quiet.String() != "" {
		t.Errorf("%q", quiet.String())
	}
}

func TestAsk(t *testing.T) {
	for in, want := range map[string]bool{"y\n": true, "Yes\n": true, "n\n": false, "\n": false, "": false, "what\ny\n": true, "y": true} {
		s := &screen{}
		got, err := Ask(t.Context(), strings.NewReader(in), s, "Delete %s?", "it")
		if err != nil || got != want || !strings.HasPrefix(s.String(), "Delete it? [y/N] ") {
			t.Errorf("%q: %v, %v, %q", in, got, err, s.String())
		}
	}
}
