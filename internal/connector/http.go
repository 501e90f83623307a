package connector

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

// web is the HTTP side of a session: a round tripper under the SDK's transports that adds the entry's headers, lets the tap see
// every message, keeps to the limits, and ends with the session.
type web struct {
	tap     *tap
	base    *http.Transport
	origin  *url.URL
	headers map[string]string
	life    context.Context // of the session

	authorize func(context.Context, *http.Request) error                    // or nil
	challenge func(context.Context, *http.Response) (retry bool, err error) // or nil

	mu   sync.Mutex
	last *statusError // the last answer that was not 2xx
	page string       // the content type of an answer that cannot be one of MCP
}

// statusError is an HTTP answer that is not 2xx.
type statusError struct {
	status int
	said   string
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("HTTP status %d %s", e.status, http.StatusText(e.status))
	if e.said != "" {
		s += ": " + e.said
	}
	return s
}

const mostRedirects = 5

func newWeb(life context.Context, t *tap, origin *url.URL, headers map[string]string, o Options) *web {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	base.TLSHandshakeTimeout = 10 * time.Second
	base.MaxIdleConnsPerHost = 32 // 20 runs at once
	base.IdleConnTimeout = time.Minute
	return &web{tap: t, base: base, origin: origin, headers: headers, life: life, authorize: o.Authorize, challenge: o.Challenge}
}

// client has no time limit of its own: a call may take as long as its own limit says, and an event stream has no end.
func (w *web) client() *http.Client { return &http.Client{Transport: w, CheckRedirect: w.redirect} }

// redirect follows a few redirects that keep the request, and none from https to http. At another host there are no credentials.
func (w *web) redirect(req *http.Request, via []*http.Request) error {
	to := &url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path}
	switch {
	case len(via) >= mostRedirects:
		return fmt.Errorf("more than %d redirects", mostRedirects)
	case req.Method != via[0].Method:
		return fmt.Errorf("it redirects to %s in a way that loses the request: set that as url", to)
	case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
		return fmt.Errorf("it redirects from https to %s, where everybody could read along", to)
	}
	return nil
}

// home reports whether credentials may go there: to the host of the entry, and never from https to http.
func (w *web) home(u *url.URL) bool {
	if u.Host == w.origin.Host && u.Scheme == w.origin.Scheme {
		return true
	}
	return w.origin.Scheme == "http" && u.Scheme == "https" && u.Hostname() == w.origin.Hostname() && u.Port() == ""
}

// RoundTrip implements [http.RoundTripper].
func (w *web) RoundTrip(in *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(in.Context())
	stop := context.AfterFunc(w.life, cancel)
	end := func() { stop(); cancel() }
	req := in.Clone(ctx)
	if w.home(req.URL) {
		for k, v := range w.headers {
			req.Header.Set(k, v)
		}
	} else if in.Response != nil { // a redirect
		req.Header.Del("Referer") // which may have a key in its query
	} else if len(w.headers) > 0 {
		end()
		return nil, fmt.Errorf("it asks to send messages to another host, %s, which must not get this connector's headers", req.URL.Host)
	}
	var r *request
	if req.Method == http.MethodPost && in.Body != nil {
		data, err := io.ReadAll(in.Body)
		_ = in.Body.Close()
		if err != nil {
			end()
			return nil, err
		}
		var drop bool
		data, r, drop = w.tap.outgoing(in.Context(), data)
		if drop {
			end()
			return &http.Response{StatusCode: http.StatusAccepted, Status: "202 Accepted", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
				Header: http.Header{}, Body: http.NoBody, Request: in}, nil
		}
		req.Body = io.NopCloser(bytes.NewReader(data))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		req.ContentLength = int64(len(data))
	}
	if r != nil {
		req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { r.sent.Store(true) }}))
	}
	resp, err := w.exchange(req, r)
	if err != nil {
		end()
		return nil, err
	}
	var id int64
	if r != nil {
		id = r.id
	}
	body := resp.Body
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		if resp.StatusCode >= 300 && resp.StatusCode < 400 {
			break // the client follows it, or says why not
		}
		head, _ := io.ReadAll(io.LimitReader(body, 64<<10))
		if resp.Request != nil { // a token may be newer than the session, which does not know it then, and servers send it back
			head = []byte(NewRedactor([]string{resp.Request.Header.Get("Authorization")}).String(string(head)))
		}
		_ = body.Close()
		gone := sessionGone(req, resp.StatusCode, head)
		if gone {
			resp.StatusCode, resp.Status, head = http.StatusNotFound, "404 Not Found", nil
		}
		body = io.NopCloser(bytes.NewReader(head))
		said := ""
		if kind == "" || strings.HasPrefix(kind, "text/plain") || strings.HasSuffix(kind, "json") {
			said = short(string(head))
		}
		denied := resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden
		if denied && !w.home(req.URL) && (len(w.headers) > 0 || w.authorize != nil) {
			said = strings.TrimSpace(said + " (it redirects to another host, " + req.URL.Host + ", which does not get this connector's credentials: " +
				"set that as url if it is right)")
		}
		w.mu.Lock()
		w.last = &statusError{resp.StatusCode, said}
		w.mu.Unlock()
		if r != nil {
			r.refused(resp.StatusCode, said, head, gone)
		}
	case kind == "text/event-stream":
		body = &events{tap: w.tap, id: id, src: body, in: bufio.NewReaderSize(body, 32<<10)}
	case kind != "application/json":
		if resp.StatusCode == http.StatusOK && resp.ContentLength != 0 && req.Method != http.MethodDelete {
			w.mu.Lock()
			w.page = kind
			w.mu.Unlock()
		}
	default:
		body = &document{tap: w.tap, id: id, src: body}
		resp.ContentLength = -1
	}
	resp.Body = &finally{ReadCloser: body, end: end}
	return resp, nil
}

