package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// CommandLines are the lines with a command of runlace in the code blocks of a page, each from "runlace" on.
func CommandLines(page string) (lines []string) {
	for _, block := range blocks(page) {
		for _, line := range strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n") {
			if m := commandLine.FindStringSubmatch(line); m != nil {
				lines = append(lines, m[1])
			}
		}
	}
	return lines
}

// commandLine finds a command: at the start of a line, after a prompt, a variable, a pipe, or a key of YAML that holds a command.
var commandLine = regexp.MustCompile(`^\s*(?:(?:- )?(?:run|entry): |- |\$ |CMD |.*[|;&] )?(?:[A-Z_]+=\S+ )*((?:bin/|\./)?runlace(?: .*)?)$`)

var fence = regexp.MustCompile("(?ms)^ *(```+)[^`\n]*\n(.*?)^ *(```+)$")

// blocks are the code blocks of a page: those in fences, and the paragraphs that are indented.
func blocks(page string) (list []string) {
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		list = append(list, m[2])
	}
	for _, line := range strings.Split(fence.ReplaceAllString(page, ""), "\n") {
		if strings.HasPrefix(line, "    ") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// Parses reports what is wrong with a command line: a command or a flag that does not exist, or arguments that it does not take. Words in
// capitals, as NAME or DIR..., stand for arguments, and a line of help as "runlace diff A B [flags]" is one that parses.
func Parses(root *cobra.Command, line string) error {
	words, err := split(line)
	if err != nil {
		return err
	}
	c, rest, err := root.Find(words[1:])
	if err != nil {
		return err
	}
	if c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return fmt.Errorf("there is no command %s", rest[0])
	}
	if slices.ContainsFunc(rest, func(w string) bool {
		return strings.HasPrefix(w, "[") || strings.HasSuffix(w, "...") || strings.Contains(w, "|")
	}) {
		return nil // a synopsis, as a command's own help has it
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if err := c.ValidateArgs(c.Flags().Args()); err != nil {
		return err
	}
	return nil
}

// split takes a line apart as a shell does: quotes, and what follows a #, a pipe, a redirection or a semicolon is not a part of it.
func split(line string) (words []string, err error) {
	var word strings.Builder
	in, quote := false, rune(0)
	end := func() {
		if in {
			words = append(words, word.String())
		}
		word.Reset()
		in = false
	}
	for _, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\t':
			end()
		case !in && strings.ContainsRune("#|<>;&", r), r == ';':
			end()
			return words, nil
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote stays open")
	}
	end()
	return words, nil
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
)

// BrokenLinks are the links of a page that lead to no file, or to no heading of one. Links out of the repository are not followed.
func BrokenLinks(path string) (broken []string, err error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(page), ""), -1) {
		target := m[1]
		if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}
		file, anchor, _ := strings.Cut(target, "#")
		to, text := path, page
		if file != "" {
			to = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			if info, err := os.Stat(to); err != nil {
				broken = append(broken, target)
				continue
			} else if info.IsDir() {
				continue
			}
			if text, err = os.ReadFile(to); err != nil {
				return nil, err
			}
		}
		if anchor != "" && !slices.Contains(anchors(string(text)), anchor) {
			broken = append(broken, target)
		}
	}
	return broken, nil
}

var notInAnchors = regexp.MustCompile(`[^\pL\pN _-]`)

// anchors are the names that headings have as targets of links.
func anchors(page string) (names []string) {
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		names = append(names, strings.ReplaceAll(strings.ToLower(notInAnchors.ReplaceAllString(m[1], "")), " ", "-"))
	}
	return names
}
