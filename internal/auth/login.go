package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// DefaultWait is how long a person has for a login.
const DefaultWait = 5 * time.Minute

// DocumentVariable is the environment variable with the address of Runlace's client id metadata document, where an operator keeps one.
const DocumentVariable = "RUNLACE_CLIENT_METADATA"

// Login says how to log in.
type Login struct {
	Connector string
	URL       string            // the connector's address
	Headers   map[string]string // of the connector; Authorization is left out of the question whether a login is wanted

	Scopes    []string // to ask for; empty: those that the server names
	Document  string   // the address of a client id metadata document; empty: as DocumentVariable says
	ClientID  string   // of a client that the operator has registered
	SecretVar string   // the variable with that client's secret
	Port      int      // of the redirect address; 0: any that is free
	Wait      time.Duration
	Version   string // Runlace's own

	// Visit brings the person to the address at which they log in.
	Visit func(address string)
	// Pasted gives addresses that the browser was sent to and that a person has copied; may be nil.
	Pasted <-chan string
	// Note is told what happens that is not the end.
	Note func(text string)
}

// Login logs a connector in, in place of the login that it has.
func (s *Store) Login(ctx context.Context, l Login) (*Status, error) {
	st, err := s.logIn(ctx, l)
	if err != nil && ctx.Err() != nil {
		return nil, fault.New("cancelled", "the login was given up")
	}
	return st, err
}

func (s *Store) logIn(ctx context.Context, l Login) (*Status, error) {
	address, err := url.Parse(l.URL)
	if err != nil || address.Host == "" {
		return nil, fault.New("bad-connector", "connector %s: its url cannot be used", l.Connector)
	}
	if address.Scheme != "https" && !loopback(address) {
		return nil, unsafe("the connector's url does not begin with https, so that its token could be read on the way")
	}
	if err := l.check(s.env); err != nil {
		return nil, err
	}
	if err := s.writable(ctx); err != nil {
		return nil, err
	}
	p, err := s.discover(ctx, address, l.Headers)
	if err != nil {
		return nil, err
	}
	back, err := listen(l.Port)
	if err != nil {
		return nil, err
	}
	defer back.close()
	c := &credential{Connector: l.Connector, Address: canonical(address), Issuer: p.issuer.Issuer, Resource: p.resource,
		TokenURL: p.issuer.TokenEndpoint, RevokeURL: p.issuer.RevocationEndpoint, Scopes: l.Scopes}
	if len(c.Scopes) == 0 {
		c.Scopes = p.scopes
		if slices.Contains(p.issuer.ScopesSupported, "offline_access") { // without which some issuers give no refresh token
			c.Scopes = union(c.Scopes, []string{"offline_access"})
		}
	}
	if err := s.client(ctx, l, p, c, back.address); err != nil {
		return nil, err
	}
	if err := s.authorize(ctx, l, p, c, back); err != nil {
		return nil, err
	}
	c.LoggedIn = s.now().UTC()
	unlock, err := s.vault.lock(ctx, lockName(c), renewWait) // a renewal that is under way would put the old login back
	if err != nil {
		return nil, err
	}
	defer unlock()
	err = s.vault.update(ctx, func(all []credential) []credential {
		// An older login of another issuer would be found by nobody any more.
		all = slices.DeleteFunc(all, func(o credential) bool { return o.Connector == c.Connector && o.Address == c.Address })
		return append(all, *c)
	})
	if err != nil {
		return nil, err
	}
	st := s.status(c)
	st.Kept = s.vault.kept(ctx)
	return &st, nil
}

// check looks at what the operator has given.
func (l *Login) check(env home.Env) error {
	if l.Document == "" && l.ClientID == "" {
		l.Document, _ = env.Lookup(DocumentVariable)
	}
	if l.Document != "" {
		if u, err := url.Parse(l.Document); err != nil || u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") == "" || u.Fragment != "" || u.User != nil {
			return fault.New("bad-usage", "a client id metadata document has an https address with a path, and not %q", shown(l.Document))
		}
	}
	if l.SecretVar != "" {
		if l.ClientID == "" {
			return fault.New("bad-usage", "a client's secret needs the client's id")
		}
		if v, ok := env.Lookup(l.SecretVar); !ok || v == "" {
			return fault.New("unset-variable", "the variable %s, with the client's secret, is not set", l.SecretVar)
		}
	}
	if l.Wait <= 0 {
		l.Wait = DefaultWait
	}
	if l.Note == nil {
		l.Note = func(string) {}
	}
	return nil
}

