package compiler

import (
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/schema"
)

// Catalog is what the compiler knows of the user's connectors. Names in Python are what a workflow writes; those on the wire are what
// it is pinned to.
type Catalog struct {
	Connectors []Connector
	Model      bool // whether a model is set up, for ctx.ai
}

// Connector is an attribute of ctx.
type Connector struct {
	Name    string        // as the user calls it
	Attr    string        // as ctx calls it
	Class   string        // its class in the text of Stub
	Stub    func() string // text of a module for pyright, complete in itself
	Methods []Method
}

// Method is a tool as a method of its connector.
type Method struct {
	Name       string   // in Python
	Tool       string   // on the wire
	Risk       string   // ReadOnly or SideEffect
	Digest     string   // of the tool's schemas and hints
	Parameters []string // in Python, required ones first

	// Forms are what a call needs, where the tool can be called in several ways: the required parameters of each.
	Forms [][]string
}

// Risks of a tool. Everything that is not ReadOnly is taken for a SideEffect.
const (
	ReadOnly   = "read_only"
	SideEffect = "side_effect"
)

// connector finds a connector by its attribute, nil if there is none.
func (c Catalog) connector(attr string) *Connector {
	for i := range c.Connectors {
		if c.Connectors[i].Attr == attr {
			return &c.Connectors[i]
		}
	}
	return nil
}

func (c *Connector) method(name string) *Method {
	for i := range c.Methods {
		if c.Methods[i].Name == name {
			return &c.Methods[i]
		}
	}
	return nil
}

func (c Catalog) attrs() []string {
	names := make([]string, len(c.Connectors))
	for i, x := range c.Connectors {
		names[i] = x.Attr
	}
	slices.Sort(names)
	return names
}

func (c *Connector) names() []string {
	names := make([]string, len(c.Methods))
	for i, m := range c.Methods {
		names[i] = m.Name
	}
	slices.Sort(names)
	return names
}

func (c Catalog) methods() map[string][]string {
	all := map[string][]string{}
	for i := range c.Connectors {
		all[c.Connectors[i].Attr] = c.Connectors[i].names()
	}
	return all
}

// owners lists the connectors that have a method.
func (c Catalog) owners(method string) (attrs []string) {
	for _, attr := range c.attrs() {
		if c.connector(attr).method(method) != nil {
			attrs = append(attrs, attr)
		}
	}
	return attrs
}

// most is how many names a hint lists.
const most = 20

// list joins names for a hint.
func list(names []string) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

// noConnector is the hint where a workflow calls a connector that is not there.
func (c Catalog) noConnector(attr, method string) string {
	names := c.attrs()
	if len(names) == 0 {
		return "no connector is set up here: ask the user to add one, or write the workflow without tools"
	}
	if near := schema.Nearest(attr, names); near != "" {
		return "write " + written(near, method) + ". " + c.here()
	}
	if owners := c.owners(method); len(owners) == 1 {
		return "write " + written(owners[0], method) + ". " + c.here()
	}
	return c.here() + "; get_skill lists their tools"
}

func (c Catalog) here() string { return "The connectors here are " + list(c.attrs()) }

// noTool is the hint where a workflow calls a tool that its connector does not have.
func (c Catalog) noTool(attr, method string) string {
	k := c.connector(attr)
	if near := schema.Nearest(method, k.names()); near != "" {
		return "write " + written(attr, near) + tools(k)
	}
	if owners := c.owners(method); len(owners) == 1 {
		return "write " + written(owners[0], method) + ", a tool of the connector " + owners[0]
	} else if len(owners) > 1 {
		return "the connectors " + strings.Join(owners, ", ") + " have a tool of that name" + tools(k)
	}
	return strings.TrimPrefix(tools(k), ". ")
}

func tools(k *Connector) string {
	if len(k.Methods) == 0 {
		return ". " + k.Attr + " has no tools"
	}
	return ". The tools of " + k.Attr + " are " + list(k.names())
}

func written(attr, method string) string {
	if method == "" {
		return "ctx." + attr
	}
	return "ctx." + attr + "." + method + "(...)"
}
