package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/fault"
)

func TestMain(m *testing.M) {
	if os.Getenv("RUNLACE_TEST_OWNER") != "" {
		owner()
		return
	}
	connectortest.Main(m)
}

func open1(t *testing.T, c config.Connector, o Options) *Session {
	t.Helper()
	s, err := Open(t.Context(), c, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, fault.Of(err).Detail)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func call(t *testing.T, s *Session, tool, arguments string) Result {
	t.Helper()
	r, err := s.Call(t.Context(), tool, json.RawMessage(arguments))
	if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, fault.Of(err).Detail)
	}
	return r
}

// said is the text of a result that is one text.
func said(t *testing.T, r Result) string {
	t.Helper()
	var b struct{ Type, Text string }
	if len(r.Content) != 1 || json.Unmarshal(r.Content[0], &b) != nil || b.Type != "text" {
		t.Fatalf("not one text: %s", r.Content)
	}
	return b.Text
}

func failure(t *testing.T, err error, code string, outcome Outcome) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not an *Error; want %s", err, code)
	}
	if e.Fault.Code != code || e.Outcome != outcome {
		t.Fatalf("%s (%s): %v; want %s (%s)", e.Fault.Code, e.Outcome, e, code, outcome)
	}
	return e
}

func names(tools []Tool) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return all
}

func TestFixture(t *testing.T) {
	connectortest.NoLeaks(t)
	acts := filepath.Join(t.TempDir(), "acts")
	s := open1(t, connectortest.Fixture(t, "-acts", acts), Options{})
	if s.Server().Name != "fixture" || s.Server().Protocol != legacyProtocol || s.Server().Instructions != "For tests." {
		t.Errorf("%+v", s.Server())
	}
	l, err := s.List(t.Context())
	if err != nil || len(l.Problems) > 0 || l.Pages != 1 {
		t.Fatal(l, err)
	}
	i := slices.IndexFunc(l.Tools, func(x Tool) bool { return x.Name == "note" })
	note := l.Tools[i]
	if *note.Annotations.ReadOnly || *note.Annotations.Destructive || note.OutputSchema == nil || note.Description == "" {
		t.Errorf("%+v", note)
	}
	bare := l.Tools[slices.Index(names(l.Tools), "bare")]
	if bare.Annotations != (Annotations{}) || bare.OutputSchema != nil {
		t.Errorf("%+v", bare)
	}
	for i := range 3 {
		call(t, s, "note", fmt.Sprintf(`{"text": "act %d"}`, i))
	}
	if r := call(t, s, "count", `{}`); string(r.Structured) != `{"count":3}` {
		t.Errorf("%s", r.Structured)
	}
	if r := call(t, s, "count", ``); string(r.Structured) != `{"count":3}` {
		t.Errorf("%s", r.Structured)
	}
	if lines, _ := os.ReadFile(acts); strings.Count(string(lines), "\n") != 3 || !strings.Contains(string(lines), "act 2") {
		t.Errorf("%s", lines)
	}
	_ = s.Close()
	_ = s.Close()
	_, err = s.Call(t.Context(), "note", nil)
	failure(t, err, CodeLost, NotSent)
}

