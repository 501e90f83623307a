package execfile

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/runtime"
)

// The command line's scripts test what exec does. Here is what they cannot reach.

func TestUnreadableInput(t *testing.T) {
	o := Defaults()
	o.File, o.Stdin = "-", iotest.ErrReader(errors.New("odd"))
	_, err := Run(context.Background(), o)
	if e := fault.Of(err); e.Code != "unreadable-file" || e.Detail != "odd" {
		t.Errorf("%+v", e)
	}
}

func TestCancelledAtTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := Defaults()
	o.File, o.Stdin = "-", strings.NewReader("def run(ctx): pass")
	_, err := Run(ctx, o)
	if e := fault.Of(err); e.Code != "cancelled" || e.Exit != fault.ExitInterrupted {
		t.Errorf("%+v", e)
	}
}

func TestDefaults(t *testing.T) {
	o, l := Defaults(), runtime.Defaults()
	if o.Fuel != l.Fuel || o.MemoryMiB<<20 != l.MemoryBytes || o.Timeout != l.Timeout {
		t.Errorf("%+v", o)
	}
	// A random seed has 53 bits, so that every reader of JSON keeps it.
	for range 100 {
		job, err := o.job()
		if err != nil || job.Seed >= 1<<53 || job.At.Nanosecond()%1e6 != 0 {
			t.Fatalf("%+v, %v", job, err)
		}
	}
}

func TestHint(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`{"code":"no-connector"}`, "no-connector"},
		{`{"code":"result-too-large","data":null}`, "result-too-large"},
		{`{"code":"cpu-limit"}`, "tool-error"}, // not one that a call can end with
		{`{"code":"not-found"}`, "tool-error"},
		{`{"code":null}`, "tool-error"},
		{`[]`, "tool-error"},
		{``, "tool-error"},
	} {
		e := &runtime.Error{Code: "tool-error"}
		if c.data != "" {
			e.Data = json.RawMessage(c.data)
		}
		want, _ := fault.Lookup(c.want)
		if got := hint(e); got != want.Hint {
			t.Errorf("%s: %s", c.data, got)
		}
	}
}

// What would act on a terminal is escaped; the value is the same.
func TestIndentEscapes(t *testing.T) {
	in := `["31m","","‮","é☃"]`
	got := Indent(json.RawMessage(in))
	if want := "[\n  \"\\u009b31m\",\n  \"\\u007f\",\n  \"\\u202e\",\n  \"é☃\"\n]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestIndent(t *testing.T) {
	const in = `{"z":1.50,"a":[12345678901234567890,{}],"<":"\u2028&"}`
	const want = "{\n  \"z\": 1.50,\n  \"a\": [\n    12345678901234567890,\n    {}\n  ],\n  \"<\": \"\\u2028&\"\n}"
	if got := Indent(json.RawMessage(in)); got != want {
		t.Errorf("got %s", got)
	}
}
