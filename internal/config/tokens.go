package config

import (
	"regexp"
	"slices"
	"strings"
)

// secrecy is what a name says about its value.
type secrecy int

const (
	notSecret   secrecy = iota
	maybeSecret         // a secret if it could be one
	isSecret
)

var (
	camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	other = regexp.MustCompile(`[^A-Z0-9]+`)
	// innocent are words that have KEY or TOKEN in them and do not mean it.
	innocent = regexp.MustCompile(`KEYBOARD|KEYWORDS?|KEYRING|KEYCLOAK|KEYSTONE|KEYFRAMES?|KEYSPACE|KEYSTORE|KEYCHAIN|KEYNOTE|KEYBASE|MONKEY|DONKEY|TURKEY|HOCKEY|JOCKEY|TOKENIZERS?|TOKENIZE|TOKENIZATION|SECRETARY|PUBLIC_?KEY`)
	strong   = regexp.MustCompile(`TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|COOKIE|BEARER|AUTHORIZATION`)
	// exact are words that mean a secret only where they stand alone between underscores.
	exact = regexp.MustCompile(`_(PASS|PWD|PAT|JWT|PW)_`)
	weak  = regexp.MustCompile(`_(AUTH|SESSION|SESSIONID|SIGNATURE|SIG|WEBHOOK|DSN|CODE|LICENSE|SALT|SEED|NONCE|CERT|PRIVATE)_`)
	// about are last words of names that tell something about a secret.
	about = regexp.MustCompile(`_(URL|URI|ENDPOINT|HOST|PORT|NAME|TYPE|PREFIX|HEADER|LENGTH|LIMIT|LIMITS|COUNT|TTL|EXPIRY|EXPIRATION|FORMAT|ENABLED|DISABLED|MODE|REGION|LABEL|COLUMN|VERSION|ALGORITHM|PROVIDER|BACKEND|TIMEOUT|BUDGET|SIZE|SCOPE|SCOPES|AUDIENCE|ISSUER)_$`)
	files = regexp.MustCompile(`_(FILE|PATH|DIR|DIRECTORY|FOLDER|FILENAME)_$`)
)

// nameKind says what a name tells about its value. The name may be written in any way: API_KEY, apiKey, X-Api-Key.
func nameKind(name string) secrecy {
	n := "_" + strings.Trim(other.ReplaceAllString(strings.ToUpper(camel.ReplaceAllString(name, "${1}_${2}")), "_"), "_") + "_"
	n = innocent.ReplaceAllString(n, "")
	if about.MatchString(n) {
		return notSecret
	}
	if files.MatchString(n) { // the path of a file with a secret; but not every tool that says so means it
		if strong.MatchString(n) {
			return maybeSecret
		}
		return notSecret
	}
	switch {
	case strong.MatchString(n), exact.MatchString(n):
		return isSecret
	case weak.MatchString(n):
		return maybeSecret
	}
	return notSecret
}

