// Package authtest is an authorization server and an MCP server behind it, for tests: both are real, on ports of this machine.
//
//	s := authtest.New(t, authtest.Server{})
//	s.MCP         // the address of the protected server: its tools are whoami (reads) and erase (wants the scope notes:write)
//	s.Visit(url)  // what a browser does in which somebody logs in: follows redirects to the end
//
// The authorization server has metadata, authorization endpoint, token endpoint, registration and revocation. It checks PKCE, redirect
// addresses, resources, clients and their secrets, rotates refresh tokens, and ends a login when one is used twice. The fields of
// [Server] make it misbehave: each is a change to one answer.
package authtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// Server is both servers. The fields are set before New, or by tests that know that nothing is under way.
type Server struct {
	// Path is that of the MCP server: "/mcp" if it is empty.
	Path string
	// Tenant is the path of the issuer, as "/tenant1".
	Tenant string
	// OpenID says that there is only the metadata of OpenID Connect.
	OpenID bool
	// NoResourceMetadata, AtRoot and NoHint say where the resource's metadata is: nowhere, at the root alone, not in the challenge.
	NoResourceMetadata, AtRoot, NoHint bool
	// Lifetime is that of access tokens: 1 h.
	Lifetime time.Duration
	// NoRefresh gives no refresh tokens.
	NoRefresh bool
	// Header is one that each request to the MCP server has to have.
	Header string
	// Refuse has the MCP server refuse every token, and say which it was.
	Refuse atomic.Bool
	// Clients are those that are registered by hand: their ids and secrets.
	Clients map[string]string
	// Documents are client id metadata documents, by their addresses.
	Documents map[string]string

	// These change answers. Hint gets the header of a refusal; Token may answer in place of the token endpoint, and is then true.
	Metadata, Resource func(map[string]any)
	Redirect           func(url.Values)
	Hint               func(http.Header)
	Token              func(http.ResponseWriter, *http.Request) bool

	MCP    string // the address of the MCP server
	Issuer string

	as, rs *httptest.Server
	mu     sync.Mutex
	// What has happened.
	seen    map[string][]url.Values // by endpoint
	clients map[string]client
	codes   map[string]grant
	access  map[string]grant
	refresh map[string]grant
	used    map[string]string // spent refresh tokens and codes, with their family
}

type client struct {
	secret, method string
	redirects      []string
}

type grant struct {
	family, client, redirect, challenge, resource string
	scopes                                        []string
	expires                                       time.Time
}

// New starts the servers, until the test ends.
func New(t testing.TB, s *Server) *Server {
	t.Helper()
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts them.
func (s *Server) Start() {
	if s.Path == "" {
		s.Path = "/mcp"
	}
	if s.Lifetime == 0 {
		s.Lifetime = time.Hour
	}
	s.seen, s.clients, s.codes = map[string][]url.Values{}, map[string]client{}, map[string]grant{}
	s.access, s.refresh, s.used = map[string]grant{}, map[string]grant{}, map[string]string{}
	for id, secret := range s.Clients {
		s.clients[id] = client{secret: secret, method: "client_secret_basic", redirects: []string{"http://127.0.0.1/callback"}}
	}
	s.as = httptest.NewServer(s.authorizationServer())
	s.rs = httptest.NewServer(s.resourceServer())
	s.Issuer, s.MCP = s.as.URL+s.Tenant, s.rs.URL+s.Path
}

// Close ends them.
func (s *Server) Close() {
	for _, h := range []*httptest.Server{s.as, s.rs} {
		h.CloseClientConnections()
		h.Close()
	}
}

// Seen returns the forms and queries that an endpoint got: authorize, token, register, revoke, metadata, resource.
func (s *Server) Seen(endpoint string) []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen[endpoint])
}

// Expire ends all access tokens, and with grants also the refresh tokens.
func (s *Server) Expire(grants bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
	if grants {
		clear(s.refresh)
	}
}

// Live counts the access and refresh tokens that would be taken.
func (s *Server) Live() (access, refresh int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.access), len(s.refresh)
}

