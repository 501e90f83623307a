package auth

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/home"
)

// credential is a login: what an issuer has given for a connector's address. Those three are its key.
type credential struct {
	Connector string `json:"connector"`
	Address   string `json:"address"`
	Issuer    string `json:"issuer"`

	Resource   string `json:"resource"` // as the server calls itself; what the token is for
	TokenURL   string `json:"token_endpoint"`
	RevokeURL  string `json:"revocation_endpoint,omitempty"`
	ClientID   string `json:"client_id"`
	Secret     string `json:"client_secret,omitempty"`     // one that was registered for this login
	SecretVar  string `json:"client_secret_env,omitempty"` // the variable with the operator's
	ClientAuth string `json:"client_auth"`

	Scopes       []string  `json:"scopes"`
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Expires      time.Time `json:"expires,omitzero"` // zero: the issuer does not say
	LoggedIn     time.Time `json:"logged_in"`
	Over         string    `json:"over,omitempty"` // why it cannot be renewed any more
}

// same reports whether two logins have the same key.
func (c *credential) same(d *credential) bool {
	return c.Connector == d.Connector && c.Address == d.Address && c.Issuer == d.Issuer
}

// ranOut reports whether a token is not to be used any more, which is somewhat before it is over where it can be renewed.
func (c *credential) ranOut(now time.Time) bool {
	if c.RefreshToken != "" {
		now = now.Add(early)
	}
	return c.over(now)
}

// over reports whether the token's time has passed.
func (c *credential) over(now time.Time) bool {
	return c.AccessToken == "" || !c.Expires.IsZero() && now.After(c.Expires)
}

// clientSecret is the secret that the client was registered with, if there is one.
func (c *credential) clientSecret(env home.Env) string {
	if c.SecretVar != "" {
		v, _ := env.Lookup(c.SecretVar)
		return v
	}
	return c.Secret
}

func (c *credential) secrets(env home.Env) []string {
	var out []string
	for _, s := range []string{c.AccessToken, c.RefreshToken, c.clientSecret(env)} {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// current is the newest login of a connector for its address.
func current(all []credential, connector, address string) *credential {
	var found *credential
	for i := range all {
		c := &all[i]
		if c.Connector == connector && c.Address == address && (found == nil || c.LoggedIn.After(found.LoggedIn)) {
			found = c
		}
	}
	if found == nil {
		return nil
	}
	out := *found
	return &out
}

// canonical is an address as OAuth names a server: without fragment, and also without query, which may have a secret in it and is nobody
// else's business.
func canonical(u *url.URL) string {
	return origin(u) + strings.TrimRight(u.EscapedPath(), "/")
}

// origin is scheme, host and port.
func origin(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return scheme + "://" + host
}

// loopback reports whether an address is on this machine.
func loopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
