package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/fault"
)

// Reference is a ${...} in a connector's settings.
type Reference struct {
	Key        string // where, as in env.TOKEN or args[2]
	Var        string
	Default    string
	HasDefault bool
}

// part is a stretch of text without references, or one reference.
type part struct {
	text string // as it is written
	Reference
}

func (p part) isReference() bool { return p.Var != "" }

var (
	variable    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	quotable    = regexp.MustCompile(`^[\w.:-]{1,40}$`) // anything else may be a part of a secret
	errReferral = errors.New("the forms are ${NAME}, ${NAME:-default} and ${env:NAME}")
)

// split finds the references in a text: ${NAME}, ${NAME:-default} and ${env:NAME}. $NAME and $$ are ordinary text, as in MCP clients.
// Any other ${ is an error, since sending it as it is would only be found out at the other end. The error quotes no more than the name.
func split(s string) ([]part, error) {
	var parts []part
	for s != "" {
		start := strings.Index(s, "${")
		if start < 0 {
			return append(parts, part{text: s}), nil
		}
		if start > 0 {
			parts = append(parts, part{text: s[:start]})
			s = s[start:]
		}
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return nil, fmt.Errorf("a ${ without its }: %w", errReferral)
		}
		p := part{text: s[:end+1]}
		inner := strings.TrimPrefix(s[2:end], "env:")
		p.Var, p.Default, p.HasDefault = strings.Cut(inner, ":-")
		switch {
		case !variable.MatchString(p.Var):
			name := p.Var
			if !quotable.MatchString(name) {
				name = "..."
			}
			return nil, fmt.Errorf("${%s}: %w", name, errReferral)
		case strings.Contains(p.Default, "${"):
			return nil, fmt.Errorf("${%s:-...}: a default has no reference in it", p.Var)
		}
		parts = append(parts, p)
		s = s[end+1:]
	}
	return parts, nil
}

// each calls f with every text of the connector that may have references, in a fixed order, and returns the connector with the results.
// There is one list of those, and this is it.
func (c Connector) each(f func(key, value string) (string, error)) (Connector, error) {
	var errs []error
	do := func(key, value string) string {
		if value == "" {
			return ""
		}
		v, err := f(key, value)
		if err != nil {
			errs = append(errs, err)
		}
		return v
	}
	c = c.clone()
	c.Command = do("command", c.Command)
	for i := range c.Args {
		c.Args[i] = do(fmt.Sprintf("args[%d]", i), c.Args[i])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		c.Env[name] = do("env."+name, c.Env[name])
	}
	c.Dir = do("cwd", c.Dir)
	c.EnvFile = do("envFile", c.EnvFile)
	c.URL = do("url", c.URL)
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		c.Headers[name] = do("headers."+name, c.Headers[name])
	}
	return c, errors.Join(errs...)
}

// References returns the references in the connector's settings, in a fixed order. Those that are malformed are left out: [Resolve] tells
// of them.
func (c Connector) References() []Reference {
	var refs []Reference
	c.each(func(key, value string) (string, error) {
		parts, _ := split(value)
		for _, p := range parts {
			if p.isReference() {
				p.Key = key
				refs = append(refs, p.Reference)
			}
		}
		return value, nil
	})
	return refs
}

// CheckReferences says which ${...} is of a form that does not exist, with the code bad-reference. It is for settings that are new;
// [Resolve] does it too.
func (c Connector) CheckReferences() error {
	_, err := c.each(func(key, value string) (string, error) {
		if _, err := split(value); err != nil {
			return "", fmt.Errorf("%s has %w", key, err)
		}
		return value, nil
	})
	if err != nil {
		return fault.New("bad-reference", "connector %q: %s", c.Name, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}
