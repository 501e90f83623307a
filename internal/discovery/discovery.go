package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
	"github.com/runlace/runlace/internal/store"
	"github.com/runlace/runlace/internal/words"
)

// DefaultTimeout is how long a server may take to start and agree on a protocol, and again to list its tools: one that its package
// manager has to fetch first takes that long.
const DefaultTimeout = 30 * time.Second

// Options say what to discover.
type Options struct {
	Home     home.Home
	Env      home.Env // where references in the configuration get their values
	Config   *config.File
	Problems []config.Problem // of the configuration: connectors that cannot be used keep their tools
	Policy   *policy.Policy
	Store    *store.Store

	// Only names the connectors to ask; empty: all, and then those that are not configured any more are forgotten.
	Only []string
	// Timeout is for servers without one of their own; 0 is DefaultTimeout.
	Timeout time.Duration
	// AcceptEmpty names the connectors that are believed when they had tools and say that they have none.
	AcceptEmpty []string
	// Check typechecks the stubs.
	Check bool
	// Version is Runlace's own, as servers are told.
	Version string
	// Secrets is told every value that must not be written down, before anything is: [store.Secrets.Add]. Required.
	Secrets func(...string)
	// Session may set more of what a server is connected to with, as credentials; may be nil.
	Session func(config.Connector, *connector.Options)
	// Progress is told what happens, from one goroutine at a time; may be nil.
	Progress func(Progress)
}

// Progress is a step of one server, or, without a server, of the whole.
type Progress struct {
	Server  string
	State   string // "starting", "listing", or a Status; "stubs", "checking" of the whole
	Detail  string
	Tools   int
	Elapsed time.Duration
}

// Statuses of a Server.
const (
	Connected = "connected"
	Skipped   = "skipped" // it was not asked: disabled, or its settings cannot be used
	Failed    = "error"
)

// Server is what came of asking a server.
type Server struct {
	Name      string              `json:"name"`
	Transport string              `json:"transport"`
	Status    string              `json:"status"`
	Code      string              `json:"code,omitempty"`   // why it is not connected
	Detail    string              `json:"detail,omitempty"` // the same in words
	Hint      string              `json:"hint,omitempty"`
	Stderr    []string            `json:"stderr,omitempty"` // its last lines, if that may help
	Tools     int                 `json:"tools"`            // that workflows can use
	Stale     bool                `json:"stale,omitempty"`  // they are from before
	Problems  []connector.Problem `json:"problems"`         // in its list of tools
	Typing    *stubs.Stats        `json:"typing,omitempty"` // how much of them is typed, and why not all
	ElapsedMS int64               `json:"elapsed_ms"`

	err    error
	asked  time.Time
	tools  []catalog.Tool
	before []catalog.Tool // what was stored until then, if this has replaced it
	info   connector.Server
}

// Err is why the server is not connected, nil if it is.
func (s Server) Err() error { return s.err }

// Report is what a discovery came to.
type Report struct {
	Servers   []Server               `json:"servers"` // by name
	Connected int                    `json:"connected"`
	Tools     int                    `json:"tools"`     // of all connectors that are configured, also those that were not asked
	Changes   catalog.Changes        `json:"changes"`   // of the tools of those that answered, and of those that are forgotten
	Digests   []catalog.DigestChange `json:"digests"`   // of all tools, also those that are the same
	Forgotten []string               `json:"forgotten"` // connectors that are not configured any more
	Workflows []Affected             `json:"workflows"` // that will not run as they are
	Checked   int                    `json:"checked"`   // how many workflows were looked at
	Stubs     Stubs                  `json:"stubs"`
	Warnings  []string               `json:"warnings"`

	dropped []catalog.Tool // of connectors that are forgotten
}

func newReport() *Report {
	return &Report{Servers: []Server{}, Forgotten: []string{}, Workflows: []Affected{}, Warnings: []string{}}
}

// Run asks the servers, and stores what they say.
func Run(ctx context.Context, o Options) (*Report, error) {
	began := time.Now()
	r := newReport()
	if err := r.ask(ctx, &o); err != nil {
		return nil, err
	}
	for i := range r.Servers {
		if err := r.Servers[i].save(o); err != nil {
			return nil, err
		}
	}
	return r, r.finish(ctx, o, began, len(o.Only) == 0)
}

