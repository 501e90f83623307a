package recorder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/project"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// place is a folder of this machine that a connector works in, and what stands for it in a case.
type place struct{ here, there string }

// places are the folders that the connectors of a case are started with: as arguments, and as the folder to start in. A server answers with paths below
// them, and a case is read on other machines. The first of the connector files is /files, the next /files-2.
func places(command func(connector string) ([]string, string), connectors []string) (all []place) {
	for _, name := range connectors {
		words, dir := command(name)
		if len(words) > 0 {
			words = append(words[1:len(words):len(words)], dir)
		}
		n := 0
		var seen []string
		for _, w := range words {
			if !filepath.IsAbs(w) || slices.Contains(seen, filepath.Clean(w)) || filepath.Dir(w) == w {
				continue
			}
			if info, err := os.Stat(w); err != nil || !info.IsDir() {
				continue
			}
			n++
			there := "/" + name
			if n > 1 {
				there = fmt.Sprintf("/%s-%d", name, n)
			}
			seen = append(seen, filepath.Clean(w))
			all = append(all, place{filepath.Clean(w), there})
			if real, err := filepath.EvalSymlinks(w); err == nil && real != filepath.Clean(w) { // which is what a server may answer with
				all = append(all, place{real, there})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return len(b.here) - len(a.here) }) // a folder in another goes first
	return slices.DeleteFunc(all, func(p place) bool { return p.here == p.there })
}

// elsewhere replaces the folders in all that a case says. It returns those that it has found.
func elsewhere(c *project.Case, all []place) []place {
	m := mover{all, map[place]bool{}}
	c.Inputs, c.Output = m.json(c.Inputs), m.json(c.Output)
	for _, list := range [][]project.Call{c.Answers, c.Acts} {
		for i := range list {
			x := &list[i]
			x.Arguments, x.Result, x.Err = m.json(x.Arguments), m.json(x.Result), m.failure(x.Err)
		}
	}
	c.Failure = m.failure(c.Failure)
	return slices.DeleteFunc(slices.Clone(all), func(p place) bool { return !m.found[p] })
}

// here puts the folders back into the inputs of a case.
func here(inputs json.RawMessage, all []place) json.RawMessage {
	m := mover{nil, map[place]bool{}}
	for _, p := range all {
		if !slices.ContainsFunc(m.places, func(q place) bool { return q.here == p.there }) { // a folder's own name goes over where it leads
			m.places = append(m.places, place{p.there, p.here})
		}
	}
	return m.json(inputs)
}

type mover struct {
	places []place
	found  map[place]bool
}

func (m mover) failure(e *hostfuncs.Error) *hostfuncs.Error {
	if e == nil {
		return nil
	}
	moved := *e
	moved.Message, moved.Data = m.text(e.Message), m.json(e.Data)
	return &moved
}

// json replaces them in a value, which stays as it is written where there are none.
func (m mover) json(raw json.RawMessage) json.RawMessage {
	v, err := ordered.Parse(raw)
	if err != nil || !m.value(v) {
		return raw
	}
	return v.JSON()
}

func (m mover) value(v *ordered.Value) (changed bool) {
	move := func(s *string) {
		moved := m.text(*s)
		changed = changed || moved != *s
		*s = moved
	}
	move(&v.Text)
	for _, item := range v.Items {
		changed = m.value(item) || changed
	}
	for i := range v.Members {
		move(&v.Members[i].Key)
		changed = m.value(v.Members[i].Value) || changed
	}
	return changed
}

// text replaces the folders in a text: where they are whole, and not the beginning of another name.
func (m mover) text(s string) string {
	for _, p := range m.places {
		var b strings.Builder
		rest := s
		for {
			before, after, ok := strings.Cut(rest, p.here)
			if !ok {
				break
			}
			b.WriteString(before)
			if goesOn(after) || endsInName(before) {
				b.WriteString(p.here)
			} else {
				b.WriteString(p.there)
				m.found[p] = true
			}
			rest = after
		}
		b.WriteString(rest)
		s = b.String()
	}
	return s
}

// goesOn tells whether a name that ends before a text goes on in it. A full stop ends a sentence, if no more of a name follows.
func goesOn(after string) bool {
	r, n := utf8.DecodeRuneInString(after)
	if r == '.' {
		r, _ = utf8.DecodeRuneInString(after[n:])
	}
	return inName(r)
}

// endsInName tells whether a path that begins behind a text is the end of a longer one.
func endsInName(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return inName(r) || r == '.'
}

func inName(r rune) bool {
	return r != utf8.RuneError && (r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// lives tells whether a case still says where somebody's home is.
func lives(c *project.Case, home string) bool {
	if home = filepath.Clean(home); !filepath.IsAbs(home) || filepath.Dir(home) == home {
		return false
	}
	copied := *c
	copied.Answers, copied.Acts = slices.Clone(c.Answers), slices.Clone(c.Acts)
	return len(elsewhere(&copied, []place{{home, "~"}})) > 0
}
