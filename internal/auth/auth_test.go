package auth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/auth/authtest"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// fixture is a home, and what it was told to redact.
type fixture struct {
	*Store
	t    *testing.T
	home home.Home

	mu   sync.Mutex
	told map[string]bool
}

func newFixture(t *testing.T, vars ...string) *fixture {
	t.Helper()
	f := &fixture{t: t, home: home.Home{Dir: t.TempDir()}, told: map[string]bool{}}
	f.Store = f.open(vars...)
	return f
}

// open opens the home as another process would.
func (f *fixture) open(vars ...string) *Store {
	return Open(f.home, home.NewEnv(append([]string{KeyringVariable + "=off"}, vars...)), func(values ...string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, v := range values {
			f.told[v] = true
		}
	})
}

// login logs in as somebody does who agrees to everything.
func (f *fixture) login(s *authtest.Server, change func(*Login)) (*Status, error) {
	l := Login{Connector: "notes", URL: s.MCP, Version: "1", Visit: func(address string) { go func() { _, _, _ = s.Visit(address) }() }}
	if change != nil {
		change(&l)
	}
	return f.Login(f.t.Context(), l)
}

func (f *fixture) mustLogin(s *authtest.Server, change func(*Login)) *Status {
	f.t.Helper()
	st, err := f.login(s, change)
	if err != nil {
		f.t.Fatalf("%v: %+v", err, fault.Of(err))
	}
	return st
}

// call opens a session, and calls a tool.
func call(ctx context.Context, store *Store, address, tool string) (string, error) {
	c := config.Connector{Name: "notes", Transport: config.HTTP, URL: address}
	o := connector.Options{}
	store.Session(c, &o)
	session, err := connector.Open(ctx, c, o)
	if err != nil {
		return "", err
	}
	defer func() { _ = session.Close() }()
	r, err := session.Call(ctx, tool, json.RawMessage(`{}`))
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(r)
	return string(text), err
}

// wants checks an error's code, and that none of a server's tokens is in it.
func wants(t *testing.T, s *authtest.Server, err error, code string, texts ...string) *fault.Error {
	t.Helper()
	f := fault.Of(err)
	if err == nil || f.Code != code {
		t.Fatalf("%v: the code is %q, want %s", err, f.Code, code)
	}
	all := f.Message + "\n" + f.Hint + "\n" + f.Detail
	for _, want := range texts {
		if !strings.Contains(all, want) {
			t.Errorf("there is no %q in:\n%s", want, all)
		}
	}
	for _, token := range s.Tokens() {
		if strings.Contains(all+err.Error(), token) {
			t.Errorf("there is a secret in:\n%s", all)
		}
	}
	return f
}

func last(t *testing.T, s *authtest.Server, endpoint string) url.Values {
	t.Helper()
	all := s.Seen(endpoint)
	if len(all) == 0 {
		t.Fatalf("nothing was asked of %s", endpoint)
	}
	return all[len(all)-1]
}

// Wherever a server says where to log in, the login is found, and the token is taken.
func TestLogin(t *testing.T) {
	for name, s := range map[string]*authtest.Server{
		"named in the challenge":          {},
		"at the well-known path":          {NoHint: true},
		"at the root, for the whole host": {NoHint: true, AtRoot: true},
		"no path":                         {Path: "/", NoHint: true},
		"tenant":                          {Tenant: "/tenant1"},
		"OpenID":                          {OpenID: true},
		"OpenID, tenant":                  {OpenID: true, Tenant: "/tenant1"},
		"a second, the first is unreachable": {Resource: func(m map[string]any) {
			m["authorization_servers"] = append([]string{"https://127.0.0.1:1"}, m["authorization_servers"].([]string)...)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			authtest.New(t, s)
			_, err := call(t.Context(), f.Store, s.MCP, "whoami")
			wants(t, s, err, "auth-needed", "runlace auth login notes")
			st := f.mustLogin(s, nil)
			if st.State != Valid || st.Issuer != s.Issuer || !st.Renewable || st.Kept != "file" {
				t.Errorf("%+v", st)
			}
			out, err := call(t.Context(), f.Store, s.MCP, "whoami")
			if err != nil || !strings.Contains(out, "notes:read") {
				t.Errorf("%s, %v", out, err)
			}
			asked, got := last(t, s, "authorize"), last(t, s, "token")
			if asked.Get("resource") == "" || asked.Get("resource") != got.Get("resource") || strings.TrimRight(asked.Get("resource"), "/") == s.Issuer {
				t.Errorf("asked for %q, then for %q", asked.Get("resource"), got.Get("resource"))
			}
			if len(asked.Get("state")) < 20 || asked.Get("code_challenge_method") != "S256" || asked.Get("scope") != "notes:read offline_access" {
				t.Errorf("%v", asked)
			}
			for _, token := range s.Tokens() {
				if !f.told[token] {
					t.Errorf("%s was not told for redaction", token)
				}
			}
		})
	}
}

