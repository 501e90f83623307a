package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

const rowSmallCall = "round trip, 16 B each way"

// hostCalls measures host calls: from one arrival at the host to the next, while a workflow sends back what it was answered.
// That is everything but the tool: encoding, crossing, decoding, on both sides and both ways.
func (b *bench) hostCalls() error {
	p, err := b.compile(b.engine, b.testdata("workflows", "echo.py"))
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name  string
		size  int
		calls int
	}{
		{rowSmallCall, 16, b.samples(5000, 1000)},
		{"round trip, 1 KB each way", 1000, b.samples(5000, 1000)},
		{"round trip, 100 KB each way", 100_000, b.samples(500, 100)},
	} {
		trips, err := b.roundTrips(p, s.size, s.calls)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.report.times("host", s.name, trips)
	}
	return nil
}

func (b *bench) roundTrips(p *runtime.Program, size, calls int) (trips samples, err error) {
	var last time.Time
	host := func(_ context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
		now := time.Now()
		if c.Seq > calls/10 { // warmed up
			trips = append(trips, now.Sub(last).Seconds())
		}
		last = now
		var arguments struct{ Text json.RawMessage }
		err := json.Unmarshal(c.Arguments, &arguments)
		return hostfuncs.Answer{Value: arguments.Text}, err
	}
	inputs, err := json.Marshal(map[string]int{"size": size, "calls": calls + calls/10})
	if err != nil {
		return nil, err
	}
	out, err := b.output(b.engine, p, runtime.Job{Inputs: inputs, Host: host})
	if err == nil && string(out) != fmt.Sprint(size) {
		err = fmt.Errorf("%d bytes came back as %s", size, out)
	}
	return trips, err
}
