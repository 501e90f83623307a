package hostfuncs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// memory is a guest's memory.
type memory []byte

func (m memory) Read(off, n uint32) ([]byte, bool) {
	if uint64(off)+uint64(n) > uint64(len(m)) {
		return nil, false
	}
	return m[off : off+n], true
}

func (m memory) Write(off uint32, b []byte) bool {
	v, ok := m.Read(off, uint32(len(b)))
	copy(v, b)
	return ok
}

// machine has a hundred million units of fuel.
type machine struct {
	used        int64
	elapsed     time.Duration
	interrupted error
}

var errFuel = errors.New("out of fuel")

func (m *machine) Charge(n int64) error {
	if m.used += n; m.used > 100_000_000 {
		return errFuel
	}
	return nil
}
func (m *machine) OutOfFuel() error        { return errFuel }
func (m *machine) Interrupted() error      { return m.interrupted }
func (m *machine) Advance(d time.Duration) { m.elapsed += d }
func (m *machine) Elapsed() time.Duration  { return m.elapsed }
func (m *machine) Line() int               { return 7 }

// guest is everything that a function works on.
type guest struct {
	*Session
	memory
	machine *machine
}

func newGuest(h Host) *guest {
	m := &machine{}
	return &guest{&Session{Context: context.Background(), Host: h, Machine: m, Caps: Caps{
		Calls: 100, ArgumentBytes: 1000, ResultBytes: 1000, LogBytes: 100, CallTimeout: time.Minute,
	}}, make(memory, 65536), m}
}

func (g *guest) call(t *testing.T, name string, args ...uint32) (int32, error) {
	t.Helper()
	for _, f := range Table() {
		if f.Name == name {
			return f.Call(g.Session, g, args)
		}
	}
	t.Fatalf("no function %s", name)
	return 0, nil
}

// ask makes a call as a guest would, and returns the status or the answer.
func (g *guest) ask(t *testing.T, name, request string) (int32, string) {
	t.Helper()
	copy(g.memory, request)
	n, err := g.call(t, name, 0, uint32(len(request)))
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	if n < 0 {
		return n, ""
	}
	got, err := g.call(t, "read_answer", 32768, uint32(n))
	if err != nil || got != n {
		t.Fatalf("read_answer: %d, %v, want %d", got, err, n)
	}
	return n, string(g.memory[32768 : 32768+n])
}

func answer(a Answer) Host {
	return func(context.Context, Call) (Answer, error) { return a, nil }
}

func TestCallTool(t *testing.T) {
	var got Call
	g := newGuest(func(_ context.Context, c Call) (Answer, error) {
		if c.Line() != 7 {
			t.Errorf("line %d", c.Line())
		}
		got = c
		return Answer{Value: json.RawMessage(` {"n": 12345678901234567890.10} `), Elapsed: time.Second}, nil
	})
	_, a := g.ask(t, "call_tool", `{"connector":"c","tool":"a b","arguments":{"x": 1.50}}`)
	if a != `{"value":{"n":12345678901234567890.10}}` {
		t.Errorf("answer %s", a)
	}
	if got.Connector != "c" || got.Tool != "a b" || string(got.Arguments) != `{"x": 1.50}` || got.Seq != 1 || got.IsModel() {
		t.Errorf("call %+v", got)
	}
	if got.Line() != 0 {
		t.Error("the line is told after the call")
	}
	if g.machine.elapsed != time.Second || g.Calls() != 1 || g.machine.used == 0 {
		t.Errorf("elapsed %v, calls %d, fuel %d", g.machine.elapsed, g.Calls(), g.machine.used)
	}
}

func TestAskModel(t *testing.T) {
	var got Call
	g := newGuest(func(_ context.Context, c Call) (Answer, error) {
		got = c
		return Answer{Value: json.RawMessage(`"hi"`), Elapsed: -time.Second}, nil
	})
	request := `{"system":"s","user":"u","schema":{"type":"string"}}`
	if _, a := g.ask(t, "ask_model", request); a != `{"value":"hi"}` {
		t.Errorf("answer %s", a)
	}
	if !got.IsModel() || string(got.Arguments) != request || g.machine.elapsed != 0 {
		t.Errorf("call %+v, elapsed %v", got, g.machine.elapsed)
	}
}