// A server from before resource metadata is its own authorization server.
func TestLoginWithoutResourceMetadata(t *testing.T) {
	f := newFixture(t)
	s := authtest.New(t, &authtest.Server{NoResourceMetadata: true})
	_, err := f.login(s, nil)
	wants(t, s, err, "auth-unsupported", "does not say where to log in", "oauth-protected-resource", "oauth-authorization-server")

	both := http.NewServeMux()
	server := httptest.NewServer(both)
	defer server.Close()
	both.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	var asked url.Values
	both.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": server.URL, "authorization_endpoint": server.URL + "/a", "token_endpoint": server.URL + "/t",
			"code_challenge_methods_supported": []string{"S256"}})
	})
	both.HandleFunc("/t", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		asked = r.PostForm
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"access_token": "abcdefgh", "token_type": "Bearer"}`))
	})
	st, err := f.Login(t.Context(), Login{Connector: "old", URL: server.URL + "/mcp", ClientID: "me", Visit: func(address string) {
		u, _ := url.Parse(address)
		go func() { _, _ = http.Get(u.Query().Get("redirect_uri") + "?code=c&state=" + u.Query().Get("state")) }()
	}})
	if err != nil || st.State != Valid || st.Renewable || st.ExpiresAt != nil || asked.Get("resource") != server.URL+"/mcp" {
		t.Errorf("%+v, %v, %v", st, err, asked)
	}
}

// The client is a document if the issuer reads them, one that is registered, or one that is registered now.
func TestClients(t *testing.T) {
	const document = "https://client.example/runlace.json"
	text := `{"client_id": "` + document + `", "client_name": "Runlace", "redirect_uris": ["http://127.0.0.1/callback"]}`
	noRegistration := func(m map[string]any) { delete(m, "registration_endpoint") }
	for name, c := range map[string]struct {
		server *authtest.Server
		login  func(*Login)
		vars   []string
		id     string // how the client's id begins
		code   string
	}{
		"registered now":                      {server: &authtest.Server{}, id: "client-"},
		"registered with secret":              {server: &authtest.Server{Metadata: func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{"client_secret_basic"} }}, id: "client-"},
		"document":                            {server: &authtest.Server{Documents: map[string]string{document: text}}, login: func(l *Login) { l.Document = document }, id: document},
		"document of the variable":            {server: &authtest.Server{Documents: map[string]string{document: text}}, vars: []string{DocumentVariable + "=" + document}, id: document},
		"document, and the issuer reads none": {server: &authtest.Server{Clients: map[string]string{"me": ""}}, login: func(l *Login) { l.Document, l.ClientID = document, "me" }, id: "me"},
		"document that names another": {server: &authtest.Server{Documents: map[string]string{document: strings.Replace(text, "runlace.json", "other.json", 1)}},
			login: func(l *Login) { l.Document, l.Wait = document, 300*time.Millisecond }, code: "auth-timeout"},
		"no document":             {server: &authtest.Server{}, login: func(l *Login) { l.Document = "http://client.example/x.json" }, code: "bad-usage"},
		"registered, public":      {server: &authtest.Server{Clients: map[string]string{"me": ""}, Metadata: noRegistration}, login: func(l *Login) { l.ClientID = "me" }, id: "me"},
		"registered, with secret": {server: &authtest.Server{Clients: map[string]string{"me": "s3cr3t: &%"}}, login: func(l *Login) { l.ClientID, l.SecretVar = "me", "MY_SECRET" }, vars: []string{"MY_SECRET=s3cr3t: &%"}, id: "me"},
		"wrong secret":            {server: &authtest.Server{Clients: map[string]string{"me": "s3cr3t: &%"}}, login: func(l *Login) { l.ClientID, l.SecretVar = "me", "MY_SECRET" }, vars: []string{"MY_SECRET=other"}, code: "auth-failed"},
		"secret not set":          {server: &authtest.Server{}, login: func(l *Login) { l.ClientID, l.SecretVar = "me", "MY_SECRET" }, code: "unset-variable"},
		"secret without id":       {server: &authtest.Server{}, login: func(l *Login) { l.SecretVar = "MY_SECRET" }, code: "bad-usage"},
		"nobody is registered":    {server: &authtest.Server{Metadata: noRegistration}, code: "auth-unsupported"},
		"registration refused":    {server: &authtest.Server{Metadata: func(m map[string]any) { m["registration_endpoint"] = m["issuer"].(string) + "/nowhere" }}, code: "auth-failed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c.vars...)
			authtest.New(t, c.server)
			st, err := f.login(c.server, c.login)
			if c.code != "" {
				wants(t, c.server, err, c.code)
				return
			}
			if err != nil || !strings.HasPrefix(st.ClientID, c.id) {
				t.Fatalf("%+v, %v %v", st, err, fault.Of(err))
			}
			c.server.Expire(false) // the client can renew, and log out
			if _, err := call(t.Context(), f.open(c.vars...), c.server.MCP, "whoami"); err != nil {
				t.Errorf("renewing: %v", err)
			}
			if ended, err := f.Logout(t.Context(), "notes"); err != nil || !ended[0].Revoked {
				t.Errorf("%+v, %v", ended, err)
			}
			if a, r := c.server.Live(); a+r != 0 {
				t.Errorf("%d access and %d refresh tokens are left", a, r)
			}
			stored, _ := os.ReadFile(f.vault.path())
			if strings.Contains(string(stored), "s3cr3t") {
				t.Error("the operator's secret was written down")
			}
		})
	}
}

// What an attacker would do ends a login, and no token or code goes to the wrong place.
func TestHostile(t *testing.T) {
	set := func(key string, value any) func(map[string]any) { return func(m map[string]any) { m[key] = value } }
	redirect := func(key, value string) func(url.Values) { return func(q url.Values) { q.Set(key, value) } }
	token := func(status int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s reached another host", r.URL) }))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		server *authtest.Server
		code   string
		text   string
		used   bool // the code may be exchanged
	}{
		"metadata of another resource":         {server: &authtest.Server{Resource: set("resource", "https://bank.example/mcp")}, code: "auth-unsafe", text: "of another server"},
		"metadata of a path beside it":         {server: &authtest.Server{Resource: func(m map[string]any) { m["resource"] = m["resource"].(string) + "/other" }}, code: "auth-unsafe"},
		"metadata of a path that begins alike": {server: &authtest.Server{Path: "/mcp-private", Resource: func(m map[string]any) { m["resource"] = strings.TrimSuffix(m["resource"].(string), "-private") }}, code: "auth-unsafe"},
		"metadata without a resource":          {server: &authtest.Server{Resource: func(m map[string]any) { delete(m, "resource") }}, code: "auth-unsafe"},
		"no authorization server":              {server: &authtest.Server{Resource: func(m map[string]any) { delete(m, "authorization_servers") }}, code: "auth-unsupported"},
		"metadata at another host":             {server: &authtest.Server{Hint: func(h http.Header) { h.Set("WWW-Authenticate", `Bearer resource_metadata="`+elsewhere.URL+`/x"`) }}, code: "auth-unsafe", text: "another host"},
		"metadata over http":                   {server: &authtest.Server{Hint: func(h http.Header) { h.Set("WWW-Authenticate", `Bearer resource_metadata="http://example.com/x"`) }}, code: "auth-unsafe", text: "not an https address"},
		"authorization server over http":       {server: &authtest.Server{Resource: set("authorization_servers", []string{"http://issuer.example"})}, code: "auth-unsafe", text: "not an https address"},
		"authorization server by javascript":   {server: &authtest.Server{Resource: set("authorization_servers", []string{"javascript:alert(1)"})}, code: "auth-unsafe"},
		"another issuer":                       {server: &authtest.Server{Metadata: set("issuer", "https://bank.example")}, code: "auth-unsafe", text: "is of another one"},
		"token endpoint over http":             {server: &authtest.Server{Metadata: set("token_endpoint", "http://example.com/token")}, code: "auth-unsafe", text: "token endpoint"},
		"authorization endpoint by file":       {server: &authtest.Server{Metadata: set("authorization_endpoint", "file:///etc/passwd")}, code: "auth-unsafe", text: "authorization endpoint"},
		"authorization endpoint with a user":   {server: &authtest.Server{Metadata: set("authorization_endpoint", "https://a:b@example.com/")}, code: "auth-unsafe"},
		"revocation endpoint over http":        {server: &authtest.Server{Metadata: set("revocation_endpoint", "http://example.com/revoke")}, code: "auth-unsafe", text: "revocation endpoint"},
		"no PKCE":                              {server: &authtest.Server{Metadata: func(m map[string]any) { delete(m, "code_challenge_methods_supported") }}, code: "auth-unsafe", text: "PKCE"},
		"PKCE in the clear only":               {server: &authtest.Server{Metadata: set("code_challenge_methods_supported", []string{"plain"})}, code: "auth-unsafe", text: "PKCE"},
		"no codes":                             {server: &authtest.Server{Metadata: set("response_types_supported", []string{"token"})}, code: "auth-unsupported"},
		"no token endpoint":                    {server: &authtest.Server{Metadata: func(m map[string]any) { delete(m, "token_endpoint") }}, code: "auth-unsupported"},
		"answer of another issuer (mix-up)":    {server: &authtest.Server{Redirect: redirect("iss", "https://honest.example")}, code: "auth-unsafe", text: "another issuer"},
		"answer of another, not announced": {server: &authtest.Server{Redirect: redirect("iss", "https://honest.example"), Metadata: set("authorization_response_iss_parameter_supported", false)},
			code: "auth-unsafe", text: "another issuer"},
		"answer without its issuer": {server: &authtest.Server{Redirect: func(q url.Values) { q.Del("iss") }}, code: "auth-unsafe", text: "does not say of which issuer"},
		"error of another issuer": {server: &authtest.Server{Redirect: func(q url.Values) {
			q.Del("code")
			q.Set("error", "call 555-1234")
			q.Set("iss", "https://honest.example")
		}}, code: "auth-unsafe"},
		"denied":                {server: &authtest.Server{Redirect: func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }}, code: "auth-denied", text: "access_denied"},
		"token of another type": {server: &authtest.Server{Token: token(200, `{"access_token": "abcdefgh", "token_type": "mac"}`)}, code: "auth-failed", text: "MAC", used: true},
		"token with a line":     {server: &authtest.Server{Token: token(200, `{"access_token": "abc\r\nX: y", "token_type": "bearer"}`)}, code: "auth-failed", used: true},
		"no token":              {server: &authtest.Server{Token: token(200, `{"token_type": "bearer"}`)}, code: "auth-failed", used: true},
		"token is not JSON":     {server: &authtest.Server{Token: token(200, `<html>`)}, code: "auth-failed", used: true},
		"token server is ill":   {server: &authtest.Server{Token: token(500, `oh`)}, code: "auth-failed", text: "500", used: true},
		"token error that says the code": {server: &authtest.Server{Token: func(w http.ResponseWriter, r *http.Request) bool {
			return token(400, `{"error": "invalid_grant", "error_description": "no such code: `+r.PostForm.Get("code")+`"}`)(w, r)
		}}, code: "auth-failed", text: "[redacted]", used: true},
		"token endpoint that leads elsewhere": {server: &authtest.Server{Token: func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return true
		}}, code: "auth-failed", text: "redirects", used: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			authtest.New(t, c.server)
			_, err := f.login(c.server, nil)
			e := wants(t, c.server, err, c.code, c.text)
			if strings.Contains(e.Message+e.Detail, "555-1234") {
				t.Error("the text of another issuer was shown")
			}
			if n := len(c.server.Seen("token")); n > 1 || n == 1 && !c.used {
				t.Errorf("the code was sent %d times", n)
			}
			if _, err := os.Stat(f.vault.path()); err == nil {
				t.Error("something was kept")
			}
		})
	}
}

// A server elsewhere does not lead to this machine, and one without https gets no token.
func TestAddresses(t *testing.T) {
	public, local := &url.URL{Scheme: "https", Host: "mcp.example"}, &url.URL{Scheme: "http", Host: "127.0.0.1:99"}
	for address, c := range map[string]struct{ public, local bool }{
		"https://issuer.example/x": {true, true}, "http://issuer.example": {}, "http://localhost:1/": {local: true}, "http://[::1]:1/": {local: true},
		"http://127.9.9.9/": {local: true}, "https://127.0.0.1/": {local: true}, "https://LOCALHOST/": {local: true}, "http://127.0.0.1.example/": {},
		"https://a@b.example/": {}, "https:///x": {}, "https:x": {}, "//issuer.example": {}, "https://a.example/#x": {}, "": {}, "ftp://127.0.0.1/": {},
	} {
		for home, want := range map[*url.URL]bool{public: c.public, local: c.local} {
			if _, err := safe("it", address, home); (err == nil) != want {
				t.Errorf("%s named by %s: %v", address, home, err)
			}
		}
	}
	f := newFixture(t)
	_, err := f.Login(t.Context(), Login{Connector: "x", URL: "http://mcp.example/mcp"})
	if fault.Of(err).Code != "auth-unsafe" {
		t.Error(err)
	}
}

// A server that asks for nothing needs no login, and one that is not there says so.
func TestNothingToLogInTo(t *testing.T) {
	f := newFixture(t)
	server := httptest.NewServer(http.NotFoundHandler())
	_, err := f.Login(t.Context(), Login{Connector: "x", URL: server.URL})
	if fault.Of(err).Code != "auth-unsupported" {
		t.Error(err)
	}
	server.Close()
	if _, err = f.Login(t.Context(), Login{Connector: "x", URL: server.URL}); fault.Of(err).Code != "connector-unreachable" {
		t.Error(err)
	}
}

// A token endpoint that hangs is given up, by its own time limit and by the person's.
func TestHangingTokenEndpoint(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		f := newFixture(t)
		ctx, stop := context.WithCancel(t.Context())
		release := make(chan struct{})
		s := &authtest.Server{Token: func(http.ResponseWriter, *http.Request) bool {
			if cancel {
				stop()
			}
			<-release
			return true
		}}
		authtest.New(t, s)
		t.Cleanup(func() { close(release) })
		want := "cancelled"
		if !cancel {
			f.http.Timeout, want = 200*time.Millisecond, "auth-failed"
		}
		_, err := f.Login(ctx, Login{Connector: "notes", URL: s.MCP, Visit: func(address string) { go func() { _, _, _ = s.Visit(address) }() }})
		wants(t, s, err, want)
		stop()
	}
}

// A token that has run out is renewed once, whoever asks: goroutines, processes, all at once.
func TestRenewal(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	one := f.open()
	for round := range 3 {
		before := len(s.Seen("token"))
		s.Expire(false)
		// The server refuses the token at once; the store has no reason to think so before.
		for _, st := range []*Store{f.Store, one} {
			st.now = func() time.Time { return time.Now().Add(time.Duration(round) * time.Minute) }
		}
		var all sync.WaitGroup
		for i := range 24 {
			all.Go(func() {
				st := []*Store{f.Store, one, f.open()}[i%3]
				if i%3 == 2 {
					st.now = one.now
				}
				if _, err := call(t.Context(), st, s.MCP, "whoami"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := len(s.Seen("token")) - before; n != 1 {
			t.Errorf("round %d: renewed %d times", round, n)
		}
	}
	if got := last(t, s, "token"); got.Get("grant_type") != "refresh_token" || got.Get("resource") != s.MCP || got.Get("code") != "" {
		t.Errorf("%v", got)
	}
}

// TestMain runs this test's program as another process of the home.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AUTH_TEST_HOME"); dir != "" {
		_, err := call(context.Background(), Open(home.Home{Dir: dir}, home.NewEnv(os.Environ()), nil), os.Getenv("AUTH_TEST_URL"), "whoami")
		if err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRenewalByProcesses(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	s.Expire(false)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "AUTH_TEST_HOME="+f.home.Dir, "AUTH_TEST_URL="+s.MCP, KeyringVariable+"=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if n := len(s.Seen("token")); n != 2 {
		t.Errorf("%d requests of tokens, want the login's and one more", n)
	}
}

// A token whose end is known is renewed before it is sent, and what that gives is kept also when the one that asked gives up.
func TestRenewalBeforeTheEnd(t *testing.T) {
	var hold atomic.Bool
	began, release := make(chan struct{}), make(chan struct{})
	s := authtest.New(t, &authtest.Server{Token: func(http.ResponseWriter, *http.Request) bool {
		if hold.Load() {
			close(began)
			<-release
		}
		return false
	}})
	f := newFixture(t)
	f.mustLogin(s, nil)
	err := f.vault.update(t.Context(), func(all []credential) []credential {
		all[0].Expires = time.Now().Add(early / 2)
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := f.Statuses(t.Context(), nil); err != nil || len(all) != 1 || all[0].State != Valid {
		t.Errorf("it is renewed early, and has not run out: %+v, %v", all, err)
	}
	hold.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequest(http.MethodGet, s.MCP, nil)
	given := make(chan error, 1)
	go func() { given <- f.Source("notes", s.MCP).Authorize(ctx, r) }()
	<-began
	cancel()
	wants(t, s, <-given, "cancelled")
	hold.Store(false)
	close(release)
	if _, err := call(t.Context(), f.open(), s.MCP, "whoami"); err != nil { // another process waits for it
		t.Errorf("what the renewal got was lost: %v", err)
	}
	if n := len(s.Seen("token")); n != 2 {
		t.Errorf("%d requests of tokens", n)
	}
}

// A login that cannot be renewed says so, with the command that helps.
func TestExpired(t *testing.T) {
	s := authtest.New(t, &authtest.Server{NoRefresh: true})
	f := newFixture(t)
	f.mustLogin(s, nil)
	s.Expire(true)
	_, err := call(t.Context(), f.Store, s.MCP, "whoami")
	wants(t, s, err, "auth-expired", "gave none to renew it with", "runlace auth login notes")

	s = authtest.New(t, &authtest.Server{})
	f = newFixture(t)
	f.mustLogin(s, nil)
	s.Expire(true)
	before := len(s.Seen("token"))
	for range 3 { // the issuer is asked once
		_, err = call(t.Context(), f.Store, s.MCP, "whoami")
		wants(t, s, err, "auth-expired", "invalid_grant", "runlace auth login notes")
	}
	if n := len(s.Seen("token")) - before; n != 1 {
		t.Errorf("the issuer was asked %d times", n)
	}
	all, err := f.Statuses(t.Context(), []config.Connector{{Name: "notes", Transport: config.HTTP, URL: s.MCP}})
	if err != nil || all[0].State != Expired || all[0].Reason == "" {
		t.Errorf("%+v, %v", all, err)
	}
	f.mustLogin(s, nil)
	if _, err := call(t.Context(), f.Store, s.MCP, "whoami"); err != nil {
		t.Error(err)
	}

	// An issuer that is ill ends nothing.
	ill := true
	s.Token = func(w http.ResponseWriter, _ *http.Request) bool {
		if ill {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return ill
	}
	s.Expire(false)
	_, err = call(t.Context(), f.Store, s.MCP, "whoami")
	wants(t, s, err, "auth-expired", "cannot be renewed now", "503", "try again")
	ill = false
	if _, err := call(t.Context(), f.Store, s.MCP, "whoami"); err != nil {
		t.Error(err)
	}
}

// A server that refuses every token does not have them renewed again and again.
func TestRefusedAgain(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	stop := false
	s.Token = func(http.ResponseWriter, *http.Request) bool { stop = true; return false }
	s.Expire(false)
	if _, err := call(t.Context(), f.Store, s.MCP, "whoami"); err != nil || !stop {
		t.Fatal(err)
	}
	s.Expire(false)
	_, err := call(t.Context(), f.Store, s.MCP, "whoami")
	wants(t, s, err, "auth-expired", "renewed a moment ago")
	f.now = func() time.Time { return time.Now().Add(time.Minute) }
	if _, err := call(t.Context(), f.Store, s.MCP, "whoami"); err != nil {
		t.Error(err)
	}
}

// A token that may not do something leads to the command that gets one that may.
func TestScopes(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	_, err := call(t.Context(), f.Store, s.MCP, "erase")
	e := wants(t, s, err, "auth-scope", "notes:write")
	if e.Hint != "runlace auth login notes --scope 'notes:read offline_access notes:write'" {
		t.Error(e.Hint)
	}
	if c := (*connector.Error)(nil); !errors.As(err, &c) || c.Outcome != connector.NotSent {
		t.Errorf("%+v", c)
	}
	st := f.mustLogin(s, func(l *Login) { l.Scopes = []string{"notes:read", "offline_access", "notes:write"} })
	if !slices.Contains(st.Scopes, "notes:write") {
		t.Errorf("%+v", st)
	}
	if _, err := call(t.Context(), f.Store, s.MCP, "erase"); err != nil {
		t.Error(err)
	}
}

// A token goes to the origin that it is for, under the name and the address that it is for, and not in place of a configured header.
func TestOrigin(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	for address, want := range map[string]bool{
		s.MCP: true, s.MCP + "/other": true, strings.Replace(s.MCP, "127.0.0.1", "localhost", 1): false, strings.Replace(s.MCP, "http:", "https:", 1): false,
		"https://example.com/mcp": false, s.Issuer: false,
	} {
		r, _ := http.NewRequest(http.MethodGet, address, nil)
		if err := f.Source("notes", s.MCP).Authorize(t.Context(), r); err != nil || (r.Header.Get("Authorization") != "") != want {
			t.Errorf("%s: %v, %v", address, r.Header, err)
		}
	}
	for name, src := range map[string]*Source{
		"another name": f.Source("other", s.MCP), "another path": f.Source("notes", s.MCP+"2"), "another host": f.Source("notes", "https://example.com/mcp"),
	} {
		r, _ := http.NewRequest(http.MethodGet, s.MCP, nil)
		if err := src.Authorize(t.Context(), r); err != nil || r.Header.Get("Authorization") != "" {
			t.Errorf("%s: %v, %v", name, r.Header, err)
		}
	}
	r, _ := http.NewRequest(http.MethodGet, s.MCP, nil)
	r.Header.Set("Authorization", "Bearer configured")
	src := f.Source("notes", s.MCP)
	if err := src.Authorize(t.Context(), r); err != nil || r.Header.Get("Authorization") != "Bearer configured" {
		t.Errorf("%v, %v", r.Header, err)
	}
	if retry, err := src.Challenge(t.Context(), &http.Response{StatusCode: 401, Request: r}); retry || err != nil {
		t.Errorf("%v, %v", retry, err)
	}
}

// A redirect to another origin gets no token.
func TestRedirect(t *testing.T) {
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Authorization")) }))
	defer other.Close()
	moved := false
	s := &authtest.Server{}
	authtest.New(t, s)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if moved {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
			_ = json.NewEncoder(w).Encode(map[string]any{"resource": "http://" + r.Host + "/mcp", "authorization_servers": []string{s.Issuer}})
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer front.Close()
	f := newFixture(t)
	s.MCP = front.URL + "/mcp"
	f.mustLogin(s, nil)
	moved = true
	if _, err := call(t.Context(), f.Store, s.MCP, "whoami"); err == nil {
		t.Error("the other host is no MCP server")
	}
	if len(got) == 0 {
		t.Error("nothing was redirected")
	}
	for _, h := range got {
		if h != "" {
			t.Error("the token went to another host")
		}
	}
}

// What no login helps with is left to others.
func TestChallenges(t *testing.T) {
	f := newFixture(t)
	src := f.Source("a b", "https://mcp.example/mcp")
	for header, c := range map[string]struct {
		status int
		code   string
	}{
		"":                                  {401, "auth-needed"},
		"Bearer":                            {401, "auth-needed"},
		`Basic realm="x"`:                   {401, ""},
		`Basic realm="x", Bearer scope="a"`: {401, "auth-needed"},
		`Bearer "`:                          {401, "auth-needed"},
		`Bearer realm="x"`:                  {403, ""},
		`Bearer error="insufficient_scope"`: {403, "auth-needed"},
	} {
		r, _ := http.NewRequest(http.MethodPost, "https://mcp.example/mcp", nil)
		resp := &http.Response{StatusCode: c.status, Request: r, Header: http.Header{}}
		if header != "" {
			resp.Header.Set("WWW-Authenticate", header)
		}
		retry, err := src.Challenge(t.Context(), resp)
		if code := ""; err != nil {
			code = fault.Of(err).Code
			if code != c.code || fault.Of(err).Hint != "runlace auth login 'a b'" {
				t.Errorf("%d %s: %v", c.status, header, fault.Of(err))
			}
		} else if c.code != code || retry {
			t.Errorf("%d %s: no error", c.status, header)
		}
	}
}

