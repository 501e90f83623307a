package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

const (
	answerWait = 30 * time.Second // for any answer of an authorization server
	mostBytes  = 1 << 20          // of it
)

// newClient makes the client for authorization servers. It follows no redirect to another origin, and none of what is sent to a token
// endpoint: a code, a refresh token or a client's secret goes where the metadata says, or nowhere.
func newClient() *http.Client {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSHandshakeTimeout = 10 * time.Second
	return &http.Client{Transport: base, Timeout: answerWait, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch from := via[0]; {
		case from.Method != http.MethodGet:
			return errors.New("it redirects, which it must not")
		case origin(r.URL) != origin(from.URL):
			return fmt.Errorf("it redirects to another host, %s", r.URL.Host)
		case len(via) >= 5:
			return errors.New("it redirects without an end")
		}
		return nil
	}}
}

// absent is for a document that is not there.
type absent struct{ status string }

func (a *absent) Error() string { return "it answers with " + a.status }

// getJSON reads a metadata document.
func getJSON[T any](ctx context.Context, c *http.Client, address string) (*T, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	resp, err := c.Do(r)
	if err != nil {
		return nil, core(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, &absent{resp.Status}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes))
	if err != nil {
		return nil, core(err)
	}
	out := new(T)
	if err := json.Unmarshal(body, out); err != nil {
		return nil, errors.New("its answer is not JSON")
	}
	return out, nil
}

// core is an error of an HTTP client without the address, which the message around it has.
func core(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		if u.Timeout() {
			return errors.New("it does not answer in time")
		}
		return u.Err
	}
	return err
}

// safe checks an address that a server has named. HTTPS is required, except on this machine, and to this machine leads nothing that
// was not there from the beginning.
func safe(what, address string, home *url.URL) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || u.Fragment != "":
		return nil, unsafe("%s is %q, which is not an address", what, shown(address))
	case loopback(u) && !loopback(home):
		return nil, unsafe("%s is on this machine, %s, and the server is not", what, shown(address))
	case u.Scheme == "https", u.Scheme == "http" && loopback(u):
		return u, nil
	}
	return nil, unsafe("%s is not an https address: %s", what, shown(address))
}

func unsafe(format string, args ...any) error { return fault.New("auth-unsafe", format, args...) }

// shown is a foreign text as it may stand in a message.
func shown(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return s
}
