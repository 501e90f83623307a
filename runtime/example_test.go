package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

// A workflow asks a tool for the weather. The program, not the workflow, decides what that is.
func Example() {
	ctx := context.Background()
	engine, err := runtime.Open(ctx, runtime.Config{Progress: func(message string) { log.Print(message) }})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	program, err := engine.Compile(ctx, `
def run(ctx):
    w = ctx.weather.today(city=ctx.inputs["city"])
    print("asked for", ctx.inputs["city"])
    return w["celsius"] * 9 / 5 + 32
`, runtime.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := engine.Run(ctx, program, runtime.Job{
		Inputs: json.RawMessage(`{"city": "Oslo"}`),
		Seed:   1,
		At:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Limits: runtime.Limits{Fuel: 1_000_000_000, Timeout: time.Minute},
		Host: func(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
			return hostfuncs.Answer{Value: json.RawMessage(`{"celsius": -4}`), Elapsed: 80 * time.Millisecond}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if result.Err != nil {
		log.Fatalf("line %d: %v\n%s", result.Err.Line, result.Err, result.Err.Traceback)
	}
	fmt.Printf("%s after %v and %d units of fuel\n", result.Output, result.Elapsed, result.Fuel)
}
