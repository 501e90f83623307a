package mcpserver

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/engine"
	"github.com/runlace/runlace/internal/fault"
)

// Listen says where a server listens on HTTP, and whom it lets in.
type Listen struct {
	HTTP          bool // else it is on standard input and output
	Port          int
	Host          string
	TokenVariable string      // name of the variable with the token
	Names         []string    // see Access
	Approval      string      // who consents to acts; empty: as config.json says
	OperatorFile  string      // with the token of a person's requests, see Access
	Workers       int         // runs at a time; 0: 4
	Report        func(error) // told of what went wrong with a run in the queue; may be nil
	token         string
}

// leastToken is how long a token has to be, so that it cannot be guessed.
const leastToken = 16

// Check finds what is missing before anything is opened, and looks the token up.
func (l *Listen) Check(lookup func(string) (string, bool)) error {
	if words := []string{config.Ask, config.Human, config.Allow}; l.Approval != "" && !slices.Contains(words, l.Approval) {
		return fault.New("bad-usage", "--approval is %s, and has to be one of %s", l.Approval, strings.Join(words, ", "))
	}
	if !l.HTTP {
		if l.TokenVariable != "" || l.Host != "" && !Loopback(l.Host) || len(l.Names) > 0 {
			return fault.New("bad-usage", "--host, --token-env and --allow-host are for a server on HTTP").WithHint("add --http PORT")
		}
		return nil
	}
	if l.Port < 0 || l.Port > 65535 {
		return fault.New("bad-usage", "--http is %d, and has to be a port from 0 to 65535", l.Port)
	}
	if l.TokenVariable == "" {
		if !Loopback(l.Host) {
			return fault.New("bad-usage", "on %s others could use the server, so that it needs a token", l.Host).
				WithHint("put a long random text into a variable, and name that with --token-env")
		}
		return nil
	}
	token, set := lookup(l.TokenVariable)
	token = strings.TrimSpace(token)
	switch {
	case !set || token == "":
		return fault.New("unset-variable", "--token-env names %s, which is not set", l.TokenVariable).
			WithHint("put a long random text into it, as with export %s=$(openssl rand -hex 32)", l.TokenVariable)
	case len(token) < leastToken:
		return fault.New("bad-usage", "the token in %s has fewer than %d characters, and could be guessed", l.TokenVariable, leastToken)
	}
	l.token = token
	return nil
}

// Listen serves clients on HTTP until ctx is done. It calls ready with the server's address.
func (s *Server) Listen(ctx context.Context, l Listen, ready func(url string)) error {
	var c net.ListenConfig
	listener, err := c.Listen(ctx, "tcp", net.JoinHostPort(l.Host, strconv.Itoa(l.Port)))
	if err != nil {
		return fault.New("bad-usage", "the server cannot listen on port %d of %s", l.Port, l.Host).WithDetail(err).
			WithHint("choose another port; --http 0 takes one that is free")
	}
	defer func() { _ = listener.Close() }()
	operator, err := OperatorToken(l.OperatorFile)
	if err != nil {
		return err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	address := net.JoinHostPort(l.Host, strconv.Itoa(port))
	// The queue is this process's before it says that it is ready: there is one such process for a home.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	held := make(chan struct{})
	drained := make(chan error, 1)
	go func() {
		err := s.engine.Drain(ctx, engine.DrainOptions{What: "runlace serve on " + address, Workers: l.Workers, Held: func() { close(held) }, Report: l.Report})
		stop(err)
		drained <- err
	}()
	select {
	case <-held:
	case err := <-drained:
		return err
	}
	ready("http://" + address + Path)
	err = s.HTTP(ctx, listener, Access{Token: l.token, Operator: operator, Hosts: append([]string{l.Host}, l.Names...)})
	stop(nil)
	return errors.Join(err, <-drained)
}
