// Package schema reads JSON Schemas as servers send them, and validates values by them.
//
//	v, err := schema.Compile(tool.InputSchema)
//	for _, e := range v.Validate(arguments) {
//		fmt.Println(e)      // recipients.1.email: has to be a string, and is a number
//	}
//
// # Reading
//
// [Read] brings a schema of any draft into one form, that of 2020-12: `definitions`, tuples as arrays of `items`, `dependencies`, boolean
// exclusive bounds, OpenAPI's `nullable`, references by pointer, anchor and identifier. It is lenient where the meaning
// is plain (`required: null`) and records a [Note] for everything that it could not use. It never fails on a schema that
// is JSON, and it never fetches anything: a reference that leads out of the document is a note. The type stubs and
// the validator are both made from a [Document], so that they cannot read a schema differently.
//
// # Validating
//
// Validation is strict: "5" is no integer, formats that have one meaning are asserted, and all errors are reported at once, in order, with
// the keys as they are in the JSON. Numbers keep every digit. Patterns are those of Go's regexp; one with look-ahead
// is a note, and is not checked.
package schema
