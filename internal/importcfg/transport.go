package importcfg

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/config"
)

// transport decides by what is said, or else by what is there.
func (s *server) transport(said string, explicit bool) {
	known := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(said))
	want := ""
	switch known {
	case "stdio", "local", "process", "command":
		want = config.Stdio
	case "http", "streamablehttp", "httpstream", "streamable", "streaminghttp", "remote":
		want = config.HTTP
	case "sse", "httpsse":
		want = config.SSE
		s.note("the transport sse is the one from before 2025; ask its provider for a streamable HTTP address")
	case "ws", "wss", "websocket":
		s.skip("WebSocket is not supported: stdio, streamable HTTP and SSE are")
		return
	case "builtin", "platform": // of Goose
		s.skip("it is built into %s, and has no server of its own", s.owner())
		return
	case "frontend", "inlinepython":
		s.skip("it is run by %s itself: it is no server that can be started or connected to", s.owner())
		return
	case "":
	default:
		if explicit {
			s.note("the transport %s is not known; it goes by what else is there", shown(said))
		}
	}
	command, url := s.c.Command != "", s.c.URL != ""
	switch {
	case !command && !url:
		s.skip("there is neither a command nor a url")
		return
	case want == config.Stdio && !command:
		s.note("it says stdio, and has a url only; the url is used")
		want = config.HTTP
	case (want == config.HTTP || want == config.SSE) && !url:
		s.note("it says %s, and has a command only; the command is used", want)
		want = config.Stdio
	case want == "" && command:
		want = config.Stdio
	case want == "":
		want = config.HTTP
		switch {
		case s.client == "Gemini CLI" && !s.streamable:
			want = config.SSE
			s.note("url stands for the older transport, SSE, in Gemini CLI, and httpUrl for the new one; ask its provider for a streamable HTTP address")
		case isSSE(s.c.URL) && !s.streamable:
			want = config.SSE
			s.note("the url ends in /sse, so that it is taken for the older transport; ask its provider for a streamable HTTP address")
		}
	}
	s.c.Transport = want
	if want == config.Stdio {
		if url {
			s.note("it has a command and a url; the command is used")
		}
		if len(s.c.Headers) > 0 {
			s.note("headers are not followed: a command takes none")
		}
		s.c.URL, s.c.Headers = "", nil
		return
	}
	if command {
		s.note("it has a command and a url; the url is used")
	}
	switch {
	case s.client == "Goose": // which fills them in
		s.envs = s.c.Env
	case len(s.c.Env) > 0:
		s.note("env is not followed: a url has no process")
	}
	s.c.Command, s.c.Args, s.c.Env, s.c.EnvFile, s.c.Dir = "", nil, nil, "", ""
}

// owner is the program that a file belongs to, for a message.
func (s *server) owner() string {
	if s.client == "" {
		return "the program that the file belongs to"
	}
	return s.client
}

func isSSE(url string) bool {
	url, _, _ = strings.Cut(url, "?")
	return strings.HasSuffix(strings.TrimSuffix(url, "/"), "/sse")
}

// place makes paths absolute, as they are seen from the folder that the client starts the server in.
func (s *server) place() {
	base := s.folder
	if base == "" {
		base = filepath.Dir(s.path)
	}
	absolute := func(p string) string {
		if p == "" || strings.HasPrefix(p, "${") || filepath.IsAbs(p) || s.m.OS == "windows" && windowsPath.MatchString(p) {
			return p
		}
		if strings.HasPrefix(p, "~") {
			if s.m.Home != "" && (p == "~" || p[1] == '/') {
				return filepath.Join(s.m.Home, p[1:])
			}
			return p
		}
		return filepath.Join(base, p)
	}
	s.c.Dir, s.c.EnvFile = absolute(s.c.Dir), absolute(s.c.EnvFile)
	if s.c.Transport == config.Stdio && s.c.Dir == "" && s.folder != "" && needsFolder(s.c, s.folder) {
		s.c.Dir = s.folder
	}
}

var (
	windowsPath = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`)
	relative    = regexp.MustCompile(`^\.{1,2}([\\/]|$)`)
)

// projectCommands do what the folder says that they are started in.
var projectCommands = []string{"uv", "poetry", "pipenv", "pdm", "rye", "hatch", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "go", "make", "just", "task", "mise", "nix", "dotnet", "gradlew", "mvnw"}

// needsFolder reports whether a server of a project is another one elsewhere. Only then it gets the folder, so that the same server in many
// projects stays one.
func needsFolder(c config.Connector, folder string) bool {
	if slices.Contains(projectCommands, program(c.Command)) {
		return true
	}
	for i, a := range append([]string{c.Command}, c.Args...) {
		switch {
		case relative.MatchString(a):
			return true
		case a == "" || strings.HasPrefix(a, "-") || strings.HasPrefix(a, "@") || filepath.IsAbs(a) || strings.Contains(a, "${"):
		case i == 0 && !strings.ContainsAny(a, `/\`): // is looked for in PATH
		default:
			if _, err := os.Lstat(filepath.Join(folder, a)); err == nil {
				return true
			}
		}
	}
	return false
}