// exchange sends a request and, when it is refused for want of credentials and the owner has got others, sends it once more.
func (w *web) exchange(req *http.Request, r *request) (*http.Response, error) {
	for again := false; ; again = true {
		home := w.home(req.URL)
		if home && w.authorize != nil {
			if err := w.authorize(req.Context(), req); err != nil {
				return nil, &deniedError{err}
			}
		}
		resp, err := w.base.RoundTrip(req)
		if err != nil || again || !home || w.challenge == nil {
			return resp, err
		}
		if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
			return resp, nil
		}
		retry, err := w.challenge(req.Context(), resp)
		if err == nil && !retry {
			return resp, nil
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the line can be used again
		_ = resp.Body.Close()
		if err != nil {
			return nil, &deniedError{err}
		}
		next := req.Clone(req.Context())
		if req.GetBody != nil {
			if next.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
		req = next
		if r != nil {
			r.sent.Store(false) // it was refused
		}
	}
}

// deniedError is an error of the owner's Authorize or Challenge: the request that it is about was not executed.
type deniedError struct{ error }

func (e *deniedError) Unwrap() error { return e.error }

// denied makes the failure of an error of Authorize or Challenge, and nil of any other.
func (s *Session) denied(err error) *Error {
	d := (*deniedError)(nil)
	if !errors.As(err, &d) {
		return nil
	}
	e := s.fail(CodeUnauthorized, NotSent, err, "%s", d.error)
	if f := (*fault.Error)(nil); errors.As(d.error, &f) {
		own := *f
		own.Message, own.Detail = e.Fault.Message, s.redact.String(own.Detail)
		e.Fault = &own
	}
	return e
}

// sessionGone reports whether an answer says that the server does not know the session. The protocol has status 404 for that; the
// servers of some SDKs answer 400. The SDK must not see what else is in the answer: it would take the session for open.
func sessionGone(req *http.Request, status int, body []byte) bool {
	if req.Header.Get("Mcp-Session-Id") == "" {
		return false
	}
	return status == http.StatusNotFound || status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body), []byte("session"))
}

// lastStatus returns the last answer that was not 2xx, and the content type of an answer that was no message.
func (w *web) lastStatus() (*statusError, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, w.page
}

// finally frees what a response holds when its body is closed.
type finally struct {
	io.ReadCloser
	end func()
}

func (f *finally) Close() error {
	err := f.ReadCloser.Close()
	f.end()
	return err
}

// document is a body that is one message.
type document struct {
	tap  *tap
	id   int64 // of the request that it answers, if its result is kept
	src  io.ReadCloser
	read bool
	out  bytes.Reader
}

func (d *document) Close() error { return d.src.Close() }

