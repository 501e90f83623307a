package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
)

// Group L of the field faults: lists, sessions, what a server may ask in between.

func TestFieldFault185_Lists(t *testing.T) {
	list := func(t *testing.T, flags ...string) *Listing {
		t.Helper()
		s := open1(t, connectortest.Fixture(t, flags...), Options{})
		l, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	all := names(list(t).Tools)
	many := append([]string{"-row", "-1"}, "-pages", "30")
	for _, c := range []struct {
		name     string
		flags    []string
		pages    int // 0: any
		tools    []string
		problems []string
	}{
		{"field-fault-185 two pages, the second with one tool", []string{"-pages", fmt.Sprint(len(all) - 1)}, 2, all, nil},
		{"field-fault-187 30 on each page", many, 0, nil, nil},
		{"field-fault-185 a cursor that leads back", []string{"-pages", "10", "-stuck"}, 0, all, []string{"leads to a page that was read already"}},
		{"field-fault-188 a tool that is repeated", []string{"-pages", "10", "-duplicate", "same"}, 0, all, nil},
		{"field-fault-188 a tool that is repeated with another schema", []string{"-pages", fmt.Sprint(len(all)), "-duplicate", "conflict"}, 2, all[1:],
			[]string{"on page 1 and again on page 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			l := list(t, c.flags...)
			if c.pages > 0 && l.Pages != c.pages {
				t.Errorf("%d pages", l.Pages)
			}
			if c.tools == nil {
				c.tools = names(list(t, c.flags[:2]...).Tools)
				if len(c.tools) < 300 || l.Pages != (len(c.tools)+29)/30 {
					t.Errorf("%d tools on %d pages", len(c.tools), l.Pages)
				}
			}
			if !slices.Equal(names(l.Tools), c.tools) {
				t.Errorf("%d tools of %d: %v", len(l.Tools), len(c.tools), names(l.Tools))
			}
			if len(l.Problems) != len(c.problems) {
				t.Fatal(l.Problems)
			}
			for i, p := range c.problems {
				if !strings.Contains(l.Problems[i].Reason, p) {
					t.Error(l.Problems[i])
				}
			}
		})
	}
}

// Every field fault of groups A to H that is a tool's definition: none is lost, none costs another.
func TestFieldFault1_OddTools(t *testing.T) {
	connectortest.NoLeaks(t)
	s := open1(t, connectortest.Fixture(t, "-row", "-1"), Options{})
	l, err := s.List(t.Context())
	if err != nil || len(l.Problems) > 0 {
		t.Fatal(err, l.Problems)
	}
	have := names(l.Tools)
	for _, name := range []string{"union", "scan", "without_schema", "list_all", "odd_output", "ring", "查询", "read-only", "read_only", "only_a_name", "report_239", "huge_argument"} {
		if !slices.Contains(have, name) {
			t.Errorf("%s is lost", name)
		}
	}
}

// Progress starts the limit of silence anew, since a token is always sent, and never that of the whole call.
func TestFieldFault190_Progress(t *testing.T) {
	progress := func(w http.ResponseWriter, id, params string, send func(string)) {
		var p struct {
			Arguments struct {
				MS       int
				Progress bool
			}
			Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
		_ = json.Unmarshal([]byte(params), &p)
		for i := range 10 {
			time.Sleep(time.Duration(p.Arguments.MS) * time.Millisecond / 10)
			if p.Arguments.Progress && p.Meta.ProgressToken != nil {
				send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, p.Meta.ProgressToken, i))
			}
		}
		send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"slowly"}]}}`)
	}
	for transport, c := range map[string]config.Connector{
		"stdio": connectortest.Fixture(t),
		"http":  {Name: "w", Transport: "http", URL: serve(t, &web1{call: progress, events: true})},
	} {
		for _, f := range []struct {
			name, arguments string
			ceiling         time.Duration
			ok              bool
		}{
			{"progress", `{"ms":2000,"progress":true}`, 0, true},
			{"silence", `{"ms":2000,"progress":false}`, 0, false},
			{"progress for ever", `{"ms":4000,"progress":true}`, 1500 * time.Millisecond, false},
		} {
			t.Run("field-fault-190 "+f.name+" over "+transport, func(t *testing.T) {
				connectortest.NoLeaks(t)
				limit := 800 * time.Millisecond
				if f.ceiling > 0 {
					limit = 2500 * time.Millisecond
				}
				s := open1(t, c, Options{CallTimeout: limit, CallCeiling: f.ceiling})
				r, err := s.Call(t.Context(), "slow", json.RawMessage(f.arguments))
				if !f.ok {
					failure(t, err, CodeCallTimeout, Unknown)
				} else if err != nil || said(t, r) != "slowly" {
					t.Error(err)
				}
			})
		}
	}
}

// A server's announcement of another list reaches the owner, once for many, in the old protocol and in the newest.
func TestFieldFault191_ListChanged(t *testing.T) {
	listen := func(o *Options) chan struct{} {
		c := make(chan struct{}, 100)
		o.ToolsChanged = func() { c <- struct{}{} }
		return c
	}
	wait := func(t *testing.T, c chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(10 * time.Second):
			t.Fatal("the owner is not told")
		}
	}
	for _, flag := range []string{"-modern", "-protocol=2025-06-18"} {
		t.Run("field-fault-191 announced fifty times, "+flag, func(t *testing.T) {
			connectortest.NoLeaks(t)
			var o Options
			told := listen(&o)
			s := open1(t, connectortest.Fixture(t, flag), o)
			before, err := s.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			call(t, s, "change", `{"times":50}`)
			wait(t, told)
			after, err := s.Tools(t.Context())
			if err != nil || len(after) != len(before)+1 {
				t.Errorf("%d tools, before %d, %v", len(after), len(before), err)
			}
			call(t, s, "change", `{"times":1}`)
			wait(t, told)
			if len(told) > 0 {
				t.Errorf("told %d times more", len(told))
			}
		})
	}
	t.Run("field-fault-191 over HTTP, the newest protocol", func(t *testing.T) {
		connectortest.NoLeaks(t)
		server := sdkServer()
		url := serve(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
		var o Options
		told := listen(&o)
		s := open1(t, config.Connector{Name: "sdk", Transport: "http", URL: url}, o)
		call(t, s, "double", `{"n":1}`)
		mcp.AddTool(server, &mcp.Tool{Name: "more"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
		wait(t, told)
	})
	t.Run("field-fault-191 while the owner is being told", func(t *testing.T) {
		told := make(chan struct{})
		a := newAnnouncer(func() { told <- struct{}{} })
		defer a.stop()
		a.tell()
		for !a.busy() {
			time.Sleep(time.Millisecond)
		}
		a.tell()
		a.tell()
		wait(t, told)
		wait(t, told)
		select {
		case <-told:
			t.Error("told three times")
		case <-time.After(2 * settling):
		}
	})
}

func (a *announcer) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calling
}

// A tool that the server does not know, in the words of all SDKs; the list is then out of date.
func TestFieldFault193_UnknownTool(t *testing.T) {
	for _, shape := range []string{"protocol", "result"} {
		t.Run("field-fault-193 as a "+shape, func(t *testing.T) {
			connectortest.NoLeaks(t)
			told := make(chan struct{}, 10)
			s := open1(t, connectortest.Fixture(t), Options{ToolsChanged: func() { told <- struct{}{} }})
			_, err := s.Call(t.Context(), "missing", json.RawMessage(`{"shape":"`+shape+`"}`))
			failure(t, err, "tool-missing", Answered)
			if !errors.Is(err, ErrToolMissing) {
				t.Error("errors.Is")
			}
			select {
			case <-told:
			case <-time.After(10 * time.Second):
				t.Error("the owner is not told")
			}
		})
	}
	for _, c := range []struct {
		text string
		want bool
	}{
		{"Unknown tool: x", true}, {"Unknown tool: 'x'", true}, {`unknown tool "x"`, true}, {"Tool x not found", true}, {"Tool not found: x", true},
		{"MCP error -32602: Tool x not found", true}, {"Tool x disabled", true}, {"Error: No such tool `x`.", true}, {"tool not found", true},
		{"Unknown tool parameter: x", false}, {"x not found", false}, {"The hammer x is an unknown tool in this workshop", false}, {"", false}, {"Unknown tool: y", false},
	} {
		t.Run("field-fault-193 "+c.text, func(t *testing.T) {
			if got := unknownTool("x", c.text); got != c.want {
				t.Error(got)
			}
		})
	}
	t.Run("field-fault-193 a list that is empty once", func(t *testing.T) {
		connectortest.NoLeaks(t)
		s := open1(t, connectortest.Fixture(t, "-empty-once", "2"), Options{})
		for i, want := range []bool{false, true, false} {
			if tools, err := s.Tools(t.Context()); err != nil || (len(tools) == 0) != want {
				t.Errorf("list %d has %d tools, %v", i+1, len(tools), err)
			}
		}
	})
	t.Run("field-fault-193 a server that is down has no list, not an empty one", func(t *testing.T) {
		connectortest.NoLeaks(t)
		s := open1(t, connectortest.Fixture(t), Options{})
		_, err := s.Call(t.Context(), "die", nil)
		failure(t, err, CodeLost, Unknown)
		_, err = s.Tools(t.Context())
		failure(t, err, CodeLost, NotSent)
	})
}

// restarted is a server over HTTP that forgets its sessions when it is told to, and counts what it executes.
type restarted struct {
	mu                    sync.Mutex
	session               int
	status                int // for a session that it does not know
	always                bool
	initialized, executed int
}

func (h *restarted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
	}
	_ = json.Unmarshal(body, &m)
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	current := fmt.Sprintf("s%d", h.session)
	if id := r.Header.Get("Mcp-Session-Id"); m.Method != "initialize" && m.Method != "server/discover" && (id != current || h.always && m.Method == "tools/call") {
		http.Error(w, "No valid session ID provided", h.status)
		return
	}
	result := ""
	switch m.Method {
	case "server/discover":
		http.Error(w, "what?", http.StatusBadRequest)
		return
	case "initialize":
		h.initialized++
		w.Header().Set("Mcp-Session-Id", current)
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`
	case "tools/call":
		h.executed++
		result = `{"content":[]}`
	case "tools/list":
		result = `{"tools":[{"name":"a"}]}`
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (h *restarted) restart() {
	h.mu.Lock()
	h.session++
	h.mu.Unlock()
}