// Forget only forgets the connectors that are not configured any more. It asks no server.
func Forget(ctx context.Context, o Options) (*Report, error) {
	r := newReport()
	return r, r.finish(ctx, o, time.Now(), true)
}

// finish says what the new state of the store means, and writes the stubs.
func (r *Report) finish(ctx context.Context, o Options, began time.Time, forget bool) error {
	if forget {
		if err := r.forget(o, began); err != nil {
			return err
		}
	}
	now, err := stored(o.Store, "")
	if err != nil {
		return err
	}
	r.compare(now)
	r.count(now)
	if r.Workflows, r.Checked, err = affected(o.Store, now); err != nil {
		return err
	}
	r.warn(o, now)
	return r.writeStubs(ctx, o)
}

// compare says what this discovery has changed: what each server's answer has replaced, and what is forgotten. What another process has
// changed at the same time is in the report of that one.
func (r *Report) compare(stored []catalog.Tool) {
	before, now := slices.Clone(r.dropped), []catalog.Tool(nil)
	replaced := map[string]bool{}
	for _, s := range r.Servers {
		if s.Status == Connected && s.before != nil {
			replaced[s.Name] = true
			before = append(before, s.before...)
			now = append(now, s.tools...)
		}
	}
	for _, t := range stored {
		if !replaced[t.Connector] {
			before, now = append(before, t), append(now, t)
		}
	}
	r.Changes, r.Digests = catalog.Compare(before, now), catalog.Digests(before, now)
}

// ask fills in the servers.
func (r *Report) ask(ctx context.Context, o *Options) error {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	for _, name := range slices.Concat(o.Only, o.AcceptEmpty) {
		if _, ok := o.Config.Find(name); !ok && !isBroken(o.Problems, name) {
			return Unknown(o.Config, name, o.Home.Config())
		}
	}
	for _, name := range o.AcceptEmpty {
		if len(o.Only) > 0 && !slices.Contains(o.Only, name) {
			return fault.New("bad-usage", "%s is not among the connectors that are asked, so that it cannot be believed to have no tools", name)
		}
	}
	wanted := func(name string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, name) }
	for _, p := range o.Problems {
		if p.Skipped && p.Connector != "" && wanted(p.Connector) {
			r.Servers = append(r.Servers, Server{Name: p.Connector, Transport: "-", Status: Skipped, Code: "bad-config", Detail: p.Message, err: fault.New("bad-config", "%s", p.String())})
		}
	}
	type job struct {
		index   int
		c       config.Connector
		secrets []string
	}
	var jobs []job
	for _, c := range o.Config.Connectors {
		if !wanted(c.Name) {
			continue
		}
		s := Server{Name: c.Name, Transport: c.Transport}
		resolved, secrets, err := config.Resolve(c, o.Env)
		o.Secrets(secrets...)
		switch {
		case c.Disabled:
			s.Status, s.Detail, s.err = Skipped, "it is disabled in the configuration", fault.New("bad-connector", "the connector %s is disabled in %s", c.Name, o.Home.Config())
		case err != nil:
			s.skip(err)
		default:
			jobs = append(jobs, job{len(r.Servers), resolved, secrets})
		}
		r.Servers = append(r.Servers, s)
	}
	var mu sync.Mutex
	tell := func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		if o.Progress != nil {
			o.Progress(p)
		}
	}
	var all sync.WaitGroup
	for _, j := range jobs {
		all.Go(func() {
			s := &r.Servers[j.index]
			start := time.Now()
			s.ask(ctx, *o, j.c, j.secrets, tell)
			s.ElapsedMS = time.Since(start).Milliseconds()
			tell(Progress{Server: s.Name, State: s.Status, Detail: s.Detail, Tools: len(s.tools), Elapsed: time.Since(start)})
		})
	}
	all.Wait()
	slices.SortFunc(r.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	if ctx.Err() != nil {
		return fault.New("cancelled", "cancelled while the servers were asked; what is known of their tools stays as it was")
	}
	for i := range r.Servers {
		if r.Servers[i].Problems == nil {
			r.Servers[i].Problems = []connector.Problem{}
		}
	}
	return nil
}

