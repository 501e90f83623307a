package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/library"
	"github.com/runlace/runlace/internal/store"
)

// OperatorPath is where the operator's side of a server on HTTP is: what a person may do, and an agent may not. It always needs its own token, which is not
// the agents'.
const OperatorPath = "/operator/"

// maxAnswer bounds what a person sends.
const maxAnswer = 64 << 10

// operator serves a person's program: what waits, and the answers to it.
//
//	GET  /operator/approvals                    what waits
//	GET  /operator/runs/{run}                   a run
//	POST /operator/runs/{run}/approve           {"digest": what was looked at, "note": text}
//	POST /operator/runs/{run}/reject            {"digest": …, "reason": text}
//	POST /operator/runs/{run}/cancel            {"reason": text}
func (s *Server) operator() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, do func(ctx context.Context, run string, w said) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, f := read(w, r)
			if f != nil {
				respond(w, f.status, failed(f.fault))
				return
			}
			value, err := do(r.Context(), r.PathValue("run"), body)
			if err != nil {
				f := fault.Of(err)
				respond(w, statusOf(f), failed(f))
				return
			}
			respond(w, http.StatusOK, value)
		})
	}
	handle("GET "+OperatorPath+"approvals", func(context.Context, string, said) (any, error) {
		list, err := library.Cards(s.engine, "")
		return map[string]any{"ok": true, "approvals": list}, err
	})
	handle("GET "+OperatorPath+"runs/{run}", func(_ context.Context, run string, _ said) (any, error) {
		r, err := s.engine.GetRun(run)
		if err != nil {
			return nil, err
		}
		return whole(r), nil
	})
	handle("POST "+OperatorPath+"runs/{run}/approve", func(ctx context.Context, run string, w said) (any, error) {
		if w.Digest == "" { // a program that has not looked cannot consent
			asked, err := s.engine.Approvals(run)
			if err != nil {
				return nil, err
			}
			pending := func(a store.Approval) bool { return a.State == store.ApprovalPending }
			if slices.ContainsFunc(asked, pending) {
				return nil, noDigest()
			}
		}
		r, err := s.engine.Approve(ctx, run, w.Digest, w.Note)
		if err != nil {
			return nil, err
		}
		if !s.options.Queue { // nobody else will take it up
			s.calls.Go(func() { _, _ = s.queued(s.ctx, nil, run, forEver) })
		}
		return whole(r), nil
	})
	handle("POST "+OperatorPath+"runs/{run}/reject", func(_ context.Context, run string, w said) (any, error) {
		r, err := s.engine.Reject(run, w.Digest, w.Reason)
		if err != nil {
			return nil, err
		}
		return whole(r), nil
	})
	handle("POST "+OperatorPath+"runs/{run}/cancel", func(ctx context.Context, run string, w said) (any, error) {
		r, err := s.engine.Cancel(ctx, run, w.Reason)
		if err != nil {
			return nil, err
		}
		return whole(r), nil
	})
	mux.HandleFunc(OperatorPath, func(w http.ResponseWriter, r *http.Request) {
		respond(w, http.StatusNotFound, failed(fault.New("bad-usage", "there is no %s %s here", r.Method, r.URL.Path).
			WithHint("there are GET %[1]sapprovals, GET %[1]sruns/RUN, and POST %[1]sruns/RUN/approve, reject and cancel", OperatorPath)))
	})
	return mux
}

// said is what a person sends.
type said struct{ Digest, Note, Reason string }

// unread says why a body could not be read.
type unread struct {
	status int
	fault  *fault.Error
}

// read reads a body: nothing, or one object. A name that is not known is refused: a misspelled digest would be consent to whatever is asked by now.
func read(w http.ResponseWriter, r *http.Request) (body said, f *unread) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAnswer))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return body, &unread{http.StatusRequestEntityTooLarge, fault.New("bad-input", "the body has more than %d kB", maxAnswer>>10)}
	}
	if err == nil && len(bytes.TrimSpace(text)) > 0 {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err = d.Decode(&body); err == nil {
			if _, more := d.Token(); more != io.EOF {
				err = errors.New("there is more after it")
			}
		}
	}
	if err != nil {
		return body, &unread{http.StatusBadRequest, fault.New("bad-input", "the body is not a JSON object of the texts digest, note and reason: %v", err)}
	}
	return body, nil
}

// statusOf is the status of a response that says what went wrong.
func statusOf(f *fault.Error) int {
	switch f.Code {
	case "unknown-run":
		return http.StatusNotFound
	case "bad-input":
		return http.StatusBadRequest
	case "internal":
		return http.StatusInternalServerError
	}
	return http.StatusConflict
}

func respond(w http.ResponseWriter, status int, value any) {
	b, err := encode(value)
	if err != nil {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

func noDigest() error {
	return fault.New("bad-input", "there is no digest: consent is given to the question that was looked at, whose digest is in GET %sapprovals", OperatorPath)
}
