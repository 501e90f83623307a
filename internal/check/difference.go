package check

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"

	"github.com/runlace/runlace/internal/check/report"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// mostDifferences is how many places of two values are looked for.
const mostDifferences = 100

// equal tells whether two values are the same JSON: the order of keys, and how a number is spelled, do not count. What is no JSON is no value.
func equal(a, b json.RawMessage) bool { return string(canonical(a)) == string(canonical(b)) }

// canonical is the one text of a value; nil of what is missing.
func canonical(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	v, err := ordered.Parse(raw)
	if err != nil {
		return raw
	}
	return v.Canonical()
}

// differences lists where two values differ, by path.
func differences(expected, got json.RawMessage) []report.Difference {
	e, err := ordered.Parse(expected)
	if err != nil {
		return nil
	}
	g, err := ordered.Parse(got)
	if err != nil {
		return nil
	}
	d := &differ{}
	d.compare("$", e, g)
	return d.found
}

type differ struct{ found []report.Difference }

func (d *differ) compare(path string, e, g *ordered.Value) {
	if len(d.found) >= mostDifferences {
		return
	}
	switch {
	case e == nil:
		d.found = append(d.found, report.Difference{Path: path, Got: g.JSON()})
	case g == nil:
		d.found = append(d.found, report.Difference{Path: path, Expected: e.JSON()})
	case e.Kind == ordered.Object && g.Kind == ordered.Object:
		for _, m := range e.Members {
			d.compare(path+key(m.Key), m.Value, g.Get(m.Key))
		}
		for _, m := range g.Members {
			if !e.Has(m.Key) {
				d.compare(path+key(m.Key), nil, m.Value)
			}
		}
	case e.Kind == ordered.Array && g.Kind == ordered.Array:
		d.list(path, e.Items, g.Items)
	case !e.Equal(g):
		d.found = append(d.found, report.Difference{Path: path, Expected: e.JSON(), Got: g.JSON()})
	}
}

// list compares two lists. What is the same at both ends is left out, so that one item more does not make all after it differ.
func (d *differ) list(path string, e, g []*ordered.Value) {
	end := 0
	for end < min(len(e), len(g)) && e[len(e)-1-end].Equal(g[len(g)-1-end]) {
		end++
	}
	if len(e) == len(g) { // then places mean more than ends
		end = 0
	}
	at := func(list []*ordered.Value, i int) *ordered.Value {
		if i < len(list)-end {
			return list[i]
		}
		return nil
	}
	for i := range max(len(e), len(g)) - end {
		x, y := at(e, i), at(g, i)
		if x != nil || y != nil {
			d.compare(path+"["+strconv.Itoa(i)+"]", x, y)
		}
	}
}

var plainKey = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]*\z`)

// key is a step of a path: .name, or ["any text"].
func key(name string) string {
	if plainKey.MatchString(name) {
		return "." + name
	}
	return "[" + string(ordered.AppendString(nil, name)) + "]"
}

// turned is a value with the keys of all its objects in the opposite order.
func turned(raw json.RawMessage) json.RawMessage {
	v, err := ordered.Parse(raw)
	if err != nil {
		return raw
	}
	return turn(v).JSON()
}

func turn(v *ordered.Value) *ordered.Value {
	switch v.Kind {
	case ordered.Array:
		items := make([]*ordered.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = turn(item)
		}
		return ordered.NewArray(items...)
	case ordered.Object:
		out := ordered.NewObject()
		for _, m := range slices.Backward(v.Members) {
			out.Set(m.Key, turn(m.Value))
		}
		return out
	}
	return v
}

// turns tells whether a value has an object with keys to turn around.
func turns(raw json.RawMessage) bool { return string(turned(raw)) != string(plain(raw)) }

// plain is a value without white space.
func plain(raw json.RawMessage) json.RawMessage {
	v, err := ordered.Parse(raw)
	if err != nil {
		return raw
	}
	return v.JSON()
}
