package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/term"
)

// A run that needs a person has parked before anybody is asked: a client that hangs up, or a person who is at lunch, loses nothing. If the client can ask
// its user, it is asked: until revision 2025-11-25 by a request of ours (elicitation/create), from 2026-07-28 on by a result that requires input, after
// which the client calls again with the answer and with the state that we signed.

const (
	question  = "approval" // the id of the question in a result that requires input
	askFor    = 5 * time.Minute
	maxRounds = 50 // questions in one call
)

// canAsk tells whether the client has said that it can put a form to its user.
func (s *Server) canAsk(c *call) bool {
	if s.options.Unattended || c.request.Session == nil {
		return false
	}
	client := c.request.Session.InitializeParams()
	if client == nil || client.Capabilities == nil || client.Capabilities.Elicitation == nil {
		return false
	}
	e := client.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil
}

// ask puts the run's question to the client's user. It reports false if there is nobody to ask, or no answer: the run goes on waiting.
func (s *Server) ask(ctx context.Context, c *call, run *engine.Run, wait time.Duration) (answer, bool, error) {
	if !s.canAsk(c) || run.Approval == nil {
		return answer{}, false, nil
	}
	session := c.request.Session
	if session.InitializeParams().ProtocolVersion >= "2026-07-28" {
		return answer{ask: &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{question: s.elicitation(run)}, RequestState: s.sign(c, run.ID, run.Approval.Digest),
		}}, true, nil
	}
	if wait == 0 { // who does not want to wait for a run does not wait for a person
		return answer{}, false, nil
	}
	for range maxRounds {
		asking, cancel := context.WithTimeout(ctx, askFor)
		reply, err := session.Elicit(asking, s.elicitation(run))
		cancel()
		if err != nil {
			return answer{}, false, nil
		}
		yes, said := says(reply)
		if !said {
			return answer{}, false, nil
		}
		switch err := s.settle(ctx, run.ID, run.Approval.Digest, yes); {
		case err != nil && fault.Of(err).Code != "approval-stale":
			return answer{}, false, err
		case err != nil || !yes:
			run, err = s.engine.GetRun(run.ID)
			if err != nil {
				return answer{}, false, err
			}
		default:
			if run, err = s.queued(ctx, c, run.ID, wait); err != nil {
				return answer{}, false, err
			}
		}
		if run.Status != store.AwaitingApproval {
			a, err := s.told(ctx, c, run, wait)
			return a, true, err
		}
	}
	return answer{}, false, nil
}

