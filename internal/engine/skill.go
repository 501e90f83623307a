package engine

import (
	"slices"
	"sort"
	"strings"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/store"
)

// Skill is what an agent reads first: how to write a workflow, and what can be called.
type Skill struct {
	Text       string           `json:"skill"`
	Connectors []SkillConnector `json:"connectors"`
	Next       string           `json:"next"`
}

// SkillConnector is a connector with the calls of its tools.
type SkillConnector struct {
	Connector string      `json:"connector"`
	Attr      string      `json:"attr"`
	Status    string      `json:"status"`
	Detail    string      `json:"detail,omitempty"`
	Tools     []SkillTool `json:"tools"`
}

// SkillTool is a tool in one line.
type SkillTool struct {
	Tool        string     `json:"tool"`
	Call        string     `json:"call"` // as a workflow writes it
	Description string     `json:"description"`
	Risk        store.Risk `json:"risk"`
}

// Skill returns the skill and the list of tools, without their schemas.
func (e *Engine) Skill() (*Skill, error) {
	c, err := e.Catalogue()
	if err != nil {
		return nil, err
	}
	s := &Skill{
		Text: assets.Skill(), Connectors: []SkillConnector{},
		Next: "call get_tools with the connector and the tools that you need, then write the workflow and call create_workflow",
	}
	count := 0
	for _, k := range c.Connectors {
		count += len(k.Stubs.Methods())
	}
	// Each tool gets a line; with many tools the lines are shorter, so that all of them stay a small answer.
	width := min(200, max(80, 40*200/max(count, 1)))
	for _, k := range c.Connectors {
		x := SkillConnector{Connector: k.Name, Attr: k.Attr, Status: string(k.Status), Detail: k.Detail, Tools: []SkillTool{}}
		for _, m := range k.Stubs.Methods() {
			x.Tools = append(x.Tools, SkillTool{m.Tool.Name, "ctx." + k.Attr + "." + m.Python + "(...)", oneLine(m.Tool.Description, width), store.Risk(m.Tool.Risk)})
		}
		s.Connectors = append(s.Connectors, x)
	}
	return s, nil
}

// ToolsText is the stubs of some tools.
type ToolsText struct {
	Connector string    `json:"connector"`
	Attr      string    `json:"attr"`
	Types     string    `json:"types"` // Python stubs of just these tools
	Tools     []ToolRow `json:"tools"`
	Unknown   []string  `json:"unknown"` // names that there is no tool for
	Warnings  []string  `json:"warnings"`
}

// ToolRow is a tool in a list.
type ToolRow struct {
	Tool string     `json:"tool"`
	Call string     `json:"call"`
	Risk store.Risk `json:"risk"`
}

// Tools returns the stubs of the named tools of a connector, by either spelling, or of all if none are named.
func (e *Engine) Tools(connector string, names []string) (*ToolsText, error) {
	c, err := e.Catalogue()
	if err != nil {
		return nil, err
	}
	k := c.Find(connector)
	if k == nil {
		var known []string
		for _, x := range c.Connectors {
			known = append(known, x.Name)
		}
		return nil, fault.New("unknown-connector", "there is no connector %s", connector).WithHint("the connectors here are: %s", strings.Join(known, ", "))
	}
	out := &ToolsText{Connector: k.Name, Attr: k.Attr, Unknown: []string{}, Warnings: []string{}, Tools: []ToolRow{}}
	var wanted []string
	for _, n := range names {
		switch m := k.Stubs.Tool(n); {
		case m != nil:
			wanted = append(wanted, m.Tool.Name)
		case k.Stubs.Method(n) != nil:
			wanted = append(wanted, k.Stubs.Method(n).Tool.Name)
		default:
			out.Unknown = append(out.Unknown, n)
		}
	}
	sort.Strings(out.Unknown)
	if len(names) > 0 && len(wanted) == 0 {
		return nil, fault.New("unknown-tool", "%s has none of the tools %v", k.Name, out.Unknown)
	}
	for _, m := range k.Stubs.Methods() {
		if len(names) > 0 && !slices.Contains(wanted, m.Tool.Name) {
			continue
		}
		out.Tools = append(out.Tools, ToolRow{m.Tool.Name, "ctx." + k.Attr + "." + m.Python + "(...)", store.Risk(m.Tool.Risk)})
		for _, p := range m.Problems() {
			out.Warnings = append(out.Warnings, p.String())
		}
	}
	out.Types = k.Stubs.Stub(wanted...)
	return out, nil
}
