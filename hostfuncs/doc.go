// Package hostfuncs has the functions that a guest can import, in one table. They are all that connects a workflow with
// the world: a guest has no files, no sockets and no system calls.
//
// # For the embedder
//
// A [Host] answers the calls of one run. It gets a [Call] and returns an [Answer], whose failure is a value:
//
//	host := func(ctx context.Context, c hostfuncs.Call) (hostfuncs.Answer, error) {
//		if c.Connector != "clock" {
//			return hostfuncs.Answer{Err: &hostfuncs.Error{Code: "no-connector", Message: "there is only clock"}}, nil
//		}
//		return hostfuncs.Answer{Value: json.RawMessage(`"noon"`), Elapsed: time.Second}, nil
//	}
//
// The workflow sees Answer.Err as a ToolError, which it may catch. An error that the Host returns beside the answer ends
// the run, and the workflow cannot catch that. A Host that panics ends the run too, see [PanicError].
//
// # For the engine
//
// [Table] lists the functions with their types, their price in fuel and what they do. A [Session] is what they share
// during one run. They work on a guest's [Memory] and on a [Machine], and trust neither the pointers nor the lengths
// that they are given: a guest that lies gets a negative status.
//
// # Wire format
//
// Requests and answers are UTF-8 JSON objects. A member that is not listed here, or comes twice, makes the request
// malformed.
//
//	call_tool   {"connector": string, "tool": string, "arguments": object}
//	ask_model   {"system": string, "user": string, "schema": object (optional)}
//	read_media  {"handle": string}
//	answer      {"value": any}  or  {"error": {"code": string, "message": string, "data": any (optional), "tool": string (optional)}}
//
// The answer to read_media is no JSON unless it is an error: a byte that is zero, then the bytes that were asked for.
//
// The value reaches the guest without insignificant white space and otherwise digit for digit as the Host wrote it, so
// that an answer costs the same fuel however it was formatted.
package hostfuncs
