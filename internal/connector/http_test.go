package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

// web1 is a server over HTTP, written by hand: JSON answers, or events.
type web1 struct {
	mu        sync.Mutex
	requests  []*http.Request
	methods   []string
	cancelled atomic.Int64
	session   string // the id, or none

	events bool
	call   func(w http.ResponseWriter, id, params string, send func(string))
}

func (h *web1) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	_ = json.Unmarshal(body, &m)
	h.mu.Lock()
	h.requests = append(h.requests, r)
	h.methods = append(h.methods, r.Method+" "+m.Method)
	session := h.session
	h.mu.Unlock()
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if given := r.Header.Get("Mcp-Session-Id"); given != "" && given != session {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	send := func(message string) {
		if !h.events {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, message)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": hello\n\nevent: message\ndata: "+message+"\n\n")
		w.(http.Flusher).Flush()
	}
	answer := func(result string) { send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)) }
	switch m.Method {
	case "server/discover":
		http.Error(w, "what?", http.StatusBadRequest)
	case "initialize":
		if session != "" {
			w.Header().Set("Mcp-Session-Id", session)
		}
		answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`)
	case "tools/list":
		answer(`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"n":{"const":12345678901234567890}}}}]}`)
	case "tools/call":
		h.mu.Lock()
		call := h.call
		h.mu.Unlock()
		call(w, string(m.ID), string(m.Params), send)
	case "notifications/cancelled":
		h.cancelled.Add(1)
		w.WriteHeader(http.StatusAccepted)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func (h *web1) set(call func(w http.ResponseWriter, id, params string, send func(string))) {
	h.mu.Lock()
	h.call = call
	h.mu.Unlock()
}

func echoParams(_ http.ResponseWriter, id, params string, send func(string)) {
	var p struct{ Arguments json.RawMessage }
	_ = json.Unmarshal([]byte(params), &p)
	send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":%s}}`, id, p.Arguments))
}