// Arguments and results are not touched, digit for digit and key for key.
func TestValuesAreExact(t *testing.T) {
	connectortest.NoLeaks(t)
	s := open1(t, connectortest.Fixture(t), Options{})
	for _, v := range []string{
		`1915883588174806058`, `-0.0`, `1.0`, `1e400`, `123456789012345678901234567890.12345678901234567890`,
		`"<a href=\"x\">&amp;</a>"`, `"é 😀 \u0000"`, `null`, `false`, `[]`, `{"b":1,"a":2,"b":3}`, `{"":{"$ref":"#"}}`,
		strings.Repeat("[", 3000) + strings.Repeat("]", 3000),
	} {
		r := call(t, s, "echo", `{"value":`+v+`}`)
		if got := string(r.Structured); got != `{"value":`+v+`}` {
			t.Errorf("%s came back as %s", short(v), short(got))
		}
		if len(v) < 100 && said(t, r) != v {
			t.Errorf("%s came back as %s", v, said(t, r))
		}
	}
	const arguments = `{ "a" : 1.50,  "b":"<&> 😀", "c": [ 10000000000000000000000001 ] }`
	if line := said(t, call(t, s, "received", arguments)); !strings.Contains(line, `"arguments":`+arguments+`,"name"`) {
		t.Errorf("sent as %s", line)
	}
	if line := said(t, call(t, s, "received", "{\n\t\"a\": \"x\\ny\"\r\n}")); !strings.Contains(line, `"arguments":{	"a": "x\ny"},"name"`) {
		t.Errorf("sent as %s", line)
	}
	if line := said(t, call(t, s, "received", `{}`)); !strings.Contains(line, `"progressToken"`) {
		t.Errorf("no progress token: %s", line)
	}
	_, err := s.Call(t.Context(), "echo", json.RawMessage(`[1]`))
	failure(t, err, "internal", NotSent)
}

func TestResults(t *testing.T) {
	connectortest.NoLeaks(t)
	s := open1(t, connectortest.Fixture(t), Options{})
	for _, c := range []struct {
		raw, structured string
		blocks          []string
		isError         bool
	}{
		{`{"content":[]}`, "", nil, false},
		{`{}`, "", nil, false},
		{`{"content":null,"structuredContent":null}`, "null", nil, false},
		{`{"structuredContent":false,"isError":null}`, "false", nil, false},
		{`{"structuredContent":[1,2],"isError":false}`, "[1,2]", nil, false},
		{`{"structuredContent":{"x":1},"isError":true}`, `{"x":1}`, nil, true},
		{`{"content":[],"isError":"no"}`, "", nil, true},
		{`{"content":[{"type":"hologram","depth":3},7,{"type":"resource","resource":{"uri":"a:b","text":"t"}}]}`, "",
			[]string{`{"type":"hologram","depth":3}`, `7`, `{"type":"resource","resource":{"uri":"a:b","text":"t"}}`}, false},
		{`{"content":{"type":"text","text":"not a list"}}`, "", []string{`{"type":"text","text":"not a list"}`}, false},
		{`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"_meta":{"k":1}}`, "",
			[]string{`{"type":"image","data":"AAAA","mimeType":"image/png"}`}, false},
	} {
		r := call(t, s, "raw", `{"result":`+c.raw+`}`)
		var blocks []string
		for _, b := range r.Content {
			blocks = append(blocks, string(b))
		}
		if string(r.Structured) != c.structured || r.IsError != c.isError || !slices.Equal(blocks, c.blocks) {
			t.Errorf("%s: %+v", c.raw, r)
		}
	}
	for raw, odd := range map[string][]string{
		`{"content":[{"type":"text","text":"t"}],"_meta":{},"isError":false,"structuredContent":1,"resultType":"complete"}`: nil,
		`{"content":null}`:                        nil,
		`{"content":"oops"}`:                      {"the answer's content is not a list: it is taken for one block"},
		`{"content":[],"rows":[1],"next page":2}`: {"not part of the value: what the answer has under next page, rows, which a result in MCP does not have"},
	} {
		if r := call(t, s, "raw", `{"result":`+raw+`}`); !slices.Equal(r.Odd, odd) {
			t.Errorf("%s: %q", raw, r.Odd)
		}
	}
	for _, raw := range []string{`7`, `null`, `"text"`, `[1]`} {
		_, err := s.Call(t.Context(), "raw", json.RawMessage(`{"result":`+raw+`}`))
		failure(t, err, CodeInvalid, Answered)
	}
	_, err := s.Call(t.Context(), "raw", json.RawMessage(`{"result":{"resultType":"input_required","inputRequests":{"a":{}}}}`))
	failure(t, err, CodeInputRequired, Answered)

	r := call(t, s, "fail", `{"message": "no such row", "data": {"row": 12345678901234567890}}`)
	if !r.IsError || said(t, r) != "no such row" || string(r.Structured) != `{"row":12345678901234567890}` && string(r.Structured) != `{"row": 12345678901234567890}` {
		t.Errorf("%+v", r)
	}
	if r := call(t, s, "mismatch", `{}`); string(r.Structured) != `{"count":"three"}` {
		t.Errorf("%+v", r)
	}
	_, err = s.Call(t.Context(), "refuse", json.RawMessage(`{"code": -32602, "message": "bad arguments"}`))
	if e := failure(t, err, CodeCallRefused, Answered); e.RPC.Code != -32602 || e.RPC.Message != "bad arguments" || string(e.RPC.Data) != `{"asked":"refuse"}` {
		t.Errorf("%+v", e.RPC)
	}
	if !errors.Is(err, ErrRefused) {
		t.Error("errors.Is")
	}
	_, err = s.Call(t.Context(), "nan", nil)
	failure(t, err, CodeInvalid, Answered)
	call(t, s, "echo", `{"value":1}`)
}