func TestReadMedia(t *testing.T) {
	var got Call
	g := newGuest(func(_ context.Context, c Call) (Answer, error) {
		got = c
		return Answer{Value: json.RawMessage(`{"size":4}`), Bytes: []byte("\x00\xff{}")}, nil
	})
	if _, a := g.ask(t, "read_media", `{"handle":"h"}`); a != "\x00\x00\xff{}" {
		t.Errorf("answer %q", a)
	}
	if !got.Media || got.IsModel() || string(got.Arguments) != `{"handle":"h"}` || g.Calls() != 1 {
		t.Errorf("call %+v, %d calls", got, g.Calls())
	}
	for _, c := range []struct {
		name string
		host Host
		want string
	}{
		{"empty", answer(Answer{Bytes: []byte{}}), "\x00"},
		{"error", answer(Answer{Err: &Error{Code: "c", Message: "m"}}), `{"error":{"code":"c","message":"m"}}`},
		{"too large", answer(Answer{Bytes: make([]byte, 1001)}), `{"error":{"code":"result-too-large","message":"the answer has 1001 bytes, and the limit is 1000"}}`},
		{"no host", nil, `{"error":{"code":"no-connector","message":"cannot read media: this run was started without connectors"}}`},
	} {
		if _, a := newGuest(c.host).ask(t, "read_media", `{"handle":""}`); a != c.want {
			t.Errorf("%s: %q", c.name, a)
		}
	}
}

func TestMalformedRequests(t *testing.T) {
	g := newGuest(answer(Answer{Value: json.RawMessage(`1`)}))
	for name, requests := range map[string][]string{
		"call_tool": {
			``, ` `, `null`, `[]`, `"x"`, `{`, `{}`, `{"connector":"c","tool":"t"}`, `{"connector":"c","tool":"t","arguments":[]}`,
			`{"connector":"c","tool":"t","arguments":null}`, `{"connector":"","tool":"t","arguments":{}}`, `{"connector":"c","tool":"","arguments":{}}`,
			`{"connector":1,"tool":"t","arguments":{}}`, `{"Connector":"c","tool":"t","arguments":{}}`,
			`{"connector":"c","tool":"t","arguments":{},"x":1}`, `{"connector":"c","tool":"t","tool":"u","arguments":{}}`,
			`{"connector":"c","tool":"t","arguments":{}} {}`, `{"connector":"c","tool":"t","arguments":{}}x`,
			"{\"connector\":\"\xff\",\"tool\":\"t\",\"arguments\":{}}", `{"connector":"c","tool":"t","arguments":{]}`,
			`{"connector":"c","tool":"t","arguments":` + strings.Repeat(`{"a":`, 100) + `}`,
		},
		"read_media": {``, `{}`, `"x"`, `{"handle":1}`, `{"handle":null}`, `{"handle":"h","tool":"t"}`, `{"handle":"h","handle":"h"}`, "{\"handle\":\"\xff\"}"},
		"ask_model":  {`{}`, `{"system":"s"}`, `{"system":"s","user":1}`, `{"system":"s","user":"u","schema":1}`, `{"system":"s","user":"u","tool":"t"}`},
	} {
		for _, r := range requests {
			if n, _ := g.ask(t, name, r); n != StatusMalformed {
				t.Errorf("%s %q: %d", name, r, n)
			}
		}
	}
	if g.Calls() != 34 {
		t.Errorf("%d calls counted", g.Calls())
	}
}