// elicitation is the question, with all that a person needs to decide.
func (s *Server) elicitation(run *engine.Run) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Mode: "form", Message: s.card(run),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"approve":{"type":"boolean","title":"Let it act","description":"yes lets the run do what is listed; no ends it","default":false}},"required":["approve"]}`),
	}
}

// card is the question in words. What comes from elsewhere stands in it as JSON, or without characters that would act on a screen.
func (s *Server) card(run *engine.Run) string {
	a := run.Approval
	var b strings.Builder
	if a.Seq == 0 {
		fmt.Fprintf(&b, "The workflow %s (version %s) wants to act:\n", run.Name, run.Version)
	} else {
		fmt.Fprintf(&b, "The workflow %s (version %s) wants to act in step %d:\n", run.Name, run.Version, a.Seq)
	}
	for _, t := range run.SideEffects {
		fmt.Fprintf(&b, "- %s -> %s\n", oneLine(t.Connector+"."+t.Tool), oneLine(s.engine.Target(t.Connector)))
	}
	if len(a.Arguments) > 0 {
		fmt.Fprintf(&b, "with exactly these arguments: %s\n", cut(a.Arguments))
	}
	fmt.Fprintf(&b, "Inputs: %s\n", cut(a.Inputs))
	var p engine.Preview
	if len(a.Preview) > 0 && json.Unmarshal(a.Preview, &p) == nil && a.Seq == 0 {
		fmt.Fprintf(&b, "The dry run %s on the same inputs would have made %d of these calls:\n", p.RunID, len(p.Acts)+p.More)
		shown := p.Acts[:min(5, len(p.Acts))]
		for _, act := range shown {
			fmt.Fprintf(&b, "- %s %s\n", oneLine(act.Connector+"."+act.Tool), cut(act.Arguments))
		}
		if more := len(p.Acts) + p.More - len(shown); more > 0 {
			fmt.Fprintf(&b, "- and %d more\n", more)
		}
	} else if a.Seq == 0 {
		b.WriteString("There was no dry run on these inputs.\n")
	}
	fmt.Fprintf(&b, "Run %s waits until %s. All of it: runlace approvals %s", run.ID, a.ExpiresAt.Format(time.RFC3339), run.ID)
	return b.String()
}

// oneLine is a name in a question.
func oneLine(name string) string { return term.Plain(strings.Join(strings.Fields(name), " ")) }

// cut bounds a value in a question.
func cut(value json.RawMessage) string {
	const most = 600
	text := term.Plain(string(value))
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + fmt.Sprintf("… (cut: it has %d characters)", len(r))
	}
	return text
}

// says is what a person has said. Only the word itself counts: a form that was closed, or sent without it, is no answer.
func says(r *mcp.ElicitResult) (yes, said bool) {
	switch r.Action {
	case "decline":
		return false, true
	case "accept":
		yes, said = r.Content["approve"].(bool)
		return yes, said
	}
	return false, false
}

// settle writes a person's answer.
func (s *Server) settle(ctx context.Context, id, digest string, yes bool) error {
	var err error
	if yes {
		_, err = s.engine.Approve(ctx, id, digest, "given in the client")
	} else {
		_, err = s.engine.Reject(id, digest, "refused in the client")
	}
	return err
}

// sign binds what a client hands back to the tool, the run and the question that it was given for.
func (s *Server) sign(c *call, id, digest string) string {
	m := hmac.New(sha256.New, s.key[:])
	_, _ = fmt.Fprintf(m, "%s.%s.%s", c.request.Params.Name, id, digest) // a hash takes everything
	return id + "." + digest + "." + hex.EncodeToString(m.Sum(nil))
}

// handed is an answer that a client hands in with its call.
type handed struct {
	run, digest string
	reply       *mcp.ElicitResult // nil: the client has left it out
}

// answered is the answer that a call brings; nil if it brings none. One that was not asked for is refused.
func (s *Server) answered(c *call) (*handed, error) {
	p := c.request.Params
	if p.RequestState == "" && len(p.InputResponses) == 0 {
		return nil, nil
	}
	id, rest, _ := strings.Cut(p.RequestState, ".")
	digest, _, _ := strings.Cut(rest, ".")
	if !hmac.Equal([]byte(s.sign(c, id, digest)), []byte(p.RequestState)) {
		return nil, fault.New("unasked-answer", "the call brings an answer, and the state with it was not given by this server for this tool")
	}
	if !s.canAsk(c) {
		return nil, fault.New("unasked-answer", "the call brings an answer from a client that cannot ask anybody")
	}
	h := &handed{run: id, digest: digest}
	h.reply, _ = p.InputResponses[question].(*mcp.ElicitResult)
	return h, nil
}

// afterAnswer goes on with a run for which the client has brought an answer.
func (s *Server) afterAnswer(ctx context.Context, c *call, h *handed, run *engine.Run, wait time.Duration) (answer, error) {
	yes, said := false, false
	if h.reply != nil {
		yes, said = says(h.reply)
	}
	if !said {
		return answer{value: journaled(run), failed: !run.OK}, nil
	}
	err := s.settle(ctx, h.run, h.digest, yes)
	if err != nil && fault.Of(err).Code != "approval-stale" {
		return answer{}, err
	}
	if err == nil && yes {
		return s.resumed(ctx, c, h.run, wait)
	}
	if run, err = s.engine.GetRun(h.run); err != nil {
		return answer{}, err
	}
	return s.told(ctx, c, run, wait)
}
