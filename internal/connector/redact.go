package connector

import (
	"encoding/json"
	"net/url"
	"sort"
	"strings"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// Secrets shorter than this are not searched for: they would hit ordinary text, and protect nothing.
const shortestSecret = 4

// Redactor replaces secrets in texts. The zero value and nil replace nothing.
type Redactor struct{ r *strings.Replacer }

// NewRedactor makes a Redactor for these values, for the forms that they take in JSON and in URLs, and for the single lines of
// values that have several.
func NewRedactor(secrets []string) *Redactor {
	forms := map[string]bool{}
	add := func(s string) {
		if len(s) < shortestSecret {
			return
		}
		forms[s] = true
		forms[url.QueryEscape(s)] = true
		forms[url.PathEscape(s)] = true
		if b, err := json.Marshal(s); err == nil {
			forms[string(b[1:len(b)-1])] = true
		}
	}
	for _, s := range secrets {
		add(s)
		if t := strings.TrimSpace(s); t != s {
			add(t)
		}
		if strings.Contains(s, "\n") {
			for line := range strings.Lines(s) {
				if line = strings.TrimSpace(line); len(line) >= 2*shortestSecret {
					add(line)
				}
			}
		}
		// "Bearer x" and "Basic x" are sent as a whole and printed in parts.
		if _, rest, ok := strings.Cut(s, " "); ok && !strings.Contains(s, "\n") {
			for _, scheme := range []string{"Bearer ", "Basic ", "Token ", "token ", "bearer "} {
				if strings.HasPrefix(s, scheme) {
					add(rest)
				}
			}
		}
	}
	if len(forms) == 0 {
		return nil
	}
	var all []string
	for f := range forms {
		all = append(all, f)
	}
	// The longest first: a secret may be a part of another.
	sort.Slice(all, func(i, j int) bool {
		if len(all[i]) != len(all[j]) {
			return len(all[i]) > len(all[j])
		}
		return all[i] < all[j]
	})
	var pairs []string
	for _, f := range all {
		pairs = append(pairs, f, Redacted)
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// String returns s without secrets.
func (r *Redactor) String(s string) string {
	if r == nil || r.r == nil {
		return s
	}
	return r.r.Replace(s)
}

// JSON returns v without secrets in its texts and keys.
func (r *Redactor) JSON(v json.RawMessage) json.RawMessage {
	if r == nil || r.r == nil || len(v) == 0 {
		return v
	}
	out := r.r.Replace(string(v))
	if out == string(v) {
		return v
	}
	if !json.Valid([]byte(out)) { // a secret that is a number
		out = `"` + Redacted + `"`
	}
	return json.RawMessage(out)
}
