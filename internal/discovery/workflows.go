package discovery

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/store"
)

// Affected is a workflow whose latest version uses tools that are not what they were.
type Affected struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Reasons []string    `json:"reasons"` // one for each tool
	Tools   []ToolDrift `json:"tools"`   // the same for programs
	Todo    string      `json:"todo"`    // what to do about it
}

// ToolDrift is how a tool is not what it was when a version was made.
type ToolDrift struct {
	catalog.DigestChange
	Changes []catalog.Change `json:"changes"`
}

// stored returns the tools that are stored of a connector, or of all.
func stored(s *store.Store, connector string) ([]catalog.Tool, error) {
	all, err := s.Tools(connector)
	return toTools(all), err
}

func toTools(all []store.Tool) []catalog.Tool {
	tools := make([]catalog.Tool, len(all))
	for i, t := range all {
		tools[i] = catalog.Tool{
			Connector: t.Connector, Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
			OutputSchema: t.OutputSchema, Observed: t.Observed, Risk: catalog.Risk(t.Risk), Digest: t.Digest, Annotations: annotations(t.Annotations),
		}
	}
	return tools
}

func annotations(raw json.RawMessage) (a catalog.Annotations) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &a) // it was made of one; what cannot be read acts
	}
	return a
}

// affected finds the workflows whose latest version uses a tool that is not what it was, and says how many it looked at.
func affected(s *store.Store, now []catalog.Tool) ([]Affected, int, error) {
	is := map[catalog.Key]catalog.Tool{}
	connectors := map[string]bool{}
	for _, t := range now {
		is[t.Key()] = t
		connectors[t.Connector] = true
	}
	found := []Affected{}
	checked, err := latest(s, func(name string, v store.Version) {
		a := Affected{Name: name, Version: v.Version}
		for _, p := range v.Pins {
			key := catalog.Key{Connector: p.Connector, Tool: p.Tool}
			t, ok := is[key]
			d := ToolDrift{catalog.DigestChange{Key: key, Change: catalog.Changed, Before: p.Digest, Now: t.Digest}, []catalog.Change{}}
			switch {
			case !ok && !connectors[p.Connector]:
				d.Change = catalog.Removed
				a.Reasons = append(a.Reasons, fmt.Sprintf("%s: there is no connector %s any more, or it has no tools", key, p.Connector))
			case !ok:
				d.Change = catalog.Removed
				a.Reasons = append(a.Reasons, key.String()+": the tool is gone")
			case t.Digest == p.Digest:
				continue
			default:
				d.Changes = append(d.Changes, catalog.Diff(pinned(p), t)...)
				a.Reasons = append(a.Reasons, key.String()+" changed: "+sentences(d.Changes))
			}
			a.Tools = append(a.Tools, d)
		}
		if len(a.Tools) > 0 {
			a.Todo = a.todo()
			found = append(found, a)
		}
	})
	return found, checked, err
}

// latest calls each for the latest version of every workflow, and says how many there are.
func latest(s *store.Store, each func(name string, v store.Version)) (int, error) {
	all, err := s.Workflows()
	if err != nil {
		return 0, err
	}
	for _, w := range all {
		v, err := s.Version(w.ID, "")
		if err != nil {
			return 0, err
		}
		each(w.Name, v)
	}
	return len(all), nil
}

// pinned is a tool as it was when a version was made.
func pinned(p store.Pin) catalog.Tool {
	return catalog.Tool{
		Connector: p.Connector, Name: p.Tool, InputSchema: p.InputSchema, OutputSchema: p.OutputSchema, Annotations: annotations(p.Annotations),
		Risk: catalog.Risk(p.Risk), Digest: p.Digest,
	}
}

func sentences(changes []catalog.Change) string {
	if len(changes) == 0 {
		return "its schemas are not those that were pinned"
	}
	var parts []string
	for _, c := range changes {
		parts = append(parts, c.String())
	}
	return strings.Join(parts, "; ")
}

// todo says what to do. A tool that changed takes a look and the same code again; one that is gone takes other code.
func (a Affected) todo() string {
	name := home.Quote(a.Name)
	again := fmt.Sprintf("runlace show %s --code > %s, then runlace create %s --name %s", name, home.Quote(a.Name+".py"), home.Quote(a.Name+".py"), name)
	if slices.ContainsFunc(a.Tools, func(d ToolDrift) bool { return d.Change == catalog.Removed }) {
		return "take out or replace the calls of tools that are gone, or bring the tools back: " + again
	}
	return "look whether its code still does what it should, and store it again, which takes the tools as they are now: " + again
}
