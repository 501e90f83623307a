package discovery

import (
	"context"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/connector"
)

// LiveServers asks the servers of o.Only what they are and what their tools are now, and stores nothing. Of a connector that is not configured, or does not
// answer, it returns why.
func LiveServers(ctx context.Context, o Options) (tools []catalog.Tool, servers map[string]connector.Server, missing map[string]error, err error) {
	missing, servers = map[string]error{}, map[string]connector.Server{}
	only := o.Only
	o.Only = nil
	for _, name := range only {
		if _, ok := o.Config.Find(name); ok || isBroken(o.Problems, name) {
			o.Only = append(o.Only, name)
		} else {
			missing[name] = Unknown(o.Config, name, o.Home.Config())
		}
	}
	if len(o.Only) == 0 {
		return nil, servers, missing, nil
	}
	r := newReport()
	if err := r.ask(ctx, &o); err != nil {
		return nil, nil, nil, err
	}
	for _, s := range r.Servers {
		tools = append(tools, s.tools...)
		servers[s.Name] = s.info
		if s.err != nil {
			missing[s.Name] = s.err
		}
	}
	return tools, servers, missing, nil
}