func TestListing(t *testing.T) {
	connectortest.NoLeaks(t)
	list := func(flags ...string) *Listing {
		t.Helper()
		s := open1(t, connectortest.Fixture(t, flags...), Options{})
		defer func() { _ = s.Close() }()
		l, err := s.List(t.Context())
		if err != nil {
			t.Fatal(flags, err)
		}
		return l
	}
	plain := names(list().Tools)
	l := list("-malformed")
	if got := names(l.Tools); !slices.Equal(got, append([]string{"no_schema", "null_schema", "odd_hints", "odd_schema"}, plain...)) {
		t.Errorf("malformed: %v", got)
	}
	if l.Tools[0].InputSchema != nil || l.Tools[1].InputSchema != nil || string(l.Tools[3].InputSchema) != `"anything"` || l.Tools[2].Annotations.ReadOnly != nil {
		t.Errorf("malformed: %+v", l.Tools[:4])
	}
	skipped := 0
	for _, p := range l.Problems {
		if p.Skipped {
			skipped++
		}
	}
	if skipped != 4 || len(l.Problems) != 6 {
		t.Errorf("malformed: %+v", l.Problems)
	}
	if l := list("-only", "note,echo"); !slices.Equal(names(l.Tools), []string{"echo", "note"}) {
		t.Errorf("only: %v", names(l.Tools))
	}

	define := filepath.Join(t.TempDir(), "tools.json")
	_ = os.WriteFile(define, []byte(`[{"tool": {"name": "odd name!", "inputSchema": {"const": 12345678901234567890}}, "result": {"content": []}, "act": true}]`), 0o600)
	acts := filepath.Join(t.TempDir(), "acts")
	s := open1(t, connectortest.Fixture(t, "-define", define, "-acts", acts, "-empty-after", "1", "-drift", "note"), Options{})
	tools, err := s.Tools(t.Context())
	if err != nil || tools[len(tools)-1].Name != "odd name!" || string(tools[len(tools)-1].InputSchema) != `{"const":12345678901234567890}` {
		t.Fatal(names(tools), err)
	}
	call(t, s, "odd name!", `{"x":1}`)
	if b, _ := os.ReadFile(acts); string(b) != `{"arguments":{"x":1},"tool":"odd name!"}`+"\n" {
		t.Errorf("%s", b)
	}
	if tools, err := s.Tools(t.Context()); err != nil || len(tools) != 0 {
		t.Error("the second list is not empty", err)
	}

	s = open1(t, connectortest.Fixture(t, "-hang-list"), Options{OpenTimeout: 700 * time.Millisecond})
	_, err = s.Tools(t.Context())
	failure(t, err, CodeCallTimeout, Unknown)
	call(t, s, "echo", `{"value":1}`)

	s = open1(t, connectortest.Fixture(t, "-pages", "2"), Options{MaxList: 2000})
	_, err = s.Tools(t.Context())
	failure(t, err, CodeTooLarge, Answered)
}

