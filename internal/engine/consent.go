package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

// Person asks whoever sits in front of the client. It returns [NobodyThere] if the client cannot ask, or if nobody answered.
type Person func(context.Context, Question) (Reply, error)

// Question is what a person is asked before a run acts.
type Question struct {
	Workflow  string          // its name
	Version   string          //
	Acts      []ToolUse       // that the consent is for
	Inputs    json.RawMessage // of the run
	Seq       int             // the step that waits; 0: the whole run
	Arguments json.RawMessage // of the step, exactly as they will be sent
	Preview   json.RawMessage // what the last dry run on the same inputs saw; nil if there was none
}

// Reply is a person's answer.
type Reply int

// The replies.
const (
	NobodyThere Reply = iota
	Accepted
	Declined
)

// DefaultApprovalExpiry is how long a question to a person lasts where nothing else is said.
const DefaultApprovalExpiry = 24 * time.Hour

// acts are the tools of the version that act.
func (a *attempt) acts() []ToolUse {
	return a.actsWith(policy.Allow, policy.Ask, policy.Human, policy.Each)
}

// actsWith are the tools that act and need one of these kinds of consent.
func (a *attempt) actsWith(kinds ...policy.Approval) []ToolUse {
	var out []ToolUse
	for _, u := range a.uses {
		if u.risk != store.ReadOnly && slices.Contains(kinds, u.approval) {
			out = append(out, toolUse(u))
		}
	}
	return out
}

func toolUse(u use) ToolUse { return ToolUse{u.pin.Connector, u.pin.Tool, u.risk, u.pin.Digest} }

// covered tells whether a person has consented to all acts of a tool in this run.
func (a *attempt) covered(t ToolUse) bool {
	if a.consent != nil && slices.Contains(usesOf(a.consent.Acts), t) {
		return true
	}
	return slices.ContainsFunc(a.answers, func(p store.Approval) bool {
		return p.Seq == 0 && p.State == store.ApprovalApproved && slices.Contains(usesOf(p.Acts), t) && a.digest(p.Acts, 0, nil) == p.Digest
	})
}

// usesOf reads the acts of a question. What cannot be read covers nothing.
func usesOf(acts json.RawMessage) []ToolUse {
	var out []ToolUse
	_ = json.Unmarshal(acts, &out)
	return out
}

// checkConsent is the gate before acts. What has to be approved call by call passes it, and is asked about by the dispatcher.
func (a *attempt) checkConsent(ctx context.Context) error {
	if a.request.Mode == store.Dry {
		return nil
	}
	open := func(list []ToolUse) []ToolUse { return slices.DeleteFunc(list, a.covered) }
	if len(open(a.actsWith(policy.Human))) > 0 {
		// A person who looks at the run looks at all of it.
		return a.askPerson(ctx, a.actsWith(policy.Human, policy.Ask))
	}
	asked := open(a.actsWith(policy.Ask))
	if len(asked) == 0 || a.request.Confirm {
		return nil
	}
	a.result.SideEffects = asked
	return a.refuse(gateConsent, fault.New("needs-confirmation", "the run acts, and nobody has consented to that: %s", toolNames(asked)))
}

// askPerson asks for the whole run: in the client if somebody is there, else the run parks.
func (a *attempt) askPerson(ctx context.Context, acts []ToolUse) error {
	ask, err := a.ask(acts, 0, nil)
	if err != nil {
		return err
	}
	reply, err := a.reply(ctx, ask)
	if err != nil {
		return err
	}
	if reply == Accepted {
		ask.AnsweredAt = a.engine.now()
		if a.journal != nil {
			if err := a.journal.Approved(ask); err != nil {
				return err
			}
		}
		a.consent = &ask
		return nil
	}
	a.result.SideEffects = acts
	id := ""
	if a.journal != nil {
		id = a.journal.Run().ID
		err = a.journal.Finish(store.Finish{Status: store.AwaitingApproval, Ask: &ask})
	} else {
		var run store.Run
		run, err = a.engine.store.ParkRun(a.newRun(), ask)
		id = run.ID
	}
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == "secret-input" {
		return a.refuse(gateConsent, f)
	}
	if err != nil {
		return err
	}
	a.parked(id)
	if reply == Declined {
		_, err = a.engine.store.Reject(id, ask.Digest, "refused in the client")
	}
	return err
}

