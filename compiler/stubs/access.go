package stubs

// Class is the name of the connector's class in its stub.
func (c *Connector) Class() string { return c.class }

// Parameters lists the method's parameters as Python calls them, required ones first.
func (x *Method) Parameters() []string {
	var required, optional []string
	for _, p := range x.parameters {
		if p.required {
			required = append(required, p.python)
		} else {
			optional = append(optional, p.python)
		}
	}
	return append(required, optional...)
}
