package stubs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Stats counts what is typed.
type Stats struct {
	Parameters        int            `json:"parameters"`
	ParametersUntyped int            `json:"parameters_untyped"` // object or Any as a whole
	ParametersPartly  int            `json:"parameters_partly"`  // somewhere inside
	Results           int            `json:"results"`            // of tools that have an output schema
	ResultsUntyped    int            `json:"results_untyped"`
	ResultsPartly     int            `json:"results_partly"`
	ResultsObserved   int            `json:"results_observed,omitempty"` // typed by what was seen, of tools without output schema
	NoOutputSchema    int            `json:"no_output_schema"`
	Reasons           map[string]int `json:"reasons"` // of what is untyped, by code
}

// Stats counts what of the connector is typed.
func (c *Connector) Stats() Stats {
	s := Stats{Reasons: map[string]int{}}
	count := func(nodes []*node, untyped, partly *int) {
		for _, n := range nodes {
			if whole := untypedIn(n.flat()); whole != "" {
				*untyped++
				s.Reasons[whole]++
				return
			}
		}
		if inside := untypedBelow(nodes); inside != "" {
			*partly++
			s.Reasons[inside]++
		}
	}
	for _, m := range c.methods {
		for _, p := range m.parameters {
			s.Parameters++
			count(p.nodes, &s.ParametersUntyped, &s.ParametersPartly)
		}
		if m.result == nil || m.observed {
			s.NoOutputSchema++
			if m.observed {
				s.ResultsObserved++
			}
			continue
		}
		s.Results++
		count([]*node{m.result}, &s.ResultsUntyped, &s.ResultsPartly)
	}
	return s
}

func untypedIn(nodes []*node) string {
	for _, n := range nodes {
		if n.cut || n.kind == kAny && n.reason != open {
			return n.reason
		}
	}
	return ""
}

func untypedBelow(nodes []*node) string {
	seen := map[*node]bool{}
	var walk func([]*node) string
	walk = func(list []*node) string {
		if r := untypedIn(list); r != "" {
			return r
		}
		for _, n := range list {
			if seen[n] {
				continue
			}
			seen[n] = true
			if r := walk(n.children()); r != "" {
				return r
			}
		}
		return ""
	}
	return walk(nodes)
}

// Typed is the share of parameters and declared results that are typed through and through, from 0 to 1.
func (s Stats) Typed() float64 {
	all := s.Parameters + s.Results
	if all == 0 {
		return 1
	}
	return 1 - float64(s.ParametersUntyped+s.ParametersPartly+s.ResultsUntyped+s.ResultsPartly)/float64(all)
}

func (s Stats) String() string {
	var reasons []string
	for _, code := range slices.Sorted(maps.Keys(s.Reasons)) {
		reasons = append(reasons, fmt.Sprintf("%s %d", code, s.Reasons[code]))
	}
	return fmt.Sprintf("typed %.1f %%; parameters %d: untyped %d, partly %d; results %d: untyped %d, partly %d; without output schema %d; reasons: %s",
		100*s.Typed(), s.Parameters, s.ParametersUntyped, s.ParametersPartly, s.Results, s.ResultsUntyped, s.ResultsPartly, s.NoOutputSchema, strings.Join(reasons, ", "))
}
