package discovery

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/store"
)

// stored returns the tools that are stored of a connector, or of all.
func stored(s *store.Store, connector string) ([]catalog.Tool, error) {
	all, err := s.Tools(connector)
	if err != nil {
		return nil, err
	}
	tools := make([]catalog.Tool, len(all))
	for i, t := range all {
		tools[i] = catalog.Tool{
			Connector: t.Connector, Name: t.Name, Title: t.Title, Description: t.Description,
			InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Risk: catalog.Risk(t.Risk), Digest: t.Digest,
			Annotations: annotations(t.Annotations),
		}
	}
	return tools, nil
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
	all, err := s.Workflows()
	if err != nil {
		return nil, 0, err
	}
	found := []Affected{}
	for _, w := range all {
		v, err := s.Version(w.ID, "")
		if err != nil {
			return nil, 0, err
		}
		a := Affected{Name: w.Name, Version: v.Version}
		for _, p := range v.Pins {
			t, ok := is[catalog.Key{Connector: p.Connector, Tool: p.Tool}]
			switch {
			case !ok && !connectors[p.Connector]:
				a.Reasons = append(a.Reasons, fmt.Sprintf("%s.%s: there is no connector %s any more, or it has no tools", p.Connector, p.Tool, p.Connector))
			case !ok:
				a.Reasons = append(a.Reasons, fmt.Sprintf("%s.%s: the tool is gone", p.Connector, p.Tool))
			case t.Digest != p.Digest:
				a.Reasons = append(a.Reasons, t.Key().String()+" changed: "+differences(p, t))
			}
		}
		if len(a.Reasons) > 0 {
			found = append(found, a)
		}
	}
	return found, len(all), nil
}

// differences says how a tool is not what it was when a version was made.
func differences(p store.Pin, now catalog.Tool) string {
	then := catalog.Tool{
		Connector: p.Connector, Name: p.Tool, InputSchema: p.InputSchema, OutputSchema: p.OutputSchema, Annotations: annotations(p.Annotations),
		Risk: catalog.Risk(p.Risk), Digest: p.Digest,
	}
	var parts []string
	for _, c := range catalog.Diff(then, now) {
		parts = append(parts, c.String())
	}
	if len(parts) == 0 {
		return "its schemas are not those that were pinned"
	}
	return strings.Join(parts, "; ")
}
