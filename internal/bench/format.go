package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// quantity writes a value with its unit.
func quantity(v float64, unit string) string {
	if unit != unitSeconds {
		return number(v) + " " + unit
	}
	switch {
	case v >= 1:
		return number(v) + " s"
	case v >= 1e-3:
		return number(v*1e3) + " ms"
	}
	return number(v*1e6) + " µs"
}

// number writes three digits, or all of the whole part.
func number(v float64) string {
	size := v
	if size < 0 {
		size = -size
	}
	switch {
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// ratio writes a ratio, a dash for none.
func ratio(v float64) string {
	if v == 0 {
		return "-"
	}
	return number(v)
}

// times writes how much longer, or more, something is.
func times(v float64) string { return number(v) + " times" }

// aligned writes a table: the first column and the last to the left, the others to the right.
func aligned(table [][]string) string {
	width := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				line.WriteString("  " + cell + pad)
			case i == len(row)-1:
				line.WriteString("  " + cell)
			default:
				line.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
