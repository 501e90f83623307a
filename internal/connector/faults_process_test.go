package connector

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
)

// Group K of the field faults: processes and their streams. What happens when Runlace itself is killed is in killed_test.go.

func TestFieldFault170_WrapperFirst(t *testing.T) {
	server := `"$0" -ignore-term -child "$1"`
	for _, c := range []struct{ name, script string }{
		{"field-fault-167 a shell that starts the server", server + `; true`},
		{"field-fault-170 a wrapper that goes first", `exec 3<&0; ` + server + ` <&3 & exit 0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			child := filepath.Join(t.TempDir(), "child")
			s := open1(t, config.Connector{Name: "x", Transport: "stdio", Command: "sh", Args: []string{"-c", c.script, connectortest.Binary(t), child}},
				Options{StopGrace: 300 * time.Millisecond})
			var about struct{ Pid, Group int }
			_ = json.Unmarshal([]byte(said(t, call(t, s, "about", `{}`))), &about)
			if about.Group == about.Pid {
				t.Error("the server is no child of a shell")
			}
			_ = s.Close()
			var pid int
			b, _ := os.ReadFile(child)
			_, _ = fmt.Sscan(string(b), &pid)
			for _, p := range []int{about.Pid, about.Group, pid} {
				if p == 0 || !connectortest.Gone(p) {
					t.Errorf("%d lives", p)
				}
			}
		})
	}
}

// Fifty runs in sequence have one process between them.
func TestFieldFault173_OneProcess(t *testing.T) {
	connectortest.NoLeaks(t)
	p, opened := pool(t, Options{}, map[string]config.Connector{"a": connectortest.Fixture(t)})
	pids := map[int]bool{}
	for range 50 {
		set := p.OpenAll(t.Context(), []string{"a"})
		if len(set.Failed) > 0 {
			t.Fatal(set.Failed)
		}
		var about struct{ Pid int }
		_ = json.Unmarshal([]byte(said(t, call(t, set.Sessions["a"], "about", `{}`))), &about)
		pids[about.Pid] = true
		set.Release()
	}
	if opened.Load() != 1 || len(pids) != 1 {
		t.Errorf("%d openings, %d processes", opened.Load(), len(pids))
	}
}

// Lines on standard output that are no messages are passed over, counted, and shown once.
func TestFieldFault175_Noise(t *testing.T) {
	for _, c := range []struct {
		name   string
		flags  []string
		n      int64
		sample string
	}{
		{"field-fault-175 a banner that begins with a brace", []string{"-noise", "1"}, 1, `{"level": "info", "msg": "a log line that begins with a brace"}`},
		{"field-fault-175 a brace and no JSON", []string{"-noise", "2"}, 2, `{not JSON`},
		{"field-fault-176 40 stray lines", []string{"-noise", "40"}, 40, "banner line 39"},
	} {
		t.Run(c.name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			s := open1(t, connectortest.Fixture(t, c.flags...), Options{})
			call(t, s, "echo", `{"value":1}`)
			if n, sample := s.Noise(); n != c.n || sample != c.sample {
				t.Errorf("%d lines, as %q", n, sample)
			}
		})
	}
}

// Standard error is read from the first byte on, however much there is.
func TestFieldFault178_StderrFlood(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags []string
		bytes int
	}{
		{"field-fault-178 256 kB before the first answer", []string{"-flood", "262144"}, 0},
		{"field-fault-178 4 MB before the answer to a call", nil, 4 << 20},
		{"field-fault-179 a stack for a method that it does not know", []string{"-legacy", "dumps"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			s := open1(t, connectortest.Fixture(t, c.flags...), Options{})
			if got := said(t, call(t, s, "flood", fmt.Sprintf(`{"bytes":%d}`, c.bytes))); got != "flooded" {
				t.Error(got)
			}
			_, err := s.Call(t.Context(), "die", json.RawMessage(`{"code":1,"lines":["the last words"]}`))
			e := failure(t, err, CodeLost, Unknown)
			if n := len(e.Stderr); n != errorLines || e.Stderr[n-1] != "the last words" {
				t.Errorf("%q", e.Stderr)
			}
			s.stderr.mu.Lock()
			kept := len(s.stderr.lines)
			s.stderr.mu.Unlock()
			if kept > 2*keptLines {
				t.Errorf("%d lines are kept", kept)
			}
		})
	}
}

// One time limit for all transports: of the options, or of the entry.
func TestFieldFault181_Timeouts(t *testing.T) {
	hangs := func(w http.ResponseWriter, _, _ string, _ func(string)) { time.Sleep(time.Second) }
	block := make(chan struct{})
	t.Cleanup(func() { close(block) })
	for name, c := range map[string]config.Connector{
		"stdio":       connectortest.Fixture(t),
		"http":        {Name: "w", Transport: "http", URL: serve(t, &web1{call: hangs})},
		"http events": {Name: "w", Transport: "http", URL: serve(t, &web1{call: hangs, events: true})},
		"sse":         {Name: "w", Transport: "sse", URL: serve(t, hangingSSE(block))},
	} {
		for _, own := range []bool{false, true} {
			t.Run(fmt.Sprintf("field-fault-181 %s, own %v", name, own), func(t *testing.T) {
				connectortest.NoLeaks(t)
				o := Options{CallTimeout: 300 * time.Millisecond}
				if own {
					c.Timeout, o.CallTimeout = config.Duration(400*time.Millisecond), 0
				}
				s := open1(t, c, o)
				_, err := s.Call(t.Context(), "hang", nil)
				failure(t, err, CodeCallTimeout, Unknown)
			})
		}
	}
}

// The lines of two servers can be told apart, and have no secrets.
func TestFieldFault182_TwoServers(t *testing.T) {
	connectortest.NoLeaks(t)
	var mu sync.Mutex
	var lines []string
	for _, name := range []string{"one", "two"} {
		c := connectortest.Fixture(t, "-secret", "TOKEN")
		c.Name, c.Env = name, map[string]string{"TOKEN": "tok-" + name}
		s := open1(t, c, Options{Secrets: []string{"tok-" + name}, Stderr: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, line)
		}})
		_, err := s.Call(t.Context(), "die", nil)
		failure(t, err, CodeLost, Unknown)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(lines, "\n"); got != "one: connecting with [redacted]\ntwo: connecting with [redacted]" {
		t.Errorf("%s", got)
	}
}

// The same limit of a message on all transports; the error has the size, and the connection goes on.
func TestFieldFault184_LargeMessages(t *testing.T) {
	const size = 64 << 20
	large := func(w http.ResponseWriter, id, params string, send func(string)) {
		if strings.Contains(params, `"huge"`) {
			send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", size) + `"}]}}`)
			return
		}
		echoParams(w, id, params, send)
	}
	for name, c := range map[string]config.Connector{
		"stdio":       connectortest.Fixture(t),
		"http":        {Name: "w", Transport: "http", URL: serve(t, &web1{call: large})},
		"http events": {Name: "w", Transport: "http", URL: serve(t, &web1{call: large, events: true})},
	} {
		t.Run("field-fault-184 "+name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			s := open1(t, c, Options{})
			_, err := s.Call(t.Context(), "huge", json.RawMessage(fmt.Sprintf(`{"bytes":%d}`, size)))
			e := failure(t, err, CodeTooLarge, Answered)
			var n, limit int64
			if _, serr := fmt.Sscanf(e.Error()[strings.Index(e.Error(), "message of"):], "message of %d bytes, and the limit is %d", &n, &limit); serr != nil || n < size || n > size+1000 || limit != 16<<20 {
				t.Error(e)
			}
			call(t, s, "echo", `{"value":1}`)
		})
	}
	t.Run("field-fault-184 a line that answers nothing", func(t *testing.T) {
		connectortest.NoLeaks(t)
		script := `head -c 67108864 /dev/zero | tr '\0' x; echo; exec "$0"`
		s := open1(t, config.Connector{Name: "x", Transport: "stdio", Command: "sh", Args: []string{"-c", script, connectortest.Binary(t)}}, Options{})
		call(t, s, "echo", `{"value":1}`)
		if n, _ := s.Noise(); n != 1 {
			t.Error(n)
		}
	})
}

