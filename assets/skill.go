package assets

import _ "embed"

//go:embed SKILL.md
var skill string

// Skill returns the text that teaches an agent to write a workflow. Its examples are compiled by the tests of package compiler.
func Skill() string { return skill }
