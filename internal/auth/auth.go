// Package auth logs in to MCP servers that want OAuth, and puts their tokens on requests.
//
//	store := auth.Open(h, env, secrets.Add)         // opens nothing yet
//	status, err := store.Login(ctx, auth.Login{Connector: "github", URL: address, …})
//
//	o := connector.Options{Secrets: secrets, …}
//	store.Session(c, &o)                            // puts its hooks into the options; c has come from config.Resolve
//	session, err := connector.Open(ctx, c, o)
//
// A login finds the server's authorization server (RFC 9728, RFC 8414, OpenID), makes a client there (a client id metadata document, an
// id that the operator has, or RFC 7591), sends the person's browser to it with PKCE, and takes the answer at an address of this
// machine. What it gets is kept under the connector's name, its address and the issuer: a token goes to the origin that it was issued
// for, and to no other.
//
// Tokens are renewed when they run out. All goroutines and all processes of a home agree on who does it, because an authorization server
// that rotates refresh tokens takes the second use of one for theft, and ends the login.
//
// Every value that must not be written down is told to the function given to [Open], before it is used.
package auth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/sync/singleflight"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// Store is a home's logins. It is safe for concurrent use, also with other processes.
type Store struct {
	vault   *vault
	env     home.Env
	secrets func(...string)
	http    *http.Client
	flights singleflight.Group
	renewed sync.Map // access token that this process got by a renewal -> when
	now     func() time.Time
}

// Open returns the logins of a home. It reads and writes nothing before it has to. Secrets is told every token before it is used;
// it may be nil. The environment is where the secrets of clients are looked up.
func Open(h home.Home, env home.Env, secrets func(...string)) *Store {
	if secrets == nil {
		secrets = func(...string) {}
	}
	return &Store{vault: newVault(h, env), env: env, secrets: secrets, http: newClient(), now: time.Now}
}

// Source gives one connector its tokens. Authorize and Challenge are what package connector calls.
type Source struct {
	store   *Store
	name    string
	address string
	origin  string

	mu    sync.Mutex
	given map[string]bool // the tokens that this Source has put on requests
}

// Source returns the tokens of a connector for the address that it has now. A connector that is moved to another address has none.
func (s *Store) Source(connector, address string) *Source {
	src := &Source{store: s, name: connector, given: map[string]bool{}}
	if u, err := url.Parse(address); err == nil {
		src.address, src.origin = canonical(u), origin(u)
	}
	return src
}

// Session makes a connector's session use its login.
func (s *Store) Session(c config.Connector, o *connector.Options) {
	if c.Transport == config.Stdio {
		return
	}
	src := s.Source(c.Name, c.URL)
	o.Authorize, o.Challenge, o.Secrets = src.Authorize, src.Challenge, append(slices.Clone(o.Secrets), src.Secrets()...)
}

// Secrets returns what of the present login must not be written down.
func (s *Source) Secrets() []string {
	c, err := s.login(context.Background())
	if err != nil || c == nil {
		return nil
	}
	return c.secrets(s.store.env)
}

// early is how long before its end a token that can be renewed counts as run out: a request has to arrive, and clocks differ.
const early = 20 * time.Second

