package auth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/auth/authtest"
)

// Only the answer with this login's state ends it; whatever else a browser is sent with does not.
func TestCallback(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	var notes []string
	_, err := f.login(s, func(l *Login) {
		l.Note = func(text string) { notes = append(notes, text) }
		l.Visit = func(address string) {
			right, err := s.Answer(address)
			if err != nil {
				t.Error(err)
			}
			u, _ := url.Parse(right)
			with := func(change func(url.Values)) string {
				q := u.Query()
				change(q)
				return "http://" + u.Host + u.Path + "?" + q.Encode()
			}
			go func() {
				for _, wrong := range []string{
					with(func(q url.Values) { q.Set("state", "x") }), with(func(q url.Values) { q.Del("state") }), with(func(q url.Values) { q.Add("state", "x") }),
					with(func(q url.Values) { q.Del("code") }), with(func(q url.Values) { q.Add("code", "x") }), with(func(q url.Values) { q.Set("error", "x") }),
				} {
					if status, text, err := s.Visit(wrong); status != 400 || strings.Contains(text, "code") || err != nil {
						t.Errorf("%s: %d %s %v", wrong, status, text, err)
					}
				}
				for _, r := range []*http.Request{
					{Method: "GET", URL: &url.URL{Scheme: "http", Host: u.Host, Path: "/other", RawQuery: u.RawQuery}},
					{Method: "POST", URL: u}, {Method: "GET", URL: u, Host: "rebound.example"},
				} {
					resp, err := http.DefaultClient.Do(r)
					if err != nil || resp.StatusCode != 404 {
						t.Errorf("%s %s: %v %v", r.Method, r.URL, resp, err)
					}
				}
				if status, _, err := s.Visit(right); status != 200 || err != nil {
					t.Errorf("%d %v", status, err)
				}
			}()
		}
	})
	if err != nil || len(notes) != 6 {
		t.Errorf("%v, %q", err, notes)
	}
	if n := len(s.Seen("token")); n != 1 {
		t.Errorf("%d codes were exchanged", n)
	}
}

// A browser on another machine cannot come here: the person copies the address that it was sent to.
func TestPasted(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	pasted := make(chan string)
	var notes []string
	f.mustLogin(s, func(l *Login) {
		l.Pasted = pasted
		l.Note = func(text string) { notes = append(notes, text) }
		l.Visit = func(address string) {
			right, err := s.Answer(address)
			if err != nil {
				t.Error(err)
			}
			go func() {
				for _, text := range []string{"", "what?", "http://127.0.0.1/callback?code=x&state=y", "  " + right + " "} {
					pasted <- text
				}
			}()
		}
	})
	if len(notes) != 2 {
		t.Errorf("%q", notes)
	}
	// The end of the input is not the end of the login.
	closed := make(chan string)
	close(closed)
	f.mustLogin(s, func(l *Login) { l.Pasted = closed })
	_, err := f.login(s, func(l *Login) { l.Pasted, l.Visit, l.Wait = closed, func(string) {}, 50*time.Millisecond })
	wants(t, s, err, "auth-timeout")
}

// The port can be chosen, and one that is taken is an error that says so.
func TestPort(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	back, err := listen(0)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(back.address)
	port := 0
	for _, c := range u.Port() {
		port = 10*port + int(c-'0')
	}
	_, err = f.login(s, func(l *Login) { l.Port = port })
	wants(t, s, err, "auth-failed", "--port")
	back.close()
	f.mustLogin(s, func(l *Login) { l.Port = port })
	if got := last(t, s, "authorize").Get("redirect_uri"); got != back.address {
		t.Error(got)
	}
}
