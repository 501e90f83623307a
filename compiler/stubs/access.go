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

// Forms lists what a call needs, as Python calls it, for each of the ways in which the method can be called; nil if there is only one.
func (x *Method) Forms() [][]string {
	if len(x.signatures) < 2 {
		return nil
	}
	forms := make([][]string, len(x.signatures))
	for i, s := range x.signatures {
		for _, p := range s.parameters {
			if p.required {
				forms[i] = append(forms[i], p.python)
			}
		}
	}
	return forms
}
