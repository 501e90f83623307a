package engine

import (
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/store"
)

// Drift tells how the tools of a version are not what they were when it was compiled. Nothing means that it can run.
func (e *Engine) Drift(v store.Version) ([]Drift, error) {
	c, err := e.Catalogue()
	if err != nil {
		return nil, err
	}
	var all []Drift
	for _, p := range v.Pins {
		var now *catalog.Tool
		if k := c.byName[p.Connector]; k != nil {
			now = k.Tool(p.Tool)
		}
		if d := driftOf(p, now); d != nil {
			all = append(all, *d)
		}
	}
	return all, nil
}

// driftOf compares a pin with the tool as it is now; nil is a tool that is gone. The result is nil if they are the same.
func driftOf(p store.Pin, now *catalog.Tool) *Drift {
	d := &Drift{Connector: p.Connector, Tool: p.Tool}
	switch {
	case now == nil:
		d.Changes = []string{"the tool is gone"}
	case now.Digest == p.Digest:
		return nil
	default:
		for _, c := range catalog.Diff(pinnedTool(p), *now) {
			d.Changes = append(d.Changes, c.String())
		}
		if len(d.Changes) == 0 {
			d.Changes = []string{"its digest is another"}
		}
	}
	return d
}
