// Package content makes one JSON value of what a tool answers, and keeps the bytes of media out of it.
//
//	a := content.Unwrap(result, content.Rule{Check: check, Act: act}, blobs)
//	a.Value      // what the workflow sees, before its keys are translated
//	a.Err        // or the failure that the workflow catches as ToolError
//	a.Warnings   // what was odd, or left out; for the journal
//
//	wire, failure := content.Fill(arguments, blobs)    // handles become base64 again, on the way to another tool
//	data, failure := content.Read(request, blobs)      // or bytes, for ctx.media(handle)
//
// # The rule
//
// An answer with isError is a failure, always: its text is the message, its structured content the data. Without structured content,
// the blocks that are no text are the data. Any other answer has a value:
//
//  1. Structured content is the value, whatever JSON it is: false, 0, "" and [] too. Null is the value unless there are blocks that say
//     something else and the tool does not declare that it answers null: some servers write null for what is not there.
//  2. Without it, the content is. No block at all is null. One block of text is the JSON object or array that it holds, else the text:
//     "12" and "true" stay text. Several blocks of text are the list of what each of them is.
//  3. With any block of another kind, also of kinds that nobody knows, the value is the list of all blocks as they were sent, each with
//     its type: {"type": "text", "text": …}, {"type": "resource", …}.
//
// Nothing is unwrapped a second time: an object with the one key result, or text inside of text, is what it is. So the rule is idempotent:
// a value that is sent as structured content is the same value.
//
// # Declared output
//
// A tool with an output schema has to send structured content that fits. Where it does not:
//
//   - There is no structured content: the value is read from the text, any JSON and not only objects and lists; of several blocks, from
//     the only one that fits. A warning says so. When the text is not JSON, a read fails with the code output-mismatch, whose data is the
//     value by the rule above.
//   - The value does not fit: it is passed on as it is, and a warning says where it differs. In strict mode a read fails with
//     output-mismatch, whose data is the value.
//   - An act never fails for its answer, strict or not: it has happened, and a failure would invite to do it again. Its value is passed on
//     with a warning.
//
// # What is left out
//
// Blocks beside structured content are not part of the value. Text that says the same (the structured content as JSON, or a part of it) is
// dropped; all else has a warning that shows what it was. With content only, nothing is left out but what strict reading of one of several
// blocks leaves out, with a warning too.
//
// What a result has that MCP does not know, as a key of its own beside content, has a warning too.
//
// What a text has beside its text (annotations, _meta), and the _meta of the whole result, is for clients and no part of the value.
//
// # Media
//
// The data of image and audio blocks and the blob of an embedded resource are base64 on the wire. In a value they are a handle,
// media:sha256: and 64 hexadecimal digits, with the number of bytes beside it as size; a mimeType stays where the server put it. The
// bytes lie in [Blobs]. A handle is good only in the run that received the bytes, and Blobs has to see to that: a workflow that knows a
// handle from elsewhere (from its inputs, from a text, from another run) gets nothing for it.
//
// In arguments, a string that is a handle and nothing else is sent as base64, wherever it stands, but not as a key. A handle that the
// run did not receive makes the call fail with the code unknown-media before anything is sent: the tool would take the handle itself for
// the file. A handle inside of a longer text is text. The journal has the handles, never the bytes.
package content
