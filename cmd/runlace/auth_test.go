package main

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/auth"
	"github.com/runlace/runlace/internal/auth/authtest"
	"github.com/runlace/runlace/internal/home"
)

// authServers has each script's server.
var authServers sync.Map

// authserver start starts an authorization server and an MCP server behind it, whose addresses are then in $AUTH_ISSUER and $AUTH_MCP.
// authserver expire ends all access tokens, and authserver expire all the refresh tokens too. authserver clean DIR looks for any token
// that it has given out in the files below a folder.
func authserverCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: authserver start, expire or clean")
	}
	if args[0] == "start" {
		s := &authtest.Server{}
		s.Start()
		ts.Defer(s.Close)
		authServers.Store(ts, s)
		ts.Setenv("AUTH_MCP", s.MCP)
		ts.Setenv("AUTH_ISSUER", s.Issuer)
		return
	}
	s := authServer(ts)
	switch args[0] {
	case "expire":
		s.Expire(len(args) > 1)
	case "clean":
		tokens := s.Tokens()
		if len(tokens) == 0 {
			ts.Fatalf("the server has given out nothing")
		}
		ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, token := range tokens {
				if bytes.Contains(text, []byte(token)) {
					ts.Fatalf("there is a token in %s", path)
				}
			}
			return err
		}))
	default:
		ts.Fatalf("there is no authserver %s", args[0])
	}
}

func authServer(ts *testscript.TestScript) *authtest.Server {
	s, ok := authServers.Load(ts)
	if !ok {
		ts.Fatalf("authserver start comes first")
	}
	return s.(*authtest.Server)
}

// login CODE visit|paste ARGS... runs runlace auth login with --no-browser, does what a person with a browser does with the address that it
// prints, and expects that exit code. With paste the browser is on another machine, and the address that it was sent to is pasted.
func loginCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: login CODE visit|paste ARGS...")
	}
	s := authServer(ts)
	cmd := exec.Command("runlace", append([]string{"auth", "login", "--no-browser"}, args[2:]...)...)
	cmd.Dir = ts.Getenv("WORK")
	for _, name := range []string{"PATH", "HOME", home.Variable, home.CacheVariable, pyright.Variable, auth.KeyringVariable} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var said bytes.Buffer
	cmd.Stdout = ts.Stdout()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	for lines := bufio.NewScanner(io.TeeReader(out, &said)); lines.Scan(); {
		address := strings.TrimSpace(lines.Text())
		switch {
		case !strings.HasPrefix(address, s.Issuer+"/authorize?"):
		case args[1] == "paste":
			to, err := s.Answer(address)
			ts.Check(err)
			_, err = io.WriteString(in, to+"\n")
			ts.Check(err)
		default:
			_, _, err := s.Visit(address)
			ts.Check(err)
		}
	}
	_ = cmd.Wait()
	_, _ = ts.Stderr().Write(said.Bytes())
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s: %s", got, args[0], said.String())
	}
}