// What a server does wrong costs its own time limit.
func TestBadStarts(t *testing.T) {
	connectortest.NoLeaks(t)
	try := func(c config.Connector, o Options) (*Error, time.Duration) {
		t.Helper()
		began := time.Now()
		s, err := Open(t.Context(), c, o)
		if err == nil {
			_ = s.Close()
			t.Fatal("it opened", c)
		}
		return failure(t, err, CodeUnreachable, NotSent), time.Since(began)
	}
	fast := Options{OpenTimeout: 900 * time.Millisecond, StopGrace: 200 * time.Millisecond}
	e, took := try(connectortest.Fixture(t, "-hang-start"), fast)
	if took > 2500*time.Millisecond || !strings.Contains(e.Error(), "within 900ms") {
		t.Error(e, took)
	}
	e, _ = try(connectortest.Fixture(t, "-die-start", "4"), Options{})
	if !strings.Contains(e.Error(), "exit code 4") || !slices.Equal(e.Stderr, []string{"fixture: no such database", "fixture: giving up"}) || !strings.Contains(e.Fault.Detail, "giving up") {
		t.Errorf("%v %q", e, e.Stderr)
	}
	e, _ = try(connectortest.Fixture(t, "-noise", "5", "-hang-start"), fast)
	if !strings.Contains(e.Error(), "5 lines") || !strings.Contains(e.Error(), "banner line 4") {
		t.Error(e)
	}
	e, _ = try(config.Connector{Name: "x", Transport: "stdio", Command: "no-such-command-here"}, Options{})
	if !strings.Contains(e.Error(), "no-such-command-here") {
		t.Error(e)
	}
	try(config.Connector{Name: "x", Transport: "stdio", Command: "true"}, Options{})
	try(config.Connector{Name: "x", Transport: "stdio", Command: "cat"}, fast) // sends our own requests back
	try(config.Connector{Name: "x", Transport: "stdio", Command: connectortest.Binary(t), Dir: "/no/such/folder"}, Options{})
	try(config.Connector{Name: "x", Transport: "pigeon"}, Options{})
	try(config.Connector{Name: "x", Transport: "http", URL: "ftp://x"}, Options{})

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	began := time.Now()
	_, err := Open(ctx, connectortest.Fixture(t, "-hang-start"), Options{})
	if e := failure(t, err, CodeCancelled, NotSent); !errors.Is(e, context.Canceled) || time.Since(began) > 4*time.Second {
		t.Error(e, time.Since(began))
	}
}

func TestGoodStarts(t *testing.T) {
	connectortest.NoLeaks(t)
	for _, flags := range [][]string{
		{"-noise", "40"}, {"-flood", "262144"}, {"-legacy", "exits"}, {"-legacy", "silent"}, {"-legacy", "dumps"}, {"-modern"},
		{"-start-ms", "700"}, {"-modern", "-start-ms", "1200"},
	} {
		c := connectortest.Fixture(t, flags...)
		s, err := Open(t.Context(), c, Options{ProbeTimeout: 400 * time.Millisecond})
		if err != nil {
			t.Errorf("%v: %v %q", flags, err, err.(*Error).Stderr)
			continue
		}
		if tools, err := s.Tools(t.Context()); err != nil || len(tools) < 20 {
			t.Errorf("%v: %v", flags, err)
		}
		if r := call(t, s, "echo", `{"value":[1]}`); string(r.Structured) != `{"value":[1]}` {
			t.Errorf("%v: %s", flags, r.Structured)
		}
		want := legacyProtocol
		if flags[0] == "-modern" {
			want = "2026-07-28"
		}
		if s.Server().Protocol != want {
			t.Errorf("%v: protocol %s", flags, s.Server().Protocol)
		}
		if n, sample := s.Noise(); flags[0] == "-noise" && (n != 40 || sample != "banner line 39") || flags[0] != "-noise" && n != 0 {
			t.Errorf("%v: noise %d %q", flags, n, sample)
		}
		_ = s.Close()
	}
}

