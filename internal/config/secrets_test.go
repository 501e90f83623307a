package config

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func stdio(args ...string) Connector {
	return Connector{Name: "my-server", Transport: Stdio, Command: "npx", Args: args}
}

func withEnv(pairs ...string) Connector {
	c := stdio()
	c.Env = map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		c.Env[pairs[i]] = pairs[i+1]
	}
	return c
}

func remote(url string, headers ...string) Connector {
	c := Connector{Name: "my-server", Transport: HTTP, URL: url, Headers: map[string]string{}}
	for i := 0; i < len(headers); i += 2 {
		c.Headers[headers[i]] = headers[i+1]
	}
	return c
}

// Tokens of the right form and of nobody, put together so that no scanner takes this file for a leak.
var (
	github = "gh" + "p_" + strings.Repeat("aB3x", 9)
	openai = "s" + "k-proj-" + strings.Repeat("Zq81", 8)
	slack  = "xo" + "xb-123456789012-abcdefGHIJKL"
	hex32  = "9f86d081884c7d65" + "9a2feaa0c55ad015"
	base62 = "q7Rk2ZpW9xTn4Lb8" + "VcY1sDf6Gh3J"
)

// Each secret goes, nothing of what is around it does, and every value that goes can be put back by resolving.
func TestLiftSecrets(t *testing.T) {
	const v = "${RUNLACE_MY_SERVER_"
	for name, c := range map[string]struct {
		in   Connector
		want string // how the texts of the connector look, in order, without npx
		n    int    // exports
	}{
		"env by name":         {withEnv("GITHUB_TOKEN", "x", "NODE_ENV", "production"), v + "GITHUB_TOKEN} production", 1},
		"env names":           {withEnv("API_KEY", "abc", "apiKey", "abd", "DB_PASSWORD", "12345", "client-secret", "s", "MY_PAT", "t"), "", 5},
		"env by form":         {withEnv("ACCOUNT", github), v + "ACCOUNT}", 1},
		"env random":          {withEnv("ACCOUNT", base62), v + "ACCOUNT}", 1},
		"env hex":             {withEnv("ACCOUNT", hex32), v + "ACCOUNT}", 1},
		"env reference":       {withEnv("GITHUB_TOKEN", "${GITHUB_TOKEN}"), "${GITHUB_TOKEN}", 0},
		"env env reference":   {withEnv("GITHUB_TOKEN", "${env:GITHUB_TOKEN}"), "${env:GITHUB_TOKEN}", 0},
		"default":             {withEnv("GITHUB_TOKEN", "${GITHUB_TOKEN:-x1}"), "${GITHUB_TOKEN}", 1},
		"default by form":     {withEnv("X", "${Y:-"+github+"}"), "${Y}", 1},
		"default no secret":   {withEnv("MODE", "${MODE:-fast}"), "${MODE:-fast}", 0},
		"token and reference": {withEnv("X", github+"${Y}"), v + "X}${Y}", 1},
		"switches":            {withEnv("MAX_TOKENS", "4096", "USE_API_KEY", "true", "TOKEN_LIMIT", "many", "KEY_FILE", "/etc/keys/a.pem", "GOOGLE_APPLICATION_CREDENTIALS", "/home/u/key.json", "EMPTY_KEY", ""), "", 0},
		"windows path":        {withEnv("CREDENTIALS", `C:\Users\Ada\key.json`), `C:\Users\Ada\key.json`, 0},
		"harmless names":      {withEnv("KEYBOARD", "us", "KEYWORDS", "a,b", "API_KEY_HEADER", "X-Api-Key", "TOKEN_URL", "https://auth.example/token", "PUBLIC_KEY", "abc"), "", 0},
		"same value twice":    {withEnv("A_TOKEN", "abc-def", "B_TOKEN", "abc-def"), v + "A_TOKEN} " + v + "A_TOKEN}", 1},
		"private key":         {withEnv("PEM", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"), v + "PEM}", 1},
		"json":                {withEnv("HEADERS_JSON", `{"Authorization": "Bearer hunter2", "Version": "2022-06-28"}`), `{"Authorization": "Bearer ` + v + `AUTHORIZATION}", "Version": "2022-06-28"}`, 1},
		"json in a secret":    {withEnv("SECRET_JSON", `{"a": "b"}`), v + "SECRET_JSON}", 1},
		"connection string":   {withEnv("DB", "Server=h;User Id=u;Password=hunter2;Port=1"), "Server=h;User Id=u;Password=" + v + "PASSWORD};Port=1", 1},
		"database url":        {withEnv("DATABASE_URL", "postgres://ada:hunter2@db.example:5432/x?sslmode=require"), "postgres://ada:" + v + "DATABASE_URL_PASSWORD}@db.example:5432/x?sslmode=require", 1},
		"slash in password":   {withEnv("DB", "postgres://ada:hun/ter2@db.example/x"), "postgres://ada:" + v + "DB_PASSWORD}@db.example/x", 1},
		"url by reference":    {withEnv("DB", "postgres://ada:${PW}@db/x"), "postgres://ada:${PW}@db/x", 0},

		"bearer":             {remote("https://x", "Authorization", "Bearer hunter2"), "https://x Bearer " + v + "AUTHORIZATION}", 1},
		"basic":              {remote("https://x", "authorization", "Basic aHVudGVyMg=="), "https://x Basic " + v + "AUTHORIZATION}", 1},
		"no scheme":          {remote("https://x", "Authorization", "hunter2"), "https://x " + v + "AUTHORIZATION}", 1},
		"bearer reference":   {remote("https://x", "Authorization", "Bearer ${T}"), "https://x Bearer ${T}", 0},
		"headers":            {remote("https://x", "X-Api-Key", "a1", "X-Version", "2", "Cookie", "s=1; t=2", "X-Tenant", "acme"), "", 2},
		"header as a whole":  {remote("https://x", "X-Api-Key", "prefix-"+github), "https://x " + v + "X_API_KEY}", 1},
		"query":              {remote("https://x/mcp?api_key=hunter2&mode=a&token=t1#top"), "https://x/mcp?api_key=" + v + "API_KEY}&mode=a&token=" + v + "TOKEN}#top", 2},
		"query by form":      {remote("https://x/mcp?q=" + github), "https://x/mcp?q=" + v + "Q}", 1},
		"azure code":         {remote("https://x/api?code=" + base62), "https://x/api?code=" + v + "CODE}", 1},
		"short code":         {remote("https://x/api?code=en"), "https://x/api?code=en", 0},
		"path":               {remote("https://x/s/" + base62 + "/mcp"), "https://x/s/" + v + "URL_PATH}/mcp", 1},
		"userinfo":           {remote("https://ada:hunter2@x/mcp"), "https://ada:" + v + "URL_PASSWORD}@x/mcp", 1},
		"token as user":      {remote("https://" + github + "@x/mcp"), "https://" + v + "URL_USER}@x/mcp", 1},
		"url without secret": {remote("https://mcp.context7.com/mcp?client=claude&v=20250618"), "https://mcp.context7.com/mcp?client=claude&v=20250618", 0},

		"option":              {stdio("-y", "server", "--api-key", "hunter2", "--verbose"), "-y server --api-key " + v + "API_KEY} --verbose", 1},
		"option with equals":  {stdio("server", "--api-key=hunter2"), "server --api-key=" + v + "API_KEY}", 1},
		"camel option":        {stdio("server", "--accessToken", "hunter2"), "server --accessToken " + v + "ACCESSTOKEN}", 1},
		"option by reference": {stdio("server", "--api-key", "${K}"), "server --api-key ${K}", 0},
		"two options":         {stdio("server", "--no-api-key", "--token", "t"), "server --no-api-key --token " + v + "TOKEN}", 1},
		"file option":         {stdio("server", "--key-file", "/etc/k.pem", "--token-limit", "10"), "server --key-file /etc/k.pem --token-limit 10", 0},
		"docker":              {stdio("run", "-e", "GITHUB_TOKEN=hunter2", "-e", "GITHUB_TOKEN", "-e", "MODE=a", "img"), "run -e GITHUB_TOKEN=" + v + "GITHUB_TOKEN} -e GITHUB_TOKEN -e MODE=a img", 1},
		"docker reference":    {stdio("run", "-e", "GITHUB_TOKEN=${T}", "img"), "run -e GITHUB_TOKEN=${T} img", 0},
		"mcp-remote":          {stdio("mcp-remote", "https://x/sse", "--header", "Authorization: Bearer hunter2"), "mcp-remote https://x/sse --header Authorization: Bearer " + v + "AUTHORIZATION}", 1},
		"mcp-remote tight":    {stdio("mcp-remote", "https://x/sse", "--header", "Authorization:Bearer ${T}"), "mcp-remote https://x/sse --header Authorization:Bearer ${T}", 0},
		"positional url":      {stdio("server-postgres", "postgresql://ada:hunter2@localhost/db"), "server-postgres postgresql://ada:" + v + "PASSWORD}@localhost/db", 1},
		"positional token":    {stdio("server", slack), "server " + v + "SECRET}", 1},
		"shell":               {stdio("-c", "API_KEY=hunter2 npx x --token 'hunter 3' --mode a"), "-c API_KEY=" + v + "API_KEY} npx x --token '" + v + "TOKEN}' --mode a", 2},
		"json argument":       {stdio("--config", `{"apiKey":"hunter2","n":1}`), `--config {"apiKey":"` + v + `APIKEY}","n":1}`, 1},
		"base64":              {stdio("server", base62+"=="), "server " + v + "SECRET}", 1},
		"ordinary": {stdio("-y", "@modelcontextprotocol/server-filesystem@2025.8.21", "/Users/ada/Documents/My Projects 2024", `C:\Work Dir\A & B`, "git+https://github.com/x/y@"+hex32,
			"mcp/image@sha256:"+hex32+hex32, "123e4567-e89b-12d3-a456-426614174000", "--max-tokens", "4096", "MyVeryLongServerName2024ForTheWholeCompany"), "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			out, exports := LiftSecrets(c.in, "")
			if len(exports) != c.n {
				t.Errorf("%d exports: %+v", len(exports), exports)
			}
			var texts []string
			values := map[string]string{}
			out.each(func(key, value string) (string, error) {
				if key != "command" {
					texts = append(texts, value)
				}
				return value, nil
			})
			got := strings.Join(texts, " ")
			if c.want != "" && got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			for _, e := range exports {
				values[e.Var] = e.Value()
				if e.Value() == "" || len(e.Value()) > 3 && strings.Contains(got, e.Value()) {
					t.Errorf("%s is still there", e.Var)
				}
				j, _ := json.Marshal(e)
				for _, s := range []string{e.Instruction(), fmt.Sprintf("%v %+v %#v", e, e, e), string(j)} {
					if len(e.Value()) > 3 && strings.Contains(s, e.Value()) {
						t.Errorf("the value is printed: %s", s)
					}
				}
			}
			// A second time finds nothing.
			if found := out.LiteralSecrets(); len(found) > 0 {
				t.Errorf("again: %+v in %s", found, got)
			}
			if name == "default" || name == "default by form" {
				return
			}
			back, _ := out.each(func(_, value string) (string, error) {
				for k, v := range values {
					value = strings.ReplaceAll(value, "${"+k+"}", v)
				}
				return value, nil
			})
			if a, b := fmt.Sprint(c.in), fmt.Sprint(back); a != b {
				t.Errorf("\n in   %s\n back %s", a, b)
			}
		})
	}
}

