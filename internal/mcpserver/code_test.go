package mcpserver_test

import "github.com/runlace/runlace/internal/fault"

// code is the code of an error, "" of none.
func code(err error) string {
	if err == nil {
		return ""
	}
	return fault.Of(err).Code
}
