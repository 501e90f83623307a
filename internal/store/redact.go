package store

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Redactor takes secrets out of what is about to be stored, and says whether there were any. It is called by many goroutines at once.
type Redactor interface {
	JSON(value json.RawMessage) (json.RawMessage, bool) // the result is JSON as well
	Text(text string) (string, bool)
}

type noSecrets struct{}

func (noSecrets) JSON(v json.RawMessage) (json.RawMessage, bool) { return v, false }
func (noSecrets) Text(t string) (string, bool)                   { return t, false }

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// MinSecret is the length from which a value can be told from ordinary text: a shorter one, as true or 8080, would take more out than itself.
const MinSecret = 6

// Secrets is the Redactor that knows values. The zero value knows none; more can be added at any time.
type Secrets struct {
	mu     sync.RWMutex
	values []string // longest first, so that one that contains another goes whole
	text   *strings.Replacer
}

// Add adds values, of which those shorter than MinSecret are not looked for.
func (s *Secrets) Add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		if len(v) >= MinSecret && !slices.Contains(s.values, v) {
			s.values = append(s.values, v)
		}
	}
	slices.SortFunc(s.values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	pairs := make([]string, 0, 2*len(s.values))
	for _, v := range s.values {
		pairs = append(pairs, v, Redacted)
	}
	s.text = strings.NewReplacer(pairs...)
}

// Text implements Redactor.
func (s *Secrets) Text(text string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.replace(text)
}

func (s *Secrets) replace(text string) (string, bool) {
	for _, v := range s.values {
		if strings.Contains(text, v) {
			return s.text.Replace(text), true
		}
	}
	return text, false
}

// JSON implements Redactor. It finds a value in strings and keys however it is escaped there, and as a number; all else stays as it is.
func (s *Secrets) JSON(value json.RawMessage) (json.RawMessage, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.suspects(value) {
		return value, false
	}
	var out []byte
	copied := 0 // value up to here is in out
	put := func(from, to int, text string) {
		quoted, err := marshal(text)
		if err != nil {
			quoted = []byte(`"` + Redacted + `"`)
		}
		out = append(append(out, value[copied:from]...), quoted...)
		copied = to
	}
	for i := 0; i < len(value); {
		switch c := value[i]; {
		case c == '"':
			end := stringEnd(value, i)
			var text string
			if json.Unmarshal(value[i:end], &text) == nil {
				if clean, changed := s.replace(text); changed {
					put(i, end, clean)
				}
			}
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(value) && strings.IndexByte("+-.eE0123456789", value[end]) >= 0 {
				end++
			}
			if slices.Contains(s.values, string(value[i:end])) {
				put(i, end, Redacted)
			}
			i = end
		default:
			i++
		}
	}
	if copied == 0 {
		return value, false
	}
	return append(out, value[copied:]...), true
}

// suspects is false only where no secret can be in value: it looks at plain text, and takes every escape for a suspect.
func (s *Secrets) suspects(value []byte) bool {
	if len(s.values) == 0 {
		return false
	}
	if bytes.IndexByte(value, '\\') >= 0 {
		return true
	}
	for _, v := range s.values {
		if bytes.Contains(value, []byte(v)) {
			return true
		}
	}
	return false
}

// stringEnd returns where the string that begins at i ends.
func stringEnd(value []byte, i int) int {
	for i++; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(value)
}

// clean makes a value ready to be stored. What is not JSON in UTF-8 is stored as a string, so that it is not lost, and reported.
func (s *Store) clean(value json.RawMessage, redacted *bool) (json.RawMessage, error) {
	if value == nil {
		return nil, nil
	}
	var err error
	if !json.Valid(value) || !utf8.Valid(value) {
		err = ErrNotJSON
		quoted, marshalErr := marshal(string(value))
		if marshalErr != nil {
			return nil, marshalErr
		}
		value = quoted
	}
	value, changed := s.redactor.JSON(value)
	*redacted = *redacted || changed
	return value, err
}

func (s *Store) cleanText(text string, redacted *bool) string {
	text, changed := s.redactor.Text(text)
	*redacted = *redacted || changed
	return text
}
