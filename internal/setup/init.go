package setup

import (
	"cmp"
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

// Sources says what an init or an import reads.
type Sources struct {
	From  []string // these files, and no others
	WebUI *WebUI   // this instance of Open WebUI, and what else is named
	Yes   bool     // all files of the user that are found
	// Trust takes the files of the current folder too. Without it, and without a person who says so, they are only counted: they come
	// with what was cloned, and to take one is to start what it names, with the values of the variables that it names.
	Trust  bool
	Naming string // how a command takes a file by its name, for hints; "" is runlace init --from
	// Ask asks about a file that was found, and is told what is in it; nil: nobody can be asked.
	Ask func(s importcfg.Source, entries []importcfg.Entry) (bool, error)
}

func (s Sources) naming() string { return cmp.Or(s.Naming, "runlace init --from") }

// WebUI is an instance of Open WebUI.
type WebUI struct {
	URL   string
	Token string // of an administrator
}

// Found is a file that an init looked at.
type Found struct {
	importcfg.Source
	Servers   int    `json:"servers"` // in it
	Taken     bool   `json:"taken"`
	Untrusted bool   `json:"untrusted"`         // it was not taken since it came with the current folder, and nobody said that it is trusted
	Problem   string `json:"problem,omitempty"` // why it could not be read
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
	Entries  []importcfg.Row    `json:"entries"` // all of them, taken and skipped
	Notes    []importcfg.Note   `json:"notes"`
	Exports  []importcfg.Export `json:"exports"` // variables to set, which have no value yet
	*discovery.Report
}

// Imported is what Import wrote into the configuration.
type Imported struct {
	Initialized
	merged importcfg.Merged
}

// Import reads what is named or found, and puts it into the configuration. What is configured already stays as it is.
func (s *Setup) Import(ctx context.Context, src Sources) (*Imported, error) {
	m := importcfg.Here(s.options.Env)
	r := &Imported{Initialized: Initialized{Home: s.options.Home.Dir, Created: s.config.Version == 0 || !exists(s.options.Home.Config()), Sources: []Found{},
		Imported: []string{}, Kept: []string{}, Skipped: []Left{}, Entries: []importcfg.Row{}, Notes: []importcfg.Note{}, Exports: []importcfg.Export{}}}
	for _, c := range s.config.Connectors {
		r.Kept = append(r.Kept, c.Name)
	}
	if src.WebUI != nil {
		s.secrets.Add(src.WebUI.Token)
	}
	entries, err := r.read(ctx, m, src, len(s.config.Connectors) > 0)
	if err != nil {
		return nil, err
	}
	r.merged = importcfg.Merge(entries)
	r.Notes = append(r.Notes, r.merged.Notes...)
	r.Entries = append(r.Entries, r.merged.Rows...)
	for _, e := range r.merged.Skipped {
		r.Skipped = append(r.Skipped, Left{e.Name, e.Source, e.Where, e.Skipped})
	}
	var taken []config.Connector
	for _, c := range r.merged.Connectors {
		if reason := s.configured(c); reason != "" {
			i := slices.IndexFunc(r.Entries, func(e importcfg.Row) bool { return e.Connector == c.Name })
			r.Entries[i].Connector, r.Entries[i].Result, r.Entries[i].Reason = "", importcfg.NotTaken, reason
			r.Skipped = append(r.Skipped, Left{c.Name, c.Source, r.Entries[i].Where, reason})
			continue
		}
		taken = append(taken, c)
		r.Imported = append(r.Imported, c.Name)
	}
	for _, e := range r.merged.Unset(s.options.Env) {
		if slices.Contains(r.Imported, e.Connector) || slices.Contains(r.Kept, e.Connector) {
			r.Exports = append(r.Exports, e)
		}
	}
	err = s.save(func() {
		for _, c := range taken {
			if _, ok := s.config.Find(c.Name); !ok {
				s.config.Set(c)
			}
		}
	})
	for _, name := range r.Imported { // messages about them say where they are now
		if c, ok := s.config.Find(name); ok {
			c.File = s.options.Home.Config()
			s.config.Set(c)
		}
	}
	return r, err
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

// read reads what is wanted.
func (r *Imported) read(ctx context.Context, m importcfg.Machine, src Sources, configured bool) ([]importcfg.Entry, error) {
	if len(src.From) > 0 || src.WebUI != nil {
		return r.named(ctx, m, src)
	}
	var all []importcfg.Entry
	var unasked, untrusted []string
	for _, s := range importcfg.Sources(m) {
		f := Found{Source: s}
		entries, err := importcfg.Read(m, s.Path)
		f.Servers = len(entries)
		switch {
		case err != nil:
			f.Problem = fault.Of(err).Message
		case len(entries) == 0: // as in the settings of a client that has no servers
		case s.Project && src.Trust, !s.Project && src.Yes:
			f.Taken = true
		case s.Project && src.Yes:
			f.Untrusted = true
			untrusted = append(untrusted, s.Path)
		case src.Ask == nil:
			unasked = append(unasked, s.Path)
		default:
			if f.Taken, err = src.Ask(s, entries); err != nil {
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
		return nil, e.WithHint("take the user's own with --yes and those of this folder with --trust-project, or say which, as in: %s %s", src.naming(), home.Quote(unasked[0]))
	}
	if len(all) == 0 && !configured {
		if len(untrusted) > 0 {
			e := fault.New("nothing-to-import", "MCP servers are configured in %s only, which came with this folder", strings.Join(untrusted, ", "))
			return nil, e.WithHint("look at what it starts, and take it with --trust-project, or with %s %s", src.naming(), home.Quote(untrusted[0]))
		}
		return nil, nothing(m, r.Sources).WithHint("name a file with %s FILE, or add a server with runlace add", src.naming())
	}
	return all, nil
}

// named reads the files and the instance that the user has named.
func (r *Imported) named(ctx context.Context, m importcfg.Machine, src Sources) ([]importcfg.Entry, error) {
	var all []importcfg.Entry
	for _, path := range src.From {
		path, err := home.Expand(path)
		if err != nil {
			return nil, err
		}
		entries, err := importcfg.Read(m, path)
		if err != nil {
			return nil, err
		}
		r.Sources = append(r.Sources, Found{Source: importcfg.Source{Path: path}, Servers: len(entries), Taken: true})
		all = append(all, entries...)
	}
	if w := src.WebUI; w != nil {
		entries, err := importcfg.OpenWebUI(ctx, m, w.URL, w.Token)
		if err != nil {
			return nil, err
		}
		r.Sources = append(r.Sources, Found{Source: importcfg.Source{Client: "Open WebUI", Path: w.URL}, Servers: len(entries), Taken: true})
		all = append(all, entries...)
	}
	return all, nil
}

// nothing is the error where there is nothing to take over.
func nothing(m importcfg.Machine, found []Found) *fault.Error {
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

// Discover asks all servers that are configured, or, with only, those that were imported just now. Secrets that the files have, and that
// the user has not exported yet, are used for this once.
func (s *Setup) Discover(ctx context.Context, r *Imported, only bool) (*Initialized, error) {
	for _, e := range r.merged.Exports {
		s.secrets.Add(e.Value())
	}
	var err error
	switch {
	case only && len(r.Imported) == 0:
		r.Report, err = s.forget(ctx)
	case only:
		r.Report, err = s.discover(ctx, r.merged.Env(s.options.Env), r.Imported)
	default:
		r.Report, err = s.discover(ctx, r.merged.Env(s.options.Env), nil)
	}
	return &r.Initialized, err
}
