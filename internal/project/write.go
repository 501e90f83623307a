package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// Entry is a key at the top of a YAML file with its value.
type Entry struct {
	Key   string
	Value json.RawMessage
}

// Text is a YAML file of entries. Reading it gives the same values, every digit of them.
func Text(entries ...Entry) []byte {
	text := write(entries, true)
	if !same(text, entries) { // a text that the reader would not give back as it is
		text = write(entries, false)
	}
	return text
}

func write(entries []Entry, literals bool) []byte {
	w := yamlWriter{literals}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(w.text(e.Key) + ":" + w.value(parsed(e.Value), 0) + "\n")
	}
	return []byte(b.String())
}

func same(text []byte, entries []Entry) bool {
	var found []report.Finding
	n := document{"", &found}.read(text)
	if n == nil || len(found) > 0 {
		return false
	}
	for _, e := range entries {
		if v := n.get(e.Key); v == nil || !bytes.Equal(v.json(), parsed(e.Value).JSON()) {
			return false
		}
	}
	return true
}

func parsed(raw json.RawMessage) *ordered.Value {
	v, err := ordered.Parse(raw)
	if err != nil {
		return &ordered.Value{} // nothing but JSON comes here
	}
	return v
}

// SetKey puts a value in the place of a key at the top of a YAML file, or at its end, and takes the other keys of instead away. The rest of the file, with
// its comments, stays as it is. A nil value takes the key away.
func SetKey(text []byte, e Entry, instead ...string) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		lines[last] += "\n"
	}
	block := ""
	if e.Value != nil {
		block = string(Text(e))
	}
	var out []string
	placed := false
	for i := 0; i < len(lines); {
		key, ok := topKey(lines[i])
		if !ok || key != e.Key && !slices.Contains(instead, key) {
			out = append(out, lines[i])
			i++
			continue
		}
		end := i + 1
		for end < len(lines) && !isTop(lines[end]) {
			end++
		}
		for end > i+1 && blankOrComment(lines[end-1]) { // those belong to what follows
			end--
		}
		if !placed {
			out = append(out, block)
			placed = true
		}
		i = end
	}
	if !placed {
		out = append(out, block)
	}
	return []byte(strings.Join(out, ""))
}

var topLine = regexp.MustCompile(`\A"?([A-Za-z_]+)"?\s*:(\s|\z)`)

func topKey(line string) (string, bool) {
	if m := topLine.FindStringSubmatch(line); m != nil {
		return m[1], true
	}
	return "", false
}

// isTop tells whether a line begins something new at the top: a key, and not an item of a list, which may stand there as well.
func isTop(line string) bool { _, ok := topKey(line); return ok }

func blankOrComment(line string) bool {
	t := strings.TrimSpace(line)
	return t == "" || strings.HasPrefix(line, "#")
}

// yamlWriter writes values in block style. With literals, a text of several lines stands in lines of its own.
type yamlWriter struct{ literals bool }

// wide is how long a line may become by a list or a mapping that stands in it.
const wide = 100

// value writes a value behind a key or a dash: short ones on the line, others below.
func (w yamlWriter) value(v *ordered.Value, depth int) string {
	indent := "\n" + strings.Repeat("  ", depth)
	switch {
	case v.Kind == ordered.Object && len(v.Members) > 0:
		if flow, ok := w.flow(v); ok && len(flow)+2*depth < wide {
			return " " + flow
		}
		var b strings.Builder
		for _, m := range v.Members {
			b.WriteString(indent + "  " + w.text(m.Key) + ":" + w.value(m.Value, depth+1))
		}
		return b.String()
	case v.Kind == ordered.Array && len(v.Items) > 0:
		if flow, ok := w.flow(v); ok && len(flow)+2*depth < wide {
			return " " + flow
		}
		var b strings.Builder
		for _, item := range v.Items {
			text := w.value(item, depth+1)
			if strings.HasPrefix(text, "\n") { // its first key or item stands behind the dash
				text = " " + strings.TrimLeft(text, "\n ")
			}
			b.WriteString(indent + "  -" + text)
		}
		return b.String()
	case v.Kind == ordered.String:
		if block, ok := w.literal(v.Text, indent+"  "); ok {
			return block
		}
		return " " + w.text(v.Text)
	}
	return " " + string(v.JSON())
}

// flow writes a value in one line, if all in it is simple.
func (w yamlWriter) flow(v *ordered.Value) (string, bool) {
	switch v.Kind {
	case ordered.Object:
		var parts []string
		for _, m := range v.Members {
			if (m.Value.Kind == ordered.Object || m.Value.Kind == ordered.Array) && len(m.Value.Members)+len(m.Value.Items) > 0 {
				return "", false
			}
			text, ok := w.flow(m.Value)
			if !ok {
				return "", false
			}
			parts = append(parts, w.text(m.Key)+": "+text)
		}
		return "{" + strings.Join(parts, ", ") + "}", true
	case ordered.Array:
		var parts []string
		for _, item := range v.Items {
			if (item.Kind == ordered.Object || item.Kind == ordered.Array) && len(item.Members)+len(item.Items) > 0 {
				return "", false
			}
			text, ok := w.flow(item)
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		return "[" + strings.Join(parts, ", ") + "]", true
	case ordered.String:
		return w.text(v.Text), !strings.Contains(v.Text, "\n")
	}
	return string(v.JSON()), true
}

// literal writes a text of several lines as a block.
func (w yamlWriter) literal(s, indent string) (string, bool) {
	lines := strings.Split(s, "\n")
	if !w.literals || len(lines) < 3 || s[0] == ' ' || s[0] == '\n' || strings.IndexFunc(s, odd) >= 0 {
		return "", false
	}
	mark := " |-"
	if last := len(lines) - 1; lines[last] == "" {
		if mark, lines = " |", lines[:last]; lines[last-1] == "" {
			return "", false
		}
	}
	var b strings.Builder
	b.WriteString(mark)
	for _, line := range lines {
		if strings.TrimRight(line, " ") != line {
			return "", false // a space at the end is seen by nobody, and taken away by editors
		}
		if line == "" {
			b.WriteString("\n")
		} else {
			b.WriteString(indent + line)
		}
	}
	return b.String(), true
}

func odd(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

var plainText = regexp.MustCompile(`\A[A-Za-z_/][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*\z`)

// reserved are words that YAML takes for something else than text.
var reserved = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}

func (yamlWriter) text(s string) string {
	if plainText.MatchString(s) && !slices.Contains(reserved, strings.ToLower(s)) {
		return s
	}
	return string(ordered.AppendString(nil, s))
}

// Replace writes a file anew, all of it or nothing, and its folders where they are missing. changed is false where it was the same already.
func Replace(file string, text []byte) (changed bool, err error) {
	fail := func(err error) (bool, error) {
		return false, fault.New("unwritable-file", "%s cannot be written", file).WithDetail(err)
	}
	was, err := os.ReadFile(file)
	if err == nil && bytes.Equal(was, text) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { // a repository is for all who may read the folder that it is in
		return fail(err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // which is not there any more if all went well
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return fail(err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return fail(err)
	}
	return true, nil
}
