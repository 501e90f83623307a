package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/runlace/runlace/assets"
)

//go:embed peer.py
var peerScript []byte

// peer is a native Python.
type peer struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Version string `json:"version"`
	Build   string `json:"build"` // how it was configured, as far as it matters for speed

	script  string
	modules string
	env     []string
}

// Names of the peers.
const (
	peerMachine = "python3"
	peerNative  = "native"
)

// findPeers finds the machine's Python, and a native build of the guest's version. What is missing is noted.
func (b *bench) findPeers(python string) ([]*peer, error) {
	script := filepath.Join(b.temp, "peer.py")
	if err := os.WriteFile(script, peerScript, 0o600); err != nil {
		return nil, err
	}
	var found []*peer
	add := func(name, path, version string) {
		p, err := newPeer(b.ctx, name, path, script)
		if err == nil && version != "" && p.Version != version {
			err = fmt.Errorf("it is version %s, and the guest is %s", p.Version, version)
		}
		if err != nil {
			b.report.note("%s is not measured: %s: %v", name, path, err)
			return
		}
		found = append(found, p)
	}
	add(peerMachine, python, "")
	native := os.Getenv("RUNLACE_BENCH_PYTHON")
	if native == "" {
		native = filepath.Join(b.root, ".guest", "build", "native", "python")
	}
	add(peerNative, native, b.engine.Python())
	b.report.Peers = found
	return found, nil
}

// newPeer looks at a Python. Version managers put a script in its place, which takes as long to start as Python itself:
// the peer is the interpreter that the script ends up in.
func newPeer(ctx context.Context, name, path, script string) (*peer, error) {
	const look = `import sys, platform, sysconfig
v = sysconfig.get_config_var
o = "--enable-optimizations" in (v("CONFIG_ARGS") or "")
print(sys.executable, platform.python_version(), (v("CC") or "?").split()[0] + ", " + (v("OPT") or "?") + ", " + ("profile-guided" if o else "no profile"), sep="\n")`
	out, err := exec.CommandContext(ctx, path, "-I", "-c", look).Output()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("it says %q", out)
	}
	m, err := assets.Guest()
	if err != nil {
		return nil, err
	}
	var modules []string
	for _, module := range m.Allowlist {
		if module != "runlace_types" {
			modules = append(modules, module)
		}
	}
	return &peer{
		Name: name, Path: lines[0], Version: lines[1], Build: lines[2], script: script, modules: strings.Join(modules, ","),
		env: []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + filepath.Dir(script)},
	}, nil
}

// profiled tells whether it was built with a profile.
func (p *peer) profiled() bool { return strings.HasSuffix(p.Build, "profile-guided") }

// command is a new process of the peer.
func (p *peer) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, p.Path, append([]string{"-I"}, args...)...)
	c.Env = p.env
	return c
}

// once is a new process that runs a workflow.
func (p *peer) once(ctx context.Context, workflow string, inputs []byte) *exec.Cmd {
	return p.command(ctx, p.script, p.modules, "once", workflow, string(inputs))
}

// server is a process that runs programs of the CPU set.
type server struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  bytes.Buffer
}

func (p *peer) serve(ctx context.Context) (*server, error) {
	s := &server{command: p.command(ctx, p.script, p.modules, "serve")}
	s.command.Stderr = &s.stderr
	var err error
	if s.in, err = s.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.command.Start()
}

// run runs a program once. It returns its output and the seconds of CPU time.
func (s *server) run(path string) (string, float64, error) {
	if _, err := fmt.Fprintln(s.in, path); err != nil {
		return "", 0, err
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return "", 0, errors.Join(err, errors.New(strings.TrimSpace(s.stderr.String())))
	}
	var answer struct {
		Output json.RawMessage
		NS     int64
	}
	err = json.Unmarshal(line, &answer)
	return string(answer.Output), float64(answer.NS) / 1e9, err
}

func (s *server) close() {
	_ = s.in.Close()
	_ = s.command.Wait()
}
