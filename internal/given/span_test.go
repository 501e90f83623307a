package given

import (
	"strings"
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "30d": 30 * day, "2w": 14 * day, "1w2d12h": 9*day + 12*time.Hour, "1d1d": 2 * day,
	} {
		if got, err := Span("--older-than", s); got != want || err != nil {
			t.Errorf("%s is %v, want %v: %v", s, got, want, err)
		}
	}
	for _, s := range []string{"", "0", "0d", "-1h", "-1d", "30", "d", "1.5d", "30 d", "12h1d", "99999w", "65535w", "1d-1h", "never"} {
		if got, err := Span("--older-than", s); err == nil || !strings.Contains(err.Error(), "--older-than is "+s) {
			t.Errorf("%q is %v, %v", s, got, err)
		}
	}
}

func TestSince(t *testing.T) {
	zone := time.FixedZone("east", 2*3600)
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, zone)
	for s, want := range map[string]time.Time{
		"2d":                   now.Add(-48 * time.Hour),
		"2026-03-01":           time.Date(2026, 3, 1, 0, 0, 0, 0, zone),
		"2026-03-01T10:00:00Z": time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
	} {
		if got, err := Since("--since", s, now); !got.Equal(want) || err != nil {
			t.Errorf("%s is %v, want %v: %v", s, got, want, err)
		}
	}
	for _, s := range []string{"", "yesterday", "2026-13-01", "2026-03-01 10:00"} {
		if got, err := Since("--since", s, now); err == nil {
			t.Errorf("%q is %v", s, got)
		}
	}
}
