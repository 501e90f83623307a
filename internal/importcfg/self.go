package importcfg

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/runlace/runlace/internal/config"
)

// isRunlace says why an entry is Runlace itself, which is never taken: it would call itself. It looks at what is started, through the
// programs that start others; not at arguments, for a folder may be called runlace.
func isRunlace(c config.Connector) string {
	if c.Transport != config.Stdio {
		if u, err := url.Parse(c.URL); err == nil && strings.EqualFold(c.Name, "runlace") && isLoopback(u.Hostname()) {
			return "it is Runlace itself, by its name and an address of this machine"
		}
		return ""
	}
	if starts(c.Command, c.Args, 0) {
		return "it is Runlace itself"
	}
	return ""
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// program is the name of a program without folder, extension and version, in lower case.
func program(word string) string {
	word = word[strings.LastIndexAny(word, `/\`)+1:]
	word = strings.ToLower(word)
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		word = strings.TrimSuffix(word, suffix)
	}
	if i := strings.LastIndexByte(word, '@'); i > 0 {
		word = word[:i]
	}
	return word
}

// starts reports whether a command line starts Runlace.
func starts(command string, args []string, depth int) bool {
	name := program(command)
	if name == "runlace" || strings.HasPrefix(name, "runlace-") && looksBuilt(name) {
		return true
	}
	if depth > 4 {
		return false
	}
	next := func(args []string) bool { return len(args) > 0 && starts(args[0], args[1:], depth+1) }
	switch name {
	case "go":
		args = skipOptions(args, "-C", "-exec", "-tags", "-ldflags", "-mod", "-modfile", "-overlay", "-p")
		if len(args) == 0 || args[0] != "run" {
			return false
		}
		args = skipOptions(args[1:], "-C", "-exec", "-tags", "-ldflags", "-mod", "-modfile", "-overlay", "-p")
		return len(args) > 0 && isPackage(args[0])
	case "sh", "bash", "zsh", "dash", "fish", "cmd", "powershell", "pwsh":
		for i, a := range args {
			switch {
			case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "/") && len(a) == 2:
			case i > 0 || name == "cmd":
				rest := args[i+1:]
				words := strings.Fields(strings.NewReplacer(";", " ", "&&", " ", `"`, " ", "'", " ").Replace(a))
				for len(words) > 0 && (words[0] == "exec" || words[0] == "call" || words[0] == "start" || strings.Contains(words[0], "=")) {
					words = words[1:]
				}
				if len(words) > 2 && words[0] == "cd" {
					words = words[2:]
				}
				return next(append(slices.Clone(words), rest...))
			}
		}
	case "env":
		for i, a := range args {
			if !strings.HasPrefix(a, "-") && !strings.Contains(a, "=") {
				return next(args[i:])
			}
		}
	case "npx", "bunx", "pnpx", "uvx", "pipx", "nohup", "nice", "stdbuf", "sudo", "time", "timeout", "caffeinate", "command":
		rest := skipOptions(args, "--from", "-p", "--package", "--python", "--with", "-n", "-u")
		if len(rest) > 0 && (name == "pipx" && rest[0] == "run" || name == "timeout") {
			rest = skipOptions(rest[1:], "--spec")
		}
		return next(rest)
	case "uv", "poetry", "pdm", "rye", "hatch", "pipenv", "mise", "npm", "pnpm", "yarn", "bun", "deno":
		rest := skipOptions(args, "--directory", "--project", "-C", "--prefix")
		if len(rest) > 0 && slices.Contains([]string{"run", "exec", "x", "dlx", "tool"}, rest[0]) {
			if rest = skipOptions(rest[1:], "--directory", "--project", "--with", "--python"); len(rest) > 0 && rest[0] == "run" {
				rest = rest[1:]
			}
			return next(rest)
		}
	case "python", "python3", "py":
		for i, a := range args {
			if a == "-m" && i+1 < len(args) {
				return args[i+1] == "runlace" || strings.HasPrefix(args[i+1], "runlace.")
			}
			if !strings.HasPrefix(a, "-") {
				return false
			}
		}
	case "docker", "podman":
		if len(args) > 0 && args[0] == "run" {
			rest := skipOptions(args[1:], "-e", "--env", "-v", "--volume", "--mount", "--name", "--network", "-p", "--env-file", "-w", "--user", "-u")
			return len(rest) > 0 && strings.HasPrefix(program(rest[0])+":", "runlace:")
		}
	}
	return false
}

// looksBuilt is for the names that make cross gives: runlace-linux-amd64.
func looksBuilt(name string) bool {
	for _, os := range []string{"linux", "darwin", "windows"} {
		if strings.HasPrefix(name, "runlace-"+os+"-") {
			return true
		}
	}
	return false
}

// isPackage reports whether a Go package is the command runlace.
func isPackage(path string) bool {
	path, _, _ = strings.Cut(strings.ReplaceAll(path, `\`, "/"), "@")
	path = strings.TrimSuffix(strings.TrimSuffix(path, "/main.go"), "/")
	return path == "cmd/runlace" || strings.HasSuffix(path, "/cmd/runlace")
}

// skipOptions returns args from the first that is no option. Those that are named have a value of their own.
func skipOptions(args []string, withValue ...string) []string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return args[i+1:]
		case !strings.HasPrefix(a, "-"):
			return args[i:]
		case slices.Contains(withValue, a):
			i++
		}
	}
	return nil
}
