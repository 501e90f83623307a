package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/runlace/runlace/internal/fault"
)

// place is a server that wants a login, and the authorization server that gives it.
type place struct {
	address  *url.URL
	resource string   // as the server calls itself
	scopes   []string // what the server asks for
	issuer   *oauthex.AuthServerMeta
}

// discover finds out how to log in to the server at an address, as the MCP specification of 2026-07-28 says.
func (s *Store) discover(ctx context.Context, address *url.URL, headers map[string]string) (*place, error) {
	p := &place{address: address, resource: canonical(address)}
	wants, protected, err := s.probe(ctx, address, headers)
	if err != nil {
		return nil, err
	}
	meta, notes, err := s.resourceMetadata(ctx, p, wants.metadata)
	if err != nil {
		return nil, err
	}
	// Before resource metadata existed, a server was its own authorization server.
	issuers := []string{origin(address)}
	if meta != nil {
		p.resource, issuers = meta.Resource, meta.AuthorizationServers
		p.scopes = meta.ScopesSupported
	} else if !protected {
		return nil, fault.New("auth-unsupported", "the server does not ask for a login").WithHint("runlace sync shows whether it can be used as it is")
	}
	if len(wants.scopes) > 0 {
		p.scopes = wants.scopes
	}
	for _, issuer := range issuers {
		m, err := s.issuerMetadata(ctx, p, issuer)
		if err == nil {
			p.issuer = m
			return p, nil
		}
		if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == "auth-unsafe" || ctx.Err() != nil {
			return nil, err
		}
		notes = append(notes, err.Error())
	}
	e := fault.New("auth-unsupported", "the server does not say where to log in").WithDetail(errors.New(strings.Join(notes, "\n")))
	if meta != nil {
		e.Message = "none of the server's authorization servers can be used"
	}
	return nil, e
}

// probe sends a request without a token, and reads what the server asks for. The request asks for nothing that a server keeps.
func (s *Store) probe(ctx context.Context, address *url.URL, headers map[string]string) (challenge, bool, error) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		ctx, cancel := context.WithTimeout(ctx, answerWait)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, method, address.String(), nil)
		if err != nil {
			return challenge{}, false, fault.New("bad-connector", "the connector's url cannot be used").WithDetail(err)
		}
		for k, v := range headers {
			if !strings.EqualFold(k, "Authorization") {
				r.Header.Set(k, v)
			}
		}
		r.Header.Set("Accept", "application/json, text/event-stream")
		if method == http.MethodPost {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader([]byte(hello))), int64(len(hello))
			r.Header.Set("Content-Type", "application/json")
		}
		resp, err := s.http.Do(r)
		if err != nil {
			return challenge{}, false, fault.New("connector-unreachable", "the server cannot be reached: %v", core(err))
		}
		_ = resp.Body.Close() // an event stream would not end
		if resp.StatusCode == http.StatusUnauthorized {
			return challengeOf(resp.Header), true, nil
		}
	}
	return challenge{}, false, nil
}

// resourceMetadata reads what the server says about itself (RFC 9728), from where its challenge says or else from the well-known places.
// It returns nil where it says nothing. A document that names another server ends the login.
func (s *Store) resourceMetadata(ctx context.Context, p *place, named string) (*oauthex.ProtectedResourceMetadata, []string, error) {
	const known = "/.well-known/oauth-protected-resource"
	at := []string{origin(p.address) + known}
	if path := strings.TrimRight(p.address.EscapedPath(), "/"); path != "" {
		at = slices.Insert(at, 0, origin(p.address)+known+path)
	}
	if named != "" {
		u, err := safe("the address of the server's metadata", named, p.address)
		if err != nil {
			return nil, nil, err
		}
		if origin(u) != origin(p.address) {
			return nil, nil, unsafe("the server says that its metadata is at another host, %s", u.Host)
		}
		at = slices.Insert(at, 0, u.String())
	}
	var notes []string
	for _, address := range at {
		m, err := getJSON[oauthex.ProtectedResourceMetadata](ctx, s.http, address)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: %v", address, err))
			continue
		}
		if !covers(m.Resource, p.address) {
			return nil, nil, unsafe("the metadata at %s is of another server: %q", address, shown(m.Resource))
		}
		if len(m.AuthorizationServers) == 0 {
			return nil, nil, fault.New("auth-unsupported", "the server's metadata names no authorization server")
		}
		if methods := m.BearerMethodsSupported; len(methods) > 0 && !slices.Contains(methods, "header") || m.DPOPBoundAccessTokensRequired {
			return nil, nil, fault.New("auth-unsupported", "the server takes no tokens in a header as bearer tokens")
		}
		return m, notes, nil
	}
	return nil, notes, nil
}

// covers reports whether a resource is the server at an address: the same, or a path above it at the same origin, since many servers give
// their host's name for all that is on it. A token for it goes to that origin only.
func covers(resource string, address *url.URL) bool {
	r, err := url.Parse(resource)
	if err != nil || r.Host == "" || r.Fragment != "" || r.User != nil || origin(r) != origin(address) {
		return false
	}
	above, path := strings.TrimRight(r.EscapedPath(), "/"), strings.TrimRight(address.EscapedPath(), "/")
	return path == above || strings.HasPrefix(path, above+"/")
}

// issuerMetadata reads what an authorization server says about itself (RFC 8414, or OpenID Connect Discovery), and checks it.
func (s *Store) issuerMetadata(ctx context.Context, p *place, issuer string) (*oauthex.AuthServerMeta, error) {
	u, err := safe("the authorization server", issuer, p.address)
	if err != nil {
		return nil, err
	}
	root, path := origin(u), strings.TrimRight(u.EscapedPath(), "/")
	at := []string{root + "/.well-known/oauth-authorization-server" + path, root + "/.well-known/openid-configuration" + path}
	if path != "" {
		at = append(at, root+path+"/.well-known/openid-configuration")
	}
	var problems []string
	for _, address := range at {
		m, err := getJSON[oauthex.AuthServerMeta](ctx, s.http, address)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", address, err))
			continue
		}
		return m, checkIssuer(m, issuer, p.address)
	}
	return nil, errors.New(strings.Join(problems, "\n"))
}

// checkIssuer refuses an authorization server that is not the one that was asked for, or that would leave a login open to others.
func checkIssuer(m *oauthex.AuthServerMeta, issuer string, home *url.URL) error {
	if strings.TrimSuffix(m.Issuer, "/") != strings.TrimSuffix(issuer, "/") {
		return unsafe("the metadata of the authorization server %s is of another one: %q", shown(issuer), shown(m.Issuer))
	}
	for _, e := range []struct {
		what, address string
		required      bool
	}{
		{"the authorization endpoint", m.AuthorizationEndpoint, true},
		{"the token endpoint", m.TokenEndpoint, true},
		{"the registration endpoint", m.RegistrationEndpoint, false},
		{"the revocation endpoint", m.RevocationEndpoint, false},
	} {
		if e.address == "" && !e.required {
			continue
		}
		if e.address == "" {
			return fault.New("auth-unsupported", "the authorization server %s does not name %s", shown(issuer), e.what)
		}
		if _, err := safe(e.what, e.address, home); err != nil {
			return err
		}
	}
	if !slices.Contains(m.CodeChallengeMethodsSupported, "S256") {
		return unsafe("the authorization server %s does not have PKCE with S256, without which a login can be stolen", shown(issuer))
	}
	if len(m.ResponseTypesSupported) > 0 && !slices.Contains(m.ResponseTypesSupported, "code") {
		return fault.New("auth-unsupported", "the authorization server %s gives no codes", shown(issuer))
	}
	return nil
}
