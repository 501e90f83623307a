package engine

import (
	"encoding/json"
	"fmt"

	"github.com/runlace/runlace/compiler"
	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/store"
)

// Catalogue is what is known of all connectors and their tools, by their Python names.
type Catalogue struct {
	Connectors []*Connector // by name
	byAttr     map[string]*Connector
	byName     map[string]*Connector

	forCompiler compiler.Catalog // made once: it keeps the texts of the stubs
}

// Connector is a connector with its tools.
type Connector struct {
	store.Connector
	Attr  string // of ctx
	Tools []catalog.Tool
	Stale bool
	Stubs *stubs.Connector
	tools map[string]*catalog.Tool
}

// Attr finds a connector by its attribute of ctx.
func (c *Catalogue) Attr(attr string) *Connector { return c.byAttr[attr] }

// Find finds a connector by its name, or by its attribute of ctx.
func (c *Catalogue) Find(name string) *Connector {
	if f := c.byName[name]; f != nil {
		return f
	}
	return c.byAttr[name]
}

// Tool finds a tool by its exact name.
func (c *Connector) Tool(name string) *catalog.Tool { return c.tools[name] }

// Catalogue returns what discovery has stored. It is read again when that has changed.
func (e *Engine) Catalogue() (*Catalogue, error) {
	connectors, err := e.store.Connectors()
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(connectors)
	if err != nil {
		return nil, err
	}
	e.catalogueMu.Lock()
	defer e.catalogueMu.Unlock()
	if e.catalogue != nil && e.catalogueKey == string(key) {
		return e.catalogue, nil
	}
	c, err := e.loadCatalogue(connectors)
	if err == nil {
		e.catalogue, e.catalogueKey = c, string(key)
	}
	return c, err
}

func (e *Engine) loadCatalogue(connectors []store.Connector) (*Catalogue, error) {
	c := &Catalogue{byAttr: map[string]*Connector{}, byName: map[string]*Connector{}}
	all := map[string][]catalog.Tool{}
	for _, s := range connectors {
		stored, err := e.store.Tools(s.Name)
		if err != nil {
			return nil, err
		}
		x := &Connector{Connector: s, tools: map[string]*catalog.Tool{}}
		for _, t := range stored {
			tool, err := toolOf(t)
			if err != nil {
				return nil, err
			}
			x.Tools = append(x.Tools, tool)
			x.Stale = x.Stale || t.Stale
		}
		for i := range x.Tools {
			x.tools[x.Tools[i].Name] = &x.Tools[i]
		}
		all[s.Name] = x.Tools
		c.Connectors = append(c.Connectors, x)
		c.byName[x.Name] = x
	}
	built := stubs.BuildAll(all)
	c.forCompiler = compiler.FromStubs(built, false)
	for _, s := range built {
		x := c.byName[s.Name]
		x.Stubs, x.Attr = s, s.Attr
		c.byAttr[x.Attr] = x
	}
	return c, nil
}

func toolOf(t store.Tool) (catalog.Tool, error) {
	out := catalog.Tool{
		Connector: t.Connector, Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Observed: t.Observed, Risk: catalog.Risk(t.Risk), Digest: t.Digest,
	}
	if len(t.Annotations) > 0 {
		if err := json.Unmarshal(t.Annotations, &out.Annotations); err != nil {
			return out, fmt.Errorf("engine: annotations of %s.%s: %w", t.Connector, t.Name, err)
		}
	}
	return out, nil
}