// A session that the server has forgotten is opened anew, for a request that it has refused for that.
func TestFieldFault196_Restart(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
		t.Run(fmt.Sprintf("field-fault-196 between two calls, status %d", status), func(t *testing.T) {
			connectortest.NoLeaks(t)
			h := &restarted{status: status}
			s := open1(t, config.Connector{Name: "w", Transport: "http", URL: serve(t, h)}, Options{})
			for i := range 5 {
				call(t, s, "a", `{}`)
				if tools, err := s.Tools(t.Context()); err != nil || len(tools) != 1 {
					t.Error(err)
				}
				h.restart()
				if i == 3 {
					_, err := s.Tools(t.Context()) // the list may be what notices
					if err != nil {
						t.Error(err)
					}
				}
			}
			if h.executed != 5 || h.initialized != 5 {
				t.Errorf("%d executed, %d initialized", h.executed, h.initialized)
			}
		})
	}
	t.Run("field-fault-196 twenty calls at once", func(t *testing.T) {
		connectortest.NoLeaks(t)
		h := &restarted{status: 404}
		s := open1(t, config.Connector{Name: "w", Transport: "http", URL: serve(t, h)}, Options{})
		h.restart()
		var all sync.WaitGroup
		var ok, doubt atomic.Int64
		for range 20 {
			all.Go(func() {
				_, err := s.Call(t.Context(), "a", nil)
				switch e := (*Error)(nil); {
				case err == nil:
					ok.Add(1)
				case errors.As(err, &e) && e.Outcome == Unknown:
					doubt.Add(1) // it was under way when another one was refused
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if h.initialized != 2 || int64(h.executed) < ok.Load() || ok.Load()+doubt.Load() != 20 || ok.Load() == 0 {
			t.Errorf("%d initialized, %d executed, %d well, %d in doubt", h.initialized, h.executed, ok.Load(), doubt.Load())
		}
	})
	t.Run("field-fault-196 a server that never knows its sessions", func(t *testing.T) {
		connectortest.NoLeaks(t)
		h := &restarted{status: 404, always: true}
		s := open1(t, config.Connector{Name: "w", Transport: "http", URL: serve(t, h)}, Options{})
		_, err := s.Call(t.Context(), "a", nil)
		failure(t, err, CodeLost, NotSent)
		if h.initialized != 2 || h.executed != 0 {
			t.Errorf("%d initialized, %d executed", h.initialized, h.executed)
		}
	})
	t.Run("field-fault-196 a server that comes back late", func(t *testing.T) {
		connectortest.NoLeaks(t)
		h := &restarted{status: 404}
		var down atomic.Bool
		s := open1(t, config.Connector{Name: "w", Transport: "http", URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			if down.Load() && strings.Contains(string(b), `"initialize"`) {
				http.Error(w, "starting", http.StatusServiceUnavailable)
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(b)))
			h.ServeHTTP(w, r)
		}))}, Options{})
		down.Store(true)
		h.restart()
		_, err := s.Call(t.Context(), "a", nil)
		if e := failure(t, err, CodeLost, NotSent); !strings.Contains(e.Error(), "could not be opened anew") || !strings.Contains(e.Error(), "503") {
			t.Error(e)
		}
		down.Store(false)
		call(t, s, "a", `{}`)
	})
	t.Run("field-fault-196 a server of the SDK", func(t *testing.T) {
		connectortest.NoLeaks(t)
		var h atomic.Pointer[http.Handler]
		end := func() {}
		fresh := func() {
			end()
			server := sdkServer()
			next := http.Handler(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
			h.Store(&next)
			end = func() {
				for s := range server.Sessions() {
					_ = s.Close()
				}
			}
		}
		fresh()
		t.Cleanup(func() { end() })
		s := open1(t, config.Connector{Name: "sdk", Transport: "http", URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			(*h.Load()).ServeHTTP(w, r)
		}))}, Options{})
		for range 3 {
			if r := call(t, s, "double", `{"n":21}`); string(r.Structured) != `{"n":42}` {
				t.Errorf("%s", r.Structured)
			}
			fresh()
		}
	})
}

