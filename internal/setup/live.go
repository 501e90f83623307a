package setup

import (
	"context"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/discovery"
)

// Live asks the servers of these connectors what their tools are now, and stores nothing. Of those that cannot be asked it returns why.
func (s *Setup) Live(ctx context.Context, connectors []string) ([]catalog.Tool, map[string]error, error) {
	o := s.asking(s.options.Env)
	o.Only = connectors
	return discovery.Live(ctx, o)
}