func TestPointersThatLie(t *testing.T) {
	g := newGuest(answer(Answer{Value: json.RawMessage(`1`)}))
	for _, c := range []struct {
		name   string
		args   []uint32
		status int32
	}{
		{"call_tool", []uint32{65530, 100}, StatusBadPointer},
		{"call_tool", []uint32{0xffffffff, 100}, StatusBadPointer},
		{"call_tool", []uint32{0xffffffff, 0xffffffff}, StatusTooLarge},
		{"ask_model", []uint32{0, 1001}, StatusTooLarge},
		{"read_answer", []uint32{0, 100}, StatusNoAnswer},
		{"write_log", []uint32{1, 65530, 100}, 0},
		{"write_log", []uint32{1, 0, 0xffffffff}, 0},
		{"write_log", []uint32{3, 0, 1}, 0},
	} {
		if n, err := g.call(t, c.name, c.args...); n != c.status || err != nil {
			t.Errorf("%s %v: %d, %v, want %d", c.name, c.args, n, err, c.status)
		}
	}
	if g.Logged() != "" {
		t.Errorf("log %q", g.Logged())
	}
}

func TestReadAnswer(t *testing.T) {
	g := newGuest(answer(Answer{Value: json.RawMessage(`1`)}))
	request := `{"connector":"c","tool":"t","arguments":{}}`
	copy(g.memory, request)
	n, err := g.call(t, "call_tool", 0, uint32(len(request)))
	if err != nil || n != 11 {
		t.Fatal(n, err)
	}
	for _, c := range []struct {
		args   []uint32
		status int32
	}{
		{[]uint32{0, 10}, StatusNoAnswer}, // too small: it goes on waiting
		{[]uint32{65530, 11}, StatusBadPointer},
		{[]uint32{0, 0xffffffff}, 11},
		{[]uint32{0, 11}, StatusNoAnswer},
	} {
		if n, err := g.call(t, "read_answer", c.args...); n != c.status || err != nil {
			t.Errorf("read_answer %v: %d, %v, want %d", c.args, n, err, c.status)
		}
	}
}

func TestErrorsAsValues(t *testing.T) {
	long := strings.Repeat("x", 1001)
	for _, c := range []struct {
		name string
		host Host
		want string // a prefix
	}{
		{"error", answer(Answer{Err: &Error{Code: "c", Message: "m", Data: json.RawMessage(`{"a": 1}`)}}), `{"error":{"code":"c","message":"m","data":{"a":1}}}`},
		{"error of a tool", answer(Answer{Err: &Error{Code: "c", Message: "m", Tool: "a/b c"}}), `{"error":{"code":"c","message":"m","tool":"a/b c"}}`},
		{"error without data", answer(Answer{Err: &Error{Code: "c", Message: "m"}}), `{"error":{"code":"c","message":"m"}}`},
		{"no host", nil, `{"error":{"code":"no-connector","message":"cannot call c.t`},
		{"nothing", answer(Answer{}), `{"error":{"code":"result-invalid"`},
		{"not JSON", answer(Answer{Value: json.RawMessage(`{"a":}`)}), `{"error":{"code":"result-invalid"`},
		{"two values", answer(Answer{Value: json.RawMessage(`1 2`)}), `{"error":{"code":"result-invalid"`},
		{"data not JSON", answer(Answer{Err: &Error{Code: "c", Data: json.RawMessage(`nope`)}}), `{"error":{"code":"result-invalid"`},
		{"too large", answer(Answer{Value: json.RawMessage(`"` + long + `"`)}), `{"error":{"code":"result-too-large","message":"the answer has 1003 bytes, and the limit is 1000"}}`},
		{"error too large", answer(Answer{Err: &Error{Code: "c", Message: long + long}}), `{"error":{"code":"result-too-large"`},
		{"not UTF-8", answer(Answer{Value: json.RawMessage("\"\xff\"")}), "{\"value\":\"\uFFFD\"}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, a := newGuest(c.host).ask(t, "call_tool", `{"connector":"c","tool":"t","arguments":{}}`)
			if !strings.HasPrefix(a, c.want) || !json.Valid([]byte(a)) {
				t.Errorf("got %s, want %s…", a, c.want)
			}
		})
	}
}