// What a server asks in the middle of a call is refused at once.
func TestFieldFault197_ServerAsks(t *testing.T) {
	for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list", "made/up"} {
		t.Run("field-fault-197 "+method, func(t *testing.T) {
			connectortest.NoLeaks(t)
			s := open1(t, connectortest.Fixture(t), Options{})
			got := said(t, call(t, s, "ask", `{"method":"`+method+`"}`))
			if !strings.Contains(got, `"error"`) || !strings.Contains(got, "-32601") {
				t.Error(got)
			}
		})
	}
	t.Run("field-fault-197 over HTTP", func(t *testing.T) {
		connectortest.NoLeaks(t)
		answered := make(chan string, 1)
		h := &web1{events: true}
		h.call = func(_ http.ResponseWriter, id, _ string, send func(string)) {
			send(`{"jsonrpc":"2.0","id":"ask-1","method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`)
			text, _ := json.Marshal(<-answered)
			send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":` + string(text) + `}]}}`)
		}
		s := open1(t, config.Connector{Name: "w", Transport: "http", URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			if strings.Contains(string(b), `"ask-1"`) {
				answered <- string(b)
			}
			r.Body = io.NopCloser(strings.NewReader(string(b)))
			h.ServeHTTP(w, r)
		}))}, Options{})
		if got := said(t, call(t, s, "a", `{}`)); !strings.Contains(got, "-32601") {
			t.Error(got)
		}
	})
	t.Run("field-fault-197 a server that waits nevertheless", func(t *testing.T) {
		connectortest.NoLeaks(t)
		s := open1(t, connectortest.Fixture(t), Options{CallTimeout: 300 * time.Millisecond})
		_, err := s.Call(t.Context(), "ask", json.RawMessage(`{"method":"elicitation/create","hang":true}`))
		if e := failure(t, err, CodeCallTimeout, Unknown); !strings.Contains(e.Error(), "it had asked for elicitation/create, which was refused") {
			t.Error(e)
		}
		_, err = s.Call(t.Context(), "hang", nil) // which has asked for nothing
		if e := failure(t, err, CodeCallTimeout, Unknown); strings.Contains(e.Error(), "elicitation") {
			t.Error(e)
		}
	})
}

