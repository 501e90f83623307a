package check

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
)

// uses collects the tools that workflows use.
type uses struct {
	mu    sync.Mutex
	tools map[tool]bool
	blind bool // a workflow does not compile, and nobody knows what it uses
}

func (u *uses) add(c *compiled) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.tools == nil {
		u.tools = map[tool]bool{}
	}
	u.blind = u.blind || c.Code == nil
	for _, t := range c.Tools {
		u.tools[t] = true
	}
}

// unused finds the tools of the lock that no workflow uses. Where one does not compile, it may be that one's.
func (k *kit) unused(u *uses) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.blind {
		return
	}
	names := map[catalog.Key]bool{} // of tools that are used and have a suffix, without it
	base := func(t catalog.Tool) catalog.Key {
		return catalog.Key{Connector: t.Connector, Tool: catalog.Identifier(catalog.Method, t.Name)}
	}
	for _, t := range k.project.Lock.Tools() {
		if u.tools[tool{t.Connector, t.Name}] && !slices.Contains([]string{"", base(t).Tool}, k.project.Lock.Find(t.Connector).Python(t.Name)) {
			names[base(t)] = true
		}
	}
	for _, t := range k.project.Lock.Tools() {
		if !u.tools[tool{t.Connector, t.Name}] && !names[base(t)] {
			k.add(report.New("unused-in-lock", k.project.Lock.Place(t.Key()), "no workflow uses %s", t.Key()))
		}
	}
}

// damaged finds the tools of the lock whose digest is not that of their schemas.
func (s *subject) damaged() (found []report.Finding) {
	for _, t := range s.Lock.Tools() {
		if is := catalog.Digest(t); is != t.Digest {
			found = append(found, report.New("lock-damaged", s.Lock.Place(t.Key()), "%s has the digest %.12s in the lock, and its schemas give %.12s", t.Key(), t.Digest, is))
		}
	}
	return found
}

// live compares the lock with what the servers say now.
func (k *kit) live(ctx context.Context) error {
	var names []string
	for name, tools := range k.tools {
		if len(tools) > 0 { // else it is there for its name
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil
	}
	now, missing, err := k.Live(ctx, names)
	if err != nil {
		return err
	}
	for _, was := range k.project.Lock.Tools() {
		if err := missing[was.Connector]; err != nil {
			continue
		}
		i := slices.IndexFunc(now, func(t catalog.Tool) bool { return t.Key() == was.Key() })
		switch {
		case i < 0:
			k.add(report.New("lock-drift", k.project.Lock.Place(was.Key()), "the connector %s has no tool %s any more", was.Connector, was.Name))
		case now[i].Digest != catalog.Digest(was):
			var changes []string
			for _, c := range catalog.Diff(was, now[i]) {
				changes = append(changes, c.String())
			}
			k.add(report.New("lock-drift", k.project.Lock.Place(was.Key()), "%s has changed: %s", was.Key(), strings.Join(changes, "; ")))
		}
	}
	for _, name := range names {
		if err := missing[name]; err != nil {
			k.add(report.New("connector-unreachable", report.Place{File: k.project.lockFile(), Line: 1}, "the connector %s cannot be compared: %v", name, err))
		}
	}
	return nil
}
