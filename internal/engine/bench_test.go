package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
)

// forty is a workflow of forty lines, such as an agent writes.
const forty = `import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from statistics import mean

from runlace_types import Ctx, Output, ToolError


@dataclass
class Row:
    name: str
    size: int
    at: datetime


def parse(text: str, start: datetime) -> Row | None:
    match = re.match(r"(?P<name>[a-z ]+)(?P<n>\d+)", text)
    if match is None:
        return None
    return Row(match["name"].strip(), int(match["n"]), start + timedelta(days=int(match["n"])))


def run(ctx: Ctx) -> Output:
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for item in ctx.lab.items(n=10)["items"]:
        row = parse(item["name"], start)
        if row is not None:
            groups[row.name].append(row)
    counts = Counter({name: len(rows) for name, rows in groups.items()})
    total = sum((Decimal(row.size) for rows in groups.values() for row in rows), Decimal(0))
    average = mean([row.size for rows in groups.values() for row in rows] or [0])
    try:
        ctx.lab.note(text=f"{counts.most_common(1)}: {total}, average {average:.1f}")
    except ToolError as e:
        print(e.code)
    return {"n": VERSION}
`

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkCreate compiles and stores another forty lines each time, in an engine that has compiled before.
func BenchmarkCreate(b *testing.B) {
	l := newLab(b, config.Allow)
	l.must("forty", strings.Replace(forty, "VERSION", "0", 1))
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		code := strings.Replace(forty, "VERSION", fmt.Sprint(i%1000), 1) + fmt.Sprintf("\n\nlast = %d\n", i)
		start := time.Now()
		l.must("forty", code)
		took = append(took, time.Since(start))
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms/median")
}

// BenchmarkTenCalls is what a run of ten calls costs besides the calls themselves.
func BenchmarkTenCalls(b *testing.B) {
	l := newLab(b, config.Allow)
	l.must("ten", `from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    total = 0
    for _ in range(10):
        total = ctx.lab.add(a=total, b=1)["sum"]
    return {"n": total}
`)
	var took []time.Duration
	for b.Loop() {
		var tools time.Duration
		start := time.Now()
		r, err := l.Run(context.Background(), engine.Request{Workflow: "ten", Inputs: json.RawMessage("{}"), Observe: func(e engine.Event) { tools += e.Elapsed }})
		if err != nil || !r.OK {
			b.Fatal(err, r)
		}
		took = append(took, time.Since(start)-tools)
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms/median")
}
