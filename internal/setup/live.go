package setup

import (
	"context"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/discovery"
)

// LiveServers asks the servers of these connectors what they are and what their tools are now, and stores nothing. Tools have the types of their results
// that were learned, as long as they are what they were then. Of connectors that cannot be asked it returns why.
func (s *Setup) LiveServers(ctx context.Context, connectors []string) ([]catalog.Tool, map[string]connector.Server, map[string]error, error) {
	o := s.asking(s.options.Env)
	o.Only = connectors
	tools, servers, missing, err := discovery.LiveServers(ctx, o)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, name := range connectors {
		stored, err := s.store.Tools(name)
		if err != nil {
			return nil, nil, nil, err
		}
		for i, t := range tools {
			for _, known := range stored {
				if t.Connector == name && t.Name == known.Name && t.Digest == known.Digest {
					tools[i].Observed = known.Observed
				}
			}
		}
	}
	return tools, servers, missing, nil
}
