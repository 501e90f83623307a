package engine

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/discovery"
)

// Trim cuts lists and strings of a value to what a reader needs to see its form, at every depth. It also returns what it cut.
func Trim(where string, value json.RawMessage) (json.RawMessage, []string) {
	d := StepDetail{}
	return d.trim(where, value), d.Trimmed
}

// Target says where the calls of a connector go, as config.json has it: the command that is started, or the server's address without
// what may be secret in it. It is empty for a connector that is not there.
func (e *Engine) Target(connector string) string {
	f, _, _ := e.settings.now()
	c, ok := f.Find(connector)
	if !ok {
		return ""
	}
	if c.Transport == config.Stdio {
		return c.Command
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return c.Transport
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// WantsPerson tells whether the operator wants a person's word for acts: for all of them, or by policy.yaml for some. Then a connector is for a person to
// add as well: under another name, or with tools that call themselves read-only, it would be a way around.
func (e *Engine) WantsPerson() bool {
	_, _, rules := e.settings.now()
	return rules.Persons() || e.Approval() != config.Ask && e.Approval() != config.Allow
}

// Unmatched tells which entries of policy.yaml match no connector or tool that is known, or have no effect on it.
func (e *Engine) Unmatched() ([]string, error) {
	f, problems, rules := e.settings.now()
	if e.settings.ignored() != "" { // which connectors there are is not known
		return nil, nil
	}
	return discovery.Unmatched(f, problems, rules, e.store)
}

// brokenPolicy says what is wrong with a policy.yaml that cannot be followed, so that every act needs a person; empty if it can.
func (e *Engine) brokenPolicy() string {
	_, _, rules := e.settings.now()
	if !rules.Broken() {
		return ""
	}
	return strings.Join(rules.Warnings(), "; ")
}

// Command is the command line that a connector is started with, and where, with the values of its references: it may hold secrets. It is empty for one that
// is not started, or not there.
func (e *Engine) Command(connector string) (words []string, dir string) {
	f, _, _ := e.settings.now()
	c, ok := f.Find(connector)
	if !ok || c.Transport != config.Stdio {
		return nil, ""
	}
	c, secrets, err := config.Resolve(c, e.options.Env)
	if err != nil {
		return nil, "" // which is said when it is opened
	}
	e.secrets.Add(secrets...)
	return append([]string{c.Command}, c.Args...), c.Dir
}
