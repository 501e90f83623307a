package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the server is on HTTP.
const Path = "/mcp"

// Access says who may use a server on HTTP.
type Access struct {
	Token string // that every request of an agent has to bear; empty: none, which is for the loopback interface only
	// Operator is the token of a person's requests, see OperatorPath; empty: there are none.
	Operator string
	Hosts    []string // names by which the server may be called, besides localhost and addresses
}

// Loopback reports whether an address or a name is that of this machine for itself.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// HTTP serves clients until ctx is done.
func (s *Server) HTTP(ctx context.Context, l net.Listener, a Access) error {
	server := &http.Server{Handler: s.Handler(a), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	_ = l.Close() // no new clients
	s.Close()
	// What is still open are streams that wait for news, which would never end.
	if err := server.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Handler is the server on HTTP.
func (s *Server) Handler(a Access) http.Handler {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	// Until revision 2025-11-25 a client has a session, in which it can cancel a call. From 2026-07-28 on it has none, and cancels by
	// hanging up.
	sessions := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		SessionTimeout: 24 * time.Hour, MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true,
	})
	single := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true,
	})
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			single.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	outer := http.NewServeMux()
	if a.Operator != "" {
		outer.Handle(OperatorPath, Access{Token: a.Operator, Hosts: a.Hosts}.guard(s.operator()))
	}
	outer.Handle("/", a.guard(mux))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "there is nothing here: the MCP server is at "+Path, http.StatusNotFound)
	})
	return outer
}

// guard lets in who may use the server.
//
// The Host has to be one of ours, or a web page could reach the server by a name of its own that leads to this machine. An Origin, which
// only browsers send, has to be the server itself.
func (a Access) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !a.host(r.Host):
			http.Error(w, "this server is not called "+hostOf(r.Host), http.StatusForbidden)
		case !sameOrigin(r):
			http.Error(w, "web pages may not use this server", http.StatusForbidden)
		case !a.token(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="runlace"`)
			http.Error(w, "a bearer token is needed: the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (a Access) host(header string) bool {
	host := hostOf(header)
	if Loopback(host) {
		return true
	}
	if slices.ContainsFunc(a.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil && a.Token != "" // no name leads there; and whom it serves has the token
}

// hostOf takes the port off.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
}

func sameOrigin(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

func (a Access) token(r *http.Request) bool {
	if a.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(a.Token))
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
