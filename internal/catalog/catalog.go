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
	// Observed is what a tool without output schema has been seen to answer, as a schema that a user adopted (runlace tools learn). It
	// types the result and is marked in the stub. It is nobody's word: no part of the digest, and nothing is refused by it.
	Observed    json.RawMessage `json:"observed,omitempty"`
	Annotations Annotations     `json:"annotations"`
	Risk        Risk            `json:"risk"`
	Digest      string          `json:"digest"`
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

// Takes tells whether the tool declares a parameter.
func (t Tool) Takes(parameter string) bool {
	var s struct{ Properties map[string]json.RawMessage }
	return json.Unmarshal(t.InputSchema, &s) == nil && s.Properties[parameter] != nil
}

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

// DigestChange is one tool in a comparison of two catalogues.
type DigestChange struct {
	Key
	Change string `json:"change"`           // same, added, removed or changed
	Before string `json:"before,omitempty"` // the tool's digest then
	Now    string `json:"now,omitempty"`    // and now
}

// What may have become of a tool.
const (
	Same    = "same"
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Connector, o.Connector), cmp.Compare(k.Tool, o.Tool))
}

func index(tools []Tool) map[Key]Tool {
	m := map[Key]Tool{}
	for _, t := range tools {
		m[t.Key()] = t
	}
	return m
}

// Digests compares all tools of two catalogues, in order.
func Digests(before, now []Tool) []DigestChange {
	was, is := index(before), index(now)
	out := []DigestChange{}
	for key, t := range is {
		d := DigestChange{Key: key, Change: Added, Now: t.Digest}
		if old, ok := was[key]; ok {
			d.Before, d.Change = old.Digest, Same
			if old.Digest != t.Digest {
				d.Change = Changed
			}
		}
		out = append(out, d)
	}
	for key, t := range was {
		if _, ok := is[key]; !ok {
			out = append(out, DigestChange{Key: key, Change: Removed, Before: t.Digest})
		}
	}
	slices.SortFunc(out, func(a, b DigestChange) int { return a.Key.compare(b.Key) })
	return out
}

// Compare says what was added, removed and changed.
func Compare(before, now []Tool) Changes {
	was, is := index(before), index(now)
	c := Changes{Added: []Key{}, Removed: []Key{}, Changed: []ToolChanges{}}
	for _, d := range Digests(before, now) {
		switch d.Change {
		case Added:
			c.Added = append(c.Added, d.Key)
		case Removed:
			c.Removed = append(c.Removed, d.Key)
		case Changed:
			c.Changed = append(c.Changed, ToolChanges{d.Key, Diff(was[d.Key], is[d.Key])})
		}
	}
	return c
}
