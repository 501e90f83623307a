package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"
)

// Pattern translates a regular expression of JavaScript into one of Go. They differ in few things that schemas use; what Go does not
// have (look-around, references to groups) is an error.
func Pattern(p string) (string, error) {
	if known, ok := patterns.Load(p); ok {
		return known.(string), nil
	}
	out, err := translated(p)
	if err == nil && patternCount.Add(1) < mostPatterns {
		patterns.Store(p, out)
	}
	return out, err
}

// patterns are those that were translated: a server sends the same ones for many fields.
var (
	patterns     sync.Map
	patternCount atomic.Int32
)

const mostPatterns = 10_000

func translated(p string) (string, error) {
	p = strings.ReplaceAll(p, `[^]`, `[\s\S]`)
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '\\' || i+1 >= len(p) {
			b.WriteByte(p[i])
			continue
		}
		i++
		switch c := p[i]; {
		case c == 'u' && i+4 < len(p) && isHex(p[i+1:i+5]):
			fmt.Fprintf(&b, `\x{%s}`, p[i+1:i+5])
			i += 4
		case c == 'u' && strings.HasPrefix(p[i+1:], "{") && strings.Contains(p[i:], "}"):
			end := strings.IndexByte(p[i:], '}')
			b.WriteString(`\x` + p[i+1:i+end+1])
			i += end
		case c == '/' || c == '-' || c == '"' || c == '\'' || c == '@' || c == '#' || c == '%' || c == '&' || c == ',' || c == ':' || c == ';' ||
			c == '<' || c == '=' || c == '>' || c == '!' || c == '~' || c == '`' || c == ' ' || c == '_':
			if c == '-' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case c == 'Z':
			b.WriteString(`\z`) // as Python writes it
		case c == 'c' || c >= '1' && c <= '9':
			return "", fmt.Errorf(`\%c is not supported`, c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	out := b.String()
	if _, err := regexp.Compile(out); err != nil {
		if e, ok := err.(*syntax.Error); ok {
			return "", fmt.Errorf("%s: %s", e.Code, e.Expr)
		}
		return "", err
	}
	return out, nil
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