// Authorize puts the connector's token on a request, and renews it before if it has run out. It leaves a request alone that has
// credentials of the configuration on it, or goes to another origin, or whose connector has no login.
func (s *Source) Authorize(ctx context.Context, r *http.Request) error {
	present := r.Header.Get("Authorization")
	if present != "" && !s.ours(present) || origin(r.URL) != s.origin {
		return nil
	}
	r.Header.Del("Authorization") // of the attempt before
	c, err := s.login(ctx)
	if err != nil || c == nil {
		return err
	}
	if c.ranOut(s.store.now()) {
		if c, err = s.store.renew(ctx, c); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.given[c.AccessToken] = true
	s.mu.Unlock()
	r.Header.Set("Authorization", "Bearer "+c.AccessToken)
	return nil
}

// Challenge looks at an answer with status 401 or 403. It reports whether there is now a token with which the request should be sent
// again, or says with which command a person gets one. An answer that no login can help with is left as it is.
func (s *Source) Challenge(ctx context.Context, resp *http.Response) (retry bool, err error) {
	sent := resp.Request.Header.Get("Authorization")
	ours := s.ours(sent)
	if sent != "" && !ours || origin(resp.Request.URL) != s.origin {
		return false, nil
	}
	wants := challengeOf(resp.Header)
	c, err := s.login(ctx)
	switch {
	case err != nil:
		return false, err
	case resp.StatusCode == http.StatusForbidden:
		if wants.errorCode != "insufficient_scope" {
			return false, nil
		}
		return false, s.scopes(c, wants)
	case c == nil && wants.other:
		return false, nil
	case c == nil:
		return false, needed(s.name)
	case !ours || c.AccessToken != strings.TrimPrefix(sent, "Bearer ") && !c.ranOut(s.store.now()):
		return true, nil // somebody has logged in or renewed it meanwhile
	}
	if at, ok := s.store.renewed.Load(c.AccessToken); ok && s.store.now().Sub(at.(time.Time)) < refusedAgain {
		return false, expired(s.name, "the server refuses a token that was renewed a moment ago")
	}
	_, err = s.store.renew(ctx, c)
	return err == nil, err
}

// refusedAgain is how soon after a renewal a server may refuse the new token without another renewal: a server that refuses every
// token would have each request renew it.
const refusedAgain = 5 * time.Second

// scopes is the error for a token that may not do what was asked.
func (s *Source) scopes(c *credential, wants challenge) error {
	if c == nil {
		return needed(s.name)
	}
	scopes := union(c.Scopes, wants.scopes)
	// A run's answer has a tool's error with its message, and without its hint.
	command := "runlace auth login " + home.Quote(s.name) + " --scope " + home.Quote(strings.Join(scopes, " "))
	return fault.New("auth-scope", "its token may not do that: the server asks for the scopes %s, and the login has %s; to log in with both: %s",
		spelled(wants.scopes), spelled(c.Scopes), command).WithHint("%s", command)
}

func needed(connector string) error {
	return fault.New("auth-needed", "the server wants a login, and there is none").WithHint("runlace auth login %s", home.Quote(connector))
}

func expired(connector, why string) *fault.Error {
	command := "runlace auth login " + home.Quote(connector)
	return fault.New("auth-expired", "its login has run out: %s; to log in again: %s", why, command).WithHint("%s", command)
}

// ours reports whether an Authorization header is from Authorize.
func (s *Source) ours(header string) bool {
	token, ok := strings.CutPrefix(header, "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok && s.given[token]
}

// login returns the connector's login for its address, nil if there is none.
func (s *Source) login(ctx context.Context) (*credential, error) {
	all, err := s.store.vault.load(ctx)
	if err != nil {
		return nil, err
	}
	c := current(all, s.name, s.address)
	if c != nil {
		s.store.secrets(c.secrets(s.store.env)...)
	}
	return c, nil
}

// challenge is what a WWW-Authenticate header asks for.
type challenge struct {
	metadata  string // where the resource's metadata is
	scopes    []string
	errorCode string
	other     bool // there are challenges, and none of them is of OAuth
}

func challengeOf(h http.Header) challenge {
	var c challenge
	all, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil { // what cannot be read asks for nothing in particular
		return c
	}
	c.other = len(all) > 0
	for _, one := range all {
		if one.Scheme != "bearer" && one.Scheme != "dpop" {
			continue
		}
		c.other = false
		if c.metadata == "" {
			c.metadata = one.Params["resource_metadata"]
		}
		if c.scopes == nil {
			c.scopes = strings.Fields(one.Params["scope"])
		}
		if c.errorCode == "" {
			c.errorCode = one.Params["error"]
		}
	}
	return c
}

// union returns the scopes of both, in their order.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func spelled(scopes []string) string {
	if len(scopes) == 0 {
		return "that it does not name"
	}
	return strings.Join(scopes, " ")
}
