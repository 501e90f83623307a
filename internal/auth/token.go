package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// The ways in which a client shows who it is.
const (
	authNone  = "none"
	authPost  = "client_secret_post"
	authBasic = "client_secret_basic"
)

// oauth is the client of a login, for package oauth2. It never lets that try both ways of showing the secret: what is sent
// twice is used twice.
func (s *Store) oauth(c *credential) *oauth2.Config {
	style := oauth2.AuthStyleInParams
	if c.ClientAuth == authBasic {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.clientSecret(s.env), Endpoint: oauth2.Endpoint{TokenURL: c.TokenURL, AuthStyle: style}}
}

// request asks the token endpoint, and takes over what it gives.
func (s *Store) request(ctx context.Context, c *credential, config *oauth2.Config, code string, options ...oauth2.AuthCodeOption) error {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, s.http)
	// Exchange and not TokenSource, also to renew: that could not say which resource the token is for (RFC 8707). Its empty code counts as
	// none (RFC 6749, section 3.2).
	t, err := config.Exchange(ctx, code, append(options, oauth2.SetAuthURLParam("resource", c.Resource))...)
	if err != nil {
		return err
	}
	s.secrets(t.AccessToken, t.RefreshToken)
	if !strings.EqualFold(t.Type(), "Bearer") {
		return fmt.Errorf("it gives a token of the type %q, and not a bearer token", shown(t.Type()))
	}
	if strings.ContainsFunc(t.AccessToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("it gives a token that cannot stand in a header")
	}
	c.AccessToken, c.Expires = t.AccessToken, t.Expiry.UTC()
	if t.Expiry.IsZero() {
		c.Expires = time.Time{}
	}
	if t.RefreshToken != "" {
		c.RefreshToken = t.RefreshToken
	}
	if scope, ok := t.Extra("scope").(string); ok && scope != "" {
		c.Scopes = strings.Fields(scope)
	}
	return nil
}

// said is what a token endpoint answered, without what was sent to it.
func said(err error, sent ...string) (code, text string) {
	if r := (*oauth2.RetrieveError)(nil); errors.As(err, &r) {
		text = r.ErrorCode
		if r.ErrorDescription != "" {
			text += ": " + r.ErrorDescription
		}
		if text == "" && r.Response != nil {
			text = "it answers with " + r.Response.Status
		}
		code = r.ErrorCode
	} else {
		text = core(err).Error()
	}
	return code, shown(connector.NewRedactor(sent).String(text))
}

// renewWait bounds a renewal, with the wait for another process that renews.
const renewWait = 2 * answerWait

// renew returns the login with another access token than the one it has. One renewal at a time, in all processes: who comes second finds
// what the first one got. It goes on when its caller gives up, since a refresh token whose answer is not kept is lost.
func (s *Store) renew(ctx context.Context, stale *credential) (*credential, error) {
	id := lockName(stale)
	done := s.flights.DoChan(id+" "+stale.AccessToken, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewWait)
		defer cancel()
		unlock, err := s.vault.lock(ctx, id, renewWait)
		if err != nil {
			return nil, err
		}
		defer unlock()
		all, err := s.vault.load(ctx)
		if err != nil {
			return nil, err
		}
		c := current(all, stale.Connector, stale.Address)
		switch {
		case c == nil:
			return nil, needed(stale.Connector)
		case !c.same(stale) || c.AccessToken != stale.AccessToken && !c.ranOut(s.now()):
			s.secrets(c.secrets(s.env)...)
			return c, nil
		}
		return s.refresh(ctx, c)
	})
	select {
	case <-ctx.Done():
		return nil, fault.New("cancelled", "renewing the token was given up").WithDetail(context.Cause(ctx))
	case r := <-done:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*credential), nil
	}
}

// refresh uses the refresh token. Its caller has the lock.
func (s *Store) refresh(ctx context.Context, c *credential) (*credential, error) {
	switch {
	case c.Over != "":
		return nil, expired(c.Connector, c.Over)
	case c.RefreshToken == "":
		return nil, expired(c.Connector, "the server does not accept its token any more, and the issuer gave none to renew it with")
	case c.SecretVar != "" && c.clientSecret(s.env) == "":
		return nil, expired(c.Connector, "the client's secret is in the variable "+c.SecretVar+", which is not set").
			WithHint("export %s, or give a file that has it with --env-file", c.SecretVar)
	}
	next := *c
	err := s.request(ctx, &next, s.oauth(c), "", oauth2.SetAuthURLParam("grant_type", "refresh_token"), oauth2.SetAuthURLParam("refresh_token", c.RefreshToken))
	if err != nil {
		code, text := said(err, c.secrets(s.env)...)
		switch code {
		case "invalid_grant", "invalid_client", "unauthorized_client":
			next = *c
			next.AccessToken, next.RefreshToken, next.Over = "", "", "the issuer refuses to renew it ("+text+")"
			return nil, errors.Join(expired(c.Connector, next.Over), s.save(ctx, &next))
		}
		return nil, expired(c.Connector, "it cannot be renewed now: "+text).
			WithHint("try again; if it stays so: runlace auth login %s", home.Quote(c.Connector))
	}
	s.renewed.Delete(c.AccessToken)
	s.renewed.Store(next.AccessToken, s.now())
	if err := s.save(ctx, &next); err != nil {
		return nil, err
	}
	return &next, nil
}

// save keeps a login in place of the one of its key.
func (s *Store) save(ctx context.Context, c *credential) error {
	return s.vault.update(ctx, func(all []credential) []credential {
		for i := range all {
			if all[i].same(c) {
				all[i] = *c
				return all
			}
		}
		return append(all, *c)
	})
}

// lockName is a file name for a login's key.
func lockName(c *credential) string {
	sum := sha256.Sum256([]byte(c.Connector + "\n" + c.Address))
	return "renew-" + hex.EncodeToString(sum[:8])
}

// revoke tells the issuer that a login is over (RFC 7009): the refresh token, with which the others end, and the access token.
func (s *Store) revoke(ctx context.Context, c *credential) error {
	for _, t := range []struct{ kind, token string }{{"refresh_token", c.RefreshToken}, {"access_token", c.AccessToken}} {
		if t.token == "" {
			continue
		}
		form := url.Values{"token": {t.token}, "token_type_hint": {t.kind}}
		secret := c.clientSecret(s.env)
		if c.ClientAuth != authBasic {
			form.Set("client_id", c.ClientID)
			if secret != "" {
				form.Set("client_secret", secret)
			}
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.RevokeURL, strings.NewReader(form.Encode()))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if c.ClientAuth == authBasic {
			r.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(secret))
		}
		resp, err := s.http.Do(r)
		if err != nil {
			return core(err)
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, mostBytes))
		_ = resp.Body.Close()
		if resp.StatusCode/100 != 2 {
			return fmt.Errorf("it answers with %s", resp.Status)
		}
	}
	return nil
}