// Tokens returns every token and code that was ever given out.
func (s *Server) Tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range []map[string]grant{s.access, s.refresh, s.codes} {
		for k := range m {
			all = append(all, k)
		}
	}
	for k := range s.used {
		all = append(all, k)
	}
	return all
}

// Visit does what a browser does with an address, and returns the status and text of the page where it ends.
func (s *Server) Visit(address string) (int, string, error) {
	resp, err := http.Get(address)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// Answer is Visit up to the last redirect: the address to which the browser would be sent.
func (s *Server) Answer(address string) (string, error) {
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(address)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if to := resp.Header.Get("Location"); to != "" {
		return to, nil
	}
	return "", fmt.Errorf("%s: %s", resp.Status, text)
}

func (s *Server) note(endpoint string, v url.Values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[endpoint] = append(s.seen[endpoint], v)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status int, code, why string) {
	answer(w, status, map[string]any{"error": code, "error_description": why})
}

func (s *Server) authorizationServer() http.Handler {
	mux := http.NewServeMux()
	metadata := func(w http.ResponseWriter, r *http.Request) {
		s.note("metadata", url.Values{"path": {r.URL.Path}})
		m := map[string]any{
			"issuer": s.Issuer, "authorization_endpoint": s.Issuer + "/authorize", "token_endpoint": s.Issuer + "/token",
			"registration_endpoint": s.Issuer + "/register", "revocation_endpoint": s.Issuer + "/revoke",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic"},
			"scopes_supported":                               []string{"notes:read", "notes:write", "offline_access"},
			"authorization_response_iss_parameter_supported": true,
			"client_id_metadata_document_supported":          s.Documents != nil,
		}
		if s.Metadata != nil {
			s.Metadata(m)
		}
		answer(w, http.StatusOK, m)
	}
	if !s.OpenID {
		mux.HandleFunc("GET /.well-known/oauth-authorization-server"+s.Tenant, metadata)
	} else if s.Tenant != "" {
		mux.HandleFunc("GET "+s.Tenant+"/.well-known/openid-configuration", metadata)
	} else {
		mux.HandleFunc("GET /.well-known/openid-configuration", metadata)
	}
	mux.HandleFunc("GET "+s.Tenant+"/authorize", s.authorize)
	mux.HandleFunc("POST "+s.Tenant+"/register", s.register)
	mux.HandleFunc("POST "+s.Tenant+"/revoke", s.revoke)
	mux.HandleFunc("POST "+s.Tenant+"/token", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			refuse(w, http.StatusBadRequest, "invalid_request", "no form")
			return
		}
		s.note("token", r.PostForm)
		if s.Token == nil || !s.Token(w, r) {
			s.token(w, r)
		}
	})
	return mux
}

// known finds a client: one that is registered, or the document at its id.
func (s *Server) known(id string) (client, bool) {
	if text, ok := s.Documents[id]; ok {
		var d struct {
			ClientID  string   `json:"client_id"`
			Redirects []string `json:"redirect_uris"`
		}
		if json.Unmarshal([]byte(text), &d) == nil && d.ClientID == id {
			return client{method: "none", redirects: d.Redirects}, true
		}
		return client{}, false
	}
	c, ok := s.clients[id]
	return c, ok
}