func (d *document) Read(p []byte) (int, error) {
	if !d.read {
		d.read = true
		data, err := io.ReadAll(io.LimitReader(d.src, int64(d.tap.limit)+1))
		if err != nil {
			return 0, err
		}
		d.out.Reset(d.message(data))
	}
	return d.out.Read(p)
}

func (d *document) message(data []byte) []byte {
	if len(data) > d.tap.limit {
		rest, _ := io.Copy(io.Discard, io.LimitReader(d.src, 16*int64(d.tap.limit))) // for its size; not for ever
		if out := d.tap.tooLarge(nil, nil, int64(len(data))+rest, d.id); out != nil {
			return out
		}
		return data[:0]
	}
	out, ok := d.tap.incoming(data)
	if ok && len(out) > 0 {
		return out[0]
	}
	if out := d.tap.odd(nil, nil, &oddAnswer{CodeInvalid, "the answer is not a message: " + short(string(data))}, d.id); out != nil {
		return out
	}
	return data
}

// events is a stream of server-sent events, whose messages go through the tap.
type events struct {
	tap *tap
	id  int64
	src io.ReadCloser
	in  *bufio.Reader
	out bytes.Buffer
	err error

	// the event that is being read
	fields, data bytes.Buffer
	message      bool // it has no other name
	size         int64
	tail         []byte // of what is over the limit
}

func (e *events) Close() error { return e.src.Close() }

func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	n, err := e.out.Read(p)
	if e.out.Len() == 0 {
		e.out = bytes.Buffer{} // an event may have been large
	}
	return n, err
}

// next reads up to the end of an event.
func (e *events) next() {
	e.fields.Reset()
	e.data = bytes.Buffer{}
	e.message, e.size, e.tail = true, 0, nil
	for {
		line, err := e.line()
		if err != nil {
			e.err = err
			if !errors.Is(err, io.EOF) {
				return
			}
		}
		text := bytes.TrimRight(line, "\r\n")
		if len(text) == 0 {
			if e.size > 0 {
				e.flush()
			}
			if e.out.Len() > 0 || e.err != nil {
				return
			}
			continue
		}
		name, value, _ := bytes.Cut(text, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "":
			// a comment, which keeps the line alive
		case "data":
			if e.data.Len() > 0 {
				e.data.WriteByte('\n')
			}
			e.data.Write(value)
		case "event":
			e.message = string(value) == "message"
			e.fields.Write(text)
			e.fields.WriteByte('\n')
		case "id", "retry":
			e.fields.Write(text)
			e.fields.WriteByte('\n')
		}
		if e.err != nil {
			e.flush()
			return
		}
	}
}

// line reads a line. What is over the limit of an event is counted, and only its end is kept.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.in.ReadSlice('\n')
		e.size += int64(len(part))
		switch {
		case e.size <= int64(e.tap.limit):
			line = append(line, part...)
		case len(line) == 0 && len(bytes.TrimRight(part, "\r\n")) == 0:
			line = append(line, part...) // the end of the event
		default:
			if len(line) == 0 {
				line = append(line, ':')
			}
			e.tail = append(e.tail, bytes.TrimRight(part[max(0, len(part)-256):], "\r\n")...)
			e.tail = e.tail[max(0, len(e.tail)-256):]
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (e *events) flush() {
	e.out.Write(e.fields.Bytes())
	switch {
	case e.size > int64(e.tap.limit):
		if out := e.tap.tooLarge(e.data.Bytes(), e.tail, e.size, e.id); out != nil {
			e.emit(out)
		}
	case e.data.Len() == 0:
	case !e.message:
		e.emit(e.data.Bytes())
	default:
		messages, ok := e.tap.incoming(e.data.Bytes())
		if !ok {
			if out := e.tap.odd(nil, nil, &oddAnswer{CodeInvalid, "the answer is not a message: " + short(e.data.String())}, e.id); out != nil {
				messages = [][]byte{out}
			}
		}
		for i, m := range messages {
			if i > 0 {
				e.out.WriteByte('\n')
			}
			e.emit(m)
		}
	}
	e.out.WriteByte('\n')
}

func (e *events) emit(data []byte) {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		e.out.WriteString("data: ")
		e.out.Write(bytes.TrimSuffix(line, []byte("\r")))
		e.out.WriteByte('\n')
	}
}
