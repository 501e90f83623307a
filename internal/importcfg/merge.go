package importcfg

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/home"
)

// Merged is what came of all files.
type Merged struct {
	Connectors []config.Connector // sorted by name; without secrets
	Skipped    []Entry            // in the files' order; each has a reason
	Notes      []Note             // in the files' order
	Exports    []Export           // what the user has to set, for the connectors that are taken
	Rows       []Row              // one for each entry, in the files' order
}

// Results of a Row.
const (
	Taken    = "imported"
	NotTaken = "skipped"
)

// Row says what came of one entry.
type Row struct {
	Name      string   `json:"name"`      // in the file
	Connector string   `json:"connector"` // what it is called now; empty if it is skipped
	Source    string   `json:"source"`    // the file
	Where     string   `json:"where"`     // in the file
	Result    string   `json:"result"`    // Taken or NotTaken
	Reason    string   `json:"reason"`    // why it is skipped
	Notes     []string `json:"notes"`     // what of it is not followed
}

// Note is something about a connector that is taken.
type Note struct {
	Connector string `json:"connector"`
	Source    string `json:"source"`
	Text      string `json:"text"`
}

// Merge makes one list of connectors of the entries of all files. The same server under the same name is taken once. Different servers
// under one name are all taken: the first keeps the name, the others get _2, _3 and so on, with a note that says where they are from.
func Merge(entries []Entry) Merged {
	var m Merged
	taken := map[string]Entry{}          // by the name that it got
	first := map[string][]Entry{}        // by the name that it had
	vars := map[string]map[string]bool{} // variable -> values
	reserved := map[string]bool{}
	for _, e := range entries {
		if e.Skipped == "" {
			reserved[e.Name] = true
		}
	}
	skip := func(e Entry) {
		m.Skipped = append(m.Skipped, e)
		m.Rows = append(m.Rows, Row{Name: e.Name, Source: e.Source, Where: e.Where, Result: NotTaken, Reason: e.Skipped, Notes: []string{}})
	}
	for _, e := range entries {
		if e.Skipped != "" {
			skip(e)
			continue
		}
		if i := slices.IndexFunc(first[e.Name], func(f Entry) bool { return f.print == e.print }); i >= 0 {
			e.Skipped = "it is the same as in " + first[e.Name][i].Source
			if first[e.Name][i].Source == e.Source {
				e.Skipped = "it is the same as " + first[e.Name][i].Where
			}
			skip(e)
			if !e.Connector.Disabled { // it is in use somewhere
				name := first[e.Name][i].taken
				m.Connectors[slices.IndexFunc(m.Connectors, func(c config.Connector) bool { return c.Name == name })].Disabled = false
			}
			continue
		}
		name := e.Name
		for n := 2; ; n++ {
			if _, ok := taken[name]; !ok && (name == e.Name || !reserved[name]) {
				break
			}
			name = fmt.Sprintf("%s_%d", e.Name, n)
		}
		if name != e.Name {
			other := taken[e.Name]
			e.Notes = append(slices.Clone(e.Notes), fmt.Sprintf("it is called %s in %s of %s; another %s is in %s of %s", e.Name, e.Where, e.Source, e.Name, other.Where, other.Source))
		}
		original := e
		original.taken = name
		first[e.Name] = append(first[e.Name], original)
		e = rename(e, name, vars)
		taken[name] = e
		m.Connectors = append(m.Connectors, e.Connector)
		for _, text := range e.Notes {
			m.Notes = append(m.Notes, Note{name, e.Source, text})
		}
		m.Exports = append(m.Exports, e.Exports...)
		m.Rows = append(m.Rows, Row{Name: original.Name, Connector: name, Source: e.Source, Where: e.Where, Result: Taken, Notes: append([]string{}, e.Notes...)})
	}
	slices.SortFunc(m.Connectors, func(a, b config.Connector) int { return cmp.Compare(a.Name, b.Name) })
	return m
}

// rename gives an entry its name, and its variables names that stand for no other value: a-b and a_b make the same variable.
func rename(e Entry, name string, vars map[string]map[string]bool) Entry {
	if e.raw != nil {
		raw := e.raw()
		raw.Name = name
		e.raw = func() config.Connector { return raw }
		for n := 1; ; n++ {
			alias := name
			if n > 1 {
				alias = fmt.Sprintf("%s_%d", name, n)
			}
			e.lift(alias)
			if !slices.ContainsFunc(e.Exports, func(x Export) bool { return len(vars[x.Var]) > 0 && !vars[x.Var][x.Value()] }) || n > 100 {
				break
			}
		}
	}
	for _, x := range e.Exports {
		if vars[x.Var] == nil {
			vars[x.Var] = map[string]bool{}
		}
		vars[x.Var][x.Value()] = true
	}
	return e
}

// Env returns env with the values of the exports, so that the servers can be asked for their tools before the user has exported anything.
// It is for this process only. What env has goes over them.
func (m Merged) Env(env home.Env) home.Env {
	vars := map[string]string{}
	for _, e := range m.Exports {
		if v := e.Value(); v != "" {
			vars[e.Var] = v
		}
	}
	return env.With(vars)
}

// Unset returns the exports that env has no value for.
func (m Merged) Unset(env home.Env) []Export {
	return slices.DeleteFunc(slices.Clone(m.Exports), func(e Export) bool {
		_, ok := env.Lookup(e.Var)
		return ok
	})
}
