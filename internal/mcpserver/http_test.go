package mcpserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/mcpserver"
)

const token = "0123456789abcdef0123"

// Who is let in.
func TestAccess(t *testing.T) {
	s := mcpserver.New(nil, mcpserver.Options{})
	defer s.Close()
	open, closed := mcpserver.Access{}, mcpserver.Access{Token: token, Hosts: []string{"0.0.0.0", "host.docker.internal"}}
	for _, c := range []struct {
		access                      mcpserver.Access
		host, origin, authorization string
		want                        int
	}{
		{open, "127.0.0.1:8000", "", "", 200},
		{open, "localhost:8000", "", "", 200},
		{open, "LOCALHOST", "", "", 200},
		{open, "[::1]:8000", "", "", 200},
		{open, "[::1]", "", "", 200},
		{open, "localhost:8000", "http://localhost:8000", "", 200},
		{open, "evil.example", "", "", 403},
		{open, "evil.example:8000", "", "", 403},
		{open, "localhost.evil.example:8000", "", "", 403},
		{open, "10.0.0.1:8000", "", "", 403},
		{open, "", "", "", 403},
		{open, "localhost:8000", "http://evil.example", "", 403},
		{open, "localhost:8000", "http://localhost:3000", "", 403},
		{open, "localhost:8000", "null", "", 403},
		{closed, "localhost:8000", "", "", 401},
		{closed, "localhost:8000", "", "Bearer " + token, 200},
		{closed, "localhost:8000", "", "bearer " + token, 200},
		{closed, "localhost:8000", "", "Bearer " + token + "x", 401},
		{closed, "localhost:8000", "", "Bearer ", 401},
		{closed, "localhost:8000", "", "Basic " + token, 401},
		{closed, "10.0.0.1:8000", "", "Bearer " + token, 200},
		{closed, "host.docker.internal:8000", "", "Bearer " + token, 200},
		{closed, "evil.example:8000", "", "Bearer " + token, 403},
		{closed, "10.0.0.1:8000", "http://evil.example", "Bearer " + token, 403},
	} {
		r := httptest.NewRequest(http.MethodPost, mcpserver.Path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
			"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		w := httptest.NewRecorder()
		s.Handler(c.access).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("host %q, origin %q, authorization %q: %d, want %d: %s", c.host, c.origin, c.authorization, w.Code, c.want, w.Body)
		}
		if w.Code == 401 && w.Header().Get("WWW-Authenticate") == "" || strings.Contains(w.Body.String(), token) {
			t.Errorf("%v %s", w.Header(), w.Body)
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "localhost"
	s.Handler(open).ServeHTTP(w, r)
	if w.Code != 404 || !strings.Contains(w.Body.String(), mcpserver.Path) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestListenCheck(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"GOOD": token, "SHORT": "secret", "EMPTY": " "}[name]
		return v, ok
	}
	for _, c := range []struct {
		listen mcpserver.Listen
		want   string
	}{
		{mcpserver.Listen{Host: "127.0.0.1"}, ""},
		{mcpserver.Listen{Host: "0.0.0.0"}, "bad-usage"},
		{mcpserver.Listen{Host: "127.0.0.1", TokenVariable: "GOOD"}, "bad-usage"},
		{mcpserver.Listen{HTTP: true, Host: "127.0.0.1"}, ""},
		{mcpserver.Listen{HTTP: true, Host: "localhost"}, ""},
		{mcpserver.Listen{HTTP: true, Host: "::1"}, ""},
		{mcpserver.Listen{HTTP: true, Host: "0.0.0.0"}, "bad-usage"},
		{mcpserver.Listen{HTTP: true, Host: ""}, "bad-usage"},
		{mcpserver.Listen{HTTP: true, Host: "0.0.0.0", TokenVariable: "GOOD"}, ""},
		{mcpserver.Listen{HTTP: true, Host: "127.0.0.1", TokenVariable: "NONE"}, "unset-variable"},
		{mcpserver.Listen{HTTP: true, Host: "127.0.0.1", TokenVariable: "EMPTY"}, "unset-variable"},
		{mcpserver.Listen{HTTP: true, Host: "127.0.0.1", TokenVariable: "SHORT"}, "bad-usage"},
		{mcpserver.Listen{HTTP: true, Host: "127.0.0.1", Port: 70000}, "bad-usage"},
	} {
		got := ""
		if err := c.listen.Check(lookup); err != nil {
			got = fault.Of(err).Code
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the token is in %v", err)
			}
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.listen, got, c.want)
		}
	}
}

// A server that is told to end ends, whatever clients have open, and one port serves one server.
func TestListen(t *testing.T) {
	lab := newLabWith(t, engine.Options{}, mcpserver.Options{Queue: true})
	s := lab.server
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	url, ended := make(chan string, 1), make(chan error, 1)
	l := mcpserver.Listen{HTTP: true, Host: "127.0.0.1", OperatorFile: lab.home.OperatorToken()}
	go func() { ended <- s.Listen(ctx, l, func(u string) { url <- u }) }()
	at := <-url
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	check(t, err)
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-ended:
		check(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
	go func() { _ = session.Close() }()
}
