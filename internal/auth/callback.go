package auth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// callback is the address of this machine to which the browser is sent back.
type callback struct {
	address string
	server  *http.Server
	got     chan arrival
}

// arrival is a request, and what to tell the browser.
type arrival struct {
	query url.Values
	take  chan bool
}

const callbackPath = "/callback"

// listen opens the address: on 127.0.0.1 alone, at a port that nobody can foresee if none is asked for.
func listen(port int) (*callback, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fault.New("auth-failed", "the address 127.0.0.1:%d cannot be listened at", port).WithDetail(err).WithHint("choose another with --port")
	}
	c := &callback{address: "http://" + l.Addr().String() + callbackPath, got: make(chan arrival)}
	host := l.Addr().String()
	c.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host || r.URL.Path != callbackPath || r.Method != http.MethodGet { // a page may send a browser here under another name
			http.NotFound(w, r)
			return
		}
		a := arrival{r.URL.Query(), make(chan bool, 1)}
		ok := false
		select {
		case c.got <- a:
			ok = <-a.take
		case <-r.Context().Done():
		}
		page(w, ok)
	})}
	go func() { _ = c.server.Serve(l) }()
	return c, nil
}

// page answers the browser, with nothing in it of what came.
func page(w http.ResponseWriter, ok bool) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	text := "Runlace has the answer. You can close this page and go back to the terminal."
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		text = "This is not the answer to the login that Runlace has begun. It was not used."
	}
	_, _ = io.WriteString(w, "<!doctype html><title>Runlace</title><p>"+text+"</p>\n")
}

func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // for the page that the browser waits for
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}

// wait waits for the answer with this state, from the browser or from the person. Other answers are not used: whoever sends the browser
// here with another one does not end the login with it.
func (c *callback) wait(ctx context.Context, state string, l Login) (url.Values, error) {
	late := time.NewTimer(l.Wait)
	defer late.Stop()
	fits := func(q url.Values) bool {
		return len(q["state"]) == 1 && subtle.ConstantTimeCompare([]byte(q["state"][0]), []byte(state)) == 1 &&
			(len(q["code"]) == 1 && len(q["error"]) == 0 && q["code"][0] != "" || len(q["error"]) == 1 && len(q["code"]) == 0)
	}
	pasted := l.Pasted
	for {
		select {
		case a := <-c.got:
			ok := fits(a.query)
			a.take <- ok
			if ok {
				return a.query, nil
			}
			l.Note("an answer that is not the one to this login was not used")
		case text, open := <-pasted:
			if !open {
				pasted = nil
				continue
			}
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if u, err := url.Parse(text); err == nil && fits(u.Query()) {
				return u.Query(), nil
			}
			l.Note("that is not the address to which this login leads: copy all of it from the browser")
		case <-late.C:
			return nil, fault.New("auth-timeout", "nobody has logged in within %s", l.Wait)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