func TestTrouble(t *testing.T) {
	connectortest.NoLeaks(t)
	c := connectortest.Fixture(t)
	s := open1(t, c, Options{CallTimeout: 600 * time.Millisecond, MaxMessage: 1 << 20})
	began := time.Now()
	_, err := s.Call(t.Context(), "hang", nil)
	failure(t, err, CodeCallTimeout, Unknown)
	if took := time.Since(began); took > 2*time.Second || !errors.Is(err, ErrTimeout) {
		t.Error(took, err)
	}
	for range 40 { // the server is told
		if got := said(t, call(t, s, "cancelled", `{}`)); got != "null" {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	if got := said(t, call(t, s, "cancelled", `{}`)); got == "null" || got == "[]" {
		t.Error("the server was not told of the timeout: ", got)
	}
	// Progress keeps a call alive, and silence does not.
	if got := said(t, call(t, s, "slow", `{"ms": 1500, "progress": true}`)); got != "slowly" {
		t.Error(got)
	}
	_, err = s.Call(t.Context(), "slow", json.RawMessage(`{"ms": 1500, "progress": false}`))
	failure(t, err, CodeCallTimeout, Unknown)

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err = s.Call(ctx, "hang", nil)
	if failure(t, err, CodeCancelled, Unknown); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err = s.Call(ctx, "note", json.RawMessage(`{"text":"never"}`))
	failure(t, err, CodeCancelled, NotSent)

	// The time that the caller has for all is over: that is no cancelling, and is told from a shorter limit of the caller's own.
	for want, cause := range map[string]error{"the run's time limit was over": nil, "a limit of its own": tooLong{}} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, cause)
		_, err = s.Call(ctx, "hang", nil)
		cancel()
		if e := failure(t, err, CodeCallTimeout, Unknown); !strings.HasSuffix(e.Error(), want) || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(e)
		}
	}

	_, err = s.Call(t.Context(), "huge", json.RawMessage(`{"bytes": 3000000}`))
	if e := failure(t, err, CodeTooLarge, Answered); !strings.Contains(e.Error(), "30000") {
		t.Error(e)
	}
	if got := said(t, call(t, s, "huge", `{"bytes": 1000000}`)); len(got) != 1000000 {
		t.Error(len(got))
	}
	if got := said(t, call(t, s, "chatter", `{"lines": 40}`)); got != "quiet again" {
		t.Error(got)
	}
	if n, sample := s.Noise(); n != 40 || sample != "progress: 40 of 40" {
		t.Error(n, sample)
	}
	if got := said(t, call(t, s, "prefix", `{}`)); got != "loaded" {
		t.Error(got)
	}
	if got := said(t, call(t, s, "flood", `{"bytes": 1000000}`)); got != "flooded" {
		t.Error(got)
	}
	if last := s.Stderr(); len(last) != errorLines || !strings.HasPrefix(last[0], "stack frame") {
		t.Errorf("%q", last)
	}
	// The other side of a call that hangs goes on.
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if i%2 == 0 {
				_, _ = s.Call(t.Context(), "hang", nil)
				return
			}
			r, err := s.Call(t.Context(), "add", json.RawMessage(fmt.Sprintf(`{"a":%d,"b":1}`, i)))
			if err != nil || string(r.Structured) != fmt.Sprintf(`{"sum":%d}`, i+1) {
				t.Error(i, err, string(r.Structured))
			}
		})
	}
	all.Wait()
}