// writable finds out whether a login could be kept, before a person has made one.
func (s *Store) writable(ctx context.Context) error {
	unlock, err := s.vault.lock(ctx, "write", lockWait)
	if err != nil {
		return err
	}
	unlock()
	_, err = s.vault.load(ctx)
	return err
}

// client chooses the client: a metadata document if the issuer reads them, one that is registered already, or one that is registered now.
func (s *Store) client(ctx context.Context, l Login, p *place, c *credential, redirect string) error {
	c.ClientAuth = authNone
	methods := p.issuer.TokenEndpointAuthMethodsSupported
	switch {
	case l.Document != "" && p.issuer.ClientIDMetadataDocumentSupported:
		c.ClientID = l.Document
		return nil
	case l.ClientID != "":
		c.ClientID, c.SecretVar = l.ClientID, l.SecretVar
		if c.SecretVar != "" {
			c.ClientAuth = secretMethod(methods)
			s.secrets(c.clientSecret(s.env))
		}
		return nil
	case p.issuer.RegistrationEndpoint == "":
		return fault.New("auth-unsupported", "the authorization server %s does not register clients by itself", shown(p.issuer.Issuer)).
			WithHint("register one there, with the redirect address http://127.0.0.1/callback, and give its id with --client-id")
	}
	method := authNone
	if len(methods) > 0 && !slices.Contains(methods, authNone) {
		method = secretMethod(methods)
	}
	r, err := oauthex.RegisterClient(ctx, p.issuer.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, ClientName: "Runlace", ApplicationType: "native", TokenEndpointAuthMethod: method,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		Scope: strings.Join(c.Scopes, " "), SoftwareID: "runlace", SoftwareVersion: l.Version,
	}, s.http)
	if err != nil {
		e := fault.New("auth-failed", "the authorization server %s does not register a client", shown(p.issuer.Issuer)).
			WithHint("register one there by hand, and give its id with --client-id")
		// Other errors have the whole answer in them, which may have a secret.
		if said := (*oauthex.ClientRegistrationError)(nil); errors.As(err, &said) {
			return e.WithDetail(errors.New(shown(said.ErrorCode + ": " + said.ErrorDescription)))
		}
		if u := (*url.Error)(nil); errors.As(err, &u) {
			return e.WithDetail(core(err))
		}
		return e
	}
	s.secrets(r.ClientSecret)
	c.ClientID, c.Secret = r.ClientID, r.ClientSecret
	if c.Secret != "" {
		if c.ClientAuth = r.TokenEndpointAuthMethod; c.ClientAuth == "" {
			c.ClientAuth = method
		}
	}
	switch c.ClientAuth {
	case authNone, authPost, authBasic:
		return nil
	}
	return fault.New("auth-unsupported", "the authorization server %s wants clients to show who they are with %s", shown(p.issuer.Issuer), shown(c.ClientAuth))
}

// secretMethod is how a secret is sent: in the header, unless only the form is taken.
func secretMethod(methods []string) string {
	if slices.Contains(methods, authPost) && !slices.Contains(methods, authBasic) {
		return authPost
	}
	return authBasic
}

// authorize sends the person to the authorization server, and exchanges the code that comes back.
func (s *Store) authorize(ctx context.Context, l Login, p *place, c *credential, back *callback) error {
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	s.secrets(verifier)
	config := s.oauth(c)
	config.RedirectURL, config.Scopes, config.Endpoint.AuthURL = back.address, c.Scopes, p.issuer.AuthorizationEndpoint
	l.Visit(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", p.resource)))
	answer, err := back.wait(ctx, state, l)
	if err != nil {
		return err
	}
	// Before anything of it is used or shown: it may be the answer of another issuer, for which the code is (RFC 9207).
	iss := answer["iss"]
	switch {
	case len(iss) > 1 || len(iss) == 1 && iss[0] != c.Issuer:
		return unsafe("the answer is of another issuer than the one that was asked, %s", c.Issuer)
	case len(iss) == 0 && p.issuer.AuthorizationResponseIssParameterSupported:
		return unsafe("the answer does not say of which issuer it is, and %s says that it would", c.Issuer)
	}
	if code := answer.Get("error"); code != "" {
		e := fault.New("auth-denied", "the authorization server did not give a login: %s", shown(code))
		if text := answer.Get("error_description"); text != "" {
			e = e.WithDetail(errors.New(shown(text)))
		}
		return e
	}
	code := answer.Get("code")
	s.secrets(code)
	if err := s.request(ctx, c, config, code, oauth2.VerifierOption(verifier)); err != nil {
		_, text := said(err, code, verifier, c.clientSecret(s.env))
		return fault.New("auth-failed", "the authorization server did not exchange the code for a token: %s", text)
	}
	return nil
}
