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
	Tool      string `json:"tool,omitempty"`    // empty: the connector as a whole
	Pointer   string `json:"pointer,omitempty"` // into the tool's definition, as in /inputSchema/properties/filter
	Code      string `json:"code"`              // unreachable, not-asked, listing, or the reason why something is typed loosely
	Message   string `json:"message"`
	Loss      bool   `json:"loss"`              // something is typed less precisely than the tool would allow
	Skipped   bool   `json:"skipped,omitempty"` // workflows cannot use the tool
}

// Codes of an Issue that is not about types.
const (
	IssueUnreachable = "unreachable" // the server could not be asked
	IssueNotAsked    = "not-asked"   // the server is disabled, or its settings lack something
	IssueListing     = "listing"     // in the server's list
)

// Typing is how much of a connector's tools is typed.
type Typing struct {
	Connector string `json:"connector"`
	Tools     int    `json:"tools"`
	stubs.Stats
}

// Listing is all that is known of the connectors' tools.
type Listing struct {
	Tools    []Tool   `json:"tools"`    // by connector and name
	Problems []Issue  `json:"problems"` // by connector; what could not be understood about them
	Typing   []Typing `json:"typing"`   // by connector
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
	l := &Listing{Tools: []Tool{}, Problems: []Issue{}, Typing: []Typing{}}
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
			l.Problems = append(l.Problems, Issue{Connector: c.Name, Tool: x.Tool, Pointer: pointer(x), Code: x.Code, Message: x.Message, Loss: x.Loss()})
		}
		if n := len(by[c.Name]); n > 0 {
			l.Typing = append(l.Typing, Typing{c.Name, n, c.Stats()})
		}
	}
	return l, nil
}

// issues are what was wrong with a server and its list.
func issues(c store.Connector) []Issue {
	var out []Issue
	switch c.Status {
	case store.ConnectorOK:
	case store.ConnectorSkipped:
		out = append(out, Issue{Connector: c.Name, Code: IssueNotAsked, Message: c.Detail})
	default:
		out = append(out, Issue{Connector: c.Name, Code: IssueUnreachable, Message: c.Detail})
	}
	var k known
	if len(c.Server) > 0 {
		_ = json.Unmarshal(c.Server, &k)
	}
	for _, p := range k.Problems {
		out = append(out, Issue{Connector: c.Name, Tool: p.Tool, Code: IssueListing, Message: p.Reason, Skipped: p.Skipped})
	}
	return out
}

// pointer says where in a tool's definition a problem is.
func pointer(p stubs.Problem) string {
	switch p.Side {
	case "input", "output":
		return "/" + p.Side + "Schema" + p.Where
	case "name":
		return "/name"
	}
	return p.Where
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
