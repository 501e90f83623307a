package connector

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/fault"
)

// guarded lets requests with the present token pass, and counts the others.
type guarded struct {
	next    http.Handler
	status  int
	token   atomic.Pointer[string]
	refused atomic.Int64
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+*g.token.Load() {
		_, _ = io.Copy(io.Discard, r.Body)
		g.refused.Add(1)
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="x"`)
		http.Error(w, "who are you", g.status)
		return
	}
	g.next.ServeHTTP(w, r)
}

// What fetches tokens: the connector asks it, and knows nothing of it.
func TestAuthorize(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		for _, transport := range []string{"http", "sse"} {
			t.Run(transport+" "+http.StatusText(status), func(t *testing.T) {
				connectortest.NoLeaks(t)
				next := http.Handler(&web1{call: echoParams})
				if transport == "sse" {
					next = sdkSSE()
				}
				g := &guarded{next: next, status: status}
				first, second := "first-token", "second-token"
				g.token.Store(&first)
				var mu sync.Mutex
				have, challenges, seen := "", 0, ""
				o := Options{
					Authorize: func(_ context.Context, r *http.Request) error {
						mu.Lock()
						defer mu.Unlock()
						if r.Header.Get("X-Team") != "a" {
							t.Error("before the entry's headers are there")
						}
						if have != "" {
							r.Header.Set("Authorization", "Bearer "+have)
						}
						return nil
					},
					Challenge: func(_ context.Context, r *http.Response) (bool, error) {
						mu.Lock()
						defer mu.Unlock()
						challenges++
						b, _ := io.ReadAll(r.Body)
						seen = r.Header.Get("WWW-Authenticate") + " " + string(b)
						have = *g.token.Load()
						return true, nil
					},
				}
				s := open1(t, config.Connector{Name: "w", Transport: transport, URL: serve(t, g), Headers: map[string]string{"X-Team": "a"}}, o)
				if challenges != 1 || seen != `Bearer resource_metadata="x" who are you`+"\n" {
					t.Error(challenges, seen)
				}
				arguments := `{"n":21}`
				call(t, s, map[string]string{"http": "a", "sse": "double"}[transport], arguments)
				if challenges != 1 || g.refused.Load() != 1 {
					t.Error(challenges, g.refused.Load())
				}
				// The token expires: the call is refused, and made with another one.
				g.token.Store(&second)
				call(t, s, map[string]string{"http": "a", "sse": "double"}[transport], arguments)
				if challenges != 2 || g.refused.Load() != 2 {
					t.Error(challenges, g.refused.Load())
				}
			})
		}
	}
	t.Run("refused for good", func(t *testing.T) {
		connectortest.NoLeaks(t)
		g := &guarded{next: &web1{call: echoParams}, status: 401}
		never := "never"
		g.token.Store(&never)
		challenges := 0
		_, err := Open(t.Context(), config.Connector{Name: "w", Transport: "http", URL: serve(t, g)}, Options{
			Challenge: func(context.Context, *http.Response) (bool, error) { challenges++; return true, nil }})
		failure(t, err, CodeUnauthorized, NotSent)
		if requests := int(g.refused.Load()); requests != 2*challenges {
			t.Errorf("%d requests, %d challenges: each is repeated once", requests, challenges)
		}
		_, err = Open(t.Context(), config.Connector{Name: "w", Transport: "http", URL: serve(t, g)}, Options{
			Challenge: func(context.Context, *http.Response) (bool, error) { return false, nil }})
		if e := failure(t, err, CodeUnauthorized, NotSent); !strings.Contains(e.Error(), "who are you") {
			t.Error(e)
		}
	})
	t.Run("errors", func(t *testing.T) {
		connectortest.NoLeaks(t)
		g := &guarded{next: &web1{call: echoParams}, status: 401}
		token := "token-1"
		g.token.Store(&token)
		url := serve(t, g)
		own := fault.New("connector-unauthorized", "log in first, with sec-ret").WithHint("runlace auth login w")
		for name, o := range map[string]Options{
			"authorize": {Authorize: func(context.Context, *http.Request) error { return own }},
			"challenge": {Challenge: func(context.Context, *http.Response) (bool, error) { return false, own }},
		} {
			o.Secrets = []string{"sec-ret"}
			_, err := Open(t.Context(), config.Connector{Name: "w", Transport: "http", URL: url}, o)
			e := failure(t, err, "connector-unauthorized", NotSent)
			if !errors.Is(err, own) || e.Fault.Hint != own.Hint || e.Error() != "connector w: log in first, with [redacted]" {
				t.Errorf("%s: %v, %q", name, e, e.Fault.Hint)
			}
		}
		// In the middle of a session, it costs the call only.
		fails := false
		s := open1(t, config.Connector{Name: "w", Transport: "http", URL: url}, Options{Authorize: func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer token-1")
			if fails {
				return own
			}
			return nil
		}})
		fails = true
		_, err := s.Call(t.Context(), "a", nil)
		failure(t, err, CodeUnauthorized, NotSent)
		fails = false
		call(t, s, "a", `{}`)
	})
	t.Run("another host", func(t *testing.T) {
		connectortest.NoLeaks(t)
		other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" || r.Header.Get("X-Key") != "" || r.Header.Get("Referer") != "" {
				t.Errorf("it got %v", r.Header)
			}
			http.Error(w, "who are you", http.StatusUnauthorized)
		}))
		url := serve(t, http.RedirectHandler(other, http.StatusTemporaryRedirect))
		_, err := Open(t.Context(), config.Connector{Name: "w", Transport: "http", URL: url + "/?key=in-the-query", Headers: map[string]string{"X-Key": "abcdef"}}, Options{
			Authorize: func(_ context.Context, r *http.Request) error { r.Header.Set("Authorization", "Bearer x"); return nil },
			Challenge: func(context.Context, *http.Response) (bool, error) {
				t.Error("asked for another host")
				return true, nil
			}})
		if e := failure(t, err, CodeUnauthorized, NotSent); !strings.Contains(e.Error(), "redirects to another host") {
			t.Error(e)
		}
	})
}
