package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Kind is what is being named.
type Kind int

// The kinds.
const (
	Connector Kind = iota // an attribute of ctx
	Method                // a method of a connector
	Parameter             // a keyword argument of a method
)

// The keywords of the guest's Python, 3.13, whichever Python the machine has. The soft ones are names in most places, but a reader and a
// highlighter take them for keywords, and the first implementation reserved them.
var keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except finally for from global
	if import in is lambda nonlocal not or pass raise return try while with yield case match type`)

// IsKeyword reports whether a word is a keyword of the guest's Python, soft ones included (but for _, which is a name in every use).
func IsKeyword(word string) bool { return slices.Contains(keywords, word) }

// taken are names of ctx that connectors cannot have.
var taken = []string{"ai", "inputs", "media"}

// IsIdentifier reports whether a text is a Python identifier that can be seen, and that Python leaves as it is: it normalises those of other
// scripts.
func IsIdentifier(s string) bool {
	for i, r := range s {
		if !isPart(r) || i == 0 && !isStart(r) {
			return false
		}
	}
	return s != "" && norm.NFKC.IsNormalString(s)
}

func isStart(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)) && !unicode.Is(unicode.Pattern_Syntax, r)
}

// isHidden reports whether a character may stand in a name, and would not be seen there: selectors of emoji, fillers.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func isPart(r rune) bool {
	if isHidden(r) {
		return false
	}
	return isStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd) || r == '\u203f'
}

// spelled are characters that tell names apart (StartTime, StartTime<, StartTime>; +1, -1) and have a word.
var spelled = strings.NewReplacer("<", "_lt_", ">", "_gt_", "+", "_plus_")

// Identifier makes a Python name of a name on the wire, without looking at others. What is no letter, digit or underscore becomes an
// underscore; a digit in front gets an n before it; a keyword gets an underscore behind it.
func Identifier(kind Kind, wire string) string {
	if kind == Parameter && IsIdentifier(wire) && !strings.HasPrefix(wire, "__") {
		if IsKeyword(wire) {
			return wire + "_"
		}
		return wire
	}
	text := norm.NFKC.String(spelled.Replace(norm.NFKC.String(wire)))
	var b strings.Builder
	gap := false
	for _, r := range text {
		if isHidden(r) {
			continue
		}
		if !isPart(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteRune(r)
	}
	name := strings.Trim(b.String(), "_")
	if strings.ContainsAny(wire, "<>+") {
		for strings.Contains(name, "__") {
			name = strings.ReplaceAll(name, "__", "_")
		}
	}
	switch {
	case name == "":
		return map[Kind]string{Connector: "connector", Method: "tool", Parameter: "parameter"}[kind] + "_" + suffix(wire, 6)
	case !isStart([]rune(name)[0]): // a digit, or a mark without its letter
		name = norm.NFKC.String("n" + name)
	}
	if IsKeyword(name) || kind == Connector && slices.Contains(taken, name) {
		name += "_"
	}
	return name
}

func suffix(wire string, n int) string {
	sum := sha256.Sum256([]byte(wire))
	return hex.EncodeToString(sum[:])[:n]
}

// Names maps names on the wire to names in Python, one to one.
type Names struct {
	python, wire map[string]string
	collided     []string
}

// NewNames names everything of one kind in one place. The result depends only on the set of names. A name that is spelled the same on
// both sides keeps it; of others that would be the same, each gets a suffix made from its name on the wire, so that none of them
// silently becomes another when one goes.
func NewNames(kind Kind, wires []string) *Names {
	n := &Names{python: map[string]string{}, wire: map[string]string{}}
	sorted := slices.Clone(wires)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	groups := map[string][]string{}
	for _, w := range sorted {
		base := Identifier(kind, w)
		if base == w {
			n.set(w, base)
		} else {
			groups[base] = append(groups[base], w)
		}
	}
	for _, w := range sorted {
		if n.python[w] != "" {
			continue
		}
		base := Identifier(kind, w)
		if len(groups[base]) == 1 && n.wire[base] == "" {
			n.set(w, base)
			continue
		}
		n.collided = append(n.collided, w)
		name := ""
		for length := 4; name == "" || n.wire[name] != "" || groups[name] != nil; length++ {
			name = strings.TrimSuffix(base, "_") + "_" + suffix(w, min(length, 64))
			if length > 64 { // a collision of SHA-256, or a name that was made to look like one
				name = fmt.Sprintf("%s_%d", name, length)
			}
		}
		n.set(w, name)
	}
	return n
}

func (n *Names) set(wire, python string) {
	if other, twice := n.wire[python]; twice { // calls would go to another tool: never go on
		panic(fmt.Sprintf("catalog: %q and %q are both called %s", other, wire, python))
	}
	n.python[wire], n.wire[python] = python, wire
}

// Python returns what a name on the wire is called in Python; "" if it is not among the names.
func (n *Names) Python(wire string) string { return n.python[wire] }

// Wire returns what a name in Python is on the wire; "" if there is none.
func (n *Names) Wire(python string) (string, bool) {
	w, ok := n.wire[python]
	return w, ok
}

// Collided lists the names on the wire that got a suffix, in order.
func (n *Names) Collided() []string { return n.collided }

// Resolve finds a name by either spelling, the one on the wire first.
func (n *Names) Resolve(name string) (wire string, ok bool) {
	if _, ok := n.python[name]; ok {
		return name, true
	}
	return n.Wire(name)
}
