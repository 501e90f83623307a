// Package words puts numbers and texts into messages for people.
//
//	words.Counted(2, "step")      // 2 steps
//	words.Cut(text, 80)           // at most 80 characters of it, and … if there were more
package words

import "fmt"

// Counted is a number of things: 1 step, 2 steps. The noun is one that takes an s.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Cut keeps the first characters of a text, at most so many, and says by … that there were more.
func Cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