func serve(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

func TestHTTP(t *testing.T) {
	for _, events := range []bool{false, true} {
		t.Run(fmt.Sprint("events ", events), func(t *testing.T) {
			connectortest.NoLeaks(t)
			h := &web1{events: events, session: "s1", call: echoParams}
			const secret = "tok-12345"
			s := open1(t, config.Connector{Name: "web", Transport: "http", URL: serve(t, h) + "/mcp", Headers: map[string]string{"Authorization": "Bearer " + secret, "X-Team": "a"}},
				Options{Secrets: []string{secret}, CallTimeout: time.Second, MaxMessage: 1 << 20})
			l, err := s.List(t.Context())
			if err != nil || string(l.Tools[0].InputSchema) != `{"type":"object","properties":{"n":{"const":12345678901234567890}}}` {
				t.Fatal(l, err)
			}
			const arguments = `{"n": 1915883588174806058.10, "s":"<&>"}`
			if r := call(t, s, "a", arguments); string(r.Structured) != arguments {
				t.Errorf("%s", r.Structured)
			}
			h.mu.Lock()
			for i, r := range h.requests {
				if r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("X-Team") != "a" {
					t.Errorf("%s without its headers: %v", h.methods[i], r.Header)
				}
			}
			h.mu.Unlock()

			// Too large, not a message, an error, a status.
			h.set(func(w http.ResponseWriter, id, _ string, send func(string)) {
				send(`{"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 2<<20) + `"}]},"jsonrpc":"2.0","id":` + id + `}`)
			})
			_, err = s.Call(t.Context(), "a", nil)
			if e := failure(t, err, CodeTooLarge, Answered); !strings.Contains(e.Error(), "2097") {
				t.Error(e)
			}
			h.set(func(w http.ResponseWriter, id, _ string, send func(string)) {
				send(`{"jsonrpc":"2.0","id":` + id + `,"result":NaN}`)
			})
			_, err = s.Call(t.Context(), "a", nil)
			failure(t, err, CodeInvalid, Answered)
			h.set(func(w http.ResponseWriter, id, _ string, send func(string)) {
				send(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"no ` + secret + `"}}`)
			})
			_, err = s.Call(t.Context(), "a", nil)
			if e := failure(t, err, CodeCallRefused, Answered); e.RPC.Message != "no [redacted]" {
				t.Error(e)
			}
			for status, want := range map[int]Outcome{503: Unknown, 500: Unknown, 429: NotSent} {
				h.set(func(w http.ResponseWriter, _, _ string, _ func(string)) { http.Error(w, "sorry "+secret, status) })
				_, err = s.Call(t.Context(), "a", nil)
				if e := failure(t, err, CodeUnreachable, want); !strings.Contains(e.Error(), "sorry [redacted]") {
					t.Error(e)
				}
			}
			// No answer in time: the server is told.
			h.set(func(w http.ResponseWriter, _, _ string, _ func(string)) { time.Sleep(1300 * time.Millisecond) })
			_, err = s.Call(t.Context(), "a", nil)
			failure(t, err, CodeCallTimeout, Unknown)
			for i := 0; i < 100 && h.cancelled.Load() == 0; i++ {
				time.Sleep(10 * time.Millisecond)
			}
			if h.cancelled.Load() != 1 {
				t.Error("cancelled", h.cancelled.Load())
			}
			h.set(echoParams)
			call(t, s, "a", `{}`)
		})
	}
}

func TestHTTPThatCannotBeOpened(t *testing.T) {
	connectortest.NoLeaks(t)
	status := func(code int, text string) string {
		return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, code) }))
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	hangs := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	}))
	html := status(200, "<html>hello")
	for _, transport := range []string{"http", "sse"} {
		for url, want := range map[string]string{
			status(401, "who are you"): CodeUnauthorized, status(403, "no"): CodeUnauthorized, status(404, "nothing here"): CodeUnreachable,
			status(500, "broken"): CodeUnreachable, html: CodeUnreachable, dead.URL: CodeUnreachable, hangs: CodeUnreachable,
		} {
			began := time.Now()
			s, err := Open(t.Context(), config.Connector{Name: "w", Transport: transport, URL: url}, Options{OpenTimeout: 800 * time.Millisecond})
			if err == nil {
				_ = s.Close()
				t.Error("it opened")
				continue
			}
			e := failure(t, err, want, NotSent)
			if strings.Contains(e.Error(), "HTTP status") == (url == dead.URL || url == hangs || url == html) {
				t.Errorf("%s: %v", url, e)
			}
			if url == html && !strings.Contains(e.Error(), "text/plain") {
				t.Error(e)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Error(e, took)
			}
		}
	}
}

// A redirect that keeps the request is followed, a few times; the entry's headers stay at the entry's host.
func TestRedirects(t *testing.T) {
	const key = "Bearer abcdef"
	for _, c := range []struct {
		name, path string
		calls      bool   // the call succeeds
		keyed      bool   // and the server has got the headers
		says       string // else
	}{
		{"the same host, kept for good", "/308", true, true, ""},
		{"the same host, kept for now", "/307", true, true, ""},
		{"another host", "/other", true, false, ""},
		{"the same host, as a GET", "/302", false, false, "loses the request"},
		{"round and round", "/loop", false, false, "more than 5 redirects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			var keyed, bare, looped atomic.Int64
			h := &web1{call: echoParams}
			at := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == key {
					keyed.Add(1)
				} else {
					bare.Add(1)
				}
				h.ServeHTTP(w, r)
			})
			mux := http.NewServeMux()
			mux.Handle("/mcp", at)
			mux.Handle("/308", http.RedirectHandler("/mcp", http.StatusPermanentRedirect))
			mux.Handle("/307", http.RedirectHandler("/mcp", http.StatusTemporaryRedirect))
			mux.Handle("/302", http.RedirectHandler("/mcp", http.StatusFound))
			mux.Handle("/other", http.RedirectHandler(serve(t, at), http.StatusTemporaryRedirect))
			mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) {
				looped.Add(1)
				http.Redirect(w, r, "/loop", http.StatusPermanentRedirect)
			})
			s, err := Open(t.Context(), config.Connector{Name: "w", Transport: "http", URL: serve(t, mux) + c.path, Headers: map[string]string{"Authorization": key}}, Options{})
			if err == nil {
				_, err = s.Call(t.Context(), "a", nil)
				_ = s.Close()
			}
			if (err == nil) != c.calls || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Error(err)
			}
			if c.calls && (keyed.Load() > 0) != c.keyed || (bare.Load() > 0) != (c.calls && !c.keyed) {
				t.Errorf("%d requests with headers, %d without", keyed.Load(), bare.Load())
			}
			if looped.Load() > 2*mostRedirects {
				t.Errorf("%d requests", looped.Load())
			}
		})
	}
	t.Run("from https to http", func(t *testing.T) {
		from, _ := http.NewRequest(http.MethodPost, "https://example.com/mcp", nil)
		to, _ := http.NewRequest(http.MethodPost, "http://example.com/mcp", nil)
		if err := (&web{}).redirect(to, []*http.Request{from}); err == nil || !strings.Contains(err.Error(), "read along") {
			t.Error(err)
		}
	})
}

// Closing does not wait for calls.
func TestCloseWithCalls(t *testing.T) {
	connectortest.NoLeaks(t)
	h := &web1{call: func(http.ResponseWriter, string, string, func(string)) { time.Sleep(1500 * time.Millisecond) }}
	for _, c := range []config.Connector{connectortest.Fixture(t), {Name: "w", Transport: "http", URL: serve(t, h)}} {
		s := open1(t, c, Options{})
		done := make(chan error)
		go func() {
			_, err := s.Call(context.Background(), "hang", nil)
			done <- err
		}()
		time.Sleep(200 * time.Millisecond)
		began := time.Now()
		_ = s.Close()
		failure(t, <-done, CodeLost, Unknown)
		if took := time.Since(began); took > time.Second {
			t.Error(c.Transport, took)
		}
	}
}

// Servers of the SDK: the newest protocol, streams, the transport of 2024.
func TestSDKServers(t *testing.T) {
	get := func(*http.Request) *mcp.Server { return sdkServer() }
	for name, c := range map[string]struct {
		transport string
		h         http.Handler
		protocol  string
	}{
		"stateless": {"http", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}), "2026-07-28"},
		"stateful":  {"http", mcp.NewStreamableHTTPHandler(get, nil), legacyProtocol},
		"json":      {"http", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true}), legacyProtocol},
		"sse":       {"sse", mcp.NewSSEHandler(get, nil), legacyProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			connectortest.NoLeaks(t)
			s := open1(t, config.Connector{Name: "sdk", Transport: c.transport, URL: serve(t, c.h)}, Options{ToolsChanged: func() {}})
			if s.Server().Protocol != c.protocol {
				t.Errorf("protocol %s", s.Server().Protocol)
			}
			tools, err := s.Tools(t.Context())
			if err != nil || !slices.Equal(names(tools), []string{"double"}) {
				t.Fatal(tools, err)
			}
			if r := call(t, s, "double", `{"n":21}`); string(r.Structured) != `{"n":42}` {
				t.Errorf("%s", r.Structured)
			}
			if r := call(t, s, "double", `{"n":-1}`); !r.IsError || said(t, r) != "negative" {
				t.Errorf("%+v", r)
			}
			_ = s.Close()
			_, err = s.Call(t.Context(), "double", nil)
			failure(t, err, CodeLost, NotSent)
		})
	}
}

// An argument that belongs into a header is put there, although nobody has listed the tools.
func TestHeaderArguments(t *testing.T) {
	connectortest.NoLeaks(t)
	srv := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`)
	srv.AddTool(&mcp.Tool{Name: "where", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "there"}}}, nil
	})
	var region atomic.Value
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := r.Header.Get("Mcp-Param-Region"); v != "" {
			region.Store(v)
		}
		h.ServeHTTP(w, r)
	}))
	s := open1(t, config.Connector{Name: "sdk", Transport: "http", URL: url}, Options{})
	if got := said(t, call(t, s, "where", `{"region":"north"}`)); got != "there" || region.Load() != "north" {
		t.Error(got, region.Load())
	}
	l, err := s.List(t.Context())
	if err != nil || len(l.Tools) != 1 || len(l.Problems) != 0 {
		t.Error(l, err)
	}
}

// sdkServer has a tool that doubles a number.
func sdkServer() *mcp.Server {
	type in struct {
		N int `json:"n"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "double"}, func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
		if i.N < 0 {
			return nil, nil, errors.New("negative")
		}
		return nil, map[string]any{"n": 2 * i.N}, nil
	})
	return s
}

func sdkSSE() http.Handler {
	return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil)
}