// allows compares redirect addresses as RFC 8252, section 7.3 has it: on this machine the port may be any.
func (c client) allows(redirect string) bool {
	u, err := url.Parse(redirect)
	if err != nil || u.Hostname() != "127.0.0.1" {
		return false
	}
	u.Host = u.Hostname()
	return slices.Contains(c.redirects, redirect) || slices.Contains(c.redirects, u.String())
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.note("authorize", q)
	s.mu.Lock()
	c, ok := s.known(q.Get("client_id"))
	s.mu.Unlock()
	if !ok || !c.allows(q.Get("redirect_uri")) {
		http.Error(w, "unknown client or redirect address", http.StatusBadRequest) // an open redirect otherwise
		return
	}
	out := url.Values{"state": {q.Get("state")}, "iss": {s.Issuer}}
	switch {
	case q.Get("response_type") != "code":
		out.Set("error", "unsupported_response_type")
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		out.Set("error", "invalid_request")
	case q.Get("resource") != s.MCP && q.Get("resource") != s.rs.URL:
		out.Set("error", "invalid_target")
	default:
		code := "code-" + rand.Text()
		s.mu.Lock()
		s.codes[code] = grant{family: rand.Text(), client: q.Get("client_id"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
			resource: q.Get("resource"), scopes: strings.Fields(q.Get("scope"))}
		s.mu.Unlock()
		out.Set("code", code)
	}
	if s.Redirect != nil {
		s.Redirect(out)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+out.Encode(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	form := r.PostForm
	id, ok := s.identified(r)
	if !ok {
		refuse(w, http.StatusUnauthorized, "invalid_client", "unknown client or wrong secret")
		return
	}
	var g grant
	switch form.Get("grant_type") {
	case "authorization_code":
		code := form.Get("code")
		if g, ok = s.codes[code]; !ok {
			s.end(s.used[code])
			refuse(w, http.StatusBadRequest, "invalid_grant", "unknown code")
			return
		}
		delete(s.codes, code)
		s.used[code] = g.family
		if g.redirect != form.Get("redirect_uri") || oauth2.S256ChallengeFromVerifier(form.Get("code_verifier")) != g.challenge {
			refuse(w, http.StatusBadRequest, "invalid_grant", "not the client that asked")
			return
		}
	case "refresh_token":
		token := form.Get("refresh_token")
		if g, ok = s.refresh[token]; !ok {
			s.end(s.used[token]) // somebody has it who should not
			refuse(w, http.StatusBadRequest, "invalid_grant", "unknown refresh token "+token)
			return
		}
		delete(s.refresh, token)
		s.used[token] = g.family
	default:
		refuse(w, http.StatusBadRequest, "unsupported_grant_type", form.Get("grant_type"))
		return
	}
	if g.client != id || form.Get("resource") != g.resource {
		refuse(w, http.StatusBadRequest, "invalid_grant", "of another client or resource")
		return
	}
	access := "access-" + rand.Text()
	g.expires = time.Now().Add(s.Lifetime)
	s.access[access] = g
	out := map[string]any{"access_token": access, "token_type": "bearer", "expires_in": int(s.Lifetime.Seconds()), "scope": strings.Join(g.scopes, " ")}
	if !s.NoRefresh {
		next := "refresh-" + rand.Text()
		s.refresh[next] = g
		out["refresh_token"] = next
	}
	answer(w, http.StatusOK, out)
}

// end ends a login: all that came of one code.
func (s *Server) end(family string) {
	for _, m := range []map[string]grant{s.access, s.refresh} {
		for k, g := range m {
			if family != "" && g.family == family {
				delete(m, k)
			}
		}
	}
}

// identified finds out which client asks.
func (s *Server) identified(r *http.Request) (id string, ok bool) {
	id, secret, basic := r.BasicAuth()
	if basic {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id = r.PostForm.Get("client_id")
	}
	c, ok := s.known(id)
	return id, ok && (c.secret == "" && !basic || basic && c.method == "client_secret_basic" && c.secret == secret)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var m struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
		Type      string   `json:"application_type"`
		Name      string   `json:"client_name"`
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil || len(m.Redirects) == 0 || m.Type != "native" {
		refuse(w, http.StatusBadRequest, "invalid_client_metadata", "a native client with redirect addresses is wanted")
		return
	}
	s.note("register", url.Values{"name": {m.Name}, "method": {m.Method}})
	id := "client-" + rand.Text()
	out := map[string]any{"client_id": id, "redirect_uris": m.Redirects, "token_endpoint_auth_method": m.Method}
	c := client{method: m.Method, redirects: m.Redirects}
	if m.Method != "none" {
		c.secret = "secret-" + rand.Text()
		out["client_secret"] = c.secret
	}
	s.mu.Lock()
	s.clients[id] = c
	s.mu.Unlock()
	answer(w, http.StatusCreated, out)
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.note("revoke", r.PostForm)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.identified(r); !ok {
		refuse(w, http.StatusUnauthorized, "invalid_client", "unknown client or wrong secret")
		return
	}
	token := r.PostForm.Get("token")
	for _, m := range []map[string]grant{s.access, s.refresh} {
		if g, ok := m[token]; ok {
			s.end(g.family)
		}
	}
	w.WriteHeader(http.StatusOK)
}

func (s *Server) resourceServer() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	yes, no := true, false
	mcp.AddTool(server, &mcp.Tool{Name: "whoami", Description: "Says which scopes the caller has.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}},
		func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, map[string]any, error) {
			info := auth.TokenInfoFromContext(ctx)
			if info == nil {
				info = req.Extra.TokenInfo
			}
			return nil, map[string]any{"scopes": info.Scopes, "token": req.Extra.Header.Get("Authorization")}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "erase", Description: "Erases all notes.", Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, map[string]any, error) {
			return nil, map[string]any{"erased": true}, nil
		})
	var handler http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: true})
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		g, ok := s.access[token]
		if s.Refuse.Load() || !ok || g.resource != s.MCP && g.resource != s.rs.URL {
			return nil, fmt.Errorf("%w: %s", auth.ErrInvalidToken, token)
		}
		return &auth.TokenInfo{Scopes: g.scopes, Expiration: g.expires}, nil
	}
	handler = auth.RequireBearerToken(verify, nil)(s.scoped(handler))
	known := "/.well-known/oauth-protected-resource"
	metadata := func(w http.ResponseWriter, r *http.Request) {
		s.note("resource", url.Values{"path": {r.URL.Path}})
		m := map[string]any{"resource": s.MCP, "authorization_servers": []string{s.Issuer}, "scopes_supported": []string{"notes:read"},
			"bearer_methods_supported": []string{"header"}}
		if s.AtRoot {
			m["resource"] = s.rs.URL
		}
		if s.Resource != nil {
			s.Resource(m)
		}
		answer(w, http.StatusOK, m)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := known + strings.TrimSuffix(s.Path, "/")
		if s.AtRoot {
			at = known
		}
		switch {
		case r.URL.Path == at && !s.NoResourceMetadata:
			metadata(w, r)
		case r.URL.Path == s.Path:
			if s.Header != "" && r.Header.Get(s.Header) == "" {
				http.Error(w, "a request without "+s.Header, http.StatusUnauthorized)
				return
			}
			handler.ServeHTTP(&hinting{ResponseWriter: w, s: s, at: s.rs.URL + at}, r)
		default:
			http.NotFound(w, r)
		}
	})
}

// scoped asks for the scope notes:write where the tool erase is called.
func (s *Server) scoped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var m struct {
			Method string
			Params struct{ Name string }
		}
		info := auth.TokenInfoFromContext(r.Context())
		if json.Unmarshal(body, &m) == nil && m.Method == "tools/call" && m.Params.Name == "erase" && !slices.Contains(info.Scopes, "notes:write") {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="notes:write"`)
			http.Error(w, "insufficient scope", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hinting adds the challenge to refusals.
type hinting struct {
	http.ResponseWriter
	s  *Server
	at string
}

func (h *hinting) WriteHeader(status int) {
	if status == http.StatusUnauthorized {
		hint := "Bearer"
		if !h.s.NoHint && !h.s.NoResourceMetadata {
			hint = fmt.Sprintf(`Bearer resource_metadata=%q`, h.at)
		}
		h.Header().Set("WWW-Authenticate", hint)
		if h.s.Hint != nil {
			h.s.Hint(h.Header())
		}
	}
	h.ResponseWriter.WriteHeader(status)
}

// Flush implements [http.Flusher].
func (h *hinting) Flush() {
	if f, ok := h.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
