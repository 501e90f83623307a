package importcfg

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/jsonc"
)

// quiet are keys that say nothing about how a server is reached.
var quiet = []string{"name", "description", "display_name", "gallery", "version", "attr", "icon", "title", "bundled", "faviconUrl", "sourceFile",
	"extensionName", "required"}

// fields reads what has a place in a Connector. Nothing is passed over: a key that is neither followed nor quiet is noted.
func (s *server) fields(n jsonc.Node) (transport string, explicit bool) {
	seen := map[string]bool{}
	for _, m := range n.Members() {
		if seen[m.Name] {
			s.note("%s is there twice, and the last one counts", shown(m.Name))
		}
		seen[m.Name] = true
		switch m.Name {
		case "type", "transport", "transportType":
			if v, ok := m.Value.Text(); ok {
				transport, explicit = v, true
			} else if m.Value.IsObject() { // {"transport": {"type": "http", "url": ...}}
				transport, explicit = s.fields(m.Value)
			} else if !m.Value.IsNull() {
				s.skip("%s is %s, and not text", m.Name, m.Value.Kind())
			}
		case "config": // of Goose, in older versions
			if m.Value.IsObject() {
				transport, explicit = s.fields(m.Value)
				continue
			}
			s.note("config is not followed")
		default:
			s.field(m)
		}
	}
	return transport, explicit
}

// field reads one key. All clients' keys are understood in all files: no two clients mean different things by one, but for timeouts.
func (s *server) field(m jsonc.Member) {
	switch m.Name {
	case "command", "cmd": // cmd: Goose
		switch {
		case m.Value.IsList(): // command and arguments in one: opencode
			if args := s.list(m); len(args) > 0 {
				s.c.Command, s.c.Args = args[0], append(args[1:], s.c.Args...)
			}
		case m.Value.IsObject(): // Zed, in older versions
			for _, k := range m.Value.Members() {
				switch k.Name {
				case "path":
					s.text(k, &s.c.Command)
				case "args", "env":
					s.field(k)
				default:
					s.note("command.%s is not followed", shown(k.Name))
				}
			}
		default:
			s.text(m, &s.c.Command)
		}
	case "args":
		if !m.Value.IsNull() {
			s.c.Args = append(s.c.Args, s.list(m)...)
		}
	case "env", "environment", "envs": // opencode, Goose
		s.c.Env = merge(s.c.Env, s.texts(m))
	case "env_keys": // Goose: names of what it keeps in its keyring
		for _, name := range s.list(m) {
			if !variableForm.MatchString(name) {
				s.skip("%s has what is not the name of a variable", m.Name)
				continue
			}
			s.c.Env = merge(s.c.Env, map[string]string{name: s.kept("env."+name, name, "Goose keeps it in its keyring")})
		}
	case "env_vars": // Codex: names of its own variables that it passes on
		s.passed(m)
	case "headers", "http_headers": // Codex
		s.c.Headers = merge(s.c.Headers, s.texts(m))
	case "env_http_headers": // Codex: names of variables
		for name, v := range s.texts(m) {
			if !variableForm.MatchString(v) {
				s.skip("%s.%s is not the name of a variable", m.Name, shown(name))
				continue
			}
			s.c.Headers = merge(s.c.Headers, map[string]string{name: "${" + v + "}"})
		}
	case "requestInit", "requestOptions": // Continue
		for _, k := range m.Value.Members() {
			switch k.Name {
			case "headers":
				s.c.Headers = merge(s.c.Headers, s.texts(k))
			default:
				s.note("%s.%s is not followed", m.Name, shown(k.Name))
			}
		}
	case "bearerTokenEnvVar", "bearer_token_env_var":
		v, _ := m.Value.Text()
		if !variableForm.MatchString(v) {
			s.skip("%s is not the name of a variable", m.Name)
			return
		}
		s.bearer("${" + v + "}")
	case "bearer_token", "apiKey": // Codex before 2026, Continue
		if v, ok := m.Value.Text(); ok && v != "" {
			s.bearer(v)
		}
	case "url", "serverUrl", "serverURL", "uri": // Windsurf; Goose
		s.text(m, &s.c.URL)
	case "httpUrl": // Gemini CLI
		s.streamable = true
		s.text(m, &s.c.URL)
	case "cwd", "workingDirectory":
		s.text(m, &s.c.Dir)
	case "envFile":
		s.text(m, &s.c.EnvFile)
	case "disabled":
		s.flag(m, true)
	case "enabled", "isActive":
		s.flag(m, false)
	default:
		if s.time(m) {
			return
		}
		s.unfollowed(m)
	}
}

