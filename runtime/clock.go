package runtime

import (
	"math"
	"time"
)

// clock is a run's own time.
type clock struct {
	at      int64 // nanoseconds since the Unix epoch at the start
	mono    int64 // the monotonic clock at the start
	elapsed int64
}

// advance moves the clock. It stops short of what 64 bits hold.
func (c *clock) advance(d int64) {
	room := math.MaxInt64 - max(c.at, c.mono) - c.elapsed
	c.elapsed += max(0, min(d, room))
}

// atNanoseconds checks Job.At: WASI has unsigned nanoseconds, and Go signed ones.
func atNanoseconds(at time.Time) (int64, error) {
	if at.IsZero() {
		return 0, nil
	}
	if at.Unix() < 0 || at.Year() > 2260 {
		return 0, &LimitError{Field: "At", Value: at.Unix(), Min: 0, Max: time.Date(2260, 12, 31, 0, 0, 0, 0, time.UTC).Unix()}
	}
	return at.UnixNano(), nil
}