// parked says that the run waits for a person.
func (a *attempt) parked(id string) {
	a.result.ID, a.result.Status = id, store.AwaitingApproval
	a.fail(awaiting(id))
}

func awaiting(id string) *fault.Error {
	return fault.New("awaiting-approval", "run %s waits for a person's consent", id).WithHint(
		"a person looks at it with runlace approvals %s, and decides with runlace approve %s or runlace reject %s --reason TEXT: no argument of a call can", id, id, id)
}

// reply asks the person who is there, if one is.
func (a *attempt) reply(ctx context.Context, ask store.Ask) (Reply, error) {
	if a.request.Person == nil {
		return NobodyThere, nil
	}
	a.observe(Event{Kind: "asking", Seq: ask.Seq})
	reply, err := a.request.Person(ctx, Question{
		Workflow: a.version.Name, Version: a.version.Version, Acts: usesOf(ask.Acts), Inputs: a.inputs, Seq: ask.Seq, Arguments: ask.Arguments, Preview: ask.Preview,
	})
	if !a.engine.now().Before(ask.ExpiresAt) {
		return NobodyThere, err // it came too late
	}
	return reply, err
}

// ask is the question for some acts, or for one step with its arguments.
func (a *attempt) ask(acts []ToolUse, seq int, arguments json.RawMessage) (store.Ask, error) {
	e := a.engine
	list, err := json.Marshal(acts)
	if err != nil {
		return store.Ask{}, err
	}
	f, _, _ := e.settings.now()
	expiry := cmp.Or(e.options.ApprovalExpiry, f.Expiry, DefaultApprovalExpiry)
	preview, err := e.preview(a.version.ID, a.inputs)
	if err != nil {
		return store.Ask{}, err
	}
	return store.Ask{
		Seq: seq, Acts: list, Arguments: arguments, Digest: a.digest(list, seq, arguments), Preview: preview,
		ExpiresAt: e.now().Add(min(expiry, config.MaxExpiry)),
	}, nil
}

// digest is over all that a consent is for: the version, the inputs, the acts and where their calls go, and the step with its arguments. Each part has its
// length before it, so that no two things have the same digest.
func (a *attempt) digest(acts json.RawMessage, seq int, arguments json.RawMessage) string {
	parts := []json.RawMessage{json.RawMessage(a.version.Digest), a.inputs, acts, json.RawMessage(fmt.Sprint(seq)), arguments}
	f, _, _ := a.engine.settings.now()
	for _, t := range usesOf(acts) {
		c, _ := f.Find(t.Connector)
		where, _ := json.Marshal(c) // texts, with references in the place of secrets
		parts = append(parts, where)
	}
	h := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s\n", len(part), part) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// Preview is what a dry run on the same inputs saw, for the person who is asked.
type Preview struct {
	RunID  string          `json:"run_id"`
	Status store.RunStatus `json:"status"`
	At     time.Time       `json:"at"`
	Acts   []PreviewAct    `json:"acts"`           // that it did not send
	More   int             `json:"more,omitempty"` // acts that are left out
}

// PreviewAct is an act with its arguments, both as far as a person can look at them.
type PreviewAct struct {
	Seq       int             `json:"seq"`
	Connector string          `json:"connector"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// previewed is how many acts of a dry run a question shows.
const previewed = 20

// preview finds the last dry run of a version on the same inputs; nil if there was none.
func (e *Engine) preview(version string, inputs json.RawMessage) (json.RawMessage, error) {
	run, found, err := e.store.LastDry(version, inputs)
	if err != nil || !found {
		return nil, err
	}
	p := Preview{RunID: run.ID, Status: run.Status, At: run.CreatedAt, Acts: []PreviewAct{}}
	if err := e.store.Recorded(run.ID, func(s store.Step) error {
		switch {
		case !s.Simulated:
		case len(p.Acts) == previewed:
			p.More++
		default:
			d := StepDetail{}
			p.Acts = append(p.Acts, PreviewAct{s.Seq, s.Connector, s.Tool, d.trim("arguments", s.Arguments)})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

func toolNames(list []ToolUse) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Connector+"."+t.Tool)
	}
	return strings.Join(names, ", ")
}