// unfollowed says what is not followed of an entry, and why if there is more to say.
func (s *server) unfollowed(m jsonc.Member) {
	off, isBool := m.Value.Bool()
	switch m.Name {
	case "oauth", "auth", "authorization", "headersHelper", "http_headers_helper", "authProviderType", "scopes":
		if !m.Value.IsNull() && (!isBool || off) {
			s.note("%s is not followed: fixed headers are, and what runlace auth login gets", m.Name)
		}
	case "includeTools", "excludeTools", "enabled_tools", "disabled_tools", "disabledTools", "enabledTools", "available_tools", "toolFilter":
		if !m.Value.IsNull() && (!m.Value.IsList() || len(m.Value.Elements()) > 0) {
			s.note("%s is not followed: all tools of the server can be used, and which of them act is up to policy.yaml", m.Name)
		}
	case "trust", "alwaysAllow", "autoApprove", "default_tools_approval_mode", "approval_mode":
		s.note("%s is not followed: who gives consent is a setting of Runlace's own", m.Name)
	case "source":
		if v, _ := m.Value.Text(); v == "extension" {
			s.skip("it is an extension of %s, which knows how to start it", s.owner())
		}
	case "uses":
		s.skip("it comes from Continue's hub, which knows how to start it")
	default:
		says := !m.Value.IsNull() && (!m.Value.IsObject() || len(m.Value.Members()) > 0) && (!m.Value.IsList() || len(m.Value.Elements()) > 0)
		if says && !slices.Contains(quiet, m.Name) {
			s.note("%s is not followed", shown(m.Name))
		}
	}
}

func (s *server) text(m jsonc.Member, to *string) {
	switch v, ok := m.Value.Text(); {
	case ok:
		*to = v
	case !m.Value.IsNull():
		s.skip("%s is %s, and not text", m.Name, m.Value.Kind())
	}
}

// flag reads a switch, of which this value switches the server off.
func (s *server) flag(m jsonc.Member, off bool) {
	v, ok := m.Value.Bool()
	switch {
	case ok:
		s.c.Disabled = s.c.Disabled || v == off
	case !m.Value.IsNull():
		s.note("%s is not followed: it is %s, and not true or false", m.Name, m.Value.Kind())
	}
}

func (s *server) bearer(token string) {
	s.c.Headers = merge(s.c.Headers, map[string]string{"Authorization": "Bearer " + token})
}

// passed reads the names of variables that a server gets if they are set: text, or an object with a name.
func (s *server) passed(m jsonc.Member) {
	for _, e := range m.Value.Elements() {
		name, ok := e.Text()
		if !ok {
			name, _ = e.Get("name").Text()
		}
		switch {
		case !variableForm.MatchString(name):
			s.note("%s has what is not the name of a variable", m.Name)
		case s.c.Env[name] != "":
		case config.IsSecretName(name): // without it the server would start, and refuse every call
			s.c.Env = merge(s.c.Env, map[string]string{name: "${" + name + "}"})
		default:
			s.c.Env = merge(s.c.Env, map[string]string{name: "${" + name + ":-}"})
		}
	}
}

