// Package cmdline writes command lines for Windows, where a program gets one text and not a list of arguments.
//
//	if cmdline.IsBatch(path) {
//		line, err := cmdline.Batch(comspec, path, args)
//		cmd.Path, cmd.SysProcAttr.CmdLine = comspec, line
//	}
//
// For a program that is an .exe, package os/exec writes the line right. A batch file (npx.cmd and its kin) is not run by Windows itself
// but by cmd.exe, which reads the line in its own way: it splits at &, | and others, and it puts in the values of %NAME%. An
// argument with those would be cut, changed, or run as a command.
//
// The package is pure text, so that it is tested on every system.
package cmdline

import (
	"errors"
	"strings"
)

// IsBatch reports whether Windows gives the file at path to cmd.exe.
func IsBatch(path string) bool {
	path = strings.ToLower(strings.TrimRight(path, ". ")) // which Windows does not see
	return strings.HasSuffix(path, ".cmd") || strings.HasSuffix(path, ".bat")
}

// Errors of [Batch]. A text for which cmd.exe has no way of writing is refused, and never sent in another form.
var (
	ErrLineBreak = errors.New("an argument for a .cmd or .bat file has a line break or a NUL character in it, which cmd.exe cannot pass on")
	ErrScript    = errors.New("the path of a .cmd or .bat file has a quote, a percent sign or a line break in it, or ends with a backslash")
	ErrTooLong   = errors.New("the command line has more than 8191 characters, which is the most that cmd.exe takes")
)

// Batch returns the command line that makes comspec (cmd.exe) run a batch file with these arguments, each as it is:
//
//	"C:\Windows\System32\cmd.exe" /e:ON /v:OFF /d /s /c ""C:\Work Dir\npx.cmd" -y "A & B" "100%%cd:~,%""
//
// /e:ON makes the substring below possible, /v:OFF keeps !NAME! as it is, /d keeps the machine's AutoRun from being run first, and /s
// makes cmd.exe take the outermost quotes off and nothing else. An argument is quoted when it has anything in it but letters, digits
// and a few signs that mean nothing to cmd.exe. A quote in it is doubled, which both cmd.exe and the program understand. A percent sign
// becomes %%cd:~,%: cmd.exe replaces what begins at the second sign, the empty part of the variable cd, with nothing, and has no name
// left to replace.
func Batch(comspec, script string, args []string) (string, error) {
	if script == "" || strings.ContainsAny(script, "\"%\r\n\x00") || strings.HasSuffix(script, `\`) {
		return "", ErrScript
	}
	var b strings.Builder
	b.WriteString(`"` + comspec + `" /e:ON /v:OFF /d /s /c "`)
	b.WriteString(`"` + script + `"`)
	for _, a := range args {
		if strings.ContainsAny(a, "\r\n\x00") {
			return "", ErrLineBreak
		}
		b.WriteByte(' ')
		argument(&b, a)
	}
	b.WriteByte('"')
	if b.Len() > 8191 {
		return "", ErrTooLong
	}
	return b.String(), nil
}

// bare are the signs that need no quotes.
const bare = `#$*+-./:?@\_`

func argument(b *strings.Builder, a string) {
	quote := a == "" || strings.HasSuffix(a, `\`) // in a batch file, "%~1" would make \" of the end
	for _, r := range a {
		switch {
		case r >= 0x80 && r <= 0x9f, r < 0x80 && !letterOrDigit(r) && !strings.ContainsRune(bare, r):
			quote = true
		}
	}
	if quote {
		b.WriteByte('"')
	}
	backslashes := 0 // right before this character: they count double before a quote, and only there
	for _, r := range a {
		switch r {
		case '\\':
			backslashes++
			b.WriteByte('\\')
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, backslashes))
			b.WriteString(`""`)
		case '%':
			b.WriteString(`%%cd:~,%`)
		default:
			b.WriteRune(r)
		}
		backslashes = 0
	}
	if quote {
		b.WriteString(strings.Repeat(`\`, backslashes))
		b.WriteByte('"')
	}
}

func letterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
