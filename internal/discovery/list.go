package discovery

import (
	"encoding/json"
	"strings"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
)

// Tool is a tool in a list for people.
type Tool struct {
	Connector   string `json:"connector"`
	Tool        string `json:"tool"`
	Call        string `json:"call"`
	Risk        string `json:"risk"`
	Description string `json:"description"` // one line
	Stale       bool   `json:"stale,omitempty"`
}

// Issue is something about a tool that could not be understood, or had to be changed.
type Issue struct {
	Connector string `json:"connector"`
	Tool      string `json:"tool,omitempty"` // empty: the connector as a whole
	Where     string `json:"where,omitempty"`
	Code      string `json:"code,omitempty"`
	Message   string `json:"message"`
	Skipped   bool   `json:"skipped,omitempty"` // workflows cannot use the tool
}

// Listing is all that is known of the connectors' tools.
type Listing struct {
	Tools    []Tool  `json:"tools"`    // by connector and name
	Problems []Issue `json:"problems"` // by connector; what could not be understood about them
}

// List lists the tools of a connector, or of all if it is empty. Nobody is asked.
func List(f *config.File, problems []config.Problem, path string, p *policy.Policy, s *store.Store, only string) (*Listing, error) {
	connectors, err := s.Connectors()
	if err != nil {
		return nil, err
	}
	tools, err := stored(s, "")
	if err != nil {
		return nil, err
	}
	raw, err := s.Tools("")
	if err != nil {
		return nil, err
	}
	stale := map[string]bool{}
	for _, t := range raw {
		stale[t.Connector] = stale[t.Connector] || t.Stale
	}
	by := grouped(connectors, tools)
	if only != "" {
		_, ok := f.Find(only)
		if _, had := by[only]; !ok && !had && !isBroken(problems, only) {
			return nil, Unknown(f, only, path)
		}
	}
	l := &Listing{Tools: []Tool{}, Problems: []Issue{}}
	for _, c := range stubs.BuildAll(by) {
		if only != "" && c.Name != only {
			continue
		}
		for _, t := range by[c.Name] {
			// A policy that has become stricter counts at once, one that allows more from the next discovery on.
			t.Risk = p.Tighten(c.Name, t.Name, c.Tool(t.Name).Python, t.Risk)
			l.Tools = append(l.Tools, Tool{
				Connector: c.Name, Tool: t.Name, Call: "ctx." + c.Attr + "." + c.Tool(t.Name).Python + "(...)",
				Risk: string(t.Risk), Description: oneLine(t.Description, t.Title), Stale: stale[c.Name],
			})
		}
		for _, i := range connectors {
			if i.Name == c.Name {
				l.Problems = append(l.Problems, issues(i)...)
			}
		}
		for _, x := range c.Problems() {
			l.Problems = append(l.Problems, Issue{Connector: c.Name, Tool: x.Tool, Where: strings.TrimSpace(x.Side + " " + x.Where), Code: x.Code, Message: x.Message})
		}
	}
	return l, nil
}

// issues are what was wrong with a server and its list.
func issues(c store.Connector) []Issue {
	var out []Issue
	if c.Status != store.ConnectorOK {
		out = append(out, Issue{Connector: c.Name, Message: c.Detail})
	}
	var k known
	if len(c.Server) > 0 {
		_ = json.Unmarshal(c.Server, &k)
	}
	for _, p := range k.Problems {
		out = append(out, Issue{Connector: c.Name, Tool: p.Tool, Message: p.Reason, Skipped: p.Skipped})
	}
	return out
}

// oneLine is the first sentence of a description that has several lines, else all of it.
func oneLine(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return brief(t, 200)
		}
	}
	return ""
}