// Input that a tool needs: refused at once where nobody is there; else so many rounds and no more.
func TestFieldFault199_InputRounds(t *testing.T) {
	asked := func(o *Options) *[]string {
		var all []string
		o.Input = func(_ context.Context, tool string, questions json.RawMessage) (json.RawMessage, error) {
			var q map[string]json.RawMessage
			if err := json.Unmarshal(questions, &q); err != nil || len(q) != 1 {
				return nil, fmt.Errorf("%s asks %s", tool, questions)
			}
			for k := range q {
				all = append(all, k)
				return json.RawMessage(`{"` + k + `":{"action":"accept","content":{"account":12345678901234567890}}}`), nil
			}
			return nil, nil
		}
		return &all
	}
	t.Run("field-fault-197 input_required in unattended mode", func(t *testing.T) {
		connectortest.NoLeaks(t)
		s := open1(t, connectortest.Fixture(t, "-modern"), Options{})
		_, err := s.Call(t.Context(), "need_input", json.RawMessage(`{"rounds":1}`))
		if e := failure(t, err, "input-required", Answered); !strings.Contains(e.Error(), "Which account?") {
			t.Error(e)
		}
		call(t, s, "echo", `{"value":1}`)
	})
	t.Run("field-fault-199 three rounds", func(t *testing.T) {
		connectortest.NoLeaks(t)
		var o Options
		all := asked(&o)
		s := open1(t, connectortest.Fixture(t, "-modern"), o)
		got := said(t, call(t, s, "need_input", `{"rounds":3}`))
		if !slices.Equal(*all, []string{"q1", "q2", "q3"}) || strings.Count(got, `{"account":12345678901234567890}`) != 3 {
			t.Error(*all, got)
		}
	})
	t.Run("field-fault-199 a server that asks for ever", func(t *testing.T) {
		connectortest.NoLeaks(t)
		o := Options{InputRounds: 4}
		all := asked(&o)
		s := open1(t, connectortest.Fixture(t, "-modern"), o)
		_, err := s.Call(t.Context(), "need_input", json.RawMessage(`{"rounds":-1}`))
		if e := failure(t, err, "input-required", Answered); len(*all) != 4 || !strings.Contains(e.Error(), "4 times") {
			t.Error(*all, e)
		}
	})
	t.Run("field-fault-199 given up between rounds", func(t *testing.T) {
		connectortest.NoLeaks(t)
		ctx, cancel := context.WithCancel(t.Context())
		o := Options{Input: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			cancel()
			return json.RawMessage(`{}`), nil
		}}
		s := open1(t, connectortest.Fixture(t, "-modern"), o)
		_, err := s.Call(ctx, "need_input", json.RawMessage(`{"rounds":-1}`))
		failure(t, err, CodeCancelled, NotSent)
		o.Input = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return nil, errors.New("nobody came")
		}
		s = open1(t, connectortest.Fixture(t, "-modern"), o)
		_, err = s.Call(t.Context(), "need_input", json.RawMessage(`{"rounds":-1}`))
		if e := failure(t, err, "input-required", Answered); !strings.Contains(e.Error(), "nobody came") {
			t.Error(e)
		}
	})
}