// A call that is given up is not repeated, also when the server acts after all.
func TestFieldFault145_NotRepeated(t *testing.T) {
	t.Run("field-fault-145 it sleeps past the timeout and acts", func(t *testing.T) {
		connectortest.NoLeaks(t)
		acts := filepath.Join(t.TempDir(), "acts")
		s := open1(t, connectortest.Fixture(t, "-acts", acts), Options{CallTimeout: 200 * time.Millisecond})
		_, err := s.Call(t.Context(), "late", json.RawMessage(`{"ms":500}`))
		failure(t, err, CodeCallTimeout, Unknown)
		for range 100 {
			if b, _ := os.ReadFile(acts); len(b) > 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if r := call(t, s, "count", `{}`); string(r.Structured) != `{"count":1}` {
			t.Errorf("%s", r.Structured)
		}
	})
	for _, events := range []bool{false, true} {
		t.Run(fmt.Sprintf("field-fault-145 the answer breaks off, events %v", events), func(t *testing.T) {
			connectortest.NoLeaks(t)
			var executed int
			h := &web1{events: events, session: "s1"}
			h.call = func(w http.ResponseWriter, id, _ string, _ func(string)) {
				executed++
				if events {
					w.Header().Set("Content-Type", "text/event-stream")
				} else {
					w.Header().Set("Content-Type", "application/json")
				}
				_, _ = io.WriteString(w, map[bool]string{true: ": working\n\n", false: `{"jsonrpc":`}[events])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			s := open1(t, config.Connector{Name: "w", Transport: "http", URL: serve(t, h)}, Options{})
			_, err := s.Call(t.Context(), "a", nil)
			failure(t, err, CodeLost, Unknown)
			if executed != 1 {
				t.Errorf("executed %d times", executed)
			}
			h.set(echoParams)
			call(t, s, "a", `{}`)
		})
	}
}

// hangingSSE answers everything but a call.
func hangingSSE(block chan struct{}) http.Handler {
	next := sdkSSE()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			b, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(b)))
			if strings.Contains(string(b), `"tools/call"`) {
				w.WriteHeader(http.StatusAccepted) // and no answer comes
				return
			}
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go func() {
			select {
			case <-block:
				cancel()
			case <-ctx.Done():
			}
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
