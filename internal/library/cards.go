package library

import (
	"encoding/json"
	"strings"

	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/store"
)

// Card is a question to a person, with all that they need to answer it.
type Card struct {
	store.Approval
	Acts    []CardAct       `json:"side_effects"`
	Inputs  json.RawMessage `json:"inputs"`  // trimmed
	Trimmed []string        `json:"trimmed"` // what was cut
	Asks    string          `json:"asks"`    // the question in a sentence
	Yes     string          `json:"approve,omitempty"`
	No      string          `json:"reject,omitempty"` // the commands that answer it; empty if it is answered
}

// CardAct is a tool that acts, as far as it is known what that means.
type CardAct struct {
	engine.ToolUse
	Does   string `json:"does,omitempty"`   // the first line of the tool's own description
	Target string `json:"target,omitempty"` // where the connector's calls go
}

// Asking is what of [engine.Engine] a card is made from.
type Asking interface {
	Approvals(run string) ([]store.Approval, error)
	Catalogue() (*engine.Catalogue, error)
	Target(connector string) string
}

// Cards are the questions that wait, oldest first; of a run, all that it has asked.
func Cards(e Asking, run string) ([]Card, error) {
	asked, err := e.Approvals(run)
	if err != nil {
		return nil, err
	}
	cards := []Card{}
	for _, a := range asked {
		c, err := CardOf(e, a)
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	return cards, nil
}

// CardOf is the card of one question. A question that is asked at once, before it is in the journal, has no run.
func CardOf(e Asking, a store.Approval) (Card, error) {
	c := Card{Approval: a, Acts: []CardAct{}, Trimmed: []string{}}
	var acts []engine.ToolUse
	if err := json.Unmarshal(a.Acts, &acts); err != nil {
		return c, err
	}
	known, err := e.Catalogue()
	if err != nil {
		return c, err
	}
	var names []string
	for _, t := range acts {
		act := CardAct{ToolUse: t, Target: e.Target(t.Connector)}
		if x := known.Find(t.Connector); x != nil && x.Tool(t.Tool) != nil {
			act.Does, _, _ = strings.Cut(strings.TrimSpace(x.Tool(t.Tool).Description), "\n")
		}
		c.Acts = append(c.Acts, act)
		names = append(names, t.Connector+"."+t.Tool)
	}
	var cut []string
	c.Inputs, cut = engine.Trim("inputs", a.Inputs)
	c.Trimmed = append(c.Trimmed, cut...)
	if c.Asks = "may call " + strings.Join(names, ", ") + " as often as it does"; a.Seq > 0 {
		c.Asks = "is about to call " + strings.Join(names, ", ") + " with exactly these arguments"
	}
	if a.Run != "" && a.State == store.ApprovalPending {
		c.Yes, c.No = "runlace approve "+a.Run+" --digest "+a.Digest, "runlace reject "+a.Run+" --reason TEXT"
	}
	return c, nil
}
