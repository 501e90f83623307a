package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/term"
)

// output is where a command prints to. It keeps the rules of the command line.
type output struct {
	stdout, stderr io.Writer
	json           bool
}

// line prints a line of the answer.
func (o *output) line(format string, args ...any) error {
	_, err := fmt.Fprintf(o.stdout, format+"\n", args...)
	return writeError(err)
}

// object prints v as the one JSON object.
func (o *output) object(v any) error {
	e := json.NewEncoder(o.stdout)
	e.SetEscapeHTML(false)
	return writeError(e.Encode(v))
}

// last prints v as the one JSON object, and ends the process with a code.
func (o *output) last(v any, exit int) error {
	if err := o.object(v); err != nil {
		return err
	}
	return exitWith(exit)
}

// note prints a line about the answer.
func (o *output) note(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), "\r\n")
	// A message that holds a workflow's or a server's text cannot pass for a line of ours: what follows its first line is indented.
	text = strings.NewReplacer("\r\n", "\n    ", "\n", "\n    ", "\r", "\n    ").Replace(text)
	_, _ = fmt.Fprintln(o.stderr, term.Text(o.stderr, text))
}

// text prints text from a workflow, and ends its last line.
func (o *output) text(s string) {
	if s == "" {
		return
	}
	_, _ = io.WriteString(o.stderr, term.Text(o.stderr, s))
	if s[len(s)-1] != '\n' {
		_, _ = io.WriteString(o.stderr, "\n")
	}
}

// fail prints err and returns the exit code.
func (o *output) fail(err error) int {
	if code, ok := isExit(err); ok {
		return code
	}
	e := fault.Of(err)
	if o.json && e.Code != "unwritable-output" {
		_ = o.object(struct {
			Status string       `json:"status"`
			Output any          `json:"output"` // as in a report of exec
			Error  *fault.Error `json:"error"`
		}{Status: "failed", Error: e})
		return e.Exit
	}
	if e.Code == "internal" {
		o.note("runlace: unexpected error, which is a bug: %s", e.Message)
	} else {
		o.note("runlace: %s", e.Message)
	}
	if e.Detail != "" {
		o.note("  %s", e.Detail)
	}
	if e.Hint != "" {
		o.note("hint: %s", e.Hint)
	}
	return e.Exit
}

// oneLine makes one line of a foreign text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// brief cuts a text for a table.
func brief(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

func writeError(err error) error {
	if err == nil {
		return nil
	}
	return fault.New("unwritable-output", "standard output cannot be written").WithDetail(err)
}
