// Package catalog knows the tools of the user's connectors: what identifies them, what they are called in Python, whether
// they act, and how they have changed.
//
// The identity of a tool is its connector's name and its own exact name on the wire. Policy, pins, approvals and the journal use it. A
// Python name is a view, made by [NewNames]: an identifier, not a keyword, with a deterministic suffix where two would be the
// same. No tool and no parameter is lost.
//
// [Digest] covers what a workflow depends on: both schemas and the effective hints, without wording. A tool that turns from read-only
// to acting is drift; a reworded description is not. [Diff] says in words what changed.
package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Risk says whether a tool acts on the world.
type Risk string

// The risks.
const (
	ReadOnly   Risk = "read_only"
	SideEffect Risk = "side_effect"
)

// Stricter returns the stricter of two risks.
func Stricter(a, b Risk) Risk {
	if a == ReadOnly && b == ReadOnly {
		return ReadOnly
	}
	return SideEffect
}

// Annotations are a tool's hints as its server sends them; nil is not said.
type Annotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
}

// Hints are annotations with the defaults of MCP filled in.
type Hints struct {
	ReadOnly    bool `json:"readOnly"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
	OpenWorld   bool `json:"openWorld"`
}

// Effective fills in the defaults: a tool that says nothing acts, destroys, acts again when it is called again, and reaches out.
func (a Annotations) Effective() Hints {
	or := func(b *bool, otherwise bool) bool {
		if b == nil {
			return otherwise
		}
		return *b
	}
	return Hints{or(a.ReadOnlyHint, false), or(a.DestructiveHint, true), or(a.IdempotentHint, false), or(a.OpenWorldHint, true)}
}

// Tool is a tool as it is stored.
type Tool struct {
	Connector    string          `json:"connector"`
	Name         string          `json:"name"` // exactly as on the wire
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations"`
	Risk         Risk            `json:"risk"`
	Digest       string          `json:"digest"`
}

// New completes a tool as a server sent it with its digest and with the risk that its hints give. A policy may then say otherwise.
func New(connector string, t Tool) Tool {
	t.Connector = connector
	t.Risk = RiskOf(t.Annotations)
	t.Digest = Digest(t)
	return t
}

// RiskOf is the risk by the server's own word. Only an explicit read-only hint makes a tool read-only; names never do.
func RiskOf(a Annotations) Risk {
	if a.Effective().ReadOnly {
		return ReadOnly
	}
	return SideEffect
}

// Key identifies a tool.
type Key struct {
	Connector string `json:"connector"`
	Tool      string `json:"tool"`
}

func (k Key) String() string { return k.Connector + "." + k.Tool }

// Key returns what identifies the tool.
func (t Tool) Key() Key { return Key{t.Connector, t.Name} }

// Changes are the differences of two catalogues, each in order.
type Changes struct {
	Added   []Key         `json:"added"`
	Removed []Key         `json:"removed"`
	Changed []ToolChanges `json:"changed"`
}

// ToolChanges says what changed of a tool.
type ToolChanges struct {
	Key
	Changes []Change `json:"changes"`
}

// Compare says what was added, removed and changed.
func Compare(before, now []Tool) Changes {
	index := func(tools []Tool) map[Key]Tool {
		m := map[Key]Tool{}
		for _, t := range tools {
			m[t.Key()] = t
		}
		return m
	}
	was, is := index(before), index(now)
	c := Changes{Added: []Key{}, Removed: []Key{}, Changed: []ToolChanges{}}
	for key, t := range is {
		old, ok := was[key]
		switch {
		case !ok:
			c.Added = append(c.Added, key)
		case old.Digest != t.Digest:
			c.Changed = append(c.Changed, ToolChanges{key, Diff(old, t)})
		}
	}
	for key := range was {
		if _, ok := is[key]; !ok {
			c.Removed = append(c.Removed, key)
		}
	}
	byKey := func(a, b Key) int { return cmp.Or(cmp.Compare(a.Connector, b.Connector), cmp.Compare(a.Tool, b.Tool)) }
	slices.SortFunc(c.Added, byKey)
	slices.SortFunc(c.Removed, byKey)
	slices.SortFunc(c.Changed, func(a, b ToolChanges) int { return byKey(a.Key, b.Key) })
	return c
}