// The entry's headers are in every request, of every kind, from the first one on.
func TestFieldFault200_Headers(t *testing.T) {
	for name, h := range map[string]struct {
		transport string
		handler   http.Handler
	}{
		"field-fault-157 written by hand":     {"http", &web1{call: echoParams, session: "s1"}},
		"field-fault-200 stateful":            {"http", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil)},
		"field-fault-200 the newest protocol": {"http", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, &mcp.StreamableHTTPOptions{Stateless: true})},
		"field-fault-200 sse":                 {"sse", sdkSSE()},
	} {
		t.Run(name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			var with, without atomic.Int64
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Key") != "k-12345" {
					without.Add(1)
					http.Error(w, "no key", http.StatusUnauthorized)
					return
				}
				with.Add(1)
				h.handler.ServeHTTP(w, r)
			}))
			s := open1(t, config.Connector{Name: "w", Transport: h.transport, URL: url, Headers: map[string]string{"X-Key": "k-12345"}}, Options{ToolsChanged: func() {}})
			tools, err := s.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				call(t, s, tools[0].Name, `{"n":1}`)
			}
			_ = s.Close()
			if with.Load() < 5 || without.Load() != 0 {
				t.Errorf("%d with, %d without", with.Load(), without.Load())
			}
		})
	}
}

