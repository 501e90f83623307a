// Package stubs turns the tools of a connector into Python: type stubs for the checker, translation of keys between Python and the
// wire, and stand-ins for what a tool would answer.
//
//	c := stubs.Build("github", tools)
//	text := c.Stub()                                    // connectors/github.pyi
//	m := c.Method("create_issue")
//	wire, err := m.ArgumentsToWire(arguments)           // class_ -> class, at every depth
//	answer := m.ResultToPython(result)
//	dull := m.StandIn()                                 // valid by the output schema
//
// # One table
//
// A schema is read once (package schema) and resolved once into a graph of nodes: any, never, null, bool, int, float, str, literals, lists,
// records (objects with declared keys), maps and unions. References are resolved, allOf is merged key by key, anyOf and oneOf are unions,
// and a recursive schema is a cycle. Stub, translation and stand-in read that graph and nothing else, so that what the checker
// accepts is what is sent.
//
// Resolving never fails. What cannot be typed is object in arguments and Any in results, and a [Problem] says where and why.
// What types cannot say (bounds, patterns, conditions) stays in the schema, by which [Method.CheckArguments] validates; a problem of the code
// [RunTime] names the conditions, and is no [Problem.Loss]. What is too large to be written is cut where it is deepest, and is called Json in
// the stub; it is validated in full. [Connector.Stats] counts how much is typed.
//
// A result of a tool without output schema may be typed by what was observed ([catalog.Tool.Observed]). The stub says so. Its keys stay as they
// are on the wire, so that a workflow that was written before reads the same, and nothing is refused by it.
//
// # Names
//
// Methods, parameters and connectors are named by package catalog. Inside of objects a key that is a Python keyword gets an underscore
// (class_); where one schema has both class and class_, the latter becomes class__, and so on: adding one underscore is one to
// one whatever else an object holds. Keys that are no identifiers ("content-type") stay as they are: their type is written
// in the functional form. Classes are named by the schema's own names ($defs), else by method and key.
//
// Nothing here reads the clock or the environment: the same tools give the same text.
package stubs
