package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/discovery"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// Entry is a connector as the flags of runlace add have it.
type Entry struct {
	Name      string
	Command   string
	Args      []string
	Env       []string // NAME=VALUE
	URL       string
	Headers   []string // Name: value
	Transport string   // for a URL: http or sse
	Dir       string
	Timeout   config.Duration
}

// Connector makes settings of the flags.
func (e Entry) Connector() (config.Connector, error) {
	c := config.Connector{Name: e.Name, Command: e.Command, Args: e.Args, URL: e.URL, Dir: e.Dir, Timeout: e.Timeout}
	usage := func(format string, args ...any) (config.Connector, error) {
		return c, fault.New("bad-usage", format, args...).WithHint("runlace add --help shows an example")
	}
	if err := config.CheckName(e.Name); err != nil {
		return usage("that cannot be a connector's name: %v", err)
	}
	switch {
	case e.Command == "" && e.URL == "":
		return usage("runlace add takes either --command or --url")
	case e.Command != "" && e.URL != "":
		return usage("runlace add takes --command or --url, and not both")
	case e.Command != "" && (len(e.Headers) > 0 || e.Transport != "" && e.Transport != config.Stdio):
		return usage("--header and --transport are for --url, and there is --command")
	case e.URL != "" && (len(e.Args) > 0 || len(e.Env) > 0 || e.Dir != ""):
		return usage("--arg, --env and --cwd are for --command, and there is --url")
	case e.URL != "" && e.Transport != "" && e.Transport != config.HTTP && e.Transport != config.SSE:
		return usage("--transport is http or sse, and not %q", e.Transport)
	}
	for _, path := range []*string{&c.Command, &c.Dir} {
		if full, err := fromHere(*path); err != nil {
			return usage("%s is relative, and the current folder is not known: %v", *path, err)
		} else if path == &c.Dir || e.Dir == "" { // a command is looked for in its own folder
			*path = full
		}
	}
	c.Transport = config.Stdio
	if e.URL != "" {
		c.Transport = config.HTTP
		if e.Transport != "" {
			c.Transport = e.Transport
		}
	}
	for _, pair := range e.Env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return usage("--env takes NAME=VALUE, and not %q", name)
		}
		if c.Env == nil {
			c.Env = map[string]string{}
		}
		c.Env[name] = value
	}
	for _, pair := range e.Headers {
		name, value, ok := strings.Cut(pair, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return usage("--header takes 'Name: value', and not %q", name)
		}
		if c.Headers == nil {
			c.Headers = map[string]string{}
		}
		c.Headers[name] = strings.TrimSpace(value)
	}
	return c, nil
}

// fromHere makes a path absolute as a shell would, for the server is started from other folders too. The name of a program, as npx,
// is looked for in PATH; what a reference or ~ begins is no path yet.
func fromHere(path string) (string, error) {
	if !strings.ContainsRune(path, '/') && !strings.ContainsRune(path, filepath.Separator) && path != "." && path != ".." ||
		strings.HasPrefix(path, "~") || strings.HasPrefix(path, "${") {
		return path, nil
	}
	return filepath.Abs(path)
}

// Changed is what came of an add or a remove.
type Changed struct {
	Name     string `json:"name"`
	Replaced bool   `json:"replaced"` // there was one of that name
	*discovery.Report
}

// Add puts a connector into the configuration and asks its server for its tools. The configuration is written first: a server that
// is down is one that has to be synced later.
func (s *Setup) Add(ctx context.Context, c config.Connector) (*Changed, error) {
	var replaced bool
	if err := s.save(func() { replaced = s.config.Set(c) }); err != nil {
		return nil, err
	}
	s.problems = slices.DeleteFunc(s.problems, func(p config.Problem) bool { return p.Connector == c.Name })
	// The one in the file says in its messages where it is.
	c.File = s.options.Home.Config()
	s.config.Set(c)
	r, err := s.discover(ctx, s.options.Env, []string{c.Name})
	return &Changed{c.Name, replaced, r}, err
}

// save makes a change in the configuration and writes it. When another process has written in the meantime, the change is made in
// what that has written.
func (s *Setup) save(change func()) error {
	path := s.options.Home.Config()
	for tries := 0; ; tries++ {
		change()
		err := s.config.Save(path)
		if !errors.Is(err, fault.New("config-changed", "")) || tries == 20 {
			return err
		}
		f, problems, loadErr := config.Load(path)
		if loadErr != nil {
			return err
		}
		s.config, s.problems = f, problems
	}
}

// Remove takes a connector out of the configuration and forgets its tools. Workflows that use them stay, and will not run.
func (s *Setup) Remove(ctx context.Context, name string) (*Changed, error) {
	for _, p := range s.problems {
		if p.Skipped && p.Connector == name {
			return nil, fault.New("bad-config", "the entry %s cannot be understood, and so not be taken out either: %s", name, p).WithHint("delete it in %s by hand", s.options.Home.Config())
		}
	}
	if !s.config.Remove(name) {
		return nil, discovery.Unknown(s.config, name, s.options.Home.Config())
	}
	s.problems = slices.DeleteFunc(s.problems, func(p config.Problem) bool { return p.Connector == name })
	again := false // Remove was done above
	err := s.save(func() {
		if again {
			s.config.Remove(name)
		}
		again = true
	})
	if err != nil {
		return nil, err
	}
	r, err := s.forget(ctx)
	return &Changed{Name: name, Replaced: true, Report: r}, err
}

// forget brings the store and the stubs up to date with the configuration, without asking any server.
func (s *Setup) forget(ctx context.Context) (*discovery.Report, error) {
	return discovery.Forget(ctx, discovery.Options{
		Home: s.options.Home, Config: s.config, Problems: s.problems, Policy: s.policy, Store: s.store, Progress: s.options.Progress,
	})
}

// Names lists the connectors of a home, for the completion of the shell.
func Names(h home.Home) []string {
	f, _, err := config.Load(h.Config())
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range f.Connectors {
		names = append(names, c.Name)
	}
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
