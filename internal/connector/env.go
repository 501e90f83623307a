package connector

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
)

// inherited are the variables that a server gets from Runlace's own environment. Everything else has to be in its entry: a
// token that happens to be in the shell is not for every server. The first six are what every MCP client passes; the others say
// where a program finds its own files, which language it speaks and which certificates it trusts.
var inherited = map[bool][]string{
	false: {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
		"LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"},
	true: {"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP",
		"USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR", "NODE_EXTRA_CA_CERTS"},
}

// environment is what a server is started with: the minimum, then the entry's own variables, sorted.
func environment(own map[string]string) []string {
	all := map[string]string{}
	for _, k := range inherited[runtime.GOOS == "windows"] {
		// A value that begins with () is a function that a shell exported.
		if v, ok := os.LookupEnv(k); ok && !strings.HasPrefix(v, "()") {
			all[k] = v
		}
	}
	for k, v := range own {
		if runtime.GOOS == "windows" {
			for have := range all {
				if strings.EqualFold(have, k) {
					delete(all, have)
				}
			}
		}
		all[k] = v
	}
	var env []string
	for k, v := range all {
		env = append(env, k+"="+v)
	}
	sort.Strings(env)
	return env
}

// find looks for a command as the server would: in its own PATH, and relative to its own folder. It returns "" when there is none.
func find(command, dir string, env []string) string {
	if strings.ContainsRune(command, '/') || strings.ContainsRune(command, os.PathSeparator) {
		if !filepath.IsAbs(command) && dir != "" {
			command = filepath.Join(dir, command)
		}
		return executable(command, env)
	}
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if folder == "" || !filepath.IsAbs(folder) {
			continue // never what happens to lie in the current folder
		}
		if p := executable(filepath.Join(folder, command), env); p != "" {
			return p
		}
	}
	return ""
}

// noFolder says why a process cannot start in a folder, or "". Without a folder it starts where Runlace did.
func noFolder(dir string) string {
	if dir == "" {
		return ""
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case err != nil:
		return "cannot be looked at"
	case !info.IsDir():
		return "is no folder"
	}
	return ""
}

func variable(env []string, name string) string {
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

func executable(path string, env []string) string {
	if runtime.GOOS == "windows" {
		names := []string{}
		extensions := variable(env, "PATHEXT")
		if extensions == "" {
			extensions = ".COM;.EXE;.BAT;.CMD"
		}
		for _, x := range strings.Split(extensions, ";") {
			if x != "" {
				names = append(names, path+x)
				if strings.EqualFold(filepath.Ext(path), x) {
					names = append([]string{path}, names...)
				}
			}
		}
		for _, n := range names {
			if i, err := os.Stat(n); err == nil && !i.IsDir() {
				return n
			}
		}
		return ""
	}
	if i, err := os.Stat(path); err == nil && !i.IsDir() && i.Mode()&0o111 != 0 {
		return path
	}
	return ""
}
