package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/setup"
)

// newConnector is a connector that waits for consent, without the values of its headers.
type newConnector struct {
	Name      string   `json:"name"`
	Transport string   `json:"transport"`
	URL       string   `json:"url"`
	Headers   []string `json:"headers"`
}

// addConnector adds a server that is reached by URL. One that is started by a command is only for a person to add: that would be a way to
// run any program.
func (s *Server) addConnector(ctx context.Context, c *call) (answer, error) {
	var a struct {
		Name, URL, Transport string
		Headers              map[string]string
		Confirm              bool
	}
	if err := c.arguments(&a); err != nil {
		return answer{}, err
	}
	entry := setup.Entry{Name: a.Name, URL: a.URL, Transport: a.Transport}
	var headers []string
	for name, value := range a.Headers {
		headers = append(headers, name)
		entry.Headers = append(entry.Headers, name+": "+value)
	}
	slices.Sort(headers)
	slices.Sort(entry.Headers)
	to, err := entry.Connector()
	if err == nil {
		err = to.Check()
	}
	if err != nil {
		return answer{}, err
	}
	if secrets := to.LiteralSecrets(); len(secrets) > 0 {
		var todo []string
		for _, e := range secrets {
			todo = append(todo, e.Instruction())
		}
		return answer{}, fault.New("literal-secret", "the settings of %s have a secret in them", a.Name).
			WithHint("ask the user to put it into a variable of the server's environment (%s), and pass ${NAME} in its place", strings.Join(todo, "; "))
	}
	missing := []string{}
	for _, r := range config.Missing(to, s.options.Setup.Env) {
		if !slices.Contains(missing, r.Var) {
			missing = append(missing, r.Var)
		}
	}
	action := "add"
	if slices.Contains(setup.Names(s.options.Setup.Home), a.Name) {
		action = "replace"
	}
	if s.engine.WantsPerson() {
		return answer{}, fault.New("needs-person", "the operator wants a person's word for acts, and %s at %s would be new", a.Name, a.URL)
	}
	if !a.Confirm {
		f := fault.New("needs-confirmation", "%s is to be added as a connector, at %s, and nobody has agreed to that", a.Name, a.URL).
			WithHint("show the user what will be added, and call again with confirm=true after they have agreed")
		return answer{failed: true, value: struct {
			failure
			Action    string       `json:"action"`
			Connector newConnector `json:"connector"`
			NeedsEnv  []string     `json:"needs_env"`
		}{failed(f), action, newConnector{to.Name, to.Transport, to.URL, append([]string{}, headers...)}, missing}}, nil
	}
	change, err := setup.Open(s.options.Setup)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = change.Close() }()
	added, err := change.Add(ctx, to)
	if err != nil {
		return answer{}, err
	}
	return s.added(added, missing)
}

// added says what came of adding a connector: a server that does not answer is configured, and no success.
func (s *Server) added(c *setup.Changed, missing []string) (answer, error) {
	action := "added"
	if c.Replaced {
		action = "replaced"
	}
	if len(c.Servers) == 0 {
		return answer{}, fault.New("internal", "%s was configured, and not asked", c.Name)
	}
	server := c.Servers[0]
	warnings := append([]string{}, c.Warnings...)
	for _, p := range server.Problems {
		warnings = append(warnings, p.Tool+": "+p.Reason)
	}
	for _, w := range c.Workflows {
		warnings = append(warnings, w.Name+" will not run: "+strings.Join(w.Reasons, "; "))
	}
	if err := server.Err(); err != nil {
		f := failed(fault.Of(err))
		f.Error = c.Name + " is configured, and its server does not answer: " + f.Error
		if len(missing) > 0 {
			f.Hint = "ask the user to set " + strings.Join(missing, ", ") + " where Runlace's server is started, and to start it anew; then call add_connector again"
		}
		return answer{failed: true, value: struct {
			failure
			Connector string   `json:"connector"`
			Action    string   `json:"action"`
			Status    string   `json:"status"`
			NeedsEnv  []string `json:"needs_env"`
			Warnings  []string `json:"warnings"`
		}{f, c.Name, action, server.Status, missing, warnings}}, nil
	}
	attr := ""
	if catalogue, err := s.engine.Catalogue(); err == nil {
		if k := catalogue.Find(c.Name); k != nil {
			attr = k.Attr
		}
	}
	return answer{value: struct {
		OK        bool     `json:"ok"`
		Connector string   `json:"connector"`
		Attr      string   `json:"attr"`
		Action    string   `json:"action"`
		Tools     int      `json:"tools"`
		Warnings  []string `json:"warnings"`
		Next      string   `json:"next"`
	}{true, c.Name, attr, action, server.Tools, warnings, "call get_skill for its tools, then get_tools for their signatures"}}, nil
}
