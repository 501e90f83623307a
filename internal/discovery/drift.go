package discovery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/store"
)

// Drift is a comparison of tools that changes nothing: of those that workflows were made with and those that are stored ([StoredDrift]),
// or of those that are stored and what the servers say now ([LiveDrift]).
type Drift struct {
	Live      bool                   `json:"live"`
	Changes   catalog.Changes        `json:"changes"`
	Digests   []catalog.DigestChange `json:"digests"` // of all tools that were compared
	Workflows []Affected             `json:"workflows"`
	Checked   int                    `json:"checked"` // how many workflows were looked at
	Servers   []Server               `json:"servers"` // that were asked
	Stale     []string               `json:"stale"`   // connectors whose tools are from before, since they did not answer
}

// Unanswered is why what the servers say now is not all known, nil if it is.
func (d *Drift) Unanswered() error {
	for _, s := range d.Servers {
		if s.Status == Failed {
			return s.Err()
		}
	}
	return nil
}

// StoredDrift compares the tools that the latest version of each workflow was made with, and the same as they are stored. Nothing is added
// in such a comparison. A tool that versions have pinned in several shapes is in it once for each.
func StoredDrift(s *store.Store) (*Drift, error) {
	d := &Drift{Changes: catalog.Changes{Added: []catalog.Key{}, Removed: []catalog.Key{}, Changed: []catalog.ToolChanges{}}, Digests: []catalog.DigestChange{},
		Servers: []Server{}}
	now, err := stored(s, "")
	if err != nil {
		return nil, err
	}
	seen := map[catalog.DigestChange]bool{}
	if _, err := latest(s, func(_ string, v store.Version) {
		for _, p := range v.Pins {
			was := pinned(p)
			i := slices.IndexFunc(now, func(t catalog.Tool) bool { return t.Key() == was.Key() })
			var is []catalog.Tool
			if i >= 0 {
				is = now[i : i+1]
			}
			digest := catalog.Digests([]catalog.Tool{was}, is)[0]
			if seen[digest] {
				continue
			}
			seen[digest] = true
			c := catalog.Compare([]catalog.Tool{was}, is)
			d.Digests = append(d.Digests, digest)
			d.Changes.Removed = append(d.Changes.Removed, c.Removed...)
			d.Changes.Changed = append(d.Changes.Changed, c.Changed...)
		}
	}); err != nil {
		return nil, err
	}
	byKey := func(a, b catalog.Key) int {
		return cmp.Or(strings.Compare(a.Connector, b.Connector), strings.Compare(a.Tool, b.Tool))
	}
	slices.SortStableFunc(d.Digests, func(a, b catalog.DigestChange) int {
		return cmp.Or(byKey(a.Key, b.Key), strings.Compare(a.Before, b.Before))
	})
	slices.SortStableFunc(d.Changes.Removed, byKey)
	d.Changes.Removed = slices.Compact(d.Changes.Removed)
	slices.SortStableFunc(d.Changes.Changed, func(a, b catalog.ToolChanges) int { return byKey(a.Key, b.Key) })
	return d, d.finish(s, now)
}

// LiveDrift asks the servers, and compares what they say with what is stored, as [Run] would, but stores nothing. A server that does not
// answer counts as unchanged.
func LiveDrift(ctx context.Context, o Options) (*Drift, error) {
	before, err := stored(o.Store, "")
	if err != nil {
		return nil, err
	}
	r := newReport()
	if err := r.ask(ctx, &o); err != nil {
		return nil, err
	}
	answered := map[string]bool{}
	var now []catalog.Tool
	for i := range r.Servers {
		s := &r.Servers[i]
		had := slices.ContainsFunc(before, func(t catalog.Tool) bool { return t.Connector == s.Name })
		if s.Status == Connected && len(s.tools) == 0 && had && !slices.Contains(o.AcceptEmpty, s.Name) {
			s.fail(emptied(s.Name, nil))
		}
		if s.Status == Connected {
			answered[s.Name] = true
			now = append(now, s.tools...)
		}
	}
	configured := configured(o.Config, o.Problems)
	for _, t := range before {
		if !answered[t.Connector] && slices.Contains(configured, t.Connector) {
			now = append(now, t)
		}
	}
	r.count(now)
	d := &Drift{Live: true, Servers: r.Servers, Changes: catalog.Compare(before, now), Digests: catalog.Digests(before, now)}
	return d, d.finish(o.Store, now)
}

// finish adds what the tools as they are now mean for the workflows.
func (d *Drift) finish(s *store.Store, now []catalog.Tool) (err error) {
	d.Stale = []string{}
	connectors, err := s.Connectors()
	for _, c := range connectors {
		if c.Status != store.ConnectorOK && c.Tools > 0 && !slices.ContainsFunc(d.Servers, func(s Server) bool { return s.Name == c.Name && s.Status == Connected }) {
			d.Stale = append(d.Stale, c.Name)
		}
	}
	workflows, checked, other := affected(s, now)
	d.Workflows, d.Checked = workflows, checked
	return errors.Join(err, other)
}
