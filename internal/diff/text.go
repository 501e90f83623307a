package diff

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/runlace/runlace/internal/words"
)

// unified is the difference of the code in the format of patches.
func unified(before, now Side) string {
	text := diff.Diff(before.Label, []byte(before.Code), now.Label, []byte(now.Code))
	_, text, _ = bytes.Cut(text, []byte("\n")) // a line that repeats the two after it
	return string(text)
}

// Sentence is the verdict in words.
func (r *Report) Sentence() string {
	switch {
	case r.Same:
		return "nothing is different"
	case r.Verdict == Breaks:
		return "callers break"
	case r.Verdict == Unknown:
		return "it cannot be told whether callers break"
	}
	return "callers do not break"
}

type section struct {
	title string
	lines []string
}

// sections are the parts of the report before the code: why callers break first, then the contract.
func (r *Report) sections() (list []section) {
	add := func(title string, lines []string) {
		if len(lines) > 0 {
			list = append(list, section{title, lines})
		}
	}
	var breaks, unknown []string
	for _, x := range r.Reasons {
		line := x.Message
		if len(x.Example) > 0 {
			what := "refused now"
			if x.Part == "outputs" {
				what = "possible now"
			}
			line += "; " + what + ", as an example: " + code(string(x.Example), 200)
		}
		if x.Verdict == Breaks {
			breaks = append(breaks, line)
		} else {
			unknown = append(unknown, line)
		}
	}
	add("Callers break", breaks)
	add("Cannot tell", unknown)
	for _, part := range []struct {
		title   string
		changes []Change
	}{{"Inputs", r.Inputs}, {"Outputs", r.Outputs}, {"Tools", r.Tools}, {"Limits", r.Limits}} {
		var lines []string
		for _, c := range part.changes {
			lines = append(lines, c.Message)
		}
		add(part.title, lines)
	}
	if a, b := r.Before.Description, r.Now.Description; a != b && a != "" && b != "" {
		add("Description", []string{"was " + a, "is now " + b})
	}
	return list
}

// Text writes the report for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s -> %s: %s\n", oneLine(r.Before.Label), oneLine(r.Now.Label), r.Sentence())
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n%s:\n", s.title)
		for _, line := range s.lines {
			fmt.Fprintf(&b, "  %s\n", oneLine(line))
		}
	}
	if r.Code != "" {
		fmt.Fprintf(&b, "\nCode:\n%s", r.Code)
	}
	return b.String()
}

// MostMarkdown is how many characters a comment may have. The places where they are posted take a little more.
const MostMarkdown = 60_000

// mostSection is the part of it that one section may have.
const mostSection = 8_000

// Markdown writes the report for a comment on a pull request: what matters is open, the rest can be folded out. What comes from the
// workflows is text in it, whatever it looks like.
func (r *Report) Markdown() string {
	var b strings.Builder
	name := r.Now.Name
	if name == "" {
		name = r.Now.Label
	}
	fmt.Fprintf(&b, "### Workflow %s: %s\n\n%s → %s\n", span(words.Cut(name, 200)), r.Sentence(), span(words.Cut(r.Before.Label, 300)), span(words.Cut(r.Now.Label, 300)))
	for _, s := range r.sections() {
		open := s.title == "Callers break" || s.title == "Cannot tell"
		if open {
			fmt.Fprintf(&b, "\n**%s**\n\n", s.title)
		} else {
			fmt.Fprintf(&b, "\n<details><summary>%s: %s</summary>\n\n", s.title, words.Counted(len(s.lines), "change"))
		}
		size := 0
		for n, line := range s.lines {
			line = "- " + escape(words.Cut(line, 2000)) + "\n"
			if size += utf8.RuneCountInString(line); size > mostSection {
				fmt.Fprintf(&b, "- … and %d more\n", len(s.lines)-n)
				break
			}
			b.WriteString(line)
		}
		if !open {
			b.WriteString("\n</details>\n")
		}
	}
	if r.Code == "" {
		return b.String()
	}
	const frame = 400 // what is written around the code
	code, left := whole(r.Code, MostMarkdown-utf8.RuneCountInString(b.String())-frame)
	fence := fenceFor(code)
	fmt.Fprintf(&b, "\n<details><summary>Code: %s</summary>\n\n%sdiff\n%s%s\n", r.counted(), fence, code, fence)
	if left > 0 {
		fmt.Fprintf(&b, "\n… and %s more, which `runlace diff` shows.\n", words.Counted(left, "line"))
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// counted says how many lines of the code came and went.
func (r *Report) counted() string {
	added, removed := 0, 0
	for i, line := range strings.Split(r.Code, "\n") {
		switch {
		case i < 2: // the labels
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return fmt.Sprintf("+%d −%d lines", added, removed)
}

// whole is the beginning of a text with whole lines, and the number of lines that are left.
func whole(text string, most int) (string, int) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	size, end := 0, 0
	for line := range strings.Lines(text) {
		if size += utf8.RuneCountInString(line); size > most {
			return text[:end], strings.Count(text[end:], "\n")
		}
		end += len(line)
	}
	return text, 0
}

// fenceFor is a fence that no line of a text closes.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// span is a text as code in Markdown.
func span(text string) string {
	text = oneLine(text)
	ticks := "`"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	if len(ticks) > 1 {
		return ticks + " " + text + " " + ticks
	}
	return ticks + text + ticks
}

// escape makes a line text in Markdown, where what stands between backticks stays code. It names nobody, whatever @ it has.
func escape(line string) string {
	parts := strings.Split(oneLine(line), "`")
	if len(parts)%2 == 0 { // one backtick is a text's own
		return plain(strings.Join(parts, "'"))
	}
	for i, part := range parts {
		if i%2 == 0 {
			parts[i] = plain(part)
			if part == "" && i > 0 && i < len(parts)-1 {
				parts[i] = " " // else two spans would become one
			}
		} else {
			parts[i] = span(part)
		}
	}
	return strings.Join(parts, "")
}

func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\*_{}[]<>#|~!&$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if r == '@' {
			b.WriteRune('\u200b')
		}
	}
	return b.String()
}

// code is a value in a message, between backticks; it has none of its own.
func code(text string, most int) string {
	return "`" + words.Cut(strings.ReplaceAll(text, "`", "'"), most) + "`"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