func TestAlias(t *testing.T) {
	_, exports := LiftSecrets(withEnv("A_TOKEN", "x1"), "other name_2")
	if exports[0].Var != "RUNLACE_OTHER_NAME_2_A_TOKEN" {
		t.Error(exports[0].Var)
	}
	c := withEnv("A_TOKEN", "x1", "a-token", "x2", "A.TOKEN", "x3", "B", "${RUNLACE_MY_SERVER_A_TOKEN}")
	_, exports = LiftSecrets(c, "")
	seen := map[string]bool{"RUNLACE_MY_SERVER_A_TOKEN": true}
	for _, e := range exports {
		if seen[e.Var] {
			t.Errorf("%s stands for two values", e.Var)
		}
		seen[e.Var] = true
	}
	if len(exports) != 3 {
		t.Error(exports)
	}
}

// Keys are told from names.
func TestRandom(t *testing.T) {
	for _, test := range []struct {
		alphabet string
		least    int // percent
	}{
		{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 96},
		{"0123456789abcdef", 97},
		{"abcdefghijklmnopqrstuvwxyz234567", 60},
	} {
		alphabet, least := test.alphabet, test.least
		r := rand.New(rand.NewPCG(1, 2)) // the same keys each time
		found := 0
		for range 1000 {
			b := make([]byte, 32)
			for i := range b {
				b[i] = alphabet[r.IntN(len(alphabet))]
			}
			if LooksSecret(string(b)) {
				found++
			}
		}
		if found < least*10 {
			t.Errorf("%d of 1000 keys of %s", found, alphabet)
		}
	}
	for _, name := range []string{
		"modelcontextprotocol", "server-everything-2025-08-21", "com.example.VeryLongPackageName.Version2", "internationalization2024edition", "AbstractSingletonProxyFactoryBean2",
		"2025-06-18T10:00:00.000Z", "0000000000000000000000000000", "12345678901234567890123456", "us-east-1.console.aws.amazon.com", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"mcp-server-for-microsoft365-graph-api-v2", "https", "feature/JIRA-1234-add-oauth2-login-for-web",
	} {
		if f := findTokens(name); len(f) > 0 {
			t.Errorf("%s is taken for a key", name)
		}
	}
	for _, token := range []string{github, openai, slack, hex32, base62, "AKIA" + "IOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0.abc-def"} {
		if f := findTokens("x " + token + ", y"); len(f) != 1 {
			t.Errorf("%s: %v", token, f)
		}
	}
}

func FuzzLiftSecrets(f *testing.F) {
	f.Add("GITHUB_TOKEN", "x", "--api-key", "https://a:b@c/?key=d")
	f.Add("A", `{"k": ["${x}", 1]}`, "--x=", "${A:-b}")
	f.Add("", "Bearer ", "Authorization:", "a://b@/c")
	f.Add("K", "Password=;Password=\"\"", "-", "://?=&#=")
	f.Fuzz(func(t *testing.T, name, value, arg, text string) {
		c := stdio(arg, text)
		c.Env = map[string]string{name: value}
		c.Headers = map[string]string{name: text}
		out, exports := LiftSecrets(c, "")
		for _, e := range exports {
			if !variable.MatchString(e.Var) || e.Value() == "" {
				t.Fatalf("%+v", e)
			}
		}
		if found := out.LiteralSecrets(); len(found) > 0 {
			t.Fatalf("again: %+v in %+v, from %+v", found, out, c)
		}
		if name != "" && IsSecretName(name) && !strings.Contains(value, "${") && passwordish.MatchString(name) && value == "hunter2" && out.Env[name] == value {
			t.Fatal("it is still there")
		}
	})
}