// ask asks one server.
func (s *Server) ask(ctx context.Context, o Options, c config.Connector, secrets []string, tell func(Progress)) {
	tell(Progress{Server: s.Name, State: "starting"})
	s.asked = time.Now()
	how := connector.Options{Secrets: secrets, OpenTimeout: o.Timeout, Version: o.Version}
	if o.Session != nil {
		o.Session(c, &how)
	}
	session, err := connector.Open(ctx, c, how)
	if err != nil {
		s.fail(err)
		return
	}
	defer func() { _ = session.Close() }()
	tell(Progress{Server: s.Name, State: "listing"})
	s.asked = time.Now()
	listing, err := session.List(ctx)
	if err != nil {
		s.fail(err)
		return
	}
	s.Status, s.Problems, s.info = Connected, listing.Problems, session.Server()
	if lines, sample := session.Noise(); lines > 0 {
		s.Problems = append(s.Problems, connector.Problem{Reason: fmt.Sprintf("%d lines on its standard output are no messages and were passed over, as %q", lines, brief(sample, 80))})
	}
	var known store.Secrets
	known.Add(secrets...)
	for _, t := range listing.Tools {
		if clean(&known, &t) {
			s.Problems = append(s.Problems, connector.Problem{Tool: t.Name, Reason: "its definition has a secret of the connector's settings in it, which was taken out"})
		}
		s.tools = append(s.tools, catalog.New(s.Name, catalog.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
			Annotations: catalog.Annotations{
				Title: t.Annotations.Title, ReadOnlyHint: t.Annotations.ReadOnly, DestructiveHint: t.Annotations.Destructive,
				IdempotentHint: t.Annotations.Idempotent, OpenWorldHint: t.Annotations.OpenWorld,
			},
		}))
	}
	o.Policy.Apply(s.tools, names(s.tools))
}

// clean takes secrets out of what a server says about a tool: it is written down, and shown.
func clean(s *store.Secrets, t *connector.Tool) (found bool) {
	for _, text := range []*string{&t.Title, &t.Description, &t.Annotations.Title} {
		changed := false
		*text, changed = s.Text(*text)
		found = found || changed
	}
	for _, schema := range []*json.RawMessage{&t.InputSchema, &t.OutputSchema} {
		changed := false
		*schema, changed = s.JSON(*schema)
		found = found || changed
	}
	return found
}

func (s *Server) fail(err error) {
	f := fault.Of(err)
	s.Status, s.Code, s.Detail, s.Hint, s.err = Failed, f.Code, strings.TrimPrefix(f.Message, "connector "+s.Name+": "), f.Hint, err
	if e := (*connector.Error)(nil); errors.As(err, &e) {
		s.Stderr = e.Stderr
	}
}

func (s *Server) skip(err error) {
	s.fail(err)
	s.Status = Skipped
}

// save writes down what came of asking the server.
func (s *Server) save(o Options) error {
	if s.Status == Connected {
		info, err := json.Marshal(known{s.info.Name, s.info.Title, s.info.Version, s.info.Protocol, s.Problems})
		if err != nil {
			return err
		}
		tools := make([]store.Tool, len(s.tools))
		for i, t := range s.tools {
			annotations, err := json.Marshal(t.Annotations)
			if err != nil {
				return err
			}
			tools[i] = store.Tool{
				Connector: s.Name, Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
				OutputSchema: t.OutputSchema, Annotations: annotations, Risk: store.Risk(t.Risk), Digest: t.Digest,
			}
		}
		change, err := o.Store.SaveTools(store.Connector{Name: s.Name, Transport: s.Transport, Server: info, AskedAt: s.asked}, tools,
			slices.Contains(o.AcceptEmpty, s.Name))
		switch {
		case errors.Is(err, fault.New("catalogue-emptied", "")):
			s.fail(emptied(s.Name, err))
			return nil
		case err != nil:
			return err
		case change.Outdated:
			s.Problems = append(s.Problems, connector.Problem{Reason: "another process asked it later, and what it said then is kept"})
		default:
			s.before = toTools(change.Before)
		}
		return nil
	}
	status := store.ConnectorUnreachable
	if s.Status == Skipped {
		status = store.ConnectorSkipped
	}
	return o.Store.SaveUnavailable(store.Connector{Name: s.Name, Transport: s.Transport, Status: status, Detail: s.Detail, AskedAt: s.asked})
}

