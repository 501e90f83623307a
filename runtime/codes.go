package runtime

// Codes of an [Error].
const (
	// Limits and stops, which a workflow cannot catch. call-limit and log-limit are in package hostfuncs.
	CodeCPULimit       = "cpu-limit"
	CodeMemoryLimit    = "memory-limit"
	CodeRecursionLimit = "recursion-limit"
	CodeInputLimit     = "input-limit"
	CodeOutputLimit    = "output-limit"
	CodeTimeout        = "timeout"
	CodeCancelled      = "cancelled"
	CodeGuestCrashed   = "guest-crashed"

	// What the guest reports.
	CodeException     = "exception"
	CodeSyntaxError   = "syntax-error"
	CodeTooComplex    = "source-too-complex"
	CodeMissingRun    = "missing-run"
	CodeOutputInvalid = "output-invalid"
	CodeImportRefused = "import-refused"
	CodeToolError     = "tool-error"
	CodeExit          = "exit"
)

// reported tells whether the guest may use a code.
func reported(code string) bool {
	switch code {
	case CodeException, CodeSyntaxError, CodeTooComplex, CodeMissingRun, CodeOutputInvalid, CodeImportRefused, CodeToolError, CodeExit,
		CodeMemoryLimit, CodeRecursionLimit:
		return true
	}
	return false
}
