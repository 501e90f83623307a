package compiler

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/internal/fault"
)

// block is a fenced part of a Markdown text.
type block struct {
	info, text string
	line       int
}

func blocks(text string) (all []block) {
	var open *block
	for i, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "```"); ok {
			if open == nil {
				open = &block{info: rest, line: i + 1}
			} else {
				all = append(all, *open)
				open = nil
			}
			continue
		}
		if open != nil {
			open.text += line + "\n"
		}
	}
	return all
}

// TestSkillExamples compiles every example of the skill: those that are whole with the schemas that follow, a fragment in a run of
// its own.
func TestSkillExamples(t *testing.T) {
	c := newCompiler()
	all := blocks(assets.Skill())
	compile := func(b block, s Source) {
		t.Helper()
		_, problems, err := c.Compile(context.Background(), s, fixture(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("example at line %d: %s\n    %s", b.line, p, p.Hint)
		}
	}
	examples := 0
	for i, b := range all {
		s := Source{Name: "example", Code: b.text}
		switch b.info {
		case "python":
			for _, next := range all[i+1 : min(len(all), i+3)] {
				switch next.info {
				case "json inputs_schema":
					s.Inputs = json.RawMessage(next.text)
				case "json outputs_schema":
					s.Outputs = json.RawMessage(next.text)
				}
			}
			if s.Inputs == nil || s.Outputs == nil {
				t.Errorf("the example at line %d has no schemas", b.line)
			}
			compile(b, s)
			examples++
		case "python fragment":
			s.Code = "from runlace_types import Ctx\n"
			for name, line := range map[string]string{"json": "import json", "Any": "from typing import Any", "ToolError": "from runlace_types import ToolError"} {
				if regexp.MustCompile(`\b` + name + `\b`).MatchString(b.text) {
					s.Code += line + "\n"
				}
			}
			s.Code += "\n\ndef run(ctx: Ctx) -> None:\n    " + strings.ReplaceAll(strings.TrimSpace(b.text), "\n", "\n    ") + "\n"
			compile(b, s)
		case "json inputs_schema", "json outputs_schema":
			if !json.Valid([]byte(b.text)) {
				t.Errorf("line %d is not JSON", b.line)
			}
		default:
			t.Errorf("line %d: a block of %q is not checked", b.line, b.info)
		}
	}
	if examples < 3 {
		t.Errorf("%d examples", examples)
	}
}

func TestSkillFacts(t *testing.T) {
	text := assets.Skill()
	if n := strings.Count(text, "\n"); n >= 400 {
		t.Errorf("%d lines", n)
	}
	_, table, _ := strings.Cut(text, "| code |")
	codes := 0
	for _, row := range strings.Split(table, "\n") {
		first, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(first, -1) {
			codes++
			if _, ok := fault.Lookup(m[1]); !ok {
				t.Errorf("%s is not a code", m[1])
			}
		}
	}
	if codes < 25 {
		t.Errorf("%d codes", codes)
	}
	// What it says may be imported is what the guest has, as the lint lists it.
	_, problems, err := newCompiler().Compile(context.Background(), Source{Name: "x", Code: "import nothing_of_the_kind"}, Catalog{})
	if err != nil || len(problems) != 2 {
		t.Fatal(problems, err)
	}
	i := slices.IndexFunc(problems, func(p Problem) bool { return p.Code == "import-not-allowed" })
	_, allowed, _ := strings.Cut(problems[i].Hint, "Allowed are ")
	want := slices.DeleteFunc(strings.Split(allowed, ", "), func(m string) bool { return m == "__future__" || m == "runlace_types" })
	_, rest, _ := strings.Cut(text, "You may import:")
	listed, _, _ := strings.Cut(strings.TrimLeft(rest, "\n`"), "`")
	got := strings.Fields(listed)
	if !slices.Equal(got, want) {
		t.Errorf("listed %v\nthe guest has %v", got, want)
	}
}