// emptied is the error about a server that had tools and says that it has none.
func emptied(name string, err error) error {
	if err == nil {
		err = fault.New("catalogue-emptied", "%s answered that it has no tools, and had some before", name)
	}
	return fault.Of(err).WithHint("if it is right that it has none any more: runlace sync --accept-empty %s", home.Quote(name))
}

// known is what the store has of a server that answered.
type known struct {
	Name     string              `json:"name,omitempty"`
	Title    string              `json:"title,omitempty"`
	Version  string              `json:"version,omitempty"`
	Protocol string              `json:"protocol,omitempty"`
	Problems []connector.Problem `json:"problems,omitempty"`
}

// forget removes connectors that are not configured any more. One that was stored since this has read the configuration is another
// process's, which has just added it.
func (r *Report) forget(o Options, began time.Time) error {
	all, err := o.Store.Connectors()
	if err != nil {
		return err
	}
	for _, c := range all {
		if _, ok := o.Config.Find(c.Name); ok || isBroken(o.Problems, c.Name) || c.CheckedAt.After(began) {
			continue
		}
		tools, err := stored(o.Store, c.Name)
		if err != nil {
			return err
		}
		r.dropped = append(r.dropped, tools...)
		if err := o.Store.RemoveConnector(c.Name); err != nil {
			return err
		}
		r.Forgotten = append(r.Forgotten, c.Name)
	}
	return nil
}

func (r *Report) count(now []catalog.Tool) {
	r.Tools = len(now)
	for i := range r.Servers {
		s := &r.Servers[i]
		s.Tools = 0
		for _, t := range now {
			if t.Connector == s.Name {
				s.Tools++
			}
		}
		if s.Status == Connected {
			r.Connected++
		}
		s.Stale = s.Status != Connected && s.Tools > 0
	}
}

func (r *Report) warn(o Options, now []catalog.Tool) {
	for _, p := range o.Problems {
		if !p.Skipped {
			r.Warnings = append(r.Warnings, p.String())
		}
	}
	r.Warnings = append(r.Warnings, o.Policy.Warnings()...)
	for _, s := range r.Servers {
		if s.Stale {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s keeps the %s that it had when it last answered", s.Name, words.Counted(s.Tools, "tool")))
		}
	}
	reached := map[string][]string{}
	for _, s := range r.Servers {
		if s.Status == Connected {
			reached[s.Name] = []string{}
		}
	}
	for _, t := range now {
		if _, ok := reached[t.Connector]; ok {
			reached[t.Connector] = append(reached[t.Connector], t.Name)
		}
	}
	r.Warnings = append(r.Warnings, o.Policy.Unmatched(reached, configured(o.Config, o.Problems))...)
	r.Warnings = append(r.Warnings, o.Policy.Unsendable(now)...)
}

// Unmatched tells which entries of a policy match nothing that is configured and known, or have no effect on it: a protection that is misspelled protects
// nothing. Of a connector without known tools nothing can be said.
func Unmatched(f *config.File, problems []config.Problem, p *policy.Policy, s *store.Store) ([]string, error) {
	if !p.Names() {
		return nil, nil
	}
	tools, err := stored(s, "")
	if err != nil {
		return nil, err
	}
	known := map[string][]string{}
	for _, t := range tools {
		known[t.Connector] = append(known[t.Connector], t.Name)
	}
	return append(p.Unmatched(known, configured(f, problems)), p.Unsendable(tools)...), nil
}

func configured(f *config.File, problems []config.Problem) []string {
	var all []string
	for _, c := range f.Connectors {
		all = append(all, c.Name)
	}
	for _, p := range problems {
		if p.Skipped && p.Connector != "" {
			all = append(all, p.Connector)
		}
	}
	return all
}

func isBroken(problems []config.Problem, name string) bool {
	return slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Skipped && p.Connector == name })
}

// Unknown is the error about a connector that there is none of.
func Unknown(f *config.File, name, path string) error {
	e := fault.New("unknown-connector", "there is no connector %s in %s", name, path)
	var names []string
	for _, c := range f.Connectors {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return e.WithHint("there are none yet: runlace init takes over those of your other programs, and runlace add adds one")
	}
	return e.WithHint("there are %s", strings.Join(names, ", "))
}

func brief(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
