package engine

import (
	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/store"
)

// target is a tool that a version may call, as it was when the version was made: names of arguments and keys of results are translated as they
// were then, whatever the catalogue says now, or a replay would not be one.
type target struct {
	use    use
	method *stubs.Method
}

// keptTargets is how many versions' targets are kept in memory.
const keptTargets = 256

// methods are the methods of a version's pins, by their spelling in its code.
func (e *Engine) methods(v store.Version) map[string]*target {
	e.targetsMu.Lock()
	defer e.targetsMu.Unlock()
	if t := e.targets[v.ID]; t != nil && v.ID != "" {
		return t
	}
	tools := map[string][]catalog.Tool{}
	for _, p := range v.Pins {
		tools[p.Connector] = append(tools[p.Connector], pinnedTool(p))
	}
	built := map[string]*stubs.Connector{}
	for _, s := range stubs.BuildAll(tools) {
		built[s.Name] = s
	}
	t := map[string]*target{}
	for _, p := range v.Pins {
		t[p.Python] = &target{method: built[p.Connector].Tool(p.Tool)}
	}
	if v.ID != "" {
		if len(e.targets) >= keptTargets {
			clear(e.targets)
		}
		e.targets[v.ID] = t
	}
	return t
}