var (
	settingWord = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|none|null|auto|default|enabled|disabled|required|optional)$`)
	smallNumber = regexp.MustCompile(`^-?[0-9]{1,6}(\.[0-9]+)?$`)
	localPath   = regexp.MustCompile(`^(~[/\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|\\\\|/[^/]+/)`)
	passwordish = regexp.MustCompile(`(?i)pass|pwd|secret|pin`)
)

// harmless reports whether a value cannot be the secret that its name promises: a switch, a small number, a path.
func harmless(name, value string) bool {
	v := strings.TrimSpace(value)
	switch {
	case v == "":
		return true
	case localPath.MatchString(v) && !strings.ContainsAny(v, " \t\n") && len(findTokens(v)) == 0 && !randomPath(v):
		return true
	case passwordish.MatchString(name):
		return false
	}
	return settingWord.MatchString(v) || smallNumber.MatchString(v)
}

// randomPath reports whether what looks like a path is base64 that begins with a slash.
func randomPath(v string) bool {
	return v[0] == '/' && !strings.Contains(v, ".") && random(v) && !strings.ContainsAny(v, "-_")
}

// couldBeSecret is for values whose name says little.
func couldBeSecret(v string) bool {
	return len(v) >= 12 && !strings.ContainsAny(v, " \t\n") && strings.ContainsAny(v, "0123456789") &&
		strings.IndexFunc(v, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }) >= 0 && !localPath.MatchString(v) && !strings.Contains(v, "://")
}

// LooksSecret reports whether there is a token in a text, by its form alone.
func LooksSecret(s string) bool { return len(findTokens(s)) > 0 }

type found struct {
	start, end int
	reason     string
}

// shapes are the forms of well-known tokens, as their issuers document them for secret scanners. A word boundary stands before each.
var shapes = regexp.MustCompile(`(?:^|[^A-Za-z0-9_])(` + strings.Join([]string{
	`gh[opusr]_[A-Za-z0-9]{30,}`, `github_pat_[A-Za-z0-9_]{30,}`, // GitHub
	`gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{18,}`, // GitLab
	`sk-[A-Za-z0-9_-]{16,}`,                                                    // OpenAI, Anthropic, OpenRouter and others
	`(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}`, `whsec_[A-Za-z0-9+/=]{16,}`, // Stripe
	`xox[a-z]-[A-Za-z0-9-]{10,}`, `xapp-[A-Za-z0-9-]{10,}`, `xoxe\.[A-Za-z0-9.-]{10,}`, // Slack
	`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`,                                            // AWS
	`AIza[A-Za-z0-9_-]{35}`, `ya29\.[A-Za-z0-9_-]{20,}`, `GOCSPX-[A-Za-z0-9_-]{20,}`, // Google
	`eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,4}`,                         // JSON Web Token
	`npm_[A-Za-z0-9]{30,}`, `pypi-[A-Za-z0-9_-]{30,}`, `hf_[A-Za-z0-9]{20,}`, // registries
	`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, `key-[0-9a-f]{32}`, `SK[0-9a-f]{32}`, // SendGrid, Mailgun, Twilio
	`do[opr]_v1_[0-9a-f]{40,}`, `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`, `lin_api_[A-Za-z0-9]+`, // DigitalOcean, Shopify, Linear
	`(?:ntn|secret)_[A-Za-z0-9]{30,}`, `figd_[A-Za-z0-9_-]{20,}`, `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, // Notion, Figma, Airtable
	`tvly-[A-Za-z0-9_-]{16,}`, `gsk_[A-Za-z0-9]{20,}`, `pplx-[A-Za-z0-9]{20,}`, `xai-[A-Za-z0-9]{20,}`, `nvapi-[A-Za-z0-9_-]{20,}`,
	`r8_[A-Za-z0-9]{20,}`, `fc-[0-9a-f]{32}`, `BSA[A-Za-z0-9_-]{24,}`, `ctx7sk-[A-Za-z0-9-]{16,}`, `apify_api_[A-Za-z0-9]{20,}`,
	`ATATT3[A-Za-z0-9_=-]{20,}`, `ATCTT3[A-Za-z0-9_=-]{20,}`, // Atlassian
	`sntry[su]_[A-Za-z0-9+/=_-]{20,}`, `glsa_[A-Za-z0-9_]{20,}`, `glc_[A-Za-z0-9+/=]{20,}`, `dapi[0-9a-f]{32}`, // Sentry, Grafana, Databricks
	`hv[sbr]\.[A-Za-z0-9_-]{20,}`, `ph[cx]_[A-Za-z0-9]{20,}`, `sbp_[0-9a-f]{40}`, `sb_secret_[A-Za-z0-9_-]{16,}`, // Vault, PostHog, Supabase
	`tskey-[A-Za-z0-9-]{16,}`, `[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}`, `AGE-SECRET-KEY-1[A-Z0-9]{40,}`, `pscale_[a-z]+_[A-Za-z0-9_.-]{20,}`, // Tailscale, Telegram, age
}, "|") + `)`)

var (
	privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----.*`)
	bearer     = regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})`)
	longRun    = regexp.MustCompile(`[A-Za-z0-9+/_-]{24,}={0,2}`)
	shortRun   = regexp.MustCompile(`[A-Za-z0-9]{20,}`)
	uuid       = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// findTokens returns the stretches of a text that have the form of a secret, in order.
func findTokens(s string) []found {
	if len(s) < 16 {
		return nil
	}
	if m := privateKey.FindStringIndex(s); m != nil {
		return append(findTokens(s[:m[0]]), found{m[0], m[1], "it is a private key"})
	}
	var all []found
	add := func(start, end int, reason string) {
		for _, f := range all {
			if start < f.end && f.start < end {
				return
			}
		}
		all = append(all, found{start, end, reason})
	}
	for _, m := range shapes.FindAllStringSubmatchIndex(s, -1) {
		add(m[2], m[3], "it has the form of a well-known token")
	}
	for _, m := range bearer.FindAllStringSubmatchIndex(s, -1) {
		add(m[2], m[3], "it stands after Bearer")
	}
	if !localPath.MatchString(s) {
		for _, r := range []*regexp.Regexp{longRun, shortRun} {
			for _, m := range r.FindAllStringIndex(s, -1) {
				if random(s[m[0]:m[1]]) && !pinned(s[:m[0]]) {
					add(m[0], m[1], "it is long and random")
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.start - b.start })
	return all
}

// pinned reports whether what follows is the hash of a version, as in image@sha256:... and git+https://host/repo@...
func pinned(before string) bool {
	for _, p := range []string{"@", "sha1:", "sha256:", "sha384:", "sha512:", "sha256-", "sha384-", "sha512-"} {
		if strings.HasSuffix(before, p) {
			return true
		}
	}
	return false
}

// random tells a key from a name by how often the kind of character changes. In random base62 half of all neighbours are of another kind
// (lower, upper, digit), in hex too; in a name hardly any are, but for the capital that begins a word, which is not counted.
func random(s string) bool {
	s = strings.TrimRight(s, "=")
	if len(s) < 20 || uuid.MatchString(s) {
		return false
	}
	const (
		none = iota
		lower
		upper
		digit
	)
	var count [4]int
	distinct := map[byte]bool{}
	changes, n, run, last := 0, 0, 0, none
	for i := range len(s) {
		kind := none
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			kind = lower
		case c >= 'A' && c <= 'Z':
			kind = upper
		case c >= '0' && c <= '9':
			kind = digit
		}
		if kind == none {
			last, run = none, 0
			continue
		}
		count[kind]++
		n++
		distinct[s[i]] = true
		if kind == last {
			run++
			continue
		}
		if last != none && !(last == upper && kind == lower && run == 1) {
			changes++
		}
		last, run = kind, 1
	}
	if n < 20 || len(distinct) < 8 || count[digit] < 2 {
		return false
	}
	share := float64(changes) / float64(n-1)
	if count[lower] > 0 && count[upper] > 0 {
		return share >= 0.30
	}
	return share >= 0.22 && count[digit] >= 4 && n >= 24
}
