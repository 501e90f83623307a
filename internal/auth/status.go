package auth

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
)

// States of a Status.
const (
	None    = "none"    // there is no login
	Valid   = "valid"   // the token is good, as far as is known here
	Renew   = "renew"   // the token has run out, and the next use renews it
	Expired = "expired" // it has run out, and a person has to log in again
)

// Status is what is known of a connector's login. It has no secret in it.
type Status struct {
	Connector  string     `json:"connector"`
	URL        string     `json:"url"`
	State      string     `json:"state"`
	Issuer     string     `json:"issuer,omitempty"`
	Resource   string     `json:"resource,omitempty"`
	ClientID   string     `json:"client_id,omitempty"`
	Scopes     []string   `json:"scopes"`
	LoggedInAt *time.Time `json:"logged_in_at,omitempty"`
	ExpiresAt  *time.Time `json:"expires_at,omitempty"` // of the present token
	Renewable  bool       `json:"renewable"`
	Reason     string     `json:"reason,omitempty"` // why it cannot be renewed
	Configured bool       `json:"configured"`       // whether a connector of that name and address is configured
	Kept       string     `json:"kept,omitempty"`   // "file", or "keyring" if it is encrypted with a key that is there
}

func (s *Store) status(c *credential) Status {
	st := Status{Connector: c.Connector, URL: c.Address, State: Valid, Issuer: c.Issuer, Resource: c.Resource, ClientID: c.ClientID,
		Scopes: append([]string{}, c.Scopes...), LoggedInAt: &c.LoggedIn, Renewable: c.RefreshToken != "", Reason: c.Over, Configured: true}
	if !c.Expires.IsZero() {
		st.ExpiresAt = &c.Expires
	}
	switch {
	case !c.over(s.now()):
	case st.Renewable:
		st.State = Renew
	default:
		st.State = Expired
	}
	return st
}

// Statuses returns the state of every connector over HTTP, by name, and of logins whose connector is not configured any more. It
// asks no server.
func (s *Store) Statuses(ctx context.Context, connectors []config.Connector) ([]Status, error) {
	all, err := s.vault.load(ctx)
	if err != nil {
		return nil, err
	}
	kept := s.vault.kept(ctx)
	out := []Status{}
	seen := map[string]bool{}
	for _, c := range connectors {
		if c.Transport == config.Stdio {
			continue
		}
		address := c.URL
		if u, err := url.Parse(c.URL); err == nil {
			address = canonical(u)
		}
		st := Status{Connector: c.Name, URL: address, State: None, Scopes: []string{}, Configured: true}
		if found := current(all, c.Name, address); found != nil {
			st = s.status(found)
			st.Kept = kept
			seen[c.Name+"\n"+address] = true
		}
		out = append(out, st)
	}
	for i := range all {
		if c := &all[i]; !seen[c.Connector+"\n"+c.Address] {
			st := s.status(c)
			st.Configured, st.Kept = false, kept
			out = append(out, st)
		}
	}
	slices.SortStableFunc(out, func(a, b Status) int { return strings.Compare(a.Connector, b.Connector) })
	return out, nil
}

// Ended is what came of a Logout.
type Ended struct {
	Connector string `json:"connector"`
	Issuer    string `json:"issuer"`
	Revoked   bool   `json:"revoked"`           // the issuer knows that it is over
	Problem   string `json:"problem,omitempty"` // why it does not
}

// Logout tells the issuers that the connector's logins are over, where they can be told, and forgets them in any case.
func (s *Store) Logout(ctx context.Context, name string) ([]Ended, error) {
	all, err := s.vault.load(ctx)
	if err != nil {
		return nil, err
	}
	var out []Ended
	for i := range all {
		c := &all[i]
		if c.Connector != name {
			continue
		}
		// A renewal that is under way would bring it back.
		unlock, err := s.vault.lock(ctx, lockName(c), renewWait)
		if err != nil {
			return nil, err
		}
		ended, err := s.forget(ctx, c)
		unlock()
		if err != nil {
			return nil, err
		}
		out = append(out, ended)
	}
	if out == nil {
		return nil, fault.New("auth-needed", "the connector %s has no login", name)
	}
	return out, nil
}

// forget ends one login. Its caller has the lock.
func (s *Store) forget(ctx context.Context, c *credential) (Ended, error) {
	var last *credential
	err := s.vault.update(ctx, func(all []credential) []credential {
		return slices.DeleteFunc(all, func(o credential) bool {
			if !o.same(c) {
				return false
			}
			last = &o
			return true
		})
	})
	out := Ended{Connector: c.Connector, Issuer: c.Issuer}
	switch {
	case err != nil || last == nil:
		return out, err
	case last.AccessToken == "" && last.RefreshToken == "":
		out.Problem = "there was no token left"
		return out, nil
	case last.RevokeURL == "":
		out.Problem = "the issuer has no way to revoke tokens: they run out by themselves"
		return out, nil
	}
	if err := s.revoke(ctx, last); err != nil {
		out.Problem = "the issuer was not told: " + shown(err.Error())
		return out, nil
	}
	out.Revoked = true
	return out, nil
}