// A server that does not read blocks the calls on it, each for its own time limit.
func TestServerThatDoesNotRead(t *testing.T) {
	connectortest.NoLeaks(t)
	script := `read -r a; printf '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}\n'; read -r a
printf '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}\n'; read -r a
trap '' TERM; while :; do sleep 1; done`
	s := open1(t, config.Connector{Name: "deaf", Transport: "stdio", Command: "sh", Args: []string{"-c", script}}, Options{CallTimeout: 1200 * time.Millisecond, StopGrace: 200 * time.Millisecond})
	big := json.RawMessage(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	_, err := s.Call(t.Context(), "a", big)
	failure(t, err, CodeCallTimeout, Unknown)
	began := time.Now()
	_, err = s.Call(t.Context(), "b", nil)
	failure(t, err, CodeCallTimeout, NotSent) // it waited behind the first
	_ = s.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Error(took)
	}
}

func TestLoss(t *testing.T) {
	connectortest.NoLeaks(t)
	s := open1(t, connectortest.Fixture(t), Options{})
	_, err := s.Call(t.Context(), "die", json.RawMessage(`{"code": 7, "lines": ["Traceback:", "  out of cheese"]}`))
	e := failure(t, err, CodeLost, Unknown)
	if !errors.Is(err, ErrLost) || !strings.Contains(e.Error(), "exit code 7") || !slices.Equal(e.Stderr, []string{"Traceback:", "  out of cheese"}) {
		t.Errorf("%v %q", e, e.Stderr)
	}
	if f := fault.Of(err); !strings.Contains(f.Detail, "out of cheese") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
	_, err = s.Call(t.Context(), "echo", nil)
	failure(t, err, CodeLost, NotSent)
	_, err = s.Tools(t.Context())
	failure(t, err, CodeLost, NotSent)

	// A child that keeps the standard output open does not hide the loss.
	s = open1(t, connectortest.Fixture(t), Options{StopGrace: 300 * time.Millisecond})
	pid, _ := strconv.Atoi(said(t, call(t, s, "spawn", `{}`)))
	began := time.Now()
	_, err = s.Call(t.Context(), "die", json.RawMessage(`{"code": 1}`))
	failure(t, err, CodeLost, Unknown)
	if took := time.Since(began); took > 3*time.Second {
		t.Error(took)
	}
	if !connectortest.Gone(pid) {
		t.Error("the child of a lost server lives")
	}

	// The process is killed while many wait.
	s = open1(t, connectortest.Fixture(t), Options{})
	var about struct{ Pid int }
	_ = json.Unmarshal([]byte(said(t, call(t, s, "about", `{}`))), &about)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			_, err := s.Call(t.Context(), "hang", nil)
			var e *Error
			if !errors.As(err, &e) || e.Fault.Code != CodeLost || e.Outcome != Unknown || !strings.Contains(e.Error(), "signal 9") {
				t.Error(err)
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	p, _ := os.FindProcess(about.Pid)
	_ = p.Kill()
	all.Wait()

	s = open1(t, connectortest.Fixture(t, "-exit-after", "2"), Options{})
	call(t, s, "echo", `{"value":1}`)
	call(t, s, "echo", `{"value":2}`)
	_, err = s.Call(t.Context(), "echo", json.RawMessage(`{"value":3}`))
	if e := failure(t, err, CodeLost, Unknown); !slices.Contains(e.Stderr, "fixture: out of luck at call 3") {
		t.Errorf("%q", e.Stderr)
	}
}

func TestEnvironment(t *testing.T) {
	connectortest.NoLeaks(t)
	t.Setenv("RUNLACE_TEST_TOKEN", "in-the-shell")
	dir := t.TempDir()
	c := connectortest.Fixture(t, "-ignored=", "a b & c", "%PATH%", `"q"`)
	c.Args = c.Args[1:]
	c.Dir, c.Env = dir, map[string]string{"OWN": "value=1", "HOME": "/elsewhere"}
	s := open1(t, c, Options{})
	var about struct {
		Pid, Group int
		Dir        string
		Args, Env  []string
	}
	if err := json.Unmarshal([]byte(said(t, call(t, s, "about", `{}`))), &about); err != nil {
		t.Fatal(err)
	}
	if about.Pid != about.Group || about.Dir != dir || !slices.Equal(about.Args[1:], c.Args) {
		t.Errorf("%+v", about)
	}
	for _, e := range about.Env {
		k, _, _ := strings.Cut(e, "=")
		if k != "OWN" && !slices.Contains(inherited[false], k) && k != "PWD" {
			t.Errorf("it has %s", e)
		}
	}
	if !slices.Contains(about.Env, "OWN=value=1") || !slices.Contains(about.Env, "HOME=/elsewhere") {
		t.Error(about.Env)
	}
	// The command is looked for in its own PATH, and relative to its own folder.
	_ = os.Symlink(connectortest.Binary(t), filepath.Join(dir, "mine"))
	for _, c := range []config.Connector{
		{Name: "x", Transport: "stdio", Command: "mine", Env: map[string]string{"PATH": dir}},
		{Name: "x", Transport: "stdio", Command: "./mine", Dir: dir},
	} {
		open1(t, c, Options{})
	}
	if find("mine", dir, []string{"PATH=/usr/bin:.:"}) != "" {
		t.Error("a command of the current folder")
	}
}

func TestSecrets(t *testing.T) {
	connectortest.NoLeaks(t)
	const value = `s3cr&t/"quoted"`
	var mu sync.Mutex
	var lines []string
	c := connectortest.Fixture(t, "-secret", "TOKEN")
	c.Env = map[string]string{"TOKEN": value}
	s := open1(t, c, Options{Secrets: []string{value, "", "ab"}, Stderr: func(l string) {
		mu.Lock()
		lines = append(lines, l)
		mu.Unlock()
	}})
	_, err := s.Call(t.Context(), "refuse", json.RawMessage(`{"code": -1, "message": "denied for"}`))
	e := failure(t, err, CodeCallRefused, Answered)
	if e.Error() != "connector fixture: the call of refuse was refused: denied for [redacted] (code -1)" || e.RPC.Message != "denied for [redacted]" {
		t.Error(e)
	}
	_, err = s.Call(t.Context(), "die", json.RawMessage(`{"lines": ["ab s3cr&t/\"quoted\" \u001b[31mred\u001b[0m"]}`))
	e = failure(t, err, CodeLost, Unknown)
	want := []string{"connecting with [redacted]", "ab [redacted] red"}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(e.Stderr, want) || !slices.Equal(lines, []string{"fixture: " + want[0], "fixture: " + want[1]}) {
		t.Errorf("%q, told %q", e.Stderr, lines)
	}
	r := NewRedactor([]string{"Bearer tok-123456", "-----KEY\nline one of it\nline two of it\n-----END"})
	if got := r.String(`Bearer tok-123456, tok-123456, line two of it, {"a":"-----KEY\nline one of it"}`); got != `[redacted], [redacted], [redacted], {"a":"[redacted]\n[redacted]"}` {
		t.Error(got)
	}
	if (*Redactor)(nil).String("x") != "x" || NewRedactor(nil).String("x") != "x" {
		t.Error("no secrets")
	}
}

// The whole tree ends, however it resists.
func TestTreeEnds(t *testing.T) {
	connectortest.NoLeaks(t)
	child := filepath.Join(t.TempDir(), "child")
	s := open1(t, connectortest.Fixture(t, "-ignore-term", "-child", child), Options{StopGrace: 300 * time.Millisecond})
	var about struct{ Pid int }
	_ = json.Unmarshal([]byte(said(t, call(t, s, "about", `{}`))), &about)
	detached, _ := strconv.Atoi(said(t, call(t, s, "spawn", `{"detach": true}`)))
	began := time.Now()
	_ = s.Close()
	if took := time.Since(began); took > 3*time.Second {
		t.Error(took)
	}
	b, _ := os.ReadFile(child)
	pid, _ := strconv.Atoi(string(b))
	for _, p := range []int{about.Pid, pid, detached} {
		if p == 0 || !connectortest.Gone(p) {
			t.Errorf("%d lives", p)
		}
	}
	// A shell that starts the server, and goes first.
	s = open1(t, config.Connector{Name: "x", Transport: "stdio", Command: "sh", Args: []string{"-c", "exec 3<&0; " + connectortest.Binary(t) + " -ignore-term <&3 & exit 0"}},
		Options{StopGrace: 300 * time.Millisecond})
	_ = json.Unmarshal([]byte(said(t, call(t, s, "about", `{}`))), &about)
	time.Sleep(500 * time.Millisecond)
	call(t, s, "echo", `{"value":1}`)
	_ = s.Close()
	if !connectortest.Gone(about.Pid) {
		t.Error("the server outlives its shell")
	}
	// One that behaves ends at once.
	s = open1(t, connectortest.Fixture(t), Options{})
	began = time.Now()
	_ = s.Close()
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Error("a good server takes", took)
	}
}

