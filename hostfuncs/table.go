package hostfuncs

import "fmt"

// Module is the name of the module that guests import the functions from.
const Module = "host"

// Func is one function that a guest can import. All parameters and results are 32-bit integers.
type Func struct {
	Name   string
	Params []string // their names
	Result string   // its name, empty for none
	// Base is the price of a call in fuel, PerByte the price of each byte that it takes in or hands out. A host function
	// is not metered as the guest's own code is, so that it has to charge for its work.
	Base, PerByte int64
	Doc           string // one line

	call func(f *Func, s *Session, m Memory, args []uint32) (int32, error)
}

// Table returns the functions.
func Table() []Func {
	answer := "length of the answer, or a negative status"
	return []Func{
		{
			Name: "call_tool", Params: []string{"request", "length"}, Result: answer, Base: 20_000, PerByte: 20,
			Doc:  "calls a tool of a connector; the answer waits for read_answer",
			call: callTool,
		},
		{
			Name: "ask_model", Params: []string{"request", "length"}, Result: answer, Base: 20_000, PerByte: 20,
			Doc:  "asks the model; the answer waits for read_answer",
			call: askModel,
		},
		{
			Name: "read_media", Params: []string{"request", "length"}, Result: answer, Base: 20_000, PerByte: 2,
			Doc:  "asks for the bytes behind a handle; the answer waits for read_answer",
			call: readMedia,
		},
		{
			Name: "read_answer", Params: []string{"buffer", "capacity"}, Result: "bytes written, or a negative status", Base: 1_000, PerByte: 1,
			Doc:  "copies the waiting answer into the guest's memory, and forgets it",
			call: readAnswer,
		},
		{
			Name: "write_log", Params: []string{"stream", "text", "length"}, Base: 2_000, PerByte: 4,
			Doc:  "adds text of stream 1 (standard output) or 2 (standard error) to the run's log",
			call: writeLog,
		},
		{
			Name: "out_of_fuel",
			Doc:  "grants more fuel, or ends the run; only the code that the fuel pass adds calls it",
			call: outOfFuel,
		},
	}
}

// Status is what a function returns instead of a length when it has done nothing.
type Status = int32

// The statuses.
const (
	StatusBadPointer Status = -1 // pointer and length are not inside the guest's memory
	StatusTooLarge   Status = -2 // the request is larger than the limit; the guest raises ToolError, code CodeArgumentsTooLarge
	StatusNoAnswer   Status = -3 // no answer is waiting, or it does not fit the buffer (and goes on waiting)
	StatusMalformed  Status = -4 // the request is not the JSON that the function takes
)

// Codes of the errors that a workflow sees as ToolError without any Host having answered.
const (
	CodeNoConnector       = "no-connector"        // the run has no Host
	CodeArgumentsTooLarge = "arguments-too-large" // the request is over Caps.ArgumentBytes (raised by the guest, see StatusTooLarge)
	CodeResultTooLarge    = "result-too-large"    // the answer is over Caps.ResultBytes
	CodeResultInvalid     = "result-invalid"      // the Host's answer is not JSON
)

// Codes of a [Stop].
const (
	CodeCallLimit = "call-limit" // more calls than Caps.Calls
	CodeLogLimit  = "log-limit"  // more log than Caps.LogBytes
)

// Call runs the function for the guest whose memory is m. An error ends the run: a [*Stop] where a limit was hit, else
// whatever the Host or the Machine returned.
func (f *Func) Call(s *Session, m Memory, args []uint32) (int32, error) {
	if len(args) != len(f.Params) {
		return 0, fmt.Errorf("hostfuncs: %s takes %d parameters, not %d", f.Name, len(f.Params), len(args))
	}
	return f.call(f, s, m, args)
}

func callTool(f *Func, s *Session, m Memory, a []uint32) (int32, error) {
	return s.ask(f, m, a[0], a[1], decodeCallTool)
}

func askModel(f *Func, s *Session, m Memory, a []uint32) (int32, error) {
	return s.ask(f, m, a[0], a[1], decodeAskModel)
}

func readMedia(f *Func, s *Session, m Memory, a []uint32) (int32, error) {
	return s.ask(f, m, a[0], a[1], decodeReadMedia)
}

func readAnswer(f *Func, s *Session, m Memory, a []uint32) (int32, error) {
	if s.pending == nil || uint64(len(s.pending)) > uint64(a[1]) {
		return StatusNoAnswer, s.Machine.Charge(f.Base)
	}
	if err := s.Machine.Charge(f.Base + f.PerByte*int64(len(s.pending))); err != nil {
		return 0, err
	}
	if !m.Write(a[0], s.pending) {
		return StatusBadPointer, nil
	}
	n := int32(len(s.pending))
	s.pending = nil
	return n, nil
}

func writeLog(f *Func, s *Session, m Memory, a []uint32) (int32, error) {
	if err := s.Machine.Charge(f.Base); err != nil {
		return 0, err
	}
	text, ok := m.Read(a[1], a[2])
	if !ok || a[0] != 1 && a[0] != 2 {
		return 0, nil
	}
	if err := s.Machine.Charge(f.PerByte * int64(len(text))); err != nil {
		return 0, err
	}
	return 0, s.Log(text)
}

func outOfFuel(_ *Func, s *Session, _ Memory, _ []uint32) (int32, error) {
	return 0, s.Machine.OutOfFuel()
}
