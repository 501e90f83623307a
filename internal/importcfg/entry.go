package importcfg

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/jsonc"
)

// Export is a variable that the user has to set. See [config.Export].
type Export = config.Export

// Entry is one server of a file.
type Entry struct {
	Name      string
	Connector config.Connector // without secrets; of no use if the entry is skipped
	Skipped   string           // why the entry is not taken; empty: it is
	Source    string           // the file
	Where     string           // in the file, as in mcpServers.github
	Notes     []string         // what of the entry is not followed, and what was changed
	Exports   []Export

	raw   func() config.Connector // with secrets: a function, so that nothing can print it
	print [sha256.Size]byte       // of raw
	taken string                  // the name that Merge gave it
	asked []Export                // variables for what another program asks its user, or keeps in a place of its own
}

// server reads one entry.
type server struct {
	*reader
	entry  *Entry
	node   jsonc.Node
	folder string
	c      config.Connector

	streamable bool              // a key says that the url is one of streamable HTTP
	envs       map[string]string // of an entry of Goose with a url, which refers to them
}

func (s *server) skip(format string, args ...any) {
	if s.entry.Skipped == "" {
		s.entry.Skipped = printable(fmt.Sprintf(format, args...))
	}
}

func (s *server) note(format string, args ...any) {
	s.entry.Notes = append(s.entry.Notes, printable(fmt.Sprintf(format, args...)))
}

func (s *server) read(name string) {
	s.c.Name, s.c.Source = s.entry.Name, s.path
	if err := config.CheckName(name); err != nil {
		s.skip("%v", err)
		return
	}
	if !s.node.IsObject() {
		s.skip("it is %s, and not an object", s.node.Kind())
		return
	}
	transport, explicit := s.fields(s.node)
	if s.entry.Skipped != "" {
		return
	}
	s.transport(transport, explicit)
	if s.entry.Skipped != "" {
		return
	}
	s.dialect()
	if s.entry.Skipped != "" {
		return
	}
	if why := isRunlace(s.c); why != "" {
		s.skip("%s", why)
		return
	}
	s.place()
	for _, err := range []error{s.c.Check(), s.c.CheckReferences()} {
		if err != nil {
			s.skip("%s", strings.TrimLeft(strings.TrimPrefix(err.Error(), "connector "+strconv.Quote(s.c.Name)), ",: "))
			return
		}
	}
	raw, asked := s.c, s.entry.asked
	s.entry.raw = func() config.Connector { return raw }
	s.entry.asked = asked
	s.entry.print = fingerprint(raw)
	s.entry.lift(s.entry.Name)
	if left := s.entry.Connector.LiteralSecrets(); len(left) > 0 { // text that is put together in a way that nobody thought of
		s.skip("there is a secret in %s that cannot be told from what is around it; put the whole value into a variable", left[0].Key)
		s.entry.Connector, s.entry.Exports = config.Connector{}, nil
	}
}

// lift fills in Connector and Exports, with variables that are called after the alias.
func (e *Entry) lift(alias string) {
	c, exports := config.LiftSecrets(e.raw(), alias)
	e.Connector = c
	e.Exports = slices.Concat(exports, e.asked)
	for i := range e.Exports {
		e.Exports[i].Source, e.Exports[i].Connector = e.Source, c.Name
		if e.Exports[i].Where == "" {
			e.Exports[i].Where = printable(e.Where + "." + e.Exports[i].Key)
		}
	}
}

// fingerprint tells whether two entries are the same server, secrets included. It is kept in memory only.
func fingerprint(c config.Connector) [sha256.Size]byte {
	c.Name, c.Source, c.Disabled, c.Timeout, c.OpenTimeout = "", "", false, 0, 0
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts, a bool and Durations
	}
	return sha256.Sum256(b)
}

// printable makes a text one line for a terminal: a file may come from anywhere.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if runes := []rune(s); len(runes) > 300 {
		return string(runes[:300]) + "..."
	}
	return s
}