func TestEndOfRun(t *testing.T) {
	park := errors.New("parked")
	request := `{"connector":"c","tool":"t","arguments":{}}`
	for _, c := range []struct {
		name string
		host Host
		set  func(g *guest)
		want func(error) bool
	}{
		{"host", func(context.Context, Call) (Answer, error) { return Answer{}, park }, nil, func(err error) bool { return errors.Is(err, park) }},
		{"panic", func(context.Context, Call) (Answer, error) { panic("oops") }, nil, func(err error) bool {
			var p *PanicError
			return errors.As(err, &p) && p.Value == "oops" && strings.Contains(string(p.Stack), "hostfuncs_test")
		}},
		{"call limit", answer(Answer{}), func(g *guest) { g.calls = 100 }, func(err error) bool {
			var s *Stop
			return errors.As(err, &s) && s.Code == CodeCallLimit
		}},
		{"fuel", answer(Answer{}), func(g *guest) { g.machine.used = 100_000_000 }, func(err error) bool { return errors.Is(err, errFuel) }},
		// Its own reason goes before what the host made of it.
		{"interrupted", func(context.Context, Call) (Answer, error) { return Answer{}, context.Canceled }, func(g *guest) { g.machine.interrupted = park },
			func(err error) bool { return errors.Is(err, park) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGuest(c.host)
			if c.set != nil {
				c.set(g)
			}
			copy(g.memory, request)
			if _, err := g.call(t, "call_tool", 0, uint32(len(request))); !c.want(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCallTimeout(t *testing.T) {
	g := newGuest(func(ctx context.Context, _ Call) (Answer, error) {
		<-ctx.Done()
		why := context.Cause(ctx)
		return Answer{Err: &Error{Code: "slow", Message: fmt.Sprint(ctx.Err(), why, errors.Is(why, context.DeadlineExceeded))}}, nil
	})
	g.Caps.CallTimeout = time.Millisecond
	if _, a := g.ask(t, "call_tool", `{"connector":"c","tool":"t","arguments":{}}`); !strings.Contains(a, "deadline") || !strings.Contains(a, "(call_timeout) was over true") {
		t.Errorf("answer %s", a)
	}
}

func TestLogLimit(t *testing.T) {
	g := newGuest(nil)
	copy(g.memory, strings.Repeat("é", 60))
	if _, err := g.call(t, "write_log", 2, 0, 51); err != nil { // cuts a character, the next call completes it
		t.Fatal(err)
	}
	var s *Stop
	if _, err := g.call(t, "write_log", 1, 51, 60); !errors.As(err, &s) || s.Code != CodeLogLimit {
		t.Fatalf("got %v", err)
	}
	if want := strings.Repeat("é", 50); g.Logged() != want {
		t.Errorf("log %q", g.Logged())
	}
	g.Caps.LogBytes = 99
	g.log = g.log[:99]
	if want := strings.Repeat("é", 49); g.Logged() != want {
		t.Errorf("log %q", g.Logged())
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Table() {
		if f.Doc == "" || f.call == nil || seen[f.Name] || len(f.Params) > 4 {
			t.Errorf("row %q is not complete", f.Name)
		}
		seen[f.Name] = true
		if _, err := f.Call(&Session{}, nil, make([]uint32, len(f.Params)+1)); err == nil {
			t.Errorf("%s takes any number of parameters", f.Name)
		}
	}
	for _, name := range []string{"call_tool", "ask_model", "read_media", "read_answer", "write_log", "out_of_fuel"} {
		if !seen[name] {
			t.Errorf("no %s", name)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"connector":"c","tool":"t","arguments":{"a":[1,"\ud800"]}}`))
	f.Add([]byte(`{"system":"s","user":"u","schema":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := decodeCallTool(b); err == nil && (c.IsModel() || !json.Valid(c.Arguments)) {
			t.Errorf("%q: %+v", b, c)
		}
		if c, err := decodeReadMedia(b); err == nil && (!c.Media || !json.Valid(c.Arguments)) {
			t.Errorf("%q: %+v", b, c)
		}
		if c, err := decodeAskModel(b); err == nil && (!c.IsModel() || !json.Valid(c.Arguments)) {
			t.Errorf("%q: %+v", b, c)
		}
	})
}