// merge adds to a map, which is made where there is none.
func merge(to, from map[string]string) map[string]string {
	if to == nil {
		return from
	}
	maps.Copy(to, from)
	return to
}

// shown is a key for a message: a key may hold anything.
func shown(key string) string {
	if len(key) > 40 || config.CheckName(key) != nil {
		return "a key"
	}
	return key
}

func (s *server) list(m jsonc.Member) []string {
	if !m.Value.IsList() {
		s.skip("%s is %s, and not a list", m.Name, m.Value.Kind())
		return nil
	}
	var args []string
	for i, e := range m.Value.Elements() {
		v, ok := e.Scalar()
		if !ok {
			s.skip("%s[%d] is %s, and not text", m.Name, i, e.Kind())
			return nil
		}
		args = append(args, v)
	}
	return args
}

func (s *server) texts(m jsonc.Member) map[string]string {
	if !m.Value.Exists() || m.Value.IsNull() {
		return nil
	}
	if !m.Value.IsObject() {
		s.skip("%s is %s, and not an object", m.Name, m.Value.Kind())
		return nil
	}
	values := map[string]string{}
	for _, v := range m.Value.Members() {
		t, ok := v.Value.Scalar()
		switch {
		case v.Value.IsNull():
			s.note("%s.%s is null, and left out", m.Name, shown(v.Name))
		case !ok:
			s.skip("%s.%s is %s, and not text", m.Name, shown(v.Name), v.Value.Kind())
		default:
			values[v.Name] = t
		}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

// Units of a number that stands for a time.
const (
	unsaid       time.Duration = 0
	seconds                    = time.Second
	milliseconds               = time.Millisecond
)

// clientUnits are the units of the key timeout, as the clients' documentation has them.
var clientUnits = map[string]time.Duration{
	"Gemini CLI": milliseconds, "opencode": milliseconds, "Claude Code": milliseconds, "Continue": milliseconds,
	"Goose": seconds, "Codex": seconds,
}

// time reads a key that is about time; ok is false for any other.
func (s *server) time(m jsonc.Member) (ok bool) {
	switch m.Name {
	case "timeout":
		to := &s.c.Timeout
		if s.client == "opencode" { // where it is for the list of tools
			to = &s.c.OpenTimeout
		}
		s.span(m, to, clientUnits[s.client])
	case "startup_timeout_sec":
		s.span(m, &s.c.OpenTimeout, seconds)
	case "startup_timeout_ms", "connectionTimeout":
		s.span(m, &s.c.OpenTimeout, milliseconds)
	case "tool_timeout_sec":
		s.span(m, &s.c.Timeout, seconds)
	case "openTimeout": // Runlace
		s.span(m, &s.c.OpenTimeout, seconds)
	default:
		return false
	}
	return true
}

// span reads a time. Where no unit is said it is guessed: nobody waits for a quarter of an hour or less than a second.
func (s *server) span(m jsonc.Member, to *config.Duration, unit time.Duration) {
	t, _ := m.Value.Scalar()
	v, err := strconv.ParseFloat(t, 64)
	span := time.Duration(0)
	isNumber := err == nil && v > 0 && v < 1e9
	switch d, parseErr := time.ParseDuration(t); {
	case m.Value.IsNull():
		return
	case isNumber && unit != unsaid:
		span = time.Duration(math.Round(v * float64(unit)))
	case isNumber && v >= 1000:
		span = time.Duration(v * float64(time.Millisecond))
		s.note("%s %s is taken for milliseconds", m.Name, t)
	case isNumber:
		span = time.Duration(math.Round(v * float64(time.Second)))
		if m.Value.Kind() == "a number" {
			s.note("%s %s is taken for seconds", m.Name, t)
		}
	case err != nil && parseErr == nil && d > 0:
		span = d
	default:
		s.note("%s is not followed: it is no time", m.Name)
		return
	}
	*to = config.Duration(span)
}