// All revisions of the protocol.
func TestProtocols(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			connectortest.NoLeaks(t)
			s := open1(t, connectortest.Fixture(t, "-protocol", version), Options{})
			if s.Server().Protocol != version {
				t.Error(s.Server())
			}
			if line := said(t, call(t, s, "received", `{}`)); strings.Contains(line, "io.modelcontextprotocol") {
				t.Errorf("it does not know what %s means", line)
			}
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		connectortest.NoLeaks(t)
		s := open1(t, connectortest.Fixture(t, "-modern"), Options{})
		if s.Server().Protocol != "2026-07-28" {
			t.Error(s.Server())
		}
		line := said(t, call(t, s, "received", `{}`))
		for _, key := range []string{"protocolVersion", "clientInfo", "clientCapabilities"} {
			if !strings.Contains(line, `"io.modelcontextprotocol/`+key+`"`) {
				t.Errorf("%s is not in %s", key, line)
			}
		}
	})
	t.Run("one that does not exist", func(t *testing.T) {
		connectortest.NoLeaks(t)
		_, err := Open(t.Context(), connectortest.Fixture(t, "-protocol", "1999-01-01"), Options{})
		if e := failure(t, err, CodeUnreachable, NotSent); !strings.Contains(e.Error(), "1999-01-01") {
			t.Error(e)
		}
	})
	t.Run("2026-07-28 over HTTP", func(t *testing.T) {
		connectortest.NoLeaks(t)
		h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, &mcp.StreamableHTTPOptions{Stateless: true})
		var mu sync.Mutex
		var seen []string
		s := open1(t, config.Connector{Name: "w", Transport: "http", URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen = append(seen, strings.Join([]string{r.Method, r.Header.Get("Mcp-Method"), r.Header.Get("Mcp-Name"), r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("Mcp-Session-Id")}, " "))
			mu.Unlock()
			h.ServeHTTP(w, r)
		}))}, Options{})
		call(t, s, "double", `{"n":1}`)
		_ = s.Close()
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(seen, "\n"); got != "POST server/discover  2026-07-28 \nPOST tools/call double 2026-07-28 " {
			t.Errorf("%s", got)
		}
	})
}
