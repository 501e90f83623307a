package setup

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/importcfg"
)

// Sources says which files an init reads.
type Sources struct {
	From []string // these, and no others
	Yes  bool     // all that are found
	// Ask asks about a file that was found, of which it is told how many servers are in it; nil: nobody can be asked.
	Ask func(s importcfg.Source, servers int) (bool, error)
}

// Found is a file that an init looked at.
type Found struct {
	importcfg.Source
	Servers int    `json:"servers"` // in it
	Taken   bool   `json:"taken"`
	Problem string `json:"problem,omitempty"` // why it could not be read
}

// Left is an entry that was not taken, and why.
type Left struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Where  string `json:"where"`
	Reason string `json:"reason"`
}

// Initialized is what came of an init.
type Initialized struct {
	Home     string             `json:"home"`
	Created  bool               `json:"created"` // there was no configuration
	Sources  []Found            `json:"sources"`
	Imported []string           `json:"imported"`
	Kept     []string           `json:"kept"` // connectors that were configured before
	Skipped  []Left             `json:"skipped"`
	Notes    []importcfg.Note   `json:"notes"`
	Exports  []importcfg.Export `json:"exports"` // variables to set, which have no value yet
	*discovery.Report
}

// Imported is what Import wrote into the configuration.
type Imported struct {
	Initialized
	merged importcfg.Merged
}

// Import reads the files and puts what is in them into the configuration. What is configured already stays as it is.
func (s *Setup) Import(src Sources) (*Imported, error) {
	m := importcfg.Here(s.options.Env)
	r := &Imported{Initialized: Initialized{Home: s.options.Home.Dir, Created: s.config.Version == 0 || !exists(s.options.Home.Config()),
		Sources: []Found{}, Imported: []string{}, Kept: []string{}, Skipped: []Left{}, Notes: []importcfg.Note{}, Exports: []importcfg.Export{}}}
	for _, c := range s.config.Connectors {
		r.Kept = append(r.Kept, c.Name)
	}
	entries, err := r.read(m, src, len(s.config.Connectors) > 0)
	if err != nil {
		return nil, err
	}
	r.merged = importcfg.Merge(entries)
	r.Notes = append(r.Notes, r.merged.Notes...)
	for _, e := range r.merged.Skipped {
		r.Skipped = append(r.Skipped, Left{e.Name, e.Source, e.Where, e.Skipped})
	}
	for _, c := range r.merged.Connectors {
		if reason := s.configured(c); reason != "" {
			r.Skipped = append(r.Skipped, Left{c.Name, c.Source, "", reason})
			continue
		}
		s.config.Set(c)
		r.Imported = append(r.Imported, c.Name)
	}
	for _, e := range r.merged.Unset(s.options.Env) {
		if slices.Contains(r.Imported, e.Connector) || slices.Contains(r.Kept, e.Connector) {
			r.Exports = append(r.Exports, e)
		}
	}
	return r, s.config.Save(s.options.Home.Config())
}

// configured says why a connector is not imported, "" if it is.
func (s *Setup) configured(c config.Connector) string {
	if slices.ContainsFunc(s.problems, func(p config.Problem) bool { return p.Skipped && p.Connector == c.Name }) {
		return "the configuration has an entry of that name, which cannot be used: correct it or delete it there"
	}
	had, ok := s.config.Find(c.Name)
	if !ok {
		return ""
	}
	a, b := had, c
	a.Source, b.Source, a.File, b.File = "", "", "", ""
	if same(a, b) {
		return "it is configured already"
	}
	return fmt.Sprintf("it is configured already, with other settings, which stay: to take these, run runlace remove %s first", home.Quote(c.Name))
}

// same compares settings; nothing and an empty list are the same.
func same(a, b config.Connector) bool {
	if len(a.Args)+len(b.Args) == 0 {
		a.Args, b.Args = nil, nil
	}
	if len(a.Env)+len(b.Env) == 0 {
		a.Env, b.Env = nil, nil
	}
	if len(a.Headers)+len(b.Headers) == 0 {
		a.Headers, b.Headers = nil, nil
	}
	return reflect.DeepEqual(a, b)
}

// read reads the files that are wanted.
func (r *Imported) read(m importcfg.Machine, src Sources, configured bool) ([]importcfg.Entry, error) {
	var all []importcfg.Entry
	if len(src.From) > 0 {
		for _, path := range src.From {
			path, err := home.Expand(path)
			if err != nil {
				return nil, err
			}
			entries, err := importcfg.Read(m, path)
			if err != nil {
				return nil, err
			}
			r.Sources = append(r.Sources, Found{importcfg.Source{Path: path}, len(entries), true, ""})
			all = append(all, entries...)
		}
		return all, nil
	}
	unasked := []string{}
	for _, s := range importcfg.Sources(m) {
		f := Found{Source: s}
		entries, err := importcfg.Read(m, s.Path)
		f.Servers = len(entries)
		switch {
		case err != nil:
			f.Problem = fault.Of(err).Message
		case len(entries) == 0: // as in the settings of a client that has no servers
		case src.Yes:
			f.Taken = true
		case src.Ask == nil:
			unasked = append(unasked, s.Path)
		default:
			if f.Taken, err = src.Ask(s, len(entries)); err != nil {
				return nil, err
			}
		}
		if f.Taken {
			all = append(all, entries...)
		}
		r.Sources = append(r.Sources, f)
	}
	if len(unasked) > 0 {
		e := fault.New("bad-usage", "MCP servers are configured in %s, and there is no terminal on which to ask which of them to take", strings.Join(unasked, ", "))
		return nil, e.WithHint("take all with --yes, or say which with --from, as in: runlace init --from %s", home.Quote(unasked[0]))
	}
	if len(all) == 0 && !configured {
		return nil, nothing(m, r.Sources)
	}
	return all, nil
}

// nothing is the error where there is nothing to take over.
func nothing(m importcfg.Machine, found []Found) error {
	e := fault.New("nothing-to-import", "no other program here has MCP servers configured")
	var broken, declined int
	for _, f := range found {
		switch {
		case f.Problem != "":
			broken++
			e = fault.New("nothing-to-import", "no MCP servers were found: %s", f.Problem)
		case f.Servers > 0:
			declined++
		}
	}
	if declined > 0 {
		return fault.New("nothing-to-import", "nothing was selected, so that nothing was done")
	}
	if broken == 0 {
		var clients []string
		for _, p := range importcfg.Places(m) {
			if !slices.Contains(clients, p.Client) {
				clients = append(clients, p.Client)
			}
		}
		e.Detail = "looked at the settings of " + strings.Join(clients, ", ")
	}
	return e
}

// Discover asks the servers. Secrets that the files have, and that the user has not exported yet, are used for this once.
func (s *Setup) Discover(ctx context.Context, r *Imported) (*Initialized, error) {
	for _, e := range r.merged.Exports {
		s.secrets.Add(e.Value())
	}
	var err error
	r.Report, err = s.discover(ctx, r.merged.Env(s.options.Env), nil, false)
	return &r.Initialized, err
}
