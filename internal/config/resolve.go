package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
)

// Resolve puts values in place of the references, when a connection is about to open. The result is ready to be used: the variables of
// EnvFile are in Env, Dir is absolute. It holds secrets and must not be written anywhere; what of it is secret is returned for
// redaction, the longest first.
//
// ${NAME} is the variable's value, also where that is empty; ${NAME:-default} is the default where the variable is not set or empty, as
// in a shell. Values are not looked into for references.
//
// Errors have the code unset-variable, with file, key and variable of everything that is missing; bad-reference; bad-env-file; or
// bad-connector, where a value does not fit. None has a value in it.
func Resolve(c Connector, env home.Env) (Connector, []string, error) {
	r := &resolver{connector: c, env: env, secrets: map[string]bool{}}
	out, err := c.each(r.value)
	if err != nil {
		return Connector{}, nil, fault.New("bad-reference", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if len(r.missing) > 0 {
		return Connector{}, nil, unset(c, r.missing)
	}
	for _, e := range c.LiteralSecrets() { // written into the file by hand: it is redacted all the same
		r.secret(e.Value())
	}
	if err := r.paths(&out); err != nil {
		return Connector{}, nil, err
	}
	if err := r.envFile(&out); err != nil {
		return Connector{}, nil, err
	}
	if err := out.Check(); err != nil {
		f := fault.Of(err)
		return Connector{}, nil, f.WithHint("the values of %s are in place of the references: look at them", names(c.References()))
	}
	secrets := make([]string, 0, len(r.secrets))
	for s := range r.secrets {
		secrets = append(secrets, s)
	}
	slices.SortFunc(secrets, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return out, secrets, nil
}

// Missing returns the references that [Resolve] would find no value for.
func Missing(c Connector, env home.Env) []Reference {
	var missing []Reference
	for _, r := range c.References() {
		if _, ok := env.Lookup(r.Var); !ok && !r.HasDefault {
			missing = append(missing, r)
		}
	}
	return missing
}

func unset(c Connector, missing []Reference) error {
	what := make([]string, len(missing))
	for i, m := range missing {
		what[i] = fmt.Sprintf("%s is not set (in %s)", m.Var, c.where(m.Key))
	}
	return fault.New("unset-variable", "connector %s: %s", c.Name, strings.Join(what, ", ")).
		WithHint("export %s, or give a file that has it with --env-file", names(missing))
}

func names(refs []Reference) string {
	var all []string
	for _, r := range refs {
		if !slices.Contains(all, r.Var) {
			all = append(all, r.Var)
		}
	}
	if len(all) == 0 {
		return "the variables"
	}
	return strings.Join(all, ", ")
}

// where names a setting and its file.
func (c Connector) where(key string) string {
	key = "connectors." + c.Name + "." + key
	if c.File == "" {
		return key
	}
	return key + " of " + c.File
}

type resolver struct {
	connector Connector
	env       home.Env
	missing   []Reference
	secrets   map[string]bool
}

func (r *resolver) value(key, value string) (string, error) {
	parts, err := split(value)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.connector.where(key), err)
	}
	var b strings.Builder
	for _, p := range parts {
		if !p.isReference() {
			b.WriteString(p.text)
			continue
		}
		v, ok := r.env.Lookup(p.Var)
		switch {
		case ok && (v != "" || !p.HasDefault):
			if public(p.Var, v) {
				break
			}
			r.secret(v)
		case p.HasDefault:
			v = p.Default
		default:
			p.Key = key
			r.missing = append(r.missing, p.Reference)
		}
		b.WriteString(v)
	}
	return b.String(), nil
}

func (r *resolver) secret(v string) {
	if v = strings.TrimSpace(v); len(v) >= 4 { // taking less out of a text would leave no text
		r.secrets[v] = true
	}
}

// ordinary are variables that every session has, and that are no secret: redacting a user's name everywhere would spoil all paths.
var ordinary = regexp.MustCompile(`^(?i:home|user|username|logname|userprofile|homepath|homedrive|appdata|localappdata|programdata|programfiles|` +
	`systemroot|windir|path|pwd|shell|term|lang|language|lc_[a-z]+|tz|tmpdir|temp|tmp|hostname|computername|display|editor|xdg_[a-z_]+|` +
	`workspacefolder|node_env|debug|log_level|port|host)$`)

// public reports whether a value need not be redacted.
func public(name, value string) bool {
	if kind := nameKind(name); kind != notSecret {
		return harmless(name, value)
	}
	return ordinary.MatchString(name) && !LooksSecret(value) || len(value) < 6
}

// paths makes paths of the machine of those in the settings.
func (r *resolver) paths(c *Connector) error {
	for _, p := range []*string{&c.Dir, &c.EnvFile, &c.Command} {
		full, err := home.Expand(*p)
		if err != nil {
			return fault.New("bad-connector", "connector %s: ~ cannot be made out", c.Name).WithDetail(err)
		}
		*p = full
	}
	for _, p := range []*string{&c.Dir, &c.EnvFile} {
		if *p != "" && !filepath.IsAbs(*p) && c.File != "" {
			*p = filepath.Join(filepath.Dir(c.File), *p)
		}
	}
	return nil
}

func (r *resolver) envFile(c *Connector) error {
	if c.EnvFile == "" {
		return nil
	}
	_, vars, err := home.ReadEnvFile(c.EnvFile)
	if err != nil {
		f := fault.Of(err)
		f.Message = fmt.Sprintf("connector %s, envFile: %s", c.Name, f.Message)
		return f
	}
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	for _, v := range vars {
		if _, ok := r.connector.Env[v.Name]; ok {
			continue
		}
		c.Env[v.Name] = v.Value
		if !public(v.Name, v.Value) {
			r.secret(v.Value)
		}
	}
	c.EnvFile = ""
	return nil
}

var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// checkURL takes references for text that fits.
func checkURL(s string) error {
	if strings.HasPrefix(s, "${") {
		return nil // the reference may stand for the scheme
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return errors.New("it does not begin with http:// or https://")
	}
	// A port is a number, and a reference in its place has to look like one.
	rest = reference.ReplaceAllString(rest, "1")
	u, err := url.Parse("http://" + rest)
	if err != nil {
		return errors.New("it is not a URL")
	}
	if u.Hostname() == "" {
		return errors.New("it has no host")
	}
	return nil
}