// A server that wants a header on every request has it on the first one, also when a login asks what the server wants.
func TestFieldFault200_NoProbeWithoutHeaders(t *testing.T) {
	s := authtest.New(t, &authtest.Server{Header: "X-Tenant", NoHint: true, NoResourceMetadata: true})
	f := newFixture(t)
	_, err := f.login(s, func(l *Login) { l.Headers = map[string]string{"X-Tenant": "a", "Authorization": "Bearer no"} })
	wants(t, s, err, "auth-unsupported") // the refusal was for want of a token

	s = authtest.New(t, &authtest.Server{Header: "X-Tenant"})
	f.mustLogin(s, func(l *Login) { l.Headers = map[string]string{"X-Tenant": "a"} })
	c := config.Connector{Name: "notes", Transport: config.HTTP, URL: s.MCP, Headers: map[string]string{"X-Tenant": "a"}}
	o := connector.Options{}
	f.Session(c, &o)
	session, err := connector.Open(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	_ = session.Close()
}

// A token that a server sends back is taken out, also one that the session does not know, since it was renewed meanwhile.
func TestFieldFault214_TokenSentBack(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	s.Refuse.Store(true)
	_, err := call(t.Context(), f.Store, s.MCP, "whoami") // refused, renewed, and refused again
	wants(t, s, err, "auth-expired", "renewed a moment ago")
	if n := len(s.Seen("token")); n != 2 {
		t.Errorf("%d requests of tokens", n)
	}
	c := config.Connector{Name: "notes", Transport: config.HTTP, URL: s.MCP}
	_, err = connector.Open(t.Context(), c, connector.Options{Authorize: f.Source("notes", s.MCP).Authorize})
	wants(t, s, err, "connector-unauthorized", "[redacted]")
}