// owner is a process that opens a connector, says what the server says about itself, and is killed.
func owner() {
	var args []string
	_ = json.Unmarshal([]byte(os.Getenv("RUNLACE_TEST_OWNER")), &args)
	s, err := Open(context.Background(), config.Connector{Name: "x", Transport: "stdio", Command: args[0], Args: args[1:]}, Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	r, _ := s.Call(context.Background(), "about", nil)
	fmt.Printf("%s\n", bytes.Join([][]byte{r.Content[0]}, nil))
	time.Sleep(time.Minute)
}

func TestBatchesAndPrefixes(t *testing.T) {
	one := &request{method: "tools/call", id: 5}
	tp := &tap{limit: 1000, pending: map[int64]*request{5: one}}
	for _, c := range []struct {
		line string
		out  int
		ok   bool
	}{
		{"", 0, true}, {"  \r\n", 0, true}, {"hello", 0, false}, {"{", 0, false}, {"[1,2]", 0, false}, {"[]", 0, false},
		{`{"a":1}`, 0, false}, {`null`, 0, false}, {`{"jsonrpc":"2.0"}`, 0, false}, {`{"jsonrpc":"1.0","id":5,"result":{}}`, 0, false},
		{`{"jsonrpc":"2.0","method":"notifications/x"}`, 1, true},
		{`{"jsonrpc":"2.0","method":7}`, 0, false},
		{"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":"5","result":{"x":1}}`, 1, true},
		{`[{"jsonrpc":"2.0","id":5,"result":{}},{"jsonrpc":"2.0","method":"notifications/x"},{"x":1}]`, 2, true},
		{`log {} {"a": {"jsonrpc":"2.0","id":5,"result":{}}`, 1, true},
		{`{"jsonrpc":"2.0","id":5,"error":"oh no"}`, 1, true},
		{`{"jsonrpc":"2.0","id":5,"error":{"code":"E1","message":7}}`, 1, true},
		{`{"jsonrpc":"2.0","id":99,"result":{}}`, 1, true},
		{`{"jsonrpc":"2.0","id":5.0,"result":{}}`, 1, true},
		{`{"result":{"x":Infinity},"jsonrpc":"2.0","id":5}`, 1, true},
	} {
		out, ok := tp.incoming([]byte(c.line))
		if len(out) != c.out || ok != c.ok {
			t.Errorf("%s: %q %v", c.line, out, ok)
		}
		for _, m := range out {
			if !readable(m) {
				t.Errorf("%s: the SDK cannot read %s", c.line, m)
			}
		}
	}
	if out, ok := tp.incoming([]byte(`{"jsonrpc":"2.0","id":5,"result":{"text":"` + "\xff" + `"}}`)); !ok || len(out) != 1 || string(one.result) != `{"text":"�"}` {
		t.Errorf("%q", one.result)
	}
}

// tooLong is a cause of a deadline that says what was over.
type tooLong struct{}

func (tooLong) Error() string { return "a limit of its own" }
