package given

import (
	"strconv"
	"strings"
	"time"
)

// Span reads a time span for a flag: as Go writes them (90s, 1h30m), and in days and weeks besides (30d, 2w, 1w12h). It is more than nothing.
func Span(flag, s string) (time.Duration, error) {
	const day, most = 24 * time.Hour, 100 * 365 * 24 * time.Hour
	total, rest := time.Duration(0), s
	for rest != "" {
		i := strings.IndexAny(rest, "dw")
		if i < 0 {
			d, err := time.ParseDuration(rest)
			if err != nil || d < 0 {
				return 0, badSpan(flag, s)
			}
			total, rest = total+d, ""
			break
		}
		n, err := strconv.ParseUint(rest[:i], 10, 16)
		if err != nil {
			return 0, badSpan(flag, s)
		}
		unit := day
		if rest[i] == 'w' {
			unit *= 7
		}
		if time.Duration(n) > (most-total)/unit {
			return 0, badSpan(flag, s)
		}
		total, rest = total+time.Duration(n)*unit, rest[i+1:]
	}
	if total <= 0 || total > most {
		return 0, badSpan(flag, s)
	}
	return total, nil
}

func badSpan(flag, s string) error {
	return OutOfRange(flag, s, "a time span such as 90m, 12h, 30d or 2w")
}

// Since reads a moment in the past for a flag: a time span before now, a date in the zone of now, or a time in RFC 3339.
func Since(flag, s string, now time.Time) (time.Time, error) {
	if d, err := Span(flag, s); err == nil {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, OutOfRange(flag, s, "a time span such as 12h or 30d, a date such as 2026-01-31, or a time such as 2026-01-31T09:30:00Z")
	}
	return t, nil
}
