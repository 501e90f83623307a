package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Report is what was measured. It is bench.json.
type Report struct {
	Machine    string    `json:"machine"`
	Guest      string    `json:"guest"`
	Peers      []*peer   `json:"peers"`
	Quick      bool      `json:"quick"`
	Rows       []*Row    `json:"rows"`
	Contenders []string  `json:"contenders"` // of the CPU set
	Programs   []Program `json:"programs"`   // the CPU set
	Targets    []Target  `json:"targets"`
	Notes      []string  `json:"notes"`
}

// Row is one thing that was measured, other than CPU work.
type Row struct {
	Section string  `json:"section"`
	Name    string  `json:"name"`
	Unit    string  `json:"unit"` // seconds, if not said otherwise
	Samples int     `json:"samples"`
	Median  float64 `json:"median"`
	P99     float64 `json:"p99"`
	Min     float64 `json:"min"`
	// Times is this row's median divided by that of the row Of.
	Times float64 `json:"times,omitempty"`
	Of    string  `json:"of,omitempty"`
}

const unitSeconds = "s"

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// add adds a row.
func (r *Report) add(section, name, unit string, s samples) *Row {
	row := &Row{
		Section: section, Name: name, Unit: unit, Samples: len(s),
		Median: s.median(), P99: s.quantile(0.99), Min: s.quantile(0),
	}
	r.Rows = append(r.Rows, row)
	return row
}

// times adds a row of times.
func (r *Report) times(section, name string, s samples) *Row {
	return r.add(section, name, unitSeconds, s)
}

// against compares with another row.
func (r *Row) against(other *Row) {
	if other != nil && other.Median > 0 {
		r.Times, r.Of = r.Median/other.Median, other.Name
	}
}

// row finds a row, nil if it was not measured.
func (r *Report) row(section, name string) *Row {
	for _, row := range r.Rows {
		if row.Section == section && row.Name == name {
			return row
		}
	}
	return nil
}

// ratios returns the ratio of the contenders a and b for each program that both have run.
func (r *Report) ratios(a, b string) (ratios []float64) {
	for _, p := range r.Programs {
		if x := p.ratio(a, b); x > 0 {
			ratios = append(ratios, x)
		}
	}
	return ratios
}

func (p *Program) ratio(a, b string) float64 {
	x, y := p.Seconds[a], p.Seconds[b]
	if x <= 0 || y <= 0 {
		return 0
	}
	return x / y
}

func (r *Report) write(file string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

// text renders the report for a person.
func (r *Report) text() string {
	var b strings.Builder
	b.WriteString("Runlace benchmark")
	if r.Quick {
		b.WriteString(" (-quick: few samples)")
	}
	fmt.Fprintf(&b, "\n\nmachine   %s\nguest     %s\n", r.Machine, r.Guest)
	for _, p := range r.Peers {
		fmt.Fprintf(&b, "%-9s CPython %s (%s) %s\n", p.Name, p.Version, p.Build, p.Path)
	}
	for _, s := range sections {
		table := r.table(s.name)
		if s.name == "cpu" {
			table = r.programTable()
		}
		if len(table) > 1 {
			fmt.Fprintf(&b, "\n%s%s\n%s", strings.ToUpper(s.title[:1]), s.title[1:], aligned(table))
		}
	}
	if len(r.Targets) > 0 {
		table := [][]string{{"target", "wanted", "measured", "met", ""}}
		for _, t := range r.Targets {
			table = append(table, []string{t.What, t.Wanted, t.Measured, t.Met, t.From})
		}
		fmt.Fprintf(&b, "\nTargets\n%s", aligned(table))
	}
	if len(r.Notes) > 0 {
		b.WriteString("\nNotes\n")
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "- %s\n", n)
		}
	}
	return b.String()
}

// table is the table of one section's rows. A row with one sample is a value, not a distribution.
func (r *Report) table(section string) [][]string {
	table := [][]string{{"", "median", "p99", "min", "n", ""}}
	for _, row := range r.Rows {
		if row.Section != section {
			continue
		}
		line := []string{row.Name, quantity(row.Median, row.Unit), "", "", "", ""}
		if row.Samples > 1 {
			line[3], line[4] = quantity(row.Min, row.Unit), fmt.Sprint(row.Samples)
		}
		if row.Samples > 1 && row.Unit == unitSeconds { // of a rate the 99th percentile is a good one
			line[2] = quantity(row.P99, row.Unit)
		}
		if row.Times > 0 {
			line[5] = times(row.Times)
		}
		table = append(table, line)
	}
	return table
}

// pairs are the comparisons of the CPU set: the first contender's time divided by the second's.
var pairs = [][2]string{{metered, unmetered}, {closing, unmetered}, {metered, peerNative}, {metered, peerMachine}}

// programTable is the table of the CPU set.
func (r *Report) programTable() [][]string {
	head := []string{"", "ms:"}
	for _, c := range r.Contenders {
		head = append(head, c)
	}
	head = append(head, "ratio:")
	for _, p := range pairs {
		head = append(head, p[0]+"/"+p[1])
	}
	table := [][]string{append(head, "")}
	if len(r.Programs) == 0 {
		return table
	}
	blank := len(r.Contenders) + 1
	for _, p := range r.Programs {
		line := []string{p.Name, ""}
		for _, c := range r.Contenders {
			line = append(line, number(p.Seconds[c]*1000))
		}
		line = append(line, "")
		for _, pair := range pairs {
			line = append(line, ratio(p.ratio(pair[0], pair[1])))
		}
		table = append(table, append(line, ""))
	}
	for _, m := range []struct {
		name string
		of   func([]float64) float64
	}{{"geometric mean", geomean}, {"worst", worst}} {
		line := append([]string{m.name}, make([]string, blank+1)...)
		for _, pair := range pairs {
			line = append(line, ratio(m.of(r.ratios(pair[0], pair[1]))))
		}
		table = append(table, append(line, ""))
	}
	return table
}

func worst(values []float64) (w float64) {
	for _, v := range values {
		w = max(w, v)
	}
	return w
}
